// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause

// Systems side by side in memory. Compiled once for each value type: TRIDIA_VALUE and
// TRIDIA_INTERLEAVED are given.
#include "core/dispatch.hpp"
#include "solver/cuda/bulk.cuh"
#include "solver/cuda/copy.cuh"
#include "solver/cuda/findings.cuh"
#include "solver/cuda/interface.cuh"
#include "solver/cuda/interleaved.hpp"
#include "solver/cuda/tensor_maps.hpp"
#include "solver/system_memory.hpp"

#include <algorithm>

namespace tridia::cuda {
namespace {

using V = TRIDIA_VALUE;
using core::chunk;
using layout::edge;
using layout::geometry;
using solver::operands;

TRIDIA_FN index_t fastest_extent(const geometry& g) {
  return g.matrices.at[g.matrices.count - 1].extent;
}

/// The block's systems in shared memory: row by row, the systems side by side.
class tile {
 public:
  /// `bases`: room for an entry an array.
  __device__ __forceinline__ tile(const geometry& g, const typed_operands<V>& o,
                                  const tensor_maps& maps, const interleaved_shape& s, V* memory,
                                  index_t* bases, bulk::arrival& arrival, int rank)
      : g_(g), o_(o), maps_(maps), s_(s), memory_(memory), bases_(bases), arrival_(arrival) {
    const unsigned block = blockIdx.x / static_cast<unsigned>(s.blocks);
    outer_ = static_cast<int>(block / static_cast<unsigned>(s.across));
    across_ = static_cast<int>(block % static_cast<unsigned>(s.across)) * s.systems;
    const index_t extent = fastest_extent(g);
    first_ = outer_ * extent + across_;
    count_ = static_cast<int>(min(extent - across_, index_t{s.systems}));
    row0_ = rank * s.block_rows;
    rows_ = min(s.block_rows, s.rows - row0_);
  }

  __device__ __forceinline__ int systems() const { return count_; }
  __device__ __forceinline__ int rows() const { return rows_; }
  __device__ __forceinline__ index_t number(int system) const { return first_ + system; }
  __device__ __forceinline__ V* array(int a) const { return memory_ + a * s_.array_pitch; }
  /// Where a system begins in this block.
  __device__ __forceinline__ index_t offset(int a, int system) const {
    return bases_[a] + system * stride(a);
  }

  /// Before anything else: asks for boxes at once. Ends with a barrier.
  __device__ __forceinline__ void start() {
    arrival_.start();
    if (threadIdx.x == 0 && in_boxes()) load_boxes();
    if (static_cast<int>(threadIdx.x) == s_.threads() - 1) {
      index_t at[layout::array_count];
      g_.line_offsets(first_, 0, at);
#pragma unroll
      for (int a = 0; a < layout::array_count; ++a) {
        if (a <= layout::x) at[a] += g_.lines[a].origin + row0_ * g_.lines[a].step;
        bases_[a] = at[a];
      }
    }
    __syncthreads();
  }

  /// Brings in all systems after `start`, or later those that `which` says. Ends with a barrier.
  __device__ __forceinline__ void load() {
    load(
        true, [](int) { return true; }, true);
  }
  template <class Which>
  __device__ __forceinline__ void load(bool all, Which which, bool started = false) {
    const bool boxes = all && in_boxes();
    if (boxes) {
      if (threadIdx.x == 0 && !started) load_boxes();
      arrival_.wait();
    } else if (all && in_vectors(layout::sub, layout::rhs, o_.in)) {
      load_rows<per_vector>();
    } else if (const int system = place<1>(); system < count_ && which(system)) {
      load_rows<1>();
    }
    // Outside the matrix boxes are filled with zeros.
    if (g_.corners == edge::wrapped || (g_.corners == edge::absent && !boxes)) {
      for (int s = static_cast<int>(threadIdx.x); s < count_; s += s_.threads()) {
        if (which(s)) load_corners(s);
      }
    }
    wait_for_copies();
    __syncthreads();
  }

  /// By every thread, before a barrier and then `store`, or `load` once more.
  __device__ __forceinline__ void publish() const {
    if (maps_.input || maps_.output) bulk::publish();
  }

  /// Takes x out of the place of rhs, but for the systems that `skip`; `skipped`: there are any.
  template <class Skip>
  __device__ __forceinline__ void store(bool skipped, Skip skip) {
    if (!skipped && bulk::available && maps_.output) {
      if (threadIdx.x == 0) store_boxes();
    } else if (!skipped && in_vectors(layout::x, layout::x, &o_.x)) {
      store_rows<per_vector>();
    } else if (const int system = place<1>(); system < count_ && !skip(system)) {
      store_rows<1>();
    }
  }

 private:
  /// Neighbouring entries of a row that one access moves, in 16 bytes.
  static constexpr int per_vector = 16 / sizeof(V);
  static constexpr int unroll = 4;

  __device__ __forceinline__ index_t stride(int a) const {
    return g_.matrices.at[g_.matrices.count - 1].stride[a];
  }
  /// Whether rows of the arrays from `first` to `last` lie in pieces that can be moved 16 bytes at
  /// a time.
  template <class Pointer>
  __device__ __forceinline__ bool in_vectors(int first, int last, const Pointer* arrays) const {
    bool yes = count_ == s_.systems && count_ % per_vector == 0;
    for (int a = first; a <= last; ++a) {
      yes = yes && stride(a) == 1 && g_.lines[a].step % per_vector == 0 &&
            reinterpret_cast<std::uintptr_t>(arrays[a - first] + bases_[a]) % 16 == 0;
    }
    return yes;
  }

  __device__ __forceinline__ bool in_boxes() const { return bulk::available && maps_.input; }
  __device__ __forceinline__ void load_boxes() {
    const int pieces = (s_.block_rows + s_.box_rows - 1) / s_.box_rows;
    const int elements = s_.box_rows * s_.systems;
    arrival_.expect(static_cast<unsigned>(4 * pieces * elements * sizeof(V)));
    for (int piece = 0; piece < pieces; ++piece) {
#pragma unroll
      for (int a = 0; a < 4; ++a) {
        // The map of sub begins at row 1 where row 0 is not to be read.
        const int shift = a == layout::sub && g_.corners != edge::inside ? 1 : 0;
        bulk::load_box(array(a) + piece * elements, maps_.in[a], across_ * tensor_maps::words<V>,
                       row0_ + piece * s_.box_rows - shift, outer_, arrival_.barrier());
      }
    }
  }
  __device__ __forceinline__ void store_boxes() {
    for (int k = 0; k < rows_; k += s_.box_rows) {
      bulk::store_box(maps_.x, across_ * tensor_maps::words<V>, row0_ + k, outer_,
                      array(layout::rhs) + k * s_.systems);
    }
    bulk::wait_stored();
  }

  // Threads go over the tile row by row, `Together` systems each.
  template <int Together>
  __device__ __forceinline__ int place() const {
    return static_cast<int>(threadIdx.x) * Together & (s_.systems - 1);
  }
  template <int Together>
  __device__ __forceinline__ int first_row() const {
    return static_cast<int>(threadIdx.x) * Together >> s_.log_systems;
  }
  template <int Together>
  __device__ __forceinline__ int row_step() const {
    return s_.threads() * Together >> s_.log_systems;
  }

  /// The entries at the edges of the matrix are left out where they are not numbers of it, or lie
  /// elsewhere.
  template <int Together>
  __device__ __forceinline__ void load_rows() {
    const int system = place<Together>(), first = first_row<Together>();
    const int step = row_step<Together>();
    const bool inside = g_.corners == edge::inside;
    const int sub_edge = inside ? -1 : -row0_, sup_edge = inside ? -1 : s_.rows - 1 - row0_;
    const V* from[4];
    index_t strides[4];
#pragma unroll
    for (int a = 0; a < 4; ++a) {
      from[a] = o_.in[a] + offset(a, system) + first * g_.lines[a].step;
      strides[a] = step * g_.lines[a].step;
    }
    V* to = memory_ + first * s_.systems + system;
#pragma unroll unroll
    for (int k = first; k < rows_; k += step, to += step * s_.systems) {
#pragma unroll
      for (int a = 0; a < 4; ++a) {
        if ((a != layout::sub || k != sub_edge) && (a != layout::sup || k != sup_edge)) {
          copy<Together>(to + a * s_.array_pitch, from[a]);
        }
        from[a] += strides[a];
      }
    }
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
  __device__ __forceinline__ void store_rows() {
    struct alignas(Together > 1 ? 16 : alignof(V)) vector {
      V v[Together];
    };
    const int system = place<Together>(), first = first_row<Together>();
    const int step = row_step<Together>();
    V* to = o_.x + offset(layout::x, system) + first * g_.lines[layout::x].step;
    const index_t strides = step * g_.lines[layout::x].step;
    const V* const from = array(layout::rhs) + system;
#pragma unroll unroll
    for (int k = first; k < rows_; k += step, to += strides) {
      *reinterpret_cast<vector*>(to) = *reinterpret_cast<const vector*>(from + k * s_.systems);
    }
  }

  __device__ __forceinline__ void load_corners(int system) {
    const auto entry = [&](int a, int row) {
      return g_.corners == edge::wrapped
                 ? o_.in[a][offset(a, system) + (row - row0_) * g_.lines[a].step]
                 : V(0);
    };
    if (row0_ == 0) array(layout::sub)[system] = entry(layout::sub, s_.rows);
    if (row0_ + rows_ == s_.rows) {
      array(layout::sup)[(rows_ - 1) * s_.systems + system] = entry(layout::sup, -1);
    }
  }

  const geometry& g_;
  const typed_operands<V>& o_;
  const tensor_maps& maps_;
  const interleaved_shape& s_;
  V* memory_;
  index_t* bases_;
  bulk::arrival& arrival_;
  index_t first_;
  int outer_, across_, count_, row0_, rows_;
};

/// A chunk's rows in the tile. What is kept takes the place of sup, sub and rhs, and x then that of
/// rhs.
class chunk_rows {
 public:
  __device__ __forceinline__ chunk_rows(const tile& t, const interleaved_shape& s, int system,
                                        int first, bool conjugate)
      : at_(t.array(0) + first * s.systems + system),
        step_(s.systems),
        pitch_(s.array_pitch),
        conjugate_(conjugate) {}

  __device__ __forceinline__ core::row<V> get(int k) const {
    const V* const at = at_ + k * step_;
    const core::row<V> r{at[0], at[pitch_], at[2 * pitch_]};
    if constexpr (sizeof(V) == sizeof(typename core::value_traits<V>::real)) {
      return r;
    } else {
      if (!conjugate_) return r;
      return {core::conjugate(r.sub), core::conjugate(r.diag), core::conjugate(r.sup)};
    }
  }
  __device__ __forceinline__ V rhs(int k) const { return at_[3 * pitch_ + k * step_]; }

  __device__ __forceinline__ void keep(int k, V a, V b, V c) {
    V* const to = at_ + k * step_;
    to[2 * pitch_] = a, to[0] = b, to[3 * pitch_] = c;
  }
  __device__ __forceinline__ void kept(int k, V& a, V& b, V& c) const {
    const V* const from = at_ + k * step_;
    a = from[2 * pitch_], b = from[0], c = from[3 * pitch_];
  }
  __device__ __forceinline__ void put(int k, V v) { at_[3 * pitch_ + k * step_] = v; }

 private:
  V* at_;
  int step_, pitch_;
  bool conjugate_;
};

/// A struct's values in shared memory, `pitch` apart.
template <class T>
__device__ __forceinline__ void put_values(const T& values, V* at, int pitch) {
  values.map([&](const V& v) {
    *at = v;
    at += pitch;
    return v;
  });
}
template <class T>
__device__ __forceinline__ T get_values(const V* at, int pitch) {
  return T{}.map([&](const V&) {
    const V v = *at;
    at += pitch;
    return v;
  });
}

template <pivoting P>
using equations_of = typename chunk<V, P>::equations;
template <pivoting P>
using ends_of = typename chunk<V, P>::ends;

/// A block's shared memory.
template <pivoting P>
struct block_memory {
  V* arrays;               // of the tile
  V* exchanged;            // equations, then ends, of every group of chunks
  int pitch;               // between their words
  equations_of<P>* nodes;  // a system's in each block
  index_t* bases;          // of the tile
  std::uint64_t *arrival, *mail;
  findings found;

  __device__ __forceinline__ block_memory(const interleaved_shape& s, unsigned char* memory)
      : arrays(reinterpret_cast<V*>(memory)),
        exchanged(arrays + 4 * s.array_pitch),
        pitch(s.groups * (s.systems + 1)),
        nodes(reinterpret_cast<equations_of<P>*>(
            exchanged + static_cast<int>(sizeof(equations_of<P>) / sizeof(V)) * pitch)),
        bases(reinterpret_cast<index_t*>(nodes + s.systems * s.blocks)),
        arrival(reinterpret_cast<std::uint64_t*>(bases + layout::array_count)),
        mail(arrival + 1) {
    int* const flags = reinterpret_cast<int*>(mail + mail_barriers(s.blocks));
    found = {flags, flags + s.systems, flags + 2 * s.systems};
  }
};

/// This thread's places: of its chunk, and of the group of chunks that it stands for where the
/// lanes of a warp hold the groups of few systems instead of the chunks of many.
struct places {
  int system, chunk, group, lane_chunk;  // lane_chunk: in the group
  int chunks_here, stride;               // of the group, but for empty ones; lanes between them
  chunk_place of_group;

  __device__ __forceinline__ places(const interleaved_shape& s, int rank, int rows) {
    const int thread = static_cast<int>(threadIdx.x), in_group = 1 << s.log_in_group;
    system = thread & (s.systems - 1), chunk = thread >> s.log_systems;
    group = chunk >> s.log_in_group, lane_chunk = chunk & (in_group - 1);
    const int chunks = (rows + s.chunk_rows - 1) / s.chunk_rows;
    chunks_here = max(min(chunks - group * in_group, in_group), 0);
    stride = s.systems;
    const int groups = (chunks + in_group - 1) >> s.log_in_group;
    const int other = thread >> s.log_lanes, at = thread & (s.exchange_lanes() - 1);
    const bool used = other < s.systems;
    of_group = {used ? other : -1, at, at, used && at < groups ? at : -1, groups, 0, 1, rank,
                s.blocks};
  }
  /// Rows of the system from the first one of this thread's chunk on.
  __device__ __forceinline__ int rows_below(const interleaved_shape& s) const {
    return s.rows - of_group.rank * s.block_rows - chunk * s.chunk_rows;
  }
  __device__ __forceinline__ bool has_chunk() const { return lane_chunk < chunks_here; }
};

/// The ends of this thread's chunk. `watch` is called by threads for the system of their chunk,
/// `watch_other` for that of their group.
template <pivoting P, pivoting Plan, boundary B, bool Cluster, class Watch>
__device__ __forceinline__ ends_of<P> solve_chunks(const equations_of<P>& mine, const places& p,
                                                   const interleaved_shape& s,
                                                   const block_memory<Plan>& m,
                                                   mail<Cluster>& from_blocks, Watch& watch,
                                                   Watch& watch_other) {
  warp_level<V, P> lanes(p.has_chunk() ? p.lane_chunk : -1, p.chunks_here, p.stride);
  equations_of<P> all = mine;
  if (s.log_in_group == 0) {
    all = watch.tell(1u << threadIdx.x % warp_size, mine);
  } else if (p.chunks_here > 0) {
    all = lanes.up(mine, watch);
  }
  ends_of<P> ends;
  if (!Cluster && s.groups == 1) {
    ends = chunk<V, P>::template close<B>(all);
  } else {
    if (p.lane_chunk == 0) {
      put_values(all, m.exchanged + p.group * (s.systems + 1) + p.system, m.pitch);
    }
    __syncthreads();
    // Lanes beyond the groups stand for other blocks.
    const bool part = p.of_group.system >= 0, grouped = part && p.of_group.lane < s.groups;
    if (Cluster || __any_sync(whole_warp, part)) {
      V* const at =
          m.exchanged + (grouped ? p.of_group.lane * (s.systems + 1) + p.of_group.system : 0);
      equations_of<P> of_group{};
      if (grouped) of_group = get_values<equations_of<P>>(at, m.pitch);
      const nodes_of<V, P> nodes{nullptr, reinterpret_cast<equations_of<P>*>(m.nodes)};
      ends = solve_interface<V, P, B, Cluster>(of_group, p.of_group, nodes, s.systems, from_blocks,
                                               watch_other);
      if (grouped) put_values(ends, at, m.pitch);
    }
    __syncthreads();
    ends = get_values<ends_of<P>>(m.exchanged + p.group * (s.systems + 1) + p.system, m.pitch);
  }
  return p.chunks_here > 0 ? lanes.down(ends) : ends;
}

/// Solves the chunks; x is in shared memory then, and the systems that failed are marked.
template <pivoting P, boundary B, bool Cluster>
__device__ __forceinline__ void solve_block(const interleaved_shape& s, const places& p, int n,
                                            chunk_rows& rows, const block_memory<P>& m,
                                            mail<Cluster>& from_blocks) {
  constexpr pivoting none = pivoting::none;
  using C = chunk<V, none>;
  watcher<P == pivoting::partial, Cluster> watch, watch_other;
  equations_of<none> e{};
  if (n > 0) e = C::template reduce<true>(n, rows, watch);
  const auto ends = solve_chunks<none, P, B, Cluster>(e, p, s, m, from_blocks, watch, watch_other);
  bool grown = false;
  if constexpr (P == pivoting::partial) {
    if (!watch.calm) m.found.grown[p.system] = 1;
    if (!watch_other.calm && p.of_group.system >= 0) m.found.grown[p.of_group.system] = 1;
    __syncthreads();
    grown = m.found.grown[p.system] > 0;
  } else if (!watch_other.calm && p.of_group.system >= 0) {
    m.found.bad[p.of_group.system] = unsolved;
  }
  if (n > 0 && !grown && !C::expand(n, rows, ends)) {
    m.found.overflow(from_blocks, p.system, n, rows, p.rows_below(s));
  }
}

/// The same with pivoting, for the systems that are `mine`.
template <boundary B, bool Cluster>
__device__ __forceinline__ void solve_pivoted(const interleaved_shape& s, const places& p, int n,
                                              chunk_rows& rows, bool mine,
                                              const block_memory<pivoting::partial>& m,
                                              mail<Cluster>& from_blocks) {
  constexpr pivoting partial = pivoting::partial;
  using C = chunk<V, partial>;
  watcher<false, Cluster> watch, watch_other;
  equations_of<partial> e{};
  typename C::middle middle;
  if (!mine) n = 0;
  if (n > 0) e = C::reduce(n, rows, middle);
  const auto ends =
      solve_chunks<partial, partial, B, Cluster>(e, p, s, m, from_blocks, watch, watch_other);
  if (!watch_other.calm && p.of_group.system >= 0 && m.found.grown[p.of_group.system] > 0) {
    m.found.bad[p.of_group.system] = unsolved;
  }
  if (n > 0 && !C::expand(n, rows, ends, middle)) {
    m.found.overflow(from_blocks, p.system, n, rows, p.rows_below(s));
  }
}

/// Without interchanges first, with an eye on the pivots, unless that is in vain. The systems whose
/// numbers grow are brought in once more, most likely from the second-level cache.
template <boundary B, bool Cluster>
__device__ __forceinline__ void solve_watched(tile& t, const interleaved_shape& s, const places& p,
                                              int n, chunk_rows& rows,
                                              const block_memory<pivoting::partial>& m,
                                              mail<Cluster>& from_blocks) {
  const auto is_grown = [&](int system) { return m.found.grown[system] > 0; };
  const bool idle = p.system >= t.systems();
  // Blocks of a cluster would have to agree.
  if (!Cluster) vote(rows, n, p.system, m.found);
  bool grown = is_grown(p.system);
  if (!__syncthreads_and(grown || idle)) {
    solve_block<pivoting::partial, B, Cluster>(s, p, grown ? 0 : n, rows, m, from_blocks);
    grown = is_grown(p.system);
    if (!__syncthreads_or(grown)) return;
    const bool all = __syncthreads_and(grown || idle);
    t.publish();
    __syncthreads();
    t.load(all, is_grown);
    if (Cluster) cluster::sync();
  }
  solve_pivoted<B, Cluster>(s, p, n, rows, grown, m, from_blocks);
}

/// Systems that came out not finite, after the others have been stored: the tile is free.
template <pivoting P, boundary B>
__device__ __noinline__ void solve_left(const geometry& g, const typed_operands<V>& o,
                                        const interleaved_shape& s, tile t, block_memory<P> m) {
  __syncthreads();
  if (threadIdx.x > 0) return;
  const index_t room = 4 * s.array_pitch / s.rows;
  for (int i = 0; i < t.systems(); ++i) {
    if (m.found.bad[i] == unsolved)
      solve_alone<V, P, B>(g, o, t.number(i), room, {m.arrays, room, 1});
  }
}

template <pivoting P, boundary B, bool Cluster>
__global__ void __launch_bounds__(most_threads)
    interleaved_kernel(const __grid_constant__ geometry g,
                       const __grid_constant__ typed_operands<V> o,
                       const __grid_constant__ tensor_maps maps,
                       const __grid_constant__ interleaved_shape s) {
  extern __shared__ __align__(128) unsigned char memory[];
  const block_memory<P> m(s, memory);
  const int rank = Cluster ? static_cast<int>(blockIdx.x % static_cast<unsigned>(s.blocks)) : 0;
  // Clusters of neighbours that work apart are filled up with blocks that have nothing to do.
  if (!Cluster && blockIdx.x >= s.across * (g.matrices.size / fastest_extent(g))) return;
  bulk::arrival arrival(m.arrival);
  tile t(g, o, maps, s, m.arrays, m.bases, arrival, rank);
  for (int i = static_cast<int>(threadIdx.x); i < 2 * s.systems; i += s.threads()) {
    m.found.grown[i] = 0;
  }
  mail<Cluster> from_blocks(m.mail);
  from_blocks.start();
  t.start();
  t.load();
  from_blocks.wait();

  // Where systems run out, lanes work on nothing.
  const places p(s, rank, t.rows());
  const int from = p.chunk * s.chunk_rows;
  const int n = p.system < t.systems() ? min(s.chunk_rows, t.rows() - from) : 0;
  chunk_rows rows(t, s, p.system, from, g.conjugate);
  if constexpr (P == pivoting::partial) {
    solve_watched<B, Cluster>(t, s, p, n, rows, m, from_blocks);
  } else {
    solve_block<P, B, Cluster>(s, p, n, rows, m, from_blocks);
  }
  t.publish();
  __syncthreads();
  m.found.tell(s.systems, rank, s.blocks, from_blocks);
  const auto is_unsolved = [&](int system) { return m.found.bad[system] == unsolved; };
  bool left = false;
  for (int i = static_cast<int>(threadIdx.x); i < t.systems(); i += s.threads()) {
    left = left || is_unsolved(i);
  }
  left = __syncthreads_or(left);
  t.store(left, is_unsolved);
  if (rank > 0) return;

  m.found.hear(s.systems, s.blocks, from_blocks);
  for (int i = static_cast<int>(threadIdx.x); i < t.systems(); i += s.threads()) {
    if (o.status && !is_unsolved(i)) {
      o.status[t.offset(layout::status, i)] = m.found.status(i, s.rows);
    }
  }
  if (left) solve_left<P, B>(g, o, s, t, m);
}

template <pivoting P, boundary B>
auto kernel_for(bool cluster) {
  return cluster ? interleaved_kernel<P, B, true> : interleaved_kernel<P, B, false>;
}

template <pivoting P, boundary B>
cudaError_t launch(const geometry& g, const operands& o, const interleaved_shape& s,
                   cudaStream_t stream) {
  const index_t groups = g.matrices.size / fastest_extent(g) * s.across;
  const int together = std::max(s.blocks, s.neighbours);
  return launch_clusters(kernel_for<P, B>(s.blocks > 1), groups * s.blocks, together, s.threads(),
                         s.shared_bytes, stream, g, solver::typed<V>(o),
                         s.boxes ? map_tensors(g, o, s, sizeof(V)) : tensor_maps{}, s);
}

template <pivoting P, boundary B>
interleaved_launches table() {
  return {[](bool cluster, std::size_t bytes) {
            const auto kernel = kernel_for<P, B>(cluster);
            const cudaError_t allowed = allow_shared(kernel, bytes);
            if (allowed != cudaSuccess || !cluster) return allowed;
            return cudaFuncSetAttribute(kernel, cudaFuncAttributeNonPortableClusterSizeAllowed, 1);
          },
          &launch<P, B>};
}

}  // namespace

interleaved_launches TRIDIA_INTERLEAVED(pivoting p, boundary b) {
  return core::with_variant(p, b,
                            [](auto v) { return table<decltype(v)::pivots, decltype(v)::ends>(); });
}

}  // namespace tridia::cuda
