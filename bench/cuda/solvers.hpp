// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "../suite.hpp"
#include "cusparse_gtsv.hpp"
#include "prepared_plan.hpp"

namespace tridia_bench {

/// Adds the library's `execute`, from matrices to solutions.
void add_tridia(suite& s, const systems_spec& spec, tridia::pivoting p,
                const solver_choice& choice = {});

/// Adds the library's `solve`, with factors that were made before.
void add_saved_factors(suite& s, const systems_spec& spec, tridia::pivoting p);

/// Adds cuSPARSE on the same systems.
void add_cusparse(suite& s, const systems_spec& spec, cusparse_method method);

}  // namespace tridia_bench
