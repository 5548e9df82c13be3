// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#include "cases_cpu.hpp"
#include "derive.hpp"

#include <omp.h>

#include <chrono>
#include <cmath>
#include <set>
#include <utility>
#include <vector>

namespace tridia_bench {
namespace {

using clock = std::chrono::steady_clock;

constexpr int kRepetitions = 15;

/// A cube in memory, and what is known of its derivative.
class known_cube {
 public:
  explicit known_cube(const derive_case& c)
      : line_(random_line(c.points)),
        derivative_(reference_line(c, line_)),
        field_{.extents = {c.points, c.points, c.points},
               .period = c.points,
               .factors = {line_.data(), line_.data(), line_.data()}},
        values_(field_.size()) {
#pragma omp parallel for schedule(static)
    for (index_t i = 0; i < field_.size(); ++i) values_.data()[i] = field_.at(i);
    field_.factors[c.axis] = derivative_.data();  // from here on what is expected
  }
  [[nodiscard]] index_t size() const { return field_.size(); }
  [[nodiscard]] const double* data() const { return values_.data(); }

  /// As on a GPU: the largest error over the largest result of a line.
  [[nodiscard]] double error(const double* out) const {
    double worst = 0;
#pragma omp parallel for schedule(static) reduction(max : worst)
    for (index_t i = 0; i < field_.size(); ++i) {
      const double error = std::abs(out[i] - field_.at(i));
      worst = std::max(worst, error <= 1e300 ? error : HUGE_VAL);
    }
    return worst / largest(derivative_);
  }

 private:
  std::vector<double> line_, derivative_;
  product_field field_;
  host_array<double> values_;
};

/// Times `work`, which writes `out`, and judges what it wrote.
template <class F>
void measure_on_host(benchmark::State& state, row& r, const known_cube& f,
                     const host_array<double>& out, F&& work) {
  out.fill(poison<double>());
  work();  // warms up
  measure(state, r, [&] {
    const auto begin = clock::now();
    work();
    return std::chrono::duration<double, std::milli>(clock::now() - begin).count();
  });
  // Once more onto poison, after the timing: to poison before would leave it in the cache.
  out.fill(poison<double>());
  work();
  set_residual(r, f.error(out.data()), tridia::value_type::f64);
}

void run_operator(benchmark::State& state, row& r, const derive_case& c, int threads) {
  const known_cube f(c);
  const tridia::compact_operator op(c.make_scheme(), c.grid(), {.threads = threads});
  const host_array<double> out(f.size());
  std::vector<char> workspace(op.workspace_bytes());
  r.workspace_bytes = workspace.size();
  measure_on_host(state, r, f, out, [&] {
    op.apply(f.data(), out.data(),
             {.workspace = workspace.data(), .workspace_bytes = workspace.size()});
  });
}

/// What a user of LAPACK writes for lines that follow each other: factors once, then for each line
/// its right-hand side and a solve.
void run_gttrs(benchmark::State& state, row& r, const derive_case& c, const gttrs_peer& lapack,
               int threads) {
  const known_cube f(c);
  const stencil_rows rows(c);
  const auto n = static_cast<std::size_t>(c.points);
  std::vector<double> dl(n), d(n), du(n), du2(n);
  std::vector<int> pivots(n);
  for (std::size_t i = 0; i < n; ++i) {
    const stencil_rows::row& row = rows.at(static_cast<index_t>(i));
    if (i > 0) dl[i - 1] = row.sub;
    d[i] = row.diag;
    du[i] = row.sup;
  }
  const int info =
      lapack.factor(c.points, dl.data(), d.data(), du.data(), du2.data(), pivots.data());
  if (info != 0) throw std::runtime_error("dgttrf returned " + std::to_string(info));
  const host_array<double> out(f.size());
  measure_on_host(state, r, f, out, [&] {
#pragma omp parallel for schedule(static) num_threads(threads)
    for (index_t line = 0; line < c.points * c.points; ++line) {
      const double* const from = f.data() + line * c.points;
      double* const to = out.data() + line * c.points;
      for (index_t i = 0; i < c.points; ++i) to[i] = rows.right_side(from, i);
      lapack.solve(c.points, dl.data(), d.data(), du.data(), du2.data(), pivots.data(), to);
    }
  });
}

}  // namespace

void add_cpu_derive(suite& s) {
  const auto lapack = lapack_gttrs();
  for (const int threads : std::set<int>{1, omp_get_max_threads()}) {
    for (const derive_case& c : derive_cases()) {
      if (c.points != 256) continue;
      row r = row_of(c, "tridia cpu");
      r.threads = threads;
      add_case(s, r, kRepetitions,
               [=](benchmark::State& state, row& out) { run_operator(state, out, c, threads); });
      if (!lapack || c.axis != 2 || c.boundary != tridia::boundary::regular) continue;
      r.solver = "LAPACKE gttrs";
      r.pivoting = "partial";
      add_case(s, r, kRepetitions, [=](benchmark::State& state, row& out) {
        run_gttrs(state, out, c, *lapack, threads);
      });
    }
  }
}

}  // namespace tridia_bench
