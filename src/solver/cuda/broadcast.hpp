// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "solver/cuda/method.hpp"

#include <memory>

namespace tridia::cuda {

/// Makes a method that solves each right-hand side as a system of its own, or some together where
/// systems are too long for the chip: a matrix that several have is read once more for each, most
/// often from the second-level cache. A constant matrix is kept in memory of the device. Returns
/// null where other methods are quicker: for ragged batches, for named algorithms, and for
/// neighbouring lines of one matrix that are short enough to be substituted on chip.
std::unique_ptr<const method> make_broadcast_method(const task&, const device_limits&);

/// Makes such a method where lines have so few rows in all that factoring a matrix first would take
/// longer than solving them; otherwise returns null.
std::unique_ptr<const method> make_broadcast_of_few(const task&, const device_limits&);

}  // namespace tridia::cuda
