// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "line_operator/cpu/line_operation.hpp"

#include <algorithm>
#include <limits>

namespace tridia::line_operator::cpu {

/// Collects the failures of a line's parts: the first right-hand side that is not finite, or else
/// the first row that overflows, as this makes other parts overflow as well.
class first_failures {
 public:
  first_failures(index_t* of_lines, index_t count) : of_lines_(of_lines), count_(count) {
    std::fill_n(of_lines, count, none);
  }
  void enter(index_t line, index_t row, bool overflows) const {
    const index_t now = overflows ? overflow + row : row;
    index_t* const first = of_lines_ + line;
    index_t seen = __atomic_load_n(first, __ATOMIC_RELAXED);
    while (now < seen && !__atomic_compare_exchange_n(first, &seen, now, false, __ATOMIC_RELAXED,
                                                      __ATOMIC_RELAXED)) {
    }
  }
  void report_to(const failure_report& all) const {
    for (index_t line = 0; line < count_; ++line) {
      const index_t first = of_lines_[line];
      if (first == none) continue;
      all.enter(line, first < overflow ? first : first - overflow, first >= overflow);
    }
  }

 private:
  static constexpr index_t none = std::numeric_limits<index_t>::max();
  static constexpr index_t overflow = none / 2;  // above all rows

  index_t* of_lines_;
  index_t count_;
};

/// Says which part of which line a line of a run is.
struct part_lines {
  index_t inner;               // lines of a point of the slowest axis
  index_t parts;               // that are done together, by each of those points
  index_t point, part_points;  // where the first of them begins, and their points

  struct place {
    index_t line, point;
  };
  place of(index_t i) const {
    const index_t slow = i / inner, part = slow % parts;
    return {slow / parts * inner + i % inner, point + part * part_points};
  }
};

/// Passes on the failures of a run's lines.
class run_report final : public failure_report {
 public:
  run_report(const part_lines& lines, const first_failures& all) : lines_(lines), all_(all) {}
  void enter(index_t line, index_t row, bool overflows) const override {
    const part_lines::place at = lines_.of(line);
    all_.enter(at.line, at.point + row, overflows);
  }

 private:
  part_lines lines_;
  const first_failures& all_;
};

}  // namespace tridia::line_operator::cpu
