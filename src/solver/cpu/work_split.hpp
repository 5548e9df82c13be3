// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "solver/cpu/group_split.hpp"
#include "solver/cpu/kernels.hpp"
#include "solver/cpu/ragged/order.hpp"
#include "solver/executor.hpp"

namespace tridia::cpu {

/// Systems that are neighbours are substituted for row by row where they have more rows than this:
/// fewer are read in long pieces in any order.
inline constexpr index_t longest_by_groups = 8;

/// Says how a task is cut into groups and batches of groups, which kernels they get, and where
/// their factors and their memory lie.
class work_split {
 public:
  explicit work_split(const solver::task&);

  const layout::geometry& geometry() const { return geometry_; }
  bool is_ragged() const { return geometry_.ragged != nullptr; }
  int threads() const { return threads_; }
  /// Returns whether the arrays are larger than all caches.
  bool streams() const { return streams_; }
  /// Returns whether they are larger than the cache of a core: it waits for the last cache as it
  /// does for memory.
  bool far() const { return far_; }
  /// Returns whether neighbouring systems are neighbours in memory, in every array that is not
  /// shared.
  bool side_by_side() const { return side_by_side_; }
  /// Returns whether the lanes are right-hand sides of one matrix.
  bool shares_matrices() const { return shares_matrices_; }

  // ---- groups: of matrices, or single matrices where they are shared ----

  index_t groups() const;
  system_range group_at(index_t i) const;
  index_t rows_at(index_t i) const { return is_ragged() ? ragged_.rows[i] : geometry_.rows; }
  const kernels& kernels_at(index_t i) const { return kernels_for(group_at(i).single, rows_at(i)); }
  /// Returns the kernels for systems of some rows, in groups or one by one.
  const kernels& kernels_for(bool single, index_t rows) const {
    const kernel_pair& pair = rows < 3 ? short_kernels_ : kernels_;
    return single ? pair.single : pair.wide;
  }
  /// Returns the system at a position, which groups count in.
  index_t system_at(index_t position) const {
    return is_ragged() ? ragged_.system[position] : position;
  }

  // ---- units: batches of groups, or single matrices where they are shared ----

  /// A unit's matrices are factored together, and then substituted for with one right-hand side
  /// (or, where they are shared, one batch of them) after another.
  index_t units() const { return whole_batches() ? matrix_units().count() : groups(); }
  system_range unit_at(index_t i) const {
    return whole_batches() ? matrix_units().at(i) : group_at(i);
  }
  index_t unit_rows(index_t i) const { return is_ragged() ? ragged_.rows[i] : geometry_.rows; }
  /// Returns the number of a unit's first group.
  index_t first_group(index_t unit) const;
  /// Returns the number of right-hand sides, or of their `batches`, that a unit is substituted for
  /// with.
  index_t sides(const section_split& batches) const {
    return shares_matrices_ ? batches.count() : geometry_.right_sides.size;
  }

  // ---- batches of groups ----

  /// Cuts all matrices, each with one right-hand side, into batches. Of neighbours in memory, no
  /// batch goes from one piece of them to the next; those before the first that begins where a
  /// cache line of x does come first, so that whole vectors are stored at aligned addresses.
  section_split matrix_batches(const void* x) const {
    return batches_of(geometry_.matrices, matrix_groups_, x);
  }
  /// Cuts the right-hand sides of a matrix into batches, likewise.
  section_split right_side_batches(const void* x) const {
    return batches_of(geometry_.right_sides, right_side_groups_, x);
  }
  /// Returns the largest number of groups in a batch of matrices.
  int matrix_groups() const { return matrix_groups_; }

  // ---- memory ----

  std::size_t group_factors_bytes(index_t rows, bool single) const {
    return solver::round_up(static_cast<std::size_t>(rows) *
                            kernels_for(single, rows).factors_bytes);
  }
  std::size_t group_factors_bytes(index_t i) const {
    return group_factors_bytes(rows_at(i), group_at(i).single);
  }
  /// Returns where a group's factors begin; those of group `groups()` would begin where all end.
  std::size_t factors_at(index_t i) const;
  /// Returns the bytes of memory that a thread needs.
  std::size_t thread_bytes() const { return thread_bytes_; }
  /// Returns where that of single systems begins, which are solved between batches of groups.
  std::size_t singles_at() const { return singles_at_; }
  /// Returns the bytes for the statuses and the factors of a unit that an execution with several
  /// right-hand sides keeps, and how many units it keeps at a time.
  std::size_t unit_bytes() const { return unit_status_bytes_ + unit_factors_bytes_; }
  std::size_t unit_factors_bytes() const { return unit_factors_bytes_; }
  index_t kept_units() const;
  std::size_t kept_bytes() const { return static_cast<std::size_t>(kept_units()) * unit_bytes(); }

 private:
  /// Cuts the matrices into single groups.
  group_split split_matrices() const { return {geometry_.matrices.size, kernels_.wide.lanes, 1}; }
  /// Returns whether a unit is a batch of several groups.
  bool whole_batches() const { return !shares_matrices_ && !is_ragged(); }
  group_split matrix_units() const {
    return {geometry_.matrices.size, kernels_.wide.lanes, unit_groups_};
  }
  bool lanes_are_right_sides() const;
  bool lies_side_by_side(const layout::axes& batch) const;
  void choose_batches();
  section_split batches_of(const layout::axes& batch, int groups, const void* x) const;
  /// Returns whether all rows of x begin alike in cache lines of so many values.
  bool keeps_place(index_t per_line) const;
  /// Counts the systems that lie in one piece of memory, row by row; all of them if they do not, or
  /// if that would not fill a group.
  index_t neighbours(const layout::axes& batch) const;
  int groups_for(index_t systems) const;
  /// Returns as many of `groups` as keep no more than `cache` bytes, but at least `wanted` as far
  /// as the last cache holds what all threads keep of them, and at least one.
  int fitting(int groups, std::size_t row_bytes, std::size_t cache, int wanted) const;
  void place_memory();

  layout::geometry geometry_;
  value_type type_;
  kernel_pair kernels_, short_kernels_;
  ragged_order ragged_;
  int threads_, matrix_groups_, unit_groups_, right_side_groups_;
  bool streams_, far_, side_by_side_, shares_matrices_;
  std::vector<std::size_t> ragged_factors_at_;
  std::size_t thread_bytes_ = 0, singles_at_ = 0, unit_status_bytes_ = 0, unit_factors_bytes_ = 0;
};

}  // namespace tridia::cpu
