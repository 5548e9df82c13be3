// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#include "compact/executor.hpp"
#include "compact/factors.hpp"
#include "gpu/devices.hpp"
#include "line_operator/constant.hpp"
#include "solver/executor.hpp"

// One line after another, a row at a time: the stencil in long double, then the library's reference
// solver in double. What the other backends are tested against.
namespace tridia::compact {
namespace {

plan solver_of(const line_operator& line) {
  problem p;
  p.extents = {line.rows};
  p.boundary = line.boundary;
  return plan(p, {.backend = backend::reference});
}

template <class R>
class reference final : public executor {
 public:
  explicit reference(const task& t) : task_(t), solver_(solver_of(t.line)) {
    (void)factor(t.line.matrix, t.line.rows, t.line.boundary);  // refuses a singular matrix
    for (index_t i = 0; i < t.line.rows; ++i) {
      const near_toeplitz::row& r = solver::row_of(t.line.matrix, t.line.rows, i);
      dl_.push_back(r.dl.real());
      d_.push_back(r.d.real());
      du_.push_back(r.du.real());
    }
  }

  std::size_t workspace_bytes() const override {
    return solver::alignment + solver::round_up(line_bytes()) + solver_.workspace_bytes();
  }
  void check_pointer(const char* name, const void* p) const override {
    cuda::check_host_pointer(name, p);
  }

  void apply(const call& c) const override {
    auto* rhs = reinterpret_cast<double*>(solver::align(c.workspace));
    const auto* const given = static_cast<const R*>(c.given);
    const layout::axes& lines = task_.geometry.right_sides;
    for (index_t l = 0; l < lines.size; ++l) {
      index_t at[layout::array_count];
      lines.offsets(l, at);
      const R* const from = static_cast<const R*>(c.in) + at[layout::rhs];
      R* const to = static_cast<R*>(c.out) + at[layout::x];
      for (index_t i = 0; i < task_.line.rows; ++i) {
        const index_t number = task_.line.given_number(i);
        rhs[i] = number >= 0 ? given[number * lines.size + l] : right_side(from, i);
      }
      solve(rhs);
      for (index_t i = 0; i < task_.line.rows; ++i) {
        R& x = to[i * task_.geometry.lines[layout::x].step];
        const double scale = task_.line.scale.empty() ? 1 : task_.line.scale[i];
        x = static_cast<R>((c.accumulate ? static_cast<double>(x) : 0.0) + c.s * scale * rhs[i]);
      }
    }
  }

 private:
  std::size_t line_bytes() const { return static_cast<std::size_t>(task_.line.rows) * 8; }

  double right_side(const R* from, index_t i) const {
    const line_operator& line = task_.line;
    const stencil& s = line.stencil_of(i);
    const index_t step = task_.geometry.lines[layout::rhs].step;
    long double sum = 0;
    for (std::size_t k = 0; k < s.weights.size(); ++k) {
      index_t at = i + s.first + static_cast<index_t>(k);
      if (line.boundary == boundary::periodic) at = (at + line.points) % line.points;
      sum += static_cast<long double>(s.weights[k]) * from[at * step];
    }
    return static_cast<double>(sum);
  }

  void solve(double* rhs) const {
    std::byte* const memory = reinterpret_cast<std::byte*>(rhs) + solver::round_up(line_bytes());
    solver_.execute(dl_.data(), d_.data(), du_.data(), rhs, rhs,
                    {.workspace = memory, .workspace_bytes = solver_.workspace_bytes()});
  }

  task task_;
  plan solver_;
  std::vector<double> dl_, d_, du_;
};

}  // namespace

std::unique_ptr<const executor> make_reference(const task& t) {
  if (t.type == value_type::f32) return std::make_unique<reference<float>>(t);
  return std::make_unique<reference<double>>(t);
}

}  // namespace tridia::compact
