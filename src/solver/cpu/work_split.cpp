// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#include "solver/cpu/work_split.hpp"

#include "cpu/cache_size.hpp"
#include "solver/system_memory.hpp"

#include <omp.h>

#include <algorithm>

namespace tridia::cpu {
namespace {

using solver::round_up;

/// Below this many rows in all, starting threads costs more than it gains.
constexpr index_t serial_rows = 8192;

/// A row of a batch of groups takes at most this many bytes in each array where systems are
/// neighbours: longer ones gain little and leave less of the first cache to the groups' states.
constexpr index_t row_piece_bytes = 1024;

/// A piece has at least so many groups where its first systems are separated, so that the others
/// begin where cache lines do.
constexpr int fewest_groups_to_align = 16;

}  // namespace

work_split::work_split(const solver::task& t)
    : geometry_(t.geometry),
      type_(t.type),
      kernels_(find_kernels(t.type, t.pivoting, t.boundary)),
      short_kernels_(find_kernels(t.type, t.pivoting, boundary::regular)) {
  if (!t.ragged.empty()) {
    geometry_.ragged = t.ragged.data();
    geometry_.off_diagonal = t.off_diagonal.data();
    ragged_ = order_ragged(t.ragged, kernels_.wide.lanes, t.boundary == boundary::periodic);
  }
  shares_matrices_ =
      geometry_.right_sides.size >= std::max(fewest(kernels_.wide.lanes), 2) && !is_ragged();
  const index_t rows = solver::total_rows(t) * std::max<index_t>(geometry_.right_sides.size, 1);
  threads_ = t.options.threads > 0 ? t.options.threads : omp_get_max_threads();
  if (rows < serial_rows) threads_ = 1;
  streams_ = static_cast<std::size_t>(rows) * size_of(t.type) * 5 > last_cache_bytes();
  side_by_side_ = lies_side_by_side();
  matrix_groups_ = groups_for(geometry_.matrices.size);
  right_side_groups_ = groups_for(geometry_.right_sides.size);
  if (side_by_side_) {
    const index_t piece = row_piece_bytes / size_of(type_);
    const index_t most = std::min(piece, neighbours()) / kernels_.wide.lanes;
    matrix_groups_ = static_cast<int>(std::clamp<index_t>(most, 1, matrix_groups_));
    // The saved values may exceed the near cache by half: only the rows that the forward sweep
    // writes first, and the backward sweep reads last, do not stay in it.
    matrix_groups_ = fitting(matrix_groups_, kernels_.wide.kept_bytes, near_cache_bytes() / 2 * 3);
    right_side_groups_ =
        fitting(right_side_groups_, kernels_.wide.value_bytes, near_cache_bytes() / 2);
  }
  place_memory();
}

// ---- groups ----

index_t work_split::groups() const {
  if (is_ragged()) return static_cast<index_t>(ragged_.groups.size());
  return shares_matrices_ ? geometry_.matrices.size : split_matrices().count();
}

system_range work_split::group_at(index_t i) const {
  if (is_ragged()) return ragged_.groups[i];
  return shares_matrices_ ? system_range{i, 1, true} : split_matrices().at(i);
}

// ---- batches of groups ----

section_split work_split::matrix_batches(const void* x) const {
  const index_t systems = geometry_.matrices.size, piece = neighbours();
  const int lanes = kernels_.wide.lanes;
  section_split batches(lanes, matrix_groups_, piece > 0 ? systems / piece : 0, piece);
  // Where a piece is short, the separate groups of the systems before and after cost more than they
  // gain: 64 systems of 262144 rows take four times as long with them.
  const int most = std::max(2 * matrix_groups_, fewest_groups_to_align);
  if (side_by_side_ && piece >= most * lanes) {
    const index_t size = size_of(type_);
    const auto at = static_cast<index_t>(reinterpret_cast<std::uintptr_t>(x) / size);
    const index_t per_line = 64 / size;
    // This adds at most one group: with fewer lanes than a cache line holds, vectors are aligned.
    batches.add((per_line - at % per_line) % per_line % lanes);
  }
  batches.add(piece);
  return batches;
}

index_t work_split::neighbours() const {
  const layout::axes& batch = geometry_.matrices;
  if (!side_by_side_ || batch.count == 0) return batch.size;
  const index_t piece = batch.at[batch.count - 1].extent;
  return piece < kernels_.wide.lanes ? batch.size : piece;
}

bool work_split::lies_side_by_side() const {
  const layout::axes& batch = shares_matrices_ ? geometry_.right_sides : geometry_.matrices;
  if (is_ragged() || geometry_.rows == 0 || batch.count == 0) return false;
  const layout::axis& fastest = batch.at[batch.count - 1];
  return fastest.stride[layout::rhs] == 1 && fastest.stride[layout::x] == 1;
}

/// Returns the groups of a batch: several, so that the next one can be prefetched, but no more than
/// leave work for all threads.
int work_split::groups_for(index_t systems) const {
  const index_t lanes = kernels_.wide.lanes,
                most = std::min<index_t>(max_groups, max_systems / lanes);
  return static_cast<int>(std::clamp<index_t>(systems / lanes / (2 * threads_), 1, most));
}

int work_split::fitting(int groups, std::size_t row_bytes, std::size_t cache) const {
  const std::size_t group = row_bytes * static_cast<std::size_t>(geometry_.rows);
  return static_cast<int>(std::clamp<std::size_t>(cache / group, 1, groups));
}

group_split work_split::right_side_batches() const {
  return {geometry_.right_sides.size, kernels_.wide.lanes, right_side_groups_};
}

// ---- memory ----

std::size_t work_split::group_factors_bytes(index_t i) const {
  return round_up(static_cast<std::size_t>(rows_at(i)) * kernels_at(i).factors_bytes);
}

std::size_t work_split::factors_at(index_t i) const {
  if (is_ragged()) return ragged_factors_at_[i];
  const index_t full = shares_matrices_ ? 0 : std::min(i, split_matrices().full_groups());
  return (full > 0 ? full * group_factors_bytes(0) : 0) +
         (i > full ? (i - full) * group_factors_bytes(groups() - 1) : 0);
}

std::size_t work_split::group_bytes(index_t i) const {
  const kernels& k = kernels_at(i);
  const auto rows = static_cast<std::size_t>(rows_at(i));
  // Substitution with the caller's factors needs memory for the values alone.
  return round_up(geometry_.right_sides.size == 1 ? rows * std::max(k.kept_bytes, k.value_bytes)
                                                  : group_factors_bytes(i) + rows * k.value_bytes);
}

void work_split::place_memory() {
  if (shares_matrices_) {
    const auto groups = static_cast<std::size_t>(side_by_side_ ? right_side_groups_ : 1);
    thread_bytes_ =
        round_up(static_cast<std::size_t>(geometry_.rows) * kernels_.wide.value_bytes * groups);
    return;
  }
  ragged_factors_at_.assign(1, 0);
  for (index_t i = 0; i < (is_ragged() ? groups() : 0); ++i) {
    ragged_factors_at_.push_back(ragged_factors_at_.back() + group_factors_bytes(i));
    thread_bytes_ = std::max(thread_bytes_, group_bytes(i));
  }
  if (is_ragged() || groups() == 0) return;
  thread_bytes_ = std::max(group_bytes(0), group_bytes(groups() - 1));
  if (!side_by_side_) return;
  const auto rows = static_cast<std::size_t>(geometry_.rows);
  const std::size_t row_bytes = kernels_for(false, geometry_.rows).kept_bytes;
  thread_bytes_ = std::max(thread_bytes_, round_up(rows * row_bytes * matrix_groups_));
}

index_t work_split::block_of_matrices() const {
  return std::min<index_t>(threads_, geometry_.matrices.size);
}

std::size_t work_split::shared_factors_bytes() const {
  if (!shares_matrices_) return 0;
  const auto count = static_cast<std::size_t>(block_of_matrices());
  return round_up(count * sizeof(index_t)) +
         count * round_up(static_cast<std::size_t>(geometry_.rows) * kernels_at(0).factors_bytes);
}

}  // namespace tridia::cpu
