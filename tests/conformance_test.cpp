// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
// Every backend x algorithm x type x boundary x pivoting x operation meets every layout and every
// size, out of place and in place of each input, at once and by factors; see the tables below.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <complex>
#include <ostream>
#include <string>
#include <vector>

#include "support/crash_note.hpp"
#include "support/experiment.hpp"
#include "support/failing_systems.hpp"
#include "support/layouts.hpp"
#include "support/oracle.hpp"
#include "support/targets.hpp"
#include "tridia/tridia.hpp"

namespace tridia_test {
namespace {

using tridia::algorithm;
using tridia::backend;
using tridia::boundary;
using tridia::operation;
using tridia::pivoting;
using tridia::value_type;

/// Says which problems an algorithm takes; all algorithms take problems without pivoting.
enum class problems {
  all,
  without_pivoting,
  of_papers,  ///< Regular, without pivoting, solved at once; on a GPU of real numbers; not on a
              ///< CPU.
  constants_of_papers,  ///< Those with constant coefficients alone.
};
struct algorithm_case {
  tridia::algorithm algorithm;
  problems takes;

  [[nodiscard]] bool of_paper() const {
    return takes == problems::of_papers || takes == problems::constants_of_papers;
  }
};

// A new algorithm joins the suite here.
constexpr algorithm_case kAlgorithms[] = {
    {algorithm::automatic, problems::all},
    {algorithm::thomas, problems::without_pivoting},
    {algorithm::lu, problems::all},
    {algorithm::partition, problems::all},
    {algorithm::cr, problems::of_papers},
    {algorithm::crnbc, problems::of_papers},
    {algorithm::pcr, problems::of_papers},
    {algorithm::cr_pcr, problems::of_papers},
    {algorithm::pcr_thomas, problems::of_papers},
    {algorithm::packed_cr, problems::of_papers},
    {algorithm::hierarchical, problems::of_papers},
    {algorithm::neato, problems::constants_of_papers},
};

constexpr boundary kBoundaries[] = {boundary::regular, boundary::periodic};
constexpr pivoting kPivotings[] = {pivoting::partial, pivoting::none};
constexpr operation kOperations[] = {operation::none, operation::transpose,
                                     operation::conjugate_transpose};

constexpr index_t kSizes[] = {0,  1,  2,  3,  4,  5,  7,   8,   9,   15,  16,  17,
                              31, 32, 33, 63, 64, 65, 100, 127, 129, 257, 1000};
constexpr index_t kBatches[] = {0, 1, 2, 3, 7, 8, 9, 16, 17, 33, 64, 65};

struct config {
  tridia::backend backend;
  algorithm_case method;
  value_type type;
  tridia::boundary boundary;
  tridia::pivoting pivoting;
  tridia::operation operation;

  /// Returns what the config is refused for, or "".
  [[nodiscard]] std::string_view refused() const {
    const bool of_paper = method.of_paper();
    if (of_paper && backend == backend::cpu) return tridia::name(backend);
    if (method.algorithm == algorithm::partition && backend == backend::reference)
      return tridia::name(backend);
    if (method.takes != problems::all && pivoting == pivoting::partial)
      return tridia::name(pivoting);
    if (of_paper && backend == backend::cuda && is_complex(type)) return tridia::name(type);
    if (of_paper && boundary == boundary::periodic) return tridia::name(boundary);
    return "";
  }
};

/// Up to this size every layout is met; the longer systems, which take most of the time, meet every
/// third layout in turn.
#if defined(__SANITIZE_ADDRESS__)
constexpr index_t kEveryLayoutUpTo = 4;
#else
constexpr index_t kEveryLayoutUpTo = 64;
#endif

std::string name(const config& c) {
  const auto part = [](auto value) { return std::string(tridia::name(value)) + '_'; };
  return part(c.backend) + part(c.method.algorithm) + part(c.type) + part(c.boundary) +
         part(c.pivoting) + std::string(tridia::name(c.operation));
}

std::vector<config> configs(bool supported) {
  std::vector<config> all;
  for (const backend b : backends())
    for (const algorithm_case& a : kAlgorithms)
      for (const value_type t : kTypes)
        for (const boundary e : kBoundaries)
          for (const pivoting p : kPivotings)
            for (const operation o : kOperations)
              if (const config c{b, a, t, e, p, o}; c.refused().empty() == supported) {
                // On a GPU `automatic` has become `partition`.
                if (b == backend::cuda && a.algorithm == algorithm::partition) continue;
                all.push_back(c);
              }
  return all;
}

tridia::problem apply(const config& c, tridia::problem p) {
  p.type = c.type;
  p.boundary = c.boundary;
  p.pivoting = c.pivoting;
  p.operation = c.operation;
  return p;
}

/// Returns the options of run number `run` of a config: in turn out of place and in place of every
/// input, each at once and by factors; the rest is random.
run_options run_options_of(const config& c, std::size_t run, rng& random) {
  constexpr std::array<std::optional<role>, 5> kAliases = {std::nullopt, role::rhs, role::d,
                                                           role::dl, role::du};
  run_options m{.backend = c.backend, .algorithm = c.method.algorithm};
  m.alias = kAliases[run % 5];
  m.factored = !c.method.of_paper() && run / 5 % 2 != 0;
  m.threads = static_cast<int>(draw(random, 0, 3));
  m.status = draw(random, 0, 4) != 0;
  m.guard = static_cast<std::size_t>(flip(random) ? 0 : draw(random, 1, 9));
  m.misalignment = static_cast<std::size_t>(flip(random) ? 0 : draw(random, 1, 63));
  return m;
}

/// Returns a well-conditioned matrix. With pivoting it may also be one that needs it: skew except
/// for a small diagonal. (If it is periodic, such a matrix makes numbers grow in the last column,
/// row by row, whatever the pivots.)
tridia::near_toeplitz random_matrix(const tridia::problem& p, index_t n, rng& random) {
  const auto narrow = [](wide v) { return std::complex<double>(v); };
  const auto dominant = [&]() -> tridia::near_toeplitz::row {
    return {narrow(draw_number(random, p.type)), narrow(draw_dominant(random, p.type)),
            narrow(draw_number(random, p.type))};
  };
  tridia::near_toeplitz a{.interior = dominant()};
  if (p.pivoting == pivoting::partial && p.boundary == boundary::regular && flip(random)) {
    a.interior.dl = 1.0 + std::abs(a.interior.dl);
    a.interior.du = -a.interior.dl;
    a.interior.d = 0.25;
  }
  for (auto* rows : {&a.head, &a.tail}) {
    const index_t count = draw(random, 0, std::min<index_t>(n / 2, 4));
    for (index_t k = 0; k < count; ++k) rows->push_back(dominant());
  }
  if (p.boundary == boundary::periodic && flip(random)) a.head = a.tail = {};
  return a;
}

void PrintTo(const config& c, std::ostream* out) { *out << name(c); }

/// Solves what has been solved once more, some systems without a finite solution; what is wrong, or
/// "".
std::string failure_of_some(const experiment& solved, const run_options& m, rng& random) {
  experiment e(solved.problem(), m);
  copy_inputs(solved, e);
  make_some_fail(e, random);
  std::string wrong = e.run();
  if (wrong.empty()) wrong = check_solution(e, 0);
  if (wrong.empty()) wrong = check_failures(e, solved);
  return wrong.empty() ? "" : "where some fail: " + wrong;
}

/// Solves, again with other right-hand sides if by factors, and again where some systems fail; what
/// is wrong, or "".
std::string failure(const tridia::problem& p, const run_options& m, index_t dense_rows,
                    bool some_fail, rng& random) try {
  experiment e(p, m);
  e.fill_matrices(random, draw_size(random));
  e.fill_rhs(random);
  std::string wrong = e.run();
  if (wrong.empty()) wrong = check_solution(e, dense_rows);
  if (!wrong.empty()) return wrong;
  if (m.factored) {
    e.fill_rhs(random);
    wrong = e.solve_again();
    if (wrong.empty()) wrong = check_solution(e, 0);
    if (!wrong.empty()) return "second solve: " + wrong;
  }
  return some_fail ? failure_of_some(e, m, random) : "";
} catch (const tridia::error& e) {
  return std::string("refused: ") + e.what();
}

class Conformance : public ::testing::TestWithParam<config> {
 protected:
  void expect_solved(const tridia::problem& given, run_options m, index_t dense_rows) {
    tridia::problem p = apply(GetParam(), given);
    const bool constant = p.coefficients == tridia::coefficients::constant;
    // The algorithm refuses such problems.
    if (GetParam().method.takes == (constant ? problems::of_papers : problems::constants_of_papers))
      return;
    if (GetParam().method.of_paper() && p.ragged_layout == tridia::ragged_layout::packed) return;
    if (constant) {
      const layout where(p);
      p.matrix = random_matrix(p, where.systems() > 0 ? where.rows(0) : 0, random_);
      m.factored = false;
    }
    if (m.alias && !allow_alias(p, *m.alias)) m.alias.reset();
    const std::string what = describe(m) + "; " + describe(p);
    note_for_crash(what);
    // Every alias and layout, at once and by factors, has its turn.
    const bool some_fail = ++runs_ % 3 == 0;
    EXPECT_EQ(failure(p, m, dense_rows, some_fail, random_), "") << what;
  }

  rng random_ = random_for(name(GetParam()));
  int runs_ = 0;
};

TEST_P(Conformance, EveryLayoutAndSize) {
  std::size_t run = static_cast<std::size_t>(draw(random_, 0, 1000));
  for (const layout_case& l : layout_cases()) {
    if (l.regular_only && GetParam().boundary != boundary::regular) continue;
    SCOPED_TRACE(l.name);
    for (const index_t n : kSizes) {
      ++run;
      const bool every_layout = n <= kEveryLayoutUpTo;
      if (!every_layout && run % 3 != 0) continue;
      // Every size meets every batch over the layouts and configs; the longest sizes meet the small
      // batches.
      const std::size_t turn = every_layout ? run : run / 3;
      const index_t batch = kBatches[turn * 5 % (n > 200 ? 9 : std::size(kBatches))];
      // A dense copy costs n^3.
      const index_t dense_rows = run % 32 == 0 ? 129 : 17;
      expect_solved(l.make(n, batch, random_), run_options_of(GetParam(), run, random_),
                    dense_rows);
      if (HasFailure()) return;
    }
  }
}

// These are more systems than a CUDA grid has blocks in y and z.
TEST_P(Conformance, SeventyThousandSystems) {
  if (GetParam().operation != operation::none) return;
  constexpr index_t kMany = 70'000;
  const run_options m = run_options_of(GetParam(), 0, random_);
  expect_solved({.extents = {kMany, 3}}, m, 0);
  expect_solved({.extents = {2, kMany}, .axis = 0}, m, 0);
  expect_solved({.extents = {kMany, 2}, .coefficients = tridia::coefficients::shared}, m, 0);
  if (GetParam().backend == tridia::backend::cuda) {  // more than one wave of blocks
    expect_solved({.extents = {kMany, 5}, .coefficients = tridia::coefficients::shared}, m, 0);
    expect_solved({.extents = {6, kMany}, .axis = 0, .coefficients = tridia::coefficients::shared},
                  m, 0);
  }
  tridia::problem ragged{.offsets = ragged_offsets(3, kMany, random_)};
  ragged.extents = {ragged.offsets.back()};
  expect_solved(ragged, m, 0);
}

TEST_P(Conformance, OneLongSystem) {
  if (GetParam().operation == operation::conjugate_transpose) return;
  // A block of a GPU has no room for such a system.
  if (GetParam().backend == backend::cuda && GetParam().method.of_paper() &&
      GetParam().method.algorithm != algorithm::hierarchical)
    return;
  expect_solved({.extents = {20'011}}, run_options_of(GetParam(), 0, random_), 0);
  expect_solved({.extents = {20'011, 2}, .axis = 0}, run_options_of(GetParam(), 5, random_), 0);
}

class Refusal : public ::testing::TestWithParam<config> {};

TEST_P(Refusal, SaysWhy) {
  const tridia::problem p = apply(GetParam(), {.extents = {3, 4}});
  const tridia::options o{.backend = GetParam().backend, .algorithm = GetParam().method.algorithm};
  try {
    tridia::plan plan(p, o);
    FAIL() << "accepted";
  } catch (const tridia::error& e) {
    EXPECT_EQ(e.code(), tridia::errc::unsupported) << e.what();
    const std::string sentence = e.what();
    for (const auto word : {tridia::name(o.algorithm), GetParam().refused()})
      EXPECT_NE(sentence.find(word), std::string::npos) << sentence;
  }
}

std::string test_name(const ::testing::TestParamInfo<config>& info) { return name(info.param); }

INSTANTIATE_TEST_SUITE_P(All, Conformance, ::testing::ValuesIn(configs(true)), test_name);
INSTANTIATE_TEST_SUITE_P(All, Refusal, ::testing::ValuesIn(configs(false)), test_name);

}  // namespace
}  // namespace tridia_test
