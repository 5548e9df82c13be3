// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#include "suite.hpp"

#include <cstdio>
#include <exception>
#include <memory>
#include <utility>

namespace tridia_bench {
namespace {

std::string benchmark_name(const row& r) {
  std::string name = r.solver;
  const auto add = [&](const std::string& part) { name += "/" + part; };
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
  const auto run = [&s, prototype, body = std::move(body)](benchmark::State& state) {
    row r = prototype;
    try {
      body(state, r);
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
      ->Iterations(s.options.repetitions > 0 ? s.options.repetitions : repetitions);
}

void measure(benchmark::State& state, row& r, const timed_call& call) {
  for ([[maybe_unused]] auto _ : state) {
    const double ms = call();
    state.SetIterationTime(ms * 1e-3);
    r.ms.push_back(ms);
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
  if (spec.layout == layout::ragged) {
    r.case_name += ", " + std::to_string(spec.shortest) + " to " + std::to_string(spec.n) + " rows";
  }
  if (spec.placement == placement::aligned) r.case_name += ", 64-byte aligned";
  r.solver = std::move(solver);
  r.type = tridia::name(spec.type);
  r.n = spec.n;
  r.batch = spec.batch;
  r.layout = name(spec.layout);
  r.boundary = tridia::name(spec.boundary);
  r.floor_reads = spec.reads();
  // The shared coefficients themselves are no more than one system: too little to count.
  r.floor_bytes = static_cast<std::size_t>(spec.rows()) * tridia::size_of(spec.type) *
                  static_cast<std::size_t>(spec.reads() + 1);
  return r;
}

}  // namespace tridia_bench
