// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#include "solver/cpu/line_operator/operator_solver.hpp"

#include "gpu/devices.hpp"
#include "line_operator/constant.hpp"
#include "line_operator/cpu/line_factors.hpp"
#include "line_operator/cpu/operator_tables.hpp"
#include "line_operator/cpu/parts_of_lines.hpp"
#include "line_operator/cpu/whole_lines.hpp"
#include "solver/cpu/line_operator/line_failures.hpp"
#include "solver/cpu/line_operator/sweep_choice.hpp"
#include "solver/cpu/parallel_for.hpp"
#include "solver/system.hpp"
#include "tridia/error.hpp"

#include <omp.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

namespace tridia::cpu {
namespace {

using layout::geometry;
using line_operator::specification;
using line_operator::cpu::line_operation;
using line_operator::cpu::operation_task;
using solver::operands;
using solver::task;

template <class R>
class operator_solver final : public solver::executor {
 public:
  operator_solver(const geometry& g, std::unique_ptr<const line_operation> solve,
                  std::string description)
      : g_(g), solve_(std::move(solve)), description_(std::move(description)) {}

  int threads() const override { return solve_->threads(); }
  std::string description() const override { return description_; }
  std::size_t workspace_bytes() const override { return solve_->workspace_bytes(); }
  std::size_t factors_bytes() const override { return 0; }
  void check_pointer(const char* name, const void* p) const override {
    gpu::check_host_pointer(name, p);
  }

  void execute(const operands& o, void* workspace, void*) const override {
    if (o.status != nullptr) clear(o.status, layout::systems_of_matrix(g_));
    const line_failures<R> failures(g_, o);
    solve_->apply(
        {.in = o.in[layout::rhs], .out = o.x, .workspace = workspace, .failures = &failures});
    failures.share();
  }

  // A plan of constants has no factors of its own.
  void factor(const operands&, void*, void*, void*) const override {}
  void solve(const void*, const operands&, void*, void*) const override {}

 private:
  void clear(index_t* status, index_t count) const {
    const index_t shares = solve_->threads();
    parallel_for(solve_->threads(), shares, [&](index_t i, int) {
      std::fill(status + i * count / shares, status + (i + 1) * count / shares, 0);
    });
  }

  geometry g_;
  std::unique_ptr<const line_operation> solve_;
  std::string description_;
};

/// Returns whether products with an inverse are as accurate as elimination. Their errors are
/// relative to |A^-1| |b|, which is at most `most` times as large as x.
bool is_well_conditioned(const specification& line, const std::vector<double>& inverse) {
  constexpr double most = 16;
  const index_t n = line.rows;
  const auto entry = [&](index_t i, index_t k) { return std::fabs(inverse[i * n + k]); };
  for (index_t i = 0; i < n; ++i) {
    double sum = 0;
    for (index_t k = 0; k < n; ++k) {
      const near_toeplitz::row& r = line_operator::row_of(line.matrix, n, k);
      sum += entry(i, k) * (std::abs(r.dl) + std::abs(r.d) + std::abs(r.du));
    }
    if (!(sum <= most)) return false;
  }
  return true;
}

/// Returns whether most rows are eliminated without interchange, as the fast loops of sweeps do.
bool rarely_interchanges(const specification& line) {
  const auto rows = line_operator::cpu::factor_line(line).rows;
  const auto swapped =
      std::count_if(rows.begin(), rows.end(), [](const auto& r) { return r.swapped; });
  return 8 * swapped <= std::ssize(rows);
}

template <class R>
std::unique_ptr<const solver::executor> make_parts(const task& t, const operation_task& lines) {
  auto parts = line_operator::cpu::make_parts_of_lines(lines);
  if (parts == nullptr) return {};
  // Parts that decay show that longer lines are not singular.
  if (t.geometry.rows <= line_operator::most_factored_rows)
    (void)line_operator::factor(*t.constant, t.pivoting);
  return std::make_unique<operator_solver<R>>(
      t.geometry, std::move(parts),
      "lines are cut into parts that depend on sums at their borders alone");
}

template <class R>
std::unique_ptr<const solver::executor> make_whole(const task& t, const operation_task& lines) {
  const bool is_short = t.geometry.rows <= line_operator::cpu::longest_dense;
  if (!is_short && !sweeps_are_faster(t)) return {};
  (void)line_operator::factor(*t.constant, t.pivoting);
  try {
    const std::vector<double> inverse = line_operator::cpu::dense_matrix(lines, nullptr);
    if (is_short ? !is_well_conditioned(lines.line, inverse) : !rarely_interchanges(lines.line)) {
      return {};
    }
    return std::make_unique<operator_solver<R>>(
        t.geometry, line_operator::cpu::make_whole_lines(lines, nullptr, {}, inverse),
        is_short ? "lines are multiplied with a dense matrix" : "");
  } catch (const error&) {
    // The matrix is so close to a singular one that it takes the elimination that was asked for.
    return {};
  }
}

template <class R>
std::unique_ptr<const solver::executor> make(const task& t, const operation_task& lines) {
  const bool in_parts = t.options.algorithm == algorithm::partition;
  return in_parts ? make_parts<R>(t, lines) : make_whole<R>(t, lines);
}

}  // namespace

bool operators_cut(const geometry& g) {
  return g.lines[layout::rhs].step == 1 && g.lines[layout::x].step == 1 &&
         line_operator::cpu::are_long(g.rows, g.matrices.size * g.right_sides.size,
                                      value_type::f32);
}

std::unique_ptr<const solver::executor> make_operator_solver(const task& t) {
  if (!t.constant || !suits_operators(t) || t.geometry.matrices.size != 1) return {};
  const index_t threads = t.options.threads > 0 ? t.options.threads : omp_get_max_threads();
  const operation_task lines{line_operator::solving_with(*t.constant), t.type, t.geometry, threads};
  return t.type == value_type::f32 ? make<float>(t, lines) : make<double>(t, lines);
}

}  // namespace tridia::cpu
