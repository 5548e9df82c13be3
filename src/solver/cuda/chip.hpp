// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "core/host_device.hpp"
#include "solver/executor.hpp"
#include "solver/system_memory.hpp"

#include <algorithm>
#include <cstdint>
#include <limits>

// What the planning of every family of kernels goes by: a GPU's sizes, and rules that hold for all.
namespace tridia::cuda {

inline constexpr int warp_size = 32;
/// Of a block that solves systems; blocks of a cluster on every card that has them; blocks of a
/// launch.
inline constexpr int most_threads = 512, most_blocks = 8;
/// Threads of a block that may have to pivot: a kernel for 512 has 128 registers a thread, which
/// pivoting outgrows (f64: up to 280 bytes are spilled), one for 384 has 168, which suffice.
constexpr int most_threads_of(pivoting p) { return p == pivoting::partial ? 384 : most_threads; }
/// Blocks of a cluster on cards of compute capability 9.0, for kernels that ask for it.
inline constexpr int most_blocks_of_hopper = 16;
inline constexpr index_t most_grid = std::numeric_limits<int>::max();
/// Rows of a system that the chip can hold at all.
inline constexpr int longest = 1 << 20;
/// Bytes: a line of the cache, and the least that is fetched of it.
inline constexpr int cache_line = 128, sector = 32;
/// Bytes of a block's shared memory that leave room for three on a multiprocessor.
inline constexpr std::size_t good_tile = std::size_t{68} << 10;

/// Shared memory of a block of a cluster above which fewer than three are on a multiprocessor.
inline constexpr std::size_t crowded = (std::size_t{227} << 10) / 3 - 1024;

/// Divides by a number from 1 on that is known when a shape is made: in five instructions of a GPU,
/// where a division takes twenty.
class divisor {
 public:
  constexpr divisor() = default;
  constexpr explicit divisor(int by)
      : by_(static_cast<unsigned>(by)),
        inverse_(by > 1 ? static_cast<unsigned>((std::uint64_t{1} << 32) / by_) : ~0u) {}
  /// Of any n from 0 on.
  TRIDIA_FN int quotient(int n) const {
    // 2^32 / by is rounded down: too small by one at most.
    const auto a = static_cast<unsigned>(n);
    const auto q = static_cast<unsigned>(std::uint64_t{a} * inverse_ >> 32);
    return static_cast<int>(a - q * by_ >= by_ ? q + 1 : q);
  }

 private:
  unsigned by_ = 1, inverse_ = ~0u;
};

constexpr int ceil_div(int a, int b) { return (a + b - 1) / b; }
constexpr int round_up(int a, int to) { return ceil_div(a, to) * to; }

/// Values of a chunk's equations (core/chunk.hpp).
constexpr std::size_t equation_words(pivoting p) { return p == pivoting::partial ? 10 : 6; }

/// Barriers in shared memory where arrives what `blocks` blocks of a cluster send each other.
TRIDIA_FN constexpr int mail_barriers(int blocks) { return blocks > 1 ? 2 : 0; }

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

/// What a device allows.
struct chip_limits {
  std::size_t shared_bytes;  // of a block
  bool clusters;
  int cluster_blocks = most_blocks;  // at most, if there are clusters
};

}  // namespace tridia::cuda
