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
/// Batches of systems with fewer rows than this have more groups instead: a batch takes some time
/// of its own.
constexpr index_t rows_of_pieces = 32;

/// Rows of so many groups are long enough to keep them together in a far cache.
constexpr int good_groups_by_rows = 4;

/// A piece has at least so many groups where its first systems are separated, so that the others
/// begin where cache lines do.
constexpr int fewest_groups_to_align = 64;

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
  shares_matrices_ = lanes_are_right_sides();
  const index_t rows = solver::total_rows(t) * std::max<index_t>(geometry_.right_sides.size, 1);
  threads_ = t.options.threads > 0 ? t.options.threads : omp_get_max_threads();
  if (rows < serial_rows) threads_ = 1;
  const auto bytes = static_cast<std::size_t>(rows) * size_of(t.type) * 5;
  streams_ = bytes > last_cache_bytes();
  far_ = bytes > near_cache_bytes();
  side_by_side_ = lies_side_by_side(shares_matrices_ ? geometry_.right_sides : geometry_.matrices);
  choose_batches();
  place_memory();
}

bool work_split::lanes_are_right_sides() const {
  const int lanes = kernels_.wide.lanes;
  const index_t sides = geometry_.right_sides.size;
  if (is_ragged() || sides < std::max(fewest(lanes), 2)) return false;
  if (geometry_.matrices.size < lanes || lies_side_by_side(geometry_.right_sides)) return true;
  if (lies_side_by_side(geometry_.matrices)) return false;
  // Factors of long matrices are read from a near cache only where these have a lane each in turn.
  const auto rows = static_cast<std::size_t>(geometry_.rows);
  return rows * (kernels_.wide.factors_bytes + kernels_.wide.value_bytes) > 2 * near_cache_bytes();
}

void work_split::choose_batches() {
  const kernels& k = kernels_.wide;
  matrix_groups_ = unit_groups_ = groups_for(geometry_.matrices.size);
  right_side_groups_ = groups_for(geometry_.right_sides.size);
  if (side_by_side_) {
    const index_t rows = std::clamp<index_t>(geometry_.rows, 1, rows_of_pieces);
    const index_t piece = row_piece_bytes * rows_of_pieces / rows / size_of(type_);
    const index_t most = std::min(piece, neighbours(geometry_.matrices)) / k.lanes;
    matrix_groups_ = static_cast<int>(std::clamp<index_t>(most, 1, matrix_groups_));
    // The saved values may exceed the near cache by half: only the rows that the forward sweep
    // writes first, and the backward sweep reads last, do not stay in it.
    const int least = good_groups_by_rows;
    unit_groups_ = fitting(matrix_groups_, k.value_bytes, near_cache_bytes() / 2, least);
    // A solve keeps rows of the matrix as well: from a far cache they cost more than short pieces.
    matrix_groups_ = fitting(matrix_groups_, k.kept_bytes, near_cache_bytes() / 2 * 3, 1);
    right_side_groups_ = fitting(right_side_groups_, k.value_bytes, near_cache_bytes() / 2, least);
  }
  if (shares_matrices_ || is_ragged()) {
    unit_groups_ = 1;
  } else if (geometry_.right_sides.size > 1) {
    unit_groups_ = fitting(unit_groups_, k.factors_bytes + k.value_bytes, near_cache_bytes(),
                           side_by_side_ ? good_groups_by_rows : 1);
  }
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

section_split work_split::batches_of(const layout::axes& batch, int groups, const void* x) const {
  const index_t piece = neighbours(batch);
  const int lanes = kernels_.wide.lanes;
  section_split batches(lanes, groups, piece > 0 ? batch.size / piece : 0, piece);
  // Where a piece is short, the separate groups of the systems before and after cost more than they
  // gain: 64 systems of 262144 rows take four times as long with them.
  const int fewest = std::max(2 * groups, fewest_groups_to_align);
  const index_t size = size_of(type_), per_line = 64 / size;
  if (side_by_side_ && piece >= fewest * lanes && keeps_place(per_line)) {
    const auto at = static_cast<index_t>(reinterpret_cast<std::uintptr_t>(x) / size);
    // This adds at most one group: with fewer lanes than a cache line holds, vectors are aligned.
    batches.add((per_line - at % per_line) % per_line % lanes);
  }
  batches.add(piece);
  return batches;
}

bool work_split::keeps_place(index_t per_line) const {
  bool all = geometry_.lines[layout::x].step % per_line == 0;
  for (const layout::axes* batch : {&geometry_.matrices, &geometry_.right_sides}) {
    for (int k = 0; k < batch->count; ++k) {
      const index_t stride = batch->at[k].stride[layout::x];
      all = all && (stride == 1 || stride % per_line == 0);
    }
  }
  return all;
}

index_t work_split::neighbours(const layout::axes& batch) const {
  if (!side_by_side_ || batch.count == 0) return batch.size;
  const index_t piece = batch.at[batch.count - 1].extent;
  return piece < kernels_.wide.lanes ? batch.size : piece;
}

bool work_split::lies_side_by_side(const layout::axes& batch) const {
  if (is_ragged() || geometry_.rows == 0 || batch.count == 0) return false;
  const layout::axis& fastest = batch.at[batch.count - 1];
  return fastest.stride[layout::rhs] == 1 && fastest.stride[layout::x] == 1;
}

/// Returns the groups of a batch: several, so that the next one can be prefetched, but no more than
/// leave work for all threads.
int work_split::groups_for(index_t systems) const {
  const index_t lanes = kernels_.wide.lanes,
                most = std::min<index_t>(max_groups, max_systems / lanes);
  const index_t batches = side_by_side_ ? threads_ : 2 * threads_;
  const index_t even = (systems / lanes + batches - 1) / batches;
  return static_cast<int>(std::clamp<index_t>(even, 1, most));
}

int work_split::fitting(int groups, std::size_t row_bytes, std::size_t cache, int wanted) const {
  const std::size_t group =
      row_bytes * static_cast<std::size_t>(std::max<index_t>(geometry_.rows, 1));
  // Values that come from a far cache cost less than rows that are read in short pieces.
  const auto far_groups = last_cache_bytes() / 2 / static_cast<std::size_t>(threads_) / group;
  const auto least =
      std::clamp<std::size_t>(far_groups, 1, static_cast<std::size_t>(std::min(groups, wanted)));
  return static_cast<int>(std::clamp<std::size_t>(cache / group, least, groups));
}

// ---- memory ----

std::size_t work_split::factors_at(index_t i) const {
  if (is_ragged()) return ragged_factors_at_[i];
  const index_t full = shares_matrices_ ? 0 : std::min(i, split_matrices().full_groups());
  return (full > 0 ? full * group_factors_bytes(0) : 0) +
         (i > full ? (i - full) * group_factors_bytes(groups() - 1) : 0);
}

index_t work_split::first_group(index_t unit) const {
  if (!whole_batches()) return unit;
  const system_range r = unit_at(unit);
  const group_split single = split_matrices();
  return r.single ? single.count() - (matrix_units().count() - unit) : r.first / single.lanes;
}

void work_split::place_memory() {
  const auto rows = static_cast<std::size_t>(geometry_.rows);
  const bool several = geometry_.right_sides.size > 1;
  if (shares_matrices_) {
    const auto together = static_cast<std::size_t>(side_by_side_ ? right_side_groups_ : 1);
    thread_bytes_ = round_up(rows * kernels_.wide.value_bytes * together);
    unit_factors_bytes_ = round_up(rows * kernels_for(true, geometry_.rows).factors_bytes);
  } else if (is_ragged()) {
    ragged_factors_at_.assign(1, 0);
    for (index_t i = 0; i < groups(); ++i) {
      const kernels& k = kernels_at(i);
      const std::size_t factors = group_factors_bytes(i);
      ragged_factors_at_.push_back(ragged_factors_at_.back() + factors);
      unit_factors_bytes_ = std::max(unit_factors_bytes_, factors);
      const std::size_t kept = several ? k.value_bytes : std::max(k.kept_bytes, k.value_bytes);
      thread_bytes_ =
          std::max(thread_bytes_, round_up(static_cast<std::size_t>(rows_at(i)) * kept));
    }
  } else {
    // A single lane needs less than a group.
    const kernels& k = kernels_for(false, geometry_.rows);
    const auto solved = static_cast<std::size_t>(side_by_side_ ? matrix_groups_ : 1);
    const auto factored = static_cast<std::size_t>(side_by_side_ ? unit_groups_ : 1);
    thread_bytes_ =
        round_up(rows * std::max(factored * k.value_bytes, several ? 0 : solved * k.kept_bytes));
    singles_at_ = thread_bytes_;
    if (side_by_side_ && !several) {
      thread_bytes_ += round_up(rows * kernels_for(true, geometry_.rows).kept_bytes);
    }
    unit_factors_bytes_ = static_cast<std::size_t>(unit_groups_) * round_up(rows * k.factors_bytes);
  }
  const auto systems = static_cast<std::size_t>(unit_groups_ * kernels_.wide.lanes);
  unit_status_bytes_ = round_up(systems * sizeof(index_t));
}

index_t work_split::kept_units() const {
  return geometry_.right_sides.size > 1 ? std::min<index_t>(threads_, units()) : 0;
}

}  // namespace tridia::cpu
