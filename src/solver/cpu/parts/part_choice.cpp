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
/// Contiguous lines that share a matrix, or are its right-hand sides, are cut where they are no
/// more than these and have so many rows: the factors of a matrix stay in a cache otherwise.
constexpr index_t most_sides = 64, rows_of_sides = 131072;

/// So many neighbours fill the lanes of a group; of fewer, so many lines are eliminated as fast.
constexpr index_t most_lanes = 32, many_narrow = 128;

index_t line_count(const layout::geometry& g) { return g.matrices.size * g.right_sides.size; }

}  // namespace

bool are_few_lines(const layout::geometry& g) { return line_count(g) <= few_lines; }

bool parts_are_faster(const layout::geometry& g, coefficients of, value_type type) {
  if (!part_split::is_possible(g)) return false;
  if (line_count(g) <= very_few_lines) return g.rows >= short_rows;
  if (of == coefficients::constant && operators_cut(g)) return true;
  if (g.rows < long_rows) return false;
  if (are_few_lines(g)) return true;
  // More lines are cut where neither the factors of a line nor what is kept of it stay in a cache.
  if (of == coefficients::constant) return false;
  const bool own = of == coefficients::per_system && g.right_sides.size == 1;
  const layout::geometry lines = layout::broadcast_matrices(g);
  if (layout::is_interleaved(lines)) {
    const bool fill_lanes = lines.matrices.at[lines.matrices.count - 1].extent >= most_lanes;
    return fill_lanes || (own && size_of(type) > 4 && line_count(g) < many_narrow);
  }
  return own || (line_count(g) <= most_sides && g.rows >= rows_of_sides);
}

}  // namespace tridia::cpu
