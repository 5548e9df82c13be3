// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "layout/geometry.hpp"

// Where saved factors are the matrices themselves, these geometries say how they lie.
namespace tridia::layout {

/// Returns the geometry whose matrices lie densely: neighbours as in the arrays, or else one after
/// another. Right-hand sides and x stay where they are.
geometry with_dense_matrices(geometry);

/// Returns the geometry of the solve that finds out which matrices are singular: right-hand sides
/// are the diagonals, x lies as they do, and each matrix has a status.
geometry with_diagonals_as_rhs(geometry);

}  // namespace tridia::layout
