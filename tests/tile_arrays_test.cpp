// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause

// These tests check tiles that hold other arrays than those of a solve.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "support/moved_arrays.hpp"
#include "support/random.hpp"
#include "support/targets.hpp"

namespace tridia_test {
namespace {

using tridia::index_t;

TEST(TileArraysCuda, FiveComeInAndFourGoOut) {
  if (!have_gpu()) GTEST_SKIP() << "no GPU";
  rng random = random_for("TileArrays");
  // Lines are multiples of 16 bytes or not; there are more systems than a block has, or fewer.
  for (const index_t rows : {5, 37, 64, 129, 500})
    for (const index_t systems : {1, 11, 1000}) {
      SCOPED_TRACE(std::to_string(systems) + " lines of " + std::to_string(rows) + " rows");
      std::vector<double> in[5], out[4];
      for (auto& values : in)
        for (index_t k = 0; k < systems * rows; ++k)
          values.push_back(static_cast<double>(draw(random, -1000, 1000)));
      ASSERT_EQ(move_five_arrays(systems, rows, in, out), "");
      for (int j = 0; j < 4; ++j)
        for (std::size_t k = 0; k < in[0].size(); ++k)
          ASSERT_EQ(out[j][k], in[j][k] + in[4][k]) << "array " << j << ", element " << k;
    }
}

}  // namespace
}  // namespace tridia_test
