// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#include "compact/factors.hpp"
#include "compact/operator_executor.hpp"
#include "gpu/devices.hpp"
#include "line_operator/constant.hpp"
#include "solver/executor.hpp"

#include <algorithm>
#include <cstring>

// One line after another, a row at a time: the stencil in long double, then the library's reference
// solver in double. The adjoint is the transpose of each of these steps, in reverse order. What the
// other backends are tested against.
namespace tridia::compact {
namespace {

plan solver_of(const task& t) {
  problem p;
  p.extents = {t.line.rows};
  p.boundary = t.line.boundary;
  p.operation = t.operation;
  return plan(p, {.backend = backend::reference});
}

template <class R>
class reference final : public operator_executor {
 public:
  explicit reference(const task& t) : task_(t), solver_(solver_of(t)) {
    (void)factor(t.line.matrix, t.line.rows, t.line.boundary);  // refuses a singular matrix
    for (index_t i = 0; i < t.line.rows; ++i) {
      const near_toeplitz::row& r = line_operator::row_of(t.line.matrix, t.line.rows, i);
      dl_.push_back(r.dl.real());
      d_.push_back(r.d.real());
      du_.push_back(r.du.real());
    }
  }

  std::size_t workspace_bytes() const override {
    return solver::alignment + rows_bytes() + points_bytes() + solver_.workspace_bytes();
  }
  void check_pointer(const char* name, const void* p) const override {
    gpu::check_host_pointer(name, p);
  }

  void apply(const call& c) const override {
    const layout::axes& lines = task_.geometry.right_sides;
    for (index_t l = 0; l < lines.size; ++l) {
      index_t at[layout::array_count];
      lines.offsets(l, at);
      const R* const from = static_cast<const R*>(c.in) + at[layout::rhs];
      R* const to = static_cast<R*>(c.out) + at[layout::x];
      is_adjoint() ? apply_adjoint(c, from, to) : apply_to_line(c, l, from, to);
    }
  }
  void clear(void* memory, std::size_t bytes, void*) const override {
    std::memset(memory, 0, bytes);
  }

 private:
  bool is_adjoint() const { return task_.operation != operation::none; }

  void apply_to_line(const call& c, index_t l, const R* from, R* to) const {
    auto* rhs = reinterpret_cast<double*>(solver::align(c.workspace));
    const auto* const prescribed = static_cast<const R*>(c.prescribed);
    for (index_t i = 0; i < task_.line.rows; ++i) {
      const index_t number = task_.line.prescribed_number(i);
      rhs[i] = number >= 0 ? prescribed[number * task_.geometry.right_sides.size + l]
                           : right_side(from, i);
    }
    solve(rhs);
    for (index_t i = 0; i < task_.line.rows; ++i) put(c, to, i, scale_of(i) * rhs[i]);
  }

  void apply_adjoint(const call& c, const R* from, R* to) const {
    auto* rows = reinterpret_cast<double*>(solver::align(c.workspace));
    for (index_t i = 0; i < task_.line.rows; ++i)
      rows[i] = scale_of(i) * from[i * task_.geometry.lines[layout::rhs].step];
    solve(rows);
    auto* points = reinterpret_cast<long double*>(solver::align(c.workspace) + rows_bytes());
    std::fill_n(points, task_.line.points, 0.0L);
    for (index_t i = 0; i < task_.line.rows; ++i) {
      const stencil& s = task_.line.stencil_of(i);
      for (std::size_t k = 0; k < s.weights.size(); ++k)
        points[point_of(s, i, k)] += static_cast<long double>(s.weights[k]) * rows[i];
    }
    for (index_t j = 0; j < task_.line.points; ++j) put(c, to, j, static_cast<double>(points[j]));
  }

  std::size_t rows_bytes() const {
    return solver::round_up(static_cast<std::size_t>(task_.line.rows) * sizeof(double));
  }
  /// Returns the bytes of the sums that an adjoint adds to.
  std::size_t points_bytes() const {
    if (!is_adjoint()) return 0;
    return solver::round_up(static_cast<std::size_t>(task_.line.points) * sizeof(long double));
  }

  double scale_of(index_t i) const { return task_.line.scale.empty() ? 1 : task_.line.scale[i]; }
  void put(const call& c, R* to, index_t i, double value) const {
    R& x = to[i * task_.geometry.lines[layout::x].step];
    x = static_cast<R>((c.accumulate ? static_cast<double>(x) : 0.0) + c.s * value);
  }

  /// The point that weight k of row i is for.
  index_t point_of(const stencil& s, index_t i, std::size_t k) const {
    const index_t at = i + s.first + static_cast<index_t>(k), points = task_.line.points;
    return task_.line.boundary == boundary::periodic ? (at + points) % points : at;
  }
  double right_side(const R* from, index_t i) const {
    const stencil& s = task_.line.stencil_of(i);
    const index_t step = task_.geometry.lines[layout::rhs].step;
    long double sum = 0;
    for (std::size_t k = 0; k < s.weights.size(); ++k)
      sum += static_cast<long double>(s.weights[k]) * from[point_of(s, i, k) * step];
    return static_cast<double>(sum);
  }

  void solve(double* rhs) const {
    std::byte* const memory = reinterpret_cast<std::byte*>(rhs) + rows_bytes() + points_bytes();
    solver_.execute(dl_.data(), d_.data(), du_.data(), rhs, rhs,
                    {.workspace = memory, .workspace_bytes = solver_.workspace_bytes()});
  }

  task task_;
  plan solver_;
  std::vector<double> dl_, d_, du_;
};

}  // namespace

std::unique_ptr<const operator_executor> make_reference(const task& t) {
  if (t.type == value_type::f32) return std::make_unique<reference<float>>(t);
  return std::make_unique<reference<double>>(t);
}

}  // namespace tridia::compact
