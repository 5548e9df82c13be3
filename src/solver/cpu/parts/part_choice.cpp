// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#include "solver/cpu/parts/part_choice.hpp"

#include "solver/cpu/line_operator/operator_solver.hpp"
#include "solver/cpu/parts/part_split.hpp"

namespace tridia::cpu {
namespace {

/// From so many rows on, what elimination keeps of them in all lanes does not stay in the cache
/// between its two sweeps.
constexpr index_t long_rows = 32768;
/// Lines of so many rows are cut where they are very few; the interface costs less than that gains.
constexpr index_t short_rows = 1024;
/// So many lines leave lanes or threads without work: few of them one thread or more, very few most
/// lanes as well.
constexpr index_t few_lines = 32, very_few_lines = 8;
/// So many neighbours in memory fill lanes and threads; eliminating them moves no more than cutting
/// them does.
constexpr index_t many_neighbours = 128;

index_t line_count(const layout::geometry& g) { return g.matrices.size * g.right_sides.size; }

}  // namespace

bool are_few_lines(const layout::geometry& g) { return line_count(g) <= few_lines; }

bool parts_are_faster(const layout::geometry& g, coefficients of, value_type type) {
  if (!part_split::is_possible(g)) return false;
  if (line_count(g) <= very_few_lines) return g.rows >= short_rows;
  if (of == coefficients::constant && operators_cut(g)) return true;
  if (g.rows < long_rows) return false;
  if (are_few_lines(g)) return true;
  // If there are more lines, a matrix for many right-hand sides is factored once. Neighbours in
  // memory are swept over together, which is as fast where their numbers have 4 bytes or they are
  // many.
  if (of != coefficients::per_system || g.right_sides.size != 1) return false;
  return !layout::is_interleaved(g) || (size_of(type) > 4 && line_count(g) < many_neighbours);
}

}  // namespace tridia::cpu
