// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tridia/detail/line_sweeps.hpp"
#include "tridia/device/detail/core/chunk.hpp"

#include <cstdint>
#include <memory>
#include <type_traits>

// This file has what a part of a line keeps, as core/chunk.hpp wants it.
namespace tridia::detail {

/// Keeps rows of a part, and then x.
template <class V, boundary B, pivoting P, int Sides>
class kept_part_rows {
 public:
  using value = V;
  using values = sides_of<V, Sides>;
  using pivot_row = typename core::chunk<V, pivoting::partial, values>::pivot_row;
  struct plain_row {
    V a, b;
    values rhs;
  };
  using kept = std::conditional_t<P == pivoting::none, plain_row, pivot_row>;
  static constexpr boundary folding = B;
  static constexpr int sides = Sides;

  explicit kept_part_rows(void* memory) : rows_(static_cast<kept*>(memory)) {}
  TRIDIA_FN kept& operator[](int k) const { return rows_[k]; }

  /// Hands out x of row k of the part, `number` of the line: NaN where it is not `good`.
  template <class Take>
  TRIDIA_FN void give(int k, int number, const core::mask_t<V>& good, Take& take) const {
    V x[Sides];
    for (int j = 0; j < Sides; ++j) x[j] = select(good, side(rows_[k].rhs, j), not_a_number<V>());
    detail::give<V, Sides>(take, number, x);
  }

 private:
  kept* rows_;
};

/// Makes rows of a part, which begins with row `first` of a line of n rows.
template <class Kept, class RowOf>
struct own_rows {
  using V = typename Kept::value;
  using values = typename Kept::values;
  Kept& at;
  RowOf& row_of;
  int first, n;
  mutable values rhs_now{};

  // The chunk asks for the right-hand sides of a row right after the row.
  TRIDIA_FN core::row<V> get(int k) const {
    const auto r = make_row<V, Kept::folding, Kept::sides>(row_of, first + k, n);
    for (int j = 0; j < Kept::sides; ++j) side(rhs_now, j) = r.rhs[j];
    return {r.sub, r.diag, r.sup};
  }
  TRIDIA_FN values rhs(int) const { return rhs_now; }

  TRIDIA_FN void keep(int k, const V& a, const V& b, const values& rhs) const {
    at[k] = {a, b, rhs};
  }
  TRIDIA_FN void kept(int k, V& a, V& b, values& rhs) const {
    a = at[k].a, b = at[k].b, rhs = at[k].rhs;
  }
  TRIDIA_FN void keep_pivot(int k, const typename Kept::pivot_row& r) const { at[k] = r; }
  TRIDIA_FN const typename Kept::pivot_row& kept_pivot(int k) const { return at[k]; }
  TRIDIA_FN void put(int k, const values& x) const { at[k].rhs = x; }
};

/// Merges the interface equations of neighbouring parts with right-hand sides R, and takes their
/// unknowns apart (core/chunk_merge.hpp has these for one right-hand side).
template <class V, pivoting P, class R>
struct part_merge : core::chunk<V, P, R> {};
template <class V, class R>
struct part_merge<V, pivoting::none, R> : core::chunk<V, pivoting::none, R> {
  using base = core::chunk<V, pivoting::none, R>;
  using typename base::equation, typename base::equations, typename base::unknowns;
  struct merge_record {
    equation last, first;
  };
  static TRIDIA_FN equations merge(const equations& a, const equations& b, merge_record& s) {
    const auto ignore = [](const V&) {};
    s = {base::link(a.last, b.first, ignore), b.first};
    return {base::join_first(a.first, s.last), base::join_last(b.last, s.last, ignore)};
  }
  static TRIDIA_FN void split(const merge_record& s, const unknowns& both, unknowns& left,
                              unknowns& right) {
    const R last = s.last.at(both.before, both.last);
    left = {both.before, last, s.first.at(last, both.last)};
    right = {last, both.last, both.after};
  }
};

/// Holds what is known of the ends of a part: its equations, then how it was merged with the parts
/// before it, then its unknowns.
template <class V, pivoting P, class R>
class part_interface {
  using chunk = part_merge<V, P, R>;
  using equations = typename chunk::equations;
  using unknowns = typename chunk::unknowns;
  using record = typename chunk::merge_record;

 public:
  template <class Rows>
  TRIDIA_FN void reduce(int n, Rows& rows) {
    std::construct_at(&equations_, reduced<false>(n, rows));
  }
  /// Solves the interface of a line of `count` parts; `of(part)` are theirs.
  template <boundary B, class Of>
  static void solve(int count, const Of& of) {
    equations all = of(0).equations_;
    for (int p = 1; p < count; ++p) {
      record s;
      all = chunk::merge(all, of(p).equations_, s);
      std::construct_at(&of(p).record_, s);
    }
    unknowns before = chunk::template close<B>(all);
    for (int p = count - 1; p > 0; --p) {
      const unknowns both = before;
      const record s = of(p).record_;
      unknowns here;
      chunk::split(s, both, before, here);
      std::construct_at(&of(p).unknowns_, here);
    }
    std::construct_at(&of(0).unknowns_, before);
  }
  /// Finds x of the part's rows; returns a mask of the lanes in which all of it is finite.
  template <class Rows>
  TRIDIA_FN core::mask_t<V> expand(int n, Rows& rows) const {
    const unknowns u = unknowns_;
    typename chunk::middle m{};
    reduced<true>(n, rows, m);
    return chunk::expand(n, rows, u, m);
  }

 private:
  template <bool Keep, class Rows>
  static TRIDIA_FN equations reduced(int n, Rows& rows) {
    typename chunk::middle m{};
    return reduced<Keep>(n, rows, m);
  }
  template <bool Keep, class Rows>
  static TRIDIA_FN equations reduced(int n, Rows& rows, typename chunk::middle& m) {
    if constexpr (P == pivoting::none) {
      return chunk::template reduce<Keep>(n, rows, [](const V&) {});
    } else {
      return chunk::template reduce<Keep>(n, rows, m);
    }
  }
  union {
    equations equations_;
    record record_;
    unknowns unknowns_;
  };
};

}  // namespace tridia::detail
