// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "../systems.hpp"
#include "device.hpp"

#include <memory>

namespace tridia_bench {

/// Holds random systems and their right-hand sides, made on the device: they are `systems` of the
/// same spec, except for rounding.
class device_systems {
 public:
  explicit device_systems(const systems_spec& spec);

  [[nodiscard]] const systems_spec& spec() const { return spec_; }
  [[nodiscard]] const device_array& dl() const { return dl_; }
  [[nodiscard]] const device_array& d() const { return d_; }
  [[nodiscard]] const device_array& du() const { return du_; }
  [[nodiscard]] const device_array& rhs() const { return rhs_; }
  /// Returns the same as `systems::residual`; `x` is as large as `rhs`. Waits for the device.
  [[nodiscard]] double residual(const device_array& x) const { return residual(spec_, x); }
  [[nodiscard]] double residual(const systems_spec& s, const device_array& x) const;

 private:
  systems_spec spec_;
  device_array dl_, d_, du_, rhs_, offsets_, row_starts_;
};

/// Returns the systems of the previous case, if they are the same, so that they are made once.
std::shared_ptr<const device_systems> cached_device_systems(const systems_spec& spec);

}  // namespace tridia_bench
