// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

// The examples' arrays, times and loops on a CPU.
#include "tridia/line_solver.hpp"
#include "tridia/solve_lines.hpp"

#include <algorithm>
#include <chrono>
#include <thread>
#include <vector>

/// Marks lambdas that run where the arrays are.
#define EXAMPLE_DEVICE

namespace example {

inline void need_machine() {}

/// Owns an array in memory.
template <class T>
class array {
 public:
  explicit array(std::size_t count) : values_(count) {}
  explicit array(const std::vector<T>& from) : values_(from) {}
  array(const array&) = delete;
  array& operator=(const array&) = delete;
  [[nodiscard]] T* data() const { return values_.data(); }
  [[nodiscard]] std::vector<T> read() const { return values_; }

 private:
  mutable std::vector<T> values_;
};

/// Returns the least time of some calls, in milliseconds.
template <class F>
float time_of(F call, int calls = 4) {
  float least = 0;
  for (int k = 0; k < calls; ++k) {
    const auto begin = std::chrono::steady_clock::now();
    call();
    const std::chrono::duration<float, std::milli> took = std::chrono::steady_clock::now() - begin;
    if (k == 0 || took.count() < least) least = took.count();
  }
  return least;
}

/// Calls f(i) in threads, i from 0 to `count` - 1.
template <class F>
void for_each(std::size_t count, F f) {
  const std::size_t cores = std::max(std::thread::hardware_concurrency(), 1u),
                    share = (count + cores - 1) / cores;
  std::vector<std::thread> threads;
  for (std::size_t first = 0; first < count; first += share) {
    threads.emplace_back([=] {
      for (std::size_t i = first; i < std::min(first + share, count); ++i) f(i);
    });
  }
  for (std::thread& t : threads) t.join();
}

/// Solves the lines of a grid.
template <class T, int Sides = 1, class Grid, class... Arguments>
void solve_lines(const Grid& g, const Arguments&... arguments) {
  tridia::solve_lines<T, tridia::boundary::regular, tridia::pivoting::none, Sides>(g, arguments...);
}

/// The vector that solves several lines at once where an example has a loop of its own over them.
using lanes = tridia::simd<double, tridia::simd_lanes<double>>;

}  // namespace example
