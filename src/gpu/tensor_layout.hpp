// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "layout/geometry.hpp"

#include <cstddef>
#include <optional>

// The host decides here which boxes of an array the TMA of compute capability 9.0 moves. The driver
// encodes them elsewhere (tensor_map.hpp).
namespace tridia::gpu {

/// Describes an array as a tensor of three dimensions of words, the fastest first. A box of it is
/// dense in shared memory: what it covers outside the tensor is loaded as zeros and not stored
/// (cuTensorMapEncodeTiled).
struct tensor_layout {
  const void* first;   // of all words
  std::size_t word;    // bytes: 4 or 8, and an element of 16 bytes is two words
  index_t extents[3];  // the first in words
  index_t strides[2];  // bytes: of the second dimension and of the third
  int box[3];          // the first in words
  int brought_near;    // bytes, 128 or 256, that the second-level cache takes for an access
};

/// Describes `rows` rows of an array along `line`, the first at `first`, and its neighbours by
/// `batch`, as (neighbouring systems, rows, other systems): boxes of `systems` neighbours and
/// `box_rows` rows. Returns nothing where the TMA cannot move them: addresses and strides that are
/// no multiples of 16 bytes, or not above 0; for `x` also rows of neighbours that are no whole
/// multiple of 16 bytes, since the TMA stores whole multiples.
std::optional<tensor_layout> layout_of_rows(const layout::axes& batch, layout::array,
                                            const layout::along& line, const void* first,
                                            index_t rows, int systems, int box_rows,
                                            std::size_t size);

/// Describes `rows` rows, one after another in memory, of the lines of a batch of one axis, the
/// first at `first`, as (rows, lines): boxes of `lines` lines that are `pitch` elements long. These
/// are more than a line has, so that lines are that far apart in shared memory. Returns nothing
/// where the TMA cannot move them, as for `layout_of_rows`, or where lines are no whole multiple of
/// 16 bytes.
std::optional<tensor_layout> layout_of_lines(const layout::axes& batch, layout::array,
                                             const void* first, index_t rows, int lines, int pitch,
                                             std::size_t size);

}  // namespace tridia::gpu
