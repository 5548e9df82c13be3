// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#include "compact/assemble.hpp"

#include "compact/closure.hpp"
#include "compact/taylor.hpp"
#include "core/refuse.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>
#include <string>

namespace tridia::compact {
namespace {

bool is_mirror(end_condition e) { return e != end_condition::closure; }
bool is_odd(end_condition e) {
  return e == end_condition::antisymmetric || e == end_condition::antisymmetric_half;
}
bool is_half(end_condition e) {
  return e == end_condition::symmetric_half || e == end_condition::antisymmetric_half;
}

/// Describes a mirror: beyond it, entry k is entry `sum` - k with a sign, in `in` and in `out`.
struct mirror {
  index_t in_sum, out_sum;
  double in_sign, out_sign;
};

/// Returns the mirror at an end whose outermost entries are `in` and `out`.
mirror mirror_at(end_condition e, tridia::quantity quantity, tridia::staggering staggering,
                 index_t in, index_t out, bool tail) {
  // Where points and midpoints alternate, the points are outermost: at the mirror itself, with the
  // first midpoint half a cell inside.
  const index_t beyond = tail ? 1 : -1;
  mirror m{2 * in, 2 * out, is_odd(e) ? -1.0 : 1.0, 1};
  if (is_half(e) || staggering == tridia::staggering::to_points) m.in_sum += beyond;
  if (is_half(e) || staggering == tridia::staggering::to_midpoints) m.out_sum += beyond;
  m.out_sign = is_odd_derivative(quantity) ? -m.in_sign : m.in_sign;
  return m;
}

/// Returns row i of the interior with the entries beyond the mirror folded back.
compact_row folded(const compact_row& interior, index_t i, const mirror& m, bool tail) {
  const auto is_beyond = [tail](index_t k, index_t sum) {
    return tail ? 2 * k > sum : 2 * k < sum;
  };
  compact_row row = interior;
  const index_t neighbour = tail ? i + 1 : i - 1;
  double& outer = tail ? row.sup : row.sub;
  double& inner = tail ? row.sub : row.sup;
  if (is_beyond(neighbour, m.out_sum)) {
    (m.out_sum - neighbour == i ? row.diag : inner) += m.out_sign * outer;
    outer = 0;
  }
  const index_t from = i + interior.first, to = i + last_of(interior);
  index_t low = to, high = from;
  const auto place = [&](index_t k) { return is_beyond(k, m.in_sum) ? m.in_sum - k : k; };
  for (index_t k = from; k <= to; ++k) {
    low = std::min(low, place(k));
    high = std::max(high, place(k));
  }
  row.first = static_cast<int>(low - i);
  row.weights.assign(static_cast<std::size_t>(high - low + 1), 0);
  for (index_t k = from; k <= to; ++k) {
    const double sign = is_beyond(k, m.in_sum) ? m.in_sign : 1;
    row.weights[static_cast<std::size_t>(place(k) - low)] +=
        sign * interior.weights[static_cast<std::size_t>(k - from)];
  }
  return row;
}

/// Formats a number of any magnitude.
std::string short_text(double v) {
  char buffer[32];
  std::snprintf(buffer, sizeof buffer, "%.3g", v);
  return buffer;
}

/// Checks and assembles one scheme on one grid.
class assembly {
 public:
  assembly(const scheme& s, const closure& c, const grid& g, index_t points)
      : scheme_(s), closure_(c), grid_(g), points_(points) {}

  line_operator::specification make() const {
    check();
    line_operator::specification line;
    line.points = points_;
    line.rows = rows_of(points_);
    line.boundary = grid_.boundary;
    line.matrix.interior = matrix_row(scheme_.interior());
    line.interior = stencil_of(scheme_.interior());
    for (const compact_row& row : ends(false, points_)) {
      line.matrix.head.push_back(matrix_row(row));
      line.head.push_back(stencil_of(row));
    }
    for (const compact_row& row : ends(true, points_)) {
      line.matrix.tail.push_back(matrix_row(row));
      line.tail.push_back(stencil_of(row));
    }
    check_metric(line.rows);
    for (const double x : grid_.metric) line.scale.push_back(1 / x);
    return line;
  }

 private:
  bool periodic() const { return grid_.boundary == boundary::periodic; }
  index_t rows_of(index_t points) const {
    return periodic() ? points : points - extra_points(scheme_.staggering());
  }

  /// Returns the rows at an end; those of the tail are in the order of the line.
  std::vector<compact_row> ends(bool tail, index_t points) const {
    if (periodic()) return {};
    const end_condition e = tail ? grid_.tail : grid_.head;
    if (!is_mirror(e)) return tail ? closure_.tail() : closure_.head();
    const index_t rows = rows_of(points), count = needed(tail);
    const mirror m = mirror_at(e, scheme_.quantity(), scheme_.staggering(), tail ? points - 1 : 0,
                               tail ? rows - 1 : 0, tail);
    std::vector<compact_row> list;
    for (index_t k = 0; k < count; ++k) {
      list.push_back(folded(scheme_.interior(), tail ? rows - count + k : k, m, tail));
    }
    return list;
  }

  int needed(bool tail) const {
    const compact_row& row = scheme_.interior();
    return rows_needed(tail ? mirrored(row, scheme_.quantity(), scheme_.staggering()) : row);
  }

  /// Checks whether lines of this many points have room for the rows of both ends.
  bool has_room(index_t points) const {
    if (periodic()) {
      // A stencil goes around once: what it reaches lies on the line or on a copy beside it.
      const compact_row& row = scheme_.interior();
      return points >= std::max({index_t{3}, static_cast<index_t>(row.weights.size()),
                                 -index_t{row.first}, index_t{last_of(row)}});
    }
    const index_t rows = rows_of(points);
    const std::vector<compact_row> head = ends(false, points), tail = ends(true, points);
    const auto first_of_tail = rows - static_cast<index_t>(tail.size());
    if (static_cast<index_t>(head.size()) > first_of_tail) return false;
    for (std::size_t k = 0; k < head.size(); ++k) {
      if (static_cast<index_t>(k) + last_of(head[k]) >= points) return false;
    }
    for (std::size_t k = 0; k < tail.size(); ++k) {
      if (first_of_tail + static_cast<index_t>(k) + tail[k].first < 0) return false;
    }
    return true;
  }

  void check() const {
    check_spacing();
    if (!periodic()) check_ends();
    if (has_room(points_)) return;
    index_t enough = points_;
    while (!has_room(enough)) ++enough;
    refuse("extents: " + std::to_string(points_) + " along the axis are too few for " +
           scheme_.name() + (periodic() ? "" : " with " + closure_text()) + ", which needs " +
           std::to_string(enough) + " or more");
  }

  std::string closure_text() const {
    if (!is_mirror(grid_.head) || !is_mirror(grid_.tail)) return "closure " + closure_.name();
    return "ends that are " + std::string(name(grid_.head)) + " and " +
           std::string(name(grid_.tail));
  }

  void check_spacing() const {
    const int q = derivative_of(scheme_.quantity());
    if (q == 0) return;
    const double h = std::abs(grid_.spacing);
    if (!std::isfinite(h) || h == 0) {
      refuse("spacing: is " + std::to_string(grid_.spacing) +
             ", but must be a finite number other than 0");
    }
    // Weights over h^q would be infinite or zero beyond these bounds: 1e-9 is too small for a
    // fourth derivative in f32.
    const bool single = grid_.type == value_type::f32 || grid_.type == value_type::c64;
    const double least =
        single ? std::numeric_limits<float>::min() : std::numeric_limits<double>::min();
    const double smallest = std::pow(least, 1.0 / q);
    if (h >= smallest && h <= 1 / smallest) return;
    refuse("spacing: is " + short_text(grid_.spacing) + ", but a " +
           std::string(name(scheme_.quantity())) + " of type " + std::string(name(grid_.type)) +
           " takes from " + short_text(smallest) + " to " + short_text(1 / smallest));
  }

  void check_ends() const {
    for (const bool tail : {false, true}) {
      const char* const which = tail ? "tail" : "head";
      const end_condition e = tail ? grid_.tail : grid_.head;
      if (name(e) == "invalid") {
        refuse(std::string(which) + ": " + std::to_string(static_cast<int>(e)) +
               " is none of its enumerators");
      }
      if (is_half(e) && scheme_.staggering() != tridia::staggering::none) {
        refuse(std::string(which) + ": is " + std::string(name(e)) + ", but the mirror of a " +
               "staggered grid is at its points: symmetric or antisymmetric");
      }
      if (!is_mirror(e)) check_closure(tail);
    }
  }

  void check_closure(bool tail) const {
    if (closure_.quantity() != scheme_.quantity() ||
        closure_.staggering() != scheme_.staggering()) {
      refuse("closure: is of a " + std::string(name(closure_.quantity())) + " (" +
             std::string(name(closure_.staggering())) + "), but the scheme of a " +
             std::string(name(scheme_.quantity())) + " (" +
             std::string(name(scheme_.staggering())) + ")");
    }
    const std::size_t rows = (tail ? closure_.tail() : closure_.head()).size();
    if (rows >= static_cast<std::size_t>(needed(tail))) return;
    refuse("closure: " + closure_.name() + " has " + std::to_string(rows) + " rows at the " +
           (tail ? "tail" : "head") + ", but the stencil of " + scheme_.name() + " needs " +
           std::to_string(needed(tail)));
  }

  void check_metric(index_t rows) const {
    const std::vector<double>& metric = grid_.metric;
    if (metric.empty()) return;
    if (scheme_.quantity() != tridia::quantity::first_derivative) {
      refuse("metric: is for first derivatives, but the scheme is of a " +
             std::string(name(scheme_.quantity())));
    }
    if (static_cast<index_t>(metric.size()) != rows) {
      refuse("metric: has " + std::to_string(metric.size()) + " entries, but a line has " +
             std::to_string(rows) + " results");
    }
    for (std::size_t k = 0; k < metric.size(); ++k) {
      const std::string entry = "metric: entry " + std::to_string(k) + " is ";
      const std::string value = std::to_string(metric[k]);
      if (!std::isfinite(metric[k]) || metric[k] == 0) {
        refuse(entry + value + ", but dx/dxi is finite and not 0");
      }
      if ((metric[k] > 0) != (metric[0] > 0)) {
        refuse(entry + value + " and entry 0 is " + std::to_string(metric[0]) +
               ": a metric that changes its sign folds the grid");
      }
    }
  }

  static near_toeplitz::row matrix_row(const compact_row& r) { return {r.sub, r.diag, r.sup}; }

  stencil stencil_of(const compact_row& row) const {
    stencil s{row.first, row.weights};
    const int q = derivative_of(scheme_.quantity());
    for (double& w : s.weights) {
      for (int k = 0; k < q; ++k) w /= grid_.spacing;
    }
    return s;
  }

  const scheme& scheme_;
  const closure& closure_;
  const grid& grid_;
  index_t points_;
};

}  // namespace

line_operator::specification assemble(const scheme& s, const closure& c, const grid& g,
                                      index_t points) {
  return assembly(s, c, g, points).make();
}

}  // namespace tridia::compact
