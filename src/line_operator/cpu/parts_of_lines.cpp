// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#include "line_operator/cpu/parts_of_lines.hpp"

#include "cpu/cache_size.hpp"
#include "layout/alignment.hpp"
#include "line_operator/cpu/kernels.hpp"
#include "line_operator/cpu/part_failures.hpp"
#include "line_operator/cpu/whole_lines.hpp"
#include "line_operator/split_lines.hpp"

#include <omp.h>

#include <algorithm>
#include <cstring>
#include <utility>
#include <vector>

namespace tridia::line_operator::cpu {
namespace {

/// Fewer lines leave lanes or threads without work. The number of threads does not count: results
/// must not depend on it.
constexpr index_t enough_lines = 256;
/// A strip has about so many lines.
constexpr index_t lines_of_strip = 32;
/// Lines of fewer points are not worth a second pass over their borders.
constexpr index_t least_points = 4096;
/// These are the points of a part of contiguous lines, and of neighbouring ones, which lie in the
/// cache side by side.
constexpr index_t good_contiguous = 2048, good_interleaved = 512;
/// Operators on contiguous lines of up to so many points in all have parts that are all alike: each
/// one beside them would be done alone, which takes as long as a vector of parts. Elsewhere that
/// counts less than the sums at every border, of which there are up to `many_given`.
constexpr index_t few_points = index_t{1} << 18, many_given = 32;

bool is_contiguous(const operation_task& t) { return t.geometry.lines[layout::rhs].step == 1; }

}  // namespace

bool are_long(index_t points, index_t lines, value_type type) {
  if (points < least_points || lines == 0) return false;
  if (lines < enough_lines) return true;
  const auto strip = static_cast<std::size_t>(points * lines_of_strip) * size_of(type);
  return strip > tridia::cpu::near_cache_bytes();
}

namespace {

/// Returns what an operator whose stencil comes last solves first.
specification solve_of(specification o) {
  o.interior = {0, {1}};
  o.head.clear(), o.tail.clear();
  o.gathers = false;
  return o;
}

std::unique_ptr<const line_operation> make_run(operation_task t) {
  if (!t.line.gathers) return make_whole_lines(t, nullptr);
  const specification gather = t.line;
  t.line = solve_of(std::move(t.line));
  return make_whole_lines(t, &gather);
}

template <class R>
class parts_of_lines final : public line_operation {
 public:
  parts_of_lines(const operation_task& t, const line_split& s)
      : lines_(t.geometry.right_sides),
        in_(t.geometry.lines[layout::rhs]),
        points_(t.line.points),
        slots_(s.slots),
        places_(s.places),
        groups_(s.sums.groups),
        weights_(s.sums.weights.size()),
        inner_(s.order == part_order::within ? lines_.size / lines_.at[0].extent : lines_.size),
        part_points_(s.part_points),
        threads_(static_cast<int>(t.threads)) {
    const std::vector<std::byte> rounded = line_operator::rounded(s.sums.weights, t.type);
    if (!rounded.empty()) std::memcpy(weights_.data(), rounded.data(), rounded.size());
    step_in_ = s.part_points * in_.step;
    step_out_ = s.part_points * t.geometry.lines[layout::x].step;
    for (const part_run& r : s.runs) {
      operation_task part = t;
      part.line = r.line;
      part.geometry = line_operator::lines_of(t.geometry, s, r);
      const bool apart = s.order == part_order::apart;
      runs_.push_back({make_run(std::move(part)), apart ? r.parts : 1, apart ? 1 : r.parts, r.point,
                       r.point * in_.step, r.row * t.geometry.lines[layout::x].step, r.slot,
                       r.line.prescribed()});
    }
  }

  int threads() const override { return threads_; }
  std::size_t workspace_bytes() const override {
    std::size_t of_runs = 0;
    for (const run& r : runs_) of_runs = std::max(of_runs, r.lines->workspace_bytes());
    return layout::alignment + prescribed_bytes() + failure_bytes() + of_runs;
  }
  void apply(const operation_call& c) const override {
    std::byte* const memory = layout::align(c.workspace);
    R* const prescribed = reinterpret_cast<R*>(memory);
    const first_failures failures(reinterpret_cast<index_t*>(memory + prescribed_bytes()),
                                  c.failures != nullptr ? lines_.size : 0);
    sum_borders(static_cast<const R*>(c.in) + in_.origin, prescribed);
    for (const run& r : runs_) {
      for (int p = 0; p < r.calls; ++p) {
        const run_report report({inner_, r.together, r.point + p * part_points_, part_points_},
                                failures);
        operation_call part = c;
        part.in = static_cast<const R*>(c.in) + r.in + p * step_in_;
        part.out = static_cast<R*>(c.out) + r.out + p * step_out_;
        part.prescribed = prescribed + (r.slot + p * r.prescribed) * lines_.size;
        part.workspace = memory + prescribed_bytes() + failure_bytes();
        part.failures = c.failures != nullptr ? &report : nullptr;
        r.lines->apply(part);
      }
    }
    if (c.failures != nullptr) failures.report_to(*c.failures);
  }

 private:
  /// Describes the calls for one run: one for each part, or one for all of them together.
  struct run {
    std::unique_ptr<const line_operation> lines;
    int calls;
    index_t together;       // parts of a call
    index_t point;          // of the whole line, where the first part begins
    index_t in, out, slot;  // elements that the first one begins at; its first slot
    index_t prescribed;     // slots of one
  };

  std::size_t prescribed_bytes() const {
    return layout::round_up(static_cast<std::size_t>(slots_ * lines_.size) * sizeof(R));
  }

  std::size_t failure_bytes() const {
    return layout::round_up(static_cast<std::size_t>(lines_.size) * sizeof(index_t));
  }

  /// Says how lines are shared out: pieces of those that lie side by side, or one by one.
  struct line_pieces {
    index_t row, lines;  // lines that lie side by side; those of a piece, but for a row's last one
    index_t each() const { return (row + lines - 1) / lines; }
    index_t begin(index_t i) const { return i / each() * row + i % each() * lines; }
    index_t end(index_t i) const { return std::min(begin(i) + lines, (i / each() + 1) * row); }
  };
  line_pieces pieces_of_lines() const {
    if (lines_.count == 0) return {1, 1};
    const layout::axis& fastest = lines_.at[lines_.count - 1];
    if (fastest.stride[layout::rhs] != 1) return {1, 1};
    return {fastest.extent, std::min<index_t>(fastest.extent, kernels_.wide)};
  }

  void sum_borders(const R* in, R* to) const {
    const line_pieces pieces = pieces_of_lines();
    const auto groups = static_cast<index_t>(groups_.size());
    const index_t count = lines_.size / pieces.row * pieces.each() * groups;
#pragma omp parallel for num_threads(threads_) schedule(static)
    for (index_t i = 0; i < count; ++i) {
      const index_t piece = i / groups, line = pieces.begin(piece);
      sum_group_of(groups_[static_cast<std::size_t>(i % groups)], line,
                   static_cast<int>(pieces.end(piece) - line), in, to);
    }
  }
  void sum_group_of(const sum_group& g, index_t line, int lines, const R* in, R* to) const {
    index_t at[layout::array_count];
    lines_.offsets(line, at);
    border_sums<R> s{in + at[layout::rhs],        in_.step, points_, lines, g.first, g.count,
                     weights_.data() + g.weights, g.sums,   {}};
    for (int j = 0; j < g.sums; ++j) s.to[j] = to + places_.at(g.slot[j], line);
    kernels_.sum(s);
  }

  kernels<R> kernels_ = find_kernels<R>();
  layout::axes lines_;
  layout::along in_;
  index_t points_, slots_, step_in_ = 0, step_out_ = 0;
  line_operator::slot_order places_;
  std::vector<line_operator::sum_group> groups_;
  std::vector<R> weights_;
  index_t inner_, part_points_;
  std::vector<run> runs_;
  int threads_;
};

}  // namespace

std::unique_ptr<const line_operation> make_parts_of_lines(const operation_task& t) {
  const index_t lines = t.geometry.right_sides.size;
  if (!are_long(t.line.points, lines, t.type)) return {};
  const bool contiguous = is_contiguous(t);
  const bool few = contiguous && !t.line.solves && t.line.points * lines <= few_points;
  const index_t most = contiguous ? good_contiguous : good_interleaved;
  const split_wish wish{.most_points = most,
                        .most_window = most,
                        .most_axes = layout::max_axes,
                        .most_given = few ? many_given : index_t{sum_group::most}};
  const auto s = line_operator::split(t.line, t.type, t.geometry, wish);
  if (!s) return {};
  if (t.type == value_type::f32) return std::make_unique<parts_of_lines<float>>(t, *s);
  return std::make_unique<parts_of_lines<double>>(t, *s);
}

}  // namespace tridia::line_operator::cpu
