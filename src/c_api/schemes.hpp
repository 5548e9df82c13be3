// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tridia/c/scheme.h"
#include "tridia/scheme.hpp"

namespace tridia::c_api {

/// These return what a handle stands for, or refuse it.
const scheme& scheme_of(const tridia_scheme* s);
const closure& closure_of(const tridia_closure* c);

}  // namespace tridia::c_api
