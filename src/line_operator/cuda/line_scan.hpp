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

/// Launches the kernels of scan.hpp on the device that was current when it was made.
class line_scan {
 public:
  /// Makes the scan with the tables of one matrix. Returns null where the lines do not fit or
  /// rounding errors would grow. `scale` holds a factor for each row of `out`, or is empty; `known`
  /// are factors of the matrix, if there are any.
  static std::unique_ptr<const line_scan> make(scan_task, const constant_matrix&,
                                               const std::vector<double>& scale,
                                               const device_limits&,
                                               const constant_factors* known = nullptr);
  /// Makes a scan for calls that bring the tables of a matrix. Returns null where the lines do not
  /// fit.
  static std::unique_ptr<const line_scan> make(const scan_task&, const device_limits&);

  [[nodiscard]] const scan_shape& shape() const { return plan_.shape; }
  [[nodiscard]] std::string description() const;
  [[nodiscard]] std::size_t workspace_bytes() const {
    return has_tile_counter_ ? layout::alignment + sizeof(unsigned) : 0;
  }
  /// Returns the tile counter of a call, in its workspace, or null.
  [[nodiscard]] unsigned* tile_counter(void* workspace) const {
    return has_tile_counter_ ? reinterpret_cast<unsigned*>(layout::align(workspace)) : nullptr;
  }
  /// Prepares the device for calls that have an exchange. Returns false if there can be none.
  [[nodiscard]] bool prepare_exchange() const;
  /// Returns whether a call for `in` may have an exchange, once the device is prepared.
  [[nodiscard]] bool can_exchange(const void* in) const;
  /// Launches the kernel.
  void apply(scan_call, void* workspace, cudaStream_t) const;

 private:
  line_scan() = default;
  /// Plans a scan without tables; returns null where no shape fits.
  static std::unique_ptr<line_scan> planned(const scan_task&, const device_limits&);

  planned_scan plan_{};
  scan_launches launches_{};
  device_memory values_, products_, numbers_, scale_;
  bool has_tile_counter_ = false;
};

}  // namespace tridia::line_operator
