// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
// These tests are for the named algorithms with their parameters: what is refused, and what a GPU
// and the reference backend compute for the rest.
#include <gtest/gtest.h>

#include <limits>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "layout/resolve.hpp"
#include "solver/choice.hpp"
#include "support/experiment.hpp"
#include "support/layouts.hpp"
#include "support/oracle.hpp"
#include "support/prefix_sum.hpp"
#include "support/refusal.hpp"
#include "support/targets.hpp"
#include "tridia/info.hpp"
#include "tridia/plan.hpp"

namespace tridia_test {
namespace {

using tridia::algorithm;
using tridia::algorithm_parameters;
using tridia::backend;
using tridia::errc;
using tridia::neato_memory;
using tridia::pivoting;
using tridia::plan;
using tridia::problem;
using tridia::transformation;
using tridia::value_type;

constexpr algorithm kOfPapers[] = {
    algorithm::cr,         algorithm::crnbc,     algorithm::pcr,         algorithm::cr_pcr,
    algorithm::pcr_thomas, algorithm::packed_cr, algorithm::hierarchical};

/// Makes a problem for the algorithm that takes constant coefficients only.
problem of_constants(std::vector<index_t> extents, int axis = -1) {
  problem p{.extents = std::move(extents), .axis = axis, .pivoting = pivoting::none};
  p.coefficients = tridia::coefficients::constant;
  p.matrix = {.interior = {0.25, 1, 0.3125}, .head = {{9, 1, 0.75}}, .tail = {{0.5, 1.25, 9}}};
  if (p.extents[axis < 0 ? p.extents.size() - 1 : static_cast<std::size_t>(axis)] < 2)
    p.matrix.head = p.matrix.tail = {};
  return p;
}

tridia::options on_gpu(algorithm a, const algorithm_parameters& parameters = {}) {
  return {.backend = backend::cuda, .algorithm = a, .parameters = parameters};
}

// This holds with and without a GPU.
TEST(Algorithm, RefusesWhatItCannotSolve) {
  for (const algorithm a : kOfPapers) {
    const std::string called(name(a));
    const auto refused = [&](const problem& p, const std::string& word) {
      expect_refusal(errc::unsupported, {called, word}, [&] { plan(p, on_gpu(a)); });
    };
    refused({.extents = {5, 4}}, "partial");
    refused({.type = value_type::c64, .extents = {5, 4}, .pivoting = pivoting::none}, "c64");
    refused({.extents = {5, 4}, .boundary = tridia::boundary::periodic, .pivoting = pivoting::none},
            "periodic");
    expect_refusal(errc::unsupported, {called, "reference", "cuda", "cpu was asked for"}, [&] {
      plan({.extents = {5, 4}, .pivoting = pivoting::none},
           {.backend = backend::cpu, .algorithm = a});
    });
  }
  // The reference backend counts rows of a line in 32 bits.
  expect_refusal(errc::unsupported, {"pcr", "reference", "1073741824", "hierarchical"}, [] {
    plan({.extents = {index_t{1} << 30}, .pivoting = pivoting::none},
         {.backend = backend::reference, .algorithm = algorithm::pcr});
  });
  expect_refusal(errc::unsupported, {"neato", "per_system", "constant"}, [] {
    plan({.extents = {5, 4}, .pivoting = pivoting::none}, on_gpu(algorithm::neato));
  });
  problem constants = of_constants({5, 4});
  constants.pivoting = pivoting::partial;
  expect_refusal(errc::unsupported, {"neato", "partial"},
                 [&] { plan(constants, on_gpu(algorithm::neato)); });
  expect_refusal(errc::unsupported, {"cr", "constant"}, [] {
    plan(of_constants({5, 4}), on_gpu(algorithm::cr));
  });
  expect_refusal(errc::unsupported, {"partition", "cpu", "cuda", "reference"}, [] {
    plan({.extents = {5, 4}}, {.backend = backend::reference, .algorithm = algorithm::partition});
  });
}

TEST(Algorithm, RefusesParameters) {
  const problem p{.extents = {5, 4}, .pivoting = pivoting::none};
  const problem ragged{.extents = {5}, .pivoting = pivoting::none, .offsets = {0, 2, 5}};
  problem packed = ragged;
  packed.offsets = {0, 3, 5}, packed.ragged_layout = tridia::ragged_layout::packed;
  const problem complex{.type = value_type::c64, .extents = {5, 4}, .pivoting = pivoting::none};
  struct bad {
    problem p;
    tridia::options o;
    errc code;
    std::vector<std::string> words;
  };
  const algorithm_parameters full{.transformation = transformation::full};
  const std::vector<bad> all = {
      {p,
       on_gpu(algorithm::cr_pcr, {.switch_point = -1}),
       errc::invalid_argument,
       {"switch_point", "-1"}},
      {p,
       on_gpu(algorithm::packed_cr, {.packing_depth = 3}),
       errc::invalid_argument,
       {"packing_depth", "3", "32"}},
      {p,
       on_gpu(algorithm::packed_cr, {.packing_depth = -2}),
       errc::invalid_argument,
       {"packing_depth", "-2"}},
      {p,
       on_gpu(algorithm::cr, {.switch_point = 4}),
       errc::invalid_argument,
       {"switch_point", "cr"}},
      {p,
       on_gpu(algorithm::automatic, {.switch_point = 4}),
       errc::invalid_argument,
       {"switch_point", "automatic"}},
      {p,
       on_gpu(algorithm::pcr, {.packing_depth = 4}),
       errc::invalid_argument,
       {"packing_depth", "pcr"}},
      {p, on_gpu(algorithm::lu, full), errc::invalid_argument, {"transformation", "lu"}},
      {p,
       {.algorithm = algorithm::thomas, .parameters = full},
       errc::invalid_argument,
       {"transformation", "full", "cpu", "cuda"}},
      {complex,
       on_gpu(algorithm::thomas, full),
       errc::unsupported,
       {"transformation", "full", "c64"}},
      {p,
       on_gpu(algorithm::thomas, {.transformation = transformation::packed}),
       errc::invalid_argument,
       {"transformation", "packed", "offsets"}},
      {ragged,
       on_gpu(algorithm::thomas, {.transformation = transformation::blocks}),
       errc::invalid_argument,
       {"transformation", "blocks", "offsets"}},
      {packed,
       on_gpu(algorithm::thomas, full),
       errc::unsupported,
       {"transformation", "full", "ragged_layout", "packed"}},
      {packed, on_gpu(algorithm::cr), errc::unsupported, {"algorithm", "cr", "ragged_layout"}},
      {packed,
       {.backend = tridia::backend::reference, .algorithm = algorithm::packed_cr},
       errc::unsupported,
       {"algorithm", "packed_cr", "ragged_layout", "thomas"}},
      {p,
       on_gpu(algorithm::thomas, {.transformation = transformation{77}}),
       errc::invalid_argument,
       {"transformation", "77"}},
      {p,
       on_gpu(algorithm::cr, {.memory = neato_memory::global}),
       errc::invalid_argument,
       {"memory", "cr"}},
      {of_constants({5, 4}),
       on_gpu(algorithm::neato, {.memory = neato_memory{77}}),
       errc::invalid_argument,
       {"memory", "77", "shared"}},
      {of_constants({5, 4}),
       {.backend = backend::reference,
        .algorithm = algorithm::neato,
        .parameters = {.memory = neato_memory::global}},
       errc::invalid_argument,
       {"memory", "global", "cuda", "reference"}},
      {of_constants({5, 4}),
       on_gpu(algorithm::neato, {.switch_point = 2}),
       errc::invalid_argument,
       {"switch_point", "neato"}},
  };
  for (const bad& b : all) expect_refusal(b.code, b.words, [&] { plan(b.p, b.o); });
}

algorithm chosen(const problem& p, backend b = backend::cuda) {
  return tridia::solver::choose(p, tridia::layout::resolve(p), {.backend = b}).algorithm;
}

TEST(Algorithm, AutomaticIsNeatoForAFewShortSystemsOfConstants) {
  for (const auto& extents : {std::vector<index_t>{32, 32}, {1024, 32}, {1, 63}, {50}, {2, 3, 40}})
    EXPECT_EQ(chosen(of_constants(extents)), algorithm::neato);
  for (const auto& extents :
       {std::vector<index_t>{32, 31}, {64, 64}, {1025, 32}, {3, 0}, {4096, 63}})
    EXPECT_EQ(chosen(of_constants(extents)), algorithm::partition) << extents.back();
  EXPECT_EQ(chosen(of_constants({40, 40}, 0)), algorithm::partition);
  EXPECT_NE(chosen(of_constants({32, 32}), backend::cpu), algorithm::neato);
  problem of_the_thesis = of_constants({1024, 32});
  of_the_thesis.matrix = {.interior = {0.25, 1, 0.25}, .head = {{0, 1, 2}}, .tail = {{2, 1, 0}}};
  EXPECT_EQ(chosen(of_the_thesis), algorithm::neato);

  const auto expect_not = [](auto change) {
    problem p = of_constants({32, 32});
    change(p);
    EXPECT_EQ(chosen(p), algorithm::partition);
  };
  expect_not([](problem& p) { p.right_hand_sides = 33; });
  expect_not([](problem& p) { p.rhs_strides = {1, 32}; });
  expect_not([](problem& p) { p.x_strides = {64, 2}; });
  expect_not([](problem& p) { p.pivoting = pivoting::partial; });
  expect_not([](problem& p) { p.type = value_type::f32; });
  expect_not([](problem& p) { p.boundary = tridia::boundary::periodic; });
  // NEATO's stages meet a pivot that is zero, or is small beside its neighbours.
  expect_not([](problem& p) { p.matrix = {.interior = {1, 0, 1}}; });
  expect_not([](problem& p) { p.matrix = {.interior = {1, 1.4, 1}}; });
}

/// Solves by named algorithms on a backend.
class NamedAlgorithm : public ::testing::TestWithParam<value_type> {
 protected:
  NamedAlgorithm(backend where, const std::string& test)
      : random_(random_for(test)), where_(where) {}

  void expect_solved(problem p, algorithm a, const algorithm_parameters& parameters) {
    p.type = GetParam();
    p.pivoting = pivoting::none;
    run_options m{.backend = where_, .algorithm = a, .parameters = parameters};
    m.guard = static_cast<std::size_t>(draw(random_, 0, 5));
    m.misalignment = static_cast<std::size_t>(draw(random_, 0, 63));
    if (flip(random_) && allow_alias(p, role::rhs)) m.alias = role::rhs;
    SCOPED_TRACE(describe(m) + "; " + describe(p));
    experiment e(p, m);
    e.fill_matrices(random_);
    e.fill_rhs(random_);
    ASSERT_EQ(e.run(), "");
    ASSERT_EQ(check_solution(e, 17), "");
    expect_bad_systems_alone(e);
  }

 private:
  /// Makes a system unsolvable; returns its status.
  index_t spoil(experiment& e, index_t s) {
    const index_t n = e.where().rows(s), row = draw(random_, 0, n - 1);
    const problem& p = e.problem();
    const bool own_matrix = p.coefficients == tridia::coefficients::per_system &&
                            p.dl_strides.empty() && p.d_strides.empty() && p.du_strides.empty();
    if (!own_matrix || p.boundary != tridia::boundary::regular || flip(random_)) {
      e.set(role::rhs, s, row, std::numeric_limits<double>::quiet_NaN());
      return -(row + 1);
    }
    e.set(role::d, s, row, 0);
    if (row > 0) e.set(role::dl, s, row, 0);
    if (row < n - 1) e.set(role::du, s, row, 0);
    return row + 1;
  }

  /// Checks that a system without a solution has a status, and its neighbours have theirs.
  void expect_bad_systems_alone(experiment& e) {
    if (e.problem().coefficients == tridia::coefficients::shared) return;
    std::vector<index_t> expected(static_cast<std::size_t>(e.where().systems()));
    for (index_t s = draw(random_, 0, 4); s < e.where().systems(); s += draw(random_, 1, 9)) {
      if (e.where().rows(s) > 0) expected[static_cast<std::size_t>(s)] = spoil(e, s);
    }
    ASSERT_EQ(e.run(), "");
    ASSERT_EQ(e.status(), expected);
    for (index_t s = 0; s < e.where().systems(); ++s) {
      if (expected[static_cast<std::size_t>(s)] != 0) continue;
      ASSERT_LE(backward_error(matrix_of(e, s), solution_of(e, s, 0), rhs_of(e, s, 0)),
                kBackwardBound * epsilon(e.problem().type))
          << "system " << s;
    }
  }

 protected:
  rng random_;

 private:
  backend where_;
};

class AlgorithmOnGpu : public NamedAlgorithm {
 protected:
  AlgorithmOnGpu() : NamedAlgorithm(backend::cuda, "AlgorithmOnGpu") {}
};

class AlgorithmOnReference : public NamedAlgorithm {
 protected:
  AlgorithmOnReference() : NamedAlgorithm(backend::reference, "AlgorithmOnReference") {}
};

TEST_P(AlgorithmOnReference, EverySwitchPoint) {
  for (const algorithm a : {algorithm::cr_pcr, algorithm::pcr_thomas, algorithm::hierarchical})
    for (const index_t n : {100, 128})
      for (int s = 1; s <= 256; s *= 2) expect_solved({.extents = {5, n}}, a, {.switch_point = s});
}

// It splits lines of more than 4096 rows.
TEST_P(AlgorithmOnReference, HierarchicalOfEveryLength) {
  for (const index_t n : {4095, 4096, 4097, 8192, 8193, 20'011})
    for (const int s : {1, 64, 8192})
      expect_solved({.extents = {2, n}}, algorithm::hierarchical, {.switch_point = s});
  expect_solved({.extents = {9100}, .offsets = {0, 17, 17, 9000, 9100}}, algorithm::hierarchical,
                {});
}

TEST_P(AlgorithmOnReference, EveryPackingDepth) {
  for (const int depth : kPackingDepths)
    for (const index_t n : {1, 2, 3, 5, 17, 31, 32, 33, 100, 127, 1000}) {
      expect_solved({.extents = {3, n}}, algorithm::packed_cr, {.packing_depth = depth});
      expect_solved({.extents = {n, 3}, .axis = 0}, algorithm::packed_cr, {.packing_depth = depth});
    }
}

// A plan says with which parameters an algorithm runs.
TEST(Algorithm, SaysItsParametersOnTheReferenceBackend) {
  const auto reason = [](algorithm a, const algorithm_parameters& parameters) {
    return plan({.extents = {3, 1000}, .pivoting = pivoting::none},
                {.backend = backend::reference, .algorithm = a, .parameters = parameters})
        .reason();
  };
  const auto expect = [&](algorithm a, const algorithm_parameters& parameters,
                          const std::string& text) {
    const std::string said = reason(a, parameters);
    EXPECT_NE(said.find(text), std::string::npos) << said;
  };
  expect(algorithm::cr, {}, "switch point 1");
  expect(algorithm::pcr, {}, "switch point 1000");
  expect(algorithm::cr_pcr, {}, "switch point 250");
  expect(algorithm::cr_pcr, {.switch_point = 32}, "switch point 32");
  expect(algorithm::pcr_thomas, {}, "switch point 32");
  expect(algorithm::pcr_thomas, {.switch_point = 8}, "switch point 8");
  expect(algorithm::packed_cr, {}, "packing depth 8");
  expect(algorithm::packed_cr, {.packing_depth = 4}, "packing depth 4");
  expect(algorithm::hierarchical, {}, "0 steps of PCR");
}

TEST_P(AlgorithmOnGpu, EverySwitchPoint) {
  for (const algorithm a :
       {algorithm::crnbc, algorithm::cr_pcr, algorithm::pcr_thomas, algorithm::hierarchical})
    for (const index_t n : {1000, 1024})
      for (int s = 1; s <= 1024; s *= 2) expect_solved({.extents = {9, n}}, a, {.switch_point = s});
  for (int s = 1; s <= 4096; s *= 8)
    expect_solved({.extents = {3, 20'011}}, algorithm::hierarchical, {.switch_point = s});
  // A block has room for the default switch point, for a lower one, for none, of f64.
  for (const index_t n : {9173, 9500, 9685})
    expect_solved({.extents = {3, n}}, algorithm::cr_pcr, {});
}

TEST_P(AlgorithmOnGpu, EveryPackingDepth) {
  for (const int depth : kPackingDepths)
    for (const index_t n : {1, 2, 3, 5, 17, 31, 32, 33, 100, 127, 1000, 1024, 2048, 128 * depth}) {
      expect_solved({.extents = {7, n}}, algorithm::packed_cr, {.packing_depth = depth});
      expect_solved({.extents = {n, 7}, .axis = 0}, algorithm::packed_cr, {.packing_depth = depth});
    }
  // This is the longest system of f64.
  expect_solved({.extents = {3, 6144}}, algorithm::packed_cr, {.packing_depth = 16});
  expect_solved({.extents = {3, 8192}}, algorithm::packed_cr, {.packing_depth = 32});
}

// A plan takes what was measured for such systems on such a device, unless the caller says more.
TEST_P(AlgorithmOnGpu, TakesTunedParameters) {
  const tridia::cuda_device device = tridia::query_system().cuda_devices.at(0);
  const auto reason = [&](algorithm a, int tuned, const algorithm_parameters& parameters) {
    auto table = std::make_shared<tridia::tuning_table>();
    table->add({.compute_capability =
                    10 * device.compute_capability_major + device.compute_capability_minor,
                .kernel = std::string(name(a)),
                .type = GetParam(),
                .rows = 1000,
                .values = {tuned}});
    const problem p{.type = GetParam(), .extents = {9, 1000}, .pivoting = pivoting::none};
    return plan(p, {.backend = backend::cuda,
                    .algorithm = a,
                    .tuning = std::move(table),
                    .parameters = parameters})
               .reason() +
           '.';
  };
  const auto expect = [](const std::string& said, const std::string& text) {
    EXPECT_NE(said.find(text), std::string::npos) << said;
  };
  for (const algorithm a :
       {algorithm::crnbc, algorithm::cr_pcr, algorithm::pcr_thomas, algorithm::hierarchical}) {
    expect(reason(a, 16, {}), "switch point 16.");
    expect(reason(a, 16, {.switch_point = 2}), "switch point 2.");
  }
  expect(reason(algorithm::pcr_thomas, 0, {}), "switch point 32.");
  expect(reason(algorithm::packed_cr, 4, {}), "packing depth 4.");
  expect(reason(algorithm::packed_cr, 4, {.packing_depth = 16}), "packing depth 16.");
}

TEST_P(AlgorithmOnGpu, EveryTransformation) {
  for (const layout_case& l : layout_cases())
    for (const index_t n : {0, 1, 2, 3, 5, 31, 32, 33, 100}) {
      problem p = l.make(n, draw(random_, 0, 70), random_);
      // There is nothing to be moved.
      if (p.coefficients == tridia::coefficients::constant) continue;
      if (p.ragged_layout == tridia::ragged_layout::packed) continue;
      const bool ragged = !p.offsets.empty();
      for (const auto end : {tridia::boundary::regular, tridia::boundary::periodic}) {
        if (l.regular_only && end != tridia::boundary::regular) continue;
        p.boundary = end;
        p.operation = flip(random_) ? tridia::operation::none : tridia::operation::transpose;
        expect_solved(p, algorithm::thomas, {.transformation = transformation::full});
        expect_solved(p, algorithm::thomas,
                      {.transformation = ragged ? transformation::packed : transformation::blocks});
        if (HasFatalFailure()) return;
      }
    }
}

// The lines are contiguous or interleaved, of any length; there are more of them than a grid has
// blocks in y.
TEST_P(AlgorithmOnGpu, NeatoInBothMemories) {
  for (const auto memory : {neato_memory::shared, neato_memory::global}) {
    const auto expect = [&](const problem& p) {
      expect_solved(p, algorithm::neato, {.memory = memory});
    };
    for (const index_t n : {0, 1, 2, 3, 4, 5, 17, 31, 32, 33, 100, 127, 1000, 1024, 1025, 4097}) {
      for (const index_t batch : {1, 50}) {
        expect(of_constants({batch, n}));
        expect(of_constants({n, batch}, 0));
        expect(of_constants({3, n, batch}, 1));
        problem several = of_constants({batch, n});
        several.right_hand_sides = 3;
        expect(several);
      }
      if (HasFatalFailure()) return;
    }
    expect(of_constants({70'000, 6}));
    expect(of_constants({7, 70'000}, 0));
  }
  expect_solved(of_constants({2, 300'001}), algorithm::neato, {});
  problem longer = of_constants({2, 300'001});
  longer.type = GetParam();
  expect_refusal(errc::unsupported, {"memory", "300001", "global"},
                 [&] { plan(longer, on_gpu(algorithm::neato, {.memory = neato_memory::shared})); });
}

// NEATO or a scan takes the systems; a block of a scan solves more than one tile. In both cases,
// each system enters its own status, and those of several right-hand sides are merged.
TEST_P(AlgorithmOnGpu, AutomaticOfConstants) {
  const auto expect = [&](const problem& p) { expect_solved(p, algorithm::automatic, {}); };
  for (const index_t n : {31, 32, 33, 47, 63, 64})
    for (const index_t batch : {1, 50, 1024, 1025}) {
      expect(of_constants({batch, n}));
      expect(of_constants({n, batch}, 0));
      problem several = of_constants({batch, n});
      several.right_hand_sides = 3;
      expect(several);
      if (HasFatalFailure()) return;
    }
  expect(of_constants({70'000, 64}));
  expect(of_constants({64, 70'000}, 0));
}

TEST_P(AlgorithmOnGpu, IsCapturedInAGraph) {
  const stream_handle stream = make_stream();
  const auto expect_captured = [&](problem p, algorithm a, transformation t,
                                   neato_memory memory = neato_memory::automatic) {
    p.type = GetParam();
    p.pivoting = pivoting::none;
    SCOPED_TRACE(describe(p) + " by " + std::string(name(a)));
    const run_options m{.backend = backend::cuda,
                        .algorithm = a,
                        .stream = stream.get(),
                        .parameters = {.transformation = t, .memory = memory}};
    experiment e(p, m);
    const auto fill = [&] {
      e.fill_matrices(random_);
      e.fill_rhs(random_);
      e.give();
    };
    fill();
    captured_graph graph(stream.get(), [&] { e.enqueue(); });
    for (int replay = 0; replay < 2; ++replay) {
      fill();
      graph.replay();
      EXPECT_EQ(e.take(), "");
      EXPECT_EQ(check_solution(e, 0), "");
    }
  };
  for (const algorithm a : kOfPapers)
    for (const index_t sides : {1, 3})
      expect_captured({.extents = {9, 500}, .right_hand_sides = sides}, a, transformation::none);
  expect_captured({.extents = {9, 9000}}, algorithm::hierarchical, transformation::none);
  expect_captured({.extents = {70, 65}}, algorithm::thomas, transformation::full);
  for (const auto memory : {neato_memory::shared, neato_memory::global})
    expect_captured(of_constants({9, 500}), algorithm::neato, transformation::none, memory);
  for (const index_t n : {40, 500})
    expect_captured(of_constants({9, n}), algorithm::automatic, transformation::none);
  expect_captured({.extents = {300}, .offsets = {0, 17, 17, 200, 300}}, algorithm::thomas,
                  transformation::packed);
}

// There are batches that run at the same time and batches in waves, and systems longer than a block
// of the plain kernels.
TEST_P(AlgorithmOnGpu, EverySize) {
  for (const algorithm a : kOfPapers)
    for (const index_t n : {0, 1, 2, 3, 5, 17, 31, 32, 33, 100, 127, 1000, 1024, 1025, 2047, 4000})
      for (const index_t batch : {1, 50}) {
        expect_solved({.extents = {batch, n}}, a, {});
        expect_solved({.extents = {n, batch}, .axis = 0}, a, {});
        if (HasFatalFailure()) return;
      }
}

std::vector<value_type> types() {
  return have_gpu() ? std::vector<value_type>{value_type::f32, value_type::f64}
                    : std::vector<value_type>{};
}
INSTANTIATE_TEST_SUITE_P(All, AlgorithmOnReference, ::testing::ValuesIn(kTypes),
                         [](const auto& test) { return std::string(tridia::name(test.param)); });
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(AlgorithmOnGpu);
INSTANTIATE_TEST_SUITE_P(All, AlgorithmOnGpu, ::testing::ValuesIn(types()),
                         [](const auto& test) { return std::string(tridia::name(test.param)); });

}  // namespace
}  // namespace tridia_test
