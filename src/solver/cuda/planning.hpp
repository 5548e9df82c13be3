// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "core/host_device.hpp"
#include "gpu/device_limits.hpp"
#include "gpu/fast_divide.hpp"
#include "solver/executor.hpp"
#include "solver/system_memory.hpp"

#include <algorithm>

// What the planning of every family of kernels goes by.
namespace tridia::cuda {

/// Threads of a block that solves systems.
inline constexpr int most_threads = 512;
/// Threads of a block that may have to pivot: a kernel for 512 has 128 registers a thread, which
/// pivoting outgrows (f64: up to 280 bytes are spilled), one for 384 has 168, which suffice.
constexpr int most_threads_of(pivoting p) { return p == pivoting::partial ? 384 : most_threads; }
/// Bytes of a block's shared memory that leave room for three on a multiprocessor.
inline constexpr std::size_t good_tile = std::size_t{68} << 10;

/// Shared memory of a block of a cluster above which fewer than three are on a multiprocessor.
inline constexpr std::size_t crowded = (std::size_t{227} << 10) / 3 - 1024;

/// Values of a chunk's equations (core/chunk.hpp).
constexpr std::size_t equation_values(pivoting p) { return p == pivoting::partial ? 10 : 6; }

/// Barriers in shared memory where arrives what `blocks` blocks of a cluster send each other.
TRIDIA_FN constexpr int exchange_barriers(int blocks) { return blocks > 1 ? 2 : 0; }

/// Whether coefficients and right-hand sides come one to one.
inline bool has_own_coefficients(const solver::task& t) {
  return t.coefficients == coefficients::per_system && t.geometry.right_sides.size == 1;
}

/// Rows of a thread that give a device enough threads: where they are few, what counts is how soon
/// a thread is done.
inline index_t filling_chunk(const solver::task& t) {
  constexpr index_t few_threads = index_t{1} << 15, least = 5;
  return std::max(solver::total_rows(t) / few_threads, least);
}

}  // namespace tridia::cuda
