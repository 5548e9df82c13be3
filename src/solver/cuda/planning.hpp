// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "core/host_device.hpp"
#include "gpu/device_limits.hpp"
#include "gpu/fast_divide.hpp"
#include "gpu/tile_schedule.hpp"
#include "solver/executor.hpp"
#include "solver/system_memory.hpp"

#include <algorithm>
#include <climits>

// These constants and functions are shared by the planning of every family of kernels.
namespace tridia::cuda {

/// This is the maximum number of threads of a block that solves systems.
inline constexpr int most_threads = 512;
/// Returns the maximum number of threads of a block that may have to pivot: a kernel for 512 has
/// 128 registers a thread, which pivoting outgrows (f64: up to 280 bytes are spilled), one for 384
/// has 168, which suffice.
constexpr int most_threads_of(pivoting p) { return p == pivoting::partial ? 384 : most_threads; }
/// This is the size in bytes of a block's shared memory that leaves room for three on a
/// multiprocessor.
inline constexpr std::size_t good_tile = std::size_t{68} << 10;

/// This is the shared memory of a cluster's block, in bytes, above which fewer than three are on a
/// multiprocessor.
inline constexpr std::size_t crowded = (std::size_t{227} << 10) / 3 - 1024;

/// Returns the number of arrays that a tile of systems with so many right-hand sides holds.
constexpr int inputs_of(int sides) { return layout::rhs + sides; }

/// Return the number of values in the equations of a chunk of a system with so many right-hand
/// sides, and in its interface unknowns (core/chunk.hpp).
constexpr std::size_t equation_values(pivoting p, int sides = 1) {
  return 2 * static_cast<std::size_t>((p == pivoting::partial ? 4 : 2) + sides);
}
constexpr std::size_t unknown_values(pivoting p, int sides = 1) {
  return static_cast<std::size_t>((p == pivoting::partial ? 4 : 3) * sides);
}

/// Returns the number of mbarriers for what `blocks` blocks of a cluster send each other.
TRIDIA_FN constexpr int exchange_barriers(int blocks) { return blocks > 1 ? 2 : 0; }

/// Returns whether each system has its own coefficients and one right-hand side.
inline bool has_own_coefficients(const solver::task& t) {
  return t.coefficients == coefficients::per_system && t.geometry.right_sides.size == 1;
}

/// Returns the order of so many tiles of systems; those that share lines of the cache are in one
/// unit.
inline gpu::tile_order order_of(const layout::geometry& g, index_t tiles, int in_unit) {
  const index_t sides = layout::outer_right_sides(g);
  if (sides == 1 || tiles > INT_MAX || sides > tiles / in_unit) return {};
  return {static_cast<int>(tiles), static_cast<int>(sides), in_unit};
}

/// Returns the rows per thread that give a device enough threads: where they are few, what counts
/// is how soon a thread is done.
inline index_t filling_chunk(const solver::task& t) {
  constexpr index_t few_threads = index_t{1} << 15, least = 5;
  return std::max(solver::total_rows(t) / few_threads, least);
}

}  // namespace tridia::cuda
