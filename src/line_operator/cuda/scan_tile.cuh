// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "gpu/copy.cuh"
#include "gpu/tensor_map.hpp"
#include "gpu/tma.cuh"
#include "gpu/warp.cuh"
#include "layout/line_status.hpp"
#include "line_operator/cuda/scan.hpp"

#include <climits>
#include <type_traits>

// line_tile moves tiles of lines between device and shared memory.
namespace tridia::line_operator {

using namespace gpu;

/// Says whether memory itself adds elements of V to an array, so that nothing waits for the sum.
template <class V>
inline constexpr bool adds_in_memory = std::is_same_v<V, float> || std::is_same_v<V, double>;

/// Adds to an element of an array that no other thread writes.
template <class V>
__device__ __forceinline__ void add_to(V* element, const V& value) {
  if constexpr (std::is_same_v<V, float>) {
    asm volatile("red.relaxed.gpu.global.add.f32 [%0], %1;" ::"l"(element), "f"(value) : "memory");
  } else if constexpr (std::is_same_v<V, double>) {
    asm volatile("red.relaxed.gpu.global.add.f64 [%0], %1;" ::"l"(element), "d"(value) : "memory");
  } else {
    *element = *element + value;
  }
}

template <class V>
struct scan_arrays {
  const V* in;
  V* out;
  line_copy_mode input, output;
  // Where rows are in phases, or lines begin anywhere, these are the elements from a multiple of 16
  // bytes to row 0, or to where `in` points, and to the end of the last line.
  int begin;
  index_t end;
  bool accumulate;
  // These are the maps of the phases of rows of `in`, or of `in`, and at the end of `out`: rows in
  // phases are not stored by the TMA.
  static constexpr int most_maps = most_phases(sizeof(V)) > 2 ? most_phases(sizeof(V)) : 2;
  CUtensorMap maps[most_maps];
};

/// Finds the points of a tile's lines in shared memory.
template <tile_kind Kind>
struct tile_places {
  const scan_shape& s;
  int first, begin;   // of rows in phases
  const int* behind;  // null, or of each line: where lines in memory order begin anywhere

  /// Returns the place of a line, from which `of` finds its points.
  __device__ __forceinline__ int base(int line) const {
    if constexpr (Kind == tile_kind::phased) return line;
    if constexpr (Kind == tile_kind::across) return s.in_tile.front + line;
    return line * s.line_pitch + s.in_tile.front + (behind != nullptr ? behind[line] : 0);
  }
  __device__ __forceinline__ int of(int base, int k) const {
    if constexpr (Kind == tile_kind::phased) return base + s.in_tile.place(first, begin, k);
    return Kind == tile_kind::across ? base + k * s.in_tile.pitch : base + k;
  }
  __device__ __forceinline__ int operator()(int line, int k) const { return of(base(line), k); }
};

/// Fills x of the lines of a tile in which a row was `found` with NaN, and resets `found`. To be
/// called by one warp, after its own stores by the TMA and those of the other threads.
template <class V, tile_kind Kind>
__device__ __noinline__ void fill_lines(const geometry&, const scan_arrays<V>&, const scan_shape&,
                                        index_t tile, int* found);

/// Loads lines in memory order that begin anywhere: all pieces of 16 bytes that they touch, but for
/// the one that the array ends in. A line lies in shared memory as far `behind` a multiple of 16
/// bytes as in the array, so that it can be stored from there. To be called by one warp.
template <class V>
__device__ __noinline__ void load_lines_anywhere(const geometry&, const scan_arrays<V>&,
                                                 const scan_shape&, index_t tile, V* to,
                                                 int* behind, std::uint64_t* mbarrier);
/// Stores such lines: whole pieces by the TMA, what is left of a line at its ends by elements.
template <class V>
__device__ __noinline__ void store_lines_anywhere(const geometry&, const scan_arrays<V>&,
                                                  const scan_shape&, index_t tile, const V* from,
                                                  const int* behind);

template <class V, tile_kind Kind>
class line_tile {
 public:
  static constexpr bool interleaved = Kind != tile_kind::along;
  static constexpr int most_maps = scan_arrays<V>::most_maps;
  using places_of = tile_places<Kind>;

  __device__ __forceinline__ line_tile(const geometry& g, const scan_arrays<V>& a,
                                       const scan_shape& s)
      : g_(g), a_(a), s_(s) {}

  /// These return the number of all lines, of those on the fastest axis, of the lines that a tile
  /// has, and the index of each.
  __device__ __forceinline__ index_t lines() const { return g_.right_sides.size; }
  __device__ __forceinline__ index_t fastest() const {
    return g_.right_sides.at[g_.right_sides.count - 1].extent;
  }
  __device__ __forceinline__ int count(index_t tile) const {
    const index_t left =
        interleaved ? fastest() - first_of(tile) : g_.right_sides.size - tile * s_.lines;
    return static_cast<int>(min(left, index_t{s_.lines}));
  }
  __device__ __forceinline__ index_t number(index_t tile, int line) const {
    return interleaved ? outer(tile) * fastest() + first_of(tile) + line : tile * s_.lines + line;
  }

  /// Loads a tile by the TMA, and enters in `behind` where lines begin, if that is anywhere. To be
  /// called by one warp.
  __device__ __forceinline__ void load_async(index_t tile, V* to, int* behind,
                                             std::uint64_t* mbarrier) const {
    const int lane = static_cast<int>(threadIdx.x) % warp_size;
    if constexpr (interleaved) {
      if (lane > 0) return;
      s_.whole ? load_piece(tile, to, mbarrier) : load_rows(tile, to, mbarrier);
    } else if (a_.input == line_copy_mode::boxes) {
      if (lane > 0) return;
      tma::expect(mbarrier, static_cast<unsigned>(s_.lines * s_.line_pitch * sizeof(V)));
      tma::load_box(to, a_.maps[0], -s_.in_tile.front * tensor_words<V>, first_line(tile), 0,
                    mbarrier);
    } else if (s_.whole) {
      if (lane == 0) load_piece(tile, to, mbarrier);
    } else if (s_.in_tile.in_piece > 0) {
      load_lines_anywhere(g_, a_, s_, tile, to, behind, mbarrier);
    } else {
      const int lines = count(tile);
      const auto bytes = static_cast<unsigned>(s_.points * sizeof(V));
      if (lane == 0) tma::expect(mbarrier, static_cast<unsigned>(lines) * bytes);
      __syncwarp();
      for (int line = lane; line < lines; line += warp_size) {
        tma::load(to + place_of(line), a_.in + start(layout::rhs, number(tile, line)), bytes,
                  mbarrier);
      }
    }
  }
  /// Stores a tile by the TMA, or adds it. To be called by one warp, after `fence_proxy_async` and
  /// a barrier.
  __device__ __forceinline__ void store_async(index_t tile, const V* from,
                                              const int* behind) const {
    const int lane = static_cast<int>(threadIdx.x) % warp_size;
    if constexpr (interleaved) {
      if (lane > 0) return;
      if (s_.whole) return store_piece(tile, from);
      for (int k = 0; k < s_.rows; k += s_.box_rows) {
        put_box(column(tile), k, outer(tile), from + s_.in_tile.front + k * s_.in_tile.pitch);
      }
    } else if (a_.output == line_copy_mode::boxes) {
      if (lane > 0) return;
      put_box(0, first_line(tile), 0, from + s_.in_tile.front);
    } else if (s_.whole) {
      if (lane == 0) store_piece(tile, from);
    } else if (s_.in_tile.in_piece > 0) {
      store_lines_anywhere(g_, a_, s_, tile, from, behind);
    } else {
      const int lines = count(tile);
      for (int line = lane; line < lines; line += warp_size) {
        tma::store(a_.out + start(layout::x, number(tile, line)), from + place_of(line),
                   static_cast<unsigned>(s_.rows * sizeof(V)));
      }
    }
  }

  /// Starts to load a tile element by element: `wait_for_copies` waits for it. To be called by all
  /// threads.
  __device__ __forceinline__ void load(index_t tile, V* to) const {
    const auto place = places(tile, nullptr);
    for_each_line(tile, layout::rhs, [&](int line, index_t at, int first, int step) {
      const index_t stride = g_.lines[layout::rhs].step;
#pragma unroll 4
      for (int k = first; k < s_.points; k += step) {
        copy_element(to + place(line, k), a_.in + at + k * stride);
      }
    });
  }
  __device__ __forceinline__ void store(index_t tile, const V* from, const int* behind) const {
    const auto place = places(tile, behind);
    for_each_line(tile, layout::x, [&](int line, index_t at, int first, int step) {
      const index_t stride = g_.lines[layout::x].step;
#pragma unroll 4
      for (int k = first; k < s_.rows; k += step) {
        V* const to = a_.out + at + k * stride;
        a_.accumulate ? add_to(to, from[place(line, k)]) : void(*to = from[place(line, k)]);
      }
    });
  }

  /// Stores rows of a line, from row k0 on, that this thread holds.
  template <int Rows>
  __device__ __forceinline__ void store_rows(index_t tile, int line, int k0, int n,
                                             const V (&value)[Rows]) const {
    if (line >= count(tile)) return;
    const index_t stride = g_.lines[layout::x].step;
    V* const to = a_.out + start(layout::x, number(tile, line)) + k0 * stride;
#pragma unroll
    for (int i = 0; i < Rows; ++i) {
      if (i < n)
        a_.accumulate ? add_to(to + i * stride, value[i]) : void(to[i * stride] = value[i]);
    }
  }

  /// Fills lines that have failed: see fill_lines.
  __device__ __forceinline__ void fill(index_t tile, int* found) const {
    fill_lines<V, Kind>(g_, a_, s_, tile, found);
  }

  /// Returns the places of the points of a tile's lines. `behind`: as load_async has entered it.
  __device__ __forceinline__ places_of places(index_t tile, const int* behind) const {
    if constexpr (Kind == tile_kind::phased) {
      const int phases = s_.in_tile.phases();
      return {s_, static_cast<int>(first_row(tile)) & (phases - 1), a_.begin, nullptr};
    } else {
      return {s_, 0, 0, behind};
    }
  }
  /// Returns where a line in memory order begins in a tile, or the piece that it begins in.
  __device__ __forceinline__ int place_of(int line) const {
    return line * s_.line_pitch + s_.in_tile.front;
  }
  /// Returns where a line begins in an array.
  __device__ __forceinline__ index_t start(int array, index_t number) const {
    index_t at[layout::array_count];
    g_.right_sides.offsets(number, at);
    return at[array] + g_.lines[array].origin;
  }

 private:
  /// Loads neighbouring lines, phase by phase of their rows. One thread calls this.
  __device__ __forceinline__ void load_rows(index_t tile, V* to, std::uint64_t* mbarrier) const {
    const phased_rows& r = s_.in_tile;
    // Where rows are in phases, those of all points of the outer axis follow each other.
    constexpr bool phased = Kind == tile_kind::phased;
    const int phases = phased ? r.phases() : 1;
    const int row = phased ? static_cast<int>(first_row(tile) >> r.log) : 0;
    const int at = phased ? 0 : outer(tile);
    const int of_phase = phased ? (s_.points + 2 * (phases - 1)) >> r.log : s_.points;
    const int boxes = ceil_div(of_phase, s_.box_rows), elements = s_.box_rows * r.pitch;
    tma::expect(mbarrier, static_cast<unsigned>(phases * boxes * elements * sizeof(V)));
#pragma unroll 1
    for (int phase = 0; phase < phases; ++phase) {
      V* const rows = to + phase * r.phase_pitch + r.front;
#pragma unroll 1
      for (int i = 0; i < boxes; ++i) {
        tma::load_box(rows + i * elements, a_.maps[phase], column(tile), row + i * s_.box_rows, at,
                      mbarrier);
      }
    }
  }
  __device__ __forceinline__ void put_box(int i, int j, int k, const V* from) const {
    const CUtensorMap& to = a_.maps[most_maps - 1];
    tma::put_box(to, i, j, k, from, adds_in_memory<V> && a_.accumulate);
  }
  /// Returns the row of `in` that is a tile's first, if rows are in phases.
  __device__ __forceinline__ index_t first_row(index_t tile) const {
    return outer(tile) * s_.outer_rows;
  }
  /// Returns the elements of a tile that is moved in one piece: of lines that follow each other, or
  /// of neighbouring ones.
  __device__ __forceinline__ int piece(index_t tile, int rows) const {
    return (interleaved ? s_.in_tile.pitch : count(tile)) * rows;
  }
  /// Returns how many elements of a piece the TMA moves: those beyond are of the very last tile of
  /// lines that follow each other.
  __device__ __forceinline__ static int by_tma(int elements) {
    constexpr int granule = 16 / static_cast<int>(sizeof(V));
    return granule > 1 ? elements / granule * granule : elements;
  }
  // One thread calls these two.
  __device__ __forceinline__ void load_piece(index_t tile, V* to, std::uint64_t* mbarrier) const {
    const int all = piece(tile, s_.points), most = by_tma(all);
    const V* const from = a_.in + start(layout::rhs, number(tile, 0));
    to += s_.in_tile.front;
    for (int i = most; i < all; ++i) to[i] = from[i];
    const auto bytes = static_cast<unsigned>(most * sizeof(V));
    tma::expect(mbarrier, bytes);
    if (bytes > 0) tma::load(to, from, bytes, mbarrier);
  }
  __device__ __forceinline__ void store_piece(index_t tile, const V* from) const {
    const int all = piece(tile, s_.rows), most = by_tma(all);
    V* const to = a_.out + start(layout::x, number(tile, 0));
    from += s_.in_tile.front;
    if (most > 0) tma::store(to, from, static_cast<unsigned>(most * sizeof(V)));
    for (int i = most; i < all; ++i) to[i] = from[i];
  }
  __device__ __forceinline__ int first_line(index_t tile) const {
    return static_cast<int>(tile) * s_.lines;
  }
  // These return the place of an interleaved tile on the fastest axis, and on the others.
  __device__ __forceinline__ int first_of(index_t tile) const {
    const auto axis_tiles = static_cast<unsigned>(s_.axis_tiles);
    return static_cast<int>(static_cast<unsigned>(tile) % axis_tiles) * s_.lines;
  }
  __device__ __forceinline__ int column(index_t tile) const {
    return first_of(tile) * tensor_words<V>;
  }
  __device__ __forceinline__ int outer(index_t tile) const {
    return static_cast<int>(static_cast<unsigned>(tile) / static_cast<unsigned>(s_.axis_tiles));
  }
  /// Calls f(line, where it begins, first point, step) for this thread's part of every line.
  template <class F>
  __device__ __forceinline__ void for_each_line(index_t tile, int array, F f) const {
    const int thread = static_cast<int>(threadIdx.x), lines = count(tile);
    if constexpr (interleaved) {
      // Tiles of several rounds may have more lines than there are threads.
      const int together = s_.lines <= s_.threads ? s_.lines : s_.round_lines;
      for (int line = thread & (together - 1); line < lines; line += together) {
        f(line, start(array, number(tile, line)), thread / together, s_.threads / together);
      }
    } else {
      for (int line = thread / warp_size; line < lines; line += s_.threads / warp_size) {
        f(line, start(array, number(tile, line)), thread % warp_size, warp_size);
      }
    }
  }

  const geometry& g_;
  const scan_arrays<V>& a_;
  const scan_shape& s_;
};

template <class V, tile_kind Kind>
__device__ __noinline__ void fill_lines(const geometry& g, const scan_arrays<V>& arrays,
                                        const scan_shape& s, index_t tile, int* found) {
  const int lane = static_cast<int>(threadIdx.x) % warp_size;
  const line_tile<V, Kind> tiles(g, arrays, s);
  tma::wait_written();
  __syncwarp();
  for (int line = 0; line < tiles.count(tile); ++line) {
    if (found[line] == INT_MAX) continue;
    V* const x = arrays.out + tiles.start(layout::x, tiles.number(tile, line));
    layout::fill_line_with_nan(x, g.lines[layout::x].step, s.rows, lane, warp_size);
  }
  __syncwarp();
  for (int line = lane; line < tiles.count(tile); line += warp_size) found[line] = INT_MAX;
}

template <class V>
__device__ __noinline__ void load_lines_anywhere(const geometry& g, const scan_arrays<V>& arrays,
                                                 const scan_shape& s, index_t tile, V* to,
                                                 int* behind, std::uint64_t* mbarrier) {
  const line_tile<V, tile_kind::along> tiles(g, arrays, s);
  const int lane = static_cast<int>(threadIdx.x) % warp_size, lines = tiles.count(tile);
  const int in_piece = s.in_tile.in_piece;
  // Returns the elements to load from the piece on in which a line begins.
  const auto elements_of = [&](index_t at, int shift) {
    const int all = (shift + s.points + in_piece) & ~in_piece;
    return at - shift + all <= arrays.end ? all : all - in_piece - 1;
  };
  unsigned elements = 0;
  for (int line = lane; line < s.lines; line += warp_size) {
    behind[line] = 0;  // threads look also where the last tile has no lines
    if (line >= lines) continue;
    const index_t at = tiles.start(layout::rhs, tiles.number(tile, line));
    const int shift = (arrays.begin + static_cast<int>(at)) & in_piece;
    const int loaded = elements_of(at, shift);
    V* const first = to + tiles.place_of(line) + shift;
    for (int k = loaded - shift; k < s.points; ++k) first[k] = arrays.in[at + k];
    behind[line] = shift;
    elements += static_cast<unsigned>(loaded);
  }
  elements = __reduce_add_sync(whole_warp, elements);
  __syncwarp();
  if (lane == 0) tma::expect(mbarrier, elements * static_cast<unsigned>(sizeof(V)));
  __syncwarp();
  for (int line = lane; line < lines; line += warp_size) {
    const index_t at = tiles.start(layout::rhs, tiles.number(tile, line));
    const int shift = behind[line], loaded = elements_of(at, shift);
    tma::load(to + tiles.place_of(line), arrays.in + at - shift,
              static_cast<unsigned>(loaded * sizeof(V)), mbarrier);
  }
}

template <class V>
__device__ __noinline__ void store_lines_anywhere(const geometry& g, const scan_arrays<V>& arrays,
                                                  const scan_shape& s, index_t tile, const V* from,
                                                  const int* behind) {
  const line_tile<V, tile_kind::along> tiles(g, arrays, s);
  const int lane = static_cast<int>(threadIdx.x) % warp_size, in_piece = s.in_tile.in_piece;
  for (int line = lane; line < tiles.count(tile); line += warp_size) {
    const int head = -behind[line] & in_piece;
    const int inside = (s.rows - head) & ~in_piece;
    V* const to = arrays.out + tiles.start(layout::x, tiles.number(tile, line));
    const V* const rows = from + tiles.place_of(line) + behind[line];
    tma::store(to + head, rows + head, static_cast<unsigned>(inside * sizeof(V)));
    for (int k = 0; k < head; ++k) to[k] = rows[k];
    for (int k = head + inside; k < s.rows; ++k) to[k] = rows[k];
  }
}

}  // namespace tridia::line_operator
