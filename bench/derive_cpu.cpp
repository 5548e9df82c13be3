// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#include "cases_cpu.hpp"
#include "derive.hpp"

#include <omp.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <set>
#include <utility>
#include <vector>

namespace tridia_bench {
namespace {

using clock = std::chrono::steady_clock;

constexpr int kRepetitions = 15;
/// SciPy, which takes ten to twenty times as long, is repeated less often.
constexpr int kScipyRepetitions = 5;

/// Holds a cube in memory, and what is known of its derivative.
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

  /// Returns the largest error over the largest result of a line, as on a GPU.
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
  // The work is repeated onto poison after the timing: poisoning before would leave the array in
  // the cache.
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

/// Does what a user of LAPACK writes: it factors once; then it computes the right-hand sides of
/// eight neighbouring lines at a time, as many as a cache line holds side by side, and solves.
class gttrs_lines {
 public:
  static constexpr index_t together = 8;

  gttrs_lines(const derive_case& c, const gttrs_peer& lapack)
      : lapack_(lapack), rows_(c), n_(c.points), step_(c.step()) {
    if (n_ % together != 0) throw std::logic_error("the benchmark's cubes have whole strips");
    const auto n = static_cast<std::size_t>(n_);
    for (auto* diagonal : {&dl_, &d_, &du_, &du2_}) diagonal->resize(n);
    pivots_.resize(n);
    for (std::size_t i = 0; i < n; ++i) {
      const stencil_rows::row& row = rows_.at(static_cast<index_t>(i));
      if (i > 0) dl_[i - 1] = row.sub;
      d_[i] = row.diag;
      du_[i] = row.sup;
    }
    const int info =
        lapack.factor(n_, dl_.data(), d_.data(), du_.data(), du2_.data(), pivots_.data());
    if (info != 0) throw std::runtime_error("dgttrf returned " + std::to_string(info));
  }

  /// Derives lines `line` and after it. Those that do not follow each other go through `buffer`.
  void derive(index_t line, const double* f, double* out, std::vector<double>& buffer) const {
    const index_t begin = line / step_ * n_ * step_ + line % step_;
    f += begin;
    out += begin;
    if (step_ == 1) {
      for (index_t l = 0; l < together; ++l) sides_of_line(f + l * n_, out + l * n_);
      return solve(out);
    }
    buffer.resize(static_cast<std::size_t>(n_ * together));
    double* const b = buffer.data();
    for (index_t i = 0; i < n_; ++i) sides_across(f, i, b + i);
    solve(b);
    for (index_t i = 0; i < n_; ++i) {
      for (index_t l = 0; l < together; ++l) out[i * step_ + l] = b[l * n_ + i];
    }
  }

 private:
  void sides_of_line(const double* f, double* b) const {
    const index_t first = rows_.ends, last = n_ - rows_.ends;
    for (index_t i = 0; i < first; ++i) b[i] = rows_.right_side(f, i, 1);
    for (index_t i = last; i < n_; ++i) b[i] = rows_.right_side(f, i, 1);
    const stencil_rows::row& r = rows_.interior;
    std::fill(b + first, b + last, 0.0);
    for (int w = 0; w < r.count; ++w) {  // a weight at a time: compilers make vectors of it
      const double* const at = f + r.first + w;
      for (index_t i = first; i < last; ++i) b[i] += r.weights[w] * at[i];
    }
  }
  void sides_across(const double* f, index_t i, double* b) const {
    const stencil_rows::row& r = rows_.at(i);
    double sums[together] = {};
    for (int w = 0; w < r.count; ++w) {
      const double* const at = f + (i + r.first + w) * step_;
      for (index_t l = 0; l < together; ++l) sums[l] += r.weights[w] * at[l];
    }
    for (index_t l = 0; l < together; ++l) b[l * n_] = sums[l];
  }
  void solve(double* b) const {
    lapack_.solve(n_, together, dl_.data(), d_.data(), du_.data(), du2_.data(), pivots_.data(), b);
  }

  gttrs_peer lapack_;
  stencil_rows rows_;
  index_t n_, step_;
  std::vector<double> dl_, d_, du_, du2_;
  std::vector<int> pivots_;
};

void run_gttrs(benchmark::State& state, row& r, const derive_case& c, const gttrs_peer& lapack,
               int threads) {
  const known_cube f(c);
  const gttrs_lines lines(c, lapack);
  const host_array<double> out(f.size());
  measure_on_host(state, r, f, out, [&] {
#pragma omp parallel num_threads(threads)
    {
      std::vector<double> buffer;
#pragma omp for schedule(static)
      for (index_t line = 0; line < c.lines(); line += gttrs_lines::together) {
        lines.derive(line, f.data(), out.data(), buffer);
      }
    }
  });
}

/// Adds SciPy's first derivative by C6 as its users would write it.
void add_scipy(suite& s, const scipy_peer& scipy, const derive_case& c) {
  if (c.what != tridia::quantity::first_derivative || c.scheme != "C6") return;
  for (const std::string solver : {"solve_banded", "dgttrs"}) {
    row r = row_of(c, "SciPy " + solver);
    r.pivoting = "partial";
    r.threads = 1;
    add_case(s, r, kScipyRepetitions,
             [=](benchmark::State& state, row& out) { run_scipy(state, out, scipy, solver, c); });
  }
}

}  // namespace

void add_cpu_derive(suite& s, const std::optional<scipy_peer>& scipy) {
  add_cpu_differentials(s);
  const auto lapack = lapack_gttrs();
  for (const int threads : std::set<int>{1, omp_get_max_threads()}) {
    for (const derive_case& c : derive_cases()) {
      if (c.points != 256) continue;
      row r = row_of(c, "tridia cpu");
      r.threads = threads;
      add_case(s, r, kRepetitions,
               [=](benchmark::State& state, row& out) { run_operator(state, out, c, threads); });
      if (c.boundary != tridia::boundary::regular) continue;
      if (scipy && threads == 1) add_scipy(s, *scipy, c);
      if (!lapack) continue;
      r.solver = "LAPACKE gttrs";
      r.pivoting = "partial";
      add_case(s, r, kRepetitions, [=](benchmark::State& state, row& out) {
        run_gttrs(state, out, c, *lapack, threads);
      });
    }
  }
}

}  // namespace tridia_bench
