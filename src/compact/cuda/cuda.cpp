// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#include "compact/cuda/plain.hpp"
#include "compact/factors.hpp"
#include "compact/operator_executor.hpp"
#include "gpu/check.hpp"
#include "gpu/devices.hpp"
#include "line_operator/cuda/scan_plan.hpp"
#include "solver/executor.hpp"

// Operators on a GPU run as a scan where that is possible, of whole lines or of their parts, and
// otherwise as B and A one after the other.
namespace tridia::compact {
namespace {

using gpu::check;
using gpu::device_memory;
using gpu::device_scope;

cudaStream_t as_stream(void* stream) { return static_cast<cudaStream_t>(stream); }

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

class on_gpu final : public operator_executor {
 public:
  explicit on_gpu(const task& t) : device_(gpu::find_device(t.options.device)) {
    const device_scope scope(device_);
    // This call refuses a singular matrix.
    const auto factored = [&] { return factor(t.line.matrix, t.line.rows, t.line.boundary); };
    factors known{};
    if (t.line.rows <= line_operator::most_factored_rows) known = factored();
    lines_ = t.geometry.right_sides.size;
    constexpr index_t good_row = 128;  // bytes that memory gives well
    scan_ = line_operator::scan_plan::make(t.line, t.type, t.geometry, good_row,
                                           gpu::current_device_limits(),
                                           known.eliminated ? &*known.eliminated : nullptr);
    if (scan_) return;
    if (t.line.rows > line_operator::most_factored_rows) (void)factored();
    if (t.type == value_type::f32) {
      in_f32_ = std::make_unique<const steps<float>>(t, device_);
    } else {
      in_f64_ = std::make_unique<const steps<double>>(t, device_);
    }
  }
  ~on_gpu() override {
    int before = 0;
    // Memory is freed on its own device; nothing can be reported from here.
    if (cudaGetDevice(&before) != cudaSuccess || cudaSetDevice(device_) != cudaSuccess) return;
    scan_.reset();
    in_f32_.reset();
    in_f64_.reset();
    cudaSetDevice(before);
  }

  int device() const override { return device_; }
  std::size_t workspace_bytes() const override {
    if (scan_) return scan_->workspace_bytes();
    return in_f32_ ? in_f32_->workspace_bytes() : in_f64_->workspace_bytes();
  }
  void check_pointer(const char* name, const void* p) const override {
    gpu::check_device_pointer(name, p, device_);
  }
  void apply(const call& c) const override {
    if (lines_ == 0) return;
    const device_scope scope(device_);
    const line_operator::scan_call call{c.in, c.out, c.s, c.accumulate, nullptr, c.prescribed};
    if (scan_) {
      scan_->apply(call, c.workspace, as_stream(c.stream));
    } else if (in_f32_) {
      in_f32_->apply(plain_kernels<float>(), c);
    } else {
      in_f64_->apply(plain_kernels<double>(), c);
    }
  }
  void clear(void* memory, std::size_t bytes, void* stream) const override {
    const device_scope scope(device_);
    check(cudaMemsetAsync(memory, 0, bytes, as_stream(stream)), "clearing a workspace");
  }

 private:
  int device_;
  index_t lines_ = 0;
  std::unique_ptr<const line_operator::scan_plan> scan_;
  std::unique_ptr<const steps<float>> in_f32_;
  std::unique_ptr<const steps<double>> in_f64_;
};

}  // namespace

std::unique_ptr<const operator_executor> make_cuda(const task& t) {
  return std::make_unique<on_gpu>(t);
}

}  // namespace tridia::compact
