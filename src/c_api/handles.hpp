// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

namespace tridia::c_api {

/// Names what a handle of the C interface stands for.
enum class kind : std::uint64_t {
  plan = 1,
  tuning,
  scheme,
  closure,
  compact_operator,
  decomposition,
  communicator,
  distributed_plan,
  distributed_operator,
  halo_exchange,
  differential_operator,
};

/// Returns a new handle of an object, which stays the caller's. A handle is a number that is never
/// used as an address, so that one which was destroyed, or is no handle, can be refused without
/// reading freed memory: a slot that is used again has another generation. Throws out_of_memory.
std::uint64_t add_handle(kind k, void* object);

/// Returns the object of a handle; throws invalid_argument, with the argument's name, if there is
/// none of this kind. It takes no lock: a call costs some nanoseconds.
void* find_handle(kind k, const void* handle, const char* name);

/// Returns the object of a handle as `find_handle` does, and retires the handle.
void* remove_handle(kind k, const void* handle, const char* name);

}  // namespace tridia::c_api
