// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#include "solver/cuda/broadcast.hpp"

#include "gpu/check.hpp"
#include "layout/line_status.hpp"
#include "line_operator/constant.hpp"
#include "solver/cuda/thread_per_system.hpp"

#include <string>
#include <utility>
#include <vector>

namespace tridia::cuda {

using namespace gpu;

namespace {

/// Lines of one matrix are substituted on chip up to so many rows: of neighbouring lines, rows of
/// the matrix would have to be moved one by one; short lines would be moved element by element, or
/// one at a time.
constexpr index_t most_substituted = 1024, most_substituted_wide = 256, most_substituted_alone = 23;

/// Returns whether lines in memory order are moved 16 bytes at a time.
bool are_wide(const geometry& g, value_type type) {
  constexpr index_t granule = 16, shortest = 256;
  const index_t bytes = g.rows * static_cast<index_t>(size_of(type));
  return g.lines[layout::rhs].step == 1 && g.lines[layout::x].step == 1 && bytes >= shortest &&
         bytes % granule == 0;
}

/// Matrices with so many rows in all keep a device busy with one right-hand side each; then these
/// are solved one after another, and systems lie as they do where there is only one.
constexpr index_t enough_rows = index_t{1} << 20, most_repeated = 64;

/// Where there are fewer rows in all, it takes longer to factor a matrix first than to read it once
/// more for every line; unless lines in memory order are very short. Periodic lines, which no scan
/// takes, are as well substituted where there are many.
constexpr index_t few_rows = index_t{1} << 22, few_periodic = 1024, shortest_small = 16;

bool is_small(const task& t) {
  const bool fills_rows = t.geometry.rows >= shortest_small ||
                          layout::is_interleaved(layout::broadcast_matrices(t.geometry));
  return fills_rows && line_count(t) * t.geometry.rows < few_rows &&
         (t.boundary == boundary::regular || line_count(t) < few_periodic);
}

bool is_possible(const task& t) {
  return t.options.algorithm == algorithm::partition && t.ragged.empty() && line_count(t) > 0 &&
         t.geometry.matrices.count + t.geometry.right_sides.count <= layout::max_axes;
}

/// Returns whether a broadcast is quicker than solving with factors that are known.
bool is_quicker(const task& t) {
  const geometry& g = t.geometry;
  if (g.matrices.size > 1) return true;
  const geometry lines = layout::broadcast_matrices(g);
  const bool interleaved = layout::is_interleaved(lines);
  return g.rows > (interleaved           ? most_substituted
                   : are_wide(g, t.type) ? most_substituted_wide
                                         : most_substituted_alone);
}

/// Returns the elements from one array of a constant matrix to the next, in memory of the device.
std::size_t pitch_of(index_t rows) { return layout::round_up(static_cast<std::size_t>(rows)); }

/// Holds the rows of a constant matrix: sub, diag and sup, one after another.
device_memory upload_rows(const line_operator::constant_matrix& a, value_type type) {
  const std::size_t pitch = pitch_of(static_cast<index_t>(a.rows.size()));
  std::vector<line_operator::wide> values(3 * pitch, line_operator::wide(0));
  for (std::size_t k = 0; k < a.rows.size(); ++k) {
    values[k] = a.rows[k].sub;
    values[pitch + k] = a.rows[k].diag;
    values[2 * pitch + k] = a.rows[k].sup;
  }
  return upload(line_operator::rounded(values, type));
}

/// Returns whether the right-hand sides of a matrix are solved at about the same time, so that all
/// but the first of them find it in the L2: lines must fit the chip, and be moved in long pieces.
bool are_together(const geometry& g, value_type type) {
  constexpr index_t most_rows = 16384, most_interleaved = 4096, shortest_of_warp = 2176;
  const geometry lines = layout::broadcast_matrices(g);
  if (layout::outer_right_sides(lines) != g.right_sides.size) return false;
  if (layout::is_interleaved(lines)) return g.rows <= most_interleaved;
  // Off-diagonals that are shifted by an element, as a transposed matrix has, are moved one by one,
  // but for real numbers in pieces from about this length on (partition/onchip.cpp).
  const bool aligned = g.lines[layout::sub].origin == 0 && g.lines[layout::sup].origin == 0;
  const bool in_pieces = (type == value_type::f32 || type == value_type::f64) &&
                         g.rows * static_cast<index_t>(size_of(type)) >= shortest_of_warp;
  return (aligned || in_pieces) && are_wide(g, type) && g.rows <= most_rows;
}

bool are_repeated(const task& t) {
  const geometry& g = t.geometry;
  return g.matrices.size > 1 && g.matrices.size * g.rows >= enough_rows &&
         g.right_sides.size <= most_repeated && !are_together(g, t.type);
}

/// Returns the systems with their first right-hand sides. Where right-hand sides share a status,
/// statuses are those of lines.
geometry first_sides(const geometry& g) {
  geometry first = g;
  first.right_sides = {0, 1, {}};
  index_t lines = g.right_sides.size;
  for (int k = g.matrices.count; k-- > 0;) {
    if (layout::shares_status(g)) first.matrices.at[k].stride[layout::status] = lines;
    lines *= g.matrices.at[k].extent;
  }
  return first;
}

/// Returns the task with matrices that are read, each of which may have several right-hand sides.
task with_read_matrices(const task& t) {
  task read = t;
  read.coefficients = coefficients::per_system;
  if (t.constant) {
    geometry& g = read.geometry;
    for (const layout::array a : {layout::sub, layout::diag, layout::sup}) g.lines[a] = {0, 1};
    g.corners = t.boundary == boundary::periodic ? layout::edge::inside : layout::edge::absent;
    g.edges_readable = true;
    g.conjugate = false;  // it has been
    read.constant = nullptr;
  }
  return read;
}

task broadcast(const task& t) {
  task lines = with_read_matrices(t);
  lines.geometry =
      are_repeated(t) ? first_sides(lines.geometry) : layout::broadcast_matrices(lines.geometry);
  return lines;
}

class broadcast_method final : public method {
 public:
  broadcast_method(const task& t, const device_limits& d)
      : task_(t),
        systems_(with_read_matrices(t)),
        lines_(broadcast(t)),
        by_sides_(make_sides_method(systems_, lines_, d)),
        by_line_(by_sides_ ? nullptr : choose_method(lines_, d)),
        merges_(layout::shares_status(t.geometry)),
        concurrent_systems_(concurrent_systems_for(line_count(t), d)) {
    if (t.constant) matrix_ = upload_rows(*t.constant, t.type);
  }

  std::string description() const override {
    if (by_sides_) return by_sides_->description();
    const index_t sides = task_.geometry.right_sides.size;
    return by_line_->description() +
           (repeats() ? ", " + std::to_string(sides) + " right-hand sides one after another"
                      : std::string(", its matrix broadcast"));
  }
  std::size_t workspace_bytes() const override {
    if (by_sides_) return by_sides_->workspace_bytes();
    return by_line_->workspace_bytes() + status_bytes() + solver::alignment;
  }
  cudaError_t solve(const operands& o, std::byte* workspace, cudaStream_t stream) const override {
    operands all = o;
    for (int a = layout::sub; task_.constant && a <= layout::sup; ++a) all.in[a] = row_of(a);
    if (by_sides_) return by_sides_->solve(all, workspace, stream);
    auto* const statuses = reinterpret_cast<index_t*>(workspace);
    if (merges_ && o.status != nullptr) all.status = statuses;
    cudaError_t result = cudaSuccess;
    const geometry& g = task_.geometry;
    const index_t sides = repeats() ? g.right_sides.size : 1;
    for (index_t side = 0; side < sides && result == cudaSuccess; ++side) {
      result = by_line_->solve(with_side(all, side), workspace + status_bytes(), stream);
    }
    if (result != cudaSuccess || !merges_) return result;
    if (o.status != nullptr) {
      result = launch_merge_statuses(g, statuses, o.status, concurrent_systems_, stream);
      if (result != cudaSuccess) return result;
    }
    return launch_share_nan(task_.type, g, o.x, o.status, concurrent_systems_, stream);
  }

 private:
  const void* row_of(int array) const {
    return matrix_.as<std::byte>() +
           static_cast<std::size_t>(array) * pitch_of(task_.geometry.rows) * size_of(task_.type);
  }
  bool repeats() const { return are_repeated(task_); }
  /// Returns the arrays from a right-hand side on.
  operands with_side(operands o, index_t side) const {
    if (side == 0) return o;
    index_t at[layout::array_count];
    task_.geometry.right_sides.offsets(side, at);
    const auto size = static_cast<index_t>(size_of(task_.type));
    o.in[layout::rhs] = static_cast<const std::byte*>(o.in[layout::rhs]) + at[layout::rhs] * size;
    o.x = static_cast<std::byte*>(o.x) + at[layout::x] * size;
    if (o.status != nullptr) o.status += merges_ ? side : at[layout::status];
    return o;
  }
  /// Returns the bytes of the statuses of lines, before the workspace of the method.
  std::size_t status_bytes() const {
    return merges_ ? solver::round_up(static_cast<std::size_t>(line_count(task_)) * sizeof(index_t))
                   : 0;
  }

  const task& task_;
  task systems_, lines_;
  // One of these is there; it refers to the systems, or to the lines.
  std::unique_ptr<const method> by_sides_, by_line_;
  bool merges_;
  index_t concurrent_systems_;
  device_memory matrix_;
};

}  // namespace

std::unique_ptr<const method> make_broadcast_method(const task& t, const device_limits& d) {
  if (!is_possible(t) || !is_quicker(t)) return {};
  return std::make_unique<broadcast_method>(t, d);
}

std::unique_ptr<const method> make_broadcast_of_few(const task& t, const device_limits& d) {
  if (!is_possible(t) || !is_small(t)) return {};
  return std::make_unique<broadcast_method>(t, d);
}

}  // namespace tridia::cuda
