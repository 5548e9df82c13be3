// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause

// Systems too long for the chip. Compiled once for each value type: TRIDIA_VALUE and
// TRIDIA_SEGMENTS are given.
#include "core/dispatch.hpp"
#include "solver/cuda/block.cuh"
#include "solver/cuda/segments.hpp"
#include "solver/cuda/tile.cuh"
#include "solver/system_memory.hpp"

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

/// What has become of a system once it is closed.
enum class verdict : int { solved, left, failed };

/// Whether stage S brings a system to its end.
template <stage S>
__device__ __forceinline__ bool is_mine(verdict v) {
  return v == (S == stage::pivoted ? verdict::left : verdict::solved);
}

/// A level's nodes in the workspace.
template <pivoting P>
struct nodes {
  typename chunk<V, P>::equations* equations;
  typename chunk<V, P>::ends* ends;
  int* grown;
};

/// The nodes of a level that a block brings together, of some systems.
class node_block {
 public:
  __device__ __forceinline__ node_block(const onchip_shape& s, index_t matrices) : s_(s) {
    first_ = static_cast<index_t>(blockIdx.x / static_cast<unsigned>(s.blocks)) * s.systems;
    const index_t left = matrices - first_;
    systems_ = left < s.systems ? static_cast<int>(left) : s.systems;
  }
  __device__ __forceinline__ int rank() const {
    return static_cast<int>(blockIdx.x % static_cast<unsigned>(s_.blocks));
  }
  __device__ __forceinline__ index_t first_row() const {
    return static_cast<index_t>(rank()) * s_.block_rows;
  }
  __device__ __forceinline__ int rows() const {
    const index_t below = s_.rows - first_row();
    return below < s_.block_rows ? static_cast<int>(below) : s_.block_rows;
  }
  __device__ __forceinline__ int chunk_rows() const { return s_.chunk_rows; }
  __device__ __forceinline__ int systems() const { return systems_; }
  __device__ __forceinline__ index_t number(int system) const { return first_ + system; }

 private:
  const onchip_shape& s_;
  index_t first_;
  int systems_;
};

/// The node that a system's part in a block is for the level above.
template <class Block>
__device__ __forceinline__ index_t node_above(const Block& b, const onchip_shape& s, int system) {
  return b.number(system) * s.blocks + b.rank();
}

/// Whether stage S, which knows what has become of systems, has nothing to do for `count` of them
/// from `first` on. All threads take part.
template <stage S>
__device__ __forceinline__ bool is_done(index_t first, int count, const verdict* verdicts) {
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
using middle_of = typename chunk<V, pivots<S>>::middle;

/// This thread's chunk reduced. What expanding needs is kept if `Keep`.
template <stage S, bool Keep, class Watch>
__device__ __forceinline__ typename chunk<V, pivots<S>>::equations reduce_chunk(int n,
                                                                                chunk_rows<V>& rows,
                                                                                middle_of<S>& m,
                                                                                Watch watch) {
  if constexpr (S == stage::pivoted) {
    return chunk<V, pivots<S>>::reduce(n, rows, m);
  } else {
    return chunk<V, pivots<S>>::template reduce<Keep>(n, rows, watch);
  }
}

/// The first pass: segments to equations.
template <stage S>
__global__ void __launch_bounds__(most_threads)
    reduce_segments(const __grid_constant__ geometry g, const __grid_constant__ typed_operands<V> o,
                    const __grid_constant__ onchip_shape s, unsigned tiles,
                    const nodes<pivots<S>> above, edge_entries* edges, const verdict* verdicts) {
  using C = chunk<V, pivots<S>>;
  extern __shared__ __align__(cache_line) unsigned char memory[];
  block_memory<V> m(memory, s, sizeof(typename C::equations));
  m.arrival.start();
  for_each_tile<S>(s, tiles, g.matrices.size, verdicts, [&](unsigned number) {
    tile<V> t(g, o, s, m.arrays, m.places, m.arrival, number);
    const int system = static_cast<int>(threadIdx.x);
    if (system < t.systems()) m.flags[system] = 0;
    t.load();
    if (S != stage::pivoted && system < t.systems()) {
      edges[node_above(t, s, system)].take(t, system);
    }
    const chunk_place p = place_of<true>(s, t);
    bool calm = true;
    const auto watch = [&](const V& v) {
      if constexpr (S == stage::watched) calm = calm && core::is_calm(v);
    };
    const int first = p.chunk * s.chunk_rows, n = min(s.chunk_rows, t.rows() - first);
    typename C::equations e{};
    chunk_rows<V> rows(t, p.system < 0 ? 0 : p.system, first);
    middle_of<S> middle;
    if (p.at >= 0) e = reduce_chunk<S, false>(n, rows, middle, watch);
    block_level<V, pivots<S>> chunks(p);
    const auto all = chunks.up(e, static_cast<typename C::equations*>(m.nodes), watch);
    hand_up<S>(t, s, p, all, calm, m.flags, above);
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
  bool calm = true;
  typename C::equations all;

  __device__ __forceinline__ gathered(const node_block& b, const onchip_shape& s,
                                      const nodes<pivots<S>>& in, typename C::equations* of_warps)
      : place(place_of<true>(s, b)),
        chunks(place),
        node(b.number(place.system) * s.rows + b.first_row() + place.chunk) {
    typename C::equations e{};
    if (place.at >= 0) {
      e = in.equations[node];
      if constexpr (S == stage::watched) calm = in.grown[node] == 0;
    }
    all = chunks.up(e, of_warps, [this](const V& v) {
      if constexpr (S == stage::watched) calm = calm && core::is_calm(v);
    });
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
  hand_up<S>(b, s, level.place, level.all, level.calm, grown, above);
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

/// Whether a closed system has a finite solution: what is not finite in any row spreads to its
/// ends.
__device__ __forceinline__ bool is_sound(const typename chunk<V, pivoting::none>::equations& e,
                                         const typename chunk<V, pivoting::none>::ends& x) {
  return core::is_finite(x.last) && core::is_finite(e.first.at(x.before, x.last));
}
__device__ __forceinline__ bool is_sound(const typename chunk<V, pivoting::partial>::equations&,
                                         const typename chunk<V, pivoting::partial>::ends& x) {
  return core::is_finite(x.first) && core::is_finite(x.last);
}

/// Enters why a system has no finite solution. All threads look for a row that is not finite; if
/// there is none, one of them eliminates.
template <pivoting P, boundary B>
__device__ __noinline__ void diagnose(const geometry& g, const typed_operands<V>& o,
                                      index_t matrix) {
  __shared__ unsigned long long first_bad;
  if (!o.status) return;
  const index_t n = g.rows;
  if (threadIdx.x == 0) first_bad = static_cast<unsigned long long>(n);
  __syncthreads();
  index_t at[layout::array_count];
  g.line_offsets(matrix, 0, at);
  const solver::strided_matrix<V> a(g, n, o.in, at);
  solver::strided_rhs<V> b{o.in[layout::rhs] + at[layout::rhs], g.lines[layout::rhs].step};
  for (index_t k = threadIdx.x; k < n; k += blockDim.x) {
    if (core::is_finite(a.get(k)) && core::is_finite(b.get(k))) continue;
    atomicMin(&first_bad, static_cast<unsigned long long>(k));
    break;
  }
  __syncthreads();
  if (threadIdx.x == 0) {
    const auto bad = static_cast<index_t>(first_bad);
    solver::enter_status(g, o.status, matrix, 0,
                         bad < n ? -(bad + 1) : solver::diagnose_system<V, P, B>(g, o, matrix));
  }
  __syncthreads();
}

/// The last level: a block closes systems, and says what becomes of them.
template <stage S, boundary B>
__global__ void __launch_bounds__(most_threads)
    close_level(const __grid_constant__ geometry g, const __grid_constant__ typed_operands<V> o,
                const __grid_constant__ onchip_shape s, const nodes<pivots<S>> in,
                verdict* verdicts) {
  using C = chunk<V, pivots<S>>;
  __shared__ typename C::equations of_warps[most_threads / warp_size];
  __shared__ int unsound[most_threads];
  const node_block b(s, g.matrices.size);
  if (S == stage::pivoted && is_done<S>(b.number(0), b.systems(), verdicts)) return;
  unsound[threadIdx.x] = 0;
  __syncthreads();
  const gathered<S> level(b, s, in, of_warps);
  const chunk_place& p = level.place;
  const auto ends = C::template close<B>(level.all);
  level.spread(ends, in);
  if ((speaks_for_system(p) && !is_sound(level.all, ends)) || (p.system >= 0 && !level.calm)) {
    unsound[p.system] = 1;
  }
  __syncthreads();
  const int system = static_cast<int>(threadIdx.x);
  if (system < b.systems()) {
    verdict& v = verdicts[b.number(system)];
    if (S == stage::pivoted && !is_mine<S>(v)) {
      unsound[system] = 0;
    } else if (!unsound[system]) {
      if (S != stage::pivoted) v = verdict::solved;
      if (o.status) solver::enter_status(g, o.status, b.number(system), 0, 0);
    } else {
      v = S == stage::watched ? verdict::left : verdict::failed;
    }
  }
  if constexpr (S != stage::watched) {
    __syncthreads();
    for (int i = 0; i < b.systems(); ++i) {
      if (unsound[i]) diagnose<pivots<S>, B>(g, o, b.number(i));
    }
  }
}

/// The last pass: x of every segment from its ends.
template <stage S>
__global__ void __launch_bounds__(most_threads)
    expand_segments(const __grid_constant__ geometry g, const __grid_constant__ typed_operands<V> o,
                    const __grid_constant__ onchip_shape s, unsigned tiles,
                    const nodes<pivots<S>> above, const edge_entries* edges,
                    const verdict* verdicts) {
  using C = chunk<V, pivots<S>>;
  extern __shared__ __align__(cache_line) unsigned char memory[];
  block_memory<V> m(memory, s, sizeof(typename C::equations));
  m.arrival.start();
  for_each_tile<S>(s, tiles, g.matrices.size, verdicts, [&](unsigned number) {
    tile<V> t(g, o, s, m.arrays, m.places, m.arrival, number);
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
    t.load();
    int* const left_out = m.flags;
    bool any_left_out = false;
    if (system < t.systems()) {
      any_left_out = left_out[system] = !is_mine<S>(v);
      edge.put(t, system);
    }
    any_left_out = __syncthreads_or(any_left_out);

    const int first = p.chunk * s.chunk_rows, n = min(s.chunk_rows, t.rows() - first);
    const auto ignore = [](const V&) {};
    typename C::equations e{};
    chunk_rows<V> rows(t, p.system < 0 ? 0 : p.system, first);
    middle_of<S> middle;
    if (p.at >= 0) e = reduce_chunk<S, true>(n, rows, middle, ignore);
    block_level<V, pivots<S>> chunks(p);
    chunks.up(e, static_cast<typename C::equations*>(m.nodes), ignore);
    ends = chunks.down(ends);
    if (p.at >= 0 && !C::expand(n, rows, ends, middle) && !left_out[p.system] && o.status) {
      // Everything was finite until now, so it is an overflow.
      int k = n - 1;
      while (k > 0 && core::is_finite(rows.right[k])) --k;
      solver::merge_status(o.status + t.status_of(p.system), 0, -(t.first_row() + first + k + 1));
    }
    t.publish();
    __syncthreads();
    t.store(any_left_out, [&](int i) { return left_out[i] != 0; });
    if constexpr (S == stage::pivoted) t.leave();
  });
}

unsigned blocks_for(const onchip_shape& s, index_t systems) {
  return static_cast<unsigned>((systems + s.systems - 1) / s.systems * s.blocks);
}

/// The launches of all passes, in a workspace.
template <boundary B>
class passes {
 public:
  passes(const geometry& g, const operands& o, const segments_shape& shape, std::byte* workspace,
         cudaStream_t stream)
      : g_(g), o_(solver::typed<V>(o)), s_(shape), memory_(workspace), stream_(stream) {}

  /// The first error, if any.
  template <stage S>
  cudaError_t run() {
    // What goes down the levels does not depend on whether anybody watched on the way up.
    constexpr stage down = S == stage::watched ? stage::plain : S;
    auto* const edges = at<edge_entries>(s_.edges);
    auto* const verdicts = at<verdict>(s_.verdicts);
    const index_t matrices = g_.matrices.size;
    const onchip_shape& rows = s_.rows;
    const int top = s_.levels - 1;
    const unsigned tiles = blocks_for(rows, matrices);
    const unsigned run = S == stage::pivoted ? second_stage_run : 1, grid = (tiles - 1) / run + 1;
    const auto on_level = [&](int k, auto kernel) {
      const onchip_shape& s = s_.level[k].shape;
      launch(kernel, blocks_for(s, matrices), s, s, matrices, level<S>(k), level<S>(k + 1),
             verdicts);
    };

    launch(reduce_segments<S>, grid, rows, g_, o_, rows, tiles, level<S>(0), edges, verdicts);
    for (int k = 0; k < top; ++k) on_level(k, reduce_level<S>);
    const onchip_shape& last = s_.level[top].shape;
    launch(close_level<S, B>, blocks_for(last, matrices), last, g_, o_, last, level<S>(top),
           verdicts);
    for (int k = top; k-- > 0;) on_level(k, expand_level<down>);
    launch(expand_segments<S>, grid, rows, g_, o_, rows, tiles, level<S>(0), edges, verdicts);
    return result_;
  }

 private:
  template <class... Parameters, class... Arguments>
  void launch(void (*kernel)(Parameters...), unsigned blocks, const onchip_shape& s,
              const Arguments&... arguments) {
    if (result_ != cudaSuccess) return;
    kernel<<<blocks, static_cast<unsigned>(s.threads), s.shared_bytes, stream_>>>(arguments...);
    result_ = cudaGetLastError();
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

template <pivoting P>
inline constexpr stage first_stage = P == pivoting::none ? stage::plain : stage::watched;

template <pivoting P, boundary B>
cudaError_t solve(const geometry& g, const operands& o, const segments_shape& shape,
                  std::byte* workspace, cudaStream_t stream) {
  passes<B> all(g, o, shape, workspace, stream);
  const cudaError_t result = all.template run<first_stage<P>>();
  return P == pivoting::none ? result : all.template run<stage::pivoted>();
}

template <pivoting P>
cudaError_t prepare(std::size_t bytes) {
  cudaError_t result = cudaSuccess;
  const auto allow = [&](auto kernel) {
    if (result != cudaSuccess) return;
    result = allow_shared(kernel, bytes);
  };
  allow(reduce_segments<first_stage<P>>);
  allow(expand_segments<first_stage<P>>);
  allow(reduce_segments<stage::pivoted>);
  allow(expand_segments<stage::pivoted>);
  return result;
}

}  // namespace

segments_launches TRIDIA_SEGMENTS(pivoting p, boundary b) {
  return core::with_variant(p, b, [](auto v) -> segments_launches {
    return {&prepare<decltype(v)::pivots>, &solve<decltype(v)::pivots, decltype(v)::ends>};
  });
}

}  // namespace tridia::cuda
