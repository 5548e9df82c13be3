// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tridia/row.hpp"

// The solvers of tridia/device run inside a kernel of yours. Your kernel hands over a function that
// makes row k of a system, and one that takes x of row k: coefficients need not lie in memory.
// docs/device.md begins with a plain kernel.
namespace tridia::device {

using tridia::complex, tridia::row;
using tridia::status, tridia::solved, tridia::unsolved, tridia::too_long;

/// Says what neighbouring threads make and take at a time, so that memory is read as it lies:
/// chunks, rows of one line that are `RowsAThread` apart, which is the fastest where rows are made
/// from what a block has on chip; rows of one line that follow each other, for lines that lie in
/// one piece; the same row of neighbouring lines, for lines that lie interleaved; or `chunks` where
/// they make and `rows` where they take, from what a block has on chip to lines in one piece.
enum class neighbours { chunks, rows, lines, chunks_then_rows };

namespace detail {

using tridia::detail::give, tridia::detail::make_row, tridia::detail::side,
    tridia::detail::sides_of;

}  // namespace detail
}  // namespace tridia::device
