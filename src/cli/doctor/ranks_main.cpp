// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause

// tridia_doctor_ranks solves and differentiates lines that cross the ranks it is started on, and
// prints one line of JSON, for `tridia doctor`. Its argument is the bytes of each array on a rank.
#include "bench/copy_rate.hpp"
#include "doctor/known_lines.hpp"
#include "doctor/self_check.hpp"
#include "tridia/distributed.hpp"
#include "tridia/error.hpp"
#include "tridia/mpi.hpp"
#include "tridia/scheme.hpp"

#include <mpi.h>
#include <omp.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <exception>
#include <iostream>

namespace {

using namespace tridia;
using namespace tridia::cli;

double largest(double value) {
  MPI_Allreduce(MPI_IN_PLACE, &value, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  return value;
}

template <class F>
double seconds_of(F work) {
  work();  // warms up
  double fastest = HUGE_VAL;
  for (int k = 0; k < check_repetitions; ++k) {
    MPI_Barrier(MPI_COMM_WORLD);
    const double begin = MPI_Wtime();
    work();
    fastest = std::min(fastest, largest(MPI_Wtime() - begin));
  }
  return fastest;
}

/// Returns the time of a copy of the same words, which all ranks make together.
double copy_seconds(int reads, std::size_t bytes, int threads) {
  MPI_Barrier(MPI_COMM_WORLD);
  return largest(tridia_bench::measure_copies(
                     {.reads = reads, .threads = threads, .array_bytes = bytes, .repetitions = 2})
                     .front()
                     .ms.front() *
                 1e-3);
}

/// Describes this rank's rows of lines that cross all ranks.
struct block {
  index_t lines, begin, rows, all_rows;
  int threads;
  [[nodiscard]] std::size_t bytes() const {
    return static_cast<std::size_t>(lines * rows) * sizeof(double);
  }
};

nlohmann::ordered_json report(const char* what, const block& b, double seconds, int reads,
                              double error) {
  return {{"what", what},
          {"lines", b.lines},
          {"seconds", seconds},
          {"copy_seconds", copy_seconds(reads, b.bytes(), b.threads)},
          {"error", largest(error)}};
}

nlohmann::ordered_json solve(const block& b, const distributed::decomposition& cuts,
                             const distributed::communicator& ranks) {
  problem lines;
  lines.extents = {b.lines, b.rows};
  distributed::plan p(cuts, lines, ranks, {.threads = b.threads});
  host_lines dl(b.lines, b.rows), d(b.lines, b.rows), du(b.lines, b.rows);
  host_lines rhs(b.lines, b.rows), x(b.lines, b.rows);
  dl.fill([](index_t) { return -1.0; });
  d.fill([](index_t) { return 2.5; });
  du.fill([](index_t) { return -1.0; });
  rhs.fill([&](index_t i) { return known_rhs(b.begin + i, b.all_rows); });
  x.fill([](index_t) { return 0.0; });
  const double seconds = seconds_of(
      [&] { p.execute(dl.data(), d.data(), du.data(), rhs.data(), static_cast<void*>(x.data())); });
  return report("solve", b, seconds, 4,
                x.error([&](index_t i) { return known_solution(b.begin + i); }));
}

nlohmann::ordered_json differentiate(const block& b, const distributed::decomposition& cuts,
                                     const distributed::communicator& ranks) {
  grid lines = known_grid(b.lines, b.all_rows);
  lines.extents = {b.lines, b.rows};
  distributed::compact_operator op(cuts, find_scheme(quantity::first_derivative, "C6"), lines,
                                   ranks, {.threads = b.threads});
  host_lines f(b.lines, b.rows), df(b.lines, b.rows);
  f.fill([&](index_t i) { return std::sin(known_angle(b.begin + i, b.all_rows)); });
  df.fill([](index_t) { return 0.0; });
  const double seconds = seconds_of([&] { op.apply(f.data(), df.data()); });
  return report("derivative", b, seconds, 1, df.error([&](index_t i) {
    return std::cos(known_angle(b.begin + i, b.all_rows));
  }));
}

void run(std::size_t array_bytes) {
  int rank = 0, size = 1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  const int threads = std::max(1, omp_get_num_procs() / size);
  omp_set_num_threads(threads);
  block b{.lines = std::max<index_t>(
              1, static_cast<index_t>(array_bytes / (check_rows * sizeof(double)))),
          .begin = rank * check_rows,
          .rows = check_rows,
          .all_rows = size * check_rows,
          .threads = threads};
  const distributed::decomposition cuts({b.lines, b.all_rows}, {1, size});
  const auto ranks = distributed::mpi_communicator(MPI_COMM_WORLD, {.time_limit = 30});
  char library[MPI_MAX_LIBRARY_VERSION_STRING] = "";
  int length = 0;
  MPI_Get_library_version(library, &length);
  nlohmann::ordered_json all{{"ranks", size}, {"library", library}};
  all["checks"] = {solve(b, cuts, ranks), differentiate(b, cuts, ranks)};
  if (rank == 0) std::cout << all.dump() << std::endl;
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  try {
    run(argc > 1 ? std::strtoull(argv[1], nullptr, 10) : std::size_t{16} << 20);
  } catch (const std::exception& e) {
    std::cout << e.what() << std::endl;
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
  MPI_Finalize();
}
