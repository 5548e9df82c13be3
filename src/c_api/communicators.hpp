// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "c_api/guard.hpp"
#include "tridia/c/distributed.h"
#include "tridia/distributed.hpp"

namespace tridia::c_api {

/// These return what an argument stands for, or refuse it; null options mean the defaults.
const distributed::communicator& communicator_of(const tridia_communicator* c, const char* name);
distributed::communicator_options as_cpp(const tridia_communicator_options* o);

}  // namespace tridia::c_api
