// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#include "solver/cpu/line_operator/shared_substitution.hpp"

#include "core/elimination.hpp"
#include "line_operator/cpu/operator_tables.hpp"
#include "line_operator/cpu/whole_lines.hpp"
#include "solver/cpu/line_operator/line_failures.hpp"
#include "solver/cpu/line_operator/sweep_choice.hpp"
#include "solver/system.hpp"

#include <omp.h>

#include <utility>

namespace tridia::cpu {
namespace {

using line_operator::cpu::line_operation;
using line_operator::cpu::operation_task;
using line_operator::cpu::row_numbers;
using solver::operands;
using solver::task;

/// Fewer lines are not worth a table of the matrix, and shorter ones read it too often. Lines of
/// f64 gain nothing.
constexpr index_t fewest_lines = 32, fewest_rows = 32;

/// Writes the numbers of all rows. Returns how many of them are interchanged.
template <class R, pivoting P>
index_t read_factors(const void* factors, index_t rows, row_numbers<R>* to) {
  using E = core::elimination<R, P, boundary::regular>;
  constexpr index_t count = E::lower_values + E::upper_values;
  const R* at = static_cast<const R*>(factors);
  R below = 0;
  bool swapped = false;
  index_t interchanged = 0;
  for (index_t i = 0; i < rows; ++i, at += count) {
    typename E::lower l;
    typename E::upper u;
    l.get(at), u.get(at + E::lower_values);
    row_numbers<R> n{below, l.w, u.next, R(0), R(0), R(0), R(1), swapped, false, false, false};
    below = l.below;
    if constexpr (P == pivoting::partial) {
      n.fill = u.fill, n.fills = u.fill != 0;
      swapped = l.swapped;
      interchanged += swapped ? 1 : 0;
    }
    to[i] = n;
  }
  return interchanged;
}

template <class R>
class sweeps final : public shared_substitution {
 public:
  sweeps(const task& t, std::unique_ptr<const line_operation> solve)
      : g_(t.geometry), pivoting_(t.pivoting), solve_(std::move(solve)) {}

  std::size_t workspace_bytes() const override {
    return solver::alignment + table_bytes() + solve_->workspace_bytes();
  }

  bool apply(const void* factors, const operands& o, std::byte* workspace) const override {
    std::byte* const memory = solver::align(workspace);
    auto* const numbers = reinterpret_cast<row_numbers<R>*>(memory);
    const index_t interchanged =
        pivoting_ == pivoting::none ? read_factors<R, pivoting::none>(factors, g_.rows, numbers)
                                    : read_factors<R, pivoting::partial>(factors, g_.rows, numbers);
    if (8 * interchanged > g_.rows) return false;
    const line_failures<R> failures(g_, o);
    solve_->apply({.in = o.in[layout::rhs],
                   .out = o.x,
                   .workspace = memory + table_bytes(),
                   .numbers = numbers,
                   .failures = &failures});
    failures.share();
    return true;
  }

 private:
  std::size_t table_bytes() const {
    return solver::round_up(static_cast<std::size_t>(g_.rows) * sizeof(row_numbers<R>));
  }

  layout::geometry g_;
  pivoting pivoting_;
  std::unique_ptr<const line_operation> solve_;
};

}  // namespace

std::unique_ptr<const shared_substitution> make_shared_substitution(const task& t) {
  const layout::geometry& g = t.geometry;
  if (!suits_operators(t) || t.boundary != boundary::regular || g.matrices.size != 1) return {};
  if (t.type != value_type::f32 || !sweeps_are_faster(t)) return {};
  if (g.rows < fewest_rows || g.right_sides.size < fewest_lines) return {};
  line_operator::specification identity;
  identity.points = identity.rows = g.rows;
  identity.matrix.interior = {0, 1, 0};
  identity.interior = {0, {1}};
  identity.solves = true;
  const index_t threads = t.options.threads > 0 ? t.options.threads : omp_get_max_threads();
  const operation_task lines{std::move(identity), t.type, g, threads};
  return std::make_unique<sweeps<float>>(t, line_operator::cpu::make_whole_lines(lines, nullptr));
}

}  // namespace tridia::cpu
