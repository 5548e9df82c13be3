// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#include "solver/cuda/factored/factored_scan.hpp"

#include "core/dispatch.hpp"

namespace tridia::cuda {

using namespace gpu;

namespace {

/// Shorter lines are scanned where they have so many rows in all that one more launch does not
/// count.
constexpr index_t short_rows = 24, many_rows = index_t{1} << 22, least_rows = 3;

bool is_asked_for(const task& t) {
  const geometry& g = t.geometry;
  if (g.rows < least_rows) return false;
  if (g.rows < short_rows && g.rows * g.right_sides.size < many_rows) return false;
  return t.options.algorithm == algorithm::partition && !t.constant && t.ragged.empty() &&
         t.boundary == boundary::regular && g.matrices.size == 1 && g.right_sides.size > 1;
}

}  // namespace

std::unique_ptr<const factored_scan> factored_scan::make(const task& t, const device_limits& d) {
  if (!is_asked_for(t)) return {};
  const geometry& g = t.geometry;
  auto scan = line_operator::line_scan::make(
      {.type = t.type, .lines = g, .points = g.rows, .rows = g.rows}, d);
  const auto size = tridia::size_of(t.type);
  if (!scan) return {};
  const core::chunk_cut cut = core::with_type(t.type, [&](auto type) {
    return line_operator::scan_cut<typename decltype(type)::type>(static_cast<int>(g.rows));
  });
  std::unique_ptr<factored_scan> made(new factored_scan);
  made->scan_ = std::move(scan);
  made->values_bytes_ = solver::round_up(static_cast<std::size_t>(cut.values()) * size);
  made->products_bytes_ = solver::round_up(static_cast<std::size_t>(cut.products()) * size);
  return made;
}

std::size_t factored_scan::table_bytes() const {
  return solver::alignment + values_bytes_ + products_bytes_;
}

table_memory factored_scan::tables_at(std::byte* at) const {
  std::byte* const values = at + solver::alignment;
  return {.sound = reinterpret_cast<int*>(at),
          .values = values,
          .minus_products = values + values_bytes_};
}

void factored_scan::solve(const operands& o, const table_memory& t, void* workspace,
                          cudaStream_t stream) const {
  line_operator::scan_call call{o.in[layout::rhs], o.x, 1, false, o.status};
  call.tile_counter_cleared = true;
  call.tables = {t.values, t.minus_products, nullptr, t.sound};
  scan_->apply(call, workspace, stream);
}

}  // namespace tridia::cuda
