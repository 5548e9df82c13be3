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
/// levels as small as `tuning` says, on any card.
class segment_passes {
 public:
  segment_passes(const tridia::problem& p, const tridia::cuda::segments_tuning& tuning)
      : task_(task_of(p)), shape_(tridia::cuda::plan_segments(task_, tuning, limits())) {
    if (shape_) workspace_ = allocate_on_device(shape_->bytes);
  }

  /// Returns whether the problem has such a shape.
  explicit operator bool() const { return shape_.has_value(); }

  /// Enqueues the passes on arrays of `e`, which has the same problem. Returns the first error, if
  /// any.
  cudaError_t enqueue(experiment& e, void* stream) {
    const auto launches = find_launches(e.problem());
    const bool transposed = e.problem().operation != tridia::operation::none;
    const tridia::solver::operands o{
        {e.of(transposed ? role::du : role::dl).pointer(), e.of(role::d).pointer(),
         e.of(transposed ? role::dl : role::du).pointer(), e.of(role::rhs).pointer()},
        e.of(role::x).pointer(),
        nullptr};
    if (const cudaError_t error = launches.prepare(limits().shared_bytes); error != cudaSuccess)
      return error;
    return launches.solve(task_.geometry, o, *shape_, workspace_.get(),
                          static_cast<cudaStream_t>(stream));
  }

 private:
  /// Returns those of this device, with no more memory than the smallest card has.
  static tridia::gpu::device_limits limits() {
    tridia::gpu::device_limits all = tridia::gpu::current_device_limits();
    all.shared_bytes = 99 << 10;
    return all;
  }

  static tridia::cuda::segments_launches find_launches(const tridia::problem& p) {
    return tridia::core::with_type(p.type, [&](auto v) {
      return tridia::cuda::segments_kernels<typename decltype(v)::type>(p.pivoting, p.boundary);
    });
  }

  tridia::solver::task task_;
  std::optional<tridia::cuda::segments_shape> shape_;
  device_bytes workspace_{nullptr, [](std::byte*) {}};
};

}  // namespace tridia_test
