// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "line_operator/cuda/line_scan.hpp"
#include "line_operator/merged_status.hpp"
#include "line_operator/split_lines.hpp"

#include <cuda_runtime_api.h>

#include <memory>
#include <string>
#include <vector>

namespace tridia::line_operator {

using namespace gpu;

/// Describes the sums of split lines over `in`: they give a number for each line in each slot.
struct border_sums {
  layout::axes lines;
  layout::along along;  // of `in`
  index_t points;
  const sum_group* groups;
  index_t count;
  const void* weights;
  slot_order places;
};
/// Launches the kernel that computes the sums.
cudaError_t sum_borders(value_type type, const border_sums&, const void* in, void* to,
                        cudaStream_t);
/// Enters statuses, unless `to` is null. X of lines whose status is not 0 becomes NaN.
cudaError_t merge_statuses(value_type type, const status_merge&, const layout::along& of_x,
                           index_t rows, void* x, cudaStream_t);

/// Solves long lines by scans over parts of them (line_operator/split_lines.hpp), in memory of the
/// current device.
class split_scan {
 public:
  /// Returns null where the lines cannot be split. `needed`: no other fast kernel can do them, so
  /// longer sums are allowed. `lines`: lines[rhs], lines[x] and right_sides are set.
  static std::unique_ptr<const split_scan> make(const specification&, value_type,
                                                const geometry& lines, bool needed,
                                                const device_limits&);

  [[nodiscard]] std::string description() const;
  [[nodiscard]] std::size_t workspace_bytes() const;
  /// Launches the kernels. The call has no prescribed right-hand sides; statuses are for operators
  /// that solve.
  void apply(const scan_call&, void* workspace, cudaStream_t) const;

 private:
  /// Describes the launches of one scan: as many as `parts`, where these are not done together.
  struct run {
    std::unique_ptr<const line_scan> scan;
    int first, parts;
    index_t in, out, slot;  // elements that the first one begins at; its first slot
    index_t prescribed;     // slots of one
  };

  split_scan() = default;
  [[nodiscard]] std::size_t prescribed_bytes() const;

  value_type type_{};
  border_sums sums_{};
  layout::along of_x_{};
  index_t rows_ = 0, slots_ = 0, step_in_ = 0, step_out_ = 0, part_points_ = 0;
  int parts_ = 0;
  bool solves_ = false, shares_status_ = false;
  std::vector<run> runs_;
  device_memory groups_, weights_;
};

}  // namespace tridia::line_operator
