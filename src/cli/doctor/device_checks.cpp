// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#include "bench/floor_cuda.hpp"
#include "device.hpp"
#include "doctor/known_lines.hpp"
#include "doctor/self_check.hpp"
#include "tridia/plan.hpp"
#include "tridia/scheme.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <exception>

namespace tridia::cli {
namespace {

// Five such arrays are far larger than a cache, and fit every card.
constexpr index_t device_lines = 65536;
constexpr std::size_t array_bytes = device_lines * check_rows * sizeof(double);

/// Holds arrays on the current GPU, all of one size, and a workspace.
class device_arrays {
 public:
  device_arrays(int count, std::size_t workspace_bytes) {
    arena_.reserve(static_cast<std::size_t>(count) * array_bytes + workspace_bytes);
    for (int k = 0; k < count; ++k) arrays_.push_back(arena_.take(array_bytes));
    e_ = {.workspace = arena_.take(workspace_bytes),
          .workspace_bytes = workspace_bytes,
          .stream = stream_.get()};
  }
  [[nodiscard]] void* operator[](std::size_t k) const { return arrays_[k]; }
  [[nodiscard]] const execution& how() const { return e_; }

  void put(std::size_t k, const host_lines& from) {
    check(cudaMemcpy(arrays_[k], from.data(), array_bytes, cudaMemcpyHostToDevice), "copy");
  }
  void get(const host_lines& to, std::size_t k) {
    check(cudaMemcpy(to.data(), arrays_[k], array_bytes, cudaMemcpyDeviceToHost), "copy");
  }

  template <class F>
  double seconds_of(F work) {
    work();  // warms up
    double fastest = HUGE_VAL;
    for (int k = 0; k < check_repetitions; ++k) {
      check(cudaEventRecord(begin_.get(), stream_.get()), "record an event");
      work();
      check(cudaEventRecord(end_.get(), stream_.get()), "record an event");
      check(cudaStreamSynchronize(stream_.get()), "work");
      fastest = std::min(fastest, seconds_between(begin_, end_));
    }
    return fastest;
  }

 private:
  device_stream stream_;
  device_event begin_, end_;
  device_arena arena_;
  std::vector<std::byte*> arrays_;
  execution e_;
};

void solve(self_check& c, int device) {
  const plan p({.extents = {c.lines, check_rows}}, {.backend = backend::cuda, .device = device});
  device_arrays on(5, p.workspace_bytes());
  host_lines host(c.lines, check_rows);
  const auto fill = [&](std::size_t k, auto value) {
    host.fill(value);
    on.put(k, host);
  };
  fill(0, [](index_t) { return -1.0; });
  fill(1, [](index_t) { return 2.5; });
  fill(2, [](index_t) { return -1.0; });
  fill(3, [](index_t i) { return known_rhs(i, check_rows); });
  c.seconds = on.seconds_of([&] { p.execute(on[0], on[1], on[2], on[3], on[4], on.how()); });
  on.get(host, 4);
  c.error = host.error(known_solution);
}

void differentiate(self_check& c, int device) {
  const compact_operator op(find_scheme(quantity::first_derivative, "C6"),
                            known_grid(c.lines, check_rows),
                            {.backend = backend::cuda, .device = device});
  device_arrays on(2, op.workspace_bytes());
  host_lines host(c.lines, check_rows);
  host.fill([](index_t i) { return std::sin(known_angle(i, check_rows)); });
  on.put(0, host);
  c.seconds = on.seconds_of([&] { op.apply(on[0], on[1], on.how()); });
  on.get(host, 1);
  c.error = host.error([](index_t i) { return std::cos(known_angle(i, check_rows)); });
}

}  // namespace

std::vector<self_check> check_device(int device) {
  std::vector<self_check> checks;
  for (const bool solves : {true, false}) {
    self_check c{.backend = fmt::format("cuda {}", device),
                 .what = solves ? "solve" : "derivative",
                 .lines = device_lines};
    try {
      check(cudaSetDevice(device), "use the device");
      if (solves) {
        solve(c, device);
      } else {
        differentiate(c, device);
      }
      const int reads = solves ? 4 : 1;
      c.copy_seconds = (reads + 1) * static_cast<double>(array_bytes) /
                       tridia_bench::device_copy_bytes_per_second(reads);
    } catch (const std::exception& e) {
      c.failed = e.what();
    }
    judge(c);
    checks.push_back(std::move(c));
  }
  return checks;
}

}  // namespace tridia::cli
