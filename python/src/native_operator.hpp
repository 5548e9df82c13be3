// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tridia/compact.hpp"

#include "run.hpp"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <vector>

namespace tridia::python {

using extents = std::vector<index_t>;

/// Holds an operator for Python, with what its arrays must be.
struct native_operator {
  owner<const compact_operator> made;
  bool stacked;
  /// These make operators of several terms (differential.cpp).
  tridia::scheme scheme;
  std::optional<tridia::closure> closure;
  tridia::options options;

  [[nodiscard]] extents shape(const extents& of) const {
    extents s = of;
    if (stacked) s.insert(s.begin(), made->grid().fields);
    return s;
  }

  /// Returns the strides that an array must have.
  [[nodiscard]] extents strides(const extents& of, const extents& given, index_t step) const {
    extents s(of.size());
    index_t size = 1;
    for (std::size_t k = of.size(); k-- > 0;) {
      s[k] = size;
      size *= std::max<index_t>(of[k], 1);
    }
    if (!given.empty()) s = given;
    if (stacked) s.insert(s.begin(), step != 0 ? step : size);
    return s;
  }
};

/// Throws where an array is not as an operator's must be: its type, place, shape and strides.
void check_operand(const array& a, const extents& shape, const extents& strides, const place& w,
                   value_type type);

}  // namespace tridia::python
