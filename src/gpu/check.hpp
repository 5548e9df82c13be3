// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tridia/error.hpp"

#include <cuda_runtime_api.h>

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

namespace tridia::gpu {

/// Throws device_failure (out_of_memory where that is what CUDA says) with what was tried.
inline void check(cudaError_t result, const char* action) {
  if (result == cudaSuccess) return;
  cudaGetLastError();  // not to be seen again by the caller's next check
  throw error(result == cudaErrorMemoryAllocation ? errc::out_of_memory : errc::device_failure,
              std::string("CUDA: ") + action + " failed: " + cudaGetErrorString(result));
}

/// Names the action that fails where a kernel may not have as much shared memory as the device has.
inline constexpr const char* giving_memory = "giving a kernel its shared memory";

/// Makes a device current for a scope.
class device_scope {
 public:
  explicit device_scope(int device) {
    check(cudaGetDevice(&before_), "cudaGetDevice");
    if (device == before_) return;
    check(cudaSetDevice(device), "cudaSetDevice");
    changed_ = true;
  }
  ~device_scope() {
    if (changed_) cudaSetDevice(before_);
  }
  device_scope(const device_scope&) = delete;
  device_scope& operator=(const device_scope&) = delete;

 private:
  int before_ = 0;
  bool changed_ = false;
};

/// Owns memory of the current device.
class device_memory {
 public:
  device_memory() = default;
  explicit device_memory(std::size_t bytes) {
    if (bytes > 0) check(cudaMalloc(&p_, bytes), "cudaMalloc");
  }
  ~device_memory() { cudaFree(p_); }
  device_memory(device_memory&& other) noexcept : p_(std::exchange(other.p_, nullptr)) {}
  device_memory& operator=(device_memory&& other) noexcept {
    std::swap(p_, other.p_);
    return *this;
  }
  template <class T>
  [[nodiscard]] T* as() const {
    return static_cast<T*>(p_);
  }

 private:
  void* p_ = nullptr;
};

/// Returns a copy of v in memory of the current device.
template <class T>
device_memory upload(const std::vector<T>& v) {
  device_memory m(v.size() * sizeof(T));
  if (!v.empty()) {
    check(cudaMemcpy(m.as<void>(), v.data(), v.size() * sizeof(T), cudaMemcpyHostToDevice),
          "copying offsets to the device");
  }
  return m;
}

}  // namespace tridia::gpu
