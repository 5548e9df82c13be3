// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "core/complex.hpp"
#include "core/recurrence.hpp"

// What a scan over the chunks of a line (core/recurrence.hpp) needs of its matrix, and whether a
// scan is sound, found by a team of threads: `rank()`, `size()`, `wait()`, a barrier. Factors come
// as `rows.lower(k)`, `inverse(k)`, `upper(k)`, k below `rows.count()`.
namespace tridia::core {

/// A line in chunks of `rows` rows, the last one filled up with rows that pass on what comes in.
/// Products are of 2^i chunks, i below `steps`.
struct chunk_cut {
  int rows, chunks, steps;

  [[nodiscard]] TRIDIA_FN int values() const { return 3 * rows * chunks; }
  [[nodiscard]] TRIDIA_FN int products() const { return 2 * steps * chunks; }
};

/// Chunk after chunk: `lower` of its rows, then `inverse`, then `upper`.
template <class V, class Rows, class Team>
TRIDIA_FN void cut_values(const chunk_cut& cut, const Rows& rows, V* values, const Team& team) {
  for (int k = team.rank(); k < cut.chunks * cut.rows; k += team.size()) {
    const bool inside = k < rows.count();
    V* const at = values + k + k / cut.rows * 2 * cut.rows;
    at[0] = inside ? rows.lower(k) : V(-1);
    at[cut.rows] = inside ? rows.inverse(k) : V(0);
    at[2 * cut.rows] = inside ? rows.upper(k) : V(-1);
  }
}

/// What 2^i chunks, of which chunk q is the last, multiply what comes in by, negated: down, then
/// back, for each i the chunks in order. Products of fewer where the line has no more. Ends with a
/// barrier.
template <class V, class Rows, class Team>
TRIDIA_FN void cut_products(const chunk_cut& cut, const Rows& rows, V* minus, const Team& team) {
  V* const minus_back = minus + cut.steps * cut.chunks;
  for (int q = team.rank(); q < cut.chunks; q += team.size()) {
    const int k0 = q * cut.rows, left = rows.count() - k0, n = left < cut.rows ? left : cut.rows;
    minus[q] = -chunk_factor<V>(n, [&](int i) { return rows.lower(k0 + i); });
    minus_back[q] = -chunk_factor<V>(n, [&](int i) { return rows.upper(k0 + i); });
  }
  team.wait();
  for (int i = 1; i < cut.steps; ++i) {
    const int reach = 1 << (i - 1);
    const V *const down = minus + (i - 1) * cut.chunks, *const back =
                                                            minus_back + (i - 1) * cut.chunks;
    for (int q = team.rank(); q < cut.chunks; q += team.size()) {
      const bool follows = q >= reach, leads = q + reach < cut.chunks;
      minus[i * cut.chunks + q] = follows ? -(down[q] * down[q - reach]) : down[q];
      minus_back[i * cut.chunks + q] = leads ? -(back[q] * back[q + reach]) : back[q];
    }
    team.wait();
  }
}

/// The largest product of some neighbouring numbers, none of which is negative: how much two
/// recurrences with such factors amplify a rounding error at most. At least 1, the product of none.
/// What overflows is infinite, not NaN.
template <class R>
class largest_product {
 public:
  TRIDIA_FN largest_product() : all_(1), first_(1), last_(1), largest_(1) {}
  TRIDIA_FN explicit largest_product(R of_one)
      : all_(of_one), first_(larger(R(1), of_one)), last_(first_), largest_(first_) {}

  /// Of these numbers and those that follow them.
  [[nodiscard]] TRIDIA_FN largest_product then(const largest_product& next) const {
    largest_product both;
    both.all_ = all_ * next.all_;
    both.first_ = larger(first_, all_ * next.first_);
    both.last_ = larger(next.last_, next.all_ * last_);
    both.largest_ = larger(larger(largest_, next.largest_), last_ * next.first_);
    return both;
  }
  [[nodiscard]] TRIDIA_FN R value() const { return largest_; }

 private:
  /// Of a number and one that may be NaN, as 0 times infinity is.
  static TRIDIA_FN R larger(R a, R b) { return b > a ? b : a; }

  R all_, first_, last_, largest_;  // products: of all, of first ones, of last ones, of any
};

/// |a|^2.
TRIDIA_FN float squared(float a) { return a * a; }
TRIDIA_FN double squared(double a) { return a * a; }
template <class R>
TRIDIA_FN R squared(const complex<R>& a) {
  return add_mul(a.re * a.re, a.im, a.im);
}

/// Whether no rounding error grows by more than `growth` on its way down or back; the same for
/// every thread. `memory`: for 2 `chunks`, shared by the team.
template <class Rows, class R, class Team>
TRIDIA_FN bool stays_calm(const chunk_cut& cut, const Rows& rows, int growth,
                          largest_product<R>* memory, const Team& team) {
  largest_product<R>* const back = memory + cut.chunks;
  for (int q = team.rank(); q < cut.chunks; q += team.size()) {
    largest_product<R> of_lower, of_upper;
    for (int k = q * cut.rows; k < (q + 1) * cut.rows && k < rows.count(); ++k) {
      of_lower = of_lower.then(largest_product<R>(squared(rows.lower(k))));
      of_upper = of_upper.then(largest_product<R>(squared(rows.upper(k))));
    }
    memory[q] = of_lower, back[q] = of_upper;
  }
  team.wait();
  for (int d = 1; d < cut.chunks; d *= 2) {
    for (int q = 2 * d * team.rank(); q + d < cut.chunks; q += 2 * d * team.size()) {
      memory[q] = memory[q].then(memory[q + d]);
      back[q] = back[q].then(back[q + d]);
    }
    team.wait();
  }
  const R bound = R(growth) * R(growth);
  return memory[0].value() <= bound && back[0].value() <= bound;
}

/// The factors of an elimination E, as far as it made no interchanges, as recurrences: `words` has
/// those that are kept of each row, lower, then upper.
template <class V, class E>
class kept_recurrences {
 public:
  TRIDIA_FN kept_recurrences(const V* words, int rows) : words_(words), rows_(rows) {}
  [[nodiscard]] TRIDIA_FN int count() const { return rows_; }
  [[nodiscard]] TRIDIA_FN V lower(int k) const { return k == 0 ? V(0) : lower_of(k - 1).below; }
  [[nodiscard]] TRIDIA_FN V inverse(int k) const { return lower_of(k).w; }
  [[nodiscard]] TRIDIA_FN V upper(int k) const {
    typename E::upper u;
    u.get(row(k) + E::lower_words);
    return u.next;
  }
  /// Whether eliminating column k took the row below it first.
  [[nodiscard]] TRIDIA_FN bool interchanged(int k) const {
    if constexpr (requires { lower_of(k).swapped; }) {
      return lower_of(k).swapped;
    } else {
      return false;
    }
  }

 private:
  [[nodiscard]] TRIDIA_FN const V* row(int k) const {
    return words_ + k * (E::lower_words + E::upper_words);
  }
  [[nodiscard]] TRIDIA_FN typename E::lower lower_of(int k) const {
    typename E::lower l;
    l.get(row(k));
    return l;
  }

  const V* words_;
  int rows_;
};

}  // namespace tridia::core
