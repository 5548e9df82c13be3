// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "solver/cpu/line_executor.hpp"
#include "solver/cpu/parts/part_split.hpp"

#include <algorithm>
#include <cstdlib>
#include <vector>

namespace tridia::cpu {

/// Solves the parts of lines as lines of their own, once what is outside of them has been taken
/// from their first and last right-hand sides. Lines that share a matrix are its right-hand sides.
class parts_as_lines {
 public:
  /// `lines.matrices` are lines with one right-hand side each, cut as `part_split` cuts them; they
  /// have fewer than `layout::max_axes` axes.
  parts_as_lines(const solver::task&, const layout::geometry& lines, const part_split&);

  /// Returns the number of systems: of parts of all lines.
  [[nodiscard]] index_t systems() const { return lines_ * split_.parts(); }
  /// Returns the number of a part's system: those of parts that are left over come last.
  [[nodiscard]] index_t system_of(index_t line, index_t part) const;
  [[nodiscard]] std::size_t workspace_bytes() const;

  /// Solves with the ends of each system, values of the problem's type, and enters the status of
  /// each.
  void solve(const solver::operands&, const end_values& ends, index_t* statuses,
             void* workspace) const;

 private:
  /// Holds the systems of all full parts, or of those that are left over.
  struct part_systems {
    layout::geometry geometry;
    layout::axes lines;     // strides[status]: from the system of one line to that of the next
    index_t from_part = 0;  // to the next one
    std::unique_ptr<const line_executor> solve;
  };
  static constexpr int parts_axis = -1;

  /// Holds an axis, and the number of the axis of lines that it is, or `parts_axis`.
  struct named_axis {
    layout::axis axis;
    int name;
  };

  static bool is_of_right_sides(const layout::axis& a) {
    return a.stride[layout::sub] == 0 && a.stride[layout::diag] == 0 && a.stride[layout::sup] == 0;
  }
  static index_t reach(const layout::axis& a) {
    index_t sum = 0;
    for (int k = 0; k <= layout::x; ++k) sum += std::abs(a.stride[k]);
    return sum;
  }
  static part_systems systems_of(const solver::task&, const layout::geometry& lines,
                                 const part_split&, bool left_over);

  part_split split_;
  index_t lines_;
  std::size_t value_bytes_;
  part_systems full_, left_over_;
};

inline parts_as_lines::part_systems parts_as_lines::systems_of(const solver::task& t,
                                                               const layout::geometry& lines,
                                                               const part_split& split,
                                                               bool left_over) {
  part_systems s{lines, lines.matrices, 0, nullptr};
  layout::geometry& g = s.geometry;
  const index_t first = left_over ? split.full_parts() * split.part_rows() : 0;
  g.rows = left_over ? lines.rows - first : split.part_rows();
  g.corners = layout::edge::absent;
  std::vector<named_axis> matrices, sides;
  for (int k = 0; k < lines.matrices.count; ++k) {
    const layout::axis& a = lines.matrices.at[k];
    (is_of_right_sides(a) ? sides : matrices).push_back({a, k});
  }
  named_axis parts{{split.full_parts(), {}}, parts_axis};
  for (int a = 0; a <= layout::x; ++a) {
    g.lines[a].origin += first * lines.lines[a].step;
    parts.axis.stride[a] = split.part_rows() * lines.lines[a].step;
  }
  // The fastest axis is the last one: lines that are neighbours in memory stay so.
  const auto at = std::find_if(matrices.begin(), matrices.end(), [&](const named_axis& a) {
    return reach(a.axis) < reach(parts.axis);
  });
  if (!left_over) matrices.insert(at, parts);
  // Statuses, and ends, of a matrix follow each other.
  index_t stride = 1;
  const auto fill = [&](layout::axes& to, std::vector<named_axis>& from) {
    to = {static_cast<int>(from.size()), 1, {}};
    for (int k = to.count; k-- > 0;) {
      named_axis& a = from[static_cast<std::size_t>(k)];
      a.axis.stride[layout::status] = stride;
      (a.name == parts_axis ? s.from_part : s.lines.at[a.name].stride[layout::status]) = stride;
      to.at[k] = a.axis;
      to.size *= a.axis.extent, stride *= a.axis.extent;
    }
  };
  fill(g.right_sides, sides), fill(g.matrices, matrices);

  solver::task of_parts = t;
  of_parts.geometry = g;
  of_parts.boundary = boundary::regular;
  of_parts.options.algorithm = algorithm::thomas;
  of_parts.coefficients = sides.empty() ? coefficients::per_system : coefficients::shared;
  s.solve = make_line_executor(of_parts);
  return s;
}

inline parts_as_lines::parts_as_lines(const solver::task& t, const layout::geometry& lines,
                                      const part_split& split)
    : split_(split), lines_(lines.matrices.size), value_bytes_(size_of(t.type)) {
  full_ = systems_of(t, lines, split, false);
  if (split.parts() > split.full_parts()) left_over_ = systems_of(t, lines, split, true);
}

inline index_t parts_as_lines::system_of(index_t line, index_t part) const {
  const bool left_over = part >= split_.full_parts();
  index_t at[layout::array_count];
  (left_over ? left_over_ : full_).lines.offsets(line, at);
  return at[layout::status] + (left_over ? lines_ * split_.full_parts() : part * full_.from_part);
}

inline std::size_t parts_as_lines::workspace_bytes() const {
  std::size_t bytes = full_.solve->workspace_bytes();
  if (left_over_.solve) bytes = std::max(bytes, left_over_.solve->workspace_bytes());
  return bytes;
}

inline void parts_as_lines::solve(const solver::operands& o, const end_values& ends,
                                  index_t* statuses, void* workspace) const {
  solver::operands parts = o;
  parts.status = statuses;
  full_.solve->execute(parts, ends, workspace);
  if (!left_over_.solve) return;
  const index_t before = lines_ * split_.full_parts();
  const auto behind = [&](const void* p) {
    return static_cast<const std::byte*>(p) + static_cast<std::size_t>(before) * value_bytes_;
  };
  parts.status += before;
  left_over_.solve->execute(parts, {behind(ends.first), behind(ends.last)}, workspace);
}

}  // namespace tridia::cpu
