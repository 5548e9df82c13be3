// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <functional>

#include "tridia/distributed.hpp"

namespace tridia_test {

/// Calls `work` once for each of `count` ranks, which are threads of this process and share one GPU
/// (or, where `on_gpu` is false, host memory). Messages go through host memory and every wait stops
/// the thread: no part of NCCL or MPI is needed, so that what a rank's GPU does can be watched by
/// compute-sanitizer. What a rank throws becomes a failure of the test.
void on_thread_ranks(int count, bool on_gpu,
                     const std::function<void(const tridia::distributed::communicator&)>& work);

}  // namespace tridia_test
