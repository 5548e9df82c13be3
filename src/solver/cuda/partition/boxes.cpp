// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#include "solver/cuda/partition/boxes.hpp"

namespace tridia::cuda {

using namespace gpu;
using layout::edge;
using layout::geometry;

std::optional<tensor_layout> layout_of(const geometry& g, const interleaved_shape& s,
                                       std::size_t size, layout::array a, const void* data) {
  const bool cut = (a == layout::sub || a == layout::sup) && g.corners != edge::inside;
  const index_t skipped = cut && a == layout::sub ? 1 : 0;
  const layout::along& line = g.lines[a];
  const void* const first = static_cast<const std::byte*>(data) +
                            (line.origin + skipped * line.step) * static_cast<index_t>(size);
  return layout_of_rows(g.matrices, a, line, first, g.rows - (cut ? 1 : 0), s.systems, s.box_rows,
                        size);
}

std::optional<tensor_layout> layout_of(const geometry& g, const onchip_shape& s, std::size_t size,
                                       layout::array a, const void* data) {
  if (g.lines[a].step != 1 || g.lines[a].origin != 0) return {};
  return layout_of_lines(g.matrices, a, data, g.rows, s.systems, s.pitch, size);
}

}  // namespace tridia::cuda
