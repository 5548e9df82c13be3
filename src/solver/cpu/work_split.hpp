// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "solver/cpu/group.hpp"
#include "solver/cpu/ragged.hpp"
#include "solver/cpu/split.hpp"
#include "solver/executor.hpp"

namespace tridia::cpu {

/// Says how a task is cut into runs and strips, which kernels they get, and where their factors and
/// their memory lie.
class work_split {
 public:
  explicit work_split(const solver::task&);

  const layout::geometry& geometry() const { return geometry_; }
  bool is_ragged() const { return geometry_.ragged != nullptr; }
  int threads() const { return threads_; }
  /// Returns whether the arrays are larger than the cache.
  bool streams() const { return streams_; }
  /// Returns whether neighbouring systems are neighbours in memory, in every array that is not
  /// shared.
  bool side_by_side() const { return side_by_side_; }
  /// Returns whether the lanes are right-hand sides of one matrix.
  bool shares_matrices() const { return shares_matrices_; }

  // ---- runs: of matrices, or single matrices where they are shared ----

  index_t runs() const;
  run run_at(index_t i) const;
  index_t rows_at(index_t i) const { return is_ragged() ? ragged_.rows[i] : geometry_.rows; }
  const kernels& kernels_at(index_t i) const { return kernels_of(run_at(i).single, rows_at(i)); }
  /// Returns the system at a position of a run.
  index_t system_at(index_t position) const {
    return is_ragged() ? ragged_.system[position] : position;
  }

  // ---- strips ----

  /// Returns run `i` alone.
  stretch stretch_of(index_t i) const;
  /// Returns the systems of a range of a split's runs, where the split's first system is number
  /// `offset`.
  stretch stretch_of(const split& s, index_t offset, const strip_split::range& runs) const;
  /// Cuts all matrices, each with one right-hand side, into strips. Of neighbours in memory, no
  /// strip goes from one piece of them to the next; those before the first that begins where a
  /// cache line of x does come first, so that whole vectors are stored at aligned addresses.
  strip_sections matrix_strips(const void* x) const;
  const split& right_sides() const { return right_sides_; }
  int matrix_groups() const { return matrix_groups_; }
  int right_side_groups() const { return right_side_groups_; }

  // ---- memory ----

  std::size_t run_factors_bytes(index_t i) const;
  /// Returns where a run's factors begin; those of run `runs()` would begin where all end.
  std::size_t factors_at(index_t i) const;
  /// Returns the bytes of memory that a thread needs.
  std::size_t thread_bytes() const { return thread_bytes_; }
  /// Returns how many matrices are factored at a time where they are shared; the next function, the
  /// bytes of their statuses and factors.
  index_t block_of_matrices() const;
  std::size_t shared_factors_bytes() const;

 private:
  const kernels& kernels_of(bool single, index_t rows) const {
    const kernel_pair& pair = rows < 3 ? short_kernels_ : kernels_;
    return single ? pair.single : pair.wide;
  }
  bool lies_side_by_side() const;
  /// Counts the systems that lie in one piece of memory, row by row; all of them if they do not, or
  /// if that would not fill a group.
  index_t neighbours() const;
  int groups_for(const split& s) const;
  /// Returns as many of `groups` as keep no more than `cache` bytes, but at least one.
  int fitting(int groups, std::size_t row_bytes, std::size_t cache) const;
  std::size_t run_bytes(index_t i) const;
  void place_memory();

  layout::geometry geometry_;
  value_type type_;
  kernel_pair kernels_, short_kernels_;
  ragged_order ragged_;
  split matrices_, right_sides_;
  int threads_, matrix_groups_, right_side_groups_;
  bool streams_, side_by_side_, shares_matrices_;
  std::vector<std::size_t> ragged_factors_at_;
  std::size_t thread_bytes_ = 0;
};

}  // namespace tridia::cpu
