// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "core/complex.hpp"
#include "core/recurrence.hpp"

#include <cmath>
#include <limits>

// These functions find the tables of a matrix that a scan over the chunks of a line needs
// (core/recurrence.hpp), and whether a scan is accurate. A team of threads does this: `rank()`,
// `size()`, and `wait()`, a barrier; `all(b)`, a barrier that returns whether b is true for all.
// Factors come as `rows.lower(k)`, `inverse(k)`, `upper(k)`, k below `rows.count()`.
namespace tridia::core {

/// Describes a line cut into chunks of `rows` rows; the last chunk is padded with rows that pass on
/// the value that comes in. Products are of 2^i chunks, i below `steps`.
struct chunk_cut {
  int rows, chunks, steps;

  [[nodiscard]] TRIDIA_FN int values() const { return 3 * rows * chunks; }
  /// Returns the place of row k's `lower`; `inverse` is `rows` places after it, and `upper` as many
  /// after that.
  [[nodiscard]] TRIDIA_FN int place(int k) const { return k + k / rows * 2 * rows; }
  [[nodiscard]] TRIDIA_FN int products() const { return 2 * steps * chunks; }
};

/// Writes the factors chunk after chunk: `lower` of its rows, then `inverse`, then `upper`.
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

/// Gives rows from `first` on.
template <class Rows>
struct rows_from {
  const Rows& rows;
  int first;
  [[nodiscard]] TRIDIA_FN auto lower(int i) const { return rows.lower(first + i); }
  [[nodiscard]] TRIDIA_FN auto upper(int i) const { return rows.upper(first + i); }
};
template <class Rows>
TRIDIA_FN rows_from<Rows> rows_of_chunk(const Rows& rows, const chunk_cut& cut, int chunk) {
  return {rows, chunk * cut.rows};
}

/// Reads the factors of rows from the table that `cut_values` has written.
template <class V>
class cut_rows {
 public:
  /// Gives the rows of a chunk, without dividing by the rows of chunks to find each.
  struct of_chunk {
    const V* at;
    int rows;
    [[nodiscard]] TRIDIA_FN V lower(int i) const { return at[i]; }
    [[nodiscard]] TRIDIA_FN V upper(int i) const { return at[2 * rows + i]; }
  };
  TRIDIA_FN cut_rows(const chunk_cut& cut, const V* values, int count)
      : cut_(cut), values_(values), count_(count) {}
  [[nodiscard]] TRIDIA_FN int count() const { return count_; }
  [[nodiscard]] TRIDIA_FN V lower(int k) const { return *place(k); }
  [[nodiscard]] TRIDIA_FN V inverse(int k) const { return place(k)[cut_.rows]; }
  [[nodiscard]] TRIDIA_FN V upper(int k) const { return place(k)[2 * cut_.rows]; }
  friend TRIDIA_FN of_chunk rows_of_chunk(const cut_rows& rows, const chunk_cut& cut, int chunk) {
    return {rows.values_ + 3 * cut.rows * chunk, cut.rows};
  }

 private:
  [[nodiscard]] TRIDIA_FN const V* place(int k) const { return values_ + cut_.place(k); }
  chunk_cut cut_;
  const V* values_;
  int count_;
};

/// Returns the factor by which `n` rows multiply the value that comes in; `factor(i)` is lower, or
/// upper, of row i. Several factors are read at a time: they lie in memory, and otherwise each read
/// would wait for the one before.
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

/// Computes the factors by which 2^i chunks, of which chunk q is the last, multiply the value that
/// comes in, negated: forward, then backward, for each i the chunks in order. Products are of fewer
/// chunks where the line has no more. Ends with a barrier.
template <class V, class Rows, class Team>
TRIDIA_FN void cut_products(const chunk_cut& cut, const Rows& rows, V* minus, const Team& team) {
  V* const minus_back = minus + cut.steps * cut.chunks;
  for (int q = team.rank(); q < cut.chunks; q += team.size()) {
    const int k0 = q * cut.rows, left = rows.count() - k0, n = left < cut.rows ? left : cut.rows;
    const auto here = rows_of_chunk(rows, cut, q);
    minus[q] = -product_through<V>(n, [&](int i) { return here.lower(i); });
    minus_back[q] = -product_through<V>(n, [&](int i) { return here.upper(i); });
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

/// Computes the largest product of consecutive numbers of a sequence, none of which is negative:
/// the most that a recurrence with such factors amplifies a rounding error. It is at least 1, the
/// product of no numbers, and infinite where a number is NaN or a product overflows.
template <class R>
class largest_product {
 public:
  TRIDIA_FN largest_product() : all_(1), first_(1), last_(1), largest_(1) {}
  TRIDIA_FN explicit largest_product(R of_one)
      : all_(of_one >= R(0) ? of_one : std::numeric_limits<R>::infinity()),
        first_(larger(R(1), all_)),
        last_(first_),
        largest_(first_) {}

  /// Returns the largest product of these numbers and those that follow them.
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
  /// Returns the larger of a number and one that may be NaN, as 0 times infinity is.
  static TRIDIA_FN R larger(R a, R b) { return b > a ? b : a; }

  R all_, first_, last_, largest_;  // products: of all, of first ones, of last ones, of any
};

TRIDIA_FN float modulus(float a) { return magnitude(a); }
TRIDIA_FN double modulus(double a) { return magnitude(a); }
TRIDIA_FN float modulus(const complex<float>& a) { return ::hypotf(a.re, a.im); }
TRIDIA_FN double modulus(const complex<double>& a) { return ::hypot(a.re, a.im); }

/// Holds how much the two recurrences of some rows amplify rounding errors, each in the units of
/// right-hand sides and in those of x, which differ by a pivot. Growth that is small in either of
/// them is harmless, so that neither rows nor columns that are much larger than their neighbours
/// count as growth.
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
  /// Returns whether growth is below `bound`. Tables hold products in the units of the factors
  /// alone: where those of x differ so much that products may underflow or overflow in the tables,
  /// growth is not below any bound.
  [[nodiscard]] TRIDIA_FN bool is_below(R bound) const {
    constexpr R range = std::numeric_limits<R>::epsilon() / std::numeric_limits<R>::min();
    return most <= range * least && (down[0].value() <= bound || down[1].value() <= bound) &&
           (back[0].value() <= bound || back[1].value() <= bound);
  }
};

/// Holds the sizes of a row's factors, and those of 1 / pivot of the rows beside it: 1 before the
/// first row and after the last one, whose factors are 0.
template <class R>
struct factor_sizes {
  R lower, upper, here, before, after;

  template <class Rows>
  TRIDIA_FN factor_sizes(const Rows& rows, int k)
      : lower(modulus(rows.lower(k))),
        upper(modulus(rows.upper(k))),
        here(modulus(rows.inverse(k))),
        before(k > 0 ? modulus(rows.inverse(k - 1)) : R(1)),
        after(k + 1 < rows.count() ? modulus(rows.inverse(k + 1)) : R(1)) {}
};

/// Returns the growth of row k, or of the values that go from it to its neighbours.
template <class R, class Rows>
TRIDIA_FN amplification<R> amplification_of_row(const Rows& rows, int k) {
  using product = largest_product<R>;
  const factor_sizes<R> f(rows, k);
  return {{product(f.lower), product(f.lower * f.here / f.before)},
          {product(f.upper), product(f.upper * f.after / f.here)},
          f.here,
          f.here};
}

/// Returns 2^n; n is 0 at least.
template <class R>
constexpr R power_of_two(int n) {
  R power(1);
  for (int i = 0; i < n; ++i) power *= 2;
  return power;
}

/// Returns whether no row amplifies rounding errors, in the units of right-hand sides or in those
/// of x, the same for every thread: then growth is bounded, as most often it is, and need not be
/// multiplied from row to row.
template <class R, class Rows, class Team>
TRIDIA_FN bool no_row_amplifies(const Rows& rows, const Team& team) {
  // Pivots between a number and its reciprocal differ by no more than `is_below` allows.
  using limits = std::numeric_limits<R>;
  constexpr R most = power_of_two<R>((2 - limits::min_exponent - limits::digits) / 2);
  constexpr R least = R(1) / most;
  bool of_rhs[] = {true, true}, of_x[] = {true, true};
  for (int k = team.rank(); k < rows.count(); k += team.size()) {
    const factor_sizes<R> f(rows, k);
    const bool moderate = least <= f.here && f.here <= most;
    of_rhs[0] = of_rhs[0] && moderate && f.lower <= R(1);
    of_x[0] = of_x[0] && moderate && f.lower * f.here <= f.before;
    of_rhs[1] = of_rhs[1] && moderate && f.upper <= R(1);
    of_x[1] = of_x[1] && moderate && f.upper * f.after <= f.here;
  }
  const bool down = team.all(of_rhs[0]) || team.all(of_x[0]);
  return down && (team.all(of_rhs[1]) || team.all(of_x[1]));
}

/// Returns whether rounding errors grow by no more than `growth`, the same for every thread.
/// `memory` has one entry per thread, and the threads share it.
template <class Rows, class R, class Team>
TRIDIA_FN bool growth_is_bounded(const Rows& rows, int growth, amplification<R>* memory,
                                 const Team& team) {
  if (no_row_amplifies<R>(rows, team)) return true;
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

/// Reads the factors of an elimination E, as far as it made no interchanges, as those of
/// recurrences. The values kept of each row are lower, then upper.
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
  /// Returns whether eliminating column k interchanged row k and the row below it.
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
