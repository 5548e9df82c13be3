// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#include "bench/copy_rate.hpp"
#include "doctor/known_lines.hpp"
#include "doctor/self_check.hpp"
#include "tridia/plan.hpp"
#include "tridia/scheme.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <exception>

namespace tridia::cli {
namespace {

template <class F>
double seconds_of(F work) {
  work();  // warms up
  double fastest = HUGE_VAL;
  for (int k = 0; k < check_repetitions; ++k) {
    const auto begin = std::chrono::steady_clock::now();
    work();
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
    fastest = std::min(fastest, took.count());
  }
  return fastest;
}

/// Returns the time of a copy that reads so many arrays and writes one.
double copy_seconds(int reads, std::size_t array_bytes, int threads) {
  const tridia_bench::copy_options o{
      .reads = reads, .threads = threads, .array_bytes = array_bytes, .repetitions = 2};
  return tridia_bench::measure_copies(o).front().ms.front() * 1e-3;
}

void solve(self_check& c, backend where, bool timed) {
  const plan p({.extents = {c.lines, check_rows}}, {.backend = where});
  host_lines dl(c.lines, check_rows), d(c.lines, check_rows), du(c.lines, check_rows);
  host_lines rhs(c.lines, check_rows), x(c.lines, check_rows);
  dl.fill([](index_t) { return -1.0; });
  d.fill([](index_t) { return 2.5; });
  du.fill([](index_t) { return -1.0; });
  rhs.fill([](index_t i) { return known_rhs(i, check_rows); });
  x.fill([](index_t) { return 0.0; });
  std::vector<char> workspace(p.workspace_bytes());
  const auto work = [&] {
    p.execute(dl.data(), d.data(), du.data(), rhs.data(), x.data(),
              {.workspace = workspace.data(), .workspace_bytes = workspace.size()});
  };
  if (timed) {
    c.seconds = seconds_of(work);
  } else {
    work();
  }
  c.error = x.error(known_solution);
}

void differentiate(self_check& c, backend where, bool timed) {
  const compact_operator op(find_scheme(quantity::first_derivative, "C6"),
                            known_grid(c.lines, check_rows), {.backend = where});
  host_lines f(c.lines, check_rows), df(c.lines, check_rows);
  f.fill([](index_t i) { return std::sin(known_angle(i, check_rows)); });
  df.fill([](index_t) { return 0.0; });
  std::vector<char> workspace(op.workspace_bytes());
  const auto work = [&] {
    op.apply(f.data(), df.data(),
             {.workspace = workspace.data(), .workspace_bytes = workspace.size()});
  };
  if (timed) {
    c.seconds = seconds_of(work);
  } else {
    work();
  }
  c.error = df.error([](index_t i) { return std::cos(known_angle(i, check_rows)); });
}

}  // namespace

void judge(self_check& c) {
  if (!c.failed.empty() || c.error <= check_tolerance) return;
  c.failed = fmt::format("a result is wrong by {:.2g}", c.error);
}

std::vector<self_check> check_host(backend where, std::size_t array_bytes) {
  const bool timed = where == backend::cpu;
  const index_t lines =
      timed ? static_cast<index_t>(array_bytes / (check_rows * sizeof(double))) : 64;
  const int threads = plan({.extents = {lines, check_rows}}, {.backend = where}).threads();
  std::vector<self_check> checks;
  for (const bool solves : {true, false}) {
    self_check c{.backend = std::string(name(where)),
                 .what = solves ? "solve" : "derivative",
                 .lines = lines};
    try {
      if (solves) {
        solve(c, where, timed);
      } else {
        differentiate(c, where, timed);
      }
      const std::size_t bytes = static_cast<std::size_t>(lines * check_rows) * sizeof(double);
      if (timed) c.copy_seconds = copy_seconds(solves ? 4 : 1, bytes, threads);
    } catch (const std::exception& e) {
      c.failed = e.what();
    }
    judge(c);
    checks.push_back(std::move(c));
  }
  return checks;
}

}  // namespace tridia::cli
