// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <cinttypes>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "support/random.hpp"

int main(int argc, char** argv) {
  ::testing::InitGoogleTest(&argc, argv);
  const std::uint64_t seed = tridia_test::seed();
  std::printf("TRIDIA_TEST_SEED=%" PRIu64 " repeats this run.\n", seed);
  // RapidCheck takes its parameters only from this variable.
  const std::string parameters = "max_success=500 seed=" + std::to_string(seed);
  setenv("RC_PARAMS", parameters.c_str(), /*overwrite=*/0);
  return RUN_ALL_TESTS();
}
