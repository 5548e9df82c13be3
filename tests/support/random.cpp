// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#include "support/random.hpp"

#include <cmath>
#include <cstdlib>
#include <functional>

#include "support/scalar.hpp"

namespace tridia_test {

std::uint64_t seed() {
  static const std::uint64_t value = [] {
    const char* given = std::getenv("TRIDIA_TEST_SEED");
    if (given != nullptr && *given != 0) return std::strtoull(given, nullptr, 10);
    std::random_device device;
    return static_cast<unsigned long long>(device());
  }();
  return value;
}

rng random_for(std::string_view test) {
  const std::uint64_t salt = std::hash<std::string_view>{}(test);
  std::seed_seq words{seed(), seed() >> 32, salt, salt >> 32};
  return rng(words);
}

index_t draw(rng& random, index_t first, index_t last) {
  return std::uniform_int_distribution<index_t>(first, last)(random);
}

bool flip(rng& random) { return (random() >> 60 & 1) != 0; }

wide draw_number(rng& random, tridia::value_type type) {
  std::uniform_real_distribution<double> uniform(-1, 1);
  const double real = uniform(random);
  return {real, is_complex(type) ? uniform(random) : 0.0};
}

wide draw_dominant(rng& random, tridia::value_type type) {
  std::uniform_real_distribution<double> modulus(3, 4), angle(0, 6.2831853);
  const double size = modulus(random);
  if (!is_complex(type)) return flip(random) ? size : -size;
  return std::polar(static_cast<long double>(size), static_cast<long double>(angle(random)));
}

wide draw_size(rng& random, index_t most) {
  return std::ldexp(1.0L, static_cast<int>(draw(random, -most, most)));
}

}  // namespace tridia_test
