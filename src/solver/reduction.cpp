// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#include "solver/reduction.hpp"

#include "tridia/error.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <string>

namespace tridia::solver {
namespace {

using number = long double;
using factors = core::reduction_factors<number>;

/// Holds a row of a reduction level, and what is kept of it.
struct level_row {
  number sub, diag, sup;
  factors kept;
};

level_row make_row(number sub, number diag, number sup, number from_left, number from_right) {
  return {sub, diag, sup, {from_left, from_right, 1 / diag, sub / diag, sup / diag}};
}

std::vector<level_row> first_level(const line_operator::constant_matrix& a) {
  std::vector<level_row> rows;
  for (const auto& r : a.rows) rows.push_back(make_row(r.sub.re.v, r.diag.re.v, r.sup.re.v, 0, 0));
  return rows;
}

/// Returns every second row, its neighbours eliminated (thesis, equations 1.7 to 1.9).
std::vector<level_row> next_level(const std::vector<level_row>& rows) {
  std::vector<level_row> next;
  for (std::size_t k = 1; k < rows.size(); k += 2) {
    const level_row &left = rows[k - 1], &here = rows[k];
    const level_row right = k + 1 < rows.size() ? rows[k + 1] : make_row(0, 1, 0, 0, 0);
    const number from_left = here.sub / left.diag, from_right = here.sup / right.diag;
    next.push_back(make_row(-from_left * left.sub,
                            here.diag - from_left * left.sup - from_right * right.sub,
                            -from_right * right.sup, from_left, from_right));
  }
  return next;
}

bool same(const factors& a, const factors& b) {
  return a.from_left == b.from_left && a.from_right == b.from_right && a.inverse == b.inverse &&
         a.before == b.before && a.after == b.after;
}

/// Counts the rows at the beginning, or at the end, that differ from the one in the middle.
index_t own_rows(const std::vector<level_row>& rows, bool at_end) {
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

void keep(reduction& r, const factors& f) {
  for (const number v : {f.from_left, f.from_right, f.inverse, f.before, f.after}) {
    if (!std::isfinite(v)) {
      throw error(errc::unsupported, "algorithm: neato meets a pivot that is zero in level " +
                                         std::to_string(r.levels.size()) +
                                         " of the reduction of matrix: ask for automatic");
    }
    r.factors.push_back({core::extended(v), core::extended(0)});
  }
}

void keep_level(reduction& r, const std::vector<level_row>& rows) {
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

}  // namespace

reduction reduce(const line_operator::constant_matrix& a) {
  reduction r;
  for (auto rows = first_level(a); !rows.empty(); rows = next_level(rows)) keep_level(r, rows);
  return r;
}

bool reduces_stably(const line_operator::constant_matrix& a) {
  number growth = 1;
  for (auto rows = first_level(a); !rows.empty(); rows = next_level(rows)) {
    number of_level = 1;
    for (const level_row& r : rows) {
      const factors& f = r.kept;
      for (const number sum : {std::abs(f.from_left) + std::abs(f.from_right),
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
