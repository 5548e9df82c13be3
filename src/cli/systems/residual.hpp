// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "systems/slabs.hpp"
#include "systems/systems.hpp"

#include <array>
#include <cstddef>
#include <span>

namespace tridia::cli {

/// These point to the element (0, …, 0) of each file's data; null where there is no file.
using array_pointers = std::array<const std::byte*, roles>;

/// Returns the largest ||A x - rhs|| / (||A|| ||x|| + ||rhs||) of the systems of a slab, in the
/// maximum norm and in double; A is transposed where the problem says so. The size of a complex
/// number is |re| + |im|, as LAPACK's cabs1. Systems whose status is not 0 are left out. The result
/// is NaN if something overflows or is not finite.
///
/// `status` holds one entry per system of the slab, C order over the batch axes. 0 threads means as
/// many as OpenMP offers.
double largest_residual(const systems& all, const slab& part, const array_pointers& arrays,
                        std::span<const index_t> status, int threads);

/// Returns the larger one, where NaN is larger than any.
inline double larger(double a, double b) noexcept { return b > a || b != b ? b : a; }

}  // namespace tridia::cli
