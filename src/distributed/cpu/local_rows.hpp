// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "distributed/subdomain/local_rows.hpp"

namespace tridia::distributed {

std::unique_ptr<local_rows> make_cpu_local_rows(const local_rows_task&);

}  // namespace tridia::distributed
