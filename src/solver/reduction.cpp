// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#include "solver/reduction.hpp"

#include "tridia/error.hpp"

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstddef>
#include <string>
#include <type_traits>

namespace tridia::solver {
namespace {

/// Widened numbers: real ones of real matrices, so that their division is the machine's.
using real = long double;
using complex = std::complex<real>;

template <class N>
using factors = core::reduction_factors<N>;

/// Holds a row of a reduction level, and what is kept of it.
template <class N>
struct level_row {
  N sub, diag, sup;
  factors<N> kept;
};
template <class N>
using level_rows = std::vector<level_row<N>>;

template <class N>
level_row<N> make_row(N sub, N diag, N sup, N from_left, N from_right) {
  return {sub, diag, sup, {from_left, from_right, N(1) / diag, sub / diag, sup / diag}};
}

template <class N>
N number_of(const line_operator::wide& v) {
  if constexpr (std::is_same_v<N, real>) {
    return v.re.v;
  } else {
    return {v.re.v, v.im.v};
  }
}
line_operator::wide wide_of(real v) { return {core::extended(v), core::extended(0)}; }
line_operator::wide wide_of(const complex& v) {
  return {core::extended(v.real()), core::extended(v.imag())};
}

bool is_finite(real v) { return std::isfinite(v); }
bool is_finite(const complex& v) { return std::isfinite(v.real()) && std::isfinite(v.imag()); }

template <class N>
level_rows<N> first_level(const line_operator::constant_matrix& a) {
  level_rows<N> rows;
  for (const auto& r : a.rows) {
    rows.push_back(
        make_row<N>(number_of<N>(r.sub), number_of<N>(r.diag), number_of<N>(r.sup), 0, 0));
  }
  return rows;
}

/// Returns every second row, its neighbours eliminated (thesis, equations 1.7 to 1.9).
template <class N>
level_rows<N> next_level(const level_rows<N>& rows) {
  level_rows<N> next;
  for (std::size_t k = 1; k < rows.size(); k += 2) {
    const level_row<N>&left = rows[k - 1], &here = rows[k];
    const level_row<N> right = k + 1 < rows.size() ? rows[k + 1] : make_row<N>(0, 1, 0, 0, 0);
    const N from_left = here.sub / left.diag, from_right = here.sup / right.diag;
    next.push_back(make_row<N>(-from_left * left.sub,
                               here.diag - from_left * left.sup - from_right * right.sub,
                               -from_right * right.sup, from_left, from_right));
  }
  return next;
}

template <class N>
bool same(const factors<N>& a, const factors<N>& b) {
  return a.from_left == b.from_left && a.from_right == b.from_right && a.inverse == b.inverse &&
         a.before == b.before && a.after == b.after;
}

/// Counts the rows at the beginning, or at the end, that differ from the one in the middle.
template <class N>
index_t own_rows(const level_rows<N>& rows, bool at_end) {
  const std::size_t middle = rows.size() / 2;
  std::size_t inside = middle;
  const std::size_t end = at_end ? rows.size() - 1 : 0;
  while (inside != end) {
    const std::size_t next = at_end ? inside + 1 : inside - 1;
    if (!same(rows[next].kept, rows[middle].kept)) break;
    inside = next;
  }
  return static_cast<index_t>(at_end ? end - inside : inside);
}

template <class N>
void keep(reduction& r, const factors<N>& f) {
  for (const N& v : {f.from_left, f.from_right, f.inverse, f.before, f.after}) {
    if (!is_finite(v)) {
      throw error(errc::unsupported, "algorithm: neato meets a pivot that is zero in level " +
                                         std::to_string(r.levels.size()) +
                                         " of the reduction of matrix: ask for automatic");
    }
    r.factors.push_back(wide_of(v));
  }
}

template <class N>
void keep_level(reduction& r, const level_rows<N>& rows) {
  constexpr std::size_t values_a_row = 5;  // of core::reduction_factors
  const core::reduction_level level{static_cast<index_t>(rows.size()),
                                    static_cast<index_t>(r.factors.size() / values_a_row),
                                    own_rows(rows, false), own_rows(rows, true)};
  r.levels.push_back(level);
  for (index_t k = 0; k < level.rows; ++k) {
    if (k <= level.head || k >= level.rows - level.tail)
      keep(r, rows[static_cast<std::size_t>(k)].kept);
  }
}

template <class N>
reduction reduce_as(const line_operator::constant_matrix& a) {
  reduction r;
  for (auto rows = first_level<N>(a); !rows.empty(); rows = next_level(rows)) keep_level(r, rows);
  return r;
}

bool is_real(const line_operator::constant_matrix& a) {
  return std::all_of(a.rows.begin(), a.rows.end(), [](const auto& r) {
    return r.sub.im.v == 0 && r.diag.im.v == 0 && r.sup.im.v == 0;
  });
}

}  // namespace

reduction reduce(const line_operator::constant_matrix& a) {
  return is_real(a) ? reduce_as<real>(a) : reduce_as<complex>(a);
}

bool reduces_stably(const line_operator::constant_matrix& a) {
  real growth = 1;
  for (auto rows = first_level<real>(a); !rows.empty(); rows = next_level(rows)) {
    real of_level = 1;
    for (const level_row<real>& r : rows) {
      const factors<real>& f = r.kept;
      for (const real sum : {std::abs(f.from_left) + std::abs(f.from_right),
                             std::abs(f.before) + std::abs(f.after)}) {
        // After a zero pivot the sum is an infinity or a NaN.
        if (!(sum <= core::bounded_growth)) return false;
        of_level = std::max(of_level, sum);
      }
    }
    growth *= of_level;
  }
  return growth <= core::bounded_growth;
}

}  // namespace tridia::solver
