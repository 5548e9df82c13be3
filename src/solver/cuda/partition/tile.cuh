// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "core/chunk.hpp"
#include "core/line.hpp"
#include "gpu/block.cuh"
#include "gpu/cluster.cuh"
#include "gpu/copy.cuh"
#include "gpu/launch.cuh"
#include "gpu/tma.cuh"
#include "solver/cuda/partition/onchip.hpp"
#include "solver/cuda/partition/rows_in_pieces.cuh"
#include "solver/cuda/partition/tensor_maps.hpp"
#include "solver/cuda/partition/tile_arrays.hpp"
#include "solver/system.hpp"

// A tile holds some systems in shared memory. Asynchronous copies load them, and the solutions are
// stored from it.
namespace tridia::cuda {

using namespace gpu;
using layout::edge;
using solver::typed_operands;

template <class V, class Arrays = solve_arrays<V>>
class tile {
 public:
  using geometry = typename Arrays::geometry;
  using operands = typename Arrays::operands;
  using maps_of_boxes = tensor_maps_of<geometry::inputs, geometry::outputs>;
  static constexpr int inputs = geometry::inputs, outputs = geometry::outputs;
  static constexpr int arrays = geometry::arrays;

  static constexpr bool uneven = false;
  /// So many threads call `expect` on the mbarrier.
  static constexpr unsigned expecting = 1;

  /// `offsets` has room for an entry an array and system; `maps` may be null.
  __device__ __forceinline__ tile(const geometry& g, const operands& o, const maps_of_boxes* maps,
                                  const onchip_shape& shape, V* memory, void* offsets,
                                  tma::mbarrier& mbarrier, const block_place& at)
      : g_(g),
        o_(o),
        maps_(maps),
        s_(shape),
        memory_(memory),
        offsets_(static_cast<index_t*>(offsets)),
        mbarrier_(mbarrier) {
    rank_ = at.rank;
    first_ = index_t{s_.order.tile(static_cast<int>(at.group))} * s_.systems;
    const index_t left = g_.matrices.size - first_;
    count_ = left < s_.systems ? static_cast<int>(left) : s_.systems;
    row0_ = static_cast<index_t>(rank_) * s_.block_rows;
    const index_t below = s_.rows - row0_;
    rows_ = below < s_.block_rows ? static_cast<int>(below) : s_.block_rows;
  }

  /// Return this block's rank among those that share its systems, and its rows of them.
  __device__ __forceinline__ int rank() const { return rank_; }
  __device__ __forceinline__ int rows() const { return rows_; }
  __device__ __forceinline__ index_t first_row() const { return row0_; }
  __device__ __forceinline__ int chunk_rows() const { return s_.chunk_rows; }
  __device__ __forceinline__ int chunks() const {
    return s_.by_chunk_rows.quotient(rows_ + s_.chunk_rows - 1);
  }

  __device__ __forceinline__ int systems() const { return count_; }
  __device__ __forceinline__ int matrices() const { return count_; }
  __device__ __forceinline__ index_t number(int system) const { return first_ + system; }
  __device__ __forceinline__ index_t status_of(int system) const {
    return offset(arrays - 1, system);
  }
  __device__ __forceinline__ int status_entry_of(int system) const { return system; }
  __device__ __forceinline__ V* room_of(int system) const { return array(0, system); }
  __device__ __forceinline__ V* array(int a, int system) const {
    return memory_ + a * s_.array_pitch + system * s_.pitch + shift(a, system);
  }
  __device__ __forceinline__ index_t offset(int a, int system) const {
    return offsets_[system * arrays + a];
  }

  /// Starts to load the systems; the mbarrier has been initialized.
  __device__ __forceinline__ void load_async() {
    find_offsets();
    load_all_async();
  }
  /// Waits until the systems are there for every thread.
  __device__ __forceinline__ void wait_loaded() {
    wait_for_all();
    mend_edges([](int) { return true; });
    __syncthreads();
  }

  /// Loads some systems again, `all` of them or those that `which` says, after a barrier. Ends with
  /// a barrier.
  template <class Which>
  __device__ __forceinline__ void load_again(bool all, Which which) {
    if (all) {
      // What was written to shared memory comes before what the TMA writes.
      tma::fence_proxy_async();
      __syncthreads();
      load_all_async();
      wait_for_all();
    } else {
      load_lines(which);
      wait_for_copies();
      __syncthreads();
    }
    mend_edges(which);
    __syncthreads();
  }

  /// Makes writes visible to the TMA. Called by every thread, before a barrier and then `store`.
  __device__ __forceinline__ void fence_proxy_async() const {
    if (s_.output != copy_mode::elements || stores_box()) tma::fence_proxy_async();
  }

  /// Stores the outputs, x from the place of rhs in a solve, but for the systems that `skip`;
  /// `skipped`: there are any. Shared memory has been read after `wait_stored`.
  template <class Skip>
  __device__ __forceinline__ void store(bool skipped, Skip skip) {
    if (!skipped && stores_box()) {
      if (threadIdx.x > 0) return;
#pragma unroll
      for (int j = 0; j < outputs; ++j) {
        tma::put_box(maps_->out[j], 0, static_cast<int>(first_), 0, array(Arrays::place(j), 0),
                     false);
      }
      tma::commit();
    } else if (!skipped && may_use_tma(s_.output) && outputs_aligned()) {
      store_by_tma();
    } else if (!skipped && in_pieces()) {
      store_pieces();
    } else if (!skipped && s_.dense_output) {
      store_dense();
    } else {
      for_each_line(s_.interleaved, [&](int system, int first, int step) {
        if (!skip(system)) store_line(system, first, step);
      });
    }
  }
  __device__ __forceinline__ void wait_stored() const { tma::wait_read(); }

 private:
  /// The last block may have fewer systems, or rows, than make a whole number of 16 bytes.
  __device__ __forceinline__ bool may_use_tma(copy_mode m) const {
    return tma::available &&
           ((m == copy_mode::lines && rows_ * sizeof(V) % 16 == 0) ||
            (m == copy_mode::contiguous && first_ * s_.rows * sizeof(V) % 16 == 0 &&
             count_ * s_.rows * sizeof(V) % 16 == 0));
  }

  /// Return whether the systems are moved as one box, whose rows are `pitch` elements long.
  __device__ __forceinline__ bool loads_box() const {
    return tma::available && maps_ && maps_->input;
  }
  __device__ __forceinline__ bool stores_box() const {
    return tma::available && maps_ && maps_->output;
  }
  __device__ __forceinline__ void load_boxes() {
    if (threadIdx.x > 0) return;
    mbarrier_.expect(static_cast<unsigned>(inputs * s_.systems * s_.pitch * sizeof(V)));
#pragma unroll
    for (int a = 0; a < inputs; ++a) {
      tma::load_box(array(a, 0), maps_->in[a], 0, static_cast<int>(first_), 0, mbarrier_.barrier());
    }
  }
  /// Returns whether systems begin anywhere (rows_in_pieces.cuh).
  __device__ __forceinline__ bool in_pieces() const {
    return tma::available && s_.input == copy_mode::pieces;
  }
  __device__ __forceinline__ int shift(int a, int system) const {
    return in_pieces() ? elements_after_piece(source(a, system)) : 0;
  }
  /// Returns this block's first row of a system in an input.
  __device__ __forceinline__ const V* source(int a, int system) const {
    return o_.in[a] + offset(a, system) + row0_;
  }
  /// Returns the rows of an input that are loaded: of the corners only what lies in their place.
  __device__ __forceinline__ rows_in_pieces<V> loaded_rows(int a, int system) const {
    const bool cut = g_.corners != edge::inside, first = a == layout::sub && row0_ == 0;
    const bool last = a == layout::sup && row0_ + rows_ == s_.rows;
    return {cut && first ? 1 : 0, cut && last ? rows_ - 1 : rows_, shift(a, system)};
  }
  /// Loads systems that begin anywhere; by the first warp.
  __device__ __forceinline__ void load_pieces() {
    const int lane = static_cast<int>(threadIdx.x);
    if (lane >= warp_size) return;
    const auto for_own = [&](auto f) {
      for (int i = lane; i < inputs * count_; i += warp_size) {
        const int system = i / inputs, a = i - system * inputs;
        if (a >= first_by_tma()) f(source(a, system), array(a, system), loaded_rows(a, system));
      }
    };
    unsigned bytes = 0;
    for_own([&](const V*, V*, const auto& r) { bytes += r.bytes(); });
    bytes = __reduce_add_sync(whole_warp, bytes);
    if (lane == 0) mbarrier_.expect(bytes);
    __syncwarp();
    for_own(
        [&](const V* from, V* to, const auto& r) { r.load_async(to, from, mbarrier_.barrier()); });
  }
  /// Stores systems that begin anywhere, a warp each.
  __device__ __forceinline__ void store_pieces() {
    for_each_line(false, [&](int system, int lane, int step) {
#pragma unroll
      for (int j = 0; j < outputs; ++j) {
        const V* const from = array(Arrays::place(j), system);
        V* const to = Arrays::output(o_, j) + offset(inputs + j, system) + row0_;
        const int after = shift(Arrays::place(j), system);
        store_in_pieces(to, from, rows_, after, lane, step);
      }
    });
    tma::commit();
  }
  __device__ __forceinline__ bool by_tma() const {
    bool all = may_use_tma(s_.input);
    for (int a = 0; a < inputs; ++a) all = all && begins_piece(o_.in[a]);
    return all;
  }
  __device__ __forceinline__ bool outputs_aligned() const {
    bool all = true;
    for (int j = 0; j < outputs; ++j) all = all && begins_piece(Arrays::output(o_, j));
    return all;
  }
  __device__ __forceinline__ void load_all_async() {
    arrives_ = loads_box() || in_pieces() || by_tma();
    if (loads_box()) {
      load_boxes();
    } else if (in_pieces()) {
      load_pieces();
    } else if (arrives_) {
      if (threadIdx.x == 0) {
        const int arriving = (inputs - first_by_tma()) * count_;
        mbarrier_.expect(static_cast<unsigned>(arriving * rows_ * sizeof(V)));
      }
      load_by_tma();
    } else if (s_.dense_input) {
      load_dense();
    } else {
      load_lines([](int) { return true; });
    }
    if (arrives_ && s_.one_matrix) copy_matrix_async();
  }
  __device__ __forceinline__ void wait_for_all() {
    if (arrives_) mbarrier_.wait();
    if (arrives_ && !s_.one_matrix) return;
    wait_for_copies();
    __syncthreads();
  }

  __device__ __forceinline__ void find_offsets() {
    block_for(count_, s_.threads, [&](int s) {
      index_t at[arrays];
      g_.line_offsets(first_ + s, 0, at);
#pragma unroll
      for (int a = 0; a < arrays; ++a) {
        offsets_[s * arrays + a] = at[a] + (a < inputs + outputs ? g_.lines[a].origin : 0);
      }
    });
    __syncthreads();
  }

  /// Return the number of copies that move the systems, and the bytes of each.
  __device__ __forceinline__ int copies(copy_mode m) const {
    return m == copy_mode::contiguous ? 1 : count_;
  }
  __device__ __forceinline__ unsigned copy_bytes(copy_mode m) const {
    return static_cast<unsigned>((m == copy_mode::contiguous ? count_ : 1) * rows_ * sizeof(V));
  }

  /// Returns the first array that the TMA loads.
  __device__ __forceinline__ int first_by_tma() const { return s_.one_matrix ? layout::rhs : 0; }
  /// Copies the matrix that systems share, through the first-level cache: blocks that ask the
  /// second one for the same few lines get them one after another.
  __device__ __forceinline__ void copy_matrix_async() const {
    const int thread = static_cast<int>(threadIdx.x), lane = thread % warp_size;
    for (int i = thread / warp_size; i < layout::rhs * count_; i += s_.threads / warp_size) {
      const int system = i / layout::rhs, a = i - system * layout::rhs;
      loaded_rows(a, system).copy_async(array(a, system), source(a, system), lane);
    }
  }
  __device__ __forceinline__ void load_by_tma() {
    block_for(inputs * copies(s_.input), s_.threads, [&](int i) {
      const int system = i / inputs, a = i - system * inputs;
      if (a < first_by_tma()) return;
      tma::load(array(a, system), source(a, system), copy_bytes(s_.input), mbarrier_.barrier());
    });
  }
  __device__ __forceinline__ void store_by_tma() {
#pragma unroll
    for (int j = 0; j < outputs; ++j) {
      block_for(copies(s_.output), s_.threads, [&](int i) {
        tma::store(Arrays::output(o_, j) + offset(inputs + j, i) + row0_,
                   array(Arrays::place(j), i), copy_bytes(s_.output));
      });
    }
    tma::commit();
  }

  /// Calls f(place in the arrays, place in the tile) for this thread's elements of dense arrays,
  /// some at a time, so that as many copies are under way.
  template <class F>
  __device__ __forceinline__ void for_each_element(F f) const {
    const int elements = s_.block_rows * count_;
    for (int i0 = static_cast<int>(threadIdx.x); i0 < elements; i0 += unroll * s_.threads) {
#pragma unroll
      for (int u = 0; u < unroll; ++u) {
        const int i = i0 + u * s_.threads;
        if (i >= elements) break;
        const int system = static_cast<int>(__umulhi(static_cast<unsigned>(i), s_.per_rows));
        f(i, i + system * (s_.pitch - s_.block_rows));
      }
    }
  }
  __device__ __forceinline__ void load_dense() {
    const V* from[inputs];
#pragma unroll
    for (int a = 0; a < inputs; ++a) from[a] = o_.in[a] + offset(a, 0);
    for_each_element([&](int i, int at) {
#pragma unroll
      for (int a = 0; a < inputs; ++a) copy_element(memory_ + a * s_.array_pitch + at, from[a] + i);
    });
  }
  __device__ __forceinline__ void store_dense() {
#pragma unroll
    for (int j = 0; j < outputs; ++j) {
      V* const to = Arrays::output(o_, j) + offset(inputs + j, 0);
      const V* const from = array(Arrays::place(j), 0);
      for_each_element([&](int i, int at) { to[i] = from[at]; });
    }
  }

  /// Calls f(system, first row, step) for this thread's part of systems, `by_systems` or by rows.
  template <class F>
  __device__ __forceinline__ void for_each_line(bool by_systems, F f) {
    const int thread = static_cast<int>(threadIdx.x);
    if (by_systems) {
      const int system = thread & (s_.systems - 1);
      const int first = thread / s_.systems, step = s_.threads / s_.systems;
      if (system < count_ && first < step) f(system, first, step);
      return;
    }
    for (int s = thread / warp_size; s < count_; s += s_.threads / warp_size) {
      f(s, thread % warp_size, warp_size);
    }
  }

  /// Loads the lines that `which` says. Of neighbours with one matrix, threads that have the same
  /// row would copy the same entries of it, one after another.
  template <class Which>
  __device__ __forceinline__ void load_lines(Which which) {
    if (!s_.interleaved || !shares_matrix()) {
      load_lines<0, inputs>(s_.interleaved, which);
    } else {
      load_lines<0, layout::rhs>(false, which);
      load_lines<layout::rhs, inputs>(true, which);
    }
  }
  template <int From, int To, class Which>
  __device__ __forceinline__ void load_lines(bool by_systems, Which which) {
    for_each_line(by_systems, [&](int system, int first, int step) {
      if (which(system)) load_line<From, To>(system, first, step);
    });
  }
  /// Returns whether neighbouring systems have one matrix, whose rows follow each other.
  __device__ __forceinline__ bool shares_matrix() const {
    bool all = true;
    for (int a = layout::sub; a <= layout::sup; ++a) {
      all = all && g_.lines[a].step == 1 && is_shared(g_, a);
    }
    return all;
  }

  /// Loads arrays From to To - 1 of a system. Row 0 of sub and row n - 1 of sup are left for
  /// mend_edges, unless they are numbers of the matrix in their place. Unrolled, so that a copy
  /// need not wait until the one before it has taken its addresses from the registers.
  template <int From, int To>
  __device__ __forceinline__ void load_line(int system, int first, int step) {
    V* to[inputs];
    const V* from[inputs];
    index_t stride[inputs];
#pragma unroll
    for (int a = From; a < To; ++a) {
      to[a] = array(a, system) + first;
      from[a] = o_.in[a] + offset(a, system) + (row0_ + first) * g_.lines[a].step;
      stride[a] = step * g_.lines[a].step;
    }
#pragma unroll unroll
    for (int k = first; k < rows_; k += step) {
#pragma unroll
      for (int a = From; a < To; ++a) {
        const bool outside =
            (a == layout::sub && row0_ + k == 0) || (a == layout::sup && row0_ + k == s_.rows - 1);
        if (!outside || g_.corners == edge::inside) copy_element(to[a], from[a]);
        from[a] += stride[a], to[a] += step;
      }
    }
  }
  __device__ __forceinline__ void store_line(int system, int first, int step) {
#pragma unroll
    for (int j = 0; j < outputs; ++j) {
      const index_t of_row = g_.lines[inputs + j].step, stride = of_row * step;
      V* to = Arrays::output(o_, j) + offset(inputs + j, system) + (row0_ + first) * of_row;
      const V* const from = array(Arrays::place(j), system);
#pragma unroll unroll
      for (int k = first; k < rows_; k += step, to += stride) *to = from[k];
    }
  }

  /// Corrects what was not loaded as it is needed: the entries outside the matrix are zeros,
  /// corners may be elsewhere, and rows may have to be conjugated or folded.
  template <class Which>
  __device__ __forceinline__ void mend_edges(Which which) {
    const index_t n = s_.rows;
    const bool wrapped = g_.corners == edge::wrapped;
    block_for(count_, s_.threads, [&](int s) {
      if (g_.corners == edge::inside || !which(s)) return;
      if (row0_ == 0) array(layout::sub, s)[0] = wrapped ? entry(layout::sub, s, n) : V(0);
      if (row0_ + rows_ == n) {
        array(layout::sup, s)[rows_ - 1] = wrapped ? entry(layout::sup, s, -1) : V(0);
      }
    });
    if (!g_.conjugate && (g_.corners == edge::absent || n > 2)) return;
    __syncthreads();
    block_for(count_, s_.threads, [&](int s) {
      for (int k = 0; k < rows_ && which(s); ++k) {
        mend_row(g_, row0_ + k, array(0, s)[k], array(1, s)[k], array(2, s)[k]);
      }
    });
  }
  __device__ __forceinline__ V entry(int a, int system, index_t k) const {
    return o_.in[a][offset(a, system) + k * g_.lines[a].step];
  }

  const geometry& g_;
  const operands& o_;
  const maps_of_boxes* maps_;
  const onchip_shape& s_;
  V* memory_;
  index_t* offsets_;
  tma::mbarrier& mbarrier_;
  static constexpr int unroll = 4;
  index_t first_, row0_;
  int rank_, count_, rows_;
  bool arrives_ = false;  // by the TMA: what has been asked for
};

}  // namespace tridia::cuda
