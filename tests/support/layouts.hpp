// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tridia/problem.hpp"

#include <functional>
#include <span>
#include <vector>

#include "support/layout.hpp"

namespace tridia_test {

/// Describes strides that lay an array out without overlap: `order` names the axes from the slowest
/// to the fastest, `gap` is added to the room of each axis, and axes in `backwards` run towards
/// lower addresses. The fastest axis has the stride `step`.
struct packing {
  std::vector<int> order;
  index_t step = 1;
  index_t gap = 0;
  std::vector<int> backwards = {};
};
std::vector<index_t> strides(const std::vector<index_t>& extents, const packing& how);

/// Draws any order, step, gap and directions.
packing random_packing(std::size_t rank, rng& random);

/// Describes a way to lay out about `batch` systems of `n` rows.
struct layout_case {
  const char* name;
  bool regular_only;
  std::function<tridia::problem(index_t n, index_t batch, rng& random)> make;
};

/// Returns all layouts of the conformance suite.
std::span<const layout_case> layout_cases();

/// Lets x be the array `r`, and says whether this problem's layout allows it.
bool allow_alias(tridia::problem& p, role r);

/// Returns offsets of `batch` systems of 0 to `n` rows: one has `n`, and the last of several has
/// none.
std::vector<index_t> ragged_offsets(index_t n, index_t batch, rng& random);

}  // namespace tridia_test
