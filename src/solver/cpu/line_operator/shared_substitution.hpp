// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "solver/executor.hpp"

#include <cstddef>
#include <memory>

namespace tridia::cpu {

/// Substitutes for the right-hand sides of one matrix by the sweeps of operators, with the factors
/// that the kernels of single systems make.
class shared_substitution {
 public:
  virtual ~shared_substitution() = default;
  [[nodiscard]] virtual std::size_t workspace_bytes() const = 0;
  /// Solves with the factors of a matrix whose status is 0, and enters statuses that are not 0.
  /// Returns false where it has done nothing, as many rows are interchanged, or as the sweeps would
  /// be less accurate with a periodic matrix.
  virtual bool apply(const void* factors, const solver::operands&, std::byte* workspace) const = 0;
};

/// Returns null where another way is as fast: where lines are not contiguous, long or few, numbers
/// complex.
std::unique_ptr<const shared_substitution> make_shared_substitution(const solver::task&);

}  // namespace tridia::cpu
