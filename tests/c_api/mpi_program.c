/* Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause */
/* Solves and differentiates lines that cross ranks, and fills halos; prints "good" on rank 0. */
#include <stdio.h>
#include <tridia_mpi.h>

enum { points = 24 };

static int failures = 0;

static void check(tridia_result result) {
  if (result == TRIDIA_SUCCESS) return;
  ++failures;
  printf("%s: %s\n", tridia_result_name(result), tridia_last_error());
}

static void expect(int good, const char* what) {
  if (good) return;
  ++failures;
  printf("not so: %s\n", what);
}

/* Solves -x[i-1] + 4 x[i] - x[i+1] = rhs[i] for x = 1. */
static void solve(const tridia_decomposition* cuts, const tridia_communicator* ranks, int64_t begin,
                  int64_t rows) {
  tridia_problem p = TRIDIA_PROBLEM_INIT;
  tridia_distributed_plan* plan = NULL;
  tridia_execution e = TRIDIA_EXECUTION_INIT;
  tridia_phase_times times;
  double off[points], d[points], x[points];
  int64_t status = 7;
  for (int64_t i = 0; i < rows; ++i) {
    off[i] = -1, d[i] = 4;
    x[i] = begin + i == 0 || begin + i == points - 1 ? 3 : 2;
  }
  p.rank = 1;
  p.extents = &rows;
  e.status = &status;
  check(tridia_distributed_plan_create(cuts, &p, ranks, NULL, &plan));
  check(tridia_distributed_plan_execute(plan, off, d, off, x, x, &e));
  for (int64_t i = 0; i < rows; ++i) expect(x[i] > 0.999999 && x[i] < 1.000001, "x is 1");
  expect(status == 0, "the line is solved");
  check(tridia_distributed_plan_timings(plan, &times));
  check(tridia_distributed_plan_destroy(plan));
}

static void differentiate(const tridia_decomposition* cuts, const tridia_communicator* ranks,
                          int64_t begin, int64_t rows, int strategy) {
  tridia_distributed_operator_options o = TRIDIA_DISTRIBUTED_OPERATOR_OPTIONS_INIT;
  tridia_step_times times;
  tridia_scheme* s = NULL;
  tridia_grid g = TRIDIA_GRID_INIT;
  tridia_distributed_operator* op = NULL;
  double f[points], df[points];
  for (int64_t i = 0; i < rows; ++i) f[i] = 3.0 * (double)(begin + i);
  g.rank = 1;
  g.extents = &rows;
  check(tridia_scheme_find(TRIDIA_FIRST_DERIVATIVE, "C6", TRIDIA_STAGGERING_NONE, 0.45, &s));
  o.strategy = TRIDIA_STRATEGY_NEAREST + 1;
  expect(tridia_distributed_operator_create(cuts, s, NULL, &g, ranks, &o, &op) ==
             TRIDIA_INVALID_ARGUMENT,
         "a number that is no strategy is refused");
  o.strategy = strategy;
  check(tridia_distributed_operator_create(cuts, s, NULL, &g, ranks, &o, &op));
  check(tridia_distributed_operator_apply(op, f, df, NULL));
  check(tridia_distributed_operator_step_timings(op, &times));
  expect(times.primary == 0, "nothing is timed unless that is asked for");
  check(tridia_distributed_operator_destroy(op));
  o.timings = 1;
  check(tridia_distributed_operator_create(cuts, s, NULL, &g, ranks, &o, &op));
  check(tridia_distributed_operator_apply(op, f, df, NULL));
  check(tridia_distributed_operator_step_timings(op, &times));
  expect(times.primary > 0, "rows are solved");
  for (int64_t i = 0; i < rows; ++i) expect(df[i] > 2.99999 && df[i] < 3.00001, "df is 3");
  check(tridia_distributed_operator_destroy(op));
  check(tridia_scheme_destroy(s));
}

static void exchange(const tridia_decomposition* cuts, const tridia_communicator* ranks, int rank,
                     int64_t rows) {
  const int one = 1;
  tridia_halo h = TRIDIA_HALO_INIT;
  tridia_halo_exchange* halos = NULL;
  double field[points + 2];
  for (int64_t i = 0; i < rows + 2; ++i) field[i] = rank;
  h.rank = 1;
  h.before = &one;
  h.after = &one;
  check(tridia_halo_exchange_create(cuts, &h, ranks, &halos));
  check(tridia_halo_exchange_start(halos, field + 1, NULL));
  check(tridia_halo_exchange_finish(halos));
  if (rank > 0) expect(field[0] == rank - 1, "the halo is the neighbour's");
  check(tridia_halo_exchange_destroy(halos));
}

int main(int argc, char** argv) {
  const int64_t extents = points;
  tridia_communicator *ranks = NULL, *none = NULL;
  tridia_decomposition* cuts = NULL;
  int rank = 0, size = 0, all = 0;
  int64_t begin = 0, rows = 0;
  expect(tridia_mpi_communicator_create(MPI_COMM_WORLD, NULL, &none) == TRIDIA_INVALID_ARGUMENT,
         "a communicator without MPI is refused");
  expect(tridia_mpi_communicator_create_f(0, NULL, &none) == TRIDIA_INVALID_ARGUMENT,
         "a communicator without MPI is refused");
  MPI_Init(&argc, &argv);
  expect(tridia_mpi_communicator_create(MPI_COMM_NULL, NULL, &none) == TRIDIA_INVALID_ARGUMENT,
         "no communicator is refused");
  expect(tridia_mpi_communicator_create(MPI_COMM_WORLD, NULL, NULL) == TRIDIA_INVALID_ARGUMENT,
         "a null result is refused");
  tridia_communicator_options wrong = TRIDIA_COMMUNICATOR_OPTIONS_INIT;
  wrong.reserved = 1;
  expect(tridia_mpi_communicator_create(MPI_COMM_WORLD, &wrong, &none) == TRIDIA_INVALID_ARGUMENT,
         "what is reserved is 0");
  check(tridia_mpi_communicator_create_f(MPI_Comm_c2f(MPI_COMM_WORLD), NULL, &ranks));
  check(tridia_communicator_rank(ranks, &rank));
  check(tridia_communicator_size(ranks, &size));
  check(tridia_decomposition_create(1, &extents, &size, &cuts));
  check(tridia_decomposition_block(cuts, rank, &begin, &rows));
  solve(cuts, ranks, begin, rows);
  differentiate(cuts, ranks, begin, rows, TRIDIA_STRATEGY_AUTOMATIC);
  differentiate(cuts, ranks, begin, rows, TRIDIA_STRATEGY_GATHER);
  exchange(cuts, ranks, rank, rows);
  check(tridia_communicator_destroy(ranks));
  check(tridia_decomposition_destroy(cuts));
  MPI_Allreduce(&failures, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  if (rank == 0 && all == 0) puts("good");
  MPI_Finalize();
  return all == 0 ? 0 : 1;
}
