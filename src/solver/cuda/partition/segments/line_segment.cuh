// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "solver/cuda/partition/block_part.cuh"
#include "solver/cuda/partition/block_solver.cuh"
#include "solver/cuda/partition/chunk_view.cuh"
#include "solver/cuda/partition/onchip_memory.cuh"
#include "solver/cuda/partition/segments/segment_edges.cuh"
#include "solver/cuda/partition/tile.cuh"

// A block's rows of systems that are too long for the chip, each with neighbouring lanes.
namespace tridia::cuda::segments {

/// Stands for tensor maps where there are none.
struct no_maps {};

/// Holds some rows of a system, or of some, whose chunks are with neighbouring lanes; systems have
/// `Sides` right-hand sides. Segments, here and in row_segment.cuh, are what the passes need of how
/// systems lie. No object refers to another part of itself: the compiler would keep it in memory.
template <class V, pivoting P, int Sides = 1>
class line_segment {
 public:
  static constexpr bool of_neighbours = false;
  using shape = onchip_shape;
  using maps = no_maps;
  using arrays = arrays_of_sides<V, Sides>;
  using geometry = typename arrays::geometry;
  using operands = typename arrays::operands;
  using values = side_values<V, Sides>;
  using chunk = core::chunk<V, P, values>;
  using equations = typename chunk::equations;
  using unknowns = typename chunk::unknowns;
  using place_type = chunk_place;
  struct memory : onchip_memory<V, geometry::inputs> {
    __device__ __forceinline__ memory(unsigned char* at, const shape& s)
        : onchip_memory<V, geometry::inputs>(at, s, sizeof(equations)) {}
  };

  /// Says which segment of all in the grid a block has. Groups of systems beside each other take
  /// turns, so that all but the first of them find in the L2 what they share: the rows of a matrix,
  /// or the lines of the cache at their borders.
  struct position : block_place {
    __device__ __forceinline__ position(const shape& s, unsigned number) : block_place{number, 0} {
      const auto beside = static_cast<unsigned>(s.beside), blocks = static_cast<unsigned>(s.blocks);
      const unsigned begin = number / (beside * blocks) * beside, in_band = number - begin * blocks;
      const unsigned width = min(beside, gridDim.x / blocks - begin);
      group = begin + in_band % width;
      rank = static_cast<int>(in_band / width);
    }
  };
  template <pivoting Q>
  class part;

  /// Returns the number of segments of so many systems.
  static unsigned count(const shape& s, index_t systems) {
    return static_cast<unsigned>((systems + s.systems - 1) / s.systems * s.blocks);
  }
  static int threads(const shape& s) { return s.threads; }

  __device__ __forceinline__ line_segment(const geometry& g, const operands& o, const maps&,
                                          const shape& s, memory& m, const position& at)
      : g_(g), s_(s), t_(g, o, nullptr, s, m.arrays, m.places, m.mbarrier, at) {}

  __device__ __forceinline__ int systems() const { return t_.systems(); }
  __device__ __forceinline__ index_t number(int system) const { return t_.number(system); }
  __device__ __forceinline__ index_t first_row() const { return t_.first_row(); }
  __device__ __forceinline__ int rows() const { return t_.rows(); }
  /// Returns the number of the node that a system's rows here are in the level above.
  __device__ __forceinline__ index_t node_above(int system) const {
    return number(system) * s_.blocks + t_.rank();
  }
  __device__ __forceinline__ index_t status_of(int system) const { return t_.status_of(system); }
  /// Returns where entry k of an array of a system lies.
  __device__ __forceinline__ index_t offset(int a, int system, index_t k) const {
    return t_.offset(a, system) + k * g_.lines[a].step;
  }
  __device__ __forceinline__ V& first_sub(int system) const {
    return t_.array(layout::sub, system)[0];
  }
  __device__ __forceinline__ V& last_sup(int system) const {
    return t_.array(layout::sup, system)[rows() - 1];
  }

  __device__ __forceinline__ void load_async() { t_.load_async(); }
  /// Waits until the rows are there for every thread.
  __device__ __forceinline__ void wait_loaded() { t_.wait_loaded(); }

  /// Returns the place of this thread's chunk.
  __device__ __forceinline__ chunk_place place() const { return place_of<true>(s_, t_); }
  /// Returns the system that a thread there speaks for, or -1: it has the equations of all rows.
  __device__ __forceinline__ int speaks_for(const chunk_place& p) const {
    return p.warp == 0 && p.lane == 0 ? p.system : -1;
  }
  /// Returns the system whose interface unknowns a thread there needs, or -1.
  __device__ __forceinline__ int asks_for(const chunk_place& p) const { return p.system; }
  /// Returns the system whose rows a thread there has, or -1.
  __device__ __forceinline__ int system_of_chunk(const chunk_place& p) const {
    return p.at >= 0 ? p.system : -1;
  }
  __device__ __forceinline__ chunk_view<V, Sides> chunk_rows(int system, int first) const {
    return {t_, system, first};
  }

  __device__ __forceinline__ void fence_proxy_async() const { t_.fence_proxy_async(); }
  template <class Skip>
  __device__ __forceinline__ void store(bool skipped, Skip skip) {
    t_.store(skipped, skip);
    t_.wait_stored();
  }

 private:
  const geometry& g_;
  const shape& s_;
  tile<V, arrays> t_;
};

/// Solves what this thread has of a segment, with pivoting Q: its chunk, and its part of the
/// interface.
template <class V, pivoting P, int Sides>
template <pivoting Q>
class line_segment<V, P, Sides>::part {
 public:
  using equations = typename core::chunk<V, Q, values>::equations;
  using unknowns = typename core::chunk<V, Q, values>::unknowns;

  __device__ __forceinline__ part(const line_segment& t, const chunk_place& p, const shape& s,
                                  const memory& m)
      : t_(t),
        p_(p),
        united_(s.systems_a_warp == 1),
        first_(p.chunk * s.chunk_rows),
        n_(p.at >= 0 ? min(s.chunk_rows, t.rows() - first_) : 0),
        rows_(p, static_cast<equations*>(m.nodes)) {}

  /// Returns the system of this thread's chunk.
  __device__ __forceinline__ int system() const { return p_.system; }
  __device__ __forceinline__ bool has_rows() const { return n_ > 0; }
  /// Leaves the rows of this thread's chunk as they are: its system is not solved here.
  __device__ __forceinline__ void leave_out() { n_ = 0; }
  /// Votes whether systems need interchanges (solve_status.cuh).
  __device__ __forceinline__ void vote(const solve_status& found) const {
    dominance_vote(view_of_chunk(), n_, max(p_.system, 0), united_, found);
  }
  /// Returns the equations of all rows here, to the threads that speak for a system. Calls
  /// mark(system) where numbers grow.
  template <bool Keep, class Monitor, class Mark>
  __device__ __forceinline__ equations reduce(Monitor& monitor, Mark mark) {
    auto view = view_of_chunk();
    const auto all = rows_.template reduce<Keep>(n_, view, monitor, monitor);
    if (p_.system >= 0 && !monitor.bounded) mark(p_.system);
    return all;
  }
  /// Returns the interface unknowns of this thread's chunk from those of the rows here.
  __device__ __forceinline__ unknowns down(const unknowns& of_rows) const {
    return rows_.down(of_rows);
  }
  /// Finds x of this thread's chunk, and returns whether all of it is finite.
  __device__ __forceinline__ bool expand(const unknowns& e) const {
    auto view = view_of_chunk();
    return rows_.expand(n_, view, e);
  }
  /// Returns the rows of this thread's chunk, and the first of them in the system.
  __device__ __forceinline__ chunk_rows_of<chunk_view<V, Sides>> solved() const {
    return {view_of_chunk(), n_, t_.first_row() + first_};
  }

 private:
  __device__ __forceinline__ chunk_view<V, Sides> view_of_chunk() const {
    return t_.chunk_rows(max(p_.system, 0), first_);
  }

  const line_segment& t_;
  const chunk_place& p_;
  bool united_;
  int first_, n_;
  block_part<V, Q, values> rows_;
};

}  // namespace tridia::cuda::segments
