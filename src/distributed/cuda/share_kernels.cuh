// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "distributed/line_operator/shares.hpp"
#include "gpu/copy.cuh"
#include "gpu/dependent_launch.cuh"
#include "gpu/launch.cuh"
#include "gpu/peer/end_round.cuh"
#include "gpu/peer/waiting.cuh"
#include "gpu/peer/words.cuh"
#include "gpu/warp.cuh"

// Points near the borders of a rank's lines are weighted and summed, for this rank and others.
namespace tridia::distributed {

using gpu::gives_up;
using gpu::nanoseconds_now;
using gpu::sent_words;
using line_operator::sum_group;

inline constexpr int share_threads = 128, share_warps = share_threads / gpu::warp_size;
inline constexpr int most_sums = sum_group::most;
/// These are blocks of a launch: four on each multiprocessor of an H100, which stay.
inline constexpr index_t most_share_blocks = 4 * 132;

/// A warp brings so many points of 32 lines into shared memory at a time, half of those that
/// decaying weights count, or a quarter: while they are summed, the next ones are on their way.
template <class V>
inline constexpr int share_points = sizeof(V) > 8 ? 10 : 20;
/// The points of a line are so far from those of the next: an odd number.
template <class V>
inline constexpr int share_pitch = share_points<V> + 1;
/// This is how many numbers the two halves of a warp's memory have.
template <class V>
inline constexpr int share_half = gpu::warp_size* share_pitch<V>;

/// Weights that take more stay in device memory: of lines along which nothing decays.
inline constexpr std::size_t most_weight_bytes = 3072;

template <class V>
TRIDIA_FN bool keeps_weights(const share_summing_task<V>& t) {
  return static_cast<std::size_t>(t.weight_count) * sizeof(V) <= most_weight_bytes;
}

/// Returns the bytes of shared memory that sum_shares_kernel needs.
template <class V>
std::size_t share_bytes(const share_summing_task<V>& t) {
  constexpr std::size_t points = share_warps * 2 * share_half<V>;
  const auto weights = keeps_weights(t) ? static_cast<std::size_t>(t.weight_count) : 0;
  return (points + weights) * sizeof(V) + static_cast<std::size_t>(t.count) * sizeof(sum_group) +
         (share_threads + static_cast<std::size_t>(t.sent)) * sizeof(V*) +
         static_cast<std::size_t>(t.sent) * sizeof(bool);
}

/// Divides a block's shared memory, and holds what all its threads need, fetched once.
template <class V>
class share_memory {
 public:
  __device__ __forceinline__ share_memory(const share_summing_task<V>& t, unsigned char* memory)
      : points_(reinterpret_cast<V*>(memory)),
        weights_(points_ + share_warps * 2 * share_half<V>),
        groups_(reinterpret_cast<sum_group*>(weights_ + (keeps_weights(t) ? t.weight_count : 0))),
        lines_(reinterpret_cast<const V**>(groups_ + t.count)),
        places_(const_cast<V**>(lines_) + share_threads),
        sent_(reinterpret_cast<bool*>(places_ + t.sent)) {
    const unsigned long long round = t.rounds->ended;
    const int thread = static_cast<int>(threadIdx.x);
    const index_t kept = keeps_weights(t) ? t.weight_count : 0;
    for (index_t k = thread; k < kept; k += share_threads) weights_[k] = t.weights[k];
    for (int k = thread; k < t.count; k += share_threads) groups_[k] = t.groups[k];
    for (int k = thread; k < t.sent; k += share_threads) {
      places_[k] = place_of(t.slots[k], round), sent_[k] = t.slots[k].arrives;
    }
    __syncthreads();
  }
  [[nodiscard]] __device__ __forceinline__ const sum_group& group(int k) const {
    return groups_[k];
  }
  [[nodiscard]] __device__ __forceinline__ const V* weights() const { return weights_; }
  /// Return a half of this warp's points, and where its lines begin.
  [[nodiscard]] __device__ __forceinline__ V* points(int half) const {
    return points_ + (2 * warp() + half) * share_half<V>;
  }
  [[nodiscard]] __device__ __forceinline__ const V** lines() const {
    return lines_ + warp() * gpu::warp_size;
  }
  /// Writes a sum of a line to where it belongs.
  __device__ __forceinline__ void put(index_t slot, index_t line, const V& v) const {
    V* const to = places_[slot] + line;
    sent_[slot] ? sent_words<V>::send(to, v) : void(*to = v);
  }

 private:
  static __device__ __forceinline__ int warp() {
    return static_cast<int>(threadIdx.x) / gpu::warp_size;
  }

  V *points_, *weights_;
  sum_group* groups_;
  const V** lines_;
  V** places_;
  bool* sent_;
};

/// Starts to copy a number; a complex one may be aligned as its parts only.
template <class V>
__device__ __forceinline__ void copy_point(V* to, const V* from) {
  using real = typename core::value_traits<V>::real;
#pragma unroll
  for (std::size_t k = 0; k < sizeof(V) / sizeof(real); ++k) {
    __pipeline_memcpy_async(reinterpret_cast<real*>(to) + k,
                            reinterpret_cast<const real*>(from) + k, sizeof(real));
  }
}

/// Says which points a warp works on: of 32 lines, of which this lane has one, and of a group of
/// sums, from point `done` of it on.
struct share_turn {
  index_t line;
  int group;
  index_t done;
};

/// Starts to bring `count` points of 32 lines, from number `first` on, to `points`. Where those of
/// a line lie side by side (`Along`), neighbouring lanes copy neighbouring points.
template <bool Along, class V>
__device__ __forceinline__ void bring_points(V* points, const V* const* lines, index_t first,
                                             int count, index_t step) {
  const int lane = static_cast<int>(threadIdx.x) % gpu::warp_size;
  if constexpr (Along) {
    constexpr int team = 8, turns = (share_points<V> + team - 1) / team;
    const int member = lane % team;
    const index_t begin = (first + member) * step, stride = team * step;
#pragma unroll
    for (int line = lane / team; line < gpu::warp_size; line += gpu::warp_size / team) {
      const V* const from = lines[line] + begin;
      V* const to = points + line * share_pitch<V> + member;
#pragma unroll
      for (int k = 0; k < turns; ++k) {
        if (member + k * team < count) copy_point(to + k * team, from + k * stride);
      }
    }
  } else {
    const V* from = lines[lane] + first * step;
#pragma unroll 4
    for (int k = 0; k < count; ++k, from += step) {
      copy_point(points + k * gpu::warp_size + lane, from);
    }
  }
}

/// Adds points of this lane's line times their weights to the sums of a group.
template <bool Along, int Sums, class V>
__device__ __forceinline__ void add_points(V (&sum)[most_sums], const V* points, int count,
                                           const V* weights) {
  struct alignas(sizeof(V) < 8 ? 2 * sizeof(V) : 16) pair {
    V w[2];
  };
  const int lane = static_cast<int>(threadIdx.x) % gpu::warp_size;
  const V* const own = points + lane * (Along ? share_pitch<V> : 1);
#pragma unroll 4
  for (int k = 0; k < count; ++k) {
    const V point = own[k * (Along ? 1 : gpu::warp_size)];
#pragma unroll
    for (int j = 0; j < Sums; j += 2) {
      const pair p = reinterpret_cast<const pair*>(weights + k * most_sums)[j / 2];
      sum[j] = sum[j] + point * p.w[0];
      sum[j + 1] = sum[j + 1] + point * p.w[1];
    }
  }
}
template <bool Along, class V>
__device__ __forceinline__ void add_points(V (&sum)[most_sums], int sums, const V* points,
                                           int count, const V* weights) {
  sums <= 2 ? add_points<Along, 2>(sum, points, count, weights)
            : add_points<Along, 4>(sum, points, count, weights);
}

/// Goes from turn to turn: brings points in, and sums those that are there.
template <bool Along, class V>
class share_summing {
 public:
  __device__ __forceinline__ share_summing(const share_summing_task<V>& t, const share_memory<V>& m)
      : t_(t), m_(m) {}

  __device__ __forceinline__ void run() {
    share_turn now{gpu::thread_index(), 0, 0};
    if (is_over(now)) return;
    find_lines(now.line);
    bring(now, 0);
    gpu::end_copies();
    __syncwarp();
    for (int half = 0; !is_over(now); half ^= 1) {
      const share_turn next = after(now);
      if (next.line != now.line && !is_over(next)) find_lines(next.line);
      if (!is_over(next)) bring(next, half ^ 1);
      gpu::end_copies();
      gpu::wait_for_earlier_copies();
      __syncwarp();
      add(now, half);
      __syncwarp();
      now = next;
    }
  }

 private:
  static __device__ __forceinline__ int lane() {
    return static_cast<int>(threadIdx.x) % gpu::warp_size;
  }
  /// A warp stays together: beyond the last line that one is counted again.
  [[nodiscard]] __device__ __forceinline__ bool is_over(const share_turn& at) const {
    return at.line - lane() >= t_.lines.size;
  }
  [[nodiscard]] __device__ __forceinline__ share_turn after(const share_turn& at) const {
    const index_t done = at.done + share_points<V>;
    if (done < m_.group(at.group).count) return {at.line, at.group, done};
    if (at.group + 1 < t_.count) return {at.line, at.group + 1, 0};
    return {at.line + gpu::thread_count(), 0, 0};
  }
  [[nodiscard]] __device__ __forceinline__ int points(const share_turn& at) const {
    return static_cast<int>(min(m_.group(at.group).count - at.done, index_t{share_points<V>}));
  }
  __device__ __forceinline__ void find_lines(index_t line) const {
    index_t at[layout::array_count];
    t_.lines.offsets(min(line, t_.lines.size - 1), at);
    m_.lines()[lane()] = t_.in + at[layout::rhs] + t_.along.origin;
    __syncwarp();
  }
  __device__ __forceinline__ void bring(const share_turn& at, int half) const {
    bring_points<Along, V>(m_.points(half), m_.lines(), m_.group(at.group).first + at.done,
                           points(at), t_.along.step);
  }
  __device__ __forceinline__ void add(const share_turn& at, int half) {
    const sum_group& g = m_.group(at.group);
    const index_t from = g.weights + at.done * most_sums;
    keeps_weights(t_)
        ? add_points<Along>(sum_, g.sums, m_.points(half), points(at), m_.weights() + from)
        : add_points<Along>(sum_, g.sums, m_.points(half), points(at), t_.weights + from);
    if (at.done + share_points<V> < g.count) return;
#pragma unroll
    for (int j = 0; j < most_sums; ++j) {
      if (j < g.sums && at.line < t_.lines.size) m_.put(g.slot[j], at.line, sum_[j]);
      sum_[j] = V(0);
    }
  }

  const share_summing_task<V>& t_;
  const share_memory<V>& m_;
  V sum_[most_sums]{};
};

/// Computes shares, 32 lines a warp.
template <bool Along, class V>
__global__ void __launch_bounds__(share_threads)
    sum_shares_kernel(const __grid_constant__ share_summing_task<V> t) {
  extern __shared__ __align__(16) unsigned char memory[];
  gpu::let_next_begin();
  const share_memory<V> m(t, memory);
  share_summing<Along, V>(t, m).run();
}

/// Blocks wait for other ranks, all on the chip at the same time. Nothing else that waits so runs
/// beside them (exchange::begin_waiting).
inline constexpr int adding_threads = 256;
inline constexpr index_t most_adding_blocks = 3 * 132;

/// Reads shares of some lines, `step` apart, from `from`; returns whether they are there.
template <int Lines, class V>
__device__ __forceinline__ bool read_shares(V* from, bool arrive, index_t line, index_t step,
                                            index_t lines, V (&v)[Lines]) {
  bool there = true;
#pragma unroll
  for (int k = 0; k < Lines; ++k) {
    // Another thread may have read, and cleared, any other line.
    if (line + k * step >= lines) continue;
    V* const at = from + line + k * step;
    v[k] = arrive ? sent_words<V>::receive(at, there) : *at;
  }
  return there;
}

/// Adds shares up: the block's sum, of its lines.
template <class V>
__global__ void __launch_bounds__(adding_threads)
    add_shares_kernel(const __grid_constant__ share_adding_task<V> t, const wait_limits limits) {
  // These are on their way at the same time.
  constexpr int together = sizeof(V) > 8 ? 2 : 4, terms = 2;
  gpu::wait_for_launch_before();
  const index_t sum = blockIdx.y, begin = t.first[sum], end = t.first[sum + 1];
  const unsigned long long round = t.rounds->ended;
  const index_t threads = gpu::thread_count();
  bool came = true;
  for (index_t line = gpu::thread_index(); line < t.lines && came; line += together * threads) {
    V all[together]{};
    for (index_t k = begin; k < end && came; k += terms) {
      const share_slot<V> some[terms] = {t.terms[k], t.terms[min(k + 1, end - 1)]};
      const int count = k + 1 < end ? terms : 1;
      V share[terms][together]{};
      const unsigned long long began = limits.failed != nullptr ? nanoseconds_now() : 0;
      for (unsigned tries = 1;; ++tries) {
        bool there = true;
#pragma unroll
        for (int i = 0; i < terms; ++i) {
          const bool here = i >= count || read_shares(place_of(some[i], round), some[i].arrives,
                                                      line, threads, t.lines, share[i]);
          there = there && here;
        }
        if (there) break;
        came = !gives_up(limits, tries, began);
        if (!came) break;
      }
#pragma unroll
      for (int i = 0; i < terms; ++i) {
        if (i >= count) continue;
#pragma unroll
        for (int j = 0; j < together; ++j) {
          all[j] = all[j] + share[i][j];
          const index_t at = line + j * threads;
          if (some[i].arrives && at < t.lines) sent_words<V>::clear(place_of(some[i], round) + at);
        }
      }
    }
#pragma unroll
    for (int i = 0; i < together; ++i) {
      if (line + i * threads < t.lines) t.values[sum * t.lines + line + i * threads] = all[i];
    }
  }
  __syncthreads();
  if (threadIdx.x == 0) gpu::end_round(t.rounds, gridDim.x * gridDim.y);
}

}  // namespace tridia::distributed
