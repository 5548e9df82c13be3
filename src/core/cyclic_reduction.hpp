// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "core/chunk.hpp"
#include "core/forward_reduction.hpp"
#include "core/line.hpp"

// Cyclic reduction and its hybrids work on rows that are normalised to a unit diagonal: chunks of
// one row (core/chunk.hpp). Systems are regular: x outside has coefficients of zero. For rows and
// teams see core/forward_reduction.hpp; x takes the place of an equation's right-hand side, and
// `rows.part(first, step)` is every step-th row.
namespace tridia::core {

template <class V>
using row_equation = typename chunk<V, pivoting::none>::equation;

template <class V>
TRIDIA_FN row_equation<V> normalised(const row<V>& r, const V& rhs) {
  const V w = reciprocal(r.diag);
  return {r.sub * w, r.sup * w, rhs * w};
}

/// Defines the operation by which a forward reduction is CR: R. W. Hockney, J. ACM 12(1), 1965.
template <class V>
struct cyclic_reduction {
  using element = row_equation<V>;
  using solution = V;
  static constexpr bool looks_right = true;

  TRIDIA_FN element combine(const element& left, const element& here, bool has_right,
                            const element& right) const {
    return chunk<V, pivoting::none>::combine(here, true, left, has_right, right, [](const V&) {});
  }
  TRIDIA_FN element skip_left(const element& left, const element& here) const {
    return {here.before * -left.before, sub_mul(here.after, here.before, left.after),
            sub_mul(here.rhs, here.before, left.rhs)};
  }
  TRIDIA_FN element skip_right(const element& here, const element& right) const {
    return chunk<V, pivoting::none>::join_first(here, right);
  }
  TRIDIA_FN V expand(const element& here, const V& left, const V& right) const {
    return here.at(left, right);
  }
  TRIDIA_FN V outside() const { return V(0); }
  TRIDIA_FN element nothing() const { return {V(0), V(0), V(0)}; }
};

/// Returns the equation of row k of n in terms of the rows 2 d away, from equations in terms of the
/// rows d away: a step of PCR.
template <class V, class Index, class Rows>
TRIDIA_FN row_equation<V> split_row(Index n, Index d, Index k, const Rows& rows) {
  const bool left = k >= d, right = k + d < n;
  return chunk<V, pivoting::none>::combine(rows.get(k), left, rows.get(left ? k - d : k), right,
                                           rows.get(right ? k + d : k), [](const V&) {});
}

/// Does a step of PCR for all rows, from one array to another.
template <class V, class From, class To, class Team>
TRIDIA_FN void split_rows(int n, int d, const From& from, To& to, const Team& team) {
  for (int k = team.rank(); k < n; k += team.size()) to.put(k, split_row<V>(n, d, k, from));
  team.wait();
}

/// Returns the number of steps of PCR after which the independent systems of n >= 1 rows have at
/// most `size` rows.
template <class Index>
TRIDIA_FN int splits_to(Index n, Index size) {
  int splits = 0;
  while (((n - 1) >> splits) + 1 > size) ++splits;
  return splits;
}

/// Solves by CR until at most `switch_point` rows are left, and those by PCR. There is room for
/// these in `spare` and, if CR needs no stage, in `rows`, else in `other`.
template <class V, class Rows, class Team>
TRIDIA_FN void solve_cr_pcr(int n, int switch_point, Rows rows, Rows spare, Rows other,
                            const Team& team) {
  const cyclic_reduction<V> op;
  const int stages = stages_to(n, switch_point), step = 1 << stages, left = n >> stages;
  reduce_forward(n, stages, rows, op, team);
  if (left > 1) {
    Rows from = spare, to = stages == 0 ? rows : other;
    split_rows<V>(left, 1, rows.part(step - 1, step), from, team);
    for (int d = 2; d < left; d *= 2) {
      split_rows<V>(left, d, from, to, team);
      const Rows used = from;
      from = to, to = used;
    }
    Rows solved = rows.part(step - 1, step);
    for (int k = team.rank(); k < left; k += team.size()) solved.solve(k, from.solution(k));
    team.wait();
  }
  substitute_back(n, stages, rows, op, team);
}

/// Solves n rows by Thomas, in place.
template <class V, class Rows>
struct equation_line {
  using E = elimination<V, pivoting::none, boundary::regular>;
  Rows rows;

  struct matrix {
    const Rows& rows;
    TRIDIA_FN void fetch(index_t, index_t) const {}
    TRIDIA_FN row<V> get(index_t k) const {
      const row_equation<V> e = rows.get(static_cast<int>(k));
      return {e.before, V(1), e.after};
    }
  };
  struct right_side {
    const Rows& rows;
    TRIDIA_FN void fetch(index_t, index_t) const {}
    TRIDIA_FN V get(index_t k) const { return rows.get(static_cast<int>(k)).rhs; }
  };
  struct kept {
    Rows& rows;
    TRIDIA_FN void put(index_t k, const typename E::upper& u, V y) const {
      rows.put(static_cast<int>(k), {V(0), u.next, y});
    }
    TRIDIA_FN V get(index_t k, typename E::upper& u) const {
      const row_equation<V> e = rows.get(static_cast<int>(k));
      u.next = e.after;
      return e.rhs;
    }
  };
  struct result {
    Rows& rows;
    TRIDIA_FN void open(index_t) const {}
    TRIDIA_FN void flush(index_t, index_t) const {}
    TRIDIA_FN void put(index_t k, V x) const { rows.solve(static_cast<int>(k), x); }
  };

  TRIDIA_FN void solve(index_t n) {
    matrix a{rows};
    right_side b{rows};
    kept k{rows};
    result x{rows};
    // A check of x finds what is not finite.
    solve_line<V, E>(n, {n, n}, a, b, k, x, [](bool, bool) {});
  }
};

/// Solves by PCR until systems have at most `switch_point` rows; then one thread solves each of
/// them. Returns the one of `rows` and `spare` where x is.
template <class V, class Rows, class Team>
TRIDIA_FN Rows solve_pcr_thomas(int n, int switch_point, Rows rows, Rows spare, const Team& team) {
  const int systems = 1 << splits_to(n, switch_point);
  for (int d = 1; d < systems; d *= 2) {
    split_rows<V>(n, d, rows, spare, team);
    const Rows used = rows;
    rows = spare, spare = used;
  }
  for (int first = team.rank(); first < systems && first < n; first += team.size()) {
    equation_line<V, Rows> line{rows.part(first, systems)};
    line.solve((n - first - 1) / systems + 1);
  }
  team.wait();
  return rows;
}

}  // namespace tridia::core
