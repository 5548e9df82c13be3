// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tridia/plan.hpp"

#include <string>

namespace tridia::solver {

struct choice {
  tridia::algorithm algorithm;
  std::string reason;
};

/// What `algorithm::automatic` becomes, or why a named algorithm cannot be had (throws
/// `unsupported`).
choice choose(const problem&, const options&);

/// The interchanges that an algorithm makes.
pivoting pivoting_of(algorithm);

}  // namespace tridia::solver
