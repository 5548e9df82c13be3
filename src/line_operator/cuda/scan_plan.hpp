// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "line_operator/cuda/line_scan.hpp"
#include "line_operator/cuda/split_scan.hpp"

#include <memory>
#include <string>

namespace tridia::line_operator {

using namespace gpu;

/// Scans whole lines where a block holds them; otherwise, or where it holds too few of them side by
/// side, their parts.
class scan_plan {
 public:
  /// Plans a scan. Returns null where neither is possible. Lines whose tiles have rows of less than
  /// `least_row` bytes, though there are neighbours enough, are cut. `lines`: lines[rhs], lines[x]
  /// and right_sides are set. `known`: factors of the operator's matrix, if there are any.
  static std::unique_ptr<const scan_plan> make(const specification&, value_type,
                                               const geometry& lines, index_t least_row,
                                               const device_limits&,
                                               const constant_factors* known = nullptr);

  [[nodiscard]] std::string description() const {
    return whole_ ? whole_->description() : parts_->description();
  }
  [[nodiscard]] std::size_t workspace_bytes() const {
    return whole_ ? whole_->workspace_bytes() : parts_->workspace_bytes();
  }
  /// Do what line_scan's do.
  [[nodiscard]] bool prepare_exchange() const { return whole_ && whole_->prepare_exchange(); }
  [[nodiscard]] bool can_exchange(const void* in) const { return whole_->can_exchange(in); }
  /// Launches the kernels. Statuses are for operators that solve.
  void apply(const scan_call& c, void* workspace, cudaStream_t stream) const {
    whole_ ? whole_->apply(c, workspace, stream) : parts_->apply(c, workspace, stream);
  }

 private:
  scan_plan() = default;
  std::unique_ptr<const line_scan> whole_;
  std::unique_ptr<const split_scan> parts_;
};

}  // namespace tridia::line_operator
