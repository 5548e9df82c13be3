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

/// What `algorithm::automatic` becomes, or why a named algorithm cannot be had (throws
/// `unsupported`), or a parameter of it (`invalid_argument`). No device is looked at.
choice choose(const problem&, const layout::resolved&, const options&);

/// The interchanges that an algorithm makes where the problem asks for `asked`.
pivoting pivoting_of(algorithm, pivoting asked);

/// Whether a matrix is factored once to be solved with many times.
bool saves_factors(algorithm);

}  // namespace tridia::solver
