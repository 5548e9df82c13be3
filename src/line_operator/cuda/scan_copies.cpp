// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#include "gpu/tensor_map.hpp"
#include "line_operator/cuda/scan.hpp"

#include <algorithm>
#include <cstdint>

namespace tridia::line_operator {

using namespace gpu;

std::optional<tensor_layout> layout_of(const planned_scan& p, layout::array array, const void* data,
                                       int phase) {
  const scan_shape& s = p.shape;
  const geometry& g = p.task.lines;
  const int size = p.task.value_bytes();
  const layout::along& line = g.lines[array];
  const index_t rows = array == layout::rhs ? s.points : s.rows;
  const auto* const first = static_cast<const std::byte*>(data) + line.origin * size;
  if (!s.boxes) return {};
  if (s.interleaved) {
    const int log = s.in_tile.log;
    if (log > 0 && array == layout::x) return {};
    if (log > 0) {
      return layout_of_phase(g.right_sides, array, line, first, rows, s.lines, s.box_rows,
                             static_cast<std::size_t>(size), log, phase);
    }
    return layout_of_rows(g.right_sides, array, line, first, rows, s.lines, s.box_rows,
                          static_cast<std::size_t>(size));
  }
  if (line.step != 1) return {};
  return layout_of_lines(g.right_sides, array, first, rows, s.lines, s.line_pitch,
                         static_cast<std::size_t>(size));
}

namespace {

/// Returns the copy mode of an array whose lines in memory order begin anywhere. They are stored
/// from where the input's lie, so that they must lie as far from multiples of 16 bytes.
line_copy_mode mode_anywhere(const planned_scan& p, layout::array array, const void* data) {
  const geometry& g = p.task.lines;
  const index_t in_piece = p.shape.in_tile.in_piece;
  bool lines = g.lines[array].step == 1 &&
               reinterpret_cast<std::uintptr_t>(data) % tridia::size_of(p.task.type) == 0;
  for (int k = 0; k < g.right_sides.count; ++k) {
    const layout::axis& a = g.right_sides.at[k];
    lines = lines && ((a.stride[array] - a.stride[layout::rhs]) & in_piece) == 0;
  }
  return lines ? line_copy_mode::lines : line_copy_mode::elements;
}

/// Returns whether each tile of neighbouring lines is one piece of an array, of whole multiples of
/// 16 bytes.
bool is_piece(const planned_scan& p, layout::array array) {
  const scan_shape& s = p.shape;
  const layout::axes& batch = p.task.lines.right_sides;
  const index_t size = p.task.value_bytes(), rows = array == layout::rhs ? s.points : s.rows;
  bool whole = s.whole && rows * s.in_tile.pitch * size % tma_piece == 0;
  for (int k = 0; k + 1 < batch.count; ++k) {
    whole = whole && batch.at[k].stride[array] * size % tma_piece == 0;
  }
  return whole;
}

}  // namespace

int behind_piece(const scan_task& t, const void* array) {
  const auto bytes = static_cast<int>(reinterpret_cast<std::uintptr_t>(array) % tma_piece);
  return bytes / t.value_bytes();
}

index_t end_of_lines(const scan_task& t) {
  const layout::axes& batch = t.lines.right_sides;
  index_t end = t.lines.lines[layout::rhs].origin + t.points;
  for (int k = 0; k < batch.count; ++k) {
    end += std::max<index_t>(batch.at[k].stride[layout::rhs], 0) * (batch.at[k].extent - 1);
  }
  return end;
}

line_copy_mode copy_mode_of(const planned_scan& p, layout::array array, const void* data,
                            CUtensorMap* maps) {
  bool boxes = true;
  for (int phase = 0; boxes && phase < p.shape.in_tile.phases(); ++phase) {
    const auto of_phase = layout_of(p, array, data, phase);
    boxes = of_phase && encode(*of_phase, maps[phase]);
  }
  if (boxes) return line_copy_mode::boxes;
  const scan_shape& s = p.shape;
  const geometry& g = p.task.lines;
  const index_t size = p.task.value_bytes(), rows = array == layout::rhs ? s.points : s.rows;
  const auto* const first = static_cast<const std::byte*>(data) + g.lines[array].origin * size;
  bool lines = reinterpret_cast<std::uintptr_t>(first) % tma_piece == 0;
  if (s.interleaved)
    return lines && is_piece(p, array) ? line_copy_mode::lines : line_copy_mode::elements;
  lines = lines && g.lines[array].step == 1;
  if (s.in_tile.in_piece > 0) return mode_anywhere(p, array, data);
  if (s.whole) return lines ? line_copy_mode::lines : line_copy_mode::elements;
  lines = lines && rows * size % tma_piece == 0;
  for (int k = 0; k < g.right_sides.count; ++k) {
    lines = lines && g.right_sides.at[k].stride[array] * size % tma_piece == 0;
  }
  return lines ? line_copy_mode::lines : line_copy_mode::elements;
}

}  // namespace tridia::line_operator
