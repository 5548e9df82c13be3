// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "solver/executor.hpp"

namespace tridia::solver::named {

/// Returns the rows of the systems that PCR leaves to Thomas: the caller's, or those that are a
/// GPU's default.
inline int thomas_rows(const task& t) {
  constexpr int of_gpu = 16;
  const int asked = t.options.parameters.switch_point;
  return asked > 0 ? asked : of_gpu;
}

}  // namespace tridia::solver::named
