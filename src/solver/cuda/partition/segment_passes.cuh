// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "core/dispatch.hpp"
#include "solver/cuda/partition/block.cuh"
#include "solver/cuda/partition/segments.hpp"
#include "solver/cuda/partition/tile.cuh"
#include "solver/system_memory.hpp"

// The passes over systems that are too long for the chip, or of which only a part is here. For the
// one source that is compiled with TRIDIA_VALUE.
namespace tridia::cuda {
namespace {

using V = TRIDIA_VALUE;
using core::chunk;

/// All passes over all systems, or over those that are left. With partial pivoting, systems are
/// solved without interchanges first, with an eye on the pivots, and those whose numbers grow are
/// left for a second stage.
enum class stage { plain, watched, pivoted };

template <stage S>
inline constexpr pivoting pivots = S == stage::pivoted ? pivoting::partial : pivoting::none;
/// Threads of a block that holds rows: the stages of a plan have one shape.
template <stage S>
inline constexpr int most_row_threads = most_threads_of(S == stage::plain ? pivoting::none
                                                                          : pivoting::partial);

/// What has become of a system once it is closed; and where x of one that was solved, or left,
/// overflows in the last pass, which goes on all the same.
enum class verdict : int { solved, left, failed, solved_overflowed, left_overflowed };

/// Whether stage S brings a system to its end.
template <stage S>
__device__ __forceinline__ bool is_mine(verdict v) {
  if constexpr (S == stage::pivoted) return v == verdict::left || v == verdict::left_overflowed;
  return v == verdict::solved || v == verdict::solved_overflowed;
}
/// Whether a system has no finite solution, once all stages are done.
__device__ __forceinline__ bool has_failed(verdict v) {
  return v != verdict::solved && v != verdict::left;
}
/// What a system that stage S brings to its end becomes if its x overflows.
template <stage S>
inline constexpr verdict has_overflowed =
    S == stage::pivoted ? verdict::left_overflowed : verdict::solved_overflowed;

/// What couples the rows here to others, where those are elsewhere: nothing is beyond whole
/// systems.
struct outside {
  bool open = false;                   // the systems are parts of others
  bool before = false, after = false;  // whether there are rows on either side
  const V* entries_before = nullptr;   // by system; null: where the rows have them
  const V* entries_after = nullptr;
  index_t* found = nullptr;  // by system; see part_status.hpp

  /// Brings in the two entries that a geometry without corners has left out.
  __device__ __forceinline__ void mend(const tile<V>& t, const geometry& g,
                                       const typed_operands<V>& o, int system) const {
    const auto entry = [&](const V* given, int a, index_t k) {
      if (given != nullptr) return given[t.number(system)];
      return o.in[a][t.offset(a, system) + k * g.lines[a].step];
    };
    if (before && t.first_row() == 0) {
      t.array(layout::sub, system)[0] = entry(entries_before, layout::sub, 0);
    }
    if (after && t.first_row() + t.rows() == g.rows) {
      t.array(layout::sup, system)[t.rows() - 1] = entry(entries_after, layout::sup, g.rows - 1);
    }
  }
};

/// A level's nodes in the workspace.
template <pivoting P>
struct nodes {
  typename chunk<V, P>::equations* equations;
  typename chunk<V, P>::ends* ends;
  int* grown;
};

/// Of a tile, among those that share its systems.
__device__ __forceinline__ block_place place_among(unsigned number, const onchip_shape& s) {
  const auto blocks = static_cast<unsigned>(s.blocks);
  return {number / blocks, static_cast<int>(number % blocks)};
}

/// The nodes of a level that a block brings together, of some systems.
class node_block {
 public:
  __device__ __forceinline__ node_block(const onchip_shape& s, index_t matrices) : s_(s) {
    const block_place at = place_among(blockIdx.x, s);
    rank_ = at.rank;
    first_ = static_cast<index_t>(at.group) * s.systems;
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

 private:
  const onchip_shape& s_;
  index_t first_;
  int rank_, systems_;
};

/// The node that a system's part in a block is for the level above.
template <class Block>
__device__ __forceinline__ index_t node_above(const Block& b, const onchip_shape& s, int system) {
  return b.number(system) * s.blocks + b.rank();
}

/// Whether stage S, which may know what has become of systems, has nothing to do for `count` of
/// them from `first` on. All threads take part.
template <stage S>
__device__ __forceinline__ bool is_done(index_t first, int count, const verdict* verdicts) {
  if (verdicts == nullptr) return false;
  const int system = static_cast<int>(threadIdx.x);
  return !__syncthreads_or(system < count && is_mine<S>(verdicts[first + system]));
}

/// The tiles that a block of the second stage stands for, most often to find that they are done.
constexpr unsigned second_stage_run = 8;

/// Calls f(number) for the tiles, of `tiles`, that this block has in a segments' pass.
template <stage S, class F>
__device__ __forceinline__ void for_each_tile(const onchip_shape& s, unsigned tiles,
                                              index_t matrices, const verdict* verdicts, F f) {
  if constexpr (S != stage::pivoted) return f(blockIdx.x);
  const auto of_systems = static_cast<unsigned>(s.blocks);
  unsigned tile = blockIdx.x * second_stage_run;
  const unsigned end = min(tile + second_stage_run, tiles);
  while (tile < end) {
    const unsigned group = tile / of_systems;
    const index_t first = static_cast<index_t>(group) * s.systems, left = matrices - first;
    if (is_done<S>(first, left < s.systems ? static_cast<int>(left) : s.systems, verdicts)) {
      tile = (group + 1) * of_systems;
    } else {
      f(tile++);
    }
  }
}

__device__ __forceinline__ bool speaks_for_system(const chunk_place& p) {
  return p.system >= 0 && p.warp == 0 && p.lane == 0;
}

/// Gives what a block's systems came to to the level above: their equations, and whether numbers
/// grew. `grown`: a flag a system in shared memory, 0 since a barrier.
template <stage S, class Block>
__device__ __forceinline__ void hand_up(const Block& b, const onchip_shape& s, const chunk_place& p,
                                        const typename chunk<V, pivots<S>>::equations& all,
                                        bool calm, int* grown, const nodes<pivots<S>>& above) {
  if (speaks_for_system(p)) above.equations[node_above(b, s, p.system)] = all;
  if constexpr (S == stage::watched) {
    if (p.system >= 0 && !calm) grown[p.system] = 1;
    __syncthreads();
    const int system = static_cast<int>(threadIdx.x);
    if (system < b.systems()) above.grown[node_above(b, s, system)] = grown[system];
  }
}

/// The entries that tie a system's segment to its neighbours, or that lie at the other end of the
/// array: in the last pass others may have overwritten them where x is in their place.
struct edge_entries {
  V sub, sup;
  __device__ __forceinline__ void take(const tile<V>& t, int system) {
    sub = t.array(layout::sub, system)[0];
    sup = t.array(layout::sup, system)[t.rows() - 1];
  }
  __device__ __forceinline__ void put(const tile<V>& t, int system) const {
    t.array(layout::sub, system)[0] = sub;
    t.array(layout::sup, system)[t.rows() - 1] = sup;
  }
};

template <stage S>
using watch_of = watcher<S == stage::watched, false>;
template <stage S>
using middle_of = typename chunk<V, pivots<S>>::middle;

/// This thread's chunk reduced. What expanding needs is kept if `Keep`.
template <stage S, bool Keep, class Watch>
__device__ __forceinline__ typename chunk<V, pivots<S>>::equations reduce_chunk(int n,
                                                                                chunk_rows<V>& rows,
                                                                                middle_of<S>& m,
                                                                                Watch& watch) {
  if constexpr (S == stage::pivoted) {
    return chunk<V, pivots<S>>::template reduce<Keep>(n, rows, m);
  } else {
    return chunk<V, pivots<S>>::template reduce<Keep>(n, rows, watch);
  }
}

/// The first pass: segments to equations.
template <stage S>
__global__ void __launch_bounds__(most_row_threads<S>)
    reduce_segments(const __grid_constant__ geometry g, const __grid_constant__ typed_operands<V> o,
                    const __grid_constant__ onchip_shape s, unsigned tiles,
                    const nodes<pivots<S>> above, edge_entries* edges, const verdict* verdicts,
                    const outside beyond) {
  using C = chunk<V, pivots<S>>;
  extern __shared__ __align__(cache_line) unsigned char memory[];
  block_memory<V> m(memory, s, sizeof(typename C::equations));
  m.arrival.start();
  for_each_tile<S>(s, tiles, g.matrices.size, verdicts, [&](unsigned number) {
    tile<V> t(g, o, nullptr, s, m.arrays, m.places, m.arrival, place_among(number, s));
    const int system = static_cast<int>(threadIdx.x);
    if (system < t.systems()) m.flags[system] = 0;
    t.ask();
    t.receive();
    if ((S != stage::pivoted || beyond.open) && system < t.systems()) {
      beyond.mend(t, g, o, system);
      edges[node_above(t, s, system)].take(t, system);
    }
    if (beyond.open) __syncthreads();
    const chunk_place p = place_of<true>(s, t);
    watch_of<S> watch;
    const int first = p.chunk * s.chunk_rows, n = min(s.chunk_rows, t.rows() - first);
    typename C::equations e{};
    chunk_rows<V> rows(t, p.system < 0 ? 0 : p.system, first);
    middle_of<S> middle;
    if (p.at >= 0) e = reduce_chunk<S, false>(n, rows, middle, watch);
    block_level<V, pivots<S>> chunks(p);
    const auto all = chunks.up(e, static_cast<typename C::equations*>(m.nodes), watch);
    hand_up<S>(t, s, p, all, watch.calm, m.flags, above);
    if constexpr (S == stage::pivoted) t.leave();
  });
}

/// The equations of a block's nodes, brought together. All threads take part.
template <stage S>
struct gathered {
  using C = chunk<V, pivots<S>>;
  chunk_place place;
  block_level<V, pivots<S>> chunks;
  index_t node;  // of this thread, if it has one
  watch_of<S> watch;
  typename C::equations all;

  __device__ __forceinline__ gathered(const node_block& b, const onchip_shape& s,
                                      const nodes<pivots<S>>& in, typename C::equations* of_warps)
      : place(place_of<true>(s, b)),
        chunks(place),
        node(b.number(place.system) * s.rows + b.first_row() + place.chunk) {
    typename C::equations e{};
    if (place.at >= 0) {
      e = in.equations[node];
      if constexpr (S == stage::watched) watch.calm = in.grown[node] == 0;
    }
    all = chunks.up(e, of_warps, watch);
  }
  gathered(const gathered&) = delete;

  /// Gives each node its ends.
  __device__ __forceinline__ void spread(const typename C::ends& of_all,
                                         const nodes<pivots<S>>& to) const {
    const auto mine = chunks.down(of_all);
    if (place.at >= 0) to.ends[node] = mine;
  }
};

/// A level's equations to those of the level above.
template <stage S>
__global__ void __launch_bounds__(most_threads)
    reduce_level(const __grid_constant__ onchip_shape s, index_t matrices,
                 const nodes<pivots<S>> in, const nodes<pivots<S>> above, const verdict* verdicts) {
  __shared__ typename chunk<V, pivots<S>>::equations of_warps[most_threads / warp_size];
  __shared__ int grown[most_threads];
  const node_block b(s, matrices);
  if (S == stage::pivoted && is_done<S>(b.number(0), b.systems(), verdicts)) return;
  grown[threadIdx.x] = 0;
  __syncthreads();
  const gathered<S> level(b, s, in, of_warps);
  hand_up<S>(b, s, level.place, level.all, level.watch.calm, grown, above);
}

/// A level's ends from those of the level above.
template <stage S>
__global__ void __launch_bounds__(most_threads)
    expand_level(const __grid_constant__ onchip_shape s, index_t matrices,
                 const nodes<pivots<S>> in, const nodes<pivots<S>> above, const verdict* verdicts) {
  __shared__ typename chunk<V, pivots<S>>::equations of_warps[most_threads / warp_size];
  const node_block b(s, matrices);
  if (S == stage::pivoted && is_done<S>(b.number(0), b.systems(), verdicts)) return;
  const gathered<S> level(b, s, in, of_warps);
  typename chunk<V, pivots<S>>::ends ends{};
  if (level.place.system >= 0) ends = above.ends[node_above(b, s, level.place.system)];
  level.spread(ends, in);
}

/// The last pass: x of every segment from its ends.
template <stage S>
__global__ void __launch_bounds__(most_row_threads<S>)
    expand_segments(const __grid_constant__ geometry g, const __grid_constant__ typed_operands<V> o,
                    const __grid_constant__ onchip_shape s, unsigned tiles,
                    const nodes<pivots<S>> above, const edge_entries* edges, verdict* verdicts,
                    const outside beyond) {
  using C = chunk<V, pivots<S>>;
  extern __shared__ __align__(cache_line) unsigned char memory[];
  block_memory<V> m(memory, s, sizeof(typename C::equations));
  m.arrival.start();
  for_each_tile<S>(s, tiles, g.matrices.size, verdicts, [&](unsigned number) {
    tile<V> t(g, o, nullptr, s, m.arrays, m.places, m.arrival, place_among(number, s));
    if (S == stage::watched && is_done<S>(t.number(0), t.systems(), verdicts)) return;
    const chunk_place p = place_of<true>(s, t);
    // What comes from the workspace is asked for before the tile, and looked at after it.
    typename C::ends ends{};
    if (p.system >= 0) ends = above.ends[node_above(t, s, p.system)];
    const int system = static_cast<int>(threadIdx.x);
    verdict v{};
    edge_entries edge;
    if (system < t.systems()) {
      v = verdicts[t.number(system)];
      edge = edges[node_above(t, s, system)];
    }
    t.ask();
    t.receive();
    int* const left_out = m.flags;
    bool any_left_out = false;
    if (system < t.systems()) {
      any_left_out = left_out[system] = !is_mine<S>(v);
      edge.put(t, system);
    }
    any_left_out = __syncthreads_or(any_left_out);

    const int first = p.chunk * s.chunk_rows, n = min(s.chunk_rows, t.rows() - first);
    watcher<false, false> ignore;
    typename C::equations e{};
    chunk_rows<V> rows(t, p.system < 0 ? 0 : p.system, first);
    middle_of<S> middle;
    if (p.at >= 0) e = reduce_chunk<S, true>(n, rows, middle, ignore);
    block_level<V, pivots<S>> chunks(p);
    chunks.up(e, static_cast<typename C::equations*>(m.nodes), ignore);
    ends = chunks.down(ends);
    if (p.at >= 0 && !C::expand(n, rows, ends, middle) && !left_out[p.system]) {
      // Everything was finite until now, so it is an overflow.
      verdicts[t.number(p.system)] = has_overflowed<S>;
      if (o.status || beyond.found) {
        int k = n - 1;
        while (k > 0 && core::is_finite(rows.right[k])) --k;
        index_t* const at =
            beyond.found ? beyond.found + t.number(p.system) : o.status + t.status_of(p.system);
        layout::merge_status(at, 0, -(t.first_row() + first + k + 1));
      }
    }
    t.publish();
    __syncthreads();
    t.give(any_left_out, [&](int i) { return left_out[i] != 0; });
    t.wait_given();
    if constexpr (S == stage::pivoted) t.leave();
  });
}

unsigned blocks_for(const onchip_shape& s, index_t systems) {
  return static_cast<unsigned>((systems + s.systems - 1) / s.systems * s.blocks);
}

/// What launches passes, in a workspace.
class pass_launcher {
 public:
  pass_launcher(const geometry& g, const operands& o, const segments_shape& shape,
                std::byte* workspace, cudaStream_t stream)
      : g_(g), o_(solver::typed<V>(o)), s_(shape), memory_(workspace), stream_(stream) {}

 protected:
  template <class... Parameters, class... Arguments>
  void launch(void (*kernel)(Parameters...), unsigned blocks, const onchip_shape& s,
              const Arguments&... arguments) {
    if (result_ != cudaSuccess) return;
    kernel<<<blocks, static_cast<unsigned>(s.threads), s.shared_bytes, stream_>>>(arguments...);
    result_ = cudaGetLastError();
  }
  template <stage S>
  void on_level(int k,
                void (*kernel)(onchip_shape, index_t, nodes<pivots<S>>, nodes<pivots<S>>,
                               const verdict*),
                const verdict* verdicts) {
    const onchip_shape& s = s_.level[k].shape;
    const index_t matrices = g_.matrices.size;
    launch(kernel, blocks_for(s, matrices), s, s, matrices, level<S>(k), level<S>(k + 1), verdicts);
  }
  /// Over the rows: kernel(..., verdicts, beyond).
  template <stage S, class Kernel>
  void on_rows(Kernel kernel, verdict* verdicts, const outside& beyond) {
    const unsigned tiles = blocks_for(s_.rows, g_.matrices.size);
    const unsigned run = S == stage::pivoted ? second_stage_run : 1, grid = (tiles - 1) / run + 1;
    launch(kernel, grid, s_.rows, g_, o_, s_.rows, tiles, level<S>(0), at<edge_entries>(s_.edges),
           verdicts, beyond);
  }

  template <class T>
  T* at(std::size_t offset) const {
    return reinterpret_cast<T*>(memory_ + offset);
  }
  template <stage S>
  nodes<pivots<S>> level(int k) const {
    using C = chunk<V, pivots<S>>;
    const segments_level& l = s_.level[k];
    return {at<typename C::equations>(l.equations), at<typename C::ends>(l.ends), at<int>(l.grown)};
  }

  const geometry& g_;
  const solver::typed_operands<V> o_;
  const segments_shape& s_;
  std::byte* memory_;
  cudaStream_t stream_;
  cudaError_t result_ = cudaSuccess;
};

}  // namespace
}  // namespace tridia::cuda
