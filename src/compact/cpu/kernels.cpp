// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause

// Compiled once for each instruction set and real type: TRIDIA_ISA and TRIDIA_VALUE are given.
#include "compact/cpu/kernel_table.hpp"
#include "compact/cpu/stage.hpp"

// A strip of lines: loaded into the buffer, down through the stencil and the elimination, back
// through the substitution, stored. Row i's remainder overwrites the buffer's row i, `front` rows
// behind the values that stencils still need.
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

/// The lines of one block of a strip's lanes.
template <class R, int M>
class lines {
 public:
  using values = block<R, M>;

  lines(const tables<R>& t, R* buffer, index_t pitch) : t_(t), rows_(buffer), pitch_(pitch) {}

  void run(R s) {
    const index_t last = t_.eliminated;
    down(last);
    values end{};
    if (t_.periodic) {
      end = right_side(t_.interior, last).plus(R(-1), border_).times(t_.corner);
    }
    back(last, s, end);
    if (t_.periodic) end.times(s * t_.last_scale).store(rows_ + last * pitch_);
  }

 private:
  TRIDIA_FN values right_side(const weights<R>& w, index_t i) const {
    const R* at = rows_ + (t_.front + i + w.first) * pitch_;
    values sum = values::load(at).times(w.at[0]);
    for (int k = 1; k < w.count; ++k) {
      at += pitch_;
      sum = sum.plus(w.at[k], values::load(at));
    }
    return sum;
  }

  /// One row on the way down; `left` is what is left of the one above.
  TRIDIA_FN void eliminate(const weights<R>& w, index_t i, values& left) {
    const row_numbers<R>& n = t_.numbers[i];
    values r = right_side(w, i);
    if (n.bordered) border_ = border_.plus(n.border, r);
    if (n.swapped) {
      r.store(rows_ + (i - 1) * pitch_);
      const values above = left;
      left = r;
      r = above;
    }
    left = r.plus(-n.below, left);
    left.store(rows_ + i * pitch_);
  }

  void down(index_t last) {
    values left = values::zero();
    border_ = values::zero();
    index_t i = 0;
    for (; i < t_.heads; ++i) eliminate(t_.head[i], i, left);
    for (; i < last - t_.tails; ++i) eliminate(t_.interior, i, left);
    for (; i < last; ++i) eliminate(t_.tail[i - (last - t_.tails)], i, left);
  }

  void back(index_t last, R s, const values& end) {
    values next = values::zero(), after = values::zero();
    for (index_t i = last; i-- > 0;) {
      const row_numbers<R>& n = t_.numbers[i];
      R* const at = rows_ + i * pitch_;
      values x = values::load(at).times(n.pivot);
      if (n.fills) x = x.plus(-n.fill, after);
      x = x.plus(-n.next, next);
      after = next;
      next = x;
      if (n.columned) x = x.plus(-n.column, end);
      x.times(s * n.scale).store(at);
    }
  }

  const tables<R>& t_;
  R* rows_;
  index_t pitch_;
  values border_{};
};

/// A periodic line's neighbours, on both sides.
template <class R>
void wrap(const tables<R>& t, index_t lanes, R* buffer) {
  const auto copy = [&](index_t to, index_t from, index_t rows) {
    std::memcpy(buffer + (t.front + to) * lanes, buffer + (t.front + from) * lanes,
                static_cast<std::size_t>(rows * lanes) * sizeof(R));
  };
  copy(-t.before, t.points - t.before, t.before);
  copy(t.points, 0, t.behind);
}

constexpr int vectors = 4;

template <class R>
void apply(const tables<R>& t, const strip& s, R* buffer) {
  load(s, t.points, buffer + t.front * s.lanes);
  if (t.periodic) wrap(t, s.lanes, buffer);
  for (int lane = 0; lane < s.lanes; lane += block<R, vectors>::count) {
    lines<R, vectors>(t, buffer + lane, s.lanes).run(static_cast<R>(s.s));
  }
  store(s, t.rows, buffer);
}

}  // namespace

kernels<TRIDIA_VALUE> TRIDIA_TABLE() {
  using R = TRIDIA_VALUE;
  return {block<R, vectors>::count, apply<R>};
}

}  // namespace tridia::compact::cpu::TRIDIA_ISA
