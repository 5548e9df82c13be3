// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#include "line_operator/cuda/line_scan.hpp"

#include "core/dispatch.hpp"
#include "layout/line_status.hpp"

#include <algorithm>

namespace tridia::line_operator {

using namespace gpu;

namespace {

/// From this many tiles of a block on, a tile counter is worth its cost: clearing it first takes 2
/// us.
constexpr index_t many_tiles = 8;

scan_launches launches_of(value_type type) {
  return core::with_type(type, [](auto v) { return scan_kernels<typename decltype(v)::type>(); });
}

scan_launches exchanging_launches_of(value_type type) {
  return core::with_real_type(
      type, [](auto v) { return exchanging_scan_kernels<typename decltype(v)::type>(); });
}

device_memory upload_rounded(const std::vector<wide>& values, value_type type) {
  return upload(rounded(values, type));
}

}  // namespace

std::unique_ptr<const line_scan> line_scan::make(scan_task t, const constant_matrix& a,
                                                 const std::vector<double>& scale,
                                                 const device_limits& d,
                                                 const constant_factors* known) {
  if (std::max(t.points, t.rows) > longest) return {};
  // The rows of a closure may amplify more: those of second derivatives have 11 and 1 above pivots
  // of 1 and -1/10, with which a CPU eliminates as well.
  constexpr int closure_growth = 32;
  const bool is_operator = t.width > 1;
  const int growth = is_operator ? closure_growth : core::bounded_growth;
  const auto factors = make_recurrences(a, growth, known);
  if (!factors) return {};
  t.chunk_rows = planned_chunk(t);
  const chunked_factors chunked = cut_factors(*factors, t.type, t.chunk_rows);
  t.distinct = chunked.number.empty() ? 0 : chunked.number.back() + 1;
  auto made = planned(t, d);
  if (!made) return {};
  planned_scan& p = made->plan_;
  made->values_ = upload_rounded(chunked.values, t.type);
  made->products_ = upload_rounded(chunked.minus_products, t.type);
  made->numbers_ = upload(chunked.number);
  p.tables = {made->values_.as<void>(), made->products_.as<void>(), made->numbers_.as<int>()};
  if (!scale.empty()) {
    std::vector<wide> factors_of_rows;
    for (const double v : scale) factors_of_rows.push_back({core::extended(v), core::extended(0)});
    made->scale_ = upload_rounded(factors_of_rows, t.type);
    p.scale = made->scale_.as<void>();
  }
  p.cyclic = factors->cyclic;
  p.closing_down = factors->closing_down, p.closing_back = factors->closing_back;
  return made;
}

std::unique_ptr<const line_scan> line_scan::make(const scan_task& t, const device_limits& d) {
  return planned(t, d);
}

std::unique_ptr<line_scan> line_scan::planned(const scan_task& t, const device_limits& d) {
  scan_task joined = t;
  joined.lines.right_sides = layout::joined(t.lines.right_sides);
  const auto shape = plan_scan(joined, d);
  if (!shape) return {};
  std::unique_ptr<line_scan> made(new line_scan);
  planned_scan& p = made->plan_;
  p.task = joined;
  p.statuses = layout::axes_in(t.lines.right_sides, layout::status);
  p.shares_status = layout::shares_status(t.lines);
  p.shape = *shape;
  made->launches_ = launches_of(t.type);
  int resident = 0;
  check(made->launches_.prepare(p, d.shared_bytes, &resident), giving_memory);
  p.blocks = std::min(shape->tiles, index_t{d.multiprocessors} * std::max(resident, 1));
  made->has_tile_counter_ = shape->tiles >= many_tiles * p.blocks;
  return made;
}

std::string line_scan::description() const {
  const auto* const aligned = reinterpret_cast<const void*>(cache_line);
  CUtensorMap maps[most_phases(1)];
  const line_copy_mode moved = copy_mode_of(plan_, layout::rhs, aligned, maps);
  const scan_shape& s = plan_.shape;
  const char* const known = plan_.tables.values != nullptr ? "what is known beforehand" : "factors";
  return std::string("by a scan of ") + known + ": chunks of " + std::to_string(s.chunk_rows) +
         " rows, " + std::to_string(s.lines) + (s.interleaved ? " neighbouring" : "") +
         " lines a tile, " + std::to_string(s.stages) + " tiles at a time, " +
         std::to_string(s.threads) + " threads, moved " +
         (moved == line_copy_mode::boxes   ? "in boxes of lines"
          : moved == line_copy_mode::lines ? (s.whole ? "in one piece" : "a line at a time")
                                           : "by threads");
}

bool line_scan::prepare_exchange() const {
  const scan_task& t = plan_.task;
  if (!t.exchanges || t.width == 1 || t.gathers || plan_.cyclic || plan_.shape.stages < 2 ||
      plan_.tables.values == nullptr) {
    return false;
  }
  int resident = 0;
  check(exchanging_launches_of(t.type).prepare(plan_, current_device_limits().shared_bytes,
                                               &resident),
        giving_memory);
  return true;
}

bool line_scan::can_exchange(const void* in) const {
  CUtensorMap maps[most_phases(1)];
  return copy_mode_of(plan_, layout::rhs, in, maps) != line_copy_mode::elements;
}

void line_scan::apply(scan_call c, void* workspace, cudaStream_t stream) const {
  if (c.exchange != nullptr) {
    if (plan_.shape.tiles > plan_.blocks) c.tile_counter = &c.exchange->rounds->tiles;
    c.tile_counter_cleared = true;
    check(exchanging_launches_of(plan_.task.type).apply(plan_, c, stream), "launching a scan");
    return;
  }
  c.tile_counter = tile_counter(workspace);
  check(launches_.apply(plan_, c, stream), "launching a scan");
}

}  // namespace tridia::line_operator
