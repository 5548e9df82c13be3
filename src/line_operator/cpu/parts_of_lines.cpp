// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#include "line_operator/cpu/parts_of_lines.hpp"

#include "cpu/cache_size.hpp"
#include "layout/alignment.hpp"
#include "line_operator/cpu/part_failures.hpp"
#include "line_operator/cpu/whole_lines.hpp"
#include "line_operator/share_summing.hpp"
#include "line_operator/split_lines.hpp"

#include <omp.h>

#include <algorithm>
#include <cstring>
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

bool is_contiguous(const operation_task& t) { return t.geometry.lines[layout::rhs].step == 1; }

}  // namespace

bool are_long(index_t points, index_t lines, value_type type) {
  if (points < least_points || lines == 0) return false;
  if (lines < enough_lines) return true;
  const auto strip = static_cast<std::size_t>(points * lines_of_strip) * size_of(type);
  return strip > tridia::cpu::near_cache_bytes();
}

namespace {

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
      runs_.push_back({make_whole_lines(part, nullptr), apart ? r.parts : 1, apart ? 1 : r.parts,
                       r.point, r.point * in_.step, r.row * t.geometry.lines[layout::x].step,
                       r.slot, r.line.prescribed()});
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
    std::abs(in_.step) == 1 ? sum_borders<1>(c.in, prescribed) : sum_borders<8>(c.in, prescribed);
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

  template <int Lanes>
  void sum_borders(const void* in, R* to) const {
    const share_summing<R, Lanes, 1> sums{
        static_cast<const R*>(in), lines_, in_,    points_, groups_.data(), 1,
        weights_.data(),           to,     places_};
    const index_t calls = (lines_.size + Lanes - 1) / Lanes;
    const index_t count = calls * static_cast<index_t>(groups_.size());
#pragma omp parallel for num_threads(threads_) schedule(static)
    for (index_t i = 0; i < count; ++i) {
      const index_t group = i / calls;
      sums.sum_some(i - group * calls, group, group + 1);
    }
  }

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
  if (!are_long(t.line.points, t.geometry.right_sides.size, t.type)) return {};
  const index_t most = is_contiguous(t) ? good_contiguous : good_interleaved;
  const split_wish wish{.most_points = most, .most_window = most, .most_axes = layout::max_axes};
  const auto s = line_operator::split(t.line, t.type, t.geometry, wish);
  if (!s) return {};
  if (t.type == value_type::f32) return std::make_unique<parts_of_lines<float>>(t, *s);
  return std::make_unique<parts_of_lines<double>>(t, *s);
}

}  // namespace tridia::line_operator::cpu
