// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#include "solver/cpu/line_operator/sweep_choice.hpp"

#include "line_operator/cpu/parts_of_lines.hpp"

namespace tridia::cpu {
namespace {

/// These are the rows of lines for which sweeps were faster, constants on a Xeon: up to 1.8 times
/// with f32, where arrays do not lie in the cache, and 1.4 with f64. Four vectors of longer lines
/// leave the nearest cache, and lines of few rows are read in short pieces.
struct row_range {
  index_t least, most;
};
constexpr row_range faster_f32{13, 2048}, faster_f64{9, 100};

}  // namespace

bool suits_operators(const solver::task& t) {
  const layout::geometry& g = t.geometry;
  if (t.type != value_type::f32 && t.type != value_type::f64) return false;
  if (!t.ragged.empty() || g.rows == 0 || g.right_sides.size == 0) return false;
  return g.lines[layout::rhs].step == 1 && g.lines[layout::x].step == 1;
}

bool sweeps_are_faster(const solver::task& t) {
  const index_t rows = t.geometry.rows;
  const row_range faster = t.type == value_type::f32 ? faster_f32 : faster_f64;
  return rows >= faster.least && rows <= faster.most &&
         !line_operator::cpu::are_long(rows, t.geometry.right_sides.size, t.type);
}

}  // namespace tridia::cpu
