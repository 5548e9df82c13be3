// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "files/npy_header.hpp"
#include "tridia/problem.hpp"

#include <cstdint>
#include <vector>

namespace tridia::cli {

/// Names the five arrays of a problem, in the order of every list of them here.
enum array_role : std::size_t { role_dl, role_d, role_du, role_rhs, role_x };
inline constexpr std::size_t roles = 5;
/// Returns the argument of an array: "--dl", "--d", "--du", "--rhs", "--out".
const char* argument_of(array_role role) noexcept;

/// Describes how one file's array lies along the axes of the right-hand side.
struct operand {
  std::vector<index_t> extents;  ///< 1 where it is broadcast; along the solve axis its own entries.
  std::vector<index_t> strides;  ///< In elements; 0 where it is broadcast.
  index_t first = 0;             ///< The element of the file that (0, …, 0) is.
};

/// Holds what the command line says besides the files.
struct system_options {
  int axis = -1;
  tridia::boundary boundary = tridia::boundary::regular;
  tridia::pivoting pivoting = tridia::pivoting::partial;
  tridia::operation operation = tridia::operation::none;
  std::vector<index_t> offsets{};  ///< Those of a ragged batch (problem::offsets), or empty.
  tridia::ragged_layout ragged_layout = tridia::ragged_layout::concatenated;
};

/// Describes all systems of the files: a problem, and where its arrays lie in them.
struct systems {
  value_type type = value_type::f64;
  std::vector<index_t> extents;  ///< Those of the right-hand side and solution.
  std::size_t axis = 0;
  tridia::boundary boundary = tridia::boundary::regular;
  tridia::pivoting pivoting = tridia::pivoting::partial;
  tridia::operation operation = tridia::operation::none;
  tridia::coefficients coefficients = tridia::coefficients::per_system;
  bool short_off_diagonals = false;
  near_toeplitz matrix{};  ///< If the coefficients are constant: then dl, d and du have no arrays.
  /// These are the offsets of a ragged batch, and those of its off-diagonals; else empty.
  std::vector<index_t> offsets{}, off_diagonal{};
  tridia::ragged_layout ragged_layout = tridia::ragged_layout::concatenated;
  /// These say where each row of a packed batch begins, and that of its off-diagonals; else empty.
  std::vector<index_t> row_starts{}, off_diagonal_row_starts{};
  operand arrays[roles];

  [[nodiscard]] bool is_ragged() const noexcept { return !offsets.empty(); }
  [[nodiscard]] bool is_concatenated() const noexcept {
    return is_ragged() && ragged_layout == tridia::ragged_layout::concatenated;
  }
  [[nodiscard]] bool is_padded() const noexcept {
    return ragged_layout == tridia::ragged_layout::padded;
  }
  [[nodiscard]] bool is_constant() const noexcept {
    return coefficients == tridia::coefficients::constant;
  }
  /// Returns the rows of a system, in a ragged batch of the longest one.
  [[nodiscard]] index_t rows() const noexcept;
  /// Returns the number of systems.
  [[nodiscard]] index_t count() const noexcept;
  /// Returns the minimum number of bytes that solving them moves: each array once, but shared
  /// coefficients not at all.
  [[nodiscard]] std::uint64_t bytes_moved() const noexcept;
};

/// Lays the four arrays (dl, d, du, rhs) over each other. Throws `failure` (bad input), with the
/// argument and both values, where they disagree.
///
/// A coefficient has the shape of the right-hand side, or 1 instead of a batch extent, or it is
/// one-dimensional; off-diagonals may be one entry shorter along the axis. In a ragged batch all
/// arrays have one axis, and off-diagonals may be one entry shorter for each system that has rows;
/// in a padded one they have two, and both off-diagonals may be one entry shorter along the axis.
systems match_arrays(const npy_header (&headers)[4], const system_options& options);

/// Describes systems of a matrix that is known as numbers, with the right-hand sides of a file.
systems match_constant(const npy_header& rhs, const near_toeplitz& matrix,
                       const system_options& options);

/// Returns the strides, in elements, of a dense array in C or Fortran order.
std::vector<index_t> dense_strides(const std::vector<index_t>& shape, bool fortran_order);

}  // namespace tridia::cli
