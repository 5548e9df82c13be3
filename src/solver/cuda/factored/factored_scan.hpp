// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "line_operator/cuda/line_scan.hpp"
#include "solver/cuda/factored/substitute.hpp"
#include "solver/cuda/method.hpp"
#include "solver/cuda/thread_per_system.hpp"

#include <memory>
#include <string>

namespace tridia::cuda {

using namespace gpu;

/// Solves right-hand sides of one matrix by a scan, with tables that are made of its saved factors
/// on the device (block_factor.cu). Whether a scan is sound is known only there: a substitution is
/// launched before it or after it, and each of the two does nothing where the other one solves.
class factored_scan {
 public:
  /// Returns null where there are several matrices, lines do not fit, or a substitution is quicker.
  static std::unique_ptr<const factored_scan> make(const task&, const device_limits&);

  [[nodiscard]] std::string description() const { return scan_->description(); }
  /// Returns the bytes of the tables; they begin aligned.
  [[nodiscard]] std::size_t table_bytes() const;
  [[nodiscard]] table_memory tables_at(std::byte*) const;
  [[nodiscard]] std::size_t workspace_bytes() const { return scan_->workspace_bytes(); }
  [[nodiscard]] unsigned* tile_counter(void* workspace) const {
    return scan_->tile_counter(workspace);
  }
  /// Launches the scan, which begins early: the launch before it must have been given the tile
  /// counter to clear.
  void solve(const operands&, const table_memory&, void* workspace, cudaStream_t) const;

 private:
  factored_scan() = default;
  std::unique_ptr<const line_operator::line_scan> scan_;
  std::size_t values_bytes_ = 0, products_bytes_ = 0;
};

}  // namespace tridia::cuda
