// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "mpi/ranks.hpp"
#include "support/random.hpp"
#include "support/scalar.hpp"

namespace tridia_test {

/// Returns grids of all ranks in three directions, split in one direction alone and in several.
std::vector<std::vector<int>> process_grids();
/// Returns an uneven decomposition if there is more than one rank, with one point on the first.
tridia::distributed::decomposition uneven_grid(const std::vector<int>& process_grid);

/// Holds one array of a global problem, whole on every rank, and this rank's block of it in another
/// layout, among NaN.
class field {
 public:
  field(tridia::value_type type, const tridia::distributed::decomposition& g, bool reversed);

  wide get(index_t at) const { return load(type_, whole_.data(), at); }
  void set(index_t at, wide v) { store(type_, whole_.data(), at, v); }
  void* whole() { return whole_.data(); }
  const void* whole() const { return whole_.data(); }

  /// These return the block as it lies on this rank, and its strides.
  void* block() { return local_.there() + origin_ * tridia::size_of(type_); }
  const std::vector<index_t>& strides() const { return strides_; }
  /// These copy the block from the whole, and the whole from all ranks' blocks.
  void scatter();
  void collect();

 private:
  template <class F>
  void for_each_point(F f) const;

  tridia::value_type type_;
  tridia::distributed::decomposition grid_;
  tridia::distributed::block own_;
  std::vector<index_t> strides_;
  index_t origin_ = 0;
  std::vector<std::byte> whole_;
  ranks_memory local_{0};
};

/// Holds a problem on a grid; everything is known on all ranks.
struct split_problem {
  tridia::distributed::decomposition blocks;
  tridia::problem whole;  // dense, with n entries of off-diagonals even if blocks have them short
  bool short_off_diagonals;
  field dl, d, du, rhs, x;

  split_problem(const tridia::distributed::decomposition& g, const tridia::problem& p);
  /// Fills the arrays; matrices are diagonally dominant without pivoting, and elements that must
  /// not be read are NaN.
  void fill(rng& random);
  /// Returns the problem of this rank's block.
  tridia::problem local() const;
  /// Returns dl of this rank's block; if it is short, from its second row on at the head of a line.
  const void* dl_block();
  /// Runs a plan on all ranks and collects x. Returns the statuses of this rank's systems, where
  /// they are asked for.
  std::vector<index_t> run(tridia::distributed::plan& plan, bool ask = true);

  index_t rows() const;
  index_t lines() const;
  /// Returns where row k of a line is in the whole arrays.
  index_t at(index_t line, index_t row) const;
  /// Returns the largest backward error of any line but those left out, in units of epsilon.
  long double worst(const std::vector<index_t>& but = {}) const;
  /// Returns the largest difference from the plan of the whole, over the largest |x|, in units of
  /// epsilon.
  long double difference() const;
  /// Returns the statuses of all lines from the plan of the whole.
  std::vector<index_t> statuses() const;

 private:
  /// Returns x of the plan of the whole, and its statuses.
  std::pair<std::vector<std::byte>, std::vector<index_t>> solved() const;
};

/// Describes what is solved how, on which process grid.
std::string describe(const tridia::problem& p, const std::vector<int>& process_grid,
                     const tridia::distributed::plan_options& o);
/// Checks a solve by the strategy that is asked for, or by one with a reason; without pivoting, the
/// result is that of the plan of the whole.
void expect_solved(split_problem& s, const tridia::distributed::communicator& by,
                   const tridia::distributed::plan_options& o);

}  // namespace tridia_test
