// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#include "cases_cuda.hpp"
#include "device.hpp"

#include <fstream>

namespace tridia_bench {
namespace {

int attribute(cudaDeviceAttr which, int device) {
  int value = 0;
  check(cudaDeviceGetAttribute(&value, which, device), "cudaDeviceGetAttribute");
  return value;
}

std::string mhz(int khz) { return khz > 0 ? std::to_string(khz / 1000) + " MHz" : ""; }

// Returns the driver's version, such as "580.159.04". The runtime knows only the CUDA version of
// the driver.
std::string driver_version() {
  std::ifstream module("/sys/module/nvidia/version");
  std::string version;
  if (module >> version) return version;
  // The version is the first word with a dot in
  // "NVRM version: NVIDIA UNIX x86_64 Kernel Module  580.159.04  ...".
  std::ifstream file("/proc/driver/nvidia/version");
  while (file >> version) {
    if (version.find_first_not_of("0123456789.") == version.npos &&
        version.find('.') != version.npos) {
      return version;
    }
  }
  return {};
}

}  // namespace

machine_info cuda_machine() {
  int device = 0, runtime = 0;
  check(cudaGetDevice(&device), "cudaGetDevice");
  check(cudaRuntimeGetVersion(&runtime), "cudaRuntimeGetVersion");
  cudaDeviceProp properties{};
  check(cudaGetDeviceProperties(&properties, device), "cudaGetDeviceProperties");

  machine_info m;
  m.device = properties.name;
  m.driver = driver_version();
  m.cuda = std::to_string(runtime / 1000) + "." + std::to_string(runtime % 1000 / 10);
  m.clock = mhz(attribute(cudaDevAttrClockRate, device));
  m.memory_clock = mhz(attribute(cudaDevAttrMemoryClockRate, device));
  m.cores = properties.multiProcessorCount;
  m.cache_bytes = properties.l2CacheSize;
  return m;
}

}  // namespace tridia_bench
