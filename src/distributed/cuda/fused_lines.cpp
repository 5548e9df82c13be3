// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#include "core/dispatch.hpp"
#include "distributed/agreement.hpp"
#include "distributed/cuda/absent_words.hpp"
#include "distributed/cuda/fused_kernels.hpp"
#include "distributed/cuda/lines.hpp"
#include "gpu/check.hpp"
#include "solver/cuda/partition/boxes.hpp"
#include "solver/cuda/partition/interleaved.hpp"

#include <algorithm>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

namespace tridia::distributed {
namespace {

using gpu::check;

/// A block that waits for other ranks keeps its shared memory: two fit a multiprocessor of an H100.
constexpr std::size_t most_shared = std::size_t{113} << 10;

solver::task task_of(const local_rows_task& t) {
  solver::task all{};
  all.type = t.type, all.pivoting = t.pivoting;
  all.boundary = boundary::regular, all.coefficients = coefficients::per_system;
  all.geometry = t.geometry;
  return all;
}

/// Returns the shape of blocks, or clusters of them, that hold all rows here of some neighbouring
/// lines, moved in boxes: as many lines, and blocks, as where there are `most_rows`.
std::optional<cuda::interleaved_shape> plan_rows(const solver::task& t, index_t most_rows,
                                                 const gpu::device_limits& limits) {
  solver::task longest = t;
  longest.geometry.rows = most_rows;
  const auto wanted = cuda::plan_interleaved(longest, {}, limits);
  if (!wanted) return {};
  auto s =
      cuda::plan_interleaved(t, {.systems = wanted->systems, .blocks = wanted->blocks}, limits);
  if (!s || s->blocks != wanted->blocks || s->rounds() > 1 || s->shared_bytes > most_shared ||
      !cuda::loads_boxes(t.geometry, *s, size_of(t.type))) {
    return {};
  }
  // A tile is a cluster's. All ranks take tiles in the order of their numbers, whatever their
  // strides.
  s->segments = s->blocks, s->neighbours = 1, s->beside = 1;
  s->order = {};
  return s;
}

/// Returns the shape of blocks that hold all rows here of some lines, or nothing if there is none.
std::optional<cuda::segments_shape> plan_fused(const local_rows_task& rows, index_t most_rows) {
  const solver::task t = task_of(rows);
  gpu::device_limits limits = gpu::current_device_limits();
  if (t.geometry.matrices.size == 0 || most_rows > gpu::longest) return {};
  cuda::segments_shape all{};
  all.sides = 1;
  // Rows in boxes are conjugated when they are read, and entries from other ranks already are.
  if (limits.clusters && !t.geometry.conjugate && layout::is_interleaved(t.geometry)) {
    if (const auto of_rows = plan_rows(t, most_rows, limits)) {
      all.in_boxes = true;
      all.of_rows = *of_rows;
      return all;
    }
  }
  if (layout::is_interleaved(t.geometry) || t.geometry.conjugate) limits.clusters = false;
  limits.shared_bytes = std::min(limits.shared_bytes, most_shared);
  const auto planned = cuda::plan_segments(t, {.rows = static_cast<int>(t.geometry.rows)}, limits);
  if (!planned || planned->in_boxes || planned->of_lines.blocks != 1) return {};
  all.of_lines = planned->of_lines;
  return all;
}

/// Returns a number that is the same on all ranks if their blocks have the same lines; 0 if there
/// is no shape.
index_t kind_of(const std::optional<cuda::segments_shape>& s) {
  if (!s) return 0;
  if (!s->in_boxes) return 2 * s->of_lines.systems + 1;
  return 2 * (s->of_rows.systems + s->of_rows.blocks * 4096);
}

class device_fused_lines final : public fused_lines {
 public:
  device_fused_lines(const local_rows_task& t, const interface_task& i,
                     const cuda::segments_shape& s, const fused_launches& launches,
                     std::unique_ptr<exchange> by, const direct_way& way)
      : part_(t),
        shape_(s),
        launches_(launches),
        exchange_(std::move(by)),
        states_(static_cast<std::size_t>(i.lines) * launches.bytes_a_line),
        counts_(sizeof(gpu::round_counts)) {
    slots_.ranks = i.line.size(), slots_.here = i.line.here;
    slots_.periodic = i.boundary == boundary::periodic;
    slots_.limits = way.limits;
    for (int r = 0, k = 0; r < slots_.ranks; ++r) {
      if (r == slots_.here) continue;
      const auto at = static_cast<std::size_t>(k++);
      slots_.to[r] = place_of(way.to[at]), slots_.from[r] = place_of(way.from[at]);
      clear_words(way.from[at]);
    }
    slots_.executions = counts_.as<gpu::round_counts>();
    check(cudaMemset(counts_.as<void>(), 0, sizeof(gpu::round_counts)), "cudaMemset");
    check(cudaDeviceSynchronize(), "clearing what other ranks send");
  }

  static std::size_t message_bytes(const interface_task& i, const fused_launches& launches) {
    return static_cast<std::size_t>(i.lines) * launches.bytes_sent;
  }

  std::size_t bytes() const override {
    const auto lines = static_cast<std::size_t>(part_.geometry.matrices.size);
    const auto places = 2 * static_cast<std::size_t>(slots_.ranks - 1);
    return lines * (launches_.bytes_a_line + places * launches_.bytes_sent);
  }

  void solve(const solver::operands& o, index_t* found, void* stream) override {
    const cuda::segment_coupling e{
        part_.before, part_.after, part_.entries_before, part_.entries_after, nullptr, nullptr, 0,
        found};
    exchange_->refuse_failed();
    exchange_->begin_waiting(stream);
    check(launches_.solve(part_.geometry, o, shape_, e, slots_, states_.as<void>(),
                          static_cast<cudaStream_t>(stream)),
          "launching the kernels of lines across ranks");
    exchange_->end_waiting(stream);
  }

 private:
  static equation_slots::place place_of(const direct_way::place& p) {
    return {static_cast<std::byte*>(p.at), p.jump};
  }

  local_rows_task part_;
  cuda::segments_shape shape_;
  fused_launches launches_;
  equation_slots slots_{};
  std::unique_ptr<exchange> exchange_;
  gpu::device_memory states_, counts_;
};

}  // namespace

std::unique_ptr<fused_lines> make_device_fused_lines(const local_rows_task& t,
                                                     const interface_task& i, transport& by) {
  index_t rows[] = {t.geometry.rows};
  by.maxima(rows);
  const fused_launches launches = core::with_type(
      t.type, [&](auto v) { return fused_kernels<typename decltype(v)::type>(t.pivoting); });
  const auto bytes = device_fused_lines::message_bytes(i, launches);
  const auto others = static_cast<std::size_t>(i.line.size() - 1);
  std::optional<cuda::segments_shape> shape;
  if (2 * others * bytes <= i.most_bytes) shape = plan_fused(t, rows[0]);
  index_t kinds[] = {kind_of(shape), -kind_of(shape)};
  by.maxima(kinds);
  if (kinds[0] != -kinds[1] || kinds[0] == 0) return nullptr;

  std::vector<message> messages;
  for (int r = 0; r < i.line.size(); ++r) {
    if (r != i.line.here)
      messages.push_back({i.line.ranks[static_cast<std::size_t>(r)], nullptr, bytes});
  }
  auto exchange = by.make_exchange(2 * messages.size());
  const direct_way* const way = exchange->open(messages, messages);
  if (way == nullptr) return nullptr;
  std::unique_ptr<device_fused_lines> made;
  // Nobody sends before all have cleared what they receive.
  agreement(by).reach([&] {
    const gpu::device_limits limits = gpu::current_device_limits();
    check(launches.prepare(limits.shared_bytes, limits.clusters), gpu::giving_memory);
    made = std::make_unique<device_fused_lines>(t, i, *shape, launches, std::move(exchange), *way);
  });
  return made;
}

}  // namespace tridia::distributed
