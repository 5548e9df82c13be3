// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#include "line_operator/split_line.hpp"

#include "tridia/error.hpp"

#include <algorithm>
#include <cstdlib>
#include <iterator>
#include <limits>
#include <optional>
#include <string>
#include <utility>

namespace tridia::line_operator {
namespace {

/// Returns those of the rows at an end of the whole line that a part has; `first` is the first row
/// of the list.
template <class T>
std::vector<T> those_inside(const std::vector<T>& list, index_t first, index_t begin, index_t end) {
  const auto count = static_cast<index_t>(list.size());
  const index_t from = std::clamp<index_t>(begin - first, 0, count);
  const index_t to = std::clamp<index_t>(end - first, from, count);
  return {list.begin() + from, list.begin() + to};
}

wide wide_of(std::complex<double> v) {
  return {core::extended(v.real()), core::extended(v.imag())};
}

line_weights unit(index_t size, index_t at) {
  line_weights v(static_cast<std::size_t>(size), wide(0));
  v[static_cast<std::size_t>(at)] = wide(1);
  return v;
}

long double size_of(const wide& v) { return core::magnitude(v).v; }
long double largest_of(const line_weights& weights) {
  long double largest = 0;
  for (const wide& v : weights) largest = std::max(largest, size_of(v));
  return largest;
}

[[noreturn]] void refuse_part(const specification& part, const std::string& what) {
  throw error(errc::unsupported, "ranks: the " + std::to_string(part.rows) +
                                     " rows of a line that a rank has " + what +
                                     " without those of other ranks: the axis must be cut "
                                     "elsewhere");
}

/// Returns the first and last point of a row, which may lie beyond the ends where the line is
/// periodic.
std::pair<index_t, index_t> reach_of(const specification& o, index_t row) {
  const stencil& s = o.stencil_of(row);
  return {row + s.first, row + s.first + static_cast<index_t>(s.weights.size()) - 1};
}

/// Adds the weights of a row's stencil. Points beyond the ends are those of a periodic line;
/// elsewhere their weights are zero.
void add_stencil(line_weights& to, index_t row, const stencil& s, const wide& factor) {
  const index_t points = std::ssize(to);
  index_t at = row + s.first;
  for (const double w : s.weights) {
    const index_t point = (at++ % points + points) % points;
    wide& sum = to[static_cast<std::size_t>(point)];
    sum = sum + wide_of(w) * factor;
  }
}

/// Returns a number of points that no row reaches beyond its own.
index_t longest_reach(const specification& o) {
  index_t longest = 0;
  const auto see = [&](const stencil& s) {
    longest = std::max(longest, std::abs(index_t{s.first}) + std::ssize(s.weights));
  };
  see(o.interior);
  for (const stencil& s : o.head) see(s);
  for (const stencil& s : o.tail) see(s);
  return longest;
}

}  // namespace

part_sides sides_of(const specification& whole, const line_cuts& cuts, int part) {
  const bool wraps = whole.boundary == boundary::periodic;
  return {wraps || part > 0, wraps || part + 1 < cuts.parts()};
}

specification part_of(const specification& whole, const line_cuts& cuts, int part) {
  const index_t begin = cuts.rows[part], end = cuts.rows[part + 1];
  const index_t first_point = cuts.points[part], last_point = cuts.points[part + 1] - 1;
  const auto inside = [&](const auto& list, bool tail) {
    const index_t first = tail ? whole.rows - static_cast<index_t>(list.size()) : 0;
    return those_inside(list, first, begin, end);
  };
  specification o;
  o.points = last_point + 1 - first_point;
  o.rows = end - begin;
  o.matrix = {whole.matrix.interior, inside(whole.matrix.head, false),
              inside(whole.matrix.tail, true)};
  o.interior = whole.interior;
  o.head = inside(whole.head, false), o.tail = inside(whole.tail, true);
  const int moved = static_cast<int>(begin - first_point);  // of the same row and point
  o.interior.first += moved;
  for (stencil& s : o.head) s.first += moved;
  for (stencil& s : o.tail) s.first += moved;
  o.solves = whole.solves, o.gathers = whole.gathers;
  if (!whole.scale.empty()) {
    o.scale.assign(whole.scale.begin() + begin, whole.scale.begin() + end);
  }
  const part_sides sides = sides_of(whole, cuts, part);
  // A stencil gives right-hand sides, or results.
  index_t& reaching_head = o.gathers ? o.gathered_head : o.prescribed_head;
  index_t& reaching_tail = o.gathers ? o.gathered_tail : o.prescribed_tail;
  if (sides.before) o.prescribed_head = 1;
  const auto look_at = [&](index_t row) {
    const auto [low, high] = reach_of(whole, row);
    if (low < first_point) reaching_head = row + 1 - begin;
    if (high > last_point && reaching_tail == 0) reaching_tail = end - row;
    if (sides.after && row + 1 == end && o.prescribed_tail == 0) o.prescribed_tail = 1;
  };
  // Rows further inside reach no point of another part.
  const index_t reach =
      longest_reach(whole) + std::abs(begin - first_point) + std::abs(last_point + 1 - end) + 1;
  const index_t near_begin = std::min(begin + reach, end);
  for (index_t row = begin; row < near_begin; ++row) look_at(row);
  for (index_t row = std::max(near_begin, end - reach); row < end; ++row) look_at(row);
  const auto keep_within = [&](index_t& head, index_t& tail) {
    if (head + tail > o.rows) head = o.rows, tail = 0;
  };
  keep_within(o.prescribed_head, o.prescribed_tail);
  keep_within(o.gathered_head, o.gathered_tail);
  return o;
}

std::vector<line_weights> end_columns(const specification& part, const part_sides& sides) {
  // Rounding errors of a part may exceed those of the whole line by at most this factor.
  constexpr long double most_growth = 1000;
  std::optional<constant_factors> factors;
  try {
    factors = factor(matrix_of(part), pivoting::partial);
  } catch (const error&) {
    refuse_part(part, "are a singular matrix");
  }
  std::vector<line_weights> columns;
  const auto add = [&](index_t row, std::complex<double> near_toeplitz::row::*coupling) {
    columns.push_back(solve(*factors, unit(part.rows, row)));
    const std::complex<double> c = row_of(part.matrix, part.rows, row).*coupling;
    const long double growth = size_of(wide_of(c)) * largest_of(columns.back());
    if (growth <= most_growth) return;
    refuse_part(part, "are nearly a singular matrix (what is coupled to them counts " +
                          std::to_string(static_cast<double>(growth)) + "-fold)");
  };
  if (sides.before) add(0, &near_toeplitz::row::dl);
  if (sides.after) add(part.rows - 1, &near_toeplitz::row::du);
  return columns;
}

inverse_rows::inverse_rows(const specification& whole)
    : whole_(whole), factors_(factor(matrix_of(whole, operation::transpose), pivoting::partial)) {}

line_weights inverse_rows::row(index_t i) const { return rows(unit(whole_.rows, i)); }

line_weights inverse_rows::rows(line_weights factors) const {
  const line_weights of_rows = solve(factors_, std::move(factors));
  line_weights all(static_cast<std::size_t>(whole_.points), wide(0));
  // Weights below all rounding are skipped: they change no result.
  const long double least = 1e-24L * largest_of(of_rows);
  for (index_t k = 0; k < whole_.rows; ++k) {
    const wide& factor = of_rows[static_cast<std::size_t>(k)];
    if (size_of(factor) > least) add_right_side(all, k, factor);
  }
  return all;
}

std::vector<line_weights> inverse_rows::prescribed(const line_cuts& cuts, int part) const {
  return prescribed(part_of(whole_, cuts, part), cuts.rows[part]);
}

std::vector<line_weights> inverse_rows::prescribed(const specification& part, index_t first) const {
  std::vector<line_weights> all(static_cast<std::size_t>(part.prescribed()));
  const auto put = [&](index_t number, auto weights) {
    if (number >= 0) all[static_cast<std::size_t>(number)] = weights();
  };
  for (index_t k = 0; k < part.rows; ++k) {
    put(part.prescribed_number(k), [&] { return right_side_of(part, first, k); });
    put(part.gathered_number(k), [&] { return result_of(first + k); });
  }
  return all;
}

line_weights inverse_rows::right_side_of(const specification& part, index_t first,
                                         index_t k) const {
  const bool wraps = whole_.boundary == boundary::periodic;
  const index_t row = first + k;
  near_toeplitz::row whole = row_of(whole_.matrix, whole_.rows, row);
  near_toeplitz::row own = row_of(part.matrix, part.rows, k);
  if (!wraps && row == 0) whole.dl = 0;
  if (!wraps && row + 1 == whole_.rows) whole.du = 0;
  if (k == 0) own.dl = 0;
  if (k + 1 == part.rows) own.du = 0;
  line_weights w(static_cast<std::size_t>(whole_.points), wide(0));
  add_right_side(w, row, wide(1));
  add_coupling(w, wide_of(whole.dl) + -wide_of(own.dl), row - 1);
  add_coupling(w, wide_of(whole.d) + -wide_of(own.d), row);
  add_coupling(w, wide_of(whole.du) + -wide_of(own.du), row + 1);
  return w;
}

line_weights inverse_rows::result_of(index_t row) const {
  line_weights of_rows(static_cast<std::size_t>(whole_.rows), wide(0));
  add_stencil(of_rows, row, whole_.stencil_of(row), wide(1));
  return rows(std::move(of_rows));
}

std::vector<line_weights> inverse_rows::couplings(const line_cuts& cuts, int part) const {
  const part_sides sides = sides_of(whole_, cuts, part);
  std::vector<line_weights> all;
  const auto add = [&](std::complex<double> coefficient, index_t neighbour) {
    line_weights& w = all.emplace_back(static_cast<std::size_t>(whole_.points), wide(0));
    add_coupling(w, wide_of(coefficient), neighbour);
  };
  const index_t first = cuts.rows[part], last = cuts.rows[part + 1] - 1;
  const auto row = [&](index_t k) { return row_of(whole_.matrix, whole_.rows, k); };
  if (sides.before) add(row(first).dl, first - 1);
  if (sides.after) add(row(last).du, last + 1);
  return all;
}

void inverse_rows::add_right_side(line_weights& to, index_t row, const wide& factor) const {
  if (!whole_.gathers) return add_stencil(to, row, whole_.stencil_of(row), factor);
  wide& own = to[static_cast<std::size_t>(row)];
  own = own + factor;
}

void inverse_rows::add_coupling(line_weights& to, const wide& coefficient,
                                index_t neighbour) const {
  if (size_of(coefficient) == 0) return;
  const line_weights w = row((neighbour + whole_.rows) % whole_.rows);
  for (std::size_t k = 0; k < w.size(); ++k) to[k] = core::sub_mul(to[k], coefficient, w[k]);
}

double least_weight(value_type type, double tolerance) {
  const bool single = type == value_type::f32 || type == value_type::c64;
  const double epsilon =
      single ? std::numeric_limits<float>::epsilon() : std::numeric_limits<double>::epsilon();
  return std::max(tolerance, epsilon / 4);
}

void leave_out(line_weights& weights, double tolerance) {
  const long double bound = largest_of(weights) * tolerance;
  const auto least = [&](long double below) {
    long double sum = 0;
    for (const wide& v : weights) sum += size_of(v) <= below ? size_of(v) : 0;
    return sum;
  };
  long double below = bound;
  while (below > 0 && least(below) > bound) below /= 2;
  for (wide& v : weights) v = size_of(v) <= below ? wide(0) : v;
}

}  // namespace tridia::line_operator
