// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

namespace tridia::c_api {

/// Returns the number of this thread's GPU; throws `unsupported` where there is none.
int current_device();

}  // namespace tridia::c_api
