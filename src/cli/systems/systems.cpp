// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#include "systems/systems.hpp"

#include "failure.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace tridia::cli {
namespace {

constexpr array_role coefficient_roles[] = {role_dl, role_d, role_du};

std::string rows_text(index_t n, bool off_diagonal, bool periodic) {
  if (off_diagonal && periodic) {
    return fmt::format("{} (with --periodic off-diagonals hold the corners too)", n);
  }
  return off_diagonal && n > 0 ? fmt::format("{} or {}", n, n - 1) : fmt::format("{}", n);
}

/// Lays one coefficient over the right-hand side.
class fit {
 public:
  fit(array_role role, const npy_header& array, const npy_header& rhs, std::size_t axis,
      bool periodic)
      : role_(role), array_(array), rhs_(rhs), axis_(axis), periodic_(periodic) {}

  operand lay() const {
    const std::vector<index_t> own = dense_strides(array_.shape, array_.fortran_order);
    const std::size_t rank = rhs_.shape.size();
    operand out{std::vector<index_t>(rank, 1), std::vector<index_t>(rank, 0)};
    if (array_.shape.size() == 1) {
      check_rows(array_.shape[0], 0);
      out.extents[axis_] = array_.shape[0];
      out.strides[axis_] = 1;
      return out;
    }
    if (array_.shape.size() != rank)
      refuse(rank == 1 ? "it needs 1 axis"
                       : fmt::format("it needs {} axes, or 1 to be shared", rank));
    for (std::size_t a = 0; a < rank; ++a) {
      const index_t extent = array_.shape[a];
      a == axis_ ? check_rows(extent, a) : check_batch(extent, a);
      out.extents[a] = extent;
      out.strides[a] = a != axis_ && extent == 1 ? 0 : own[a];
    }
    return out;
  }

 private:
  bool off_diagonal() const { return role_ != role_d; }

  void check_rows(index_t extent, std::size_t axis) const {
    const index_t n = rhs_.shape[axis_];
    if (extent == n || (off_diagonal() && !periodic_ && n > 0 && extent == n - 1)) return;
    refuse(fmt::format("along axis {} it has {} entries and needs {}", axis, extent,
                       rows_text(n, off_diagonal(), periodic_)));
  }

  void check_batch(index_t extent, std::size_t axis) const {
    if (extent == rhs_.shape[axis] || extent == 1) return;
    refuse(fmt::format("along axis {} it has {} entries and needs {}, or 1 to be broadcast", axis,
                       extent, rhs_.shape[axis]));
  }

  [[noreturn]] void refuse(const std::string& why) const {
    throw bad_input(argument_of(role_),
                    fmt::format("shape {} does not fit --rhs's shape {}: {}",
                                shape_text(array_.shape), shape_text(rhs_.shape), why));
  }

  array_role role_;
  const npy_header& array_;
  const npy_header& rhs_;
  std::size_t axis_;
  bool periodic_;
};

std::size_t checked_axis(int axis, const std::vector<index_t>& shape) {
  const int rank = static_cast<int>(shape.size());
  if (rank == 0) {
    throw bad_input(argument_of(role_rhs), "shape () has no axis that systems could lie along");
  }
  if (axis < -rank || axis >= rank) {
    throw bad_input("--axis", fmt::format("{} is out of range for --rhs's shape {}: {} to {}", axis,
                                          shape_text(shape), -rank, rank - 1));
  }
  return static_cast<std::size_t>(axis < 0 ? axis + rank : axis);
}

void check_types(const npy_header (&headers)[4]) {
  const value_type type = headers[role_rhs].type;
  for (const array_role role : coefficient_roles) {
    if (headers[role].type == type) continue;
    throw bad_input(argument_of(role),
                    fmt::format("type {} differs from --rhs's type {}: all files need one type",
                                npy_descr(headers[role].type), npy_descr(type)));
  }
}

/// Shortens both off-diagonals if one is short: the other one is then read without its unused
/// entry.
void shorten_off_diagonals(systems& s) {
  const index_t n = s.rows();
  operand& dl = s.arrays[role_dl];
  operand& du = s.arrays[role_du];
  s.short_off_diagonals = dl.extents[s.axis] != n || du.extents[s.axis] != n;
  if (!s.short_off_diagonals) return;
  if (dl.extents[s.axis] == n) dl.first += dl.strides[s.axis];
  dl.extents[s.axis] = du.extents[s.axis] = n - 1;
}

bool is_shared(const systems& s, const operand& coefficient) {
  if (s.is_ragged()) return false;
  for (std::size_t a = 0; a < s.extents.size(); ++a) {
    if (a != s.axis && s.extents[a] != 1 && coefficient.strides[a] != 0) return false;
  }
  return s.count() > 1;
}

systems start(const npy_header& rhs, const system_options& options) {
  systems s;
  s.type = rhs.type;
  s.extents = rhs.shape;
  s.axis = checked_axis(options.axis, rhs.shape);
  s.boundary = options.boundary;
  s.pivoting = options.pivoting;
  s.operation = options.operation;
  s.arrays[role_rhs] = {rhs.shape, dense_strides(rhs.shape, rhs.fortran_order)};
  s.arrays[role_x] = s.arrays[role_rhs];
  return s;
}

[[noreturn]] void refuse_offsets(const std::string& why) { throw bad_input("--offsets", why); }

/// Checks that each system of a padded batch has a line that is as long.
void check_padded(const systems& s) {
  const auto count = static_cast<index_t>(s.offsets.size()) - 1;
  if (count != s.extents[1 - s.axis]) {
    refuse_offsets(fmt::format("has {} systems, but --rhs's shape {} has {} along axis {}", count,
                               shape_text(s.extents), s.extents[1 - s.axis], 1 - s.axis));
  }
  if (s.rows() > s.extents[s.axis]) {
    refuse_offsets(fmt::format("has a system of {} rows, but --rhs's shape {} has {} along axis {}",
                               s.rows(), shape_text(s.extents), s.extents[s.axis], s.axis));
  }
}

void check_longest_first(const std::vector<index_t>& offsets) {
  for (std::size_t k = 2; k < offsets.size(); ++k) {
    if (offsets[k] - offsets[k - 1] <= offsets[k - 1] - offsets[k - 2]) continue;
    refuse_offsets(
        fmt::format("system {} is longer than the one before it, but a packed batch has "
                    "the longest first",
                    k - 1));
  }
}

/// Checks what makes offsets those of a batch of so many rows.
void check_offsets(const std::vector<index_t>& offsets, const npy_header& rhs,
                   ragged_layout layout) {
  const auto refuse = [](const std::string& why) { refuse_offsets(why); };
  const bool padded = layout == ragged_layout::padded;
  if (rhs.shape.size() != (padded ? 2 : 1)) {
    refuse(fmt::format("a {} batch has {}, but --rhs's shape is {}",
                       layout == ragged_layout::concatenated ? "ragged" : name(layout),
                       padded ? "two axes" : "one axis", shape_text(rhs.shape)));
  }
  if (offsets.front() != 0)
    refuse(fmt::format("the first is {}, but has to be 0", offsets.front()));
  for (std::size_t k = 1; k < offsets.size(); ++k) {
    if (offsets[k] < offsets[k - 1]) {
      refuse(fmt::format("number {} is {}, below the one before it, {}", k, offsets[k],
                         offsets[k - 1]));
    }
  }
  if (layout == ragged_layout::packed) check_longest_first(offsets);
  if (!padded && offsets.back() != rhs.shape[0]) {
    refuse(fmt::format("the last is {}, but --rhs has {} rows", offsets.back(), rhs.shape[0]));
  }
}

/// Returns the offsets of off-diagonals that are one entry shorter for each system that has rows.
std::vector<index_t> shorter(const std::vector<index_t>& offsets) {
  std::vector<index_t> starts{0};
  for (std::size_t k = 1; k < offsets.size(); ++k)
    starts.push_back(starts.back() + std::max<index_t>(offsets[k] - offsets[k - 1] - 1, 0));
  return starts;
}

/// Returns where each row of a packed batch begins.
std::vector<index_t> packed_row_starts(const std::vector<index_t>& offsets) {
  std::vector<index_t> starts;
  index_t start = 0;
  for (std::size_t systems = offsets.size() - 1; systems > 0; start += systems) {
    const auto row = static_cast<index_t>(starts.size());
    while (systems > 0 && offsets[systems] - offsets[systems - 1] <= row) --systems;
    if (systems > 0) starts.push_back(start);
  }
  return starts;
}

/// Lays the lines of a padded batch over each other.
void match_padded(const npy_header (&headers)[4], systems& s) {
  check_padded(s);
  std::vector<index_t> short_shape = s.extents;
  --short_shape[s.axis];
  s.short_off_diagonals = s.boundary == boundary::regular && headers[role_dl].shape == short_shape;
  s.off_diagonal = s.offsets;
  for (const array_role role : coefficient_roles) {
    const auto& needed = role != role_d && s.short_off_diagonals ? short_shape : s.extents;
    if (headers[role].shape != needed) {
      throw bad_input(
          argument_of(role),
          fmt::format("shape {} does not fit --rhs's shape {}: a padded batch needs {}{}",
                      shape_text(headers[role].shape), shape_text(s.extents), shape_text(needed),
                      role == role_d ? "" : ", as --dl"));
    }
    s.arrays[role] = {needed, dense_strides(needed, headers[role].fortran_order)};
  }
}

/// Lays the arrays of a ragged batch beside each other.
systems match_ragged(const npy_header (&headers)[4], const system_options& options) {
  const npy_header& rhs = headers[role_rhs];
  check_offsets(options.offsets, rhs, options.ragged_layout);
  systems s = start(rhs, options);
  s.offsets = options.offsets;
  s.ragged_layout = options.ragged_layout;
  if (s.is_padded()) {
    match_padded(headers, s);
    return s;
  }
  const std::vector<index_t> short_ones = shorter(s.offsets);
  const bool may_be_short = options.boundary == boundary::regular;
  s.short_off_diagonals = may_be_short && headers[role_dl].shape != rhs.shape;
  s.off_diagonal = s.short_off_diagonals ? short_ones : s.offsets;
  for (const array_role role : coefficient_roles) {
    const std::vector<index_t> needed{role == role_d ? s.offsets.back() : s.off_diagonal.back()};
    if (headers[role].shape != needed) {
      const bool either = role != role_d && may_be_short;
      throw bad_input(
          argument_of(role),
          fmt::format("shape {} does not fit --rhs's shape {} with --offsets: it needs "
                      "{}{}",
                      shape_text(headers[role].shape), shape_text(rhs.shape), shape_text(needed),
                      either ? ", as --dl, or both one entry shorter a system" : ""));
    }
    s.arrays[role] = {needed, {1}};
  }
  if (s.ragged_layout == ragged_layout::packed) {
    s.row_starts = packed_row_starts(s.offsets);
    s.off_diagonal_row_starts = packed_row_starts(s.off_diagonal);
  }
  return s;
}

}  // namespace

const char* argument_of(array_role role) noexcept {
  constexpr const char* names[roles] = {"--dl", "--d", "--du", "--rhs", "--out"};
  return names[role];
}

index_t systems::rows() const noexcept {
  if (!is_ragged()) return extents[axis];
  index_t longest = 0;
  for (std::size_t k = 1; k < offsets.size(); ++k)
    longest = std::max(longest, offsets[k] - offsets[k - 1]);
  return longest;
}

index_t systems::count() const noexcept {
  if (is_ragged()) return static_cast<index_t>(offsets.size()) - 1;
  index_t product = 1;
  for (std::size_t a = 0; a < extents.size(); ++a) product *= a == axis ? 1 : extents[a];
  return product;
}

std::uint64_t systems::bytes_moved() const noexcept {
  std::uint64_t elements = 0;
  for (std::size_t role = 0; role < roles; ++role) {
    const operand& array = arrays[role];
    const bool has_array = !is_constant() || role == role_rhs || role == role_x;
    if (!has_array || is_shared(*this, array)) continue;
    auto product = static_cast<std::uint64_t>(extents[axis]);
    for (std::size_t a = 0; a < extents.size(); ++a) {
      if (a != axis) product *= static_cast<std::uint64_t>(array.extents[a]);
    }
    elements += count() == 0 ? 0 : product;
  }
  return elements * size_of(type);
}

systems match_arrays(const npy_header (&headers)[4], const system_options& options) {
  const npy_header& rhs = headers[role_rhs];
  check_types(headers);
  if (!options.offsets.empty()) return match_ragged(headers, options);
  systems s = start(rhs, options);
  const bool periodic = options.boundary == boundary::periodic;
  for (const array_role role : coefficient_roles) {
    s.arrays[role] = fit(role, headers[role], rhs, s.axis, periodic).lay();
  }
  shorten_off_diagonals(s);
  const bool shared = std::ranges::all_of(
      coefficient_roles, [&](array_role role) { return is_shared(s, s.arrays[role]); });
  s.coefficients = shared ? coefficients::shared : coefficients::per_system;
  return s;
}

systems match_constant(const npy_header& rhs, const near_toeplitz& matrix,
                       const system_options& options) {
  systems s = start(rhs, options);
  s.coefficients = coefficients::constant;
  s.matrix = matrix;
  return s;
}

std::vector<index_t> dense_strides(const std::vector<index_t>& shape, bool fortran_order) {
  std::vector<index_t> strides(shape.size());
  index_t step = 1;
  for (std::size_t k = 0; k < shape.size(); ++k) {
    const std::size_t axis = fortran_order ? k : shape.size() - 1 - k;
    strides[axis] = step;
    step *= std::max<index_t>(shape[axis], 1);
  }
  return strides;
}

}  // namespace tridia::cli
