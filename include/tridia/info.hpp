// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tridia/types.hpp"

#include <cstddef>
#include <string>
#include <vector>

namespace tridia {

/// Returns the library's version, as "1.2.3"; that of its headers is in `tridia/version.hpp`.
std::string version();

/// Describes a GPU that this process can use.
struct cuda_device {
  int ordinal = 0;  ///< CUDA's number of the GPU, for `options::device`.
  std::string name;
  int compute_capability_major = 0, compute_capability_minor = 0;
  std::size_t memory_bytes = 0;  ///< All of its memory, used or not.
  int multiprocessors = 0;
};

/// Describes what this build can do on this machine.
struct system_info {
  bool cuda_built = false;   ///< The CUDA backend was compiled in.
  std::string cuda_runtime;  ///< The CUDA version it was built with, as "13.0", or empty.
  std::vector<cuda_device> cuda_devices;  ///< Empty where there is no GPU, or no CUDA backend.
  std::string simd;  ///< The instruction set that CPU plans use: "x86-64-v4", ….
  int threads = 1;   ///< The threads that CPU plans use by default.
};

/// Returns what this build can do on this machine. Never throws for a missing GPU or driver: the
/// list of GPUs is then empty.
system_info query_system();

}  // namespace tridia
