// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tridia/scheme.hpp"

#include <string_view>
#include <vector>

// The coefficients of the schemes that come with the library. Orders are not among them: they are
// found from the coefficients.
namespace tridia::compact {

/// Returns the interior row of a scheme, by its name.
struct named_row {
  std::string_view name;
  compact_row row;
};

/// Returns the schemes of a quantity, in rising order; none if there are none of that staggering.
std::vector<named_row> interior_rows(tridia::quantity quantity, tridia::staggering staggering,
                                     double alpha_f);

/// Returns the row of a closure that is no scheme's interior, `position` rows from the end of a
/// line.
struct end_row {
  int position;
  compact_row row;
};
std::vector<end_row> end_rows(tridia::quantity quantity, tridia::staggering staggering);

}  // namespace tridia::compact
