// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#include "c_api/drop_in/current_device.hpp"

#include "gpu/devices.hpp"

namespace tridia::c_api {

int current_device() { return gpu::find_device(-1); }

}  // namespace tridia::c_api
