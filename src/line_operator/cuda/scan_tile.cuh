// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "gpu/copy.cuh"
#include "gpu/tensor_map.hpp"
#include "gpu/tma.cuh"
#include "layout/line_status.hpp"
#include "line_operator/cuda/scan.hpp"

#include <climits>

// line_tile moves tiles of lines between device and shared memory.
namespace tridia::line_operator {

using namespace gpu;

template <class V>
struct scan_arrays {
  const V* in;
  V* out;
  line_copy_mode input, output;
  CUtensorMap in_map, out_map;
  bool accumulate;
};

/// Fills x of the lines of a tile in which a row was `found` with NaN, and resets `found`. To be
/// called by one warp, after its own stores by the TMA and those of the other threads.
template <class V>
__device__ __noinline__ void fill_lines(const geometry&, const scan_arrays<V>&, const scan_shape&,
                                        index_t tile, int* found);

template <class V>
class line_tile {
 public:
  __device__ __forceinline__ line_tile(const geometry& g, const scan_arrays<V>& a,
                                       const scan_shape& s)
      : g_(g), a_(a), s_(s) {}

  /// These return the number of all lines, of the lines that a tile has, and the index of each.
  __device__ __forceinline__ index_t lines() const { return g_.right_sides.size; }
  __device__ __forceinline__ int count(index_t tile) const {
    const index_t left =
        s_.interleaved ? fastest() - first_of(tile) : g_.right_sides.size - tile * s_.lines;
    return static_cast<int>(min(left, index_t{s_.lines}));
  }
  __device__ __forceinline__ index_t number(index_t tile, int line) const {
    return s_.interleaved ? outer(tile) * fastest() + first_of(tile) + line
                          : tile * s_.lines + line;
  }
  __device__ __forceinline__ bool loads_ahead() const {
    return a_.input != line_copy_mode::elements;
  }

  /// Loads a tile by the TMA. To be called by one warp.
  __device__ __forceinline__ void load_async(index_t tile, V* to, std::uint64_t* mbarrier) const {
    const int lane = static_cast<int>(threadIdx.x) % warp_size;
    if (a_.input == line_copy_mode::boxes) {
      if (lane > 0) return;
      if (!s_.interleaved) {
        tma::expect(mbarrier, static_cast<unsigned>(s_.lines * s_.pitch * sizeof(V)));
        tma::load_box(to, a_.in_map, -s_.front * tensor_words<V>, first_line(tile), 0, mbarrier);
        return;
      }
      const int boxes = ceil_div(s_.points, s_.box_rows);
      const int elements = s_.box_rows * s_.lines;
      tma::expect(mbarrier, static_cast<unsigned>(boxes * elements * sizeof(V)));
      for (int i = 0; i < boxes; ++i) {
        tma::load_box(to + s_.front * s_.pitch + i * elements, a_.in_map, column(tile),
                      i * s_.box_rows, outer(tile), mbarrier);
      }
      return;
    }
    if (s_.whole) {
      if (lane == 0) load_piece(tile, to, mbarrier);
      return;
    }
    const int lines = count(tile);
    const auto bytes = static_cast<unsigned>(s_.points * sizeof(V));
    if (lane == 0) tma::expect(mbarrier, static_cast<unsigned>(lines) * bytes);
    __syncwarp();
    for (int line = lane; line < lines; line += warp_size) {
      tma::load(to + place(line, 0), a_.in + start(layout::rhs, number(tile, line)), bytes,
                mbarrier);
    }
  }
  /// Stores a tile by the TMA. To be called by one warp, after `fence_proxy_async` and a barrier.
  __device__ __forceinline__ void store_async(index_t tile, const V* from) const {
    const int lane = static_cast<int>(threadIdx.x) % warp_size;
    if (a_.output == line_copy_mode::boxes) {
      if (lane > 0) return;
      if (!s_.interleaved) {
        tma::store_box(a_.out_map, 0, first_line(tile), 0, from + s_.front);
        return;
      }
      const int elements = s_.box_rows * s_.lines;
      for (int k = 0, i = 0; k < s_.rows; k += s_.box_rows, ++i) {
        tma::store_box(a_.out_map, column(tile), k, outer(tile),
                       from + s_.front * s_.pitch + i * elements);
      }
      return;
    }
    if (s_.whole) {
      if (lane == 0) store_piece(tile, from);
      return;
    }
    const int lines = count(tile);
    for (int line = lane; line < lines; line += warp_size) {
      tma::store(a_.out + start(layout::x, number(tile, line)), from + place(line, 0),
                 static_cast<unsigned>(s_.rows * sizeof(V)));
    }
  }

  /// Starts to load a tile element by element: `wait_for_copies` waits for it. To be called by all
  /// threads.
  __device__ __forceinline__ void load(index_t tile, V* to) const {
    for_each_line(tile, layout::rhs, [&](int line, index_t at, int first, int step) {
      const index_t stride = g_.lines[layout::rhs].step;
#pragma unroll 4
      for (int k = first; k < s_.points; k += step) {
        copy_element(to + place(line, k), a_.in + at + k * stride);
      }
    });
  }
  __device__ __forceinline__ void store(index_t tile, const V* from) const {
    for_each_line(tile, layout::x, [&](int line, index_t at, int first, int step) {
      const index_t stride = g_.lines[layout::x].step;
#pragma unroll 4
      for (int k = first; k < s_.rows; k += step) {
        V* const to = a_.out + at + k * stride;
        *to = a_.accumulate ? *to + from[place(line, k)] : from[place(line, k)];
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
      if (i < n) to[i * stride] = a_.accumulate ? to[i * stride] + value[i] : value[i];
    }
  }

  /// Fills lines that have failed: see fill_lines.
  __device__ __forceinline__ void fill(index_t tile, int* found) const {
    fill_lines(g_, a_, s_, tile, found);
  }

  /// Returns where a point of a line lies in a tile.
  __device__ __forceinline__ int place(int line, int k) const {
    return s_.interleaved ? (k + s_.front) * s_.pitch + line : line * s_.pitch + s_.front + k;
  }
  /// Returns where a line begins in an array.
  __device__ __forceinline__ index_t start(int array, index_t number) const {
    index_t at[layout::array_count];
    g_.right_sides.offsets(number, at);
    return at[array] + g_.lines[array].origin;
  }

 private:
  /// Returns the elements of a tile of lines that follow each other, and how many of them the TMA
  /// moves: those beyond are of the very last tile alone.
  __device__ __forceinline__ int piece(index_t tile) const { return count(tile) * s_.rows; }
  __device__ __forceinline__ static int by_tma(int elements) {
    constexpr int granule = 16 / static_cast<int>(sizeof(V));
    return granule > 1 ? elements / granule * granule : elements;
  }
  // One thread calls these two.
  __device__ __forceinline__ void load_piece(index_t tile, V* to, std::uint64_t* mbarrier) const {
    const int all = piece(tile), most = by_tma(all);
    const V* const from = a_.in + start(layout::rhs, number(tile, 0));
    to += s_.front;
    for (int i = most; i < all; ++i) to[i] = from[i];
    const auto bytes = static_cast<unsigned>(most * sizeof(V));
    tma::expect(mbarrier, bytes);
    if (bytes > 0) tma::load(to, from, bytes, mbarrier);
  }
  __device__ __forceinline__ void store_piece(index_t tile, const V* from) const {
    const int all = piece(tile), most = by_tma(all);
    V* const to = a_.out + start(layout::x, number(tile, 0));
    from += s_.front;
    if (most > 0) tma::store(to, from, static_cast<unsigned>(most * sizeof(V)));
    for (int i = most; i < all; ++i) to[i] = from[i];
  }
  __device__ __forceinline__ index_t fastest() const {
    return g_.right_sides.at[g_.right_sides.count - 1].extent;
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
    if (s_.interleaved) {
      const int line = thread & (s_.lines - 1);
      if (line < lines) {
        f(line, start(array, number(tile, line)), thread >> s_.log_lines,
          s_.threads >> s_.log_lines);
      }
      return;
    }
    for (int line = thread / warp_size; line < lines; line += s_.threads / warp_size) {
      f(line, start(array, number(tile, line)), thread % warp_size, warp_size);
    }
  }

  const geometry& g_;
  const scan_arrays<V>& a_;
  const scan_shape& s_;
};

template <class V>
__device__ __noinline__ void fill_lines(const geometry& g, const scan_arrays<V>& arrays,
                                        const scan_shape& s, index_t tile, int* found) {
  const int lane = static_cast<int>(threadIdx.x) % warp_size;
  const line_tile<V> tiles(g, arrays, s);
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

}  // namespace tridia::line_operator
