// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tridia/types.hpp"

namespace tridia::cli {

/// Throws `failure` about --device if the backend cannot work here.
void require_backend(backend where);

}  // namespace tridia::cli
