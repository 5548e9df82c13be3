// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause

// On a CPU, the shape of a problem decides what the lanes are, matrices or right-hand sides, in
// which order rows are read, and how short lines are loaded. Results must be the reference's at
// all shapes, and the same with any number of threads.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "support/twin.hpp"

namespace tridia_test {
namespace {

using tridia::index_t;

/// Returns fields of `systems` lines of n rows along each of their axes, and some whose lines have
/// gaps between them.
std::vector<tridia::problem> fields(index_t n, index_t systems) {
  std::vector<tridia::problem> all(4);
  all[0].extents = {systems, n}, all[0].axis = 1;
  all[1].extents = {n, systems}, all[1].axis = 0;
  all[2].extents = {3, n, systems / 3}, all[2].axis = 1;
  all[3].extents = {systems, n}, all[3].axis = 1;
  const std::vector<index_t> gaps{n + 3, 1};
  all[3].dl_strides = all[3].d_strides = all[3].du_strides = gaps;
  all[3].rhs_strides = all[3].x_strides = gaps;
  all[3].rhs_step = all[3].x_step = systems * (n + 3);
  return all;
}

class CpuShapes : public testing::TestWithParam<tridia::value_type> {
 protected:
  /// Draws what has no part in the choice of a path.
  void vary(tridia::problem& p, run_options& how) {
    p.type = GetParam();
    p.pivoting = flip(random_) ? tridia::pivoting::none : tridia::pivoting::partial;
    p.boundary = flip(random_) ? tridia::boundary::regular : tridia::boundary::periodic;
    if (flip(random_)) p.operation = tridia::operation::transpose;
    how.backend = tridia::backend::cpu;
    how.factored = flip(random_);
    how.threads = flip(random_) ? 1 : 3;
    how.apart = flip(random_);
    how.status = draw(random_, 0, 3) != 0;
    if (flip(random_)) how.alias = role::rhs;
  }
  void expect_as_reference(tridia::problem p) {
    run_options how;
    vary(p, how);
    SCOPED_TRACE(describe(p) + "; " + describe(how));
    twin t(p, how);
    t.fill(random_, flip(random_) ? 0 : draw(random_, 1, 40));
    EXPECT_EQ(t.run(), "");
  }
  /// Compares all bits of x with those that one thread finds.
  void expect_same_with_threads(tridia::problem p) {
    run_options how;
    vary(p, how);
    SCOPED_TRACE(describe(p) + "; " + describe(how));
    how.threads = 1;
    experiment one(p, how);
    how.threads = 3;
    experiment three(p, how);
    const rng same = random_;
    for (experiment* e : {&one, &three}) {
      random_ = same;
      e->fill_matrices(random_), e->fill_rhs(random_);
      ASSERT_EQ(e->run(), "");
    }
    for (index_t s = 0; s < one.where().systems(); ++s) {
      ASSERT_EQ(one.solution_bytes(s), three.solution_bytes(s)) << "system " << s;
    }
  }

  rng random_{2025};
};

TEST_P(CpuShapes, ShortLinesAgreeWithTheReference) {
  for (const index_t n : {1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 31, 33, 37, 65, 70}) {
    for (tridia::problem p : fields(n, 201)) {
      for (const index_t sides : {1, 3}) {
        p.right_hand_sides = sides;
        expect_as_reference(p);
      }
    }
  }
}

TEST_P(CpuShapes, ManyRightHandSidesAgreeWithTheReference) {
  // Fewer matrices than lanes, some groups of them, and batches of groups for several threads.
  for (const index_t systems : {3, 40, 600}) {
    for (const index_t n : {2, 8, 9, 40}) {
      for (tridia::problem p : fields(n, systems)) {
        p.right_hand_sides = 34;
        expect_as_reference(p);
      }
    }
  }
}

TEST_P(CpuShapes, LongLinesOfManyRightHandSidesAgreeWithTheReference) {
  // A group's factors do not fit in a near cache.
  for (tridia::problem p : fields(4200, 33)) {
    p.right_hand_sides = 9;
    if (p.extents.size() == 2 && p.x_strides.empty()) expect_as_reference(p);
  }
}

TEST_P(CpuShapes, SharedCoefficientsAgreeWithTheReference) {
  for (const index_t n : {2, 4, 8, 9, 300}) {
    for (tridia::problem p : fields(n, 999)) {
      p.coefficients = tridia::coefficients::shared;
      p.dl_strides = p.d_strides = p.du_strides = {};
      expect_as_reference(p);
    }
  }
}

TEST_P(CpuShapes, ThreadsChangeNoBit) {
  for (const index_t systems : {5, 201, 2000}) {
    for (tridia::problem p : fields(12, systems)) {
      for (const index_t sides : {1, 5, 34}) {
        p.right_hand_sides = sides;
        expect_same_with_threads(p);
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(AllTypes, CpuShapes,
                         testing::Values(tridia::value_type::f32, tridia::value_type::f64,
                                         tridia::value_type::c64, tridia::value_type::c128),
                         [](const auto& p) { return std::string(tridia::name(p.param)); });

}  // namespace
}  // namespace tridia_test
