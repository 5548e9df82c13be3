// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tridia/types.hpp"

#include <bit>

namespace tridia::distributed {

/// Returns the bits of a number as an integer, which ranks compare. Numbers that are not negative
/// keep their order.
inline index_t bits(double v) { return std::bit_cast<index_t>(v); }

}  // namespace tridia::distributed
