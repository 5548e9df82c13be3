// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause

// One rank is killed between two executions. Each of the others says whether the library has told
// it so, within its time limit.
#include <mpi.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdio>
#include <vector>

#include "tridia/mpi.hpp"

namespace {

namespace ranks = tridia::distributed;
using clock_type = std::chrono::steady_clock;

constexpr double kLimit = 2;
constexpr int kLost = 2;

double since(clock_type::time_point began) {
  return std::chrono::duration<double>(clock_type::now() - began).count();
}

/// Whether the second execution, without the rank that is lost, fails as it should.
bool hears_of_it(int rank, int size) {
  const auto by = ranks::mpi_communicator(MPI_COMM_WORLD, {.time_limit = kLimit});
  const tridia::index_t rows = 5, lines = 100;
  ranks::plan plan(ranks::grid({size * rows, lines}, {size, 1}), {.axis = 0}, by,
                   {.strategy = ranks::strategy::all_to_all});
  std::vector<double> off(rows * lines, -1), d(rows * lines, 4), x(rows * lines, 1);
  const auto execute = [&] { plan.execute(off.data(), d.data(), off.data(), x.data(), x.data()); };
  execute();
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == kLost) std::raise(SIGKILL);
  const auto began = clock_type::now();
  try {
    execute();
  } catch (const tridia::error& e) {
    return e.code() == tridia::errc::peer_failure && since(began) < 2 * kLimit + 2;
  }
  return false;
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank = 0, size = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  const bool heard = hears_of_it(rank, size);
  std::printf("%s\n", heard ? "told in time" : "not told");
  std::fflush(stdout);
  _exit(0);  // MPI_Finalize would wait for the lost rank
}
