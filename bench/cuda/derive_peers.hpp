// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "../derive.hpp"

namespace tridia_bench {

/// Adds compact schemes as they were applied before: by a kernel of right-hand sides, then a
/// solver, which is cuSPARSE's gtsv2StridedBatch, or NEATO's kernels in shared or in global memory.
///
/// Lines that do not follow each other are permuted so that they do, and the results back (A. T.
/// Srinath, thesis, 2015, section 3.4): cuSPARSE needs that; NEATO's kernels here take lines along
/// any axis as well, and are measured both ways.
void add_derive_peers(suite& s, const derive_case& c);

}  // namespace tridia_bench
