// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "core/host_device.hpp"
#include "gpu/tensor_layout.hpp"

#include <bit>
#include <climits>
#include <cstdint>
#include <numeric>
#include <optional>

// Rows of neighbouring elements lie a step apart. If that is no multiple of 16 bytes, as on grids
// of odd extents, rows begin at several distances from such multiples, in turn: their phases. The
// TMA moves only what begins at a multiple, so that it takes the rows of each phase apart, as boxes
// that begin at the multiple before them.
namespace tridia::line_operator {

/// The TMA moves pieces of so many bytes, at multiples of it.
inline constexpr int tma_piece = 16;

/// Returns the maximum number of phases of elements of `size` bytes.
constexpr int most_phases(int size) { return size < tma_piece ? tma_piece / size : 1; }

/// Lays out the rows of a tile in shared memory, phase by phase. Numbers are elements.
struct phased_rows {
  int log = 0;          // of the number of phases; 0: there is one
  int pitch = 0;        // from a row to the next one of its phase
  int phase_pitch = 0;  // from the rows of a phase to those of the next one
  int front = 0;        // of a phase, before its row 0
  int skew = 0;         // by which a row begins further behind a piece than the row before it
  int in_piece = 0;     // in a piece, less 1; 0: all rows, or lines, begin at one

  TRIDIA_FN int phases() const { return 1 << log; }
  /// Returns where row k of a tile lies: its first row is row `first` of the array, which may be
  /// reduced modulo the phases, and row 0 of that begins `begin` elements behind a piece.
  TRIDIA_FN int place(int first, int begin, int k) const {
    const int row = first + k;
    return (row & (phases() - 1)) * phase_pitch + front + (row >> log) * pitch +
           ((begin + row * skew) & in_piece);
  }
};

/// Returns log2 of the number of phases of rows along `line` with neighbours by `batch`, or 0 where
/// the TMA cannot move them by phases: points of the outer axis must be whole rows apart.
inline int log_phases_of(const layout::axes& batch, layout::array a, const layout::along& line,
                         std::size_t size) {
  const layout::axis& outer = batch.at[0];
  if (batch.count == 0 || batch.count > 2 || line.step <= 0) return 0;
  if (batch.at[batch.count - 1].stride[a] != 1) return 0;
  if (batch.count > 1 && (outer.stride[a] < 0 || outer.stride[a] % line.step != 0)) return 0;
  const index_t bytes = line.step * static_cast<index_t>(size);
  const index_t phases = tma_piece / std::gcd(index_t{tma_piece}, bytes);
  return std::countr_zero(static_cast<unsigned>(phases));
}

/// Returns how many rows lie between a point of the outer axis of `batch` and the next.
inline index_t outer_rows_of(const layout::axes& batch, layout::array a,
                             const layout::along& line) {
  return batch.count > 1 ? batch.at[0].stride[a] / line.step : 0;
}

/// Describes the rows of one phase of an input whose row 0 lies at `first`, of all points of the
/// outer axis one after another, as (neighbouring lines, rows): boxes of `lines` neighbours and a
/// piece more. Returns nothing where the TMA cannot move them (gpu/tensor_layout.hpp).
inline std::optional<gpu::tensor_layout> layout_of_phase(const layout::axes& batch, layout::array a,
                                                         const layout::along& line,
                                                         const void* first, index_t rows, int lines,
                                                         int box_rows, std::size_t size,
                                                         int log_phases, int phase) {
  const auto bytes = static_cast<index_t>(size);
  const index_t outer = batch.count > 1 ? batch.at[0].extent - 1 : 0;
  const index_t all = outer * outer_rows_of(batch, a, line) + rows - phase;
  const auto* const row = static_cast<const std::byte*>(first) + phase * line.step * bytes;
  const auto behind = static_cast<index_t>(reinterpret_cast<std::uintptr_t>(row) % tma_piece);
  const index_t neighbours = behind / bytes + batch.at[batch.count - 1].extent;
  const index_t stride = (line.step * bytes) << log_phases;
  const int width = lines + static_cast<int>(tma_piece / bytes);
  // A box has up to 256 words or rows in each dimension, and strides are below 2^40 bytes.
  constexpr int most_box = 256;
  if (behind % bytes != 0 || all < 1 || all > INT_MAX || neighbours > INT_MAX || width > most_box ||
      box_rows > most_box || stride >= index_t{1} << 40) {
    return {};
  }
  return gpu::tensor_layout{.first = row - behind,
                            .word = size,
                            .extents = {neighbours, ((all - 1) >> log_phases) + 1, 1},
                            .strides = {stride, stride},
                            .box = {width, box_rows, 1},
                            .brought_near = 256};
}

}  // namespace tridia::line_operator
