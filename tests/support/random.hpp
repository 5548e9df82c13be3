// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tridia/types.hpp"

#include <complex>
#include <cstdint>
#include <random>
#include <string_view>

namespace tridia_test {

using tridia::index_t;
using rng = std::mt19937_64;

/// This type holds any number of a problem, of any type, in the widest arithmetic of this machine.
using wide = std::complex<long double>;

/// Returns the seed of this run: TRIDIA_TEST_SEED, or else a fresh one. The main function prints
/// it.
std::uint64_t seed();

/// Returns a generator for one test: it is the same for the same seed and name, whatever other
/// tests run.
rng random_for(std::string_view test);

/// Draws a number uniformly from first to last.
index_t draw(rng& random, index_t first, index_t last);
bool flip(rng& random);

/// Draws a number uniformly from (-1, 1); for complex types, both parts.
wide draw_number(rng& random, tridia::value_type type);

/// Draws a number whose modulus is larger than that of any two of `draw_number` together.
wide draw_dominant(rng& random, tridia::value_type type);

/// Draws a power of two, 2^-most to 2^most, by which a matrix may be multiplied: all that is added
/// to the matrix must then be of its size.
wide draw_size(rng& random, index_t most = 20);

}  // namespace tridia_test
