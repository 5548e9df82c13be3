// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "core/line.hpp"
#include "gpu/block.cuh"
#include "gpu/copy.cuh"
#include "gpu/tma.cuh"
#include "solver/cuda/partition/interleaved.hpp"
#include "solver/cuda/partition/tensor_maps.hpp"
#include "solver/cuda/partition/tile_arrays.hpp"
#include "solver/system.hpp"

// A tile holds interleaved systems in shared memory; it loads them and stores their solutions.
namespace tridia::cuda {

using namespace gpu;
using layout::edge;
using layout::geometry;
using solver::typed_operands;

template <int Inputs, int Outputs>
TRIDIA_FN index_t fastest_extent(const layout::geometry_of<Inputs, Outputs>& g) {
  return g.matrices.at[g.matrices.count - 1].extent;
}

/// Holds the block's interleaved systems in shared memory, row by row. `Rounds`: there may be fewer
/// threads than systems. The next tile's arrays are asked for as soon as their places are free:
/// diag's when the chunks are reduced, most others' when they are expanded, and those of outputs,
/// as rhs, when these have left.
template <class V, bool Persistent, bool Rounds, class Arrays = solve_arrays<V>>
class interleaved_tile {
 public:
  using geometry = typename Arrays::geometry;
  using operands = typename Arrays::operands;
  using maps_of_boxes = tensor_maps_of<geometry::inputs, geometry::outputs>;
  static constexpr int inputs = geometry::inputs, outputs = geometry::outputs;
  static constexpr int arrays = geometry::arrays;

  /// `bases`: room for an entry an array.
  __device__ __forceinline__ interleaved_tile(const geometry& g, const operands& o,
                                              const maps_of_boxes& maps, const interleaved_shape& s,
                                              V* memory, index_t* bases, tma::mbarrier& mbarrier,
                                              int rank, const tile_iterator<Persistent>& w)
      : g_(g),
        o_(o),
        maps_(maps),
        s_(s),
        memory_(memory),
        bases_(bases),
        mbarrier_(mbarrier),
        tile_(w) {
    row0_ = rank * s.block_rows;
    rows_ = min(s.block_rows, s.rows - row0_);
    count_ = static_cast<int>(min(fastest_extent(g) - find(w.number()).inner, index_t{s.systems}));
  }

  __device__ __forceinline__ int systems() const { return count_; }
  __device__ __forceinline__ int rows() const { return rows_; }
  __device__ __forceinline__ index_t number(int system) const {
    const place_of_tile p = find(tile_.number());
    return p.outer * fastest_extent(g_) + p.inner + system;
  }
  __device__ __forceinline__ V* array(int a) const {
    if (!may_share_matrix<Arrays>) return memory_ + a * s_.array_pitch;
    const int matrices = min(a, static_cast<int>(layout::rhs));
    return memory_ + matrices * s_.matrix_pitch + (a - matrices) * s_.array_pitch;
  }
  /// Returns an entry of the matrix of a system.
  __device__ __forceinline__ V& entry(int a, int system, int row) const {
    if (!may_share_matrix<Arrays>) return array(a)[row * s_.systems + system];
    return array(a)[row * s_.matrix_systems + (system & (s_.matrix_systems - 1))];
  }
  /// Returns the offset at which a system begins in this block.
  __device__ __forceinline__ index_t offset(int a, int system) const {
    return bases_[a] + system * stride(a);
  }

  [[nodiscard]] __device__ __forceinline__ bool has_next() const { return tile_.has_next(); }
  /// Starts to load the boxes of the first tile. Called by one thread.
  __device__ __forceinline__ void load_all_async() {
    if (in_boxes()) load_boxes(tile_.number());
  }
  /// Starts to load the next tile's diag, once this one's is no longer needed and
  /// `fence_proxy_async` was called. Called by one thread.
  __device__ __forceinline__ void load_diag_async() {
    if (!loads_ahead()) return;
    expect_boxes();
    load_boxes(layout::diag, tile_.next());
  }

  /// The place of the tile is needed once more before it is the next one's.
  template <class F>
  __device__ __forceinline__ void borrow(F f) {
    if (loads_ahead()) mbarrier_.wait();
    f();
    if (!loads_ahead()) return;
    tma::fence_proxy_async();
    __syncthreads();
    if (threadIdx.x == 0) load_boxes(tile_.next());
  }

  /// Finds where systems begin. Called before a barrier, and that before `load`.
  __device__ __forceinline__ void find_bases() const {
    if (static_cast<int>(threadIdx.x) != s_.threads() - 1) return;
    index_t at[arrays];
    g_.line_offsets(number(0), 0, at);
#pragma unroll
    for (int a = 0; a < arrays; ++a) {
      if (a < inputs + outputs) at[a] += g_.lines[a].origin + row0_ * g_.lines[a].step;
      bases_[a] = at[a];
    }
  }

  /// Loads all systems, or later those that `which` says: they are there for every thread then.
  __device__ __forceinline__ void load() {
    load(
        true, [](int) { return true; }, true);
  }
  template <class Which>
  __device__ __forceinline__ void load(bool all, Which which, bool started = false) {
    const bool boxes = all && in_boxes();
    if (boxes) {
      if (threadIdx.x == 0 && !started) load_boxes(tile_.number());
    } else if (all && inputs_in_vectors()) {
      for_own_systems<per_vector>([&](int system) { load_rows<per_vector>(system); });
    } else {
      for_own_systems<1>([&](int system) {
        if (which(system)) load_rows<1>(system);
      });
    }
    const bool entered = enter_shared(which);
    if (boxes) {
      mbarrier_.wait();
      // Outside the matrix there are zeros.
      if (g_.corners != edge::wrapped && !entered) return;
    }
    if (g_.corners != edge::inside) {
      block_for(count_, s_.threads(), [&](int s) {
        if (which(s)) load_corners(s);
      });
    }
    wait_for_copies();
    __syncthreads();
  }

  /// Makes writes visible to the TMA. Called by every thread, before a barrier and then `store`, or
  /// `load` once more.
  __device__ __forceinline__ void fence_proxy_async() const {
    if (maps_.input || maps_.output) tma::fence_proxy_async();
  }

  /// Stores the outputs, x from the place of rhs in a solve, but for the systems that `skip`;
  /// `skipped`: there are any. Asks for what the next tile still lacks.
  template <class Skip>
  __device__ __forceinline__ void store(bool skipped, Skip skip) {
    const bool loader = threadIdx.x == 0 && loads_ahead();
    const bool boxes = !skipped && tma::available && maps_.output;
    if (boxes && threadIdx.x == 0) store_boxes();
    if (loader) {
#pragma unroll
      for (int a = 0; a < inputs; ++a) {
        if (a != layout::diag && !is_place(a)) load_boxes(a, tile_.next());
      }
    }
    if (boxes) {
      if (threadIdx.x == 0) tma::wait_stored();
    } else {
      store_by_threads(skipped, skip);
      if (loads_ahead()) {
        tma::fence_proxy_async();
        __syncthreads();
      }
    }
    if (loader) {
#pragma unroll
      for (int a = 0; a < inputs; ++a) {
        if (is_place(a)) load_boxes(a, tile_.next());
      }
    }
  }

 private:
  /// Neighbouring entries of a row that one access moves, in 16 bytes.
  static constexpr int per_vector = 16 / sizeof(V);
  static constexpr int unroll = 4;

  /// Returns whether an output is stored from the place of input a.
  static __device__ __forceinline__ constexpr bool is_place(int a) {
    for (int j = 0; j < outputs; ++j) {
      if (Arrays::place(j) == a) return true;
    }
    return false;
  }
  static_assert(!Persistent || !is_place(layout::diag),
                "the next tile's diag comes before x leaves");

  /// Holds where a tile's systems begin: on the fastest axis of the batch, and on all others.
  struct place_of_tile {
    int outer, inner;
  };
  __device__ __forceinline__ place_of_tile find(unsigned number) const {
    const int tile = s_.order.tile(static_cast<int>(number)),
              outer = s_.by_axis_tiles.quotient(tile);
    return {outer, (tile - outer * s_.axis_tiles) * s_.systems};
  }
  template <class Skip>
  __device__ __forceinline__ void store_by_threads(bool skipped, Skip skip) {
    if (!skipped && outputs_in_vectors()) {
      for_own_systems<per_vector>([&](int system) { store_rows<per_vector>(system); });
    } else {
      for_own_systems<1>([&](int system) {
        if (!skip(system)) store_rows<1>(system);
      });
    }
  }

  __device__ __forceinline__ index_t stride(int a) const {
    return g_.matrices.at[g_.matrices.count - 1].stride[a];
  }
  /// Returns whether rows of an array lie in pieces that can be moved 16 bytes at a time.
  __device__ __forceinline__ bool in_vectors(int a, const V* data) const {
    return stride(a) == 1 && g_.lines[a].step % per_vector == 0 &&
           reinterpret_cast<std::uintptr_t>(data + bases_[a]) % 16 == 0;
  }
  __device__ __forceinline__ bool systems_in_vectors() const {
    return count_ == s_.systems && count_ % per_vector == 0;
  }
  __device__ __forceinline__ bool inputs_in_vectors() const {
    bool yes = systems_in_vectors();
    for (int a = 0; a < inputs; ++a) yes = yes && in_vectors(a, o_.in[a]);
    return yes;
  }
  __device__ __forceinline__ bool outputs_in_vectors() const {
    bool yes = systems_in_vectors();
    for (int j = 0; j < outputs; ++j) {
      yes = yes && in_vectors(inputs + j, Arrays::output(o_, j));
    }
    return yes;
  }

  __device__ __forceinline__ bool in_boxes() const { return tma::available && maps_.input; }
  [[nodiscard]] __device__ __forceinline__ bool loads_ahead() const {
    return tile_.has_next() && in_boxes();
  }
  __device__ __forceinline__ void expect_boxes() const {
    int boxed = 0;
#pragma unroll
    for (int a = 0; a < inputs; ++a) boxed += is_shared(g_, a) ? 0 : 1;
    mbarrier_.expect(static_cast<unsigned>(boxed * s_.block_rows * s_.systems * sizeof(V)));
  }
  __device__ __forceinline__ void load_boxes(int a, unsigned number) {
    if (is_shared(g_, a)) return;
    const place_of_tile p = find(number);
    // The map of sub begins at row 1 where row 0 is not to be read.
    const int row = a == layout::sub && g_.corners != edge::inside ? row0_ - 1 : row0_;
    // What does not change along the outer axis has none in its map.
    const int outer = g_.matrices.at[0].stride[a] != 0 ? p.outer : 0;
    for (int k = 0; k < s_.block_rows; k += s_.box_rows) {
      tma::load_box(array(a) + k * s_.systems, maps_.in[a], p.inner * tensor_words<V>, row + k,
                    outer, mbarrier_.barrier());
    }
  }
  __device__ __forceinline__ void load_boxes(unsigned number) {
    expect_boxes();
#pragma unroll
    for (int a = 0; a < inputs; ++a) load_boxes(a, number);
  }
  __device__ __forceinline__ void store_boxes() {
    const place_of_tile p = find(tile_.number());
#pragma unroll
    for (int j = 0; j < outputs; ++j) {
      for (int k = 0; k < rows_; k += s_.box_rows) {
        tma::put_box(maps_.out[j], p.inner * tensor_words<V>, row0_ + k, p.outer,
                     array(Arrays::place(j)) + k * s_.systems, false);
      }
    }
  }

  // Threads go over the tile row by row, `Together` systems each: calls f with the first of them,
  // several times if there are fewer threads than systems.
  template <int Together, class F>
  __device__ __forceinline__ void for_own_systems(F f) const {
    const int first = static_cast<int>(threadIdx.x) * Together & (s_.systems - 1);
#pragma unroll 1
    for (int i = first; i < count_; i += s_.threads() * Together) {
      f(i);
      if (!Rounds) break;
    }
  }
  template <int Together>
  __device__ __forceinline__ int first_row() const {
    return static_cast<int>(threadIdx.x) * Together >> s_.log_systems;
  }
  template <int Together>
  __device__ __forceinline__ int row_step() const {
    return max(s_.threads() * Together >> s_.log_systems, 1);
  }

  /// The entries at the edges of the matrix are left out where they are not numbers of it, or lie
  /// elsewhere.
  template <int Together>
  __device__ __forceinline__ void load_rows(int system) {
    const int first = first_row<Together>(), step = row_step<Together>();
    const bool inside = g_.corners == edge::inside;
    const int sub_edge = inside ? -1 : -row0_, sup_edge = inside ? -1 : s_.rows - 1 - row0_;
    const V* from[inputs];
    index_t strides[inputs];
    bool own[inputs];
#pragma unroll
    for (int a = 0; a < inputs; ++a) {
      from[a] = o_.in[a] + offset(a, system) + first * g_.lines[a].step;
      strides[a] = step * g_.lines[a].step;
      own[a] = !is_shared(g_, a);
    }
    int to = first * s_.systems + system;
#pragma unroll unroll
    for (int k = first; k < rows_; k += step, to += step * s_.systems) {
#pragma unroll
      for (int a = 0; a < inputs; ++a) {
        if (own[a] && (a != layout::sub || k != sub_edge) && (a != layout::sup || k != sup_edge)) {
          copy<Together>(array(a) + to, from[a]);
        }
        from[a] += strides[a];
      }
    }
  }
  /// Enters what neighbouring systems share, for those that `which` says, and returns whether there
  /// is any. A thread reads a row once for all of them, and begins with another system than its
  /// neighbours do, so that they write to other banks.
  template <class Which>
  __device__ __forceinline__ bool enter_shared(Which which) {
    bool shared[layout::sup + 1], any = false;
#pragma unroll
    for (int a = layout::sub; a <= layout::sup; ++a) any = (shared[a] = is_shared(g_, a)) || any;
    if (!any) return false;
    const bool inside = g_.corners == edge::inside;
    const auto enters = [&](int a, int k) {
      const int outside = a == layout::sub ? 0 : a == layout::sup ? s_.rows - 1 : -1;
      return shared[a] && (inside || row0_ + k != outside);
    };
    for (int k = static_cast<int>(threadIdx.x); k < rows_; k += s_.threads()) {
      V entries[layout::sup + 1]{};
#pragma unroll
      for (int a = layout::sub; a <= layout::sup; ++a) {
        if (enters(a, k)) entries[a] = o_.in[a][offset(a, 0) + k * g_.lines[a].step];
      }
      const int copies = may_share_matrix<Arrays> ? s_.matrix_systems : s_.systems;
      for (int i = 0; i < copies; ++i) {
        const int system = (i + k) & (copies - 1);
        if (system >= count_ || !which(system)) continue;
#pragma unroll
        for (int a = layout::sub; a <= layout::sup; ++a) {
          if (enters(a, k)) entry(a, system, k) = entries[a];
        }
      }
    }
    return true;
  }
  template <int Together>
  static __device__ __forceinline__ void copy(V* to, const V* from) {
    if constexpr (Together > 1) {
      __pipeline_memcpy_async(to, from, 16);
    } else {
      copy_element(to, from);
    }
  }
  template <int Together>
  __device__ __forceinline__ void store_rows(int system) {
    struct alignas(Together > 1 ? 16 : alignof(V)) vector {
      V v[Together];
    };
    const int first = first_row<Together>(), step = row_step<Together>();
#pragma unroll
    for (int j = 0; j < outputs; ++j) {
      const index_t of_row = g_.lines[inputs + j].step, strides = step * of_row;
      V* to = Arrays::output(o_, j) + offset(inputs + j, system) + first * of_row;
      const V* const from = array(Arrays::place(j)) + system;
#pragma unroll unroll
      for (int k = first; k < rows_; k += step, to += strides) {
        *reinterpret_cast<vector*>(to) = *reinterpret_cast<const vector*>(from + k * s_.systems);
      }
    }
  }

  __device__ __forceinline__ void load_corners(int system) {
    const auto corner = [&](int a, int row) {
      return g_.corners == edge::wrapped
                 ? o_.in[a][offset(a, system) + (row - row0_) * g_.lines[a].step]
                 : V(0);
    };
    if (row0_ == 0) entry(layout::sub, system, 0) = corner(layout::sub, s_.rows);
    if (row0_ + rows_ == s_.rows) {
      entry(layout::sup, system, rows_ - 1) = corner(layout::sup, -1);
    }
  }

  const geometry& g_;
  const operands& o_;
  const maps_of_boxes& maps_;
  const interleaved_shape& s_;
  V* memory_;
  index_t* bases_;
  tma::mbarrier& mbarrier_;
  const tile_iterator<Persistent>& tile_;
  int count_, row0_, rows_;
};

}  // namespace tridia::cuda
