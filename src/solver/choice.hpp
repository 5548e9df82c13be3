// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "layout/resolve.hpp"
#include "tridia/plan.hpp"

#include <string>

namespace tridia::solver {

struct choice {
  tridia::algorithm algorithm;
  std::string reason;
};

/// Resolves `algorithm::automatic`. Throws `unsupported`, with the reason, where a named algorithm
/// cannot be used, `invalid_argument` where a parameter of it cannot. No device is queried.
choice choose(const problem&, const layout::resolved&, const options&);

/// Returns the interchanges that an algorithm makes where the problem asks for `asked`.
pivoting pivoting_of(algorithm, pivoting asked);

/// Returns whether a matrix is factored once to be solved with many times.
bool saves_factors(algorithm);

}  // namespace tridia::solver
