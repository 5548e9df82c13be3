// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "fields/field.hpp"
#include "tridia/compact.hpp"

#include <cstdint>
#include <memory>
#include <vector>

namespace tridia::cli {

/// Applies operators to slabs of fields: in place on the host, or on a device by way of copies.
class field_executor {
 public:
  virtual ~field_executor() = default;

  /// Returns the bytes that a slab of both fields, and on a device the workspace, may take, given
  /// those of the host.
  [[nodiscard]] virtual std::uint64_t memory(std::uint64_t host_bytes) const = 0;
  /// Returns the strides of the array that an operator is made for, given those of the slab.
  [[nodiscard]] virtual std::vector<index_t> strides(const std::vector<index_t>& extents,
                                                     const field_part& part) const = 0;
  /// Applies an operator with these strides and waits. Returns the seconds of that alone.
  virtual double apply(const compact_operator& op, const field_part& in, const field_part& out) = 0;
};

/// Makes the executor for the backends cpu and reference.
std::unique_ptr<field_executor> make_host_fields();

/// Makes the executor for the backend cuda; only in builds that have it (TRIDIA_HAS_CUDA).
std::unique_ptr<field_executor> make_device_fields();

}  // namespace tridia::cli
