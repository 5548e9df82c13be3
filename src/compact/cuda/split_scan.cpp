// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#include "compact/cuda/split_scan.hpp"

#include "compact/cuda/line_task.hpp"
#include "solver/cuda/check.hpp"
#include "solver/executor.hpp"
#include "tridia/types.hpp"

#include <utility>

namespace tridia::compact {
namespace {

/// Bytes of a row of neighbouring lines that memory gives fastest.
constexpr index_t good_row = 128;

/// Of a part: as many as a tile with good rows holds; contiguous: as keep a block busy.
constexpr index_t most_across = 512, most_along = 2048;

split_wish wish_of(const task& t, bool needed) {
  const bool across = is_across(t.geometry);
  const index_t most = across ? most_across : most_along;
  const int axes = t.geometry.right_sides.count;
  // A sum reads its points once more, against a part that is read and written. Where anything else
  // takes ten times as long, that may be much. The copy engine takes two axes of lines across.
  return {.most_points = most,
          .most_window = needed ? 4 * most : most / 4,
          .together = axes < (across ? 2 : layout::max_axes)};
}

}  // namespace

bool is_narrow(const task& t, const cuda::line_scan& scan) {
  const layout::axes& lines = t.geometry.right_sides;
  const auto size = static_cast<index_t>(size_of(t.type));
  const cuda::scan_shape& s = scan.shape();
  return s.across && s.lines * size < good_row &&
         lines.at[lines.count - 1].extent * size >= good_row;
}

std::unique_ptr<const split_scan> split_scan::make(const task& t, bool needed,
                                                   const cuda::device_limits& limits) {
  if (t.geometry.right_sides.size == 0) return {};
  const auto s = split(t.line, t.type, wish_of(t, needed));
  if (!s) return {};
  const layout::geometry& g = t.geometry;
  std::unique_ptr<split_scan> made(new split_scan);
  made->type_ = t.type;
  made->slots_ = s->slots;
  made->step_in_ = s->part_points * g.lines[layout::rhs].step;
  made->step_out_ = s->part_points * g.lines[layout::x].step;
  for (const part_run& r : s->runs) {
    const auto line = line_task(r.line, t.type, lines_of(g, *s, r));
    if (!line) return {};
    auto scan = cuda::line_scan::make(*line, matrix_of(r.line), r.line.scale, limits);
    if (!scan) return {};
    made->runs_.push_back({std::move(scan), s->together ? 1 : r.parts,
                           r.point * g.lines[layout::rhs].step, r.row * g.lines[layout::x].step,
                           r.slot, r.line.given()});
  }
  made->groups_ = cuda::upload(s->sums.groups);
  made->weights_ = cuda::upload(solver::rounded(s->sums.weights, t.type));
  made->sums_ = {g.right_sides,
                 g.lines[layout::rhs],
                 t.line.points,
                 made->groups_.as<sum_group>(),
                 static_cast<index_t>(s->sums.groups.size()),
                 made->weights_.as<void>()};
  return made;
}

std::size_t split_scan::workspace_bytes() const { return 2 * solver::alignment + given_bytes(); }

std::size_t split_scan::given_bytes() const {
  return static_cast<std::size_t>(slots_ * sums_.lines.size) * size_of(type_);
}

void split_scan::apply(const call& c, cudaStream_t stream) const {
  const auto size = static_cast<index_t>(size_of(type_));
  static_assert(cuda::ticket_bytes <= solver::alignment);
  std::byte* const tickets = solver::align(c.workspace);
  std::byte* const given = tickets + solver::alignment;
  cuda::check(sum_borders(type_, sums_, c.in, given, stream), "launching sums over lines");
  for (const run& r : runs_) {
    for (int p = 0; p < r.parts; ++p) {
      r.scan->apply(
          {static_cast<const std::byte*>(c.in) + (r.in + p * step_in_) * size,
           static_cast<std::byte*>(c.out) + (r.out + p * step_out_) * size, c.s, c.accumulate,
           nullptr, given + (r.slot + p * r.given) * sums_.lines.size * size, tickets},
          stream);
    }
  }
}

}  // namespace tridia::compact
