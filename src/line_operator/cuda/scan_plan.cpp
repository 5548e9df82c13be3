// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#include "line_operator/cuda/scan_plan.hpp"

#include "line_operator/cuda/line_task.hpp"

namespace tridia::line_operator {

using namespace gpu;

namespace {

/// Returns whether tiles have rows of less than `bytes`, where that matters: sums, and launches of
/// parts, take longer than short rows of smaller fields do, or even single sectors of such as stay
/// in the second-level cache.
bool is_narrow(const specification& line, value_type type, const geometry& g, const line_scan& scan,
               index_t bytes) {
  const layout::axes& lines = g.right_sides;
  const auto size = static_cast<index_t>(size_of(type));
  const scan_shape& s = scan.shape();
  const index_t row = s.lines * size;
  const index_t small = index_t{row > sector ? 64 : 16} << 20;
  // Rows that begin anywhere touch parts of one sector more, and are longer where a stencil is
  // short, unless a multiprocessor has two blocks.
  const bool wants_more =
      s.in_tile.log > 0 && line.interior.weights.size() <= some_weights && !s.two_blocks;
  const index_t good = wants_more ? 2 * bytes : bytes;
  return s.rows * lines.size * size > small && s.interleaved && row < good &&
         lines.at[lines.count - 1].extent * size >= bytes;
}

/// Returns whether a block may hold a line, if its chunks share their factors: tables of longer
/// ones would be made in vain.
bool may_fit(scan_task t, const device_limits& limits) {
  t.distinct = 1;
  return plan_scan(t, limits).has_value();
}

}  // namespace

std::unique_ptr<const scan_plan> scan_plan::make(const specification& line, value_type type,
                                                 const geometry& g, index_t least_row,
                                                 const device_limits& limits,
                                                 const constant_factors* known) {
  std::unique_ptr<scan_plan> made(new scan_plan);
  if (const auto task = line_task(line, type, g); task && may_fit(*task, limits)) {
    made->whole_ = line_scan::make(*task, matrix_of(line), line.scale, limits, known);
  }
  // An adjoint's parts need more sums than an operator's.
  if (made->whole_ && (line.gathers || !is_narrow(line, type, g, *made->whole_, least_row)))
    return made;
  made->parts_ = split_scan::make(line, type, g, !made->whole_, limits);
  if (made->parts_) made->whole_.reset();
  if (!made->whole_ && !made->parts_) return {};
  return made;
}

}  // namespace tridia::line_operator
