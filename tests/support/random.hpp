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

/// Any number of a problem, of any type, in the widest arithmetic of this machine.
using wide = std::complex<long double>;

/// The seed of this run: TRIDIA_TEST_SEED, else a fresh one. The main function prints it.
std::uint64_t seed();

/// A generator for one test: the same for the same seed and name, whatever other tests run.
rng random_for(std::string_view test);

/// Uniform over first..last.
index_t draw(rng& random, index_t first, index_t last);
bool flip(rng& random);

/// Uniform on (-1, 1); complex types: both parts.
wide draw_number(rng& random, tridia::value_type type);

/// A number whose modulus is larger than that of any two of `draw_number` together.
wide draw_dominant(rng& random, tridia::value_type type);

/// A power of two, 2^-most to 2^most, which a matrix may be multiplied by: what is added to it must
/// then be of its size.
wide draw_size(rng& random, index_t most = 20);

}  // namespace tridia_test
