// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause

// Systems that need interchanges in some of their rows and not in others: the segments of a system,
// and the blocks of a cluster, decide for themselves, and have to fit each other.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "support/experiment.hpp"
#include "support/oracle.hpp"
#include "support/segments.hpp"
#include "support/targets.hpp"

namespace tridia_test {
namespace {

using tridia::boundary;
using tridia::operation;
using tridia::pivoting;
using tridia::problem;
using tridia::value_type;
using tridia::cuda::segments_tuning;

class MixedPivoting : public ::testing::TestWithParam<value_type> {
 protected:
  /// Fills an experiment; some stretches of each system, of up to `longest` rows, are dominant.
  void fill(experiment& e, index_t systems, index_t n, index_t longest) {
    e.fill_matrices(random_);
    for (index_t system = 0; system < systems; ++system) {
      bool dominant = flip(random_);
      for (index_t k = 0, end; k < n; k = end, dominant = !dominant) {
        end = std::min(n, k + draw(random_, 1, longest));
        for (index_t i = k; dominant && i < end; ++i) {
          e.set(role::d, system, i, flip(random_) ? 4 : -5);
        }
      }
    }
    e.fill_rhs(random_);
  }
  rng random_ = random_for("MixedPivoting");
};

TEST_P(MixedPivoting, SegmentsFit) {
  for (const index_t n : {100, 193, 1000})
    for (const segments_tuning& tuning : {segments_tuning{8, 3, 2}, segments_tuning{48, 5, 3}})
      for (const index_t interleaved : {0, 5, 16})
        for (const boundary b : {boundary::regular, boundary::periodic})
          for (const operation o : {operation::none, operation::conjugate_transpose}) {
            problem p{.type = GetParam(), .extents = {5, n}, .boundary = b, .operation = o};
            if (interleaved > 0) p.extents = {n, interleaved}, p.axis = 0;
            experiment e(p, {.backend = tridia::backend::cuda, .status = false});
            SCOPED_TRACE(describe(p) + " segments of " + std::to_string(tuning.rows));
            segment_passes passes(p, tuning);
            ASSERT_TRUE(passes);
            fill(e, interleaved > 0 ? interleaved : 5, n, 60);
            e.give();
            ASSERT_EQ(passes.enqueue(e, nullptr), cudaSuccess);
            ASSERT_EQ(e.take(), "");
            ASSERT_EQ(check_solution(e, 0), "");
          }
}

/// Blocks of a cluster, and segments as plans cut them.
TEST_P(MixedPivoting, BlocksFit) {
  int clusters = 0, segments = 0;
  for (const index_t n : {900, 3000, 9000, 20'000})
    for (const index_t interleaved : {0, 7, 40})
      for (const boundary b : {boundary::regular, boundary::periodic})
        for (const index_t longest : {n / 3, 2 * n}) {
          problem p{.type = GetParam(), .extents = {6, n}, .boundary = b};
          if (interleaved > 0) p.extents = {n, interleaved}, p.axis = 0;
          run_options how{.backend = tridia::backend::cuda};
          if (flip(random_)) how.alias = role::rhs;
          experiment e(p, how);
          const std::string reason = e.plan().reason();
          SCOPED_TRACE(describe(p) + reason);
          clusters += reason.find("a cluster of") != std::string::npos;
          segments += reason.find("in segments") != std::string::npos;
          fill(e, interleaved > 0 ? interleaved : 6, n, longest);
          ASSERT_EQ(e.run(), "");
          ASSERT_EQ(check_solution(e, 0), "");
        }
  EXPECT_GT(clusters, 0);
  EXPECT_GT(segments, 0);
}

GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(MixedPivoting);
INSTANTIATE_TEST_SUITE_P(All, MixedPivoting, ::testing::ValuesIn(types_of_gpu()),
                         [](const auto& test) { return std::string(name(test.param)); });

}  // namespace
}  // namespace tridia_test
