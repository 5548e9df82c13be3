// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause

// The last rank is killed between two executions. Each of the others says whether the library has
// told it so, within its time limit. --device cuda: on GPUs.
#include <mpi.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <vector>

#include "mpi/ranks.hpp"

namespace {

namespace ranks = tridia::distributed;
using clock_type = std::chrono::steady_clock;

/// Returns the limit in seconds; NCCL takes some to begin with.
double limit() { return tridia_test::on_gpus() ? 15 : 2; }

double since(clock_type::time_point began) {
  return std::chrono::duration<double>(clock_type::now() - began).count();
}

/// Returns whether the second execution, without the rank that is lost, fails as it should.
bool hears_of_it(int rank, int size) {
  const auto by = tridia_test::ranks(limit());
  const tridia::index_t rows = 5, lines = 100;
  ranks::plan plan(ranks::decomposition({size * rows, lines}, {size, 1}), {.axis = 0}, by,
                   {.strategy = ranks::strategy::all_to_all});
  using array = tridia_test::ranks_array<double>;
  array off(std::vector<double>(rows * lines, -1)), d(std::vector<double>(rows * lines, 4)),
      x(std::vector<double>(rows * lines, 1));
  const auto execute = [&] {
    plan.execute(off.there(), d.there(), off.there(), x.there(), x.there());
    by.synchronize(nullptr);
  };
  execute();
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == size - 1) std::raise(SIGKILL);
  const auto began = clock_type::now();
  try {
    execute();
  } catch (const tridia::error& e) {
    return e.code() == tridia::errc::peer_failure && since(began) < 2 * limit() + 2;
  }
  return false;
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  if (argc > 2 && std::strcmp(argv[1], "--device") == 0 && std::strcmp(argv[2], "cuda") == 0) {
    tridia_test::use_gpus();
  }
  const bool heard = hears_of_it(tridia_test::world_rank(), tridia_test::world_size());
  std::printf("%s\n", heard ? "told in time" : "not told");
  std::fflush(stdout);
  _exit(0);  // MPI_Finalize would wait for the lost rank
}
