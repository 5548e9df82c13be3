/* Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause */
/* Solves a line in the memory of a GPU, on a communicator of one rank that is the caller's; wrong
 * calls are refused, with a GPU and without. Prints "good". */
#include <cuda_runtime_api.h>
#include <stdio.h>
#include <tridia_nccl.h>

enum { points = 24 };

static int failures = 0;

static void expect(int good, const char* what) {
  if (good) return;
  ++failures;
  printf("not so: %s: %s\n", what, tridia_last_error());
}

static void* on_device(double first, double others, double last) {
  double host[points];
  void* memory = NULL;
  for (int i = 0; i < points; ++i) host[i] = i == 0 ? first : i == points - 1 ? last : others;
  expect(cudaMalloc(&memory, sizeof host) == cudaSuccess, "memory of a GPU");
  expect(cudaMemcpy(memory, host, sizeof host, cudaMemcpyHostToDevice) == cudaSuccess, "a copy");
  return memory;
}

static void refusals(void) {
  tridia_communicator* none = NULL;
  expect(tridia_nccl_communicator_create(NULL, 0, NULL, &none) == TRIDIA_INVALID_ARGUMENT,
         "no communicator to start with is refused");
  expect(tridia_nccl_communicator_from(NULL, NULL, &none) == TRIDIA_INVALID_ARGUMENT,
         "no communicator is refused");
  expect(tridia_nccl_communicator_from(NULL, NULL, NULL) == TRIDIA_INVALID_ARGUMENT,
         "a null result is refused");
  expect(none == NULL, "nothing is made");
}

/* Solves -x[i-1] + 4 x[i] - x[i+1] = rhs[i] for x = 1. */
static void solve(const tridia_communicator* ranks) {
  const int64_t extents = points;
  const int one = 1;
  tridia_decomposition* cuts = NULL;
  tridia_problem p = TRIDIA_PROBLEM_INIT;
  tridia_distributed_plan* plan = NULL;
  double x[points];
  void* const off = on_device(-1, -1, -1);
  void* const d = on_device(4, 4, 4);
  void* const field = on_device(3, 2, 3);
  expect(tridia_decomposition_create(1, &extents, &one, &cuts) == 0, "a decomposition");
  p.rank = 1;
  p.extents = &extents;
  expect(tridia_distributed_plan_create(cuts, &p, ranks, NULL, &plan) == 0, "a plan");
  expect(tridia_distributed_plan_execute(plan, off, d, off, field, field, NULL) == 0, "a solve");
  expect(tridia_communicator_synchronize(ranks, NULL) == 0, "the work is done");
  expect(cudaMemcpy(x, field, sizeof x, cudaMemcpyDeviceToHost) == cudaSuccess, "a copy");
  for (int i = 0; i < points; ++i) expect(x[i] > 0.999999 && x[i] < 1.000001, "x is 1");
  expect(tridia_distributed_plan_destroy(plan) == 0, "the plan is destroyed");
  expect(tridia_decomposition_destroy(cuts) == 0, "the decomposition is destroyed");
  cudaFree(off);
  cudaFree(d);
  cudaFree(field);
}

int main(void) {
  int devices = 0;
  refusals();
  if (cudaGetDeviceCount(&devices) == cudaSuccess && devices > 0) {
    tridia_communicator* ranks = NULL;
    ncclComm_t alone;
    int size = 0, device = -1;
    expect(ncclCommInitAll(&alone, 1, NULL) == ncclSuccess, "NCCL starts");
    expect(tridia_nccl_communicator_from(alone, NULL, &ranks) == 0, "a communicator");
    expect(tridia_communicator_size(ranks, &size) == 0 && size == 1, "it has one rank");
    expect(tridia_communicator_device(ranks, &device) == 0 && device == 0, "on the first GPU");
    solve(ranks);
    expect(tridia_communicator_destroy(ranks) == 0, "the communicator is destroyed");
    ncclCommDestroy(alone);
  } else {
    puts("no GPU: wrong calls alone");
  }
  if (failures == 0) puts("good");
  return failures != 0;
}
