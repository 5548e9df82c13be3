// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#include "tridia/c/system.h"

#include "c_api/guard.hpp"
#include "tridia/info.hpp"

#include <algorithm>
#include <cstring>

namespace {

using namespace tridia::c_api;
using tridia::refuse;

/// Copies as much of a text as there is room for, with a zero at the end.
template <std::size_t Size>
void copy_name(char (&to)[Size], const std::string& from) {
  const std::size_t count = std::min(from.size(), Size - 1);
  std::memcpy(to, from.data(), count);
  to[count] = '\0';
}

}  // namespace

extern "C" {

const char* tridia_version(void) {
  static const std::string version = tridia::version();
  return version.c_str();
}

tridia_result tridia_query_system(tridia_system* system) {
  return guarded([&] {
    check_struct(system, "system");
    const tridia::system_info info = tridia::query_system();
    system->cuda_built = info.cuda_built ? 1 : 0;
    system->device_count = static_cast<int>(info.cuda_devices.size());
    system->threads = info.threads;
    copy_name(system->cuda_runtime, info.cuda_runtime);
    copy_name(system->simd, info.simd);
  });
}

tridia_result tridia_query_device(int k, tridia_device* device) {
  return guarded([&] {
    check_struct(device, "device");
    const auto all = tridia::query_system().cuda_devices;
    if (k < 0 || static_cast<std::size_t>(k) >= all.size()) {
      refuse("k: " + std::to_string(k) + " is not the number of a GPU; there are " +
             std::to_string(all.size()));
    }
    const tridia::cuda_device& d = all[static_cast<std::size_t>(k)];
    device->memory_bytes = d.memory_bytes;
    device->ordinal = d.ordinal;
    device->compute_capability_major = d.compute_capability_major;
    device->compute_capability_minor = d.compute_capability_minor;
    device->multiprocessors = d.multiprocessors;
    copy_name(device->name, d.name);
  });
}

}  // extern "C"
