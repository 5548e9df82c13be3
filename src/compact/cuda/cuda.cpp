// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#include "compact/adjoint.hpp"
#include "compact/cuda/gpu_operator.hpp"
#include "compact/cuda/plain.hpp"
#include "compact/cuda/short_operator.hpp"
#include "compact/factors.hpp"
#include "line_operator/cuda/scan_plan.hpp"
#include "solver/executor.hpp"

#include <algorithm>
#include <utility>

// Operators on a GPU are dense matrices on lines of a few points, or run as a scan where that is
// possible, of whole lines or of their parts, and otherwise as B and A one after the other.
namespace tridia::compact {
namespace {

using gpu::check;
using gpu::device_memory;
using gpu::device_scope;

/// Applies B, A and the scale one after another, through a workspace that holds all lines.
template <class V>
class steps {
 public:
  steps(const task& t, int device) : geometry_(t.geometry), solve_(problem_of(t), on(device)) {
    const line_operator::specification& o = t.line;
    std::vector<plain_row> rows;
    std::vector<V> weights;
    const auto add = [&](const stencil& s, index_t row) {
      rows.push_back({static_cast<int>(row) + s.first, static_cast<int>(s.weights.size()),
                      static_cast<int>(weights.size())});
      for (const double w : s.weights) weights.push_back(static_cast<V>(w));
    };
    const auto add_row = [&](index_t row) {
      const index_t prescribed = o.prescribed_number(row);
      prescribed < 0 ? add(o.stencil_of(row), row)
                     : rows.push_back({0, 0, static_cast<int>(prescribed)});
    };
    const index_t heads = std::max(o.prescribed_head, static_cast<index_t>(o.head.size()));
    const index_t tails =
        std::min(std::max(o.prescribed_tail, static_cast<index_t>(o.tail.size())), o.rows - heads);
    add(o.interior, 0);
    for (index_t i = 0; i < heads; ++i) add_row(i);
    for (index_t i = o.rows - tails; i < o.rows; ++i) add_row(i);
    std::vector<V> scale;
    for (const double v : o.scale) scale.push_back(static_cast<V>(v));
    rows_ = gpu::upload(rows);
    weights_ = gpu::upload(weights);
    scale_ = gpu::upload(scale);
    stencil_ = {rows_.as<plain_row>(),
                weights_.as<V>(),
                scale.empty() ? nullptr : scale_.as<V>(),
                o.points,
                o.rows,
                static_cast<int>(heads),
                static_cast<int>(tails),
                o.boundary == boundary::periodic,
                line_operator::lies_interleaved(t.geometry)};
  }

  std::size_t workspace_bytes() const {
    return 2 * solver::alignment + field_bytes() + solve_.workspace_bytes();
  }
  void apply(const plain_launches& launches, const call& c) const {
    std::byte* const field = solver::align(c.workspace);
    check(launches.stencil(geometry_, &stencil_, c.in, c.prescribed, field, as_stream(c.stream)),
          "launching a stencil");
    solve_.execute(static_cast<const void*>(field), static_cast<void*>(field),
                   {.workspace = field + field_bytes(),
                    .workspace_bytes = solve_.workspace_bytes(),
                    .stream = c.stream});
    check(
        launches.finish(geometry_, &stencil_, field, c.out, c.s, c.accumulate, as_stream(c.stream)),
        "launching what ends an operator");
  }

 private:
  static options on(int device) {
    options o;
    o.backend = backend::cuda;
    o.device = device;
    return o;
  }
  static problem problem_of(const task& t) {
    problem p;
    p.type = t.type;
    const bool interleaved = line_operator::lies_interleaved(t.geometry);
    p.extents = interleaved ? std::vector{t.line.rows, t.geometry.right_sides.size}
                            : std::vector{t.geometry.right_sides.size, t.line.rows};
    p.axis = interleaved ? 0 : 1;
    p.boundary = t.line.boundary;
    p.coefficients = coefficients::constant;
    p.matrix = t.line.matrix;
    return p;
  }
  std::size_t field_bytes() const {
    return solver::round_up(static_cast<std::size_t>(geometry_.right_sides.size * stencil_.count) *
                            sizeof(V));
  }

  layout::geometry geometry_;
  plan solve_;
  device_memory rows_, weights_, scale_;
  plain_stencil<V> stencil_{};
};

/// Applies an operator, or an adjoint, as a scan.
class scanned final : public gpu_operator {
 public:
  scanned(const task& t, int device, std::unique_ptr<const line_operator::scan_plan> scan)
      : gpu_operator(t, device), scan_(std::move(scan)) {}
  ~scanned() override {
    on_own_device([&] { scan_.reset(); });
  }
  std::size_t workspace_bytes() const override { return scan_->workspace_bytes(); }
  bool prepare_exchange() const override {
    const device_scope scope(device());
    return scan_->prepare_exchange();
  }
  bool can_exchange(const void* in) const override { return scan_->can_exchange(in); }

 private:
  void launch(const call& c) const override {
    scan_->apply({.in = c.in,
                  .out = c.out,
                  .scale = c.s,
                  .accumulate = c.accumulate,
                  .status = nullptr,
                  .prescribed = c.prescribed,
                  .exchange = c.exchange},
                 c.workspace, as_stream(c.stream));
  }

  std::unique_ptr<const line_operator::scan_plan> scan_;
};

/// Applies an operator in steps.
template <class V>
class stepped final : public gpu_operator {
 public:
  stepped(const task& t, int device)
      : gpu_operator(t, device), steps_(std::make_unique<const steps<V>>(t, device)) {}
  ~stepped() override {
    on_own_device([&] { steps_.reset(); });
  }
  std::size_t workspace_bytes() const override { return steps_->workspace_bytes(); }

 private:
  void launch(const call& c) const override { steps_->apply(plain_kernels<V>(), c); }

  std::unique_ptr<const steps<V>> steps_;
};

std::unique_ptr<const line_operator::scan_plan> plan_scan(
    const line_operator::specification& line, const task& t,
    const line_operator::constant_factors* known) {
  constexpr index_t good_row = 128;  // bytes that memory gives well
  return line_operator::scan_plan::make(line, t.type, t.geometry, good_row,
                                        gpu::current_device_limits(), known);
}

}  // namespace

std::unique_ptr<const operator_executor> make_cuda(const task& t) {
  if (auto of_short_lines = make_short_operator(t)) return of_short_lines;
  const int device = gpu::find_device(t.options.device);
  const device_scope scope(device);
  // This call refuses a singular matrix.
  const auto factored = [&] { return factor(t.line.matrix, t.line.rows, t.line.boundary); };
  factors known{};
  if (t.line.rows <= line_operator::most_factored_rows) known = factored();
  if (auto scan = plan_scan(t.line, t, known.eliminated ? &*known.eliminated : nullptr))
    return std::make_unique<scanned>(t, device, std::move(scan));
  if (t.line.rows > line_operator::most_factored_rows) (void)factored();
  if (t.type == value_type::f32) return std::make_unique<stepped<float>>(t, device);
  return std::make_unique<stepped<double>>(t, device);
}

std::unique_ptr<const operator_executor> make_cuda_adjoint(const task& t) {
  if (auto of_short_lines = make_short_operator(t)) return of_short_lines;
  const auto at_once = adjoint_at_once(t.line);
  if (!at_once) return {};
  const int device = gpu::find_device(t.options.device);
  const device_scope scope(device);
  // This call refuses a singular matrix; that of a longer line is refused where it is left to
  // steps.
  if (t.line.rows <= line_operator::most_factored_rows)
    (void)factor(t.line.matrix, t.line.rows, t.line.boundary);
  auto scan = plan_scan(*at_once, t, nullptr);
  if (!scan) return {};
  return std::make_unique<scanned>(t, device, std::move(scan));
}

}  // namespace tridia::compact
