// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "distributed/direct_way.hpp"
#include "gpu/check.hpp"

namespace tridia::distributed {

/// Owns the words by which the host and kernels that wait for other ranks tell each other to give
/// up.
class wait_watch {
 public:
  explicit wait_watch(double limit) : failed_(sizeof(unsigned)) {
    void* on_host = nullptr;
    check(cudaHostAlloc(&on_host, sizeof(unsigned), cudaHostAllocMapped), "cudaHostAlloc");
    on_host_ = static_cast<unsigned*>(on_host);
    *on_host_ = gpu::waiting;
    check(cudaMemset(failed_.as<void>(), 0, sizeof(unsigned)), "cudaMemset");
    check(cudaStreamSynchronize(nullptr), "cudaMemset");
    limits_ = {failed_.as<unsigned>(), on_host_, static_cast<unsigned long long>(limit * 1e9)};
  }
  ~wait_watch() { cudaFreeHost(on_host_); }
  wait_watch(const wait_watch&) = delete;
  wait_watch& operator=(const wait_watch&) = delete;

  [[nodiscard]] const wait_limits& limits() const { return limits_; }
  [[nodiscard]] bool is_late() const {
    return __atomic_load_n(on_host_, __ATOMIC_RELAXED) == gpu::late_on_device;
  }
  void give_up() { __atomic_store_n(on_host_, gpu::given_up_by_host, __ATOMIC_RELAXED); }

 private:
  static void check(cudaError_t result, const char* action) { gpu::check(result, action); }

  gpu::device_memory failed_;
  unsigned* on_host_ = nullptr;
  wait_limits limits_{};
};

}  // namespace tridia::distributed
