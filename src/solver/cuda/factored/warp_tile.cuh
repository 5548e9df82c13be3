// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "gpu/copy.cuh"
#include "gpu/launch.cuh"
#include "gpu/tma.cuh"
#include "solver/cuda/factored/substitute.hpp"
#include "solver/system.hpp"

#include <cstdint>

// A tile holds some right-hand sides in shared memory, one per lane of a warp. Asynchronous copies
// load them, whatever their layout, and the solutions are stored from it.
namespace tridia::cuda {

using namespace gpu;
using solver::typed_operands;

template <class V>
class warp_tile {
 public:
  /// Starts the mbarrier of this warp, number `warp`, whose tile is `memory`; `mbarriers` are those
  /// of all warps. A barrier of the block must follow.
  __device__ __forceinline__ warp_tile(const geometry& g, const typed_operands<V>& o,
                                       const substitute_shape& shape, V* memory, int warp,
                                       std::uint64_t* mbarriers)
      : g_(g), o_(o), s_(shape), memory_(memory + shape.front), mbarriers_(mbarriers), warp_(warp) {
    if (lane() == 0) tma::start(mbarriers_ + warp_);
  }

  /// Returns the number of all right-hand sides: neighbours are of one matrix, or of neighbouring
  /// matrices.
  __device__ __forceinline__ index_t lines() const {
    return g_.matrices.size * g_.right_sides.size;
  }

  /// Loads the systems from number `first` on. Ends with a barrier of the warp.
  __device__ __forceinline__ void load(index_t first) {
    const index_t left = lines() - first;
    count_ = left < s_.systems ? static_cast<int>(left) : s_.systems;
    if (has_mine()) find_mine(first + lane());
    // Earlier accesses to the tile by this warp are ordered before the TMA's writes.
    tma::fence_proxy_async();
    __syncwarp();
    wait_for_turn();
    const V* const from = o_.in[layout::rhs];
    if (tma::available && s_.lines && s_.input.wide && all_aligned(from + rhs_)) {
      load_lines(from + rhs_);
    } else {
      load_elements(from);
      wait_for_copies();
      __syncwarp();
      if (lane() == 0) tma::arrive(mbarriers_ + warp_);
    }
    __syncwarp();
    ++round_;
  }

  /// Stores what is in the tile.
  __device__ __forceinline__ void store() {
    if (tma::available && s_.lines && s_.output.wide && all_aligned(o_.x + x_)) {
      if (!has_mine()) return;
      tma::fence_proxy_async();
      tma::store(o_.x + x_, mine(), line_bytes());
      tma::wait_stored();
    } else {
      __syncwarp();
      store_elements(o_.x);
    }
  }

  // This lane's system.
  __device__ __forceinline__ bool has_mine() const { return lane() < count_; }
  __device__ __forceinline__ V* mine() const { return memory_ + lane() * s_.pitch; }
  __device__ __forceinline__ index_t matrix() const { return matrix_; }
  __device__ __forceinline__ index_t status_offset() const { return status_; }
  /// Returns the first row, counted from 1, that is not finite in memory; 0: none. Not to be called
  /// after `store`.
  __device__ index_t first_nonfinite() const {
    const V* at = o_.in[layout::rhs] + rhs_;
    for (int k = 0; k < s_.rows; ++k, at += g_.lines[layout::rhs].step) {
      if (!core::is_finite(*at)) return k + 1;
    }
    return 0;
  }

 private:
  static constexpr unsigned all_lanes = 0xffffffffU;
  static constexpr int unroll = 8;
  static constexpr int pack = sizeof(V) < 16 ? 16 / static_cast<int>(sizeof(V)) : 1;

  static __device__ __forceinline__ int lane() { return static_cast<int>(threadIdx.x) % warp_size; }
  __device__ __forceinline__ unsigned line_bytes() const {
    return static_cast<unsigned>(s_.rows * sizeof(V));
  }
  static __device__ __forceinline__ bool aligned(const void* p) {
    return reinterpret_cast<std::uintptr_t>(p) % 16 == 0;
  }
  __device__ __forceinline__ bool all_aligned(const V* line) const {
    return __all_sync(all_lanes, !has_mine() || aligned(line));
  }
  /// Returns the offset of the tile's first system, given each lane's own.
  static __device__ __forceinline__ index_t of_first(index_t offset) {
    return __shfl_sync(all_lanes, offset, 0);
  }
  /// Returns whether all systems of the tile are there, next to each other, and begin at a multiple
  /// of 16 bytes.
  __device__ __forceinline__ bool is_whole(const V* base, index_t offset) const {
    const index_t first = of_first(offset);
    return __all_sync(all_lanes,
                      lane() >= s_.systems || (has_mine() && offset == first + lane())) &&
           aligned(base + first);
  }

  __device__ __forceinline__ void find_mine(index_t i) {
    const bool sides_inner = g_.right_sides.size >= g_.matrices.size;
    const index_t inner = sides_inner ? g_.right_sides.size : g_.matrices.size;
    const index_t q = inner == lines() ? 0 : i / inner, r = i - q * inner;
    matrix_ = sides_inner ? q : r;
    index_t at[layout::array_count];
    g_.line_offsets(matrix_, sides_inner ? r : q, at);
    rhs_ = at[layout::rhs], x_ = at[layout::x], status_ = at[layout::status];
  }

  /// Waits for this warp's turn: warps load one after another, so that one works while the next one
  /// loads.
  __device__ __forceinline__ void wait_for_turn() const {
    if (s_.loading == 0) return;
    const int turn = round_ * s_.warps + warp_ - s_.loading;
    if (turn >= 0) tma::wait(mbarriers_ + turn % s_.warps, turn / s_.warps & 1);
  }

  __device__ __forceinline__ void load_lines(const V* line) {
    std::uint64_t* const mbarrier = mbarriers_ + warp_;
    if (lane() == 0) tma::expect(mbarrier, static_cast<unsigned>(count_) * line_bytes());
    if (has_mine()) tma::load(mine(), line, line_bytes(), mbarrier);
    tma::wait(mbarrier, round_ & 1);
  }
  __device__ __forceinline__ void load_elements(const V* from) {
    const index_t step = g_.lines[layout::rhs].step;
    const auto done = [](index_t, int, bool) {};
    if (!s_.lines && s_.input.wide && is_whole(from, rhs_)) {
      const V* const first = from + of_first(rhs_);
      for_each_pack(
          step,
          [&](index_t i, int to) {
            __pipeline_memcpy_async(memory_ + to, first + i, 16);
            return true;
          },
          done);
    } else {
      for_each_element(
          s_.input, rhs_, step,
          [&](index_t i, int to) {
            copy_element(memory_ + to, from + i);
            return true;
          },
          done);
    }
  }
  __device__ __forceinline__ void store_elements(V* to) const {
    const index_t step = g_.lines[layout::x].step;
    if (!s_.lines && s_.output.wide && is_whole(to, x_)) {
      V* const first = to + of_first(x_);
      for_each_pack(
          step, [&](index_t, int from) { return *reinterpret_cast<const int4*>(memory_ + from); },
          [&](index_t i, int, int4 v) { *reinterpret_cast<int4*>(first + i) = v; });
    } else {
      for_each_element(
          s_.output, x_, step, [&](index_t, int from) { return memory_[from]; },
          [&](index_t i, int, V v) { to[i] = v; });
    }
  }

  /// Handles rows `row`, row + rows, ...: calls read(place in the array, place in the tile) for
  /// some of them, then write(the same, what was read), so that one need not wait for the other.
  template <class Read, class Write>
  __device__ __forceinline__ void for_each_row(int row, int rows, index_t i, index_t step, int at,
                                               Read read, Write write) const {
    if (rows >= s_.rows) {
      if (row < s_.rows) write(i, at, read(i, at));
      return;
    }
    const index_t i_step = rows * step;
    const int at_step = rows * s_.row_step;
    for (int k = row; k < s_.rows; k += unroll * rows) {
      decltype(read(i, at)) v[unroll];
#pragma unroll
      for (int u = 0; u < unroll; ++u) {
        if (k + u * rows < s_.rows) v[u] = read(i + u * i_step, at + u * at_step);
      }
#pragma unroll
      for (int u = 0; u < unroll; ++u) {
        if (k + u * rows < s_.rows) write(i + u * i_step, at + u * at_step, v[u]);
      }
      i += unroll * i_step, at += unroll * at_step;
    }
  }
  /// Handles rows of neighbouring systems, 16 bytes at a time, from the first system on.
  template <class Read, class Write>
  __device__ __forceinline__ void for_each_pack(index_t step, Read read, Write write) const {
    const int packs = s_.systems / pack, column = lane() % packs * pack, row = lane() / packs;
    for_each_row(row, warp_size / packs, row * step + column, step, row * s_.row_step + column,
                 read, write);
  }
  /// Handles all elements; `offset` is that of this lane's system.
  template <class Read, class Write>
  __device__ __forceinline__ void for_each_element(const system_copy& c, index_t offset,
                                                   index_t step, Read read, Write write) const {
    const int rows = warp_size / c.lanes;
    const int column = c.interleaved ? lane() % c.lanes : lane() / rows;
    const int row = c.interleaved ? lane() / c.lanes : lane() % rows;
    for (int first = 0; first < count_; first += c.lanes) {
      const int system = first + column;
      const index_t i = __shfl_sync(all_lanes, offset, system) + row * step;
      if (system >= count_) continue;
      for_each_row(row, rows, i, step, system * s_.pitch + row * s_.row_step, read, write);
    }
  }

  const geometry& g_;
  const typed_operands<V>& o_;
  const substitute_shape& s_;
  V* memory_;
  std::uint64_t* mbarriers_;
  int warp_, round_ = 0, count_ = 0;
  index_t matrix_ = 0, rhs_ = 0, x_ = 0, status_ = 0;
};

}  // namespace tridia::cuda
