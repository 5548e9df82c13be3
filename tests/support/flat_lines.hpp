// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "support/accuracy.hpp"

#include <vector>

namespace tridia_test {

/// Holds draws as lines of one length in arrays of real numbers, row after row, line after line.
template <class T>
struct flat_lines {
  int n, lines;
  std::vector<T> dl, d, du, b, x;

  explicit flat_lines(const std::vector<system_with_solution>& draws)
      : n(static_cast<int>(draws[0].a.rows())), lines(static_cast<int>(draws.size())) {
    const auto rows = static_cast<std::size_t>(n);
    const auto put = [](std::vector<T>& to, const wide& v) {
      to.push_back(static_cast<T>(v.real()));
    };
    for (const system_with_solution& s : draws) {
      for (std::size_t k = 0; k < rows; ++k) {
        put(dl, k > 0 ? s.a.dl[k] : 0), put(d, s.a.d[k]);
        put(du, k + 1 < rows ? s.a.du[k] : 0), put(b, s.b[k]);
      }
    }
    x.assign(b.size(), T(12345));
  }

  /// Returns the errors of x.
  [[nodiscard]] accuracy errors(const std::vector<system_with_solution>& draws,
                                tridia::value_type type) const {
    accuracy_of all(type);
    auto from = x.begin();
    for (const system_with_solution& s : draws) {
      all.add(s, std::vector<wide>(from, from + n));
      from += n;
    }
    return all.medians();
  }
};

}  // namespace tridia_test
