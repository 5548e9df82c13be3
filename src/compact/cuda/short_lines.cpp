// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#include "compact/cuda/short_lines.hpp"

#include "compact/cuda/gpu_operator.hpp"
#include "compact/cuda/short_operator.hpp"
#include "layout/alignment.hpp"

#include <limits>
#include <utility>

namespace tridia::compact {
namespace {

bool is_adjoint(const task& t) { return t.operation != operation::none; }

/// Returns the numbers of values of a line that an operator reads and writes.
std::pair<index_t, index_t> sizes_of(const task& t) {
  const index_t points = t.line.points, rows = t.line.rows;
  return is_adjoint(t) ? std::pair{rows, points} : std::pair{points, rows};
}

/// Returns the matrix of an operator, row after row: what the reference makes of unit vectors.
std::vector<double> matrix_of(const task& t) {
  const auto [read, written] = sizes_of(t);
  task one = t;
  one.type = value_type::f64;
  one.geometry = {};
  one.geometry.rows = written;
  one.geometry.lines[layout::rhs] = one.geometry.lines[layout::x] = {0, 1};
  one.geometry.right_sides.size = 1;
  const auto reference = make_reference(one);
  std::vector<std::byte> workspace(reference->workspace_bytes() + layout::alignment);
  std::vector<double> in(static_cast<std::size_t>(read)), out(static_cast<std::size_t>(written)),
      matrix(in.size() * out.size());
  for (std::size_t k = 0; k < in.size(); ++k) {
    in[k] = 1;
    reference->apply({in.data(), out.data(), 1, false, nullptr, workspace.data(), nullptr});
    in[k] = 0;
    for (std::size_t i = 0; i < out.size(); ++i) matrix[i * in.size() + k] = out[i];
  }
  return matrix;
}

/// Returns the lines' axes with their strides in the two arrays alone.
layout::axes_of<line_array_count> batch_of(const layout::axes& lines) {
  layout::axes_of<line_array_count> b{lines.count, lines.size, {}};
  for (int k = 0; k < lines.count; ++k) {
    const layout::axis& a = lines.at[k];
    b.at[k] = {a.extent, {a.stride[layout::rhs], a.stride[layout::x]}};
  }
  return b;
}

/// Returns whether lines follow each other in an array, `count` values each.
bool follow_each_other(const layout::axes& joined, const layout::along& line, layout::array a,
                       index_t count) {
  if (joined.count > 1 || line.step != 1) return false;
  return joined.count == 0 || joined.at[0].stride[a] == count;
}

class short_operator final : public gpu_operator {
 public:
  short_operator(const task& t, int device, short_lines lines)
      : gpu_operator(t, device),
        short_(std::move(lines)),
        launch_(t.type == value_type::f32 ? &launch_short_lines<float>
                                          : &launch_short_lines<double>) {}

  std::size_t workspace_bytes() const override { return 0; }

 private:
  void launch(const call& c) const override {
    gpu::check(launch_(short_, c.in, c.out, c.s, c.accumulate, as_stream(c.stream)),
               "launching an operator on short lines");
  }

  short_lines short_;
  decltype(&launch_short_lines<float>) launch_;
};

}  // namespace

std::unique_ptr<const operator_executor> make_short_operator(const task& t) {
  const auto [read, written] = sizes_of(t);
  if (t.line.prescribed() > 0 || read < 1 || written < 1) return {};
  if (read > longest_short_line || written > longest_short_line) return {};
  const layout::axes lines = layout::joined(t.geometry.right_sides);
  const layout::along in = t.geometry.lines[layout::rhs], out = t.geometry.lines[layout::x];
  const bool dense = follow_each_other(lines, in, layout::rhs, read) &&
                     follow_each_other(lines, out, layout::x, written);
  if (lines.size > std::numeric_limits<int>::max()) return {};  // blocks of a grid
  const int device = gpu::find_device(t.options.device);
  const auto points = static_cast<int>(read), rows = static_cast<int>(written);
  return std::make_unique<short_operator>(t, device,
                                          short_lines{points,
                                                      rows,
                                                      gpu::fast_divide(points),
                                                      gpu::fast_divide(rows),
                                                      dense,
                                                      {in, out},
                                                      batch_of(lines),
                                                      matrix_of(t)});
}

}  // namespace tridia::compact
