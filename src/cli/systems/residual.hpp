// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "systems/slabs.hpp"
#include "systems/systems.hpp"

#include <array>
#include <cstddef>
#include <span>

namespace tridia::cli {

/// The element (0, …, 0) of each file's data.
using array_pointers = std::array<const std::byte*, roles>;

/// The largest ||A x - rhs|| / (||A|| ||x|| + ||rhs||) of the systems of a slab, in the maximum
/// norm and in double; A is transposed where the problem says so. The size of a complex number is
/// |re| + |im|, as LAPACK's cabs1. Systems whose status is not 0 are left out. NaN if something
/// overflows or is not finite.
///
/// `status` holds one entry a system of the slab, C order over the batch axes. 0 threads: as many
/// as OpenMP offers.
double largest_residual(const systems& all, const slab& part, const array_pointers& arrays,
                        std::span<const index_t> status, int threads);

/// The larger one, where NaN is larger than any.
inline double larger(double a, double b) noexcept { return b > a || b != b ? b : a; }

}  // namespace tridia::cli
