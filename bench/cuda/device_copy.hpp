// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cuda_runtime.h>

#include <cstddef>
#include <span>

namespace tridia_bench {

/// Holds four arrays to read, or only the first of them, and one to write; each has `bytes` bytes,
/// a multiple of `kCopyGranule`, 128-byte aligned.
struct copy_arrays {
  const double* in[4];
  double* out;
  std::size_t bytes;
};
inline constexpr std::size_t kCopyGranule = std::size_t{16} << 10;

/// Describes a kernel that reads four arrays, or one, and writes one.
struct device_copy {
  const char* name;
  int least_capability;  ///< Major compute capability that it needs.
  cudaError_t (*launch)(const copy_arrays& arrays, cudaStream_t stream);
};

/// Returns the kernels that read `reads` arrays, 4 or 1.
std::span<const device_copy> device_copies(int reads = 4);

}  // namespace tridia_bench
