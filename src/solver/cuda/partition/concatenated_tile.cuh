// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "core/complex.hpp"
#include "gpu/block.cuh"
#include "gpu/cluster.cuh"
#include "gpu/copy.cuh"
#include "gpu/tma.cuh"
#include "solver/cuda/partition/onchip.hpp"
#include "solver/cuda/partition/tensor_maps.hpp"
#include "solver/cuda/partition/tile_arrays.hpp"
#include "solver/system.hpp"

// A tile holds consecutive systems of any lengths in shared memory, in the order of device memory.
// They are solved as one system: nothing couples a system to the next but sub of its first row and
// sup of its last, and these are zeros here, which decouple exactly, with and without interchanges.
// Only what is not finite goes through a zero, so a group that comes out not finite is solved
// again, each system by itself.
namespace tridia::cuda {

using namespace gpu;
using solver::typed_operands;

template <class V, class Arrays = solve_arrays<V>>
class concatenated_tile {
 public:
  using geometry = typename Arrays::geometry;
  using operands = typename Arrays::operands;
  using maps_of_boxes = tensor_maps_of<geometry::inputs, geometry::outputs>;
  static constexpr int inputs = geometry::inputs, outputs = geometry::outputs;

  /// Groups have any number of chunks.
  static constexpr bool uneven = true;
  /// So many threads call `expect` on the mbarrier, one per array.
  static constexpr unsigned expecting = inputs;

  /// `starts` has room for one entry more than systems, if these are of different lengths.
  __device__ __forceinline__ concatenated_tile(const geometry& g, const operands& o,
                                               const maps_of_boxes*, const onchip_shape& shape,
                                               V* memory, void* starts, tma::mbarrier& mbarrier,
                                               const block_place& at)
      : g_(g),
        o_(o),
        s_(shape),
        memory_(memory),
        starts_(static_cast<int*>(starts)),
        mbarrier_(mbarrier) {
    if (s_.group_starts) {
      const group_start first = s_.group_starts[at.group], end = s_.group_starts[at.group + 1];
      first_ = first.system, row0_ = first.row;
      count_ = static_cast<int>(end.system - first_), rows_ = static_cast<int>(end.row - row0_);
      chunk_rows_ = max((rows_ + s_.threads - 1) / s_.threads | 1, 3);
    } else {
      first_ = index_t{at.group} * s_.concatenated_systems, row0_ = first_ * g_.rows;
      const index_t left = g_.matrices.size - first_;
      count_ = left < s_.concatenated_systems ? static_cast<int>(left) : s_.concatenated_systems;
      rows_ = count_ * static_cast<int>(g_.rows);
      chunk_rows_ = s_.chunk_rows;
    }
  }

  __device__ __forceinline__ int rank() const { return 0; }
  __device__ __forceinline__ index_t first_row() const { return 0; }
  __device__ __forceinline__ int rows() const { return rows_; }
  __device__ __forceinline__ int chunk_rows() const { return chunk_rows_; }
  __device__ __forceinline__ int chunks() const {
    const int all = rows_ + chunk_rows_ - 1;
    return s_.group_starts ? all / chunk_rows_ : s_.by_chunk_rows.quotient(all);
  }
  static constexpr __device__ __forceinline__ int systems() { return 1; }
  /// Row 0 lies as far after a line of the cache as it does in memory: the TMA needs the
  /// same place in 16 bytes, and is faster with the same place in a line.
  __device__ __forceinline__ V* array(int a, int) const {
    return memory_ + a * s_.array_pitch + shift(from(a));
  }

  /// The systems that are given a status, what is known of them, and room for what one thread keeps
  /// of a system, `array_pitch` from one word to the next.
  __device__ __forceinline__ int matrices() const { return count_; }
  __device__ __forceinline__ index_t number(int matrix) const { return first_ + matrix; }
  __device__ __forceinline__ index_t status_of(int matrix) const {
    return number(matrix) * g_.matrices.at[0].stride[inputs + outputs];
  }
  __device__ __forceinline__ int status_entry_of(int) const { return 0; }
  __device__ __forceinline__ int rows_of(int matrix) const {
    return start_of(matrix + 1) - start_of(matrix);
  }
  /// Returns where an array has the rows of a system.
  __device__ __forceinline__ V* place_of(int a, int matrix) const {
    return array(a, 0) + start_of(matrix);
  }
  __device__ __forceinline__ V* room_of(int matrix) const { return memory_ + start_of(matrix); }

  /// Starts to load the systems; the mbarrier has been initialized.
  __device__ __forceinline__ void load_async() {
    __syncthreads();
    load_all_async();
    find_starts();
  }
  /// Waits until the systems are there for every thread.
  __device__ __forceinline__ void wait_loaded() {
    wait_for_copies();
    if (may_use_tma()) mbarrier_.wait();
    __syncthreads();
    decouple_systems();
  }
  /// Loads all systems again, after a barrier. Ends with a barrier.
  template <class Which>
  __device__ __forceinline__ void load_again(bool, Which) {
    // What was written to shared memory comes before what the TMA writes.
    tma::fence_proxy_async();
    __syncthreads();
    load_all_async();
    wait_loaded();
  }

  /// Makes writes visible to the TMA. Called by every thread, before a barrier and then `store`.
  __device__ __forceinline__ void fence_proxy_async() const { tma::fence_proxy_async(); }

  /// Stores the outputs, x from the place of rhs in a solve, unless each system was solved by
  /// itself. Shared memory has been read after `wait_stored`.
  template <class Skip>
  __device__ __forceinline__ void store(bool skipped, Skip) {
    if (skipped) return;
#pragma unroll
    for (int j = 0; j < outputs; ++j) {
      store_array(Arrays::output(o_, j) + row0_, array(Arrays::place(j), 0));
    }
  }
  __device__ __forceinline__ void wait_stored() const { tma::wait_read(); }

 private:
  static constexpr int granule = 16 / sizeof(V);

  __device__ __forceinline__ void store_array(V* to, const V* from) const {
    if (tma::available && past_line(to) % 16 == past_line(from) % 16) {
      if (threadIdx.x > 0) return;
      const parts p = parts_of(shift(to), 0, rows_);
#pragma unroll 1
      for (int k = 0; k < p.head; ++k) to[k] = from[k];
#pragma unroll 1
      for (int k = p.tail; k < rows_; ++k) to[k] = from[k];
      if (p.head == p.tail) return;
      tma::store(to + p.head, from + p.head, bytes_of(p));
      tma::commit();
    } else {
      for (int k = static_cast<int>(threadIdx.x); k < rows_; k += s_.threads) to[k] = from[k];
    }
  }

  static __device__ __forceinline__ unsigned past_line(const V* p) {
    return static_cast<unsigned>(reinterpret_cast<std::uintptr_t>(p) % cache_line);
  }
  /// Returns the elements between a cache line's start and p; complex ones may be aligned as their
  /// parts only.
  static __device__ __forceinline__ int shift(const V* p) {
    return static_cast<int>(past_line(p) / sizeof(V));
  }

  /// Cuts the rows of an array into three parts, of which the TMA moves the one from `head` to
  /// `tail`.
  struct parts {
    int head, tail;
  };
  static __device__ __forceinline__ parts parts_of(int shift, int first, int last) {
    const int head = (first + shift + granule - 1) / granule * granule - shift;
    const int tail = (last + shift) / granule * granule - shift;
    return head < tail ? parts{head, tail} : parts{last, last};
  }
  static __device__ __forceinline__ unsigned bytes_of(const parts& p) {
    return static_cast<unsigned>((p.tail - p.head) * sizeof(V));
  }

  __device__ __forceinline__ const V* from(int a) const {
    return o_.in[a] + row0_ + g_.lines[a].origin;
  }
  /// The array may have no entry for sub of the group's first row, nor for sup of its last.
  __device__ __forceinline__ int first_row(int a) const {
    return a == layout::sub && !g_.edges_readable ? min(1, rows_) : 0;
  }
  __device__ __forceinline__ int last_row(int a) const {
    return a == layout::sup && !g_.edges_readable ? max(rows_ - 1, 0) : rows_;
  }

  __device__ __forceinline__ bool may_use_tma() const {
    bool whole = tma::available;
    if constexpr (alignof(V) < sizeof(V)) {
#pragma unroll
      for (int a = 0; a < inputs; ++a) whole = whole && past_line(o_.in[a]) % sizeof(V) == 0;
    }
    return whole;
  }

  __device__ __forceinline__ void load_all_async() {
    if (!may_use_tma()) {
#pragma unroll
      for (int a = 0; a < inputs; ++a) load_elements(a);
    } else if (threadIdx.x < inputs) {
      load_by_tma(static_cast<int>(threadIdx.x));
    }
  }
  /// Loads an array by the TMA. Called by one thread.
  __device__ __forceinline__ void load_by_tma(int a) {
    const V* const src = from(a);
    V* const to = array(a, 0);
    const int first = first_row(a), last = last_row(a);
    const parts p = parts_of(shift(src), first, last);
    mbarrier_.expect(bytes_of(p));
    if (p.head < p.tail) tma::load(to + p.head, src + p.head, bytes_of(p), mbarrier_.barrier());
#pragma unroll 1
    for (int k = first; k < p.head; ++k) copy_element(to + k, src + k);
#pragma unroll 1
    for (int k = p.tail; k < last; ++k) copy_element(to + k, src + k);
  }
  /// Loads an array's elements one by one. Called by all threads.
  __device__ __forceinline__ void load_elements(int a) {
    const V* const src = from(a);
    V* const to = array(a, 0);
    const int last = last_row(a);
#pragma unroll 4
    for (int k = first_row(a) + static_cast<int>(threadIdx.x); k < last; k += s_.threads) {
      copy_element(to + k, src + k);
    }
  }

  /// Finds where systems of different lengths begin, and where the last one ends.
  __device__ __forceinline__ void find_starts() {
    if (!g_.ragged) return;
    block_for(count_ + 1, s_.threads,
              [&](int i) { starts_[i] = static_cast<int>(g_.ragged[first_ + i] - row0_); });
  }
  __device__ __forceinline__ int start_of(int matrix) const {
    return g_.ragged ? starts_[matrix] : matrix * static_cast<int>(g_.rows);
  }

  /// Puts the zeros between the systems. Ends with a barrier.
  __device__ __forceinline__ void decouple_systems() {
    V* const sub = array(layout::sub, 0);
    V* const sup = array(layout::sup, 0);
    block_for(count_, s_.threads, [&](int i) {
      const int first = start_of(i), end = start_of(i + 1);
      if (first < end) sub[first] = sup[end - 1] = V(0);
    });
    __syncthreads();
    if (!g_.conjugate) return;
    V* const diag = array(layout::diag, 0);
    for (int k = static_cast<int>(threadIdx.x); k < rows_; k += s_.threads) {
      sub[k] = core::conjugate(sub[k]);
      diag[k] = core::conjugate(diag[k]);
      sup[k] = core::conjugate(sup[k]);
    }
    __syncthreads();
  }

  const geometry& g_;
  const operands& o_;
  const onchip_shape& s_;
  V* memory_;
  int* starts_;
  tma::mbarrier& mbarrier_;
  index_t first_, row0_;
  int count_, rows_, chunk_rows_;
};

}  // namespace tridia::cuda
