// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "gpu/dependent_launch.cuh"
#include "gpu/peer/absent_byte.hpp"
#include "solver/cuda/partition/segments/neighbours.cuh"
#include "solver/cuda/partition/segments/pass_launcher.cuh"

// The first pass over whole systems finds x of a segment at once where its neighbours' equations
// determine x at its borders: five words a row are moved, and not nine.
namespace tridia::cuda::segments {

/// Says what the first pass may do beyond reducing segments.
template <class V>
struct first_pass {
  bool may_solve;  // x lies in the place of no matrix, from which failures are explained
  bool periodic;   // segments at the ends of a system are neighbours
  pass_findings* found;
  border_equations<V>* borders;
  line_states<1> lines;
};

/// Returns the number of a system's segments.
__device__ __forceinline__ int segments_of(const onchip_shape& s) { return s.blocks; }
__device__ __forceinline__ int segments_of(const interleaved_shape& s) { return s.segments; }

/// Returns the segment that block number `turn` of a periodic system has: neighbours are taken in
/// turns that follow closely, those at its ends as well, as blocks wait for each other.
__device__ __forceinline__ int in_ring(int turn, int ranks) {
  return turn % 2 == 0 ? turn / 2 : ranks - 1 - turn / 2;
}

/// Hands the equations of a segment's systems to the kernels that follow, shows those at its
/// borders to its neighbours, and finds the interface unknowns in `room` of those systems for which
/// the neighbours' suffice: `m.flags` of the others says that their x is not asked for. What is
/// done of a system depends on no other one. Returns whether there are any. All threads take part;
/// ends with a barrier.
template <class V, pivoting P, class Segment>
__device__ __forceinline__ bool close_early(
    const Segment& t, const typename Segment::place_type& place, const typename Segment::memory& m,
    const typename Segment::equations& mine, typename Segment::unknowns* room, int rank, int ranks,
    const nodes<V, P>& above, segment_state* states, const first_pass<V>& pass) {
  bool closed = false;
  if (const int speaker = t.speaks_for(place); speaker >= 0) {
    const neighbour_exchange<V, P> neighbours(pass.borders, &pass.found->gave_up);
    const index_t node = t.node_above(speaker);
    const auto here = border_reduction<V>::at_borders(mine);
    if (pass.may_solve) neighbours.show(here, node);
    above.equations[node] = mine;
    const bool pivoted = m.flags[speaker] > 0;
    typename Segment::unknowns x{};
    if (pass.may_solve && !(Segment::of_neighbours && pivoted)) {
      closed = neighbours.close(here, node, {rank, ranks, pass.periodic}, x);
    }
    room[speaker] = x;
    states[node] = closed    ? segment_state::solved
                   : pivoted ? segment_state::pivoted
                             : segment_state::plain;
    (closed ? pass.found->solved : pass.found->left) = 1;
    if (!closed) m.flags[speaker] = not_asked;
  }
  return __syncthreads_or(closed);
}

/// Reduces segments to equations, and finds x of those whose neighbours' equations suffice for
/// that.
template <class V, pivoting P, class Segment>
__global__ void __launch_bounds__(most_threads_of(P))
    solve_segments(const __grid_constant__ typename Segment::geometry g,
                   const __grid_constant__ typename Segment::operands o,
                   const __grid_constant__ typename Segment::maps maps,
                   const __grid_constant__ typename Segment::shape s, const nodes<V, P> above,
                   segment_state* states, edge_entries<V>* edges, const first_pass<V> pass) {
  begin_in_chain();
  extern __shared__ __align__(cache_line) unsigned char memory[];
  typename Segment::memory m(memory, s);
  m.mbarrier.start();
  typename Segment::position at(s, blockIdx.x);
  if (pass.periodic) at.rank = in_ring(at.rank, segments_of(s));
  Segment t(g, o, maps, s, m, at);
  const int system = static_cast<int>(threadIdx.x);
  if (system < t.systems()) m.flags[system] = 0;
  t.load_async();
  t.wait_loaded();
  if (system < t.systems()) edges[t.node_above(system)].take(t, system);
  // Other threads overwrite these entries.
  __syncthreads();
  const auto place = t.place();
  auto* const room = unknowns_room(m, s, std::type_identity<Segment>{});
  const auto unknowns_here = [&] {
    const int asker = t.asks_for(place);
    return asker >= 0 ? room[asker] : typename Segment::unknowns{};
  };
  const auto how = [&] {
    const int of_chunk = t.system_of_chunk(place);
    return of_chunk >= 0 ? m.flags[of_chunk] : not_asked;
  };
  const auto close = [&](const typename Segment::equations& all) {
    return close_early<V, P>(t, place, m, all, room, at.rank, segments_of(s), above, states, pass);
  };
  typename Segment::template part<P> rows(t, place, s, m);
  if constexpr (P == pivoting::none) {
    growth_monitor<false, false> ignore;
    if (!close(rows.template reduce<true>(ignore, [](int) {}))) return;
    if (how() == not_asked) rows.leave_out();
    expand_part(t, rows, unknowns_here(), pass.lines);
  } else {
    if (!close(reduce_either<true>(t, place, s, m, rows))) return;
    const auto unknowns = unknowns_here();
    const bool pivoted = how() > 0, plain = !pivoted && how() != not_asked;
    if (__syncthreads_or(plain)) {
      const auto x = Segment::chunk::to_plain(unknowns);
      expand_rows<pivoting::none>(t, place, s, m, plain, x, pass.lines);
    }
    if (__syncthreads_or(pivoted)) {
      if (!pivoted) rows.leave_out();
      expand_part(t, rows, unknowns, pass.lines);
    }
  }
  t.fence_proxy_async();
  const bool any_left = __syncthreads_or(system < t.systems() && m.flags[system] == not_asked);
  t.store(any_left, [&](int i) { return m.flags[i] == not_asked; });
}

/// Returns whether the first pass solves segments at all. Threads have so many rows of 4-byte
/// numbers in boxes that blocks which wait, or keep what they eliminate, lose more than the second
/// pass takes (H200, without pivoting, 16 384 rows of a middle axis: 2.5 F instead of 2.1).
template <pivoting P, class V>
bool takes_one_pass(const segments_shape& s) {
  return P == pivoting::partial || sizeof(V) > 4 || !s.in_boxes;
}

/// Returns whether x lies in the place of a coefficient.
inline bool is_in_matrix(const operands& o) {
  return o.x == o.in[layout::sub] || o.x == o.in[layout::diag] || o.x == o.in[layout::sup];
}

/// Launches the first pass over whole systems, after what it needs has been cleared.
template <pivoting P, class V>
void launch_first_pass(pass_launcher<V>& p) {
  const index_t ranks = p.level_shape(0).rows;
  const bool periodic = p.g.corners != layout::edge::absent;
  static_assert(sizeof(border_equations<V>) == border_values * sizeof(V));
  auto* const borders = reinterpret_cast<border_equations<V>*>(p.workspace + p.shape.borders);
  const first_pass<V> pass{!is_in_matrix(p.untyped),
                           periodic,
                           p.found(),
                           borders,
                           {p.system_states(), p.overflows(), 0, 0, 1}};
  if (pass.may_solve) {
    const auto segments = static_cast<std::size_t>(p.system_count() * ranks);
    p.clear(p.shape.borders, segments * sizeof *borders, absent_byte);
  }
  on_rows<P>(
      p, []<class Segment>(std::type_identity<Segment>) { return solve_segments<V, P, Segment>; },
      pass);
}

}  // namespace tridia::cuda::segments
