// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tridia/problem.hpp"
#include "tridia/tuning.hpp"

#include <memory>
#include <span>

namespace tridia_test {

using tridia::index_t;

/// A way to hold systems with coefficients of their own, each of which a GPU solves by kernels of
/// its own.
struct arrangement {
  const char* name;
  /// What the reason of a CUDA plan contains if that is so.
  const char* kernel;
  /// Lines of 512 rows or more.
  index_t (*rows)(tridia::value_type type);
  /// A problem whose lines have room for `draws` systems of `n` rows, n = 512 or rows(type).
  tridia::problem (*make)(tridia::value_type type, index_t n, index_t draws);
  /// Whether threads take as many rows as in large batches, which tests are too small for.
  bool long_chunks = false;
  /// Whether CPU backends are to be tried too.
  bool of_cpu = false;
};

std::span<const arrangement> arrangements();

/// Null unless the arrangement asks for long chunks.
std::shared_ptr<const tridia::tuning_table> tuning_of(const arrangement& a, tridia::value_type type,
                                                      index_t n);

}  // namespace tridia_test
