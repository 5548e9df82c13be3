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

/// Distinguishes passes over all systems, unmonitored or monitored, from pivoted passes over those
/// that are left. With partial pivoting, systems are solved without interchanges first, while their
/// growth is monitored, and those whose numbers grow are left for a second stage.
enum class pass_kind { plain, monitored, pivoted };

template <pass_kind S>
inline constexpr pivoting pivots = S == pass_kind::pivoted ? pivoting::partial : pivoting::none;
/// This is the maximum number of threads per block that holds rows: the stages of a plan have one
/// shape.
template <pass_kind S>
inline constexpr int most_row_threads = most_threads_of(S == pass_kind::plain ? pivoting::none
                                                                              : pivoting::partial);

/// Describes the state of a system once it is closed; and where x of one that was solved, or left,
/// overflows in the last pass, which goes on all the same.
enum class system_state : int { solved, left, failed, solved_overflowed, left_overflowed };

/// Returns whether stage S finishes a system.
template <pass_kind S>
__device__ __forceinline__ bool is_mine(system_state v) {
  if constexpr (S == pass_kind::pivoted)
    return v == system_state::left || v == system_state::left_overflowed;
  return v == system_state::solved || v == system_state::solved_overflowed;
}
/// Returns whether a system has no finite solution, once all stages are done.
inline __device__ bool has_failed(system_state v) {
  return v != system_state::solved && v != system_state::left;
}
/// This is the state of a system that stage S finishes if its x overflows.
template <pass_kind S>
inline constexpr system_state has_overflowed =
    S == pass_kind::pivoted ? system_state::left_overflowed : system_state::solved_overflowed;

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
  int* unstable;
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

/// Returns whether stage S, which may know the states of systems, has nothing to do for `count` of
/// them from `first` on. All threads take part.
template <pass_kind S>
__device__ __forceinline__ bool is_done(index_t first, int count,
                                        const system_state* system_states) {
  if (system_states == nullptr) return false;
  const int system = static_cast<int>(threadIdx.x);
  return !__syncthreads_or(system < count && is_mine<S>(system_states[first + system]));
}

/// A block of the second stage handles this many tiles; most often they are already done.
inline constexpr unsigned second_pass_run = 8;

/// Calls f(number) for the tiles, of `tiles`, that this block has in a segments' pass, until it
/// returns false: then those with other systems follow.
template <pass_kind S, class Segment, class F>
__device__ __forceinline__ void for_each_tile(const typename Segment::shape& s, unsigned tiles,
                                              F f) {
  if constexpr (S != pass_kind::pivoted) {
    f(blockIdx.x);
  } else {
    unsigned tile = blockIdx.x * second_pass_run;
    const unsigned end = min(tile + second_pass_run, tiles);
    while (tile < end) tile = f(tile) ? tile + 1 : Segment::next_systems(s, tile);
  }
}

inline __device__ bool speaks_for_system(const chunk_place& p) {
  return p.system >= 0 && p.warp == 0 && p.lane == 0;
}

/// Writes the result of a block's systems for the level above: their equations, by the threads that
/// speak for a system, and whether numbers grew. `unstable`: a flag a system in shared memory.
template <pass_kind S, class Block, class Equations, class Nodes>
__device__ __forceinline__ void hand_up(const Block& b, int speaks_for, const Equations& all,
                                        const int* unstable, const Nodes& above) {
  if (speaks_for >= 0) above.equations[b.node_above(speaks_for)] = all;
  if constexpr (S == pass_kind::monitored) {
    __syncthreads();
    const int system = static_cast<int>(threadIdx.x);
    if (system < b.systems()) above.unstable[b.node_above(system)] = unstable[system];
  }
}

template <pass_kind S>
using monitor_of = growth_monitor<S == pass_kind::monitored, false>;
/// Reduces segments to equations, in the first pass.
template <class V, pass_kind S, class Segment, int Sides>
__global__ void __launch_bounds__(most_row_threads<S>)
    reduce_segments(const __grid_constant__ typename Segment::geometry g,
                    const __grid_constant__ typename Segment::operands o,
                    const __grid_constant__ typename Segment::maps maps,
                    const __grid_constant__ typename Segment::shape s, unsigned tiles,
                    const nodes<V, pivots<S>, Sides> above, edge_entries<V>* edges,
                    const line_states<Sides> states, const outside<V> beyond) {
  extern __shared__ __align__(cache_line) unsigned char memory[];
  typename Segment::memory m(memory, s);
  m.mbarrier.start();
  for_each_tile<S, Segment>(s, tiles, [&](unsigned number) {
    const typename Segment::position at(s, number);
    Segment t(g, o, maps, s, m, at);
    if (S == pass_kind::pivoted && is_done<S>(t.number(0), t.systems(), states.at)) {
      return false;
    }
    const int system = static_cast<int>(threadIdx.x);
    if (system < t.systems()) m.flags[system] = 0;
    t.load_async();
    t.wait_loaded();
    if ((S != pass_kind::pivoted || beyond.open) && system < t.systems()) {
      beyond.mend(t, g, o, system);
      edges[t.node_above(system)].take(t, system);
    }
    if (beyond.open) __syncthreads();
    const auto place = t.place();
    typename Segment::part part(t, place, s, m);
    monitor_of<S> monitor;
    const auto all =
        part.template reduce<false>(monitor, [&](int unstable) { m.flags[unstable] = 1; });
    hand_up<S>(t, part.speaks_for(), all, m.flags, above);
    if constexpr (S == pass_kind::pivoted) t.leave();
    return true;
  });
}

/// Combines the equations of a block's nodes. All threads take part.
template <class V, pass_kind S, int Sides = 1>
struct node_gather {
  using C = chunk<V, pivots<S>, side_values<V, Sides>>;
  chunk_place place;
  block_level<V, pivots<S>, side_values<V, Sides>> chunks;
  index_t node;  // of this thread, if it has one
  monitor_of<S> monitor;
  typename C::equations all;

  __device__ __forceinline__ node_gather(const node_block& b, const onchip_shape& s,
                                         const nodes<V, pivots<S>, Sides>& in,
                                         typename C::equations* of_warps)
      : place(place_of<true>(s, b)),
        chunks(place),
        node(b.number(place.system) * s.rows + b.first_row() + place.chunk) {
    typename C::equations e{};
    if (place.at >= 0) {
      e = in.equations[node];
      if constexpr (S == pass_kind::monitored) monitor.bounded = in.unstable[node] == 0;
    }
    all = chunks.up(e, of_warps, monitor);
  }
  node_gather(const node_gather&) = delete;

  /// Gives each node its interface unknowns.
  __device__ __forceinline__ void spread(const typename C::unknowns& of_all,
                                         const nodes<V, pivots<S>, Sides>& to) const {
    const auto mine = chunks.down(of_all);
    if (place.at >= 0) to.unknowns[node] = mine;
  }
};

/// Reduces a level's equations to those of the level above.
template <class V, pass_kind S, int Sides>
__global__ void __launch_bounds__(most_threads)
    reduce_level(const __grid_constant__ onchip_shape s, index_t matrices,
                 const nodes<V, pivots<S>, Sides> in, const nodes<V, pivots<S>, Sides> above,
                 const system_state* system_states) {
  using gather = node_gather<V, S, Sides>;
  __shared__ typename gather::C::equations of_warps[most_threads / warp_size];
  __shared__ int unstable[most_threads];
  const node_block b(s, matrices);
  if (S == pass_kind::pivoted && is_done<S>(b.number(0), b.systems(), system_states)) return;
  unstable[threadIdx.x] = 0;
  __syncthreads();
  const gather level(b, s, in, of_warps);
  const chunk_place& p = level.place;
  if (p.system >= 0 && !level.monitor.bounded) unstable[p.system] = 1;
  hand_up<S>(b, speaks_for_system(p) ? p.system : -1, level.all, unstable, above);
}

/// Finds a level's interface unknowns from those of the level above.
template <class V, pass_kind S, int Sides>
__global__ void __launch_bounds__(most_threads)
    expand_level(const __grid_constant__ onchip_shape s, index_t matrices,
                 const nodes<V, pivots<S>, Sides> in, const nodes<V, pivots<S>, Sides> above,
                 const system_state* system_states) {
  using gather = node_gather<V, S, Sides>;
  __shared__ typename gather::C::equations of_warps[most_threads / warp_size];
  const node_block b(s, matrices);
  if (S == pass_kind::pivoted && is_done<S>(b.number(0), b.systems(), system_states)) return;
  const gather level(b, s, in, of_warps);
  typename gather::C::unknowns unknowns{};
  if (level.place.system >= 0) unknowns = above.unknowns[b.node_above(level.place.system)];
  level.spread(unknowns, in);
}

/// Records that x of some right-hand sides of a system overflows in the rows of a chunk: all values
/// were finite until now.
template <pass_kind S, int Sides, class Rows>
__device__ __forceinline__ void mark_overflow(const Rows& solved, index_t first_line,
                                              const line_states<Sides>& states) {
#pragma unroll
  for (int side = 0; side < Sides; ++side) {
    const index_t line = states.line(first_line, side);
    // Without interchanges what is not finite spreads to the first row.
    if ((Sides > 1 && solved.is_finite(0, side)) || !is_mine<S>(states.at[line])) continue;
    states.at[line] = has_overflowed<S>;
    if (states.overflows == nullptr) continue;
    layout::merge_status(states.overflows + line, 0, -(solved.first_overflow(side) + 1));
  }
}

/// Finds x of every segment from its interface unknowns, in the last pass.
template <class V, pass_kind S, class Segment, int Sides>
__global__ void __launch_bounds__(most_row_threads<S>)
    expand_segments(const __grid_constant__ typename Segment::geometry g,
                    const __grid_constant__ typename Segment::operands o,
                    const __grid_constant__ typename Segment::maps maps,
                    const __grid_constant__ typename Segment::shape s, unsigned tiles,
                    const nodes<V, pivots<S>, Sides> above, const edge_entries<V>* edges,
                    const line_states<Sides> states, const outside<V> beyond) {
  extern __shared__ __align__(cache_line) unsigned char memory[];
  typename Segment::memory m(memory, s);
  m.mbarrier.start();
  for_each_tile<S, Segment>(s, tiles, [&](unsigned number) {
    const typename Segment::position at(s, number);
    Segment t(g, o, maps, s, m, at);
    if (S != pass_kind::plain && is_done<S>(t.number(0), t.systems(), states.at)) return false;
    const auto place = t.place();
    typename Segment::part part(t, place, s, m);
    // The loads from the workspace are issued before the tile's, and used after them.
    typename Segment::unknowns unknowns{};
    if (part.asks_for() >= 0) unknowns = above.unknowns[t.node_above(part.asks_for())];
    const int system = static_cast<int>(threadIdx.x);
    system_state v{};
    edge_entries<V> edge;
    if (system < t.systems()) {
      if (Sides == 1) v = states.at[t.number(system)];
      edge = edges[t.node_above(system)];
    }
    t.load_async();
    t.wait_loaded();
    int* const left_out = m.flags;
    bool any_left_out = false;
    if (system < t.systems()) {
      // All of several right-hand sides are stored: those that have failed are filled with NaN.
      any_left_out = left_out[system] = Sides == 1 && !is_mine<S>(v);
      edge.put(t, system);
    }
    any_left_out = __syncthreads_or(any_left_out);

    growth_monitor<false, false> ignore;
    part.template reduce<true>(ignore, [](int) {});
    const int mine = part.system();
    if (!part.expand(part.down(unknowns)) && !left_out[mine]) {
      mark_overflow<S>(part.solved(), Sides == 1 ? t.number(mine) : t.status_of(mine), states);
    }
    t.fence_proxy_async();
    __syncthreads();
    t.store(any_left_out, [&](int i) { return left_out[i] != 0; });
    if constexpr (S == pass_kind::pivoted) t.leave();
    return true;
  });
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
  [[nodiscard]] edge_entries<V>* edges() const {
    return reinterpret_cast<edge_entries<V>*>(workspace + shape.edges);
  }
};

template <pass_kind S, class V, int Sides>
nodes<V, pivots<S>, Sides> level_nodes(const pass_launcher<V, Sides>& p, int k) {
  using C = chunk<V, pivots<S>, side_values<V, Sides>>;
  const segments_level& l = p.shape.level[k];
  return {reinterpret_cast<typename C::equations*>(p.workspace + l.equations),
          reinterpret_cast<typename C::unknowns*>(p.workspace + l.unknowns),
          reinterpret_cast<int*>(p.workspace + l.unstable)};
}

/// Launches a pass over the nodes of level k.
template <pass_kind S, class V, int Sides, class Kernel>
void on_level(pass_launcher<V, Sides>& p, int k, Kernel kernel, const system_state* system_states) {
  const onchip_shape& s = p.level_shape(k);
  const index_t systems = p.system_count();
  p.launch(kernel, blocks_for(s, systems), s, s, systems, level_nodes<S>(p, k),
           level_nodes<S>(p, k + 1), system_states);
}

/// Return the kernels of the first and the last pass for a type of segments.
template <class V, pass_kind S, int Sides = 1>
constexpr auto reduce_kernel = []<class Segment>(std::type_identity<Segment>) {
  return reduce_segments<V, S, Segment, Sides>;
};
template <class V, pass_kind S, int Sides = 1>
constexpr auto expand_kernel = []<class Segment>(std::type_identity<Segment>) {
  return expand_segments<V, S, Segment, Sides>;
};

/// Launches a pass over the rows. `kernel_for` returns the kernel for segments of a type.
template <pass_kind S, class V, int Sides, class KernelFor>
void on_rows(pass_launcher<V, Sides>& p, KernelFor kernel_for, const line_states<Sides>& states,
             const outside<V>& beyond) {
  const auto launch = [&]<class Segment>(std::type_identity<Segment> of,
                                         const typename Segment::maps& maps,
                                         const typename Segment::shape& s) {
    const unsigned tiles = Segment::count(s, p.system_count());
    const unsigned run = S == pass_kind::pivoted ? second_pass_run : 1;
    p.launch(kernel_for(of), (tiles - 1) / run + 1, Segment::threads(s), s.shared_bytes,
             p.systems.g, p.systems.o, maps, s, tiles, level_nodes<S>(p, 0), p.edges(), states,
             beyond);
  };
  if (p.shape.in_boxes) {
    launch(std::type_identity<row_segment<V, pivots<S>, Sides>>{}, p.systems.maps, p.shape.of_rows);
  } else {
    launch(std::type_identity<line_segment<V, pivots<S>, Sides>>{}, no_maps{}, p.shape.of_lines);
  }
}

}  // namespace tridia::cuda::segments
