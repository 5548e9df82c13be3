// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "solver/cuda/partition/interleaved_chunk_view.cuh"
#include "solver/cuda/partition/interleaved_chunks.cuh"
#include "solver/cuda/partition/interleaved_tile.cuh"
#include "solver/cuda/partition/segments/segment_edges.cuh"
#include "solver/cuda/partition/segments/sided_chunk_view.cuh"

// A block's rows of interleaved systems that are too long for the chip.
namespace tridia::cuda::segments {

/// Holds some rows of neighbouring systems, which have `Sides` right-hand sides: neighbouring lanes
/// have chunks of neighbours.
template <class V, pivoting P, int Sides = 1>
class row_segment {
 public:
  static constexpr bool of_neighbours = true;
  using shape = interleaved_shape;
  using arrays = arrays_of_sides<V, Sides>;
  using geometry = typename arrays::geometry;
  using operands = typename arrays::operands;
  using maps = tensor_maps_of<geometry::inputs, geometry::outputs>;
  using values = side_values<V, Sides>;
  using chunk = core::chunk<V, P, values>;
  using equations = typename chunk::equations;
  using unknowns = typename chunk::unknowns;
  using place_type = places;
  struct memory : interleaved_memory<V, P, Sides> {
    tma::mbarrier mbarrier;
    int* flags;
    __device__ __forceinline__ memory(unsigned char* at, const shape& s)
        : interleaved_memory<V, P, Sides>(s, at),
          mbarrier(interleaved_memory<V, P, Sides>::mbarrier),
          flags(this->found.unstable) {}
  };

  /// Segments beside each other follow each other, and then those with the next rows: so pages of
  /// memory are read as they lie.
  struct position {
    int rank;
    tile_iterator<false> tile;

    __device__ __forceinline__ position(const shape& s, unsigned number)
        : rank(0), tile(s.schedule, 0) {
      const auto tiles = static_cast<unsigned>(s.schedule.tiles);
      const auto segments = static_cast<unsigned>(s.segments);
      const auto beside = static_cast<unsigned>(s.beside);
      const unsigned begin = number / (beside * segments) * beside;
      const unsigned width = min(beside, tiles - begin), in_band = number - begin * segments;
      rank = static_cast<int>(in_band / width);
      tile = tile_iterator<false>(s.schedule, begin + in_band % width);
    }
  };
  template <pivoting Q>
  class part;

  static unsigned count(const shape& s, index_t) {
    return static_cast<unsigned>(s.schedule.tiles) * static_cast<unsigned>(s.segments);
  }
  static int threads(const shape& s) { return s.threads(); }

  __device__ __forceinline__ row_segment(const geometry& g, const operands& o, const maps& boxes,
                                         const shape& s, memory& m, const position& at)
      : g_(g),
        s_(s),
        rank_(at.rank),
        t_(g, o, boxes, s, m.arrays, m.bases, m.mbarrier, at.rank, at.tile) {}

  __device__ __forceinline__ int systems() const { return t_.systems(); }
  __device__ __forceinline__ index_t number(int system) const { return t_.number(system); }
  __device__ __forceinline__ index_t first_row() const { return index_t{rank_} * s_.block_rows; }
  __device__ __forceinline__ int rows() const { return t_.rows(); }
  __device__ __forceinline__ index_t node_above(int system) const {
    return number(system) * s_.segments + rank_;
  }
  __device__ __forceinline__ index_t status_of(int system) const {
    return t_.offset(geometry::arrays - 1, system);
  }
  __device__ __forceinline__ index_t offset(int a, int system, index_t k) const {
    return t_.offset(a, system) + (k - first_row()) * g_.lines[a].step;
  }
  __device__ __forceinline__ V& first_sub(int system) const {
    return t_.entry(layout::sub, system, 0);
  }
  __device__ __forceinline__ V& last_sup(int system) const {
    return t_.entry(layout::sup, system, rows() - 1);
  }

  __device__ __forceinline__ void load_async() {
    t_.find_bases();
    __syncthreads();
    if (threadIdx.x == 0) t_.load_all_async();
  }
  __device__ __forceinline__ void wait_loaded() { t_.load(); }

  __device__ __forceinline__ places place() const { return {s_, rank_, rows(), 0}; }
  __device__ __forceinline__ int speaks_for(const places& p) const {
    return p.of_group.lane == 0 ? asks_for(p) : -1;
  }
  __device__ __forceinline__ int asks_for(const places& p) const {
    return p.of_group.system < systems() ? p.of_group.system : -1;
  }
  __device__ __forceinline__ int system_of_chunk(const places& p) const {
    const bool any = p.system < systems() && p.chunk * s_.chunk_rows < rows();
    return any ? p.system : -1;
  }
  using chunk_view =
      std::conditional_t<Sides == 1, interleaved_chunk_view<V>, sided_chunk_view<V, Sides>>;
  __device__ __forceinline__ chunk_view chunk_rows(int system, int first) const {
    return {t_, s_, system, first, g_.conjugate};
  }

  __device__ __forceinline__ void fence_proxy_async() const { t_.fence_proxy_async(); }
  template <class Skip>
  __device__ __forceinline__ void store(bool skipped, Skip skip) {
    t_.store(skipped, skip);
  }

 private:
  const geometry& g_;
  const shape& s_;
  int rank_;
  interleaved_tile<V, false, false, arrays> t_;
};

template <class V, pivoting P, int Sides>
template <pivoting Q>
class row_segment<V, P, Sides>::part {
 public:
  using equations = typename core::chunk<V, Q, values>::equations;
  using unknowns = typename core::chunk<V, Q, values>::unknowns;

  __device__ __forceinline__ part(const row_segment& t, const places& p, const shape& s,
                                  const memory& m)
      : t_(t),
        p_(p),
        first_(p.chunk * s.chunk_rows),
        n_(p.system < t.systems() ? max(min(s.chunk_rows, t.rows() - first_), 0) : 0),
        exchange_(p, s, m.exchanged, m.pitch),
        groups_(p.of_group) {}

  __device__ __forceinline__ int system() const { return p_.system; }
  __device__ __forceinline__ bool has_rows() const { return n_ > 0; }
  __device__ __forceinline__ void leave_out() { n_ = 0; }
  __device__ __forceinline__ void vote(const solve_status& found) const {
    dominance_vote(view_of_chunk(), n_, p_.system, false, found);
  }

  template <bool Keep, class Monitor, class Mark>
  __device__ __forceinline__ equations reduce(Monitor& monitor, Mark mark) {
    auto view = view_of_chunk();
    equations all{};
    if (n_ > 0) all = chunk_.template reduce<Keep>(n_, view, monitor);
    exchange_.show(exchange_.up(all, monitor));
    __syncthreads();
    Monitor of_groups;
    if (exchange_.any_part()) all = groups_.up(exchange_.of_group(), nullptr, of_groups);
    if (n_ > 0 && !monitor.bounded) mark(system());
    if (const int other = t_.asks_for(p_); other >= 0 && !of_groups.bounded) mark(other);
    return all;
  }
  __device__ __forceinline__ unknowns down(const unknowns& of_rows) const {
    if (exchange_.any_part()) exchange_.answer(groups_.down(of_rows));
    __syncthreads();
    return exchange_.down(exchange_.answered());
  }
  __device__ __forceinline__ bool expand(const unknowns& e) const {
    auto view = view_of_chunk();
    return n_ == 0 || chunk_.expand(n_, view, e);
  }
  __device__ __forceinline__ chunk_rows_of<chunk_view> solved() const {
    return {view_of_chunk(), n_, t_.first_row() + first_};
  }

 private:
  __device__ __forceinline__ chunk_view view_of_chunk() const {
    return t_.chunk_rows(p_.system, first_);
  }

  const row_segment& t_;
  const places& p_;
  int first_, n_;
  thread_chunk<V, Q, values> chunk_;
  chunk_exchange<V, Q, values> exchange_;
  block_level<V, Q, values> groups_;
};

}  // namespace tridia::cuda::segments
