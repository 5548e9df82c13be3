// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#include "../differential.hpp"
#include "cases_cuda.hpp"
#include "device.hpp"
#include "known_field.hpp"

#include <algorithm>
#include <vector>

namespace tridia_bench {
namespace {

constexpr int kRepetitions = 21;

void run_differential(benchmark::State& state, row& r, const differential_case& c) {
  const known_differential known(c);
  const std::size_t bytes = c.values() * sizeof(double);
  std::vector<double> host(c.values());
  known.fill(host.data());
  std::vector<device_array> fields, results;
  std::vector<const void*> in;
  std::vector<void*> out;
  fields.reserve(c.fields()), results.reserve(c.results());
  for (std::size_t k = 0; k < c.fields(); ++k) {
    fields.emplace_back(bytes);
    fields.back().upload(host.data());
    in.push_back(fields.back().as<double>());
  }
  std::vector<const device_array*> all;
  for (std::size_t k = 0; k < c.results(); ++k) {
    results.emplace_back(bytes);
    out.push_back(results.back().as<double>());
    all.push_back(&results.back());
  }
  const tridia::options o{.backend = tridia::backend::cuda};
  const tridia::differential_operator op(c.kind, c.terms(), o);
  const device_array workspace(op.workspace_bytes());
  const device_clock clock;
  r.workspace_bytes = op.workspace_bytes();
  const tridia::execution e{.workspace = workspace.data(),
                            .workspace_bytes = op.workspace_bytes(),
                            .stream = clock.stream()};
  measure_on_device(state, r, clock, all, [&] { op.apply(in, out, e); });
  double worst = 0;
  for (std::size_t k = 0; k < results.size(); ++k) {
    results[k].download(host.data());
    worst = std::max(worst, known.error(host.data(), k));
  }
  set_residual(r, worst, tridia::value_type::f64);
}

}  // namespace

void add_cuda_differentials(suite& s, index_t points) {
  for (const differential_case& c : differential_cases(points)) {
    add_case(s, row_of(c, "tridia cuda"), kRepetitions,
             [=](benchmark::State& state, row& r) { run_differential(state, r, c); });
  }
}

}  // namespace tridia_bench
