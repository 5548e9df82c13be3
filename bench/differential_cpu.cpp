// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#include "cases_cpu.hpp"
#include "differential.hpp"

#include <omp.h>

#include <algorithm>
#include <chrono>
#include <set>
#include <vector>

namespace tridia_bench {
namespace {

using clock = std::chrono::steady_clock;

constexpr int kRepetitions = 15;

void run_differential(benchmark::State& state, row& r, const differential_case& c, int threads,
                      bool together) {
  const known_differential known(c);
  std::vector<host_array<double>> fields, results;
  std::vector<const void*> in;
  std::vector<void*> out;
  for (std::size_t k = 0; k < c.fields(); ++k) {
    fields.emplace_back(static_cast<index_t>(c.values()));
    known.fill(fields.back().data());
    in.push_back(fields.back().data());
  }
  for (std::size_t k = 0; k < c.results(); ++k) {
    results.emplace_back(static_cast<index_t>(c.values()));
    out.push_back(results.back().data());
  }
  const tridia::options o{.threads = threads};
  const tridia::differential_operator joint(c.kind, c.terms(), o);
  const separate_operators separate(c, o);
  std::vector<char> workspace(std::max(joint.workspace_bytes(), separate.workspace_bytes()));
  const tridia::execution e{.workspace = workspace.data(), .workspace_bytes = workspace.size()};
  const auto work = [&] { together ? joint.apply(in, out, e) : separate.apply(in, out, e); };
  r.workspace_bytes = together ? joint.workspace_bytes() : separate.workspace_bytes();
  for (const auto& result : results) result.fill(poison<double>());
  work();  // warms up
  measure(state, r, [&] {
    const auto begin = clock::now();
    work();
    return std::chrono::duration<double, std::milli>(clock::now() - begin).count();
  });
  double worst = 0;
  for (std::size_t k = 0; k < results.size(); ++k) {
    worst = std::max(worst, known.error(results[k].data(), k));
  }
  set_residual(r, worst, tridia::value_type::f64);
}

}  // namespace

void add_cpu_differentials(suite& s) {
  for (const int threads : std::set<int>{1, omp_get_max_threads()}) {
    for (const differential_case& c : differential_cases(256)) {
      for (const bool together : {true, false}) {
        row r = row_of(c, together ? "tridia cpu" : "tridia cpu, separate operators");
        r.threads = threads;
        add_case(s, r, kRepetitions, [=](benchmark::State& state, row& measured) {
          run_differential(state, measured, c, threads, together);
        });
      }
    }
  }
}

}  // namespace tridia_bench
