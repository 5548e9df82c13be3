// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#include "line_operator/cuda/line_task.hpp"

#include <algorithm>

namespace tridia::line_operator {
namespace {

/// Converts a closure row: closures count their points from the row's own; the kernels from the
/// line's first.
bool put(const stencil& from, index_t row, index_t points, kernel_stencil<double>::row& to) {
  const auto count = static_cast<int>(from.weights.size());
  const index_t first = row + from.first;
  if (count > most_closure_weights || first < 0 || first + count > points) return false;
  to.first = static_cast<int>(first);
  to.count = count;
  std::copy(from.weights.begin(), from.weights.end(), to.weights);
  return true;
}

/// Returns whether a kernel that exchanges shares with other ranks is faster than three that
/// compute shares, add them up and work on the rows: tiles of lines in memory order are so small
/// that blocks wait for shares, and gain only where the launches count.
bool exchanges_well(const specification& o, value_type type, const geometry& lines) {
  constexpr index_t many_bytes = index_t{256} << 20;
  const auto size = static_cast<index_t>(tridia::size_of(type));
  return lies_interleaved(lines) || o.rows * lines.right_sides.size * size < many_bytes;
}

}  // namespace

std::optional<scan_task> line_task(const specification& o, value_type type, const geometry& lines) {
  const auto weights = static_cast<int>(o.interior.weights.size());
  if (weights > most_weights || (o.gathers && o.points != o.rows)) return {};
  const int width = o.solves ? 1 : weights > some_weights ? most_weights : some_weights;
  scan_task t{.type = type,
              .lines = lines,
              .points = o.points,
              .rows = o.rows,
              .scaled = !o.scale.empty(),
              .width = width,
              .gathers = o.gathers,
              .exchanges = o.exchanges && exchanges_well(o, type, lines)};
  t.b.first = o.interior.first;
  std::copy(o.interior.weights.begin(), o.interior.weights.end(), t.b.weights);
  if (o.boundary == boundary::periodic) return t;

  // A row has weights of its own where a weight, even a zero, would lie outside the line.
  const index_t given_heads = o.gathers ? o.gathered_head : o.prescribed_head;
  const index_t given_tails = o.gathers ? o.gathered_tail : o.prescribed_tail;
  const index_t heads =
      std::max({static_cast<index_t>(o.head.size()), given_heads, index_t{-t.b.first}});
  const index_t tails = std::max({static_cast<index_t>(o.tail.size()), given_tails,
                                  o.rows + t.b.first + width - 1 - o.points});
  if (heads > most_closure || tails > most_closure || heads + tails > o.rows) return {};
  t.b.heads = static_cast<int>(heads), t.b.tails = static_cast<int>(tails);
  if (o.gathers) {
    t.b.given = {static_cast<int>(o.prescribed_head), static_cast<int>(o.prescribed_tail),
                 static_cast<int>(o.head_numbers())};
  }
  for (index_t i = 0; i < heads + tails; ++i) {
    const index_t row = i < heads ? i : o.rows - tails + (i - heads);
    const index_t given = o.gathers ? o.gathered_number(row) : o.prescribed_number(row);
    if (given >= 0) {
      t.b.rows[i].first = static_cast<int>(given);
      t.b.rows[i].count = 0;
    } else if (!put(o.stencil_of(row), row, o.points, t.b.rows[i])) {
      return {};
    }
  }
  return t;
}

}  // namespace tridia::line_operator
