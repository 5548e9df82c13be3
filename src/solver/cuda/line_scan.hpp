// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "solver/cuda/check.hpp"
#include "solver/cuda/method.hpp"
#include "solver/cuda/scan.hpp"

#include <memory>
#include <string>
#include <vector>

namespace tridia::cuda {

/// The kernels of scan.hpp with what they need of one matrix, in memory of the device that was
/// current when it was made.
class line_scan {
 public:
  /// Null where the lines do not fit or rounding errors would grow. `scale`: of each row of `out`,
  /// or empty.
  static std::unique_ptr<const line_scan> make(scan_task, const solver::constant_matrix&,
                                               const std::vector<double>& scale,
                                               const device_limits&);

  [[nodiscard]] const scan_shape& shape() const { return plan_.shape; }
  [[nodiscard]] std::string manner() const;
  [[nodiscard]] std::size_t workspace_bytes() const {
    return draws_ ? solver::alignment + sizeof(unsigned) : 0;
  }
  /// Launches.
  void apply(scan_call, void* workspace, cudaStream_t) const;

 private:
  line_scan() = default;

  scan_plan plan_{};
  scan_launches launches_{};
  device_memory factors_, products_, numbers_, scale_;
  bool draws_ = false;
};

}  // namespace tridia::cuda
