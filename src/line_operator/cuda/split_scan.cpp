// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#include "line_operator/cuda/split_scan.hpp"

#include "gpu/check.hpp"
#include "layout/alignment.hpp"
#include "line_operator/cuda/line_task.hpp"
#include "tridia/types.hpp"

#include <algorithm>
#include <utility>

namespace tridia::line_operator {

using namespace gpu;

namespace {

/// These are the maximum points of a part: interleaved, as many as a tile with good rows holds, or
/// with the longer ones that rows want which begin anywhere; contiguous, as many as the threads of
/// one of two blocks of a multiprocessor hold (those of 16 bytes: `most_wide`).
constexpr index_t most_interleaved = 512, most_anywhere = 288, most_contiguous = 4096,
                  most_wide = 2048;

/// Up to this many points, an operator's launches take longer than so many sums at a border do.
constexpr index_t few_points = index_t{1} << 21, many_given = 32;

split_wish wish_of(const specification& line, const geometry& lines, value_type type, bool needed) {
  const bool few = !line.solves && line.points * lines.right_sides.size <= few_points;
  const bool interleaved = lies_interleaved(lines);

  const bool wide = size_of(type) == 16;
  const index_t most = !interleaved                 ? (wide ? most_wide : most_contiguous)
                       : phases_of(lines, type) > 0 ? most_anywhere
                                                    : most_interleaved;
  // A sum reads its points once more, while a part is read and written once. Sums may be long where
  // anything else takes ten times as long. The TMA takes two axes of interleaved lines.
  return {.most_points = most,
          .most_window = needed ? 4 * most : std::max(most, most_interleaved) / 4,
          .most_axes = interleaved ? 2 : layout::max_axes,
          .most_given = few ? many_given : index_t{sum_group::most}};
}

}  // namespace

std::unique_ptr<const split_scan> split_scan::make(const specification& line, value_type type,
                                                   const geometry& g, bool needed,
                                                   const device_limits& limits) {
  if (g.right_sides.size == 0) return {};
  const auto s = split(line, type, g, wish_of(line, g, type, needed));
  if (!s) return {};
  std::unique_ptr<split_scan> made(new split_scan);
  made->type_ = type;
  made->slots_ = s->slots, made->parts_ = s->parts(), made->part_points_ = s->part_points;
  made->solves_ = line.solves, made->shares_status_ = layout::shares_status(g);
  made->step_in_ = s->part_points * g.lines[layout::rhs].step;
  made->step_out_ = s->part_points * g.lines[layout::x].step;
  made->of_x_ = g.lines[layout::x], made->rows_ = line.rows;
  for (const part_run& r : s->runs) {
    const auto part = line_task(r.line, type, lines_of(g, *s, r));
    if (!part) return {};
    auto scan = line_scan::make(*part, matrix_of(r.line), r.line.scale, limits);
    if (!scan) return {};
    made->runs_.push_back({std::move(scan), r.first, s->order == part_order::apart ? r.parts : 1,
                           r.point * g.lines[layout::rhs].step, r.row * g.lines[layout::x].step,
                           r.slot, r.line.prescribed()});
  }
  made->groups_ = upload(s->sums.groups);
  made->weights_ = upload(rounded(s->sums.weights, type));
  made->sums_ = {g.right_sides,
                 g.lines[layout::rhs],
                 line.points,
                 made->groups_.as<sum_group>(),
                 static_cast<index_t>(s->sums.groups.size()),
                 made->weights_.as<void>(),
                 s->places};
  return made;
}

std::string split_scan::description() const {
  return "in parts of " + std::to_string(part_points_) + " rows, " +
         runs_.front().scan->description();
}

std::size_t split_scan::prescribed_bytes() const {
  return layout::round_up(static_cast<std::size_t>(slots_ * sums_.lines.size) * size_of(type_));
}

std::size_t split_scan::workspace_bytes() const {
  const auto statuses = static_cast<std::size_t>(solves_ ? parts_ * sums_.lines.size : 0);
  return 2 * layout::alignment + prescribed_bytes() + statuses * sizeof(index_t);
}

void split_scan::apply(const scan_call& c, void* workspace, cudaStream_t stream) const {
  const auto size = static_cast<index_t>(size_of(type_)), lines = sums_.lines.size;
  std::byte* const of_scans = layout::align(workspace);  // one after another
  std::byte* const prescribed = of_scans + layout::alignment;
  auto* const statuses = reinterpret_cast<index_t*>(prescribed + prescribed_bytes());
  check(sum_borders(type_, sums_, c.in, prescribed, stream), "launching sums over lines");
  bool beside_last = false;
  for (const run& r : runs_) {
    for (int p = 0; p < r.parts; ++p) {
      scan_call part = c;
      part.in = static_cast<const std::byte*>(c.in) + (r.in + p * step_in_) * size;
      part.out = static_cast<std::byte*>(c.out) + (r.out + p * step_out_) * size;
      part.prescribed = prescribed + (r.slot + p * r.prescribed) * lines * size;
      if (solves_) part.status = statuses + (r.first + p) * lines;
      part.tells_solution = true;
      part.after_sums = !beside_last && sums_.count > 0;
      part.beside_last = std::exchange(beside_last, true);
      r.scan->apply(part, of_scans, stream);
    }
  }
  if (!solves_) return;
  check(merge_statuses(type_,
                       {sums_.lines, statuses, sums_.places, parts_, part_points_, longest,
                        shares_status_, c.status},
                       of_x_, rows_, c.out, stream),
        "launching the statuses");
}

}  // namespace tridia::line_operator
