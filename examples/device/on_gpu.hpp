// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

// The examples' arrays, times and loops on a GPU.
#include "tridia/device/recurrence_solver.cuh"
#include "tridia/device/solve_lines.cuh"
#include "tridia/math.hpp"

#include <cuda_runtime.h>

#include <cstdio>
#include <cstdlib>
#include <vector>

/// Marks lambdas that run where the arrays are.
#define EXAMPLE_DEVICE __device__

namespace example {

/// Ends the program where a call of CUDA has failed.
inline void check(cudaError_t result) {
  if (result == cudaSuccess) return;
  std::fprintf(stderr, "%s\n", cudaGetErrorString(result));
  std::exit(1);
}

/// Says that there is nothing to run on: ctest counts 77 as skipped.
inline void need_machine() {
  int devices = 0;
  if (cudaGetDeviceCount(&devices) == cudaSuccess && devices > 0) return;
  std::printf("skipped: there is no GPU\n");
  std::exit(77);
}

/// Owns an array in memory of the device.
template <class T>
class array {
 public:
  explicit array(std::size_t count) : count_(count) {
    check(cudaMalloc(&data_, count * sizeof(T)));
  }
  explicit array(const std::vector<T>& from) : array(from.size()) {
    check(cudaMemcpy(data_, from.data(), from.size() * sizeof(T), cudaMemcpyDefault));
  }
  ~array() { cudaFree(data_); }
  array(const array&) = delete;
  array& operator=(const array&) = delete;
  [[nodiscard]] T* data() const { return data_; }
  [[nodiscard]] std::vector<T> read() const {
    std::vector<T> values(count_);
    check(cudaMemcpy(values.data(), data_, count_ * sizeof(T), cudaMemcpyDefault));
    return values;
  }

 private:
  T* data_ = nullptr;
  std::size_t count_;
};

/// Returns the least time of some calls, in milliseconds.
template <class F>
float time_of(F call, int calls = 8) {
  cudaEvent_t begin, end;
  check(cudaEventCreate(&begin));
  check(cudaEventCreate(&end));
  float least = 0;
  for (int k = 0; k < calls; ++k) {
    check(cudaEventRecord(begin));
    call();
    check(cudaGetLastError());
    check(cudaEventRecord(end));
    check(cudaEventSynchronize(end));
    float ms = 0;
    check(cudaEventElapsedTime(&ms, begin, end));
    if (k == 0 || ms < least) least = ms;
  }
  check(cudaEventDestroy(begin));
  check(cudaEventDestroy(end));
  return least;
}

template <class F>
__global__ void run_for_each(std::size_t count, F f) {
  const std::size_t step = std::size_t{gridDim.x} * blockDim.x;
  for (std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x; i < count; i += step) {
    f(i);
  }
}
/// Calls f(i) on the device, i from 0 to `count` - 1.
template <class F>
void for_each(std::size_t count, F f) {
  run_for_each<<<2048, 256>>>(count, f);
  check(cudaGetLastError());
}

/// Solves the lines of a grid.
template <class T, int Sides = 1, class Grid, class... Arguments>
void solve_lines(const Grid& g, const Arguments&... arguments) {
  check(tridia::device::solve_lines<T, tridia::boundary::regular, tridia::pivoting::none, Sides>(
      g, arguments...));
}

}  // namespace example
