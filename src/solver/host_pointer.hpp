// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

namespace tridia::solver {

/// Throws wrong_device if `p` is memory of a GPU that the CPU cannot reach.
void check_host_pointer(const char* name, const void* p);

}  // namespace tridia::solver
