// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#include "solver/cuda/method.hpp"

#include "core/dispatch.hpp"
#include "solver/cuda/partition/boxes.hpp"
#include "solver/cuda/partition/interleaved.hpp"
#include "solver/cuda/partition/onchip.hpp"
#include "solver/cuda/partition/segments/segments.hpp"
#include "solver/cuda/shaped_method.hpp"
#include "solver/cuda/tuned.hpp"
#include "solver/registry.hpp"
#include "solver/system_memory.hpp"

#include <algorithm>
#include <cstdlib>
#include <optional>

namespace tridia::cuda {

using namespace gpu;

namespace {

/// Up to so many rows, systems in memory order are solved without a workspace.
constexpr index_t without_workspace = 16384;

std::string describe(std::string text, int chunk_rows, int threads, int blocks) {
  text += ", a thread for " + std::to_string(chunk_rows) + " rows, " + std::to_string(threads) +
          " threads a block";
  if (blocks > 1) text += ", a cluster of " + std::to_string(blocks) + " blocks a system";
  return text;
}

const tuning_entry* tuned_for(const task& t, const char* kernel, const device_limits& d) {
  return tuned(t, kernel, d.capability, layout::is_interleaved(t.geometry));
}

std::unique_ptr<const method> make_interleaved(const task& t, interleaved_shape s,
                                               const device_limits& d) {
  const interleaved_launches launches = core::with_type(t.type, [&](auto v) {
    return interleaved_kernels<typename decltype(v)::type>(t.pivoting, t.boundary);
  });
  check(launches.prepare(s, d.shared_bytes), giving_memory);
  if (may_persist(s, t)) {
    int clusters = 0;
    check(launches.count(s, &clusters), "cudaOccupancyMaxActiveClusters");
    s.schedule.take(most_cluster_tiles, clusters);
  }
  std::string description =
      describe("on chip, a lane for each of " + std::to_string(s.systems) + " neighbouring systems",
               s.chunk_rows, s.threads(), s.blocks);
  if (s.rounds() > 1) description += ", in " + std::to_string(s.rounds()) + " rounds";
  description +=
      loads_boxes(t.geometry, s, size_of(t.type)) ? ", moved in boxes" : ", moved by threads";
  if (s.schedule.per_cluster > 1) {
    description += ", " + std::to_string(s.schedule.per_cluster) + " times one after another";
  }
  return make_method(t, d, s, launches, std::move(description));
}

/// Describes how systems are moved if all arrays are aligned.
const char* moved(const task& t, const onchip_shape& s) {
  if (s.concatenated) return ", concatenated systems";
  if (s.input == copy_mode::contiguous) return ", moved in one piece";
  if (loads_boxes(t.geometry, s, size_of(t.type))) return ", moved in boxes of systems";
  return s.input == copy_mode::elements ? ", moved one by one" : ", moved a system at a time";
}

std::unique_ptr<const method> make_onchip(const task& t, onchip_shape s, const device_limits& d) {
  const onchip_launches launches = core::with_type(t.type, [&](auto v) {
    return onchip_kernels<typename decltype(v)::type>(t.pivoting, t.boundary);
  });
  shape_needs needs;
  if (s.concatenated && !t.ragged.empty()) {
    const std::vector<group_start> group_starts = cut_groups(t.ragged, s);
    needs.memory.push_back(upload(group_starts));
    s.group_starts = needs.memory.back().as<group_start>();
    s.group_count = static_cast<index_t>(group_starts.size()) - 1;
  }
  check(launches.prepare(s, d.shared_bytes), giving_memory);
  return make_method(t, d, s, launches,
                     describe("on chip", s.chunk_rows, s.threads, s.blocks) + moved(t, s),
                     std::move(needs));
}

std::string describe(const segments_shape& s) {
  const auto described = [&](const auto& shape, int threads) {
    return describe("in segments of " + std::to_string(shape.block_rows) + " rows and " +
                        std::to_string(s.levels) + " levels above them",
                    shape.chunk_rows, threads, 1);
  };
  return s.in_boxes ? described(s.of_rows, s.of_rows.threads()) + ", moved in boxes"
                    : described(s.of_lines, s.of_lines.threads);
}

std::unique_ptr<const method> make_segments(const task& t, const segments_shape& s,
                                            const device_limits& d) {
  const segments_launches launches = core::with_type(t.type, [&](auto v) {
    return segments_kernels<typename decltype(v)::type>(t.pivoting, t.boundary);
  });
  check(launches.prepare(d.shared_bytes), giving_memory);
  return make_method(t, d, s, launches, describe(s),
                     {.workspace_bytes = s.bytes + solver::alignment});
}

class thread_per_system_method final : public method {
 public:
  thread_per_system_method(const task& t, const device_limits& d)
      : task_(t),
        concurrent_systems_(concurrent_systems_for(line_count(t), d)),
        launches_(core::with_type(t.type, [&](auto v) {
          return thread_per_system_kernels<typename decltype(v)::type>(t.pivoting, t.boundary);
        })) {}
  std::string description() const override { return "a thread a system"; }
  std::size_t workspace_bytes() const override {
    return launches_.kept_bytes(task_, concurrent_systems_);
  }
  cudaError_t solve(const operands& o, std::byte* workspace, cudaStream_t stream) const override {
    return launches_.solve(task_.geometry, o, workspace, concurrent_systems_, stream);
  }

 private:
  const task& task_;
  index_t concurrent_systems_;
  thread_per_system_launches launches_;
};

interleaved_tuning interleaved_tuning_of(const task& t, const device_limits& d) {
  const tuning_entry* e = tuned_for(t, "interleaved", d);
  // What comes with the library was measured for many systems, and where the TMA moves rows.
  const bool suits = t.options.tuning || !(begins_anywhere(t) || are_few(t, d));
  if (e == nullptr || !suits) return {};
  return {.systems = e->values[0], .blocks = e->values[1]};
}
onchip_tuning onchip_tuning_of(const task& t, const device_limits& d) {
  const tuning_entry* e = tuned_for(t, "onchip", d);
  if (e == nullptr) return {};
  return {.chunk_rows = e->values[0],
          .warps = e->values[1],
          .blocks = e->values[2],
          .near = e->rows != t.geometry.rows};
}

/// Right-hand sides of a matrix that would be read anew for each, from the L2 or beyond, are solved
/// together from so many rows a line on, and so many in all: as measured on an H200, two passes
/// over the rows are quicker then than one for each.
constexpr index_t shortest_together = 256, long_interleaved = 1000, long_contiguous = 8192,
                  enough_together = index_t{1} << 22;

bool moves_less_together(const task& t, const task& lines) {
  const geometry& g = t.geometry;
  if (g.matrices.size == 1 || line_count(t) * g.rows < enough_together) return false;
  return g.rows >= (layout::is_interleaved(lines.geometry) ? long_interleaved : long_contiguous);
}

/// Returns whether systems, or rows, of one right-hand side are neighbours, rather than a few
/// right-hand sides of a row.
bool in_long_pieces(const geometry& g) {
  constexpr index_t few = 16;
  if (g.right_sides.count == 0) return true;
  const layout::axis& sides = g.right_sides.at[g.right_sides.count - 1];
  const index_t step = std::abs(sides.stride[layout::rhs]);
  const bool between = step < std::abs(g.lines[layout::rhs].step) &&
                       (g.matrices.count == 0 ||
                        step < std::abs(g.matrices.at[g.matrices.count - 1].stride[layout::rhs]));
  return !between || sides.extent >= few;
}

/// Holds the shape that suits a problem best; none where a thread solves each system.
struct partition_shape {
  std::optional<interleaved_shape> interleaved{};
  std::optional<onchip_shape> onchip{};
  std::optional<segments_shape> segments{};
};

partition_shape choose_shape(const task& t, const device_limits& d) {
  // What was measured for about as many rows need not fit these.
  auto interleaved = plan_interleaved(t, interleaved_tuning_of(t, d), d);
  if (!interleaved) interleaved = plan_interleaved(t, {}, d);
  if (interleaved && !waits_long(*interleaved, t)) return {.interleaved = interleaved};

  auto onchip = plan_onchip(t, onchip_tuning_of(t, d), d);
  if (!onchip) onchip = plan_onchip(t, {}, d);
  const bool waits = onchip && onchip->blocks > 1 && onchip->shared_bytes > crowded &&
                     t.geometry.rows > without_workspace;
  if (!onchip || waits) {
    if (const auto segments = plan_segments(t, {}, d)) return {.segments = segments};
  }
  if (interleaved) return {.interleaved = interleaved};
  return {.onchip = onchip};
}

/// Returns whether solving lines one by one is slower than some of them together: in segments,
/// which need one pass most often, but for each line, and so are quicker where all rows are in the
/// L2 (H200, 4 right-hand sides of 262 144 rows: f32 26 us instead of 42, f64 35 instead of 50);
/// or, of one matrix, in clusters of many blocks (H200, f64, 4096 rows across: 4.4 C instead
/// of 2.6; 16 384 rows in memory order: 3.0 C instead of 2.3).
bool is_slow(const partition_shape& s, const task& t) {
  constexpr int many_blocks = 8;
  constexpr index_t enough_in_segments = index_t{3} << 19;
  if (s.segments) return line_count(t) * t.geometry.rows >= enough_in_segments;
  const bool many = (s.interleaved && s.interleaved->blocks >= many_blocks) ||
                    (s.onchip && s.onchip->blocks >= many_blocks);
  return many && t.geometry.matrices.size == 1 &&
         line_count(t) * t.geometry.rows >= enough_together;
}

}  // namespace

std::unique_ptr<const method> choose_method(const task& t, const device_limits& d) {
  if (const cuda::maker make = solver::find_algorithm(t.options.algorithm)->make) {
    if (auto named = make(t, d)) return named;
  }
  if (t.geometry.right_sides.size != 1) return {};
  const bool is_shared = t.coefficients == coefficients::shared;
  if (is_shared && t.options.algorithm == algorithm::partition) return {};
  if (t.options.algorithm != algorithm::partition)
    return std::make_unique<thread_per_system_method>(t, d);
  const partition_shape s = choose_shape(t, d);
  if (s.interleaved) return make_interleaved(t, *s.interleaved, d);
  if (s.onchip) return make_onchip(t, *s.onchip, d);
  if (s.segments) return make_segments(t, *s.segments, d);
  return std::make_unique<thread_per_system_method>(t, d);
}

std::unique_ptr<const method> make_sides_method(const task& t, const task& lines,
                                                const device_limits& d) {
  if (t.geometry.right_sides.size == 1 || t.geometry.rows < shortest_together) return {};
  if (!in_long_pieces(t.geometry)) return {};
  if (!moves_less_together(t, lines) && !is_slow(choose_shape(lines, d), t)) return {};
  const auto shape = plan_sides(t, {}, d);
  if (!shape) return {};
  const sides_launches launches = core::with_type(
      t.type, [&](auto v) { return sides_kernels<typename decltype(v)::type>(t.boundary); });
  check(launches.prepare(d.shared_bytes), giving_memory);
  const sides_shape::part& first = shape->parts[0];
  return make_method(t, d, *shape, launches,
                     describe(first.shape) + ", " + std::to_string(first.groups.valid) +
                         " right-hand sides together",
                     {.workspace_bytes = shape->bytes + solver::alignment});
}

index_t concurrent_systems_for(index_t systems, const device_limits& d) {
  constexpr index_t block = 128;
  return std::min((systems + block - 1) / block * block, d.threads / block * block);
}

}  // namespace tridia::cuda
