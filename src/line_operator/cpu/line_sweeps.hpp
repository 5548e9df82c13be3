// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "line_operator/cpu/backward_chunks.hpp"
#include "line_operator/cpu/carried.hpp"
#include "line_operator/cpu/dense_lines.hpp"
#include "line_operator/cpu/failure_search.hpp"
#include "line_operator/cpu/line_buffer.hpp"
#include "line_operator/cpu/line_gather.hpp"
#include "line_operator/cpu/line_prefetch.hpp"
#include "line_operator/cpu/operator_tables.hpp"

#include <algorithm>
#include <cstring>
#include <type_traits>

// A group of lines is loaded into the buffer a chunk at a time; the forward sweep takes it through
// the stencil and the elimination, the backward sweep through the substitution, and it is stored.
// What is left of row i overwrites the buffer's row i, `front` rows after the values that stencils
// still need. An adjoint solves first: what substitution finds stays in the buffer, and the results
// are gathered from it as soon as all that they need is there.
namespace tridia::line_operator::cpu::TRIDIA_ISA {
// kernels.cpp alone includes this file. With internal linkage GCC inlines what is called once,
// which saves 3 to 5 % of a field that fits in the cache.
namespace {

/// Rows a page apart push each other out of the nearest cache: those of longer stencils are taken
/// into the buffer first.
constexpr int most_rows_where_they_lie = 7;

/// Applies an operator to a group of lines, `Vectors` vectors of lanes at a time.
template <class R, int Vectors>
class line_sweeps {
 public:
  using values = vector_block<R, Vectors>;
  using simd = typename values::simd;

  line_sweeps(const tables<R>& t, const line_group& s, R* buffer)
      : t_(t),
        s_(s),
        rows_(buffer + t.first_row * s.pitch),
        pitch_(s.pitch),
        pieces_in_(lie_side_by_side(s.in_apart, s.in_step)),
        lies_in_(pieces_in_ && t.prescribed == 0 &&
                 t.stencils.interior.count <= most_rows_where_they_lie),
        lies_out_(lie_side_by_side(s.out_apart, s.out_step)),
        staged_(rows_ + t.front * s.pitch),
        results_(buffer + t.results_at * s.pitch),
        points_(lies_in_ ? static_cast<const R*>(s.in) + s.in_at[0] : staged_),
        point_pitch_(lies_in_ ? s.in_step : s.pitch),
        prefetch_(t, s, {pieces_in_, lies_in_}, {lies_out_, lies_out_}),
        search_(t, s, rows_) {}

  /// Returns whether all results are finite, if failures are asked for.
  bool run() {
    if (t_.dense != nullptr) {
      multiply();
    } else {
      sweep();
    }
    return search_.all_finite();
  }

 private:
  void sweep() {
    for_each_block([&](int lane) {
      values::zero().store(state_.left + lane);
      values::zero().store(state_.border + lane);
      values::zero().store(state_.next + lane);
      values::zero().store(state_.after + lane);
      values::zero().store(state_.end + lane);
      values::zero().store(state_.zero + lane);
    });
    if (t_.gathers) {
      t_.periodic ? forward<1, true, true>() : forward<1, false, true>();
    } else {
      with_count(t_.stencils.interior.count, [&](auto count) {
        constexpr int n = decltype(count)::value;
        t_.periodic ? forward<n, true>() : forward<n, false>();
      });
    }
    if (t_.periodic) close();
    search_.after_forward(state_);
    if (t_.periodic) put_last();
    t_.periodic ? backward<true>() : backward<false>();
  }

  /// Returns whether the values of a row of all lanes are contiguous, so that they can be used
  /// without a copy.
  bool lie_side_by_side(index_t apart, index_t step) const {
    return step != 1 && s_.live == s_.lanes && (apart == 1 || s_.live == 1);
  }

  template <class F>
  TRIDIA_FN void for_each_block(F f) const {
    for (int lane = 0; lane < s_.lanes; lane += values::count) f(lane);
  }

  // ---- short lines ----

  void multiply() {
    const index_t points = t_.points, results = t_.results;
    if (!lies_in_) {
      load(s_, 0, points, staged_, [&](int lane, index_t k) TRIDIA_LAMBDA {
        prefetch_.template values_beside<width<R>>(lane, k);
      });
    }
    for_each_block([&](int lane) {
      prefetch_.forward(lane, 0, points);
      multiply_lines<R, Vectors>(t_.dense, points, results, points_ + lane, point_pitch_,
                                 static_cast<R>(s_.s), results_ + lane, pitch_);
      search_.template after_product<Vectors>(lane, results_ + lane, points_ + lane, point_pitch_);
      if (!lies_out_) return;
      prefetch_.backward(lane, 0, results);
      s_.accumulate ? put_rows<destination::sum>(lane) : put_rows<destination::array>(lane);
    });
    if (!lies_out_) put_staged(0, results, results_);
  }
  /// Puts the results of some lanes where they go: all of them are known, so that they may lie
  /// where the points do.
  template <destination Where>
  void put_rows(int lane) const {
    for (index_t i = 0; i < t_.results; ++i) {
      put<Where>(values::load(results_ + i * pitch_ + lane), place<Where>(lane, i), s_.nontemporal);
    }
  }

  // ---- forward ----

  /// `Scaled` multiplies values with the scales of their rows, as the adjoint does.
  template <int Count, bool Bordered, bool Scaled = false>
  void forward() {
    if (!lies_in_) return forward_staged<Count, Bordered, Scaled>();
    for (index_t k0 = 0, k1; k0 < t_.eliminated; k0 = k1) {
      k1 = std::min(k0 + s_.visit, t_.eliminated);
      for_each_block([&](int lane) {
        prefetch_.forward(lane, k0, k1);
        forward_rows<Count, Bordered, Scaled>(lane, k0, k1);
      });
    }
  }

  /// Loads a chunk, then goes through the rows whose values are all there.
  template <int Count, bool Bordered, bool Scaled>
  void forward_staged() {
    constexpr int lanes = width<R>;
    const auto beside = [&](int lane, index_t k)
                            TRIDIA_LAMBDA { prefetch_.template values_beside<lanes>(lane, k); };
    load_prescribed(s_, t_.prescribed, rows_ + t_.prescribed_at * pitch_);
    if (t_.before > 0) {
      load(s_, t_.points - t_.before, t_.points, staged_, [](int, index_t) {});
      copy(-t_.before, t_.points - t_.before, t_.before);
    }
    index_t done = 0;
    for (index_t p0 = 0, p1; p0 < t_.points; p0 = p1) {
      // The first values are needed once more at the end, when they have been overwritten.
      p1 = p0 == 0 && t_.after > s_.chunk ? t_.after : p0 + s_.chunk;
      // A last chunk of fewer rows than a vector has would be loaded by smaller ones.
      p1 = p1 + lanes <= t_.points ? p1 : t_.points;
      load(s_, p0, p1, staged_, beside);
      if (p0 == 0) copy(t_.points, 0, t_.after);
      index_t ready = p1 == t_.points ? t_.eliminated : p1 - t_.ahead;
      ready = ready < t_.eliminated ? ready : t_.eliminated;
      if (ready <= done) continue;
      for (index_t k0 = done, k1; k0 < ready; k0 = k1) {
        k1 = std::min(k0 + s_.visit, ready);
        for_each_block([&](int lane) {
          prefetch_.forward(lane, k0, k1);
          forward_rows<Count, Bordered, Scaled>(lane, k0, k1);
        });
      }
      done = ready;
    }
  }
  void copy(index_t to, index_t from, index_t rows) const {
    std::memcpy(staged_ + to * pitch_, staged_ + from * pitch_,
                static_cast<std::size_t>(rows * pitch_) * sizeof(R));
  }

  template <int Count, bool Bordered, bool Scaled>
  void forward_rows(int lane, index_t k0, index_t k1) {
    index_t from = t_.plain_from, to = Count > 0 ? t_.plain_to : from;
    if (lies_in_) {
      from = std::max<index_t>(from, -t_.stencils.interior.first);
      to = std::min<index_t>(to, t_.points - t_.ahead);
    }
    index_t i = k0;
    for (; i < k1 && (i < from || from >= to); ++i) eliminate<Scaled>(lane, i);
    if (i < k1 && i < to) {
      t_.for_each_stretch(i, std::min(k1, to),
                          [&](const row_numbers<R>* n, index_t step, index_t a, index_t b) {
                            plain_forward<Count, Bordered, Scaled>(n, step, lane, a, b);
                          });
      i = std::min(k1, to);
    }
    for (; i < k1; ++i) eliminate<Scaled>(lane, i);
  }

  /// Does rows a to b - 1, which have the interior's stencil and no interchange.
  template <int Count, bool Bordered, bool Scaled>
  __attribute__((noinline)) void plain_forward(const row_numbers<R>* n, index_t step, int lane,
                                               index_t a, index_t b) {
    // Copies that nothing points to: they stay in registers.
    constexpr int count = Count > 0 ? Count : 1;
    simd w[count];
    const weights<R>& interior = t_.stencils.interior;
    _Pragma("GCC unroll 16") for (int k = 0; k < count; ++k) w[k] = simd(interior.at[k]);
    const index_t in_pitch = point_pitch_, out_pitch = pitch_;
    const R* at = points_ + (a + interior.first) * in_pitch + lane;
    R* to = rows_ + a * out_pitch + lane;
    values left = values::load(state_.left + lane), border = values::load(state_.border + lane);
    for (index_t i = a; i < b; ++i, n += step, at += in_pitch, to += out_pitch) {
      values r = values::load(at).times(Scaled ? w[0] * simd(n->scale) : w[0]);
      _Pragma("GCC unroll 16") for (int k = 1; k < count; ++k) r =
          r.plus(w[k], values::load(opaque(at + k * in_pitch)));
      if constexpr (Bordered) border = border.plus(simd(n->border), r);
      left = r.plus(simd(-n->below), left);
      left.store(to);
    }
    left.store(state_.left + lane);
    if (Bordered) border.store(state_.border + lane);
  }

  /// Returns the right-hand side of row i.
  template <bool Scaled>
  values right_side(int lane, index_t i) const {
    const weights<R>& w = t_.stencils.of(i);
    values sum = point(i + w.first, lane).times(simd(w.at[0]));
    for (int k = 1; k < w.count; ++k) {
      sum = sum.plus(simd(w.at[k]), point(i + w.first + k, lane));
    }
    return Scaled ? sum.times(simd(t_.scale(i))) : sum;
  }
  /// Returns the values of point p, on a periodic line also beyond its ends, around the others.
  values point(index_t p, int lane) const {
    if (lies_in_) p = p < 0 ? p + t_.points : p >= t_.points ? p - t_.points : p;
    return values::load(points_ + p * point_pitch_ + lane);
  }

  /// Does one row of the forward sweep, whatever it is.
  template <bool Scaled>
  __attribute__((noinline)) void eliminate(int lane, index_t i) {
    const row_numbers<R>& n = t_.number(i);
    R* const at = rows_ + i * pitch_ + lane;
    values left = values::load(state_.left + lane);
    values r = right_side<Scaled>(lane, i);
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
    const simd scale = simd(static_cast<R>(s_.s)) * simd(t_.last_scale);
    for_each_block([&](int lane) {
      const values r = t_.gathers ? right_side<true>(lane, last) : right_side<false>(lane, last);
      const values border = values::load(state_.border + lane);
      const values end = r.plus(simd(R(-1)), border).times(simd(t_.corner));
      end.store(state_.end + lane);
      (t_.gathers ? end : end.times(scale)).store(rows_ + last * pitch_ + lane);
    });
  }
  void put_last() const {
    const index_t last = t_.eliminated;
    // The backward sweep stages it with the rows before it, if there are any.
    if ((lies_out_ || last == 0) && !t_.gathers) put_staged(last, last + 1, rows_ + last * pitch_);
  }
  /// Stores rows k0 to k1 - 1 of the results; `rows` is where row k0 is.
  void put_staged(index_t k0, index_t k1, const R* rows) const {
    // Nothing is left to be solved: the buffer is free.
    if (k0 == 0 && k1 == t_.results && s_.in_one_piece) {
      return store_together(s_, k1, rows, rows_);
    }
    store(s_, k0, k1, rows, [&](int lane, index_t k) TRIDIA_LAMBDA {
      prefetch_.template results_beside<width<R>>(lane, k);
    });
  }

  // ---- backward ----

  template <bool Columned>
  void backward() {
    if (!lies_out_) return backward_to<Columned, destination::staged>();
    s_.accumulate ? backward_to<Columned, destination::sum>()
                  : backward_to<Columned, destination::array>();
  }
  template <bool Columned, destination Where>
  void backward_to() {
    t_.gathers ? gather_backward<Columned, Where>() : solve_backward<Columned, Where>();
  }

  /// Does all rows of an operator.
  template <bool Columned, destination Where>
  void solve_backward() {
    for_each_chunk_back<R>(s_, t_.eliminated, 0, [&](index_t k0, index_t k1) {
      staged_from_ = k0;
      for_each_visit_back(s_, k0, k1, [&](index_t v0, index_t v1) {
        for_each_block([&](int lane) {
          prefetch_.backward(lane, v0, v1);
          backward_rows<Columned, Where>(lane, v0, v1);
        });
      });
      // What is stored in one piece overwrites the rows.
      if (k0 == 0) search_.after_backward(state_);
      if (Where == destination::staged) put_staged(k0, with_last_row(k0, k1), results_);
    });
  }

  /// Adds the last row of a periodic line to staged rows k0 to k1 - 1, if it is the next one.
  /// Returns the end of all of them.
  index_t with_last_row(index_t k0, index_t k1) {
    if (!t_.periodic || k1 < t_.eliminated) return k1;
    std::memcpy(results_ + (k1 - k0) * pitch_, rows_ + k1 * pitch_,
                static_cast<std::size_t>(pitch_) * sizeof(R));
    return k1 + 1;
  }

  /// Does all rows of an adjoint's solve, and gathers its results.
  template <bool Columned, destination Where>
  void gather_backward() {
    // A periodic line's last results need the first rows of the solution.
    const bool at_once = !t_.periodic || t_.eliminated <= s_.visit;
    const index_t before = t_.gather_before, wrapping = at_once ? 0 : t_.gather_after;
    index_t done = t_.results - wrapping;  // Results from this one on are.
    const line_gather<R, Vectors> solution(t_, rows_, pitch_, static_cast<R>(s_.s), s_.nontemporal);
    const auto gather = [&](int lane, index_t a, index_t b) {
      solution.template gather<Where>(lane, a, b, place<Where>(lane, a), pitch_of(Where));
    };
    const auto ready = [&](index_t k) { return k == 0 ? 0 : std::min(done, k + before); };
    for_each_chunk_back<R>(s_, t_.eliminated, before, [&](index_t k0, index_t k1) {
      const index_t end = done;
      staged_from_ = ready(k0);
      for_each_visit_back(s_, k0, k1, [&](index_t v0, index_t v1) {
        const index_t from = ready(v0);
        for_each_block([&](int lane) {
          prefetch_.backward(lane, from, done);
          backward_rows<Columned, destination::kept>(lane, v0, v1);
          if (v0 == 0 && t_.periodic) solution.wrap(lane);
          gather(lane, from, done);
        });
        done = from;
      });
      if (Where == destination::staged) put_staged(done, end, results_);
    });
    if (wrapping == 0) return;
    staged_from_ = t_.results - wrapping;
    for_each_block([&](int lane) { gather(lane, staged_from_, t_.results); });
    if (Where == destination::staged) put_staged(staged_from_, t_.results, results_);
  }
  template <bool Columned, destination Where>
  void backward_rows(int lane, index_t k0, index_t k1) {
    const index_t from = t_.plain_back_from, to = std::max(t_.plain_back_to, from);
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
    const index_t pitch = pitch_, to_pitch = pitch_of(Where);
    const R* at = rows_ + (b - 1) * pitch + lane;
    R* to = place<Where>(lane, b - 1);
    values next = values::load(state_.next + lane);
    values zero = values::load(state_.zero + lane);
    const values end = values::load(state_.end + lane);
    for (index_t i = b; i > a; --i, n -= step, at -= pitch, to -= to_pitch) {
      next = values::load(at).times(simd(n->pivot)).plus(simd(-n->next), next);
      values x = next;
      if constexpr (Columned) {
        x = x.plus(simd(-n->column), end);
        zero = zero.plus(simd(R(0)), x);
      }
      if constexpr (Where != destination::kept) x = x.times(s * simd(n->scale));
      put<Where>(x, to, nontemporal);
    }
    next.store(state_.next + lane);
    if (Columned) zero.store(state_.zero + lane);
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
    if (n.columned) {
      x = x.plus(simd(-n.column), values::load(state_.end + lane));
      values::load(state_.zero + lane).plus(simd(R(0)), x).store(state_.zero + lane);
    }
    if (Where != destination::kept) x = x.times(simd(static_cast<R>(s_.s)) * simd(n.scale));
    put<Where>(x, place<Where>(lane, i), s_.nontemporal);
  }

  TRIDIA_FN index_t pitch_of(destination where) const {
    return is_in_buffer(where) ? pitch_ : s_.out_step;
  }
  template <destination Where>
  TRIDIA_FN R* place(int lane, index_t i) const {
    return Where == destination::kept ? rows_ + i * pitch_ + lane
           : Where == destination::staged
               ? results_ + (i - staged_from_) * pitch_ + lane
               : static_cast<R*>(s_.out) + s_.out_at[0] + lane + i * s_.out_step;
  }
  const tables<R>& t_;
  const line_group& s_;
  R* rows_;
  index_t pitch_;
  bool pieces_in_;           // rows of values are pieces of memory,
  bool lies_in_, lies_out_;  // and worked on there
  R* staged_;
  R* results_;               // a chunk of results, which are stored together,
  index_t staged_from_ = 0;  // from this one on
  const R* points_;
  index_t point_pitch_;
  line_prefetch<R, values::count> prefetch_;
  failure_search<R> search_;
  carried<R> state_;
};

}  // namespace
}  // namespace tridia::line_operator::cpu::TRIDIA_ISA
