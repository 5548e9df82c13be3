// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "line_operator/cpu/border_sums.hpp"
#include "line_operator/cpu/vector_block.hpp"

#include <algorithm>
#include <cstring>

namespace tridia::line_operator::cpu::TRIDIA_ISA {
// Like the sweeps (line_sweeps.hpp), this has internal linkage.
namespace {

/// Holds the values of fewer lines than a vector has lanes, as a vector_block holds those of more.
template <class R, int Lanes>
struct few_lines {
  using simd = R;
  static constexpr int count = Lanes;
  typedef R values __attribute__((vector_size(Lanes * sizeof(R))));
  values v;

  static TRIDIA_FN few_lines load(const R* p) {
    few_lines few;
    std::memcpy(&few.v, p, sizeof(values));
    return few;
  }
  static TRIDIA_FN few_lines zero() { return {values{}}; }
  TRIDIA_FN void store(R* p) const { std::memcpy(p, &v, sizeof(values)); }
  TRIDIA_FN few_lines plus(R factor, const few_lines& b) const { return {v + b.v * factor}; }
};

/// Computes sums over points near a border: those of a line as a vector, those of lines that lie
/// side by side as vectors of lines.
template <class R>
class border_summing {
 public:
  explicit border_summing(const border_sums<R>& s) : s_(s) {}

  void run() const {
    static_assert(sum_group::most == 4);
    if (s_.lines == 1) return sum_line();
    s_.sums == 1   ? sum_lines<1>()
    : s_.sums == 2 ? sum_lines<2>()
    : s_.sums == 3 ? sum_lines<3>()
                   : sum_lines<4>();
  }

 private:
  /// Calls f(first point, its weights, count) for the points before the lines' end, and for those
  /// at their beginning.
  template <class F>
  TRIDIA_FN void for_each_stretch(F f) const {
    const index_t before = std::min(s_.count, s_.points - s_.first);
    f(s_.in + s_.first * s_.step, s_.weights, before);
    if (before < s_.count) f(s_.in, s_.weights + before * sum_group::most, s_.count - before);
  }

  void sum_line() const {
    typedef R all_sums __attribute__((vector_size(sum_group::most * sizeof(R))));
    // So many additions are under way at once.
    constexpr int chains = 4;
    all_sums chain[chains] = {};
    const index_t step = s_.step;
    for_each_stretch([&](const R* at, const R* w, index_t count) TRIDIA_LAMBDA {
      const auto add = [&](all_sums& to, index_t k) TRIDIA_LAMBDA {
        all_sums weights;
        std::memcpy(&weights, w + k * sum_group::most, sizeof(weights));
        to += weights * at[k * step];
      };
      index_t k = 0;
      for (; k + chains <= count; k += chains) {
        _Pragma("GCC unroll 4") for (int c = 0; c < chains; ++c) add(chain[c], k + c);
      }
      for (; k < count; ++k) add(chain[0], k);
    });
    const all_sums total = (chain[0] + chain[1]) + (chain[2] + chain[3]);
    for (int j = 0; j < s_.sums; ++j) *s_.to[j] = total[j];
  }

  template <int Sums>
  void sum_lines() const {
    constexpr int lanes = width<R>;
    int line = 0;
    for (; line + 2 * lanes <= s_.lines; line += 2 * lanes) {
      sum_block<Sums, vector_block<R, 2>>(line);
    }
    if (s_.lines < lanes) return sum_few_lines<Sums, lanes / 2>(line);
    // Lines of the last vector may be some of the one before.
    for (; line < s_.lines; line += lanes) {
      sum_block<Sums, vector_block<R, 1>>(std::min(line, s_.lines - lanes));
    }
  }
  template <int Sums, int Lanes>
  void sum_few_lines(int line) const {
    if constexpr (Lanes > 0) {
      for (; line + Lanes <= s_.lines; line += Lanes) sum_block<Sums, few_lines<R, Lanes>>(line);
      sum_few_lines<Sums, Lanes / 2>(line);
    }
  }
  /// Computes the sums of lines from `line` on, whose values of a point `Block` holds.
  template <int Sums, class Block>
  __attribute__((noinline)) void sum_block(int line) const {
    using simd = typename Block::simd;
    Block all[Sums];
    for (Block& sum : all) sum = Block::zero();
    const index_t step = s_.step;
    for_each_stretch([&](const R* at, const R* w, index_t count) TRIDIA_LAMBDA {
      at += line;
      for (index_t k = 0; k < count; ++k, at += step, w += sum_group::most) {
        const Block v = Block::load(at);
        _Pragma("GCC unroll 4") for (int j = 0; j < Sums; ++j) all[j] = all[j].plus(simd(w[j]), v);
      }
    });
    alignas(64) R numbers[Block::count];
    for (int j = 0; j < Sums; ++j) {
      all[j].store(numbers);
      std::copy_n(numbers, Block::count, s_.to[j] + line);
    }
  }

  const border_sums<R>& s_;
};

}  // namespace
}  // namespace tridia::line_operator::cpu::TRIDIA_ISA
