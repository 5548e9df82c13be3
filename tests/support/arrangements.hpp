// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tridia/problem.hpp"
#include "tridia/tuning.hpp"

#include <memory>
#include <span>

namespace tridia_test {

using tridia::index_t;

/// Describes a way to store systems with their own coefficients; a GPU solves each arrangement by
/// different kernels.
struct arrangement {
  const char* name;
  /// The reason of a CUDA plan contains this text if it uses those kernels.
  const char* kernel;
  /// Returns the length of a line, 512 rows or more.
  index_t (*rows)(tridia::value_type type);
  /// Returns a problem whose lines have room for `draws` systems of `n` rows, n = 512 or
  /// rows(type).
  tridia::problem (*make)(tridia::value_type type, index_t n, index_t draws);
  /// If true, threads take as many rows as in large batches, for which tests are too small.
  bool long_chunks = false;
  /// If true, CPU backends are tested as well.
  bool of_cpu = false;
};

std::span<const arrangement> arrangements();

/// Returns null unless the arrangement asks for long chunks.
std::shared_ptr<const tridia::tuning_table> tuning_of(const arrangement& a, tridia::value_type type,
                                                      index_t n);

}  // namespace tridia_test
