// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "systems/residual.hpp"
#include "systems/slabs.hpp"
#include "systems/systems.hpp"
#include "tridia/plan.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

namespace tridia::cli {

/// Solves slabs of mapped files: in place on the host, or on a device by way of copies.
class slab_executor {
 public:
  virtual ~slab_executor() = default;

  /// Returns whether its plans must be for packed arrays (see `slab_problem`).
  [[nodiscard]] virtual bool packed() const noexcept = 0;
  /// Returns the bytes that a slab's arrays and workspace may take, given those of the host.
  [[nodiscard]] virtual std::uint64_t memory(std::uint64_t host_bytes) const = 0;
  /// Solves a slab with a plan for it and waits. Returns the seconds of the solve alone.
  virtual double execute(const plan& p, const systems& all, const slab& part,
                         const array_pointers& inputs, std::byte* x, std::span<index_t> status) = 0;
};

/// Makes the executor for the backends cpu and reference.
std::unique_ptr<slab_executor> make_host_slab_executor();

/// Makes the executor for the backend cuda; only in builds that have it (TRIDIA_HAS_CUDA).
std::unique_ptr<slab_executor> make_device_slab_executor();

}  // namespace tridia::cli
