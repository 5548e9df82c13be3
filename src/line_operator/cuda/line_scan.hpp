// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "gpu/check.hpp"
#include "gpu/limits.hpp"
#include "layout/alignment.hpp"
#include "line_operator/cuda/scan.hpp"

#include <memory>
#include <string>
#include <vector>

namespace tridia::cuda {

/// The kernels of scan.hpp for the device that was current when it was made.
class line_scan {
 public:
  /// With what they need of one matrix. Null where the lines do not fit or rounding errors would
  /// grow. `scale`: of each row of `out`, or empty.
  static std::unique_ptr<const line_scan> make(scan_task, const solver::constant_matrix&,
                                               const std::vector<double>& scale,
                                               const device_limits&);
  /// For calls that bring the tables of a matrix. Null where the lines do not fit.
  static std::unique_ptr<const line_scan> make(const scan_task&, const device_limits&);

  [[nodiscard]] const scan_shape& shape() const { return plan_.shape; }
  [[nodiscard]] std::string manner() const;
  /// Whether the copy engine moves both arrays, if they are aligned.
  [[nodiscard]] bool is_moved_by_engine() const;
  [[nodiscard]] std::size_t workspace_bytes() const {
    return draws_ ? layout::alignment + sizeof(unsigned) : 0;
  }
  /// What a call draws tiles from, in its workspace, or null.
  [[nodiscard]] unsigned* tickets(void* workspace) const {
    return draws_ ? reinterpret_cast<unsigned*>(layout::align(workspace)) : nullptr;
  }
  /// Launches.
  void apply(scan_call, void* workspace, cudaStream_t) const;

 private:
  line_scan() = default;
  /// Without tables; null where there is no shape.
  static std::unique_ptr<line_scan> planned(const scan_task&, const device_limits&);

  scan_plan plan_{};
  scan_launches launches_{};
  device_memory values_, products_, numbers_, scale_;
  bool draws_ = false;
};

}  // namespace tridia::cuda
