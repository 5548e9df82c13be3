// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#include "line_operator/specification.hpp"

#include <algorithm>

namespace tridia::line_operator {
namespace {

std::complex<double> narrowed(const wide& v) {
  return {static_cast<double>(v.re.v), static_cast<double>(v.im.v)};
}

}  // namespace

constant_matrix matrix_of(const specification& o, operation how) {
  problem p;
  p.type = value_type::c128;
  p.boundary = o.boundary;
  p.operation = how;
  p.matrix = o.matrix;
  return make_constant_matrix(p, o.rows);
}

specification solving_with(const constant_matrix& a) {
  std::vector<near_toeplitz::row> rows;
  for (const core::row<wide>& r : a.rows)
    rows.push_back({narrowed(r.sub), narrowed(r.diag), narrowed(r.sup)});
  const near_toeplitz::row inside = rows[rows.size() / 2];
  if (a.boundary == boundary::regular) {
    // Entries outside the matrix do not matter, so they do not make a row differ from the interior.
    rows.front().dl = inside.dl, rows.back().du = inside.du;
  }
  const auto is_other = [&](const near_toeplitz::row& r) {
    return r.dl != inside.dl || r.d != inside.d || r.du != inside.du;
  };
  const auto middle = rows.begin() + static_cast<std::ptrdiff_t>(rows.size() / 2);
  // The interior ends, on either side of the middle, at the first row that differs.
  const auto head = std::find_if(std::make_reverse_iterator(middle), rows.rend(), is_other).base();
  const auto tail = std::find_if(middle, rows.end(), is_other);
  specification o;
  o.points = o.rows = static_cast<index_t>(rows.size());
  o.boundary = a.boundary;
  o.matrix = {inside, {rows.begin(), head}, {tail, rows.end()}};
  o.interior = {0, {1}};
  o.solves = true;
  return o;
}

}  // namespace tridia::line_operator
