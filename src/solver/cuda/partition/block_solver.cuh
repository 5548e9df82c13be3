// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "core/chunk.hpp"
#include "solver/cuda/partition/findings.cuh"
#include "solver/cuda/partition/interface.cuh"

// The way from rows to x within a block, or a cluster of blocks, wherever the rows come from:
// reduce, interface, expand; with partial pivoting first without interchanges, watched, and again
// with them.
namespace tridia::cuda {

/// A thread's chunk, with what it keeps in registers from `reduce` to `expand`. `rows` hands out
/// row k by rows.get(k) and rows.rhs(k), holds what is kept of it, and takes x by rows.put(k, x),
/// last row first (core/chunk.hpp).
template <class V, pivoting P>
class thread_chunk {
 public:
  using chunk = core::chunk<V, P>;
  using equations = typename chunk::equations;
  using ends = typename chunk::ends;

  /// The equations of `n` rows. What `expand` needs is kept if `Keep`. Without pivoting `watch`
  /// sees how numbers grow.
  template <bool Keep, class Rows, class Watch>
  __device__ __forceinline__ equations reduce(int n, Rows& rows, Watch& watch) {
    if constexpr (P == pivoting::none) {
      return chunk::template reduce<Keep>(n, rows, watch);
    } else {
      return chunk::template reduce<Keep>(n, rows, middle_);
    }
  }
  /// Gives x of the rows that `reduce<true>` has kept. Returns whether all of it is finite.
  template <class Rows>
  __device__ __forceinline__ bool expand(int n, Rows& rows, const ends& e) const {
    return chunk::expand(n, rows, e, middle_);
  }

 private:
  typename chunk::middle middle_;
};

/// The rows of a system that one block holds, of a system that is longer: reduced to the equations
/// of them all, and expanded from their ends. All threads take part; those without rows have n = 0.
template <class V, pivoting P>
class block_part {
 public:
  using equations = typename core::chunk<V, P>::equations;
  using ends = typename core::chunk<V, P>::ends;

  /// `of_warps`: shared memory for one a warp.
  __device__ __forceinline__ block_part(const chunk_place& p, equations* of_warps)
      : chunks_(p), of_warps_(of_warps) {}

  /// For the first lane of each part, or all lanes if it takes several warps.
  template <bool Keep, class Rows, class Watch>
  __device__ __forceinline__ equations reduce(int n, Rows& rows, Watch& watch) {
    equations e{};
    if (n > 0) e = mine_.template reduce<Keep>(n, rows, watch);
    return chunks_.up(e, of_warps_, watch);
  }
  [[nodiscard]] __device__ __forceinline__ ends down(const ends& of_part) const {
    return chunks_.down(of_part);
  }
  template <class Rows>
  __device__ __forceinline__ bool expand(int n, Rows& rows, const ends& e) const {
    return mine_.expand(n, rows, e);
  }

 private:
  thread_chunk<V, P> mine_;
  block_level<V, P> chunks_;
  equations* of_warps_;
};

/// Solves the systems of a block, or of a cluster of blocks that share them: x of each takes the
/// place that `rows.put` gives it, and `findings` say which have none. With partial pivoting,
/// systems are solved without interchanges first, while their numbers are watched, unless most of
/// their rows lack dominance; those whose numbers grow are brought in once more, most likely from
/// the second-level cache, and solved with interchanges. Blocks of a cluster have to agree about
/// each system: one that thinks the first attempt in vain says so instead of trying.
///
/// `Work` is what one thread has to do, and how data moves:
///   int system              the system of its chunk, an index of `findings`; any where it is idle
///   bool idle()             it has no chunk and no system
///   int n                   rows of its chunk; 0: none
///   rows                    of its chunk, as thread_chunk takes them
///   bool united()           all of a warp that have a chunk have the same system
///   int rows_below()        rows of the system from the first one of its chunk on
///   findings found          all 0 before
///   mail<Cluster>& from_blocks
///   ends solve_interface<Q>(equations, Watch&, mark)
///                           the ends of its chunk, by all threads, with pivoting Q; calls
///                           mark(system) for each that it finds to be unstable or not finite
///   void load_again(bool all, which)
///                           brings in all systems again, or those for which which(system); by all
///                           threads, ends with a barrier
/// All threads of the block call `solve`, after a barrier; x is there for the thread that gave it.
template <class V, pivoting P, boundary B, bool Cluster>
class block_solver {
 public:
  /// Bytes of the equations that a warp or a block shows to others.
  static constexpr std::size_t node_bytes = sizeof(typename core::chunk<V, P>::equations);

  template <class Work>
  static __device__ __forceinline__ void solve(Work& w) {
    if constexpr (P == pivoting::none) {
      solve_plainly(w, false);
    } else {
      vote(w.rows, w.n, w.system, w.united(), w.found);
      bool grown = w.found.is_grown(w.system);
      if (Cluster || !__syncthreads_and(grown || w.idle())) {
        solve_plainly(w, grown);
        grown = w.found.is_grown(w.system);
        if (!__syncthreads_or(grown)) return;
        load_spoiled(w);
      }
      if (!grown) w.n = 0;
      solve_pivoted(w);
    }
  }

 private:
  /// Solves the chunks without interchanges, unless that is `in_vain`.
  template <class Work>
  static __device__ __forceinline__ void solve_plainly(Work& w, bool in_vain) {
    constexpr bool watched = P == pivoting::partial;
    thread_chunk<V, pivoting::none> chunk;
    watcher<watched, Cluster> watch{!in_vain};
    typename thread_chunk<V, pivoting::none>::equations e{};
    if (w.n > 0 && !in_vain) e = chunk.template reduce<true>(w.n, w.rows, watch);
    const auto ends = w.template solve_interface<pivoting::none>(e, watch, [&](int system) {
      if constexpr (watched) {
        w.found.spoil(system);
      } else {
        w.found.bad[system] = unsolved;
      }
    });
    bool grown = false;
    if constexpr (watched) {
      __syncthreads();
      grown = w.found.is_grown(w.system);
    }
    if (w.n > 0 && !grown && !chunk.expand(w.n, w.rows, ends)) {
      w.found.overflow(w.from_blocks, w.system, w.n, w.rows, w.rows_below());
    }
  }

  template <class Work>
  static __device__ __forceinline__ void load_spoiled(Work& w) {
    w.from_blocks.has_read();
    const bool spoiled = w.found.is_spoiled(w.system);
    if (__syncthreads_or(spoiled)) {
      w.load_again(__syncthreads_and(spoiled || w.idle()),
                   [&](int system) { return w.found.is_spoiled(system); });
    }
    w.from_blocks.may_send();
  }

  /// Solves the chunks that are left with interchanges.
  template <class Work>
  static __device__ __forceinline__ void solve_pivoted(Work& w) {
    thread_chunk<V, pivoting::partial> chunk;
    watcher<false, Cluster> watch;
    typename thread_chunk<V, pivoting::partial>::equations e{};
    if (w.n > 0) e = chunk.template reduce<true>(w.n, w.rows, watch);
    const auto ends = w.template solve_interface<pivoting::partial>(e, watch, [&](int system) {
      if (w.found.is_grown(system)) w.found.bad[system] = unsolved;
    });
    if (w.n > 0 && !chunk.expand(w.n, w.rows, ends)) {
      w.found.overflow(w.from_blocks, w.system);
    }
  }
};

}  // namespace tridia::cuda
