// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#include "support/arrangements.hpp"

#include "tridia/info.hpp"

#include <algorithm>

#include "support/scalar.hpp"

namespace tridia_test {
namespace {

using tridia::problem;
using tridia::value_type;

constexpr index_t kShort = 512;
// This is the room for one system, with the rows between the systems of a line.
constexpr index_t kRoomForOne = 552;

index_t short_rows(value_type) { return kShort; }
/// Returns more rows than one block takes.
index_t cluster_rows(value_type type) { return is_double(type) ? 4096 : 8192; }
/// Returns more rows than a cluster of blocks holds, by some margin.
index_t segment_rows(value_type type) { return is_double(type) ? 20'011 : 40'009; }

/// Returns how many lines of `rows` rows have room for `draws` systems of n rows, at least `least`.
index_t lines_for(index_t rows, index_t n, index_t draws, index_t least) {
  const index_t in_line = n == rows ? 1 : rows / kRoomForOne;
  return std::max((draws + in_line - 1) / in_line, least);
}

/// Returns the rows of a line for one system, which may begin anywhere in a thread's rows: if all
/// began at one place, the error of a matrix without random numbers would be a single number, and
/// its ratio a matter of luck.
index_t lines_of_one(index_t n) { return n + kRoomForOne - kShort; }

problem contiguous(value_type type, index_t lines, index_t rows) {
  return {.type = type, .extents = {lines, rows}};
}
problem interleaved(value_type type, index_t lines, index_t rows) {
  return {.type = type, .extents = {rows, lines}, .axis = 0};
}

problem make_padded(value_type type, index_t n, index_t draws) {
  problem p = contiguous(type, draws, lines_of_one(n));
  const std::vector<index_t> strides{p.extents[1] + 8, 1};
  p.dl_strides = p.d_strides = p.du_strides = p.rhs_strides = p.x_strides = strides;
  return p;
}
problem make_joined(value_type type, index_t n, index_t draws) {
  return contiguous(type, draws, n);
}
problem make_interleaved(value_type type, index_t n, index_t draws) {
  return interleaved(type, draws, lines_of_one(n));
}
problem make_clusters(value_type type, index_t n, index_t draws) {
  const index_t rows = cluster_rows(type);
  return contiguous(type, lines_for(rows, n, draws, 1), rows);
}
problem make_interleaved_clusters(value_type type, index_t n, index_t draws) {
  const index_t rows = cluster_rows(type);
  return interleaved(type, lines_for(rows, n, draws, 33), rows);
}
problem make_segments(value_type type, index_t n, index_t draws) {
  const index_t rows = segment_rows(type);
  return contiguous(type, lines_for(rows, n, draws, 1), rows);
}
problem make_interleaved_segments(value_type type, index_t n, index_t draws) {
  const index_t rows = segment_rows(type);
  return interleaved(type, lines_for(rows, n, draws, 5), rows);
}
/// Makes direct sums of one to three systems, each with some more rows.
problem make_ragged(value_type type, index_t n, index_t draws) {
  problem p{.type = type, .offsets = {0}};
  for (index_t k = 0, room = 0; room < draws; ++k) {
    const index_t systems = k % 3 + 1;
    p.offsets.push_back(p.offsets.back() + systems * (n + 40) + 7 * k % 31);
    room += systems;
  }
  p.extents = {p.offsets.back()};
  return p;
}

constexpr const char* kJoined = "concatenated systems";
constexpr const char* kOfClusters = "a cluster of";
constexpr const char* kSegments = "in segments of";

constexpr arrangement kArrangements[] = {
    {.name = "memory order",
     .kernel = "moved a system at a time",
     .rows = short_rows,
     .make = make_padded,
     .of_cpu = true},
    {.name = "memory order, long chunks",
     .kernel = "moved a system at a time",
     .rows = short_rows,
     .make = make_padded,
     .long_chunks = true},
    {.name = "joined", .kernel = kJoined, .rows = short_rows, .make = make_joined},
    {.name = "joined, long chunks",
     .kernel = kJoined,
     .rows = short_rows,
     .make = make_joined,
     .long_chunks = true},
    {.name = "interleaved",
     .kernel = "neighbouring systems",
     .rows = short_rows,
     .make = make_interleaved,
     .of_cpu = true},
    {.name = "clusters", .kernel = kOfClusters, .rows = cluster_rows, .make = make_clusters},
    {.name = "clusters, long chunks",
     .kernel = kOfClusters,
     .rows = cluster_rows,
     .make = make_clusters,
     .long_chunks = true},
    {.name = "interleaved clusters",
     .kernel = kOfClusters,
     .rows = cluster_rows,
     .make = make_interleaved_clusters},
    {.name = "segments", .kernel = kSegments, .rows = segment_rows, .make = make_segments},
    {.name = "interleaved segments",
     .kernel = kSegments,
     .rows = segment_rows,
     .make = make_interleaved_segments},
    {.name = "ragged", .kernel = kJoined, .rows = short_rows, .make = make_ragged, .of_cpu = true},
};

}  // namespace

std::span<const arrangement> arrangements() { return kArrangements; }

std::shared_ptr<const tridia::tuning_table> tuning_of(const arrangement& a, value_type type,
                                                      index_t n) {
  if (!a.long_chunks) return {};
  auto table = std::make_shared<tridia::tuning_table>();
  constexpr int kChunkRows = 33;
  for (const tridia::cuda_device& gpu : tridia::query_system().cuda_devices)
    table->add(
        {.compute_capability = 10 * gpu.compute_capability_major + gpu.compute_capability_minor,
         .kernel = "onchip",
         .type = type,
         .pivoting = tridia::pivoting::partial,
         .rows = std::max(n, a.rows(type)),
         .values = {kChunkRows, 0, 0}});
  return table;
}

}  // namespace tridia_test
