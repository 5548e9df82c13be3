// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "compact/cpu/line_buffer.hpp"
#include "compact/cpu/line_prefetch.hpp"
#include "compact/cpu/operator_tables.hpp"

#include <algorithm>
#include <cstring>
#include <type_traits>

// A group of lines is loaded into the buffer a chunk at a time; the forward sweep takes it through
// the stencil and the elimination, the backward sweep through the substitution, and it is stored.
// What is left of row i overwrites the buffer's row i, `front` rows after the values that stencils
// still need.
namespace tridia::compact::cpu::TRIDIA_ISA {
// kernels.cpp alone includes this file. With internal linkage GCC inlines what is called once,
// which saves 3 to 5 % of a field that fits in the cache.
namespace {

/// Holds the values that pass from one chunk to the next, in every lane.
template <class R>
struct alignas(64) carried {
  R left[most_lanes], border[most_lanes];                  // of the forward sweep
  R next[most_lanes], after[most_lanes], end[most_lanes];  // and of the backward sweep
};

/// Rows a page apart push each other out of the nearest cache: those of longer stencils are taken
/// into the buffer first.
constexpr int most_rows_where_they_lie = 7;

/// Says where results go: directly into the array where they lie side by side, so that stores
/// overlap the arithmetic, or added to its values; otherwise into the buffer.
enum class destination : char { array, sum, buffer };

/// Applies an operator to a group of lines, `Vectors` vectors of lanes at a time.
template <class R, int Vectors>
class line_sweeps {
 public:
  using values = vector_block<R, Vectors>;
  using simd = typename values::simd;

  line_sweeps(const tables<R>& t, const line_group& s, R* buffer)
      : t_(t),
        s_(s),
        rows_(buffer),
        pitch_(s.pitch),
        pieces_in_(lie_side_by_side(s.in_at, s.in_step)),
        lies_in_(pieces_in_ && t.prescribed == 0 && t.interior.count <= most_rows_where_they_lie),
        lies_out_(lie_side_by_side(s.out_at, s.out_step)),
        staged_(buffer + t.front * s.pitch),
        points_(lies_in_ ? static_cast<const R*>(s.in) + s.in_at[0] : staged_),
        point_pitch_(lies_in_ ? s.in_step : s.pitch),
        prefetch_(t, s, {pieces_in_, lies_in_}, {lies_out_, lies_out_}) {}

  void run() {
    for_each_block([&](int lane) {
      values::zero().store(state_.left + lane);
      values::zero().store(state_.border + lane);
      values::zero().store(state_.next + lane);
      values::zero().store(state_.after + lane);
      values::zero().store(state_.end + lane);
    });
    with_count(t_.interior.count, [&](auto count) {
      constexpr int n = decltype(count)::value;
      t_.periodic ? forward<n, true>() : forward<n, false>();
    });
    if (t_.periodic) close();
    t_.periodic ? backward<true>() : backward<false>();
  }

 private:
  /// Returns whether the values of a row of all lanes are contiguous, so that they can be used
  /// without a copy.
  bool lie_side_by_side(const index_t* at, index_t step) const {
    return step != 1 && s_.live == s_.lanes && neighbours_from(at, 0, s_.live) == s_.live;
  }

  template <class F>
  TRIDIA_FN void for_each_block(F f) const {
    for (int lane = 0; lane < s_.lanes; lane += values::count) f(lane);
  }

  /// Calls f with the number of weights as a constant, for loops that keep them in registers; 0:
  /// more than those of any scheme of the library.
  template <class F>
  static void with_count(int count, F f) {
    switch (count) {
#define TRIDIA_COUNT(n) \
  case n:               \
    return f(std::integral_constant<int, n>());
      TRIDIA_COUNT(1)
      TRIDIA_COUNT(2)
      TRIDIA_COUNT(3)
      TRIDIA_COUNT(4)
      TRIDIA_COUNT(5)
      TRIDIA_COUNT(6)
      TRIDIA_COUNT(7)
      TRIDIA_COUNT(9)
      TRIDIA_COUNT(11)
#undef TRIDIA_COUNT
      default:
        return f(std::integral_constant<int, 0>());
    }
  }

  // ---- forward ----

  template <int Count, bool Bordered>
  void forward() {
    if (!lies_in_) return forward_staged<Count, Bordered>();
    for (index_t k0 = 0, k1; k0 < t_.eliminated; k0 = k1) {
      k1 = std::min(k0 + s_.visit, t_.eliminated);
      for_each_block([&](int lane) {
        prefetch_.forward(lane, k0, k1);
        forward_rows<Count, Bordered>(lane, k0, k1);
      });
    }
  }

  /// Loads a chunk, then goes through the rows whose values are all there.
  template <int Count, bool Bordered>
  void forward_staged() {
    load_prescribed(s_, t_.prescribed, rows_ + t_.prescribed_at * pitch_);
    if (t_.before > 0) {
      load(s_, t_.points - t_.before, t_.points, staged_);
      copy(-t_.before, t_.points - t_.before, t_.before);
    }
    index_t done = 0;
    for (index_t p0 = 0, p1; p0 < t_.points; p0 = p1) {
      // The first values are needed once more at the end, when they have been overwritten.
      p1 = p0 == 0 && t_.after > s_.chunk ? t_.after : p0 + s_.chunk;
      p1 = p1 < t_.points ? p1 : t_.points;
      load(s_, p0, p1, staged_);
      if (p0 == 0) copy(t_.points, 0, t_.after);
      index_t ready = p1 == t_.points ? t_.eliminated : p1 - t_.ahead;
      ready = ready < t_.eliminated ? ready : t_.eliminated;
      if (ready <= done) continue;
      for (index_t k0 = done, k1; k0 < ready; k0 = k1) {
        k1 = std::min(k0 + s_.visit, ready);
        for_each_block([&](int lane) {
          prefetch_.forward(lane, k0, k1);
          forward_rows<Count, Bordered>(lane, k0, k1);
        });
      }
      done = ready;
    }
  }
  void copy(index_t to, index_t from, index_t rows) const {
    std::memcpy(staged_ + to * pitch_, staged_ + from * pitch_,
                static_cast<std::size_t>(rows * pitch_) * sizeof(R));
  }

  template <int Count, bool Bordered>
  void forward_rows(int lane, index_t k0, index_t k1) {
    index_t from = t_.plain_from, to = Count > 0 ? t_.plain_to : from;
    if (lies_in_) {
      from = std::max<index_t>(from, -t_.interior.first);
      to = std::min<index_t>(to, t_.points - t_.ahead);
    }
    index_t i = k0;
    for (; i < k1 && (i < from || from >= to); ++i) eliminate(lane, i);
    if (i < k1 && i < to) {
      t_.for_each_stretch(i, std::min(k1, to),
                          [&](const row_numbers<R>* n, index_t step, index_t a, index_t b) {
                            plain_forward<Count, Bordered>(n, step, lane, a, b);
                          });
      i = std::min(k1, to);
    }
    for (; i < k1; ++i) eliminate(lane, i);
  }

  /// Does rows a to b - 1, which have the interior's stencil and no interchange.
  template <int Count, bool Bordered>
  __attribute__((noinline)) void plain_forward(const row_numbers<R>* n, index_t step, int lane,
                                               index_t a, index_t b) {
    // Copies that nothing points to: they stay in registers.
    constexpr int count = Count > 0 ? Count : 1;
    simd w[count];
    _Pragma("GCC unroll 16") for (int k = 0; k < count; ++k) w[k] = simd(t_.interior.at[k]);
    const index_t in_pitch = point_pitch_, out_pitch = pitch_;
    const R* at = points_ + (a + t_.interior.first) * in_pitch + lane;
    R* to = rows_ + a * out_pitch + lane;
    values left = values::load(state_.left + lane), border = values::load(state_.border + lane);
    for (index_t i = a; i < b; ++i, n += step, at += in_pitch, to += out_pitch) {
      values r = values::load(at).times(w[0]);
      _Pragma("GCC unroll 16") for (int k = 1; k < count; ++k) r =
          r.plus(w[k], values::load(at + k * in_pitch));
      if constexpr (Bordered) border = border.plus(simd(n->border), r);
      left = r.plus(simd(-n->below), left);
      left.store(to);
    }
    left.store(state_.left + lane);
    if (Bordered) border.store(state_.border + lane);
  }

  const weights<R>& stencil_of(index_t i) const {
    const index_t tail = t_.eliminated - t_.tails;
    return i < t_.heads ? t_.head[i] : i < tail ? t_.interior : t_.tail[i - tail];
  }
  values right_side(const weights<R>& w, int lane, index_t i) const {
    values sum = point(i + w.first, lane).times(simd(w.at[0]));
    for (int k = 1; k < w.count; ++k) {
      sum = sum.plus(simd(w.at[k]), point(i + w.first + k, lane));
    }
    return sum;
  }
  /// Returns the values of point p, on a periodic line also beyond its ends, around the others.
  values point(index_t p, int lane) const {
    if (lies_in_) p = p < 0 ? p + t_.points : p >= t_.points ? p - t_.points : p;
    return values::load(points_ + p * point_pitch_ + lane);
  }

  /// Does one row of the forward sweep, whatever it is.
  __attribute__((noinline)) void eliminate(int lane, index_t i) {
    const row_numbers<R>& n = t_.number(i);
    R* const at = rows_ + i * pitch_ + lane;
    values left = values::load(state_.left + lane);
    values r = right_side(stencil_of(i), lane, i);
    if (n.bordered) {
      values::load(state_.border + lane).plus(simd(n.border), r).store(state_.border + lane);
    }
    if (n.swapped) {
      r.store(at - pitch_);
      const values above = left;
      left = r;
      r = above;
    }
    left = r.plus(simd(-n.below), left);
    left.store(at);
    left.store(state_.left + lane);
  }

  /// Does the last row of a periodic line.
  void close() {
    const index_t last = t_.eliminated;
    for_each_block([&](int lane) {
      const values border = values::load(state_.border + lane);
      const values end =
          right_side(t_.interior, lane, last).plus(simd(R(-1)), border).times(simd(t_.corner));
      end.store(state_.end + lane);
      end.times(simd(static_cast<R>(s_.s) * t_.last_scale)).store(rows_ + last * pitch_ + lane);
    });
    store(s_, last, last + 1, rows_);
  }

  // ---- backward ----

  /// Does all rows in chunks, which begin where cache lines of the result do, if lines are
  /// contiguous.
  template <bool Columned>
  void backward() {
    if (!lies_out_) return backward_to<Columned, destination::buffer>();
    s_.accumulate ? backward_to<Columned, destination::sum>()
                  : backward_to<Columned, destination::array>();
  }
  template <bool Columned, destination Where>
  void backward_to() {
    constexpr index_t line = 64 / sizeof(R);
    const auto past = static_cast<index_t>(
        (reinterpret_cast<std::uintptr_t>(s_.out) / sizeof(R) + s_.out_at[0]) % line);
    const index_t first = (line - past) % line;
    for (index_t k1 = t_.eliminated, k0; k1 > 0; k1 = k0) {
      k0 = k1 > first ? first + (k1 - 1 - first) / s_.chunk * s_.chunk : 0;
      for (index_t v1 = k1, v0; v1 > k0; v1 = v0) {
        v0 = std::max(v1 - s_.visit, k0);
        for_each_block([&](int lane) {
          prefetch_.backward(lane, v0, v1);
          backward_rows<Columned, Where>(lane, v0, v1);
        });
      }
      if (Where == destination::buffer) store(s_, k0, k1, rows_);
    }
  }

  template <bool Columned, destination Where>
  void backward_rows(int lane, index_t k0, index_t k1) {
    const index_t from = t_.plain_back_from, to = std::max(t_.plain_to, from);
    index_t i = k1;
    for (; i > k0 && i > to; --i) substitute<Where>(lane, i - 1);
    if (i > k0 && i > from) {
      t_.for_each_stretch_back(std::max(k0, from), i,
                               [&](const row_numbers<R>* n, index_t step, index_t a, index_t b) {
                                 plain_backward<Columned, Where>(n, step, lane, a, b);
                               });
      i = std::max(k0, from);
    }
    for (; i > k0; --i) substitute<Where>(lane, i - 1);
  }

  /// Does rows b - 1 down to a, whose elimination had no interchange; `n` is that of row b - 1.
  template <bool Columned, destination Where>
  __attribute__((noinline)) void plain_backward(const row_numbers<R>* n, index_t step, int lane,
                                                index_t a, index_t b) {
    const simd s(static_cast<R>(s_.s));
    const bool nontemporal = s_.nontemporal;
    const index_t pitch = pitch_, to_pitch = Where == destination::buffer ? pitch_ : s_.out_step;
    const R* at = rows_ + (b - 1) * pitch + lane;
    R* to = place<Where>(lane, b - 1);
    values next = values::load(state_.next + lane);
    const values end = values::load(state_.end + lane);
    for (index_t i = b; i > a; --i, n -= step, at -= pitch, to -= to_pitch) {
      next = values::load(at).times(simd(n->pivot)).plus(simd(-n->next), next);
      values x = next;
      if constexpr (Columned) x = x.plus(simd(-n->column), end);
      put<Where>(x.times(s * simd(n->scale)), to, nontemporal);
    }
    next.store(state_.next + lane);
  }

  /// Does one row of the backward sweep, whatever it is.
  template <destination Where>
  __attribute__((noinline)) void substitute(int lane, index_t i) {
    const row_numbers<R>& n = t_.number(i);
    const values next = values::load(state_.next + lane);
    values x = values::load(rows_ + i * pitch_ + lane).times(simd(n.pivot));
    if (n.fills) x = x.plus(simd(-n.fill), values::load(state_.after + lane));
    x = x.plus(simd(-n.next), next);
    next.store(state_.after + lane);
    x.store(state_.next + lane);
    if (n.columned) x = x.plus(simd(-n.column), values::load(state_.end + lane));
    put<Where>(x.times(simd(static_cast<R>(s_.s)) * simd(n.scale)), place<Where>(lane, i),
               s_.nontemporal);
  }

  template <destination Where>
  TRIDIA_FN R* place(int lane, index_t i) const {
    return Where == destination::buffer
               ? rows_ + i * pitch_ + lane
               : static_cast<R*>(s_.out) + s_.out_at[0] + lane + i * s_.out_step;
  }
  template <destination Where>
  static TRIDIA_FN void put(const values& x, R* to, bool nontemporal) {
    if constexpr (Where == destination::buffer) {
      x.store(to);
    } else if constexpr (Where == destination::sum) {
      x.store(to, accumulate{});
    } else {
      x.store(to, overwrite{nontemporal});
    }
  }

  const tables<R>& t_;
  const line_group& s_;
  R* rows_;
  index_t pitch_;
  bool pieces_in_;           // rows of values are pieces of memory,
  bool lies_in_, lies_out_;  // and worked on there
  R* staged_;
  const R* points_;
  index_t point_pitch_;
  line_prefetch<R, values::count> prefetch_;
  carried<R> state_;
};

}  // namespace
}  // namespace tridia::compact::cpu::TRIDIA_ISA
