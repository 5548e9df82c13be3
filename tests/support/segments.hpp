// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cuda_runtime_api.h>

#include "core/dispatch.hpp"
#include "gpu/device_limits.hpp"
#include "solver/cuda/partition/segments/segments.hpp"
#include "support/device_memory.hpp"
#include "support/experiment.hpp"
#include "support/task.hpp"

namespace tridia_test {

/// Runs the passes over segments of a problem, in a shape that no plan would choose: segments and
/// levels as small as `tuning` says, on any card. Where a matrix has several right-hand sides, some
/// of them are solved together.
class segment_passes {
 public:
  segment_passes(const tridia::problem& p, const tridia::cuda::segments_tuning& tuning)
      : task_(task_of(p)) {
    if (task_.geometry.right_sides.size > 1) {
      sides_ = tridia::cuda::plan_sides(task_, tuning, limits());
    } else {
      shape_ = tridia::cuda::plan_segments(task_, tuning, limits());
    }
    if (*this) workspace_ = allocate_on_device(sides_ ? sides_->bytes : shape_->bytes);
  }

  /// Returns whether the problem has such a shape.
  explicit operator bool() const { return shape_ || sides_; }

  /// Says whether the first pass of the last solve has solved segments, and whether it has left
  /// some to those that follow.
  struct findings {
    bool solved, left;
    bool gave_up;  // since other processes had nearly the whole GPU: x may differ in its last bits
  };
  /// Returns these for a problem that has one right-hand side a matrix.
  [[nodiscard]] findings found() const {
    int all[3];
    copy_to_host(all, workspace_.get() + shape_->found, sizeof all);
    return {all[0] != 0, all[1] != 0, all[2] != 0};
  }

  /// Enqueues the passes on arrays of `e`, which has the same problem. Returns the first error, if
  /// any.
  cudaError_t enqueue(experiment& e, void* stream) {
    const bool transposed = e.problem().operation != tridia::operation::none;
    const tridia::solver::operands o{
        {e.of(transposed ? role::du : role::dl).pointer(), e.of(role::d).pointer(),
         e.of(transposed ? role::dl : role::du).pointer(), e.of(role::rhs).pointer()},
        e.of(role::x).pointer(),
        nullptr};
    return tridia::core::with_type(task_.type, [&](auto v) {
      using V = typename decltype(v)::type;
      if (sides_) return solve(tridia::cuda::sides_kernels<V>(task_.boundary), o, *sides_, stream);
      return solve(tridia::cuda::segments_kernels<V>(task_.pivoting, task_.boundary), o, *shape_,
                   stream);
    });
  }

 private:
  template <class Launches, class Shape>
  cudaError_t solve(const Launches& launches, const tridia::solver::operands& o, const Shape& shape,
                    void* stream) {
    const cudaError_t error = launches.prepare(limits().shared_bytes);
    if (error != cudaSuccess) return error;
    return launches.solve(task_.geometry, o, shape, workspace_.get(),
                          static_cast<cudaStream_t>(stream));
  }
  /// Returns those of this device, with no more memory than the smallest card has.
  static tridia::gpu::device_limits limits() {
    tridia::gpu::device_limits all = tridia::gpu::current_device_limits();
    all.shared_bytes = 99 << 10;
    return all;
  }

  tridia::solver::task task_;
  // One of these is there.
  std::optional<tridia::cuda::segments_shape> shape_;
  std::optional<tridia::cuda::sides_shape> sides_;
  device_bytes workspace_{nullptr, [](std::byte*) {}};
};

}  // namespace tridia_test
