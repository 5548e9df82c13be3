// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tridia/types.hpp"

#include <bit>

namespace tridia::distributed {

/// A number as what ranks compare; if it is not negative, in the same order.
inline index_t bits(double v) { return std::bit_cast<index_t>(v); }

}  // namespace tridia::distributed
