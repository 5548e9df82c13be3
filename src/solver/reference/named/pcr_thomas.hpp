// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "solver/default_parameters.hpp"
#include "solver/executor.hpp"

namespace tridia::solver::named {

/// Returns the rows of the systems that PCR leaves to Thomas: the caller's, or the default.
inline int thomas_rows(const task& t) {
  const int asked = t.options.parameters.switch_point;
  return asked > 0 ? asked : default_thomas_switch_point;
}

}  // namespace tridia::solver::named
