// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tridia/problem.hpp"

#include <memory>
#include <string>
#include <vector>

#include "support/random.hpp"

namespace tridia_test {

/// Names the arrays of a problem.
enum class role { dl, d, du, rhs, x };
inline constexpr role kRoles[] = {role::dl, role::d, role::du, role::rhs, role::x};
std::string name(role r);

/// Locates the elements of one array that belong to one system and right-hand side: row r is at
/// `base + r * stride` for first <= r < last, counted from the pointer that the caller passes; in a
/// packed batch at `base + row_starts[r - first] * stride`.
struct line {
  index_t base = 0, stride = 0, first = 0, last = 0;
  std::shared_ptr<const std::vector<index_t>> row_starts = nullptr;
  [[nodiscard]] index_t at(index_t row) const {
    if (row_starts == nullptr) return base + row * stride;
    return base + row_starts->at(static_cast<std::size_t>(row - first)) * stride;
  }
};

/// Says where the numbers of a problem lie. It is written anew from the text of problem.hpp, as the
/// oracle for the library's own layout code, with which it shares nothing.
class layout {
 public:
  explicit layout(tridia::problem problem);

  [[nodiscard]] const tridia::problem& problem() const { return p_; }
  [[nodiscard]] index_t systems() const;
  [[nodiscard]] index_t rows(index_t system) const;
  [[nodiscard]] line of(role r, index_t system, index_t column = 0) const;

  /// Returns the number of right-hand sides that an array holds.
  [[nodiscard]] index_t columns(role r) const;

  /// Holds the first and last element that an array has; it is empty if the array has none.
  struct span {
    index_t first = 0, last = -1;
    [[nodiscard]] index_t size() const { return last - first + 1; }
  };
  [[nodiscard]] span extent(role r) const;

 private:
  [[nodiscard]] const std::vector<index_t>& given_strides(role r) const;
  [[nodiscard]] std::vector<index_t> strides_of(role r) const;
  [[nodiscard]] const std::vector<index_t>& strides(role r) const {
    return strides_[static_cast<std::size_t>(r)];
  }
  [[nodiscard]] bool is_short(role r) const;
  [[nodiscard]] index_t start_of_system(role r, index_t system) const;
  [[nodiscard]] index_t column_step(role r) const;
  /// Returns where the entries of packed systems begin that have `missing` rows less.
  [[nodiscard]] std::vector<index_t> packed_starts(index_t missing) const;

  tridia::problem p_;
  std::size_t axis_;
  std::vector<index_t> strides_[5];
  std::vector<index_t> short_offsets_;  // For a ragged batch with short off-diagonals.
  std::shared_ptr<const std::vector<index_t>> row_starts_[2];  // Packed: full rows, and short.
};

/// Describes the problem in a few words, for messages.
std::string describe(const tridia::problem& p);

}  // namespace tridia_test
