// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#include "suite.hpp"

#include <chrono>
#include <cstdio>
#include <exception>
#include <memory>
#include <utility>

namespace tridia_bench {
namespace {

std::string benchmark_name(const row& r) {
  std::string name = r.solver;
  const auto add = [&](const std::string& part) { name += "/" + part; };
  if (r.parameter) add(*r.parameter);
  add(r.type.value_or("-"));
  if (r.n && r.batch) add(std::to_string(*r.n) + "x" + std::to_string(*r.batch));
  add(r.layout.value_or("-"));
  if (r.boundary && *r.boundary != "regular") add(*r.boundary);
  add(r.pivoting.value_or("-"));
  add(r.case_name);
  if (r.threads) add("threads:" + std::to_string(*r.threads));
  for (char& c : name) {
    if (c == ' ') c = '_';
  }
  return name;
}

}  // namespace

void add_case(suite& s, row prototype, int repetitions,
              std::function<void(benchmark::State&, row&)> body) {
  const std::string name = benchmark_name(prototype);
  prototype.most_repetitions = s.options.repetitions > 0 ? s.options.repetitions : repetitions;
  prototype.most_seconds = s.options.case_seconds;
  const auto run = [&s, prototype, body = std::move(body)](benchmark::State& state) {
    row r = prototype;
    try {
      body(state, r);
    } catch (const left_out& e) {
      r.note = e.what();
      state.SkipWithError(e.what());
    } catch (const std::exception& e) {
      r.error = e.what();
    }
    if (r.error) state.SkipWithError(r.error->c_str());
    if (!r.ms.empty()) {
      state.counters["median_ms"] = r.median_ms();
      state.counters["min_ms"] = r.min_ms();
      if (const auto floor = s.floors.ms_of(r)) {
        state.counters["roofline"] = *floor / r.median_ms();
      }
      if (r.residual) {  // a label: counters are printed with SI prefixes
        char text[32];
        std::snprintf(text, sizeof text, "residual %.1e", *r.residual);
        state.SetLabel(text);
      }
    }
    s.rows.push_back(std::move(r));
  };
  benchmark::RegisterBenchmark(name.c_str(), run)
      ->UseManualTime()
      ->Unit(benchmark::kMillisecond)
      ->Iterations(1);  // repeated within: the time shown is the median
}

void measure(benchmark::State& state, row& r, const timed_call& call) {
  using clock = std::chrono::steady_clock;
  constexpr std::size_t least = 3;
  for ([[maybe_unused]] auto _ : state) {
    const auto begin = clock::now();
    const auto late = [&] {
      const std::chrono::duration<double> taken = clock::now() - begin;
      return r.most_seconds > 0 && taken.count() > r.most_seconds && r.ms.size() >= least;
    };
    const auto most = static_cast<std::size_t>(r.most_repetitions);
    while (r.ms.size() < most && !late()) r.ms.push_back(call());
    state.SetIterationTime(r.median_ms() * 1e-3);
  }
}

void set_residual(row& r, double residual, tridia::value_type type) {
  r.residual = residual;
  if (!(residual <= residual_limit(type))) {
    r.error = "the residual is " + std::to_string(residual) + ": the solution is wrong";
  }
}

row row_of(const systems_spec& spec, std::string solver) {
  row r;
  r.case_name = name(spec.matrix);
  if (spec.coefficients == tridia::coefficients::shared) r.case_name += ", shared coefficients";
  if (spec.coefficients == tridia::coefficients::constant) r.case_name = "constants";
  if (spec.shortest > 0) r.case_name += ", ragged from " + std::to_string(spec.shortest);
  if (spec.placement == placement::aligned) r.case_name += ", 64-byte aligned";
  r.solver = std::move(solver);
  r.type = tridia::name(spec.type);
  r.n = spec.n;
  r.batch = spec.batch;
  r.layout = name(spec.layout);
  if (spec.ragged_layout != tridia::ragged_layout::concatenated) {
    r.layout = tridia::name(spec.ragged_layout);
  }
  r.boundary = tridia::name(spec.boundary);
  r.floor_reads = spec.reads();
  // Shared coefficients are no larger than one system, which is too little to count.
  r.floor_bytes = static_cast<std::size_t>(spec.rows()) * tridia::size_of(spec.type) *
                  static_cast<std::size_t>(spec.reads() + 1);
  return r;
}

}  // namespace tridia_bench
