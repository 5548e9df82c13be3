// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "gpu/check.hpp"
#include "layout/line_status.hpp"
#include "solver/cuda/kernels.hpp"
#include "solver/cuda/method.hpp"

#include <type_traits>
#include <utility>
#include <vector>

// What most methods are: a shape that was planned, and kernels that are launched by it.
namespace tridia::cuda {

/// What a shape needs beside itself.
struct shape_needs {
  std::size_t workspace_bytes = 0;
  bool zero_statuses = false;           // its kernels only add to them
  std::vector<device_memory> memory{};  // that the shape points to
};

/// `Launches` has `solve(geometry, operands, shape, stream)`, or with a workspace before the
/// stream.
template <class Shape, class Launches>
class shaped_method final : public method {
 public:
  shaped_method(const task& t, const device_limits& d, const Shape& s, const Launches& l,
                std::string manner, shape_needs needs)
      : task_(t),
        shape_(s),
        launches_(l),
        manner_(std::move(manner)),
        needs_(std::move(needs)),
        columns_(columns_for(line_count(t), d)) {
    if (layout::shares_status(t.geometry)) needs_.zero_statuses = true;
  }
  std::string manner() const override { return manner_; }
  std::size_t workspace_bytes() const override { return needs_.workspace_bytes; }
  cudaError_t solve(const operands& o, std::byte* workspace, cudaStream_t stream) const override {
    const geometry& g = task_.geometry;
    if (o.status != nullptr && needs_.zero_statuses) {
      const cudaError_t result = launch_enter_statuses(g, nullptr, o.status, columns_, stream);
      if (result != cudaSuccess) return result;
    }
    const cudaError_t result = launch(o, workspace, stream);
    if (result != cudaSuccess || !layout::shares_status(g)) return result;
    return launch_share_nan(task_.type, g, o.x, o.status, columns_, stream);
  }

 private:
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
  std::string manner_;
  shape_needs needs_;
  index_t columns_;
};

/// The launches have been prepared for the shape.
template <class Shape, class Launches>
std::unique_ptr<const method> make_method(const task& t, const device_limits& d, const Shape& s,
                                          const Launches& l, std::string manner,
                                          shape_needs needs = {}) {
  return std::make_unique<shaped_method<Shape, Launches>>(t, d, s, l, std::move(manner),
                                                          std::move(needs));
}

}  // namespace tridia::cuda
