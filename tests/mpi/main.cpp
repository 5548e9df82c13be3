// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause

// Every rank runs all tests, in the same order, on the same random numbers. --device cuda: on GPUs.
#include <gtest/gtest.h>
#include <mpi.h>

#include <cinttypes>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

#include "mpi/ranks.hpp"
#include "support/random.hpp"

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  ::testing::InitGoogleTest(&argc, argv);
  const int rank = tridia_test::world_rank();
  if (argc > 2 && std::strcmp(argv[1], "--device") == 0 && std::strcmp(argv[2], "cuda") == 0) {
    tridia_test::use_gpus();
  }
  std::uint64_t seed = rank == 0 ? tridia_test::seed() : 0;
  MPI_Bcast(&seed, 1, MPI_UINT64_T, 0, MPI_COMM_WORLD);
  setenv("TRIDIA_TEST_SEED", std::to_string(seed).c_str(), /*overwrite=*/1);
  if (rank == 0) std::printf("TRIDIA_TEST_SEED=%" PRIu64 " repeats this run.\n", seed);
  const int failed = RUN_ALL_TESTS();
  MPI_Finalize();
  return failed;
}
