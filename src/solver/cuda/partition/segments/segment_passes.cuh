// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "core/dispatch.hpp"
#include "gpu/dependent_launch.cuh"
#include "solver/cuda/partition/segments/line_segment.cuh"
#include "solver/cuda/partition/segments/row_segment.cuh"
#include "solver/cuda/partition/segments/segments.hpp"
#include "solver/cuda/partition/segments/side_arrays.cuh"

#include <climits>
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

/// Return memory of the block for the interface unknowns of each of its systems, which nothing
/// else is in: that for equations of other blocks.
template <class V, pivoting P>
__device__ __forceinline__ typename line_segment<V, P>::unknowns* unknowns_room(
    const typename line_segment<V, P>::memory& m, const onchip_shape& s,
    std::type_identity<line_segment<V, P>>) {
  auto* const of_warps = static_cast<typename line_segment<V, P>::equations*>(m.nodes);
  return reinterpret_cast<typename line_segment<V, P>::unknowns*>(of_warps + s.threads / warp_size);
}
template <class V, pivoting P>
__device__ __forceinline__ typename row_segment<V, P>::unknowns* unknowns_room(
    const typename row_segment<V, P>::memory& m, const interleaved_shape&,
    std::type_identity<row_segment<V, P>>) {
  return reinterpret_cast<typename row_segment<V, P>::unknowns*>(m.nodes);
}

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

/// Returns the equations of a segment's systems, to the threads that speak for one. Each system is
/// reduced without interchanges, unless most of its rows here lack dominance, and by `pivoted` if
/// numbers grow: then `m.flags` of it is above 0. What `pivoted` needs to expand is kept if `Keep`;
/// otherwise rows stay what they are. All threads take part; flags are 0 before.
template <bool Keep, class Segment>
__device__ __forceinline__ typename Segment::equations reduce_either(
    const Segment& t, const typename Segment::place_type& place, const typename Segment::shape& s,
    const typename Segment::memory& m,
    typename Segment::template part<pivoting::partial>& pivoted) {
  typename Segment::template part<pivoting::none> plain(t, place, s, m);
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
  if (!unstable) pivoted.leave_out();
  growth_monitor<false, false> ignore;
  const auto with_interchanges = pivoted.template reduce<Keep>(ignore, [](int) {});
  const int speaker = t.speaks_for(place);
  return speaker >= 0 && found.is_unstable(speaker) ? with_interchanges : all;
}

/// Returns the equations of a segment's systems, as above, and leaves the rows as they are.
template <pivoting P, class Segment>
__device__ __forceinline__ typename Segment::equations reduce_rows(
    const Segment& t, const typename Segment::place_type& place, const typename Segment::shape& s,
    const typename Segment::memory& m) {
  typename Segment::template part<P> part(t, place, s, m);
  if constexpr (P == pivoting::none) {
    growth_monitor<false, false> ignore;
    return part.template reduce<false>(ignore, [](int) {});
  } else {
    return reduce_either<false>(t, place, s, m, part);
  }
}

/// Says what the first pass has made of a system's rows in a segment: equations, without
/// interchanges or with them; or x.
enum class segment_state : int { plain, pivoted, solved };

/// Says whether the first pass has solved segments, whether it has left some to those that follow,
/// and whether a block has waited for another one in vain.
struct pass_findings {
  int solved, left, gave_up;
};
/// Returns whether nothing is left; all is where nobody looks for what there is.
inline __device__ bool nothing_is_left(const pass_findings* f) { return f != nullptr && !f->left; }

/// Reduces segments to equations, in the first pass.
template <class V, pivoting P, class Segment, int Sides>
__global__ void __launch_bounds__(most_threads_of(P))
    reduce_segments(const __grid_constant__ typename Segment::geometry g,
                    const __grid_constant__ typename Segment::operands o,
                    const __grid_constant__ typename Segment::maps maps,
                    const __grid_constant__ typename Segment::shape s,
                    const nodes<V, P, Sides> above, segment_state* states, edge_entries<V>* edges,
                    const outside<V> beyond) {
  begin_in_chain();
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
  if constexpr (P == pivoting::partial) __syncthreads();
  if (system < t.systems()) {
    const bool pivoted = m.flags[system] > 0;
    states[t.node_above(system)] = pivoted ? segment_state::pivoted : segment_state::plain;
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
                 const nodes<V, P, Sides> in, const nodes<V, P, Sides> above,
                 const pass_findings* found) {
  begin_in_chain();
  using gather = node_gather<V, P, Sides>;
  __shared__ typename gather::C::equations of_warps[most_threads / warp_size];
  if (nothing_is_left(found)) return;
  const node_block b(s, matrices);
  const gather level(b, s, in, of_warps);
  const chunk_place& p = level.place;
  if (speaks_for_system(p)) above.equations[b.node_above(p.system)] = level.all;
}

/// Finds a level's interface unknowns from those of the level above.
template <class V, pivoting P, int Sides>
__global__ void __launch_bounds__(most_threads)
    expand_level(const __grid_constant__ onchip_shape s, index_t matrices,
                 const nodes<V, P, Sides> in, const nodes<V, P, Sides> above,
                 const pass_findings* found) {
  begin_in_chain();
  using gather = node_gather<V, P, Sides>;
  __shared__ typename gather::C::equations of_warps[most_threads / warp_size];
  if (nothing_is_left(found)) return;
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

/// Finds x of a part's chunks that have rows, from their interface unknowns. All threads take part.
template <int Sides, class Segment, class Part, class Unknowns>
__device__ __forceinline__ void expand_part(const Segment& t, const Part& part,
                                            const Unknowns& unknowns,
                                            const line_states<Sides>& states) {
  if (part.expand(part.down(unknowns))) return;
  const int system = part.system();
  mark_overflow(part.solved(), Sides == 1 ? t.number(system) : t.status_of(system), states);
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
  expand_part(t, part, unknowns, states);
}

/// Says of a system that its x is not asked for, where it is told how others were reduced.
inline constexpr int not_asked = INT_MIN;

/// Finds x of a segment's systems, each in the way in which it was reduced: `how` is above 0 where
/// that was with interchanges. All threads take part, after a barrier.
template <int Sides, class Segment, class Unknowns>
__device__ __forceinline__ void expand_either(const Segment& t,
                                              const typename Segment::place_type& place,
                                              const typename Segment::shape& s,
                                              const typename Segment::memory& m, const int* how,
                                              const Unknowns& unknowns,
                                              const line_states<Sides>& states) {
  const int of_chunk = t.system_of_chunk(place), here = of_chunk >= 0 ? how[of_chunk] : not_asked;
  const bool pivoted = here > 0, plain = !pivoted && here != not_asked;
  if (__syncthreads_or(plain)) {
    const auto x = Segment::chunk::to_plain(unknowns);
    expand_rows<pivoting::none>(t, place, s, m, plain, x, states);
  }
  if (__syncthreads_or(pivoted)) {
    expand_rows<pivoting::partial>(t, place, s, m, pivoted, unknowns, states);
  }
}

/// Says what the last pass needs of those before it.
template <int Sides>
struct last_pass {
  const pass_findings* found;
  line_states<Sides> lines;
};

/// Finds x of those segments that the first pass has left, from their interface unknowns, in the
/// last pass.
template <class V, pivoting P, class Segment, int Sides>
__global__ void __launch_bounds__(most_threads_of(P))
    expand_segments(const __grid_constant__ typename Segment::geometry g,
                    const __grid_constant__ typename Segment::operands o,
                    const __grid_constant__ typename Segment::maps maps,
                    const __grid_constant__ typename Segment::shape s,
                    const nodes<V, P, Sides> above, const segment_state* reduced,
                    const edge_entries<V>* edges, const last_pass<Sides> pass) {
  begin_in_chain();
  if (nothing_is_left(pass.found)) return;
  const line_states<Sides>& states = pass.lines;
  extern __shared__ __align__(cache_line) unsigned char memory[];
  typename Segment::memory m(memory, s);
  m.mbarrier.start();
  // The last rows that were reduced come first: they are still in the L2.
  const typename Segment::position at(s, gridDim.x - 1 - blockIdx.x);
  Segment t(g, o, maps, s, m, at);
  const int system = static_cast<int>(threadIdx.x);
  segment_state state = segment_state::solved;
  if (system < t.systems()) state = reduced[t.node_above(system)];
  // Where nothing is solved, rows are asked for before the state has come.
  const bool any_solved = pass.found != nullptr && pass.found->solved;
  if (any_solved && __syncthreads_and(state == segment_state::solved)) return;
  const auto place = t.place();
  // The loads from the workspace are issued before the tile's, and used after them.
  typename Segment::unknowns unknowns{};
  if (const int asker = t.asks_for(place); asker >= 0) {
    unknowns = above.unknowns[t.node_above(asker)];
  }
  bool skipped = false;
  edge_entries<V> edge;
  if (system < t.systems()) {
    // All of several right-hand sides are stored: those that have failed are filled with NaN.
    if (Sides == 1) skipped = states.at[t.number(system)] == system_state::failed;
    edge = edges[t.node_above(system)];
  }
  t.load_async();
  t.wait_loaded();
  int *const left_out = m.flags, *const how = m.flags + s.systems;
  if (system < t.systems()) {
    const bool solved = state == segment_state::solved;
    skipped = skipped || solved;
    left_out[system] = skipped;
    how[system] = solved ? not_asked : static_cast<int>(state);
    edge.put(t, system);
  }
  const bool any_left_out = __syncthreads_or(skipped);
  if constexpr (P == pivoting::none) {
    const int of_chunk = t.system_of_chunk(place);
    const bool mine = of_chunk >= 0 && how[of_chunk] != not_asked;
    expand_rows<pivoting::none>(t, place, s, m, mine, unknowns, states);
  } else {
    expand_either(t, place, s, m, how, unknowns, states);
  }
  t.fence_proxy_async();
  __syncthreads();
  t.store(any_left_out, [&](int i) { return left_out[i] != 0; });
}

}  // namespace tridia::cuda::segments
