// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause

// These are small cases of the algorithms that are asked for by their names, with each parameter
// and transformation.
#include "small/plans.hpp"

namespace tridia_test {
namespace {

using tridia::algorithm;
using tridia::algorithm_parameters;
using tridia::boundary;
using tridia::neato_memory;
using tridia::pivoting;
using tridia::problem;
using tridia::transformation;
using tridia::value_type;

const kernel kThread{"thread_per_system", "solve_kernel"};
const kernel kCyclic{"cyclic_reduction", "cyclic_kernel"};
const kernel kPacked{"packed_cr", "packed_kernel"};

run_options by(algorithm a, const algorithm_parameters& parameters = {}) {
  return {.algorithm = a, .parameters = parameters};
}

/// Most papers' algorithms take these types, pivoting and boundary.
const variants kOfPapers{{value_type::f32, value_type::f64}, {pivoting::none}, {boundary::regular}};

void add_thread_a_system(std::vector<small_case>& all) {
  const problem along{.extents = {20, 12}}, interleaved{.extents = {12, 20}, .axis = 0};
  const problem sides{.extents = {5, 12}, .right_hand_sides = 3};
  for (const auto& [where, p] : {std::pair{"", along}, {"_interleaved", interleaved}}) {
    add_variants(all, {std::string("lu") + where, p, {kThread}, by(algorithm::lu)});
    add_variants(all, {std::string("thomas") + where, p, {kThread}, by(algorithm::thomas)},
                 {.pivotings = {pivoting::none}});
  }
  using tridia::ragged_layout;
  const problem packed{
      .extents = {60}, .offsets = {0, 40, 57, 60, 60}, .ragged_layout = ragged_layout::packed};
  const problem padded{.extents = {42, 4},
                       .axis = 0,
                       .offsets = {0, 17, 57, 57, 60},
                       .ragged_layout = ragged_layout::padded};
  for (const auto& [where, p] : {std::pair{"_packed", packed}, {"_padded", padded}}) {
    add_variants(all, {std::string("lu") + where, p, {kThread}, by(algorithm::lu)});
    add_variants(all, {std::string("thomas") + where, p, {kThread}, by(algorithm::thomas)},
                 {.pivotings = {pivoting::none}});
  }
  add_variants(all, {"lu_sides", sides, {{"statuses", "share_nan_kernel"}}, by(algorithm::lu)});
}

/// Adds cases of the three launches on an interleaved copy.
void add_transformations(std::vector<small_case>& all) {
  const std::vector<kernel> steps{{"thomas_batch", "interleave_kernel"},
                                  {"thomas_batch", "thomas_kernel"},
                                  {"thomas_batch", "put_back_kernel"}};
  const variants real{.types = kOfPapers.types, .pivotings = {pivoting::none}};
  const auto add = [&](const char* name, const problem& p, transformation t) {
    add_variants(all, {name, p, steps, by(algorithm::thomas, {.transformation = t})}, real);
  };
  add("full", {.extents = {40, 20}}, transformation::full);
  add("full_middle", {.extents = {3, 20, 15}, .axis = 1}, transformation::full);
  add("blocks", {.extents = {40, 20}}, transformation::blocks);
  add("packed", {.extents = {300}, .offsets = {0, 17, 17, 200, 300}}, transformation::packed);
}

void add_in_shared_memory(std::vector<small_case>& all) {
  const problem along{.extents = {5, 100}}, interleaved{.extents = {100, 5}, .axis = 0};
  for (const auto& [where, p] : {std::pair{"", along}, {"_interleaved", interleaved}}) {
    const auto add = [&](const std::string& name, const kernel& k, const run_options& how) {
      add_variants(all, {name + where, p, {k}, how}, kOfPapers);
    };
    for (const algorithm a : {algorithm::cr, algorithm::crnbc, algorithm::pcr})
      add(std::string(tridia::name(a)), kCyclic, by(a));
    for (const algorithm a : {algorithm::cr_pcr, algorithm::pcr_thomas})
      add(std::string(tridia::name(a)), kCyclic, by(a, {.switch_point = 16}));
    for (const int depth : {2, 4, 8, 16, 32})
      add("packed_cr_" + std::to_string(depth), kPacked,
          by(algorithm::packed_cr, {.packing_depth = depth}));
  }
}

void add_hierarchical(std::vector<small_case>& all) {
  const std::vector<kernel> passes{{"hierarchical", "split_kernel"},
                                   {"hierarchical", "subsystems_kernel"},
                                   {"hierarchical", "finish_kernel"}};
  // Lines are so long that a block has no room for them.
  add_variants(all,
               {"hierarchical",
                {.extents = {3, 20'011}},
                passes,
                by(algorithm::hierarchical),
                "steps of PCR in memory"},
               kOfPapers);
}

void add_neato(std::vector<small_case>& all) {
  const auto constants = [](std::vector<index_t> extents, int axis) {
    problem p{.extents = std::move(extents), .axis = axis};
    p.coefficients = tridia::coefficients::constant;
    p.matrix = {.interior = {-1, 3, -0.5}, .head = {{9, 2, 1}}, .tail = {{1, 2, 9}}};
    return p;
  };
  const std::vector<kernel> shared{{"neato", "shared_kernel"}},
      global{{"neato", "down_kernel"}, {"neato", "back_kernel"}, {"neato", "fill_kernel"}};
  for (const auto& [where, p] :
       {std::pair{"", constants({5, 100}, 1)}, {"_interleaved", constants({100, 5}, 0)}}) {
    add_variants(all,
                 {std::string("neato_shared") + where, p, shared,
                  by(algorithm::neato, {.memory = neato_memory::shared})},
                 kOfPapers);
    add_variants(all,
                 {std::string("neato_global") + where, p, global,
                  by(algorithm::neato, {.memory = neato_memory::global})},
                 kOfPapers);
  }
}

std::vector<small_case> cases() {
  std::vector<small_case> all;
  add_thread_a_system(all);
  add_transformations(all);
  add_in_shared_memory(all);
  add_hierarchical(all);
  add_neato(all);
  return all;
}

class SmallNamed : public ::testing::TestWithParam<small_case> {};
TEST_P(SmallNamed, Solves) { expect_small_case(GetParam()); }

GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(SmallNamed);
INSTANTIATE_TEST_SUITE_P(All, SmallNamed, ::testing::ValuesIn(on_gpu(cases)), case_name);

}  // namespace
}  // namespace tridia_test
