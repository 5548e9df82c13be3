// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "core/complex.hpp"
#include "core/recurrence.hpp"

#include <cmath>
#include <limits>

// What a scan over the chunks of a line (core/recurrence.hpp) needs of its matrix, and whether a
// scan is sound, found by a team of threads: `rank()`, `size()`, `wait()`, a barrier. Factors come
// as `rows.lower(k)`, `inverse(k)`, `upper(k)`, k below `rows.count()`.
namespace tridia::core {

/// A line in chunks of `rows` rows, the last one filled up with rows that pass on what comes in.
/// Products are of 2^i chunks, i below `steps`.
struct chunk_cut {
  int rows, chunks, steps;

  [[nodiscard]] TRIDIA_FN int values() const { return 3 * rows * chunks; }
  /// Of row k's `lower`; `inverse` and `upper` are `rows` after each other.
  [[nodiscard]] TRIDIA_FN int place(int k) const { return k + k / rows * 2 * rows; }
  [[nodiscard]] TRIDIA_FN int products() const { return 2 * steps * chunks; }
};

/// Chunk after chunk: `lower` of its rows, then `inverse`, then `upper`.
template <class V, class Rows, class Team>
TRIDIA_FN void cut_values(const chunk_cut& cut, const Rows& rows, V* values, const Team& team) {
  for (int k = team.rank(); k < cut.chunks * cut.rows; k += team.size()) {
    const bool inside = k < rows.count();
    V* const at = values + cut.place(k);
    at[0] = inside ? rows.lower(k) : V(-1);
    at[cut.rows] = inside ? rows.inverse(k) : V(0);
    at[2 * cut.rows] = inside ? rows.upper(k) : V(-1);
  }
}

/// The same rows again, from what `cut_values` has made of them.
template <class V>
class cut_rows {
 public:
  TRIDIA_FN cut_rows(const chunk_cut& cut, const V* values, int count)
      : cut_(cut), values_(values), count_(count) {}
  [[nodiscard]] TRIDIA_FN int count() const { return count_; }
  [[nodiscard]] TRIDIA_FN V lower(int k) const { return *place(k); }
  [[nodiscard]] TRIDIA_FN V inverse(int k) const { return place(k)[cut_.rows]; }
  [[nodiscard]] TRIDIA_FN V upper(int k) const { return place(k)[2 * cut_.rows]; }

 private:
  [[nodiscard]] TRIDIA_FN const V* place(int k) const { return values_ + cut_.place(k); }
  chunk_cut cut_;
  const V* values_;
  int count_;
};

/// What `n` rows multiply what comes in by; `factor(i)`: lower, or upper, of row i. Factors are
/// read some at a time: they lie in memory, and each would else be waited for by itself.
template <class V, class Factor>
TRIDIA_FN V product_through(int n, Factor factor) {
  constexpr int ahead = 8;
  V product(1);
  for (int first = 0; first < n; first += ahead) {
    V some[ahead];
    TRIDIA_UNROLL
    for (int i = 0; i < ahead; ++i) some[i] = first + i < n ? factor(first + i) : V(-1);
    product = product * chunk_factor<V>(ahead, [&](int i) { return some[i]; });
  }
  return product;
}

/// What 2^i chunks, of which chunk q is the last, multiply what comes in by, negated: down, then
/// back, for each i the chunks in order. Products of fewer where the line has no more. Ends with a
/// barrier.
template <class V, class Rows, class Team>
TRIDIA_FN void cut_products(const chunk_cut& cut, const Rows& rows, V* minus, const Team& team) {
  V* const minus_back = minus + cut.steps * cut.chunks;
  for (int q = team.rank(); q < cut.chunks; q += team.size()) {
    const int k0 = q * cut.rows, left = rows.count() - k0, n = left < cut.rows ? left : cut.rows;
    minus[q] = -product_through<V>(n, [&](int i) { return rows.lower(k0 + i); });
    minus_back[q] = -product_through<V>(n, [&](int i) { return rows.upper(k0 + i); });
  }
  team.wait();
  for (int i = 1; i < cut.steps; ++i) {
    const int reach = 1 << (i - 1);
    const V* const down = minus + (i - 1) * cut.chunks;
    const V* const back = minus_back + (i - 1) * cut.chunks;
    for (int q = team.rank(); q < cut.chunks; q += team.size()) {
      const bool follows = q >= reach, leads = q + reach < cut.chunks;
      minus[i * cut.chunks + q] = follows ? -(down[q] * down[q - reach]) : down[q];
      minus_back[i * cut.chunks + q] = leads ? -(back[q] * back[q + reach]) : back[q];
    }
    team.wait();
  }
}

/// The largest product of some neighbouring numbers, none of which is negative: how much a
/// recurrence with such factors amplifies a rounding error at most. At least 1, the product of
/// none. Infinite where a number is not one, or a product overflows.
template <class R>
class largest_product {
 public:
  TRIDIA_FN largest_product() : all_(1), first_(1), last_(1), largest_(1) {}
  TRIDIA_FN explicit largest_product(R of_one)
      : all_(of_one >= R(0) ? of_one : std::numeric_limits<R>::infinity()),
        first_(larger(R(1), all_)),
        last_(first_),
        largest_(first_) {}

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

TRIDIA_FN float modulus(float a) { return magnitude(a); }
TRIDIA_FN double modulus(double a) { return magnitude(a); }
TRIDIA_FN float modulus(const complex<float>& a) { return ::hypotf(a.re, a.im); }
TRIDIA_FN double modulus(const complex<double>& a) { return ::hypot(a.re, a.im); }

/// How much the two recurrences of some rows amplify rounding errors, each in the units of
/// right-hand sides and in those of x: a pivot apart. What is small in either of them is harmless,
/// so that neither rows nor columns that are much larger than their neighbours count as growth.
template <class R>
struct amplification {
  largest_product<R> down[2], back[2];
  R least = std::numeric_limits<R>::infinity(), most = R(0);  // |1 / pivot|: how far units differ
  R apart{};  // an odd number of words, so that those of neighbouring threads lie in other banks

  [[nodiscard]] TRIDIA_FN amplification then(const amplification& next) const {
    return {{down[0].then(next.down[0]), down[1].then(next.down[1])},
            {back[0].then(next.back[0]), back[1].then(next.back[1])},
            next.least < least ? next.least : least,
            next.most > most ? next.most : most};
  }
  /// Tables hold products in the units of the factors alone: where those of x are so far away that
  /// what counts in them may underflow there, or overflow, that is not below any bound.
  [[nodiscard]] TRIDIA_FN bool is_below(R bound) const {
    constexpr R range = std::numeric_limits<R>::epsilon() / std::numeric_limits<R>::min();
    return most <= range * least && (down[0].value() <= bound || down[1].value() <= bound) &&
           (back[0].value() <= bound || back[1].value() <= bound);
  }
};

/// Of row k, or of what goes from it to its neighbours.
template <class R, class Rows>
TRIDIA_FN amplification<R> amplification_of_row(const Rows& rows, int k) {
  using product = largest_product<R>;
  const R lower = modulus(rows.lower(k)), upper = modulus(rows.upper(k));
  const R here = modulus(rows.inverse(k));
  // 1 in front of the first row and after the last one, whose factors are 0.
  const R before = k > 0 ? modulus(rows.inverse(k - 1)) : R(1);
  const R after = k + 1 < rows.count() ? modulus(rows.inverse(k + 1)) : R(1);
  return {{product(lower), product(lower * here / before)},
          {product(upper), product(upper * after / here)},
          here,
          here};
}

/// Whether rounding errors grow by no more than `growth`; the same for every thread. `memory`: for
/// as many as there are threads, shared by them.
template <class Rows, class R, class Team>
TRIDIA_FN bool growth_is_bounded(const Rows& rows, int growth, amplification<R>* memory,
                                 const Team& team) {
  const int of_thread = (rows.count() + team.size() - 1) / team.size();
  const int first = team.rank() * of_thread, end = first + of_thread;
  amplification<R> mine{};
  for (int k = first; k < end && k < rows.count(); ++k) {
    mine = mine.then(amplification_of_row<R>(rows, k));
  }
  memory[team.rank()] = mine;
  team.wait();
  for (int d = 1; d < team.size(); d *= 2) {
    const int at = 2 * d * team.rank();
    if (at + d < team.size()) memory[at] = memory[at].then(memory[at + d]);
    team.wait();
  }
  return memory[0].is_below(R(growth));
}

/// The factors of an elimination E, as far as it made no interchanges, as recurrences: `words` has
/// those that are kept of each row, lower, then upper.
template <class V, class E>
class factored_recurrences {
 public:
  TRIDIA_FN factored_recurrences(const V* values, int rows) : values_(values), rows_(rows) {}
  [[nodiscard]] TRIDIA_FN int count() const { return rows_; }
  [[nodiscard]] TRIDIA_FN V lower(int k) const { return k == 0 ? V(0) : lower_of(k - 1).below; }
  [[nodiscard]] TRIDIA_FN V inverse(int k) const { return lower_of(k).w; }
  [[nodiscard]] TRIDIA_FN V upper(int k) const {
    typename E::upper u;
    u.get(row(k) + E::lower_values);
    return u.next;
  }
  /// Whether eliminating column k took the row below it first.
  [[nodiscard]] TRIDIA_FN bool interchanged(int k) const {
    if constexpr (requires(typename E::lower l) { l.swapped; }) {
      return lower_of(k).swapped;
    } else {
      return false;
    }
  }

 private:
  [[nodiscard]] TRIDIA_FN const V* row(int k) const {
    return values_ + k * (E::lower_values + E::upper_values);
  }
  [[nodiscard]] TRIDIA_FN typename E::lower lower_of(int k) const {
    typename E::lower l;
    l.get(row(k));
    return l;
  }

  const V* values_;
  int rows_;
};

}  // namespace tridia::core
