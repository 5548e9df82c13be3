// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "core/chunk.hpp"
#include "core/growth.hpp"
#include "gpu/device_limits.hpp"
#include "gpu/warp.cuh"

#include <type_traits>

// These classes solve the interface of chunks. The threads of a warp, or of several warps, hold one
// chunk each; there is a level for warp and block, and one for clusters in interface.cuh.
namespace tridia::cuda {

using namespace gpu;

/// A thread's chunk, with what it keeps in registers from `reduce` to `expand`. `rows` hands out
/// row k by rows.get(k) and rows.rhs(k), holds what is kept of it, and takes x by rows.put(k, x),
/// last row first (core/chunk.hpp).
template <class V, pivoting P, class R = V>
class thread_chunk {
 public:
  using chunk = core::chunk<V, P, R>;
  using equations = typename chunk::equations;
  using unknowns = typename chunk::unknowns;

  /// Returns the equations of `n` rows. What `expand` needs is kept if `Keep`. Without pivoting
  /// `monitor` sees how numbers grow.
  template <bool Keep, class Rows, class Monitor>
  __device__ __forceinline__ equations reduce(int n, Rows& rows, Monitor& monitor) {
    if constexpr (P == pivoting::none) {
      return chunk::template reduce<Keep>(n, rows, monitor);
    } else {
      return chunk::template reduce<Keep>(n, rows, middle_);
    }
  }
  /// Gives x of the rows that `reduce<true>` has kept. Returns whether all of it is finite.
  template <class Rows>
  __device__ __forceinline__ bool expand(int n, Rows& rows, const unknowns& e) const {
    return chunk::expand(n, rows, e, middle_);
  }

 private:
  typename chunk::middle middle_;
};

/// Monitors the numbers whose size bounds the growth of rounding errors, if `Monitored`. With
/// `Cluster`, blocks have to come to the same decision: a level whose numbers grow hands up only
/// NaN, which all levels above see, and interface unknowns that are not finite in the end count as
/// growth.
template <bool Monitored, bool Cluster>
struct growth_monitor {
  bool bounded = true;

  template <class V>
  __device__ __forceinline__ void operator()(const V& v) {
    if constexpr (Monitored) bounded = core::both(bounded, core::is_bounded(v));
  }
  /// Records whether the cancellation in a level is small enough.
  __device__ __forceinline__ void lose(bool bounded_so_far) {
    if constexpr (Monitored) bounded = core::both(bounded, bounded_so_far);
  }
  /// Replaces equations by NaN if numbers grow. Called by all lanes of the warp, those of `group`
  /// with the same equations.
  template <class E>
  __device__ __forceinline__ E poison(unsigned group, const E& e) const {
    if constexpr (!Monitored || !Cluster) {
      return e;
    } else {
      const bool grows = (__ballot_sync(whole_warp, !bounded) & group) != 0;
      return e.map([grows](const auto& v) {
        return grows ? core::not_a_number<std::decay_t<decltype(v)>>() : v;
      });
    }
  }
  /// Checks the interface unknowns of a whole system.
  template <class E>
  __device__ __forceinline__ void conclude(const E& unknowns) {
    if constexpr (!Cluster) return;
    unknowns.map([this](const auto& v) {
      bounded = bounded && core::is_finite(v);
      return v;
    });
  }
};

/// Passes a lane's numbers of one level to a growth_monitor, where not all of a warp's lanes have
/// numbers to show. What cancels is counted anew in each level: the blocks of a cluster, which have
/// the same equations in the last one, must come to the same there.
template <class Monitor>
struct lane_monitor {
  bool mine;
  Monitor& monitor;
  core::cancellation lost{};

  template <class V>
  __device__ __forceinline__ void operator()(const V& v) {
    if (mine) monitor(v);
  }
  template <class V>
  __device__ __forceinline__ void pivot(const V& w) {
    lost.add(w);
    if (mine) monitor.lose(lost.template is_bounded<V>());
  }
};

/// Solves the interface of `count` chunks in as many lanes, `stride` lanes apart; this lane holds
/// number `at`. A warp may have any number of such groups, all of one count. `up` combines their
/// equations into those of all chunks together, for every lane; `down` finds this lane's interface
/// unknowns from those of all chunks together. PCR stops early where the last rows of chunks that
/// are `reach` or more apart belong to different systems: a zero between them has decoupled their
/// equations exactly.
template <class V, pivoting P, class R = V>
class warp_level;

/// Runs PCR on the last x of each chunk except the last chunk, whose last x stays an unknown.
template <class V, class R>
class warp_level<V, pivoting::none, R> {
 public:
  using chunk = core::chunk<V, pivoting::none, R>;
  using equation = typename chunk::equation;
  using equations = typename chunk::equations;
  using unknowns = typename chunk::unknowns;

  __device__ __forceinline__ warp_level(int at, int count, int stride = 1)
      : lane_(static_cast<int>(threadIdx.x) % warp_size),
        at_(at),
        count_(count),
        stride_(stride),
        inner_(at >= 0 && at < count - 1),
        end_(at == count - 1) {}

  template <class Monitor>
  __device__ __forceinline__ equations up(const equations& mine, Monitor& monitor,
                                          int reach = warp_size) {
    first_ = mine.first;
    if (count_ == 1) return monitor.poison(group(), mine);
    lane_monitor<Monitor> of_inner{inner_, monitor}, of_end{end_, monitor};
    row_ = chunk::link(mine.last, shuffle(first_, lane_ + (inner_ ? stride_ : 0)), of_inner);
    for (int d = 1; d < min(count_ - 1, reach); d *= 2) {
      const bool left = inner_ && at_ >= d, right = inner_ && at_ + d < count_ - 1;
      const equation of_left = shuffle(row_, lane_ - (left ? d * stride_ : 0));
      const equation of_right = shuffle(row_, lane_ + (right ? d * stride_ : 0));
      row_ = chunk::combine(row_, left, of_left, right, of_right, of_inner);
    }
    const equation before = shuffle(row_, lane_ - (end_ ? stride_ : 0));
    equations all;
    all.last = chunk::join_last(mine.last, before, of_end);
    all.last = shuffle(all.last, lane_ + (count_ - 1 - at_) * stride_);
    all.first = shuffle(chunk::join_first(first_, row_), lane_ - at_ * stride_);
    return monitor.poison(group(), all);
  }

  __device__ __forceinline__ unknowns down(const unknowns& all) const {
    if (count_ == 1) return all;
    const R last = end_ ? all.last : row_.at(all.before, all.last);
    const R left = shuffle(last, lane_ - (at_ > 0 ? stride_ : 0));
    const R before = at_ == 0 ? all.before : left;
    const R right = shuffle(first_.at(before, last), lane_ + (inner_ ? stride_ : 0));
    return {before, last, end_ ? all.after : right};
  }

 private:
  /// Returns the lanes of this group, as bits; with a stride those of other groups of the same
  /// system may be among them.
  __device__ __forceinline__ unsigned group() const {
    if (at_ < 0) return 0;
    const unsigned every = stride_ == 1          ? whole_warp >> (warp_size - count_)
                           : stride_ < warp_size ? whole_warp / ((1u << stride_) - 1)
                                                 : 1u;
    return every << (stride_ == 1 ? lane_ - at_ : lane_ & (stride_ - 1));
  }

  int lane_, at_, count_, stride_;
  bool inner_, end_;
  equation first_, row_;
};

/// Merges chunks in a tree. Each merge leaves its record with the right one of its two lanes, which
/// takes no part in later merges: a lane keeps at most one.
template <class V, class R>
class warp_level<V, pivoting::partial, R> {
 public:
  using chunk = core::chunk<V, pivoting::partial, R>;
  using equations = typename chunk::equations;
  using unknowns = typename chunk::unknowns;

  __device__ __forceinline__ warp_level(int at, int count, int stride = 1)
      : lane_(static_cast<int>(threadIdx.x) % warp_size), at_(at), count_(count), stride_(stride) {}

  template <class Monitor>
  __device__ __forceinline__ equations up(equations mine, Monitor&, int = warp_size) {
    for (int d = 1; d < count_; d *= 2) {
      const side s = side_of(d);
      const equations other = shuffle(mine, partner(s, d));
      if (s == side::none) continue;
      const auto mine_if = [&](bool m) {
        return mine.with(other, [&](const auto& a, const auto& b) { return m ? a : b; });
      };
      // Both lanes merge: a lane that was last the right one needs the record, and one that never
      // was needs the equations.
      mine = chunk::merge(mine_if(s == side::left), mine_if(s == side::right), record_);
    }
    return shuffle(mine, at_ < 0 ? lane_ : lane_ - at_ * stride_);
  }

  __device__ __forceinline__ unknowns down(unknowns mine) const {
    int d = 1;
    while (2 * d < count_) d *= 2;
    for (; d > 0 && count_ > 1; d /= 2) {
      const side s = side_of(d);
      const unknowns both = shuffle(mine, partner(s, d));
      unknowns left;
      if (s == side::right) chunk::split(record_, both, left, mine);
      // The right lane, which has split the merged chunk, holds the values that the left lane
      // lacks.
      const R last = shuffle(mine.before, partner(s, d));
      const R after = shuffle(mine.first, partner(s, d));
      if (s == side::left) mine.last = last, mine.after = after;
    }
    return mine;
  }

 private:
  enum class side { none, left, right };
  __device__ __forceinline__ side side_of(int d) const {
    const int place = at_ & (2 * d - 1);
    if (at_ < 0 || at_ >= count_) return side::none;
    if (place == d) return side::right;
    return place == 0 && at_ + d < count_ ? side::left : side::none;
  }
  __device__ __forceinline__ int partner(side s, int d) const {
    return s == side::right ? lane_ - d * stride_ : s == side::left ? lane_ + d * stride_ : lane_;
  }

  int lane_, at_, count_, stride_;
  typename chunk::merge_record record_;
};

/// Holds the place of a thread's chunk among the block's.
struct chunk_place {
  int system;       // of the block; -1 where the thread has no chunk
  int chunk;        // of the system's part in this block
  int lane;         // in the lanes of the warp that belong to the system
  int at, count;    // in the chunks of these lanes, and their number; at = -1 without a chunk
  int warp, warps;  // in the system's warps
  int reach;        // chunks that are so far apart end in different systems
  int rank, ranks;  // in the blocks that share the system
};

/// Solves the interface of the chunks of every system's part in a block: first a level of lanes,
/// then one of warps, which every warp computes for itself, since that saves barriers. All threads
/// take part.
template <class V, pivoting P, class R = V>
class block_level {
 public:
  using equations = typename core::chunk<V, P, R>::equations;
  using unknowns = typename core::chunk<V, P, R>::unknowns;

  __device__ __forceinline__ explicit block_level(const chunk_place& p)
      : place_(p), lanes_(p.at, p.count), warps_(p.lane, p.warps) {}

  /// Returns the equations of the part, for its first lane and, if it takes several warps, all its
  /// lanes. `of_warps` are not in use.
  template <class Monitor>
  __device__ __forceinline__ equations up(const equations& mine, equations* of_warps,
                                          Monitor& monitor) {
    auto all = lanes_.up(mine, monitor, place_.reach);
    if (place_.warps > 1) {
      auto* const of_part = of_warps + static_cast<int>(threadIdx.x) / warp_size - place_.warp;
      if (place_.lane == 0) of_part[place_.warp] = all;
      __syncthreads();
      all = warps_.up(of_part[place_.lane < place_.warps ? place_.lane : 0], monitor);
    }
    return all;
  }

  __device__ __forceinline__ unknowns down(unknowns all) const {
    if (place_.warps > 1) all = shuffle(warps_.down(all), place_.warp);
    return lanes_.down(all);
  }

 private:
  const chunk_place& place_;
  warp_level<V, P, R> lanes_, warps_;
};

}  // namespace tridia::cuda
