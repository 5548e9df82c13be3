// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#include "support/lines.hpp"

#include <lapacke.h>

#include <algorithm>
#include <stdexcept>

namespace tridia_test {

using namespace tridia;

std::vector<scheme> all_schemes() {
  std::vector<scheme> all;
  for (const auto what :
       {quantity::first_derivative, quantity::second_derivative, quantity::third_derivative,
        quantity::fourth_derivative, quantity::interpolation, quantity::filter}) {
    for (const auto lies : {staggering::none, staggering::to_midpoints, staggering::to_points}) {
      for (const std::string& name : scheme_names(what, lies)) {
        all.push_back(find_scheme(what, name, lies));
      }
    }
  }
  return all;
}

std::vector<std::string> all_closures(const scheme& s) {
  std::vector<std::string> heads{""}, names;
  for (const std::vector<int>& choices : closure_choices(s)) {
    std::vector<std::string> longer;
    for (const std::string& head : heads) {
      for (const int order : choices) longer.push_back(head + std::to_string(order) + "-");
    }
    heads = longer;
  }
  for (const std::string& head : heads) {
    std::string tail;  // The orders are single digits, so the text can be read backwards.
    for (auto c = head.rbegin(); c != head.rend(); ++c) tail += *c;
    names.push_back(head + std::to_string(s.order()) + tail);
  }
  return names;
}

dense_matrix derivative_matrix(const scheme& s, const closure& c, index_t points) {
  dense_matrix a(points), b(points);
  const auto head = static_cast<index_t>(c.head().size());
  for (index_t i = 0; i < points; ++i) {
    const index_t from_end = points - 1 - i;
    const compact_row& row = i < head ? c.head()[static_cast<std::size_t>(i)]
                             : from_end < head
                                 ? c.tail()[static_cast<std::size_t>(head - 1 - from_end)]
                                 : s.interior();
    if (i > 0) a.at(i, i - 1) = row.sub;
    a.at(i, i) = row.diag;
    if (i + 1 < points) a.at(i, i + 1) = row.sup;
    for (std::size_t k = 0; k < row.weights.size(); ++k) {
      b.at(i, i + row.first + static_cast<index_t>(k)) +=
          row.weights[k] * static_cast<double>(points - 1);
    }
  }
  const auto n = static_cast<lapack_int>(points);
  std::vector<lapack_int> pivots(static_cast<std::size_t>(points));
  if (LAPACKE_dgesv(LAPACK_COL_MAJOR, n, n, a.entries.data(), n, pivots.data(), b.entries.data(),
                    n) != 0) {
    throw std::runtime_error("the derivative's matrix is singular");
  }
  return b;
}

double largest_real_part(dense_matrix a) {
  const auto n = static_cast<lapack_int>(a.size);
  std::vector<double> re(static_cast<std::size_t>(a.size)), im(re.size());
  if (LAPACKE_dgeev(LAPACK_COL_MAJOR, 'N', 'N', n, a.entries.data(), n, re.data(), im.data(),
                    nullptr, 1, nullptr, 1) != 0) {
    throw std::runtime_error("dgeev did not converge");
  }
  return *std::max_element(re.begin(), re.end());
}

}  // namespace tridia_test
