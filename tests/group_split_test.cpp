// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause

// These tests cut systems into batches of groups for the CPU, and share batches out among threads.
#include "solver/cpu/group_split.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace tridia_test {
namespace {

using tridia::index_t;
using tridia::cpu::section_split;
using tridia::cpu::system_range;

/// Returns pieces of neighbours, of which the first `head` are a section of their own.
section_split cut(int lanes, int groups, index_t pieces, index_t piece, index_t head) {
  section_split s(lanes, groups, pieces, piece);
  if (head < piece) s.add(head);
  s.add(piece);
  return s;
}

template <class F>
void for_each_cut(F f) {
  for (const int lanes : {1, 2, 8, 32})
    for (const int groups : {1, 3, 5})
      for (const index_t piece : {1, 7, 31, 64, 257, 300})
        for (const index_t pieces : {1, 5})
          for (const index_t head : {0, 3})
            f(cut(lanes, groups, pieces, piece, head), piece * pieces);
}

TEST(GroupSplitShape, RangesFollowEachOther) {
  for_each_cut([](const section_split& s, index_t systems) {
    index_t next = 0;
    for (index_t i = 0; i < s.count(); ++i) {
      const system_range r = s.at(i);
      ASSERT_EQ(r.first, next);
      ASSERT_GT(r.count, 0);
      next += r.count;
    }
    EXPECT_EQ(next, systems);
  });
}

TEST(GroupSplitShape, SharesFollowEachOther) {
  for_each_cut([](const section_split& s, index_t) {
    for (index_t shares = 1; shares <= std::min<index_t>(s.count(), 9); ++shares) {
      EXPECT_EQ(s.first_of(0, shares), 0);
      EXPECT_EQ(s.first_of(shares, shares), s.count());
      for (index_t k = 0; k < shares; ++k)
        ASSERT_LE(s.first_of(k, shares), s.first_of(k + 1, shares));
    }
  });
}

// 31 groups in four batches and eight single systems: two batches for each of two threads, where
// half of the ranges would be all batches.
TEST(GroupSplitShape, SharesTakeAboutAsLong) {
  const section_split s = cut(32, 8, 1, 1000, 0);
  ASSERT_EQ(s.count(), 4 + 8);
  EXPECT_EQ(s.first_of(1, 2), 2);
  const section_split even = cut(16, 16, 1, 1000, 0);
  ASSERT_EQ(even.count(), 4);
  EXPECT_EQ(even.first_of(1, 2), 2);
}

}  // namespace
}  // namespace tridia_test
