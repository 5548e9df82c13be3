// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause

// Neighbouring systems share vectors of a CPU. These tests solve as many as fill some of the lanes
// of the last one, on arrays around which nothing may be read or written, and compare them with
// the reference.
#include <gtest/gtest.h>

#include <vector>

#include "support/layout.hpp"
#include "support/random.hpp"
#include "support/twin.hpp"

namespace tridia_test {
namespace {

using tridia::index_t;
using tridia::problem;
using tridia::value_type;

void expect_as_reference(const problem& p, rng& random) {
  for (const bool factored : {false, true}) {
    twin t(p, {.backend = tridia::backend::cpu, .factored = factored, .status = flip(random)});
    SCOPED_TRACE(describe(p));
    t.fill(random, p.pivoting == tridia::pivoting::partial ? 3 : 0);
    EXPECT_EQ(t.run(), "");
  }
}

TEST(PartialGroups, AgreeWithTheReference) {
  constexpr index_t kRows = 41, kMostLanes = 64;
  rng random = random_for("PartialGroups");
  for (const auto type : {value_type::f32, value_type::f64, value_type::c64, value_type::c128})
    for (index_t beside = 1; beside <= kMostLanes + 5; ++beside)
      for (const auto pivoting : {tridia::pivoting::none, tridia::pivoting::partial}) {
        problem p{.type = type, .extents = {kRows, beside}, .axis = 0, .pivoting = pivoting};
        expect_as_reference(p, random);
        // The last tile of a plane, and lanes that are apart in one of the arrays.
        p.extents = {2, kRows, beside}, p.axis = 1;
        p.rhs_strides = {2 * kRows * beside, 2 * beside, 2};
        expect_as_reference(p, random);
        if (HasFailure()) return;
      }
}

}  // namespace
}  // namespace tridia_test
