// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#include "solver/cpu/line_operator/shared_substitution.hpp"

#include "core/dispatch.hpp"
#include "line_operator/cpu/operator_tables.hpp"
#include "line_operator/cpu/whole_lines.hpp"
#include "solver/cpu/line_operator/line_failures.hpp"
#include "solver/cpu/line_operator/substitution_table.hpp"
#include "solver/cpu/line_operator/sweep_choice.hpp"
#include "solver/system.hpp"

#include <omp.h>

#include <algorithm>
#include <iterator>
#include <utility>

namespace tridia::cpu {
namespace {

using line_operator::cpu::line_operation;
using line_operator::cpu::operation_task;
using line_operator::cpu::row_numbers;
using solver::operands;
using solver::task;

/// Describes lines for which sweeps were faster on a Xeon: those of a periodic matrix take half to
/// nine tenths of the time with f32, from where arrays leave the second-level cache, and two thirds
/// to all of it with f64. Fewer lines are not worth a table of the matrix, and shorter ones read it
/// too often; a table of a periodic matrix takes longer to make. Shorter lines of f64, and regular
/// ones, gain a tenth to a third where arrays are larger than 64 MiB, and lose as much where they
/// are smaller.
struct line_range {
  value_type type;
  tridia::boundary boundary;
  index_t fewest_lines, fewest_rows, most_rows;
};
constexpr line_range faster[] = {{value_type::f32, boundary::regular, 32, 32, 2048},
                                 {value_type::f32, boundary::periodic, 128, 32, 2048},
                                 {value_type::f64, boundary::periodic, 128, 256, 2048}};

bool sweeps_are_worth_a_table(const task& t) {
  const layout::geometry& g = t.geometry;
  return std::any_of(std::begin(faster), std::end(faster), [&](const line_range& r) {
    return t.type == r.type && t.boundary == r.boundary && g.right_sides.size >= r.fewest_lines &&
           g.rows >= r.fewest_rows && g.rows <= r.most_rows;
  });
}

template <class R>
class sweeps final : public shared_substitution {
 public:
  sweeps(const task& t, std::unique_ptr<const line_operation> solve)
      : g_(t.geometry), pivoting_(t.pivoting), boundary_(t.boundary), solve_(std::move(solve)) {}

  std::size_t workspace_bytes() const override {
    return solver::alignment + table_bytes() + solve_->workspace_bytes();
  }

  bool apply(const void* factors, const operands& o, std::byte* workspace) const override {
    std::byte* const memory = solver::align(workspace);
    auto* const numbers = reinterpret_cast<row_numbers<R>*>(memory);
    const bool made = core::with_variant(pivoting_, boundary_, [&](auto variant) {
      using V = decltype(variant);
      return substitution_table<R, V::pivots, V::boundary_kind>(factors, g_.rows, numbers).make();
    });
    if (!made) return false;
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
  boundary boundary_;
  std::unique_ptr<const line_operation> solve_;
};

}  // namespace

std::unique_ptr<const shared_substitution> make_shared_substitution(const task& t) {
  const layout::geometry& g = t.geometry;
  if (!suits_operators(t) || g.matrices.size != 1 || !sweeps_are_worth_a_table(t)) return {};
  line_operator::specification identity;
  identity.points = identity.rows = g.rows;
  identity.matrix.interior = {0, 1, 0};
  identity.interior = {0, {1}};
  identity.boundary = t.boundary;
  identity.solves = true;
  const index_t threads = t.options.threads > 0 ? t.options.threads : omp_get_max_threads();
  const operation_task lines{std::move(identity), t.type, g, threads};
  auto solve = line_operator::cpu::make_whole_lines(lines, nullptr);
  if (t.type == value_type::f32) return std::make_unique<sweeps<float>>(t, std::move(solve));
  return std::make_unique<sweeps<double>>(t, std::move(solve));
}

}  // namespace tridia::cpu
