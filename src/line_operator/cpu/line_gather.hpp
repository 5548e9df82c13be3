// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "cpu/lane_copy.hpp"
#include "line_operator/cpu/operator_tables.hpp"
#include "line_operator/cpu/vector_block.hpp"

#include <algorithm>
#include <type_traits>

namespace tridia::line_operator::cpu::TRIDIA_ISA {

using tridia::cpu::TRIDIA_ISA::accumulate;
using tridia::cpu::TRIDIA_ISA::overwrite;

// Like the sweeps (line_sweeps.hpp), this has internal linkage.
namespace {

/// Says where the solution goes: directly into the array where rows lie side by side, so that
/// stores overlap the arithmetic, or added to its values; otherwise among the staged results, from
/// which a chunk at a time is stored; or, as the adjoint needs it, it stays in the buffer as it is.
enum class destination : char { array, sum, staged, kept };

constexpr bool is_in_buffer(destination where) {
  return where == destination::staged || where == destination::kept;
}

/// Puts values where they go, past the cache where asked for.
template <destination Where, class R, int Vectors>
TRIDIA_FN void put(const vector_block<R, Vectors>& x, R* to, bool nontemporal) {
  if constexpr (is_in_buffer(Where)) {
    x.store(to);
  } else if constexpr (Where == destination::sum) {
    x.store(to, accumulate{});
  } else {
    x.store(to, overwrite{nontemporal});
  }
}

/// Calls f with the number of weights as a constant, for loops that keep them in registers; 0: more
/// than those of any scheme of the library.
template <class F>
void with_count(int count, F f) {
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

/// Gathers the results of an adjoint from the solution, which lies in the buffer: row 0 at `rows`,
/// each next one `pitch` values after.
template <class R, int Vectors>
class line_gather {
 public:
  line_gather(const tables<R>& t, R* rows, index_t pitch, R factor, bool nontemporal)
      : t_(t), rows_(rows), pitch_(pitch), factor_(factor), nontemporal_(nontemporal) {}

  /// Copies the ends of a periodic solution around it.
  void wrap(int lane) const {
    const auto copy = [&](index_t to, index_t from) {
      values::load(rows_ + from * pitch_ + lane).store(rows_ + to * pitch_ + lane);
    };
    for (index_t i = 1; i <= t_.gather_before; ++i) copy(-i, t_.rows - i);
    for (index_t i = 0; i < t_.gather_after; ++i) copy(t_.rows + i, i);
  }

  /// Gathers results a to b - 1 of some lanes; result a goes to `to`, each next one `to_pitch`
  /// values after.
  template <destination Where>
  void gather(int lane, index_t a, index_t b, R* to, index_t to_pitch) const {
    const stencil_table<R>& all = t_.gather;
    const auto one = [&](index_t j) {
      gather_rows<0, Where>(all.of(j), lane, j, j + 1, to + (j - a) * to_pitch, to_pitch);
    };
    const index_t tail = std::max(all.rows - all.tails, a);
    index_t j = a;
    for (; j < b && j < all.heads; ++j) one(j);
    if (j < b && j < tail) {
      const index_t end = std::min(b, tail);
      with_count(all.interior.count, [&](auto count) {
        gather_rows<decltype(count)::value, Where>(all.interior, lane, j, end,
                                                   to + (j - a) * to_pitch, to_pitch);
      });
      j = end;
    }
    for (; j < b; ++j) one(j);
  }

 private:
  using values = vector_block<R, Vectors>;
  using simd = typename values::simd;

  /// Gathers results whose stencil has `Count` weights, or any number of them if that is 0.
  template <int Count, destination Where>
  __attribute__((noinline)) void gather_rows(const weights<R>& stencil, int lane, index_t a,
                                             index_t b, R* to, index_t to_pitch) const {
    constexpr int count = Count > 0 ? Count : 1;
    simd w[count];
    _Pragma("GCC unroll 16") for (int k = 0; k < count; ++k) w[k] = simd(stencil.at[k]);
    const simd s(factor_);
    const bool nontemporal = nontemporal_;
    const index_t pitch = pitch_;
    const R* at = rows_ + (a + stencil.first) * pitch + lane;
    for (index_t j = a; j < b; ++j, at += pitch, to += to_pitch) {
      values sum = values::load(at).times(w[0]);
      _Pragma("GCC unroll 16") for (int k = 1; k < count; ++k) sum =
          sum.plus(w[k], values::load(opaque(at + k * pitch)));
      for (int k = 1; Count == 0 && k < stencil.count; ++k) {
        sum = sum.plus(simd(stencil.at[k]), values::load(at + k * pitch));
      }
      put<Where>(sum.times(s), to, nontemporal);
    }
  }

  const tables<R>& t_;
  R* rows_;
  index_t pitch_;
  R factor_;
  bool nontemporal_;
};

}  // namespace
}  // namespace tridia::line_operator::cpu::TRIDIA_ISA
