// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "solver/cuda/partition/interface.cuh"
#include "solver/cuda/partition/interleaved.hpp"
#include "solver/cuda/partition/solve_status.cuh"
#include "solver/cuda/partition/tile_arrays.hpp"

// Neighbouring threads hold chunks of neighbouring systems, whose interface is solved by other
// threads: equations and interface unknowns pass through shared memory.
namespace tridia::cuda {

using namespace gpu;

/// Divides a block's shared memory.
template <class V, pivoting P, int Sides = 1>
struct interleaved_memory {
  using arrays_moved = arrays_of_sides<V, Sides>;
  using equations = typename core::chunk<V, P, side_values<V, Sides>>::equations;

  V* arrays;         // of the tile
  V* exchanged;      // equations, then ends, of every group of chunks
  int pitch;         // between their words
  equations* nodes;  // a system's in each block
  index_t* bases;    // of the tile
  std::uint64_t *mbarrier, *dsmem_exchange;
  solve_status found;

  __device__ __forceinline__ interleaved_memory(const interleaved_shape& s, unsigned char* memory)
      : arrays(reinterpret_cast<V*>(memory)),
        exchanged(arrays +
                  (Sides == 1 ? layout::geometry::inputs * s.array_pitch : s.tile_elements())),
        pitch(s.groups * (s.systems + 1)),
        nodes(reinterpret_cast<equations*>(
            exchanged + static_cast<int>(sizeof(equations) / sizeof(V)) * pitch)),
        bases(reinterpret_cast<index_t*>(nodes + s.systems * s.blocks)),
        mbarrier(reinterpret_cast<std::uint64_t*>(bases + arrays_moved::geometry::arrays)),
        dsmem_exchange(mbarrier + 1) {
    int* const flags = reinterpret_cast<int*>(dsmem_exchange + exchange_barriers(s.blocks));
    found = {flags, flags + s.systems, flags + 2 * s.systems};
  }
};

/// Holds this thread's places: of its chunk, and of the group of chunks that it stands for where
/// the lanes of a warp hold the groups of few systems instead of the chunks of many.
struct places {
  int system, chunk, group, lane_chunk;  // lane_chunk: in the group
  int chunks_here, stride;               // of the group, but for empty ones; lanes between them
  chunk_place of_group;

  __device__ __forceinline__ places(const interleaved_shape& s, int rank, int rows, int round) {
    const int thread = static_cast<int>(threadIdx.x), in_group = 1 << s.log_in_group;
    system = (thread & (s.systems - 1)) + round * s.threads(), chunk = thread >> s.log_systems;
    group = chunk >> s.log_in_group, lane_chunk = chunk & (in_group - 1);
    const int chunks = s.by_chunk_rows.quotient(rows + s.chunk_rows - 1);
    chunks_here = max(min(chunks - group * in_group, in_group), 0);
    stride = s.systems;
    const int groups = (chunks + in_group - 1) >> s.log_in_group;
    const int other = thread >> s.log_lanes, at = thread & (s.exchange_lanes() - 1);
    const bool used = other < s.systems;
    of_group = {used ? other : -1, at,   at,      used && at < groups ? at : -1, groups, 0, 1,
                warp_size,         rank, s.blocks};
  }
  /// Rows of the system from the first one of this thread's chunk on.
  __device__ __forceinline__ int rows_below(const interleaved_shape& s) const {
    return s.rows - of_group.rank * s.block_rows - chunk * s.chunk_rows;
  }
  __device__ __forceinline__ bool has_chunk() const { return lane_chunk < chunks_here; }
};

/// Passes the equations of this thread's chunk to the threads that solve the interface of its
/// system, and the interface unknowns back. All threads of the block take part: `up` and `show`,
/// then a barrier, `of_group` and `answer`, then a barrier, `answered` and `down`.
template <class V, pivoting P, class R = V>
class chunk_exchange {
 public:
  using equations = typename core::chunk<V, P, R>::equations;
  using unknowns = typename core::chunk<V, P, R>::unknowns;

  /// `exchanged`: room for the values of all groups, `pitch` apart.
  __device__ __forceinline__ chunk_exchange(const places& p, const interleaved_shape& s,
                                            V* exchanged, int pitch)
      : lanes_(p.has_chunk() ? p.lane_chunk : -1, p.chunks_here, p.stride),
        p_(p),
        s_(s),
        exchanged_(exchanged),
        pitch_(pitch) {}

  /// Returns the equations of this thread's group of chunks.
  template <class Monitor>
  __device__ __forceinline__ equations up(const equations& mine, Monitor& monitor) {
    if (s_.log_in_group == 0) return monitor.poison(1u << threadIdx.x % warp_size, mine);
    return p_.chunks_here > 0 ? lanes_.up(mine, monitor) : mine;
  }
  __device__ __forceinline__ void show(const equations& all) const {
    if (p_.lane_chunk == 0) put(all, of_chunk());
  }
  /// Returns whether a thread of this warp stands for a group.
  [[nodiscard]] __device__ __forceinline__ bool any_part() const {
    return __any_sync(whole_warp, p_.of_group.system >= 0);
  }
  /// Returns the equations of the group that this thread stands for.
  [[nodiscard]] __device__ __forceinline__ equations of_group() const {
    equations all{};
    if (is_grouped()) all = get<equations>(of_other());
    return all;
  }
  __device__ __forceinline__ void answer(const unknowns& of_group) const {
    if (is_grouped()) put(of_group, of_other());
  }
  /// Returns the interface unknowns of this thread's group of chunks.
  [[nodiscard]] __device__ __forceinline__ unknowns answered() const {
    return get<unknowns>(of_chunk());
  }
  /// Returns those of its chunk.
  [[nodiscard]] __device__ __forceinline__ unknowns down(const unknowns& of_group) const {
    return p_.chunks_here > 0 ? lanes_.down(of_group) : of_group;
  }

 private:
  __device__ __forceinline__ bool is_grouped() const {
    return p_.of_group.system >= 0 && p_.of_group.lane < s_.groups;
  }
  __device__ __forceinline__ V* of_chunk() const {
    return exchanged_ + p_.group * (s_.systems + 1) + p_.system;
  }
  __device__ __forceinline__ V* of_other() const {
    return exchanged_ + p_.of_group.lane * (s_.systems + 1) + p_.of_group.system;
  }
  template <class T>
  __device__ __forceinline__ void put(const T& values, V* at) const {
    values.map([&](const auto& v) {
      store_sides(v, at, pitch_);
      at += static_cast<int>(sizeof v / sizeof(V)) * pitch_;
      return v;
    });
  }
  template <class T>
  __device__ __forceinline__ T get(const V* at) const {
    return T{}.map([&](const auto& of) {
      constexpr int count = static_cast<int>(sizeof of / sizeof(V));
      const auto v = load_sides<V, count>(at, pitch_);
      at += count * pitch_;
      return v;
    });
  }

  warp_level<V, P, R> lanes_;
  const places& p_;
  const interleaved_shape& s_;
  V* exchanged_;
  int pitch_;
};

}  // namespace tridia::cuda
