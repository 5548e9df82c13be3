// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause

// Compiled once for each instruction set and real type: TRIDIA_ISA and TRIDIA_VALUE are given.
#include "compact/cpu/kernel_table.hpp"
#include "compact/cpu/stage.hpp"

#include <cstring>

// A strip of lines: loaded into the buffer a chunk at a time, down through the stencil and the
// elimination, back through the substitution, stored. What is left of row i overwrites the buffer's
// row i, `front` rows behind the values that stencils still need.
namespace tridia::compact::cpu::TRIDIA_ISA {
namespace {

/// `M` vectors side by side: as many additions are under way at once.
template <class R, int M>
struct block {
  using simd = stdx::native_simd<R>;
  static constexpr int count = M * width<R>;
  simd v[M];

  static TRIDIA_FN block load(const R* p) {
    block b;
    _Pragma("GCC unroll 8") for (int i = 0; i < M; ++i) b.v[i].copy_from(p + i * width<R>,
                                                                         stdx::vector_aligned);
    return b;
  }
  TRIDIA_FN void store(R* p) const {
    _Pragma("GCC unroll 8") for (int i = 0; i < M; ++i) v[i].copy_to(p + i * width<R>,
                                                                     stdx::vector_aligned);
  }
  static TRIDIA_FN block zero() {
    block b;
    for (simd& part : b.v) part = simd(R(0));
    return b;
  }
  /// this + f b
  TRIDIA_FN block plus(R f, const block& b) const {
    block r;
    const simd factor(f);
    _Pragma("GCC unroll 8") for (int i = 0; i < M; ++i) r.v[i] =
        tridia::cpu::TRIDIA_ISA::fused(v[i], factor, b.v[i]);
    return r;
  }
  TRIDIA_FN block times(R f) const {
    block r;
    const simd factor(f);
    _Pragma("GCC unroll 8") for (int i = 0; i < M; ++i) r.v[i] = v[i] * factor;
    return r;
  }
};

constexpr int vectors = 4;

/// What goes from one chunk to the next, in every lane.
template <class R>
struct alignas(64) carried {
  R left[most_lanes], border[most_lanes];                  // on the way down
  R next[most_lanes], after[most_lanes], end[most_lanes];  // and back
};

/// A strip of lines on its way.
template <class R>
class passage {
 public:
  using values = block<R, vectors>;

  passage(const tables<R>& t, const strip& s, R* buffer)
      : t_(t),
        s_(s),
        rows_(buffer),
        points_(buffer + t.front * s.lanes),
        pitch_(s.lanes),
        direct_(s.out_step != 1 && s.live == s.lanes && run_from(s.out_at, 0, s.live) == s.live) {}

  void run() {
    for_each_block([&](int lane) {
      values::zero().store(state_.left + lane);
      values::zero().store(state_.border + lane);
      values::zero().store(state_.next + lane);
      values::zero().store(state_.after + lane);
      values::zero().store(state_.end + lane);
    });
    descend();
    if (t_.periodic) close();
    ascend();
  }

 private:
  template <class F>
  TRIDIA_FN void for_each_block(F f) const {
    for (int lane = 0; lane < s_.lanes; lane += values::count) f(lane);
  }

  void copy(index_t to, index_t from, index_t rows) const {
    std::memcpy(points_ + to * pitch_, points_ + from * pitch_,
                static_cast<std::size_t>(rows * pitch_) * sizeof(R));
  }

  /// Loads a chunk, then goes through the rows whose values are all there.
  void descend() {
    load_given(s_, t_.given, rows_ + t_.given_at * pitch_);
    if (t_.before > 0) {
      load(s_, t_.points - t_.before, t_.points, points_);
      copy(-t_.before, t_.points - t_.before, t_.before);
    }
    index_t done = 0;
    for (index_t p0 = 0, p1; p0 < t_.points; p0 = p1) {
      // The first values are needed once more at the end, when they have been overwritten.
      p1 = p0 == 0 && t_.behind > s_.chunk ? t_.behind : p0 + s_.chunk;
      p1 = p1 < t_.points ? p1 : t_.points;
      load(s_, p0, p1, points_);
      if (p0 == 0) copy(t_.points, 0, t_.behind);
      index_t ready = p1 == t_.points ? t_.eliminated : p1 - t_.ahead;
      ready = ready < t_.eliminated ? ready : t_.eliminated;
      if (ready <= done) continue;
      for_each_block([&](int lane) { down(lane, done, ready); });
      done = ready;
    }
  }

  /// The last row of a periodic line.
  void close() {
    const index_t last = t_.eliminated;
    for_each_block([&](int lane) {
      const values border = values::load(state_.border + lane);
      const values end = right_side(t_.interior, lane, last).plus(R(-1), border).times(t_.corner);
      end.store(state_.end + lane);
      end.times(static_cast<R>(s_.s) * t_.last_scale).store(rows_ + last * pitch_ + lane);
    });
    store(s_, last, last + 1, rows_);
  }

  /// Chunks begin where cache lines of the result do, if lines are contiguous.
  void ascend() {
    constexpr index_t line = 64 / sizeof(R);
    const auto past = static_cast<index_t>(
        (reinterpret_cast<std::uintptr_t>(s_.out) / sizeof(R) + s_.out_at[0]) % line);
    const index_t first = (line - past) % line;
    for (index_t k1 = t_.eliminated, k0; k1 > 0; k1 = k0) {
      k0 = k1 > first ? first + (k1 - 1 - first) / s_.chunk * s_.chunk : 0;
      for_each_block([&](int lane) { back(lane, k0, k1); });
      if (!direct_) store(s_, k0, k1, rows_);
    }
  }

  TRIDIA_FN values right_side(const weights<R>& w, int lane, index_t i) const {
    const R* at = points_ + (i + w.first) * pitch_ + lane;
    values sum = values::load(at).times(w.at[0]);
    for (int k = 1; k < w.count; ++k) {
      at += pitch_;
      sum = sum.plus(w.at[k], values::load(at));
    }
    return sum;
  }

  /// One row on the way down; `left` is what is left of the one above.
  TRIDIA_FN void eliminate(const weights<R>& w, int lane, index_t i, values& left,
                           values& border) const {
    const row_numbers<R>& n = t_.number(i);
    R* const at = rows_ + i * pitch_ + lane;
    values r = right_side(w, lane, i);
    if (n.bordered) border = border.plus(n.border, r);
    if (n.swapped) {
      r.store(at - pitch_);
      const values above = left;
      left = r;
      r = above;
    }
    left = r.plus(-n.below, left);
    left.store(at);
    ask_ahead<R>(s_, t_.points, lane, values::count, i);
  }

  void down(int lane, index_t k0, index_t k1) {
    values left = values::load(state_.left + lane), border = values::load(state_.border + lane);
    const index_t tail = t_.eliminated - t_.tails;
    const index_t inner = tail < k1 ? tail : k1;
    index_t i = k0;
    for (; i < t_.heads && i < k1; ++i) eliminate(t_.head[i], lane, i, left, border);
    for (; i < inner; ++i) eliminate(t_.interior, lane, i, left, border);
    for (; i < k1; ++i) eliminate(t_.tail[i - tail], lane, i, left, border);
    left.store(state_.left + lane);
    border.store(state_.border + lane);
  }

  void back(int lane, index_t k0, index_t k1) {
    values next = values::load(state_.next + lane), after = values::load(state_.after + lane);
    const values end = values::load(state_.end + lane);
    const R s = static_cast<R>(s_.s);
    for (index_t i = k1; i-- > k0;) {
      const row_numbers<R>& n = t_.number(i);
      R* const at = rows_ + i * pitch_ + lane;
      values x = values::load(at).times(n.pivot);
      if (n.fills) x = x.plus(-n.fill, after);
      x = x.plus(-n.next, next);
      after = next;
      next = x;
      if (n.columned) x = x.plus(-n.column, end);
      const values result = x.times(s * n.scale);
      direct_ ? put(result, lane, i) : result.store(at);
    }
    next.store(state_.next + lane);
    after.store(state_.after + lane);
  }

  /// Straight to where results lie side by side: the stores go on beside the arithmetic.
  TRIDIA_FN void put(const values& x, int lane, index_t i) const {
    R* const to = static_cast<R*>(s_.out) + s_.out_at[0] + lane + i * s_.out_step;
    for (int v = 0; v < vectors; ++v) {
      const auto part = tridia::cpu::TRIDIA_ISA::native(x.v[v]);
      s_.accumulate ? put_piece<R, true>(to + v * width<R>, part, s_.stream)
                    : put_piece<R, false>(to + v * width<R>, part, s_.stream);
    }
  }

  const tables<R>& t_;
  const strip& s_;
  R *rows_, *points_;
  index_t pitch_;
  bool direct_;
  carried<R> state_;
};

template <class R>
void apply(const tables<R>& t, const strip& s, R* buffer) {
  passage<R>(t, s, buffer).run();
#if defined(__x86_64__)
  // What went past the cache is in order with what other threads are told afterwards.
  if (s.stream) _mm_sfence();
#endif
}

}  // namespace

kernels<TRIDIA_VALUE> TRIDIA_TABLE() {
  using R = TRIDIA_VALUE;
  return {block<R, vectors>::count, apply<R>};
}

}  // namespace tridia::compact::cpu::TRIDIA_ISA
