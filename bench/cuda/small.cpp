// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#include "small.hpp"

#include "captured_graph.hpp"
#include "prepared_plan.hpp"
#include "small_kernels.hpp"

#include <chrono>

namespace tridia_bench {
namespace {

using tridia::pivoting;

template <class F>
void measure_replay(benchmark::State& state, row& r, const device_clock& clock, F&& work) {
  const captured_graph replayed(clock.stream(), work);
  replayed.launch(clock.stream());  // warms up
  measure(state, r, [&] {
    return clock.time_after([&] { check(launch_delay(clock.stream()), "launch_delay"); },
                            [&] { replayed.launch(clock.stream()); });
  });
}

/// Returns the host's milliseconds per call; there are few enough calls for the device's queue to
/// take them all.
template <class F>
double time_calls(const device_clock& clock, F&& call) {
  constexpr int calls = 200;
  clock.wait();
  check(launch_delay(clock.stream()), "launch_delay");
  const auto begin = std::chrono::steady_clock::now();
  for (int k = 0; k < calls; ++k) call();
  const std::chrono::duration<double, std::milli> taken = std::chrono::steady_clock::now() - begin;
  clock.wait();
  return taken.count() / calls;
}

template <class F>
void measure_calls(benchmark::State& state, row& r, const device_clock& clock, F&& call) {
  time_calls(clock, call);  // warms up
  measure(state, r, [&] { return time_calls(clock, call); });
}

constexpr int kRepetitions = 201;
constexpr const char* kReplay = "graph replay";
constexpr const char* kHost = "host side of a launch";

void add_empty(suite& s, const char* what, const char* solver,
               std::function<void(benchmark::State&, row&, const device_clock&)> body) {
  row r;
  r.case_name = what;
  r.solver = solver;
  add_case(s, r, kRepetitions, [body = std::move(body)](benchmark::State& state, row& out) {
    const device_clock clock;
    body(state, out, clock);
  });
}

template <class Measure>
void add_solve(suite& s, const systems_spec& spec, const char* what, Measure measure_it) {
  row r = row_of(spec, "tridia cuda");
  r.case_name += std::string(", ") + what;
  r.pivoting = tridia::name(pivoting::none);
  r.floor_bytes = 0;  // bytes are not what it takes
  add_case(s, r, kRepetitions, [=, &s](benchmark::State& state, row& out) {
    const auto data = cached_device_systems(spec);
    const device_clock clock;
    const prepared_plan p(s.options, spec, pivoting::none, clock.stream());
    const device_array x(data->rhs().bytes());
    x.set(0xff, clock.stream());
    measure_it(state, out, clock, [&] { p.execute(*data, x); });
    clock.wait();
    p.judge(out, *data, x);
  });
}

}  // namespace

void add_small(suite& s) {
  add_empty(s, kReplay, "empty kernel", [](auto& state, row& r, const device_clock& clock) {
    measure_replay(state, r, clock,
                   [&] { check(launch_empty(clock.stream()), "launching nothing"); });
  });
  for (const index_t n : {32, 64, 128}) {
    for (const tridia::value_type type : {tridia::value_type::f64, tridia::value_type::f32}) {
      add_solve(s, {.type = type, .n = n, .batch = n, .seed = s.options.seed}, kReplay,
                [](auto&&... a) { measure_replay(a...); });
    }
  }
  add_empty(s, kHost, "empty kernel", [](auto& state, row& r, const device_clock& clock) {
    measure_calls(state, r, clock,
                  [&] { check(launch_empty(clock.stream()), "launching nothing"); });
  });
  add_empty(s, kHost, "empty kernel with 1 KiB of parameters",
            [](auto& state, row& r, const device_clock& clock) {
              measure_calls(state, r, clock, [&] {
                check(launch_empty_with_parameters(clock.stream()), "launching nothing");
              });
            });
  add_solve(s, {.n = 32, .batch = 32, .seed = s.options.seed}, kHost,
            [](auto&&... a) { measure_calls(a...); });
}

}  // namespace tridia_bench
