// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#include "solver/cuda/factored/kept_scan.hpp"

#include "core/dispatch.hpp"

namespace tridia::cuda {
namespace {

/// Bytes of lines in memory order from which on a scan is quicker, as measured: of shorter ones the
/// copy engine takes too many.
constexpr index_t least_line = 768;

bool is_asked_for(const task& t) {
  const geometry& g = t.geometry;
  return t.options.algorithm == algorithm::chunks && !t.constant && t.ragged.empty() &&
         t.boundary == boundary::regular && g.matrices.size == 1 && g.right_sides.size > 1;
}

}  // namespace

std::unique_ptr<const kept_scan> kept_scan::make(const task& t, const device_limits& d) {
  if (!is_asked_for(t)) return {};
  const geometry& g = t.geometry;
  auto scan = line_scan::make({.type = t.type, .lines = g, .points = g.rows, .rows = g.rows}, d);
  const auto size = tridia::size_of(t.type);
  if (!scan || !scan->is_moved_by_engine()) return {};
  if (!scan->shape().across && g.rows * static_cast<index_t>(size) < least_line) return {};
  const core::chunk_cut cut = core::with_type(t.type, [&](auto type) {
    return scan_cut<typename decltype(type)::type>(static_cast<int>(g.rows));
  });
  std::unique_ptr<kept_scan> made(new kept_scan);
  made->scan_ = std::move(scan);
  made->values_bytes_ = solver::round_up(static_cast<std::size_t>(cut.values()) * size);
  made->products_bytes_ = solver::round_up(static_cast<std::size_t>(cut.products()) * size);
  return made;
}

std::size_t kept_scan::table_bytes() const {
  return solver::alignment + values_bytes_ + products_bytes_;
}

table_memory kept_scan::tables_at(std::byte* at) const {
  std::byte* const values = at + solver::alignment;
  return {reinterpret_cast<int*>(at), values, values + values_bytes_};
}

scan_behind kept_scan::behind(std::byte* tables, void* workspace) const {
  return {tables_at(tables).sound, scan_->tickets(workspace)};
}

void kept_scan::solve(const operands& o, std::byte* tables, void* workspace,
                      cudaStream_t stream) const {
  const table_memory t = tables_at(tables);
  scan_call call{o.in[layout::rhs], o.x, 1, false, o.status};
  call.tickets_cleared = true;
  call.tables = {t.values, t.minus_products, nullptr, t.sound};
  scan_->apply(call, workspace, stream);
}

}  // namespace tridia::cuda
