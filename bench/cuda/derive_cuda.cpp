// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#include "cases_cuda.hpp"

#include "../derive.hpp"
#include "derive_peers.hpp"
#include "device.hpp"
#include "device_copy.hpp"
#include "known_field.hpp"

#include <string>
#include <utility>
#include <vector>

namespace tridia_bench {
namespace {

using tridia::backend;
using tridia::compact_operator;

constexpr int kRepetitions = 21;

/// Holds an operator of a cube, with its workspace.
class prepared_operator {
 public:
  explicit prepared_operator(const derive_case& c)
      : op_(c.make_scheme(), c.grid(), {.backend = backend::cuda}),
        workspace_(op_.workspace_bytes()) {}
  [[nodiscard]] std::size_t workspace_bytes() const { return op_.workspace_bytes(); }
  void apply(const double* in, const device_array& out, cudaStream_t stream) const {
    op_.apply(in, out.as<double>(),
              {.workspace = workspace_.data(),
               .workspace_bytes = op_.workspace_bytes(),
               .stream = stream});
  }

 private:
  compact_operator op_;
  device_array workspace_;
};

void run_operator(benchmark::State& state, row& r, const derive_case& c) {
  const std::vector<double> line = random_line(c.points);
  const known_field f(c.grid().extents, line);
  const prepared_operator op(c);
  const device_array out(f.bytes());
  const device_clock clock;
  r.workspace_bytes = op.workspace_bytes();
  measure_on_device(state, r, clock, {&out}, [&] { op.apply(f.data(), out, clock.stream()); });
  set_residual(r, f.error(out, c.axis, reference_line(c, line)), tridia::value_type::f64);
}

void run_constant(benchmark::State& state, row& r, const constant_case& c) {
  const std::vector<double> line = random_line(c.n);
  const known_field f(c.extents(), line);
  const tridia::plan plan(c.problem(), {.backend = backend::cuda});
  const device_array out(f.bytes()), workspace(plan.workspace_bytes());
  const device_clock clock;
  r.note = std::string(tridia::name(plan.algorithm())) + ": " + plan.reason();
  r.workspace_bytes = plan.workspace_bytes();
  measure_on_device(state, r, clock, {&out}, [&] {
    plan.execute(f.data(), out.as<double>(),
                 {.workspace = workspace.data(),
                  .workspace_bytes = plan.workspace_bytes(),
                  .stream = clock.stream()});
  });
  set_residual(r, f.error(out, c.axis(), reference_line(c, line)), tridia::value_type::f64);
}

/// Measures the best copy of an array as large as the cases'.
void run_copy(benchmark::State& state, row& r) {
  const std::size_t bytes = r.floor_bytes / 2;
  const device_array from(bytes), to(bytes);
  const device_clock clock;
  from.set(0x3f, clock.stream());
  const copy_arrays arrays{.in = {from.as<double>()}, .out = to.as<double>(), .bytes = bytes};
  int device = 0, capability = 0;
  check(cudaGetDevice(&device), "cudaGetDevice");
  check(cudaDeviceGetAttribute(&capability, cudaDevAttrComputeCapabilityMajor, device),
        "cudaDeviceGetAttribute");
  row best = r;
  for (const device_copy& copy : device_copies(1)) {
    if (copy.least_capability > capability) continue;
    row one = r;
    one.note = copy.name;
    const auto launch = [&] { check(copy.launch(arrays, clock.stream()), copy.name); };
    launch();  // warms up
    for (int k = 0; k < one.most_repetitions; ++k) one.ms.push_back(clock.time(launch));
    if (best.ms.empty() || one.median_ms() < best.median_ms()) best = std::move(one);
  }
  r = std::move(best);
  for ([[maybe_unused]] auto _ : state) state.SetIterationTime(r.median_ms() * 1e-3);
}

void add_copy(suite& s, const std::string& of, index_t elements) {
  row r;
  r.case_name = "device copy, " + of;
  r.solver = "copy";
  r.type = "f64";
  r.floor_reads = 1;
  r.floor_bytes = 2 * sizeof(double) * static_cast<std::size_t>(elements);
  add_case(s, r, kRepetitions, run_copy);
}

}  // namespace

void add_cuda_derive(suite& s) {
  constexpr index_t rows = index_t{1} << 26;
  add_copy(s, "2^26", rows);
  for (const layout l : {layout::contiguous, layout::interleaved, layout::middle}) {
    for (const index_t n : {64, 128, 256, 512, 1024, 2048, 4096}) {
      const constant_case c{l, n, rows / n};
      add_case(s, row_of(c, "tridia cuda"), kRepetitions,
               [=](benchmark::State& state, row& r) { run_constant(state, r, c); });
    }
  }
  const derive_case c6{tridia::quantity::first_derivative, "C6", tridia::boundary::regular, 512, 2};
  index_t points = 0;
  for (const derive_case& c : derive_cases()) {
    if (c.points != points) {
      if (points == c6.points) add_cuda_differentials(s, points);
      points = c.points;
      add_copy(s, std::to_string(points) + "^3", points * points * points);
    }
    add_case(s, row_of(c, "tridia cuda"), kRepetitions,
             [=](benchmark::State& state, row& r) { run_operator(state, r, c); });
  }
  for (const index_t edge : {256, 512}) {
    for (const int axis : {0, 1, 2}) {
      add_derive_peers(s, {c6.what, c6.scheme, c6.boundary, edge, axis});
    }
  }
}

}  // namespace tridia_bench
