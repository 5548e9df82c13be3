// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "layout/geometry.hpp"
#include "solver/cpu/group_split.hpp"

namespace tridia::cpu {

/// Says how lines are cut into parts, and parts into batches of groups. Parts have the same number
/// of rows, so that any of them can be lanes of a group, but for one that is left over at the end
/// of a line. Cuts depend on the lines alone, not on threads.
class part_split {
 public:
  /// `lanes` are those of the kernels.
  part_split(const layout::geometry& lines, int lanes);

  /// Returns whether the lines of a problem, which are of one length, can be cut: they are long
  /// enough for several parts.
  static bool is_possible(const layout::geometry&);

  [[nodiscard]] index_t lines() const { return lines_; }
  /// Returns the number of parts of a line.
  [[nodiscard]] index_t parts() const { return full_ + (left_over_ > 0 ? 1 : 0); }
  /// Returns the number of parts of a line that have `part_rows()` rows.
  [[nodiscard]] index_t full_parts() const { return full_; }
  /// Returns the number of rows of every part but the last one.
  [[nodiscard]] index_t part_rows() const { return part_rows_; }
  /// Returns the row after a part's last one.
  [[nodiscard]] index_t end_of(index_t part) const {
    return part < full_ ? (part + 1) * part_rows_ : full_ * part_rows_ + left_over_;
  }
  /// Returns whether neighbouring lanes are parts of neighbouring lines rather than of one line.
  [[nodiscard]] bool is_part_major() const { return part_major_; }

  /// Describes consecutive parts of a batch, all of `rows` rows.
  struct part_range {
    system_range range;
    index_t rows;
    bool last;  // these are parts that are left over
  };
  /// Returns the most lanes of a batch.
  [[nodiscard]] int most_lanes() const { return of_full_.groups * of_full_.lanes; }
  [[nodiscard]] index_t batches() const { return of_full_.count() + of_left_over_.count(); }
  [[nodiscard]] part_range batch(index_t i) const {
    const index_t full = of_full_.count();
    if (i >= full) return {of_left_over_.at(i - full), left_over_, true};
    return {of_full_.at(i), part_rows_, false};
  }

  /// Names a part of a line.
  struct part_place {
    index_t line, part;
  };
  /// Returns part i of a batch.
  [[nodiscard]] part_place place(const part_range& r, int i) const {
    const index_t at = r.range.first + i;
    if (r.last) return {at, full_};
    const index_t whole = at / (part_major_ ? lines_ : full_);
    if (part_major_) return {at - whole * lines_, whole};
    return {whole, at - whole * full_};
  }

 private:
  index_t lines_, part_rows_, full_, left_over_;
  bool part_major_;
  group_split of_full_, of_left_over_;
};

}  // namespace tridia::cpu
