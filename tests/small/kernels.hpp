// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <functional>
#include <string>
#include <vector>

namespace tridia_test {

/// Identifies a kernel by the file that nvcc compiles it from (without .cu) and its name there. The
/// tests of tests/gpu_record look for these pairs, and require one for every kernel of the library.
struct kernel {
  const char* file;
  const char* name;
};

/// Returns whether the kernels here use the features of compute capability 9.0 (clusters of blocks,
/// the tensor memory accelerator). If they are compiled for older cards, or the GPU is one, plans
/// choose other kernels for the same problems.
bool have_clusters();

/// Expects every one of `expected` among the kernels that `work` launches on `stream`, which is
/// captured for that and not run; on older cards nothing is expected. What is launched becomes the
/// property "kernels" of the test, from which scripts/gpu-check counts kernels.
void expect_kernels(void* stream, const std::vector<kernel>& expected,
                    const std::function<void()>& work);

}  // namespace tridia_test
