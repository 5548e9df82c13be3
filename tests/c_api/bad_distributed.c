/* Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause */
/* What needs no ranks: mpi_program.c asks the rest. */
#include "bad.h"
#include "refused.h"

static const int64_t extents[2] = {8, 6};
static tridia_decomposition* cuts = NULL;

static void decompositions(void) {
  static const int ranks[2] = {2, 1}, too_many[2] = {9, 1}, none_along[2] = {0, 1};
  static const int64_t parts[3] = {3, 5, 6}, empty_part[3] = {0, 8, 6};
  tridia_decomposition* none = NULL;
  int64_t begin[2], size[2];
  int a = 7, b = 7;
  INVALID("rank", tridia_decomposition_create(-1, extents, ranks, &none));
  INVALID("extents", tridia_decomposition_create(0, extents, ranks, &none));
  INVALID("extents", tridia_decomposition_create(2, NULL, ranks, &none));
  INVALID("ranks", tridia_decomposition_create(2, extents, NULL, &none));
  INVALID("extents", tridia_decomposition_create(2, extents, too_many, &none));
  INVALID("decomposition", tridia_decomposition_create(2, extents, ranks, NULL));
  INVALID("rank", tridia_decomposition_of_parts(99, ranks, parts, &none));
  INVALID("ranks", tridia_decomposition_of_parts(2, NULL, parts, &none));
  INVALID("parts", tridia_decomposition_of_parts(2, ranks, NULL, &none));
  INVALID("parts", tridia_decomposition_of_parts(2, ranks, empty_part, &none));
  INVALID("parts", tridia_decomposition_of_parts(2, none_along, parts, &none));
  INVALID("decomposition", tridia_decomposition_of_parts(2, ranks, parts, NULL));
  expect(none == NULL, "nothing is written");
  SUCCEEDS(tridia_decomposition_of_parts(2, ranks, parts, &cuts));
  INVALID("decomposition", tridia_decomposition_shape(NULL, &a, &b));
  INVALID("rank", tridia_decomposition_shape(cuts, NULL, &b));
  INVALID("size", tridia_decomposition_shape(cuts, &a, NULL));
  INVALID("decomposition", tridia_decomposition_block(NULL, 0, begin, size));
  INVALID("of_rank", tridia_decomposition_block(cuts, 2, begin, size));
  INVALID("begin", tridia_decomposition_block(cuts, 0, NULL, size));
  INVALID("extents", tridia_decomposition_block(cuts, 0, begin, NULL));
  INVALID("decomposition", tridia_decomposition_neighbour(NULL, 0, 0, 1, 0, &a));
  INVALID("of_rank", tridia_decomposition_neighbour(cuts, -1, 0, 1, 0, &a));
  INVALID("axis", tridia_decomposition_neighbour(cuts, 0, 2, 1, 0, &a));
  INVALID("neighbour", tridia_decomposition_neighbour(cuts, 0, 0, 1, 0, NULL));
  expect(a == 7 && b == 7, "nothing is written");
  SUCCEEDS(tridia_decomposition_neighbour(cuts, 0, 0, 1, 0, &a));
  SUCCEEDS(tridia_decomposition_neighbour(cuts, 0, 0, 2147483647, 0, &b));
  expect(a == 1 && b == -1, "the neighbours are known");
  SUCCEEDS(tridia_decomposition_block(cuts, 1, begin, size));
  expect(begin[0] == 3 && size[0] == 5 && size[1] == 6, "the block is known");
}

static void strategies(void) {
  int value = 7;
  INVALID("name", tridia_strategy_parse(NULL, &value));
  INVALID("name", tridia_strategy_parse("none", &value));
  INVALID("value", tridia_strategy_parse("pcr", NULL));
  SUCCEEDS(tridia_strategy_parse("pcr", &value));
  expect(value == TRIDIA_STRATEGY_PCR, "pcr is a strategy");
  expect(strcmp(tridia_strategy_name(99), "invalid") == 0, "a strategy of 99 is invalid");
}

static void communicators(void) {
  int number = 7;
  tridia_communicator* const none = NULL;
  INVALID("communicator", tridia_communicator_rank(none, &number));
  INVALID("communicator", tridia_communicator_size(none, &number));
  INVALID("communicator", tridia_communicator_device(none, &number));
  INVALID("communicator", tridia_communicator_synchronize(none, NULL));
  INVALID("communicator", tridia_communicator_destroy((tridia_communicator*)cuts));
}

static void plans(void) {
  tridia_problem p = TRIDIA_PROBLEM_INIT;
  tridia_distributed_plan* plan = NULL;
  tridia_phase_times times;
  tridia_step_times steps;
  double numbers[6] = {0};
  int number = 7;
  int64_t count;
  size_t bytes;
  const char* text;
  INVALID("decomposition", tridia_distributed_plan_create(NULL, &p, NULL, NULL, &plan));
  INVALID("plan", tridia_distributed_plan_create(cuts, &p, NULL, NULL, NULL));
  INVALID("plan", tridia_distributed_plan_destroy((tridia_distributed_plan*)cuts));
  INVALID("plan", tridia_distributed_plan_execute(plan, NULL, NULL, NULL, numbers, numbers, NULL));
  INVALID("plan", tridia_distributed_plan_start(plan, NULL, NULL, NULL, numbers, numbers, NULL));
  INVALID("plan", tridia_distributed_plan_finish(plan));
  INVALID("plan",
          tridia_distributed_plan_neglected_coupling(plan, numbers, numbers, numbers, numbers));
  INVALID("plan", tridia_distributed_plan_strategy(plan, &number));
  INVALID("plan", tridia_distributed_plan_reason(plan, &text));
  INVALID("plan", tridia_distributed_plan_systems(plan, &count));
  INVALID("plan", tridia_distributed_plan_timings(plan, &times));
  INVALID("plan", tridia_distributed_plan_step_timings(plan, &steps));
  INVALID("plan", tridia_distributed_plan_workspace_bytes(plan, &bytes));
}

static void operators(void) {
  tridia_grid g = TRIDIA_GRID_INIT;
  tridia_distributed_operator* op = NULL;
  tridia_phase_times times;
  tridia_step_times steps;
  double numbers[6] = {0};
  int64_t begin[2], size[2];
  int number = 7;
  const int* peers;
  size_t bytes;
  const char* text;
  INVALID("decomposition",
          tridia_distributed_operator_create(NULL, NULL, NULL, &g, NULL, NULL, &op));
  INVALID("scheme", tridia_distributed_operator_create(cuts, NULL, NULL, &g, NULL, NULL, &op));
  INVALID("op", tridia_distributed_operator_create(cuts, NULL, NULL, &g, NULL, NULL, NULL));
  INVALID("op", tridia_distributed_operator_destroy((tridia_distributed_operator*)cuts));
  INVALID("op", tridia_distributed_operator_apply(op, numbers, numbers, NULL));
  INVALID("op", tridia_distributed_operator_apply_add(op, 1, numbers, numbers, NULL));
  INVALID("op", tridia_distributed_operator_start(op, numbers, numbers, NULL));
  INVALID("op", tridia_distributed_operator_start_add(op, 1, numbers, numbers, NULL));
  INVALID("op", tridia_distributed_operator_finish(op));
  INVALID("op", tridia_distributed_operator_out_block(op, 0, begin, size));
  INVALID("op", tridia_distributed_operator_warning(op, &text));
  INVALID("op", tridia_distributed_operator_peers(op, &peers, &number));
  INVALID("op", tridia_distributed_operator_timings(op, &times));
  INVALID("op", tridia_distributed_operator_step_timings(op, &steps));
  INVALID("op", tridia_distributed_operator_workspace_bytes(op, &bytes));
}

static void halos(void) {
  tridia_halo h = TRIDIA_HALO_INIT;
  tridia_halo_exchange* exchange = NULL;
  double field = 0;
  INVALID("decomposition", tridia_halo_exchange_create(NULL, &h, NULL, &exchange));
  INVALID("exchange", tridia_halo_exchange_create(cuts, &h, NULL, NULL));
  INVALID("halo", tridia_halo_exchange_create(cuts, NULL, NULL, &exchange));
  h.rank = 2;
  INVALID("communicator", tridia_halo_exchange_create(cuts, &h, NULL, &exchange));
  INVALID("exchange", tridia_halo_exchange_destroy((tridia_halo_exchange*)cuts));
  INVALID("exchange", tridia_halo_exchange_start(exchange, &field, NULL));
  INVALID("exchange", tridia_halo_exchange_finish(exchange));
}

void bad_distributed(void) {
  decompositions();
  strategies();
  communicators();
  plans();
  operators();
  halos();
  SUCCEEDS(tridia_decomposition_destroy(cuts));
  INVALID("decomposition", tridia_decomposition_destroy(cuts));
  report("decompositions, distributed plans and operators", checked, wrong);
}
