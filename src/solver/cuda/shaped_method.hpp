// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "gpu/check.hpp"
#include "layout/line_status.hpp"
#include "solver/cuda/method.hpp"
#include "solver/cuda/thread_per_system.hpp"

#include <type_traits>
#include <utility>
#include <vector>

// Most methods consist of a planned shape and kernels that are launched with it.
namespace tridia::cuda {

using namespace gpu;

/// Holds what a shape needs besides itself.
struct shape_needs {
  std::size_t workspace_bytes = 0;
  bool zero_statuses = false;           // its kernels only add to them
  std::vector<device_memory> memory{};  // that the shape points to
};

/// `Launches` has `solve(geometry, operands, shape, stream)`, or with a workspace before the
/// stream. It may have `solve_and_form`, which takes the gradients' description and arrays too.
template <class Shape, class Launches>
class shaped_method final : public method {
 public:
  shaped_method(const task& t, const device_limits& d, const Shape& s, const Launches& l,
                std::string description, shape_needs needs)
      : task_(t),
        shape_(s),
        launches_(l),
        description_(std::move(description)),
        needs_(std::move(needs)),
        concurrent_systems_(concurrent_systems_for(line_count(t), d)) {
    if (layout::shares_status(t.geometry)) needs_.zero_statuses = true;
  }
  std::string description() const override { return description_; }
  std::size_t workspace_bytes() const override { return needs_.workspace_bytes; }
  cudaError_t solve(const operands& o, std::byte* workspace, cudaStream_t stream) const override {
    const geometry& g = task_.geometry;
    if (o.status != nullptr && needs_.zero_statuses) {
      const cudaError_t result =
          launch_enter_statuses(g, nullptr, o.status, concurrent_systems_, stream);
      if (result != cudaSuccess) return result;
    }
    const cudaError_t result = launch(o, workspace, stream);
    if (result != cudaSuccess || !layout::shares_status(g)) return result;
    return launch_share_nan(task_.type, g, o.x, o.status, concurrent_systems_, stream);
  }
  bool prepare_forming(const solution_bands& b, const device_limits& d) const override {
    if constexpr (forms_bands) {
      // Rows of y beside those of a block may lie in other blocks.
      if (needs_.zero_statuses || (!b.y_is_u && shape_.blocks > 1)) return false;
      check(launches_.prepare_forming(shape_, d.shared_bytes), giving_memory);
      return true;
    } else {
      return false;
    }
  }
  cudaError_t solve_and_form(const operands& o, const solution_bands& b,
                             const solver::product_operands& p,
                             cudaStream_t stream) const override {
    if constexpr (forms_bands) {
      return launches_.solve_and_form(task_.geometry, o, shape_, b, p, stream);
    } else {
      return cudaErrorNotSupported;
    }
  }

 private:
  static constexpr bool forms_bands = requires(Launches l) { l.solve_and_form; };

  cudaError_t launch(const operands& o, std::byte* workspace, cudaStream_t stream) const {
    const geometry& g = task_.geometry;
    if constexpr (requires { launches_.solve(g, o, shape_, workspace, stream); }) {
      return launches_.solve(g, o, shape_, workspace, stream);
    } else {
      return launches_.solve(g, o, shape_, stream);
    }
  }

  const task& task_;
  Shape shape_;
  Launches launches_;
  std::string description_;
  shape_needs needs_;
  index_t concurrent_systems_;
};

/// Makes a method of a shape; the launches have been prepared for it.
template <class Shape, class Launches>
std::unique_ptr<const method> make_method(const task& t, const device_limits& d, const Shape& s,
                                          const Launches& l, std::string description,
                                          shape_needs needs = {}) {
  return std::make_unique<shaped_method<Shape, Launches>>(t, d, s, l, std::move(description),
                                                          std::move(needs));
}

}  // namespace tridia::cuda
