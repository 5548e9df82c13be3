// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tridia/info.hpp"

namespace tridia::gpu {

/// Fills in the fields about CUDA and its devices; leaves everything as it is in a build without
/// it.
void describe(system_info&);

/// Returns the device that was asked for, or, if -1, the current one. Throws `unsupported` where
/// there is none, invalid_argument for a number that is not one.
int find_device(int asked);

/// Throws wrong_device for memory that kernels of a device do not reach.
void check_device_pointer(const char* name, const void* p, int device);

/// Throws wrong_device if `p` is memory of a GPU that the CPU cannot reach.
void check_host_pointer(const char* name, const void* p);

}  // namespace tridia::gpu
