// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "gpu/check.hpp"
#include "gpu/device_limits.hpp"
#include "layout/alignment.hpp"
#include "line_operator/cuda/scan.hpp"

#include <memory>
#include <string>
#include <vector>

namespace tridia::line_operator {

using namespace gpu;

/// The kernels of scan.hpp for the device that was current when it was made.
class line_scan {
 public:
  /// With what they need of one matrix. Null where the lines do not fit or rounding errors would
  /// grow. `scale`: of each row of `out`, or empty.
  static std::unique_ptr<const line_scan> make(scan_task, const constant_matrix&,
                                               const std::vector<double>& scale,
                                               const device_limits&);
  /// For calls that bring the tables of a matrix. Null where the lines do not fit.
  static std::unique_ptr<const line_scan> make(const scan_task&, const device_limits&);

  [[nodiscard]] const scan_shape& shape() const { return plan_.shape; }
  [[nodiscard]] std::string description() const;
  /// Whether the TMA moves both arrays, if they are aligned.
  [[nodiscard]] bool is_moved_by_tma() const;
  [[nodiscard]] std::size_t workspace_bytes() const {
    return has_tile_counter_ ? layout::alignment + sizeof(unsigned) : 0;
  }
  /// What a call draws tiles from, in its workspace, or null.
  [[nodiscard]] unsigned* tile_counter(void* workspace) const {
    return has_tile_counter_ ? reinterpret_cast<unsigned*>(layout::align(workspace)) : nullptr;
  }
  /// Launches.
  void apply(scan_call, void* workspace, cudaStream_t) const;

 private:
  line_scan() = default;
  /// Without tables; null where there is no shape.
  static std::unique_ptr<line_scan> planned(const scan_task&, const device_limits&);

  planned_scan plan_{};
  scan_launches launches_{};
  device_memory values_, products_, numbers_, scale_;
  bool has_tile_counter_ = false;
};

}  // namespace tridia::line_operator
