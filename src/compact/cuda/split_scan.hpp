// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "compact/executor.hpp"
#include "compact/split_lines.hpp"
#include "solver/cuda/line_scan.hpp"

#include <cuda_runtime_api.h>

#include <memory>
#include <vector>

namespace tridia::compact {

/// What the sums of a split line are found by: of `in`, a number for each line in each slot.
struct border_sums {
  layout::axes lines;
  layout::along along;  // of `in`
  index_t points;
  const sum_group* groups;
  index_t count;
  const void* weights;
};
/// Launches; `type` is f32 or f64.
cudaError_t sum_borders(value_type type, const border_sums&, const void* in, void* to,
                        cudaStream_t);

/// Whether neighbouring lines' tiles have rows that are too short for memory to be quick, though
/// there are neighbours enough.
bool is_narrow(const task&, const cuda::line_scan&);

/// Long lines by scans over parts of them (split_lines.hpp), in memory of the current device.
class split_scan {
 public:
  /// Null where they cannot be split. `needed`: nothing quick does without.
  static std::unique_ptr<const split_scan> make(const task&, bool needed,
                                                const cuda::device_limits&);

  [[nodiscard]] std::size_t workspace_bytes() const;
  /// Launches.
  void apply(const call&, cudaStream_t) const;

 private:
  /// Launches of one scan, where `parts` are not done together.
  struct run {
    std::unique_ptr<const cuda::line_scan> scan;
    int parts;
    index_t in, out, slot;  // elements that the first one begins at; its first slot
    index_t given;          // slots of one
  };

  split_scan() = default;
  [[nodiscard]] std::size_t given_bytes() const;

  value_type type_{};
  border_sums sums_{};
  index_t slots_ = 0, step_in_ = 0, step_out_ = 0;
  std::vector<run> runs_;
  cuda::device_memory groups_, weights_;
};

}  // namespace tridia::compact
