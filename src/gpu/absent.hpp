// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

namespace tridia::gpu {

/// Throws `unsupported`: this build has no CUDA backend; the files called absent.cpp replace it.
[[noreturn]] void refuse_without_cuda();

}  // namespace tridia::gpu
