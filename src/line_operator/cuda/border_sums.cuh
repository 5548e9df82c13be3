// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "gpu/peer/waiting.cuh"
#include "gpu/peer/words.cuh"
#include "line_operator/border_exchange.hpp"
#include "line_operator/cuda/scan_rows.cuh"

#include <cstring>

namespace tridia::line_operator {

using namespace gpu;

/// Computes the prescribed right-hand sides of a block's tiles together with other ranks. One warp
/// has it, and does little else than wait for one instruction after another: whatever is the same
/// for all tiles is found once, and nothing is divided.
template <class V, tile_kind Kind>
class border_sums {
 public:
  __device__ __forceinline__ border_sums(const border_exchange& e, const line_tile<V, Kind>& tiles,
                                         const scan_shape& s, const kernel_stencil<V>& b)
      : e_(e),
        s_(s),
        tiles_(tiles),
        closure_(b.heads + b.tails),
        across_(s.axis_tiles),
        in_tile_(s.lines) {
    while (s.lines << (log_team_ + 1) <= warp_size) ++log_team_;
    const unsigned long long round = e.rounds->ended;
    if (e.own == nullptr && lane() < e.group_count * sum_group::most) {
      const sum_group& g = e.groups[lane() / sum_group::most];
      const int number = lane() % sum_group::most;
      group_ = {static_cast<int>(g.first), static_cast<int>(g.count), g.sums,
                static_cast<int>(g.weights)};
      if (number < g.sums) {
        const auto& share = e.shares[g.slot[number]];
        to_ = share.to.at != nullptr ? place_of(share.to, round)
                                     : static_cast<place>(row_of(share.prescribed, b));
      }
    }
    if (lane() < e.prescribed) {
      from_ = place_of(e.arrivals[lane()], round);
      if (e.own != nullptr) own_ = place_of(e.own[lane()], round);
      row_ = row_of(lane(), b);
    }
    __syncwarp();
  }

  /// Adds up the shares of a tile that has arrived, and sends those of other ranks. Own ones are in
  /// `closure` then.
  __device__ __forceinline__ void send(index_t tile, const tile_places<Kind>& places,
                                       const V* values, V* closure) const {
    if (e_.own != nullptr) return;
    const range lines = lines_of(tile);
    const int together = warp_size >> log_team_, member = lane() & ((1 << log_team_) - 1);
#pragma unroll 1
    for (int k = 0; k < e_.group_count; ++k) {
      const points g = group(k);
#pragma unroll 1
      for (int line = lane() >> log_team_; line - (lane() >> log_team_) < lines.count;
           line += together) {
        const int base = places.base(min(line, lines.count - 1));
        V sum[sum_group::most]{};
        add_points(g, places, base, member, values, sum);
        const bool writes = member == 0 && line < lines.count;
        V* const row = closure + line * closure_;
        const place offset = static_cast<place>(lines.first + line) * sizeof(V);
#pragma unroll
        for (int j = 0; j < sum_group::most; ++j) {
          const place to = __shfl_sync(whole_warp, to_, k * sum_group::most + j);
          if (j >= g.sums || !writes) continue;
          if (to < most_rows) {
            row[to] = sum[j];
          } else {
            sent_words<V>::send(reinterpret_cast<V*>(to + offset), sum[j]);
          }
        }
      }
    }
    __syncwarp();
  }

  /// Looks for what other ranks have sent of a tile, but does not wait for it.
  __device__ __forceinline__ void look(index_t tile) {
    const range lines = lines_of(tile);
    const int all = s_.lines * e_.prescribed;
#pragma unroll
    for (int k = 0; k < together; ++k) {
      found_[k].row = -1;
      if (done_ + k * warp_size >= all) continue;
      const int i = done_ + k * warp_size + lane();
      const int number = in_tile_.quotient(i), line = i - number * s_.lines;
      const place from = __shfl_sync(whole_warp, from_, number);
      const place own = __shfl_sync(whole_warp, own_, number);
      const int row = __shfl_sync(whole_warp, row_, number);
      if (i >= all || line >= lines.count) continue;
      const place offset = static_cast<place>(lines.first + line) * sizeof(V);
      found_[k].row = line * closure_ + row;
      found_[k].at = reinterpret_cast<V*>(from + offset);
      found_[k].share = sent_words<V>::look(found_[k].at);
      if (own != 0) found_[k].own = *reinterpret_cast<const V*>(own + offset);
    }
  }
  /// Adds what was found to `closure`; returns false if there is more to look for.
  __device__ __forceinline__ bool take(V* closure) {
    bool there = true;
#pragma unroll
    for (int k = 0; k < together; ++k) {
      there = there && (found_[k].row < 0 || sent_words<V>::is_there(found_[k].share));
    }
    if (!__all_sync(whole_warp, there) && !has_given_up()) return false;
#pragma unroll
    for (int k = 0; k < together; ++k) {
      if (found_[k].row < 0) continue;
      const V own = e_.own != nullptr ? found_[k].own : closure[found_[k].row];
      closure[found_[k].row] = own + found_[k].share;
      sent_words<V>::clear(found_[k].at);
    }
    tries_ = 0;
    done_ += together * warp_size;
    if (done_ < s_.lines * e_.prescribed) return false;
    done_ = 0;
    __syncwarp();
    return true;
  }

 private:
  /// A lane looks for so many shares at the same time: those of four rows of 32 lines.
  static constexpr int together = 4;
  /// So many points of a line are read at the same time: each would be waited for otherwise.
  static constexpr int batch = 5;

  /// Is an address; or the row of a closure, for an own share.
  using place = unsigned long long;
  static constexpr place most_rows = 2 * most_closure;

  /// Describes a group of sums over the same points.
  struct points {
    int first, count, sums, weights;
  };
  struct range {
    index_t first;
    int count;
  };
  /// Holds what is at the place of a share, whose row of a closure is -1 if there is none.
  struct finding {
    V* at;
    V share, own;
    int row;
  };

  static __device__ __forceinline__ int lane() { return static_cast<int>(threadIdx.x) % warp_size; }
  static __device__ __forceinline__ place place_of(const border_exchange::place& p,
                                                   unsigned long long round) {
    return reinterpret_cast<place>(static_cast<V*>(p.at) +
                                   static_cast<index_t>(round & 1) * p.jump);
  }
  /// Returns the row of a closure whose right-hand side is prescribed as number `number`.
  static __device__ __forceinline__ int row_of(int number, const kernel_stencil<V>& b) {
    int row = 0;
    for (int k = 0; k < b.heads + b.tails; ++k) {
      if (b.rows[k].count == 0 && b.rows[k].first == number) row = k;
    }
    return row;
  }
  [[nodiscard]] __device__ __forceinline__ points group(int k) const {
    const auto of = [&](int v) { return __shfl_sync(whole_warp, v, k * sum_group::most); };
    return {of(group_.first), of(group_.count), of(group_.sums), of(group_.weights)};
  }
  /// Returns the numbers of the lines of a tile.
  [[nodiscard]] __device__ __forceinline__ range lines_of(index_t tile) const {
    if constexpr (Kind == tile_kind::along) {
      const index_t first = tile * s_.lines;
      return {first, static_cast<int>(min(tiles_.lines() - first, index_t{s_.lines}))};
    } else {
      const auto fastest = static_cast<int>(tiles_.fastest()), number = static_cast<int>(tile);
      const int outer = across_.quotient(number),
                first = (number - outer * s_.axis_tiles) * s_.lines;
      return {index_t{outer} * fastest + first, min(fastest - first, s_.lines)};
    }
  }

  /// Adds points of a line times their weights. Neighbouring lanes share a line where a tile has
  /// few: each adds every point from number `member` on in steps of their number.
  __device__ __forceinline__ void add_points(const points& g, const tile_places<Kind>& places,
                                             int base, int member, const V* values,
                                             V (&sum)[sum_group::most]) const {
    const V* const weights = static_cast<const V*>(e_.weights) + g.weights;
    const int team = 1 << log_team_;
#pragma unroll 1
    for (int k = member; k - member < g.count; k += batch * team) {
      V point[batch], w[batch][sum_group::most];
#pragma unroll
      for (int i = 0; i < batch; ++i) {
        const int at = min(k + i * team, g.count - 1);
        load_weights(weights + at * sum_group::most, w[i]);
        point[i] = values[places.of(base, g.first + at)];
      }
#pragma unroll
      for (int i = 0; i < batch; ++i) {
        if (k + i * team >= g.count) point[i] = V(0);
#pragma unroll
        for (int j = 0; j < sum_group::most; ++j) sum[j] = core::add_mul(sum[j], point[i], w[i][j]);
      }
    }
#pragma unroll 1
    for (int step = 1; step < team; step *= 2) {
#pragma unroll
      for (int j = 0; j < sum_group::most; ++j) sum[j] = sum[j] + shuffle_xor(sum[j], step);
    }
  }
  /// Loads the weights of a point, which are the same for all lines and tiles, through the
  /// first-level cache.
  static __device__ __forceinline__ void load_weights(const V* from, V (&w)[sum_group::most]) {
    int4 words[sizeof w / 16];
#pragma unroll
    for (std::size_t k = 0; k < sizeof w / 16; ++k)
      words[k] = __ldg(reinterpret_cast<const int4*>(from) + k);
    memcpy(w, words, sizeof w);
  }
  __device__ __forceinline__ bool has_given_up() {
    if (tries_++ == 0) began_ = nanoseconds_now();
    return __any_sync(whole_warp, lane() == 0 && gives_up(e_.limits, tries_, began_));
  }

  const border_exchange& e_;
  const scan_shape& s_;
  const line_tile<V, Kind>& tiles_;
  int closure_, log_team_ = 0;  // of the lanes of a line
  fast_divide across_, in_tile_;
  points group_{};
  place to_ = 0, from_ = 0,
        own_ = 0;  // of the sum of a group, and of the arrival, of this lane's number
  int row_ = 0;    // of that arrival
  int done_ = 0;   // shares of the tile at hand that have come
  finding found_[together]{};
  unsigned tries_ = 0;
  unsigned long long began_ = 0;
};

}  // namespace tridia::line_operator
