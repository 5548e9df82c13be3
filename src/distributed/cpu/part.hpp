// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "distributed/parts/part.hpp"

namespace tridia::distributed {

std::unique_ptr<part> make_cpu_part(const part_task&);

}  // namespace tridia::distributed
