// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "core/chunk.hpp"
#include "solver/cuda/partition/interface.cuh"
#include "solver/cuda/partition/solve_status.cuh"

// A block, or a cluster of blocks, solves for x, wherever the rows come from: reduce, interface,
// expand; with partial pivoting first without interchanges, monitored, and again with them.
namespace tridia::cuda {

/// Solves the systems of a block, or of a cluster of blocks that share them: x of each takes the
/// place that `rows.put` gives it, and a `solve_status` says which have none. With partial
/// pivoting, systems are solved without interchanges first, while a monitor watches their numbers,
/// unless most of their rows lack dominance; those whose numbers grow are brought in once more,
/// most likely from the second-level cache, and solved with interchanges. Blocks of a cluster have
/// to agree about each system: one that thinks the first attempt in vain says so instead of trying.
///
/// `Work` is what one thread has to do, and how data moves:
///   int system              the system of its chunk, an index of `found`; any where it is idle
///   bool idle()             it has no chunk and no system
///   int n                   rows of its chunk; 0: none
///   rows                    of its chunk, as thread_chunk takes them
///   bool united()           all of a warp that have a chunk have the same system
///   int rows_below()        rows of the system from the first one of its chunk on
///   solve_status found          all 0 before
///   dsmem_exchange<Cluster>& from_blocks
///   unknowns solve_interface<Q>(equations, Monitor&, mark)
///                           the interface unknowns of its chunk, by all threads, with pivoting
///                           Q; calls mark(system) for each that it finds to be unstable or not
///                           finite
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
      dominance_vote(w.rows, w.n, w.system, w.united(), w.found);
      bool unstable = !w.idle() && w.found.is_unstable(w.system);
      if (Cluster || !__syncthreads_and(unstable || w.idle())) {
        solve_plainly(w, unstable);
        unstable = w.found.is_unstable(w.system);
        if (!__syncthreads_or(unstable)) return;
        load_marked(w);
      }
      if (!unstable) w.n = 0;
      solve_pivoted(w);
    }
  }

 private:
  /// Solves the chunks without interchanges, unless that is `in_vain`.
  template <class Work>
  static __device__ __forceinline__ void solve_plainly(Work& w, bool in_vain) {
    constexpr bool monitored = P == pivoting::partial;
    thread_chunk<V, pivoting::none> chunk;
    growth_monitor<monitored, Cluster> monitor{!in_vain};
    typename thread_chunk<V, pivoting::none>::equations e{};
    if (w.n > 0 && !in_vain) e = chunk.template reduce<true>(w.n, w.rows, monitor);
    const auto unknowns = w.template solve_interface<pivoting::none>(e, monitor, [&](int system) {
      if constexpr (monitored) {
        w.found.mark_unstable(system);
      } else {
        w.found.failed[system] = unsolved;
      }
    });
    bool unstable = false;
    if constexpr (monitored) {
      __syncthreads();
      unstable = w.found.is_unstable(w.system);
    }
    if (w.n > 0 && !unstable && !chunk.expand(w.n, w.rows, unknowns)) {
      w.found.overflow(w.from_blocks, w.system, w.n, w.rows, w.rows_below());
    }
  }

  template <class Work>
  static __device__ __forceinline__ void load_marked(Work& w) {
    w.from_blocks.has_read();
    const bool overwritten = w.found.is_overwritten(w.system);
    if (__syncthreads_or(overwritten)) {
      w.load_again(__syncthreads_and(overwritten || w.idle()),
                   [&](int system) { return w.found.is_overwritten(system); });
    }
    w.from_blocks.may_send();
  }

  /// Solves the chunks that are left with interchanges.
  template <class Work>
  static __device__ __forceinline__ void solve_pivoted(Work& w) {
    thread_chunk<V, pivoting::partial> chunk;
    growth_monitor<false, Cluster> monitor;
    typename thread_chunk<V, pivoting::partial>::equations e{};
    if (w.n > 0) e = chunk.template reduce<true>(w.n, w.rows, monitor);
    const auto unknowns =
        w.template solve_interface<pivoting::partial>(e, monitor, [&](int system) {
          if (w.found.is_unstable(system)) w.found.failed[system] = unsolved;
        });
    if (w.n > 0 && !chunk.expand(w.n, w.rows, unknowns)) {
      w.found.overflow(w.from_blocks, w.system);
    }
  }
};

}  // namespace tridia::cuda
