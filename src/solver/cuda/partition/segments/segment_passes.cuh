// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "core/dispatch.hpp"
#include "solver/cuda/partition/segments/line_segment.cuh"
#include "solver/cuda/partition/segments/row_segment.cuh"
#include "solver/cuda/partition/segments/segments.hpp"
#include "solver/cuda/partition/segments/side_arrays.cuh"
#include "solver/system_memory.hpp"

#include <type_traits>

// These passes solve systems that are too long for the chip, or of which only a part is here.
namespace tridia::cuda::segments {

using core::chunk;

/// Describes the state of a line: whether its system had a finite solution when it was closed, and
/// whether x of one that had overflows in the last pass, which goes on all the same.
enum class system_state : int { solved, failed, overflowed };

/// Holds the states of lines, each of which is a system with one of its right-hand sides, and where
/// x of those that have overflowed ceases to be finite, as a status; null if nobody asks.
template <int Sides>
struct line_states {
  system_state* at;
  index_t* overflows;
  index_t begin;  // line 0 here
  index_t step;   // from the line of a side to that of the next one
  int valid;      // sides; the last one stands for those beyond

  /// Returns the line of a side of the system whose first line is `first`.
  [[nodiscard]] __device__ __forceinline__ index_t line(index_t first, int side) const {
    return Sides == 1 ? first : begin + first + min(side, valid - 1) * step;
  }
};

/// Holds a level's nodes in the workspace.
template <class V, pivoting P, int Sides = 1>
struct nodes {
  typename chunk<V, P, side_values<V, Sides>>::equations* equations;
  typename chunk<V, P, side_values<V, Sides>>::unknowns* unknowns;
};

/// Holds the nodes of some systems in a level that a block combines.
class node_block {
 public:
  __device__ __forceinline__ node_block(const onchip_shape& s, index_t matrices) : s_(s) {
    const auto blocks = static_cast<unsigned>(s.blocks), group = blockIdx.x / blocks;
    rank_ = static_cast<int>(blockIdx.x - group * blocks);
    first_ = static_cast<index_t>(group) * s.systems;
    const index_t left = matrices - first_;
    systems_ = left < s.systems ? static_cast<int>(left) : s.systems;
  }
  __device__ __forceinline__ int rank() const { return rank_; }
  __device__ __forceinline__ index_t first_row() const {
    return static_cast<index_t>(rank()) * s_.block_rows;
  }
  __device__ __forceinline__ int rows() const {
    const index_t below = s_.rows - first_row();
    return below < s_.block_rows ? static_cast<int>(below) : s_.block_rows;
  }
  __device__ __forceinline__ int chunks() const {
    return s_.by_chunk_rows.quotient(rows() + s_.chunk_rows - 1);
  }
  __device__ __forceinline__ int systems() const { return systems_; }
  __device__ __forceinline__ index_t number(int system) const { return first_ + system; }
  /// Returns the number of the node that a system's part in this block is in the level above.
  __device__ __forceinline__ index_t node_above(int system) const {
    return number(system) * s_.blocks + rank_;
  }

 private:
  const onchip_shape& s_;
  index_t first_;
  int rank_, systems_;
};

inline __device__ bool speaks_for_system(const chunk_place& p) {
  return p.system >= 0 && p.warp == 0 && p.lane == 0;
}

/// Returns the equations of a segment's systems, to the threads that speak for one. With partial
/// pivoting each system is reduced without interchanges, unless most of its rows here lack
/// dominance, and with them if numbers grow: then `m.flags` of it is above 0. All threads take
/// part; flags are 0 before.
template <pivoting P, class Segment>
__device__ __forceinline__ typename Segment::equations reduce_rows(
    const Segment& t, const typename Segment::place_type& place, const typename Segment::shape& s,
    const typename Segment::memory& m) {
  typename Segment::template part<pivoting::none> plain(t, place, s, m);
  if constexpr (P == pivoting::none) {
    growth_monitor<false, false> ignore;
    return plain.template reduce<false>(ignore, [](int) {});
  } else {
    const solve_status found{m.flags, nullptr, nullptr};
    const bool here = plain.has_rows();
    plain.vote(found);
    bool unstable = here && found.is_unstable(plain.system());
    typename Segment::equations all{};
    if (!__syncthreads_and(unstable || !here)) {
      if (unstable) plain.leave_out();
      growth_monitor<true, false> monitor;
      all = Segment::chunk::from_plain(
          plain.template reduce<false>(monitor, [&](int system) { found.mark_unstable(system); }));
      __syncthreads();
      unstable = here && found.is_unstable(plain.system());
      if (!__syncthreads_or(unstable)) return all;
    }
    typename Segment::template part<pivoting::partial> pivoted(t, place, s, m);
    if (!unstable) pivoted.leave_out();
    growth_monitor<false, false> ignore;
    const auto with_interchanges = pivoted.template reduce<false>(ignore, [](int) {});
    const int speaker = t.speaks_for(place);
    return speaker >= 0 && found.is_unstable(speaker) ? with_interchanges : all;
  }
}

/// Reduces segments to equations, in the first pass.
template <class V, pivoting P, class Segment, int Sides>
__global__ void __launch_bounds__(most_threads_of(P))
    reduce_segments(const __grid_constant__ typename Segment::geometry g,
                    const __grid_constant__ typename Segment::operands o,
                    const __grid_constant__ typename Segment::maps maps,
                    const __grid_constant__ typename Segment::shape s,
                    const nodes<V, P, Sides> above, int* pivoted, edge_entries<V>* edges,
                    const outside<V> beyond) {
  extern __shared__ __align__(cache_line) unsigned char memory[];
  typename Segment::memory m(memory, s);
  m.mbarrier.start();
  const typename Segment::position at(s, blockIdx.x);
  Segment t(g, o, maps, s, m, at);
  const int system = static_cast<int>(threadIdx.x);
  if (system < t.systems()) m.flags[system] = 0;
  t.load_async();
  t.wait_loaded();
  if (system < t.systems()) {
    beyond.mend(t, g, o, system);
    edges[t.node_above(system)].take(t, system);
  }
  if (beyond.open) __syncthreads();
  const auto place = t.place();
  const auto all = reduce_rows<P>(t, place, s, m);
  if (const int speaker = t.speaks_for(place); speaker >= 0) {
    above.equations[t.node_above(speaker)] = all;
  }
  if constexpr (P == pivoting::partial) {
    __syncthreads();
    if (system < t.systems()) pivoted[t.node_above(system)] = m.flags[system] > 0;
  }
}

/// Combines the equations of a block's nodes. All threads take part.
template <class V, pivoting P, int Sides = 1>
struct node_gather {
  using C = chunk<V, P, side_values<V, Sides>>;
  chunk_place place;
  block_level<V, P, side_values<V, Sides>> chunks;
  index_t node;  // of this thread, if it has one
  typename C::equations all;

  __device__ __forceinline__ node_gather(const node_block& b, const onchip_shape& s,
                                         const nodes<V, P, Sides>& in,
                                         typename C::equations* of_warps)
      : place(place_of<true>(s, b)),
        chunks(place),
        node(b.number(place.system) * s.rows + b.first_row() + place.chunk) {
    typename C::equations e{};
    if (place.at >= 0) e = in.equations[node];
    growth_monitor<false, false> ignore;
    all = chunks.up(e, of_warps, ignore);
  }
  node_gather(const node_gather&) = delete;

  /// Gives each node its interface unknowns.
  __device__ __forceinline__ void spread(const typename C::unknowns& of_all,
                                         const nodes<V, P, Sides>& to) const {
    const auto mine = chunks.down(of_all);
    if (place.at >= 0) to.unknowns[node] = mine;
  }
};

/// Reduces a level's equations to those of the level above.
template <class V, pivoting P, int Sides>
__global__ void __launch_bounds__(most_threads)
    reduce_level(const __grid_constant__ onchip_shape s, index_t matrices,
                 const nodes<V, P, Sides> in, const nodes<V, P, Sides> above) {
  using gather = node_gather<V, P, Sides>;
  __shared__ typename gather::C::equations of_warps[most_threads / warp_size];
  const node_block b(s, matrices);
  const gather level(b, s, in, of_warps);
  const chunk_place& p = level.place;
  if (speaks_for_system(p)) above.equations[b.node_above(p.system)] = level.all;
}

/// Finds a level's interface unknowns from those of the level above.
template <class V, pivoting P, int Sides>
__global__ void __launch_bounds__(most_threads)
    expand_level(const __grid_constant__ onchip_shape s, index_t matrices,
                 const nodes<V, P, Sides> in, const nodes<V, P, Sides> above) {
  using gather = node_gather<V, P, Sides>;
  __shared__ typename gather::C::equations of_warps[most_threads / warp_size];
  const node_block b(s, matrices);
  const gather level(b, s, in, of_warps);
  typename gather::C::unknowns unknowns{};
  if (level.place.system >= 0) unknowns = above.unknowns[b.node_above(level.place.system)];
  level.spread(unknowns, in);
}

/// Records that x of some right-hand sides of a system overflows in the rows of a chunk: all values
/// were finite until now.
template <int Sides, class Rows>
__device__ __forceinline__ void mark_overflow(const Rows& solved, index_t first_line,
                                              const line_states<Sides>& states) {
#pragma unroll
  for (int side = 0; side < Sides; ++side) {
    const index_t line = states.line(first_line, side);
    // Without interchanges what is not finite spreads to the first row.
    if (Sides > 1 && solved.is_finite(0, side)) continue;
    if (states.at[line] == system_state::failed) continue;
    states.at[line] = system_state::overflowed;
    if (states.overflows == nullptr) continue;
    layout::merge_status(states.overflows + line, 0, -(solved.first_overflow(side) + 1));
  }
}

/// Finds x of those systems of a segment that were reduced with pivoting Q: `mine` says whether
/// this thread's chunk belongs to one. All threads take part.
template <pivoting Q, int Sides, class Segment, class Unknowns>
__device__ __forceinline__ void expand_rows(const Segment& t,
                                            const typename Segment::place_type& place,
                                            const typename Segment::shape& s,
                                            const typename Segment::memory& m, bool mine,
                                            const Unknowns& unknowns,
                                            const line_states<Sides>& states) {
  typename Segment::template part<Q> part(t, place, s, m);
  if (!mine) part.leave_out();
  growth_monitor<false, false> ignore;
  part.template reduce<true>(ignore, [](int) {});
  if (part.expand(part.down(unknowns))) return;
  const int system = part.system();
  mark_overflow(part.solved(), Sides == 1 ? t.number(system) : t.status_of(system), states);
}

/// Finds x of a segment's systems, each in the way in which it was reduced: `pivoted` is above 0
/// where that was with interchanges. All threads take part, after a barrier.
template <int Sides, class Segment, class Unknowns>
__device__ __forceinline__ void expand_either(const Segment& t,
                                              const typename Segment::place_type& place,
                                              const typename Segment::shape& s,
                                              const typename Segment::memory& m, const int* pivoted,
                                              const Unknowns& unknowns,
                                              const line_states<Sides>& states) {
  const int of_chunk = t.system_of_chunk(place);
  const bool here = of_chunk >= 0, mine = here && pivoted[of_chunk] > 0;
  if (!__syncthreads_and(mine || !here)) {
    expand_rows<pivoting::none>(t, place, s, m, !mine, Segment::chunk::to_plain(unknowns), states);
  }
  if (__syncthreads_or(mine)) {
    expand_rows<pivoting::partial>(t, place, s, m, mine, unknowns, states);
  }
}

/// Finds x of every segment from its interface unknowns, in the last pass.
template <class V, pivoting P, class Segment, int Sides>
__global__ void __launch_bounds__(most_threads_of(P))
    expand_segments(const __grid_constant__ typename Segment::geometry g,
                    const __grid_constant__ typename Segment::operands o,
                    const __grid_constant__ typename Segment::maps maps,
                    const __grid_constant__ typename Segment::shape s,
                    const nodes<V, P, Sides> above, const int* pivoted,
                    const edge_entries<V>* edges, const line_states<Sides> states) {
  extern __shared__ __align__(cache_line) unsigned char memory[];
  typename Segment::memory m(memory, s);
  m.mbarrier.start();
  // The last rows that were reduced come first: they are still in the L2.
  const typename Segment::position at(s, gridDim.x - 1 - blockIdx.x);
  Segment t(g, o, maps, s, m, at);
  const auto place = t.place();
  // The loads from the workspace are issued before the tile's, and used after them.
  typename Segment::unknowns unknowns{};
  if (const int asker = t.asks_for(place); asker >= 0) {
    unknowns = above.unknowns[t.node_above(asker)];
  }
  const int system = static_cast<int>(threadIdx.x);
  bool failed = false, pivots = false;
  edge_entries<V> edge;
  if (system < t.systems()) {
    // All of several right-hand sides are stored: those that have failed are filled with NaN.
    if (Sides == 1) failed = states.at[t.number(system)] == system_state::failed;
    if constexpr (P == pivoting::partial) pivots = pivoted[t.node_above(system)] != 0;
    edge = edges[t.node_above(system)];
  }
  t.load_async();
  t.wait_loaded();
  int *const left_out = m.flags, *const with_pivoting = m.flags + s.systems;
  if (system < t.systems()) {
    left_out[system] = failed;
    if constexpr (P == pivoting::partial) with_pivoting[system] = pivots;
    edge.put(t, system);
  }
  const bool any_left_out = __syncthreads_or(failed);
  if constexpr (P == pivoting::none) {
    expand_rows<pivoting::none>(t, place, s, m, true, unknowns, states);
  } else {
    expand_either(t, place, s, m, with_pivoting, unknowns, states);
  }
  t.fence_proxy_async();
  __syncthreads();
  t.store(any_left_out, [&](int i) { return left_out[i] != 0; });
}

inline unsigned blocks_for(const onchip_shape& s, index_t systems) {
  return static_cast<unsigned>((systems + s.systems - 1) / s.systems * s.blocks);
}

/// Launches passes, in a workspace, one after another until one fails.
template <class V, int Sides = 1>
struct pass_launcher {
  const geometry& g;
  const operands& untyped;
  const segments_shape& shape;
  const side_groups& groups;
  std::byte* workspace;
  cudaStream_t stream;
  const side_arrays<V, Sides> systems{untyped, groups, shape};
  cudaError_t result = cudaSuccess;

  template <class... Parameters, class... Arguments>
  void launch(void (*kernel)(Parameters...), unsigned blocks, int threads, std::size_t shared_bytes,
              const Arguments&... arguments) {
    if (result != cudaSuccess) return;
    kernel<<<blocks, static_cast<unsigned>(threads), shared_bytes, stream>>>(arguments...);
    result = cudaGetLastError();
  }
  template <class... Parameters, class... Arguments>
  void launch(void (*kernel)(Parameters...), unsigned blocks, const onchip_shape& s,
              const Arguments&... arguments) {
    launch(kernel, blocks, s.threads, s.shared_bytes, arguments...);
  }
  [[nodiscard]] int top() const { return shape.levels - 1; }
  [[nodiscard]] const onchip_shape& level_shape(int k) const { return shape.level[k].shape; }
  [[nodiscard]] index_t system_count() const { return systems.g.matrices.size; }
  [[nodiscard]] system_state* system_states() const {
    return reinterpret_cast<system_state*>(workspace + shape.system_states);
  }
  [[nodiscard]] index_t* overflows() const {
    return reinterpret_cast<index_t*>(workspace + shape.overflows);
  }
  [[nodiscard]] int* pivoted() const { return reinterpret_cast<int*>(workspace + shape.pivoted); }
  [[nodiscard]] edge_entries<V>* edges() const {
    return reinterpret_cast<edge_entries<V>*>(workspace + shape.edges);
  }
};

template <pivoting P, class V, int Sides>
nodes<V, P, Sides> level_nodes(const pass_launcher<V, Sides>& p, int k) {
  using C = chunk<V, P, side_values<V, Sides>>;
  const segments_level& l = p.shape.level[k];
  return {reinterpret_cast<typename C::equations*>(p.workspace + l.equations),
          reinterpret_cast<typename C::unknowns*>(p.workspace + l.unknowns)};
}

/// Launches a pass over the nodes of level k.
template <pivoting P, class V, int Sides, class Kernel>
void on_level(pass_launcher<V, Sides>& p, int k, Kernel kernel) {
  const onchip_shape& s = p.level_shape(k);
  const index_t systems = p.system_count();
  p.launch(kernel, blocks_for(s, systems), s, s, systems, level_nodes<P>(p, k),
           level_nodes<P>(p, k + 1));
}

/// Launches a pass over the rows. `kernel_for` returns the kernel for segments of a type, which
/// takes `last` in the end.
template <pivoting P, class V, int Sides, class KernelFor, class Last>
void on_rows(pass_launcher<V, Sides>& p, KernelFor kernel_for, const Last& last) {
  const auto launch = [&]<class Segment>(std::type_identity<Segment> of,
                                         const typename Segment::maps& maps,
                                         const typename Segment::shape& s) {
    p.launch(kernel_for(of), Segment::count(s, p.system_count()), Segment::threads(s),
             s.shared_bytes, p.systems.g, p.systems.o, maps, s, level_nodes<P>(p, 0), p.pivoted(),
             p.edges(), last);
  };
  if (p.shape.in_boxes) {
    launch(std::type_identity<row_segment<V, P, Sides>>{}, p.systems.maps, p.shape.of_rows);
  } else {
    launch(std::type_identity<line_segment<V, P, Sides>>{}, no_maps{}, p.shape.of_lines);
  }
}
template <pivoting P, class V, int Sides>
void launch_reduction(pass_launcher<V, Sides>& p, const outside<V>& beyond) {
  on_rows<P>(
      p,
      []<class Segment>(std::type_identity<Segment>) {
        return reduce_segments<V, P, Segment, Sides>;
      },
      beyond);
}
template <pivoting P, class V, int Sides>
void launch_expansion(pass_launcher<V, Sides>& p, const line_states<Sides>& states) {
  on_rows<P>(
      p,
      []<class Segment>(std::type_identity<Segment>) {
        return expand_segments<V, P, Segment, Sides>;
      },
      states);
}

}  // namespace tridia::cuda::segments
