// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "failure.hpp"

#include <cuda_runtime_api.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>

// These classes own the GPU's resources for the commands that use one.
namespace tridia::cli {

inline void check(cudaError_t result, const char* what) {
  if (result == cudaSuccess) return;
  throw failure(exit_failure, "--device",
                fmt::format("cuda failed to {}: {}", what, cudaGetErrorString(result)));
}

/// Throws if CUDA cannot start for another reason than that there is no GPU or no driver, as it
/// cannot where there is too little address space. The library then sees no GPU.
inline void check_start() {
  int count = 0;
  const cudaError_t result = cudaGetDeviceCount(&count);
  if (result == cudaErrorNoDevice || result == cudaErrorInsufficientDriver) return;
  check(result, "start");
}

/// Returns the bytes of the current device that a slab may take, given those of the host.
inline std::uint64_t memory_for_slabs(std::uint64_t host_bytes) {
  std::size_t free = 0, total = 0;
  check(cudaMemGetInfo(&free, &total), "tell its free memory");
  return std::min<std::uint64_t>(host_bytes, free / 10 * 9);
}

class device_stream {
 public:
  device_stream() { check(cudaStreamCreate(&stream_), "create a stream"); }
  ~device_stream() { cudaStreamDestroy(stream_); }
  device_stream(const device_stream&) = delete;
  device_stream& operator=(const device_stream&) = delete;
  [[nodiscard]] cudaStream_t get() const noexcept { return stream_; }

 private:
  cudaStream_t stream_ = nullptr;
};

class device_event {
 public:
  device_event() { check(cudaEventCreate(&event_), "create an event"); }
  ~device_event() { cudaEventDestroy(event_); }
  device_event(const device_event&) = delete;
  device_event& operator=(const device_event&) = delete;
  [[nodiscard]] cudaEvent_t get() const noexcept { return event_; }

 private:
  cudaEvent_t event_ = nullptr;
};

inline double seconds_between(const device_event& begin, const device_event& end) {
  float milliseconds = 0;
  check(cudaEventElapsedTime(&milliseconds, begin.get(), end.get()), "tell the time");
  return milliseconds * 1e-3;
}

/// Holds one allocation that grows when a slab needs more, cut into aligned pieces.
class device_arena {
 public:
  device_arena() = default;
  ~device_arena() { cudaFree(base_); }
  device_arena(const device_arena&) = delete;
  device_arena& operator=(const device_arena&) = delete;

  void reserve(std::size_t bytes) {
    used_ = 0;
    if (bytes <= size_) return;
    check(cudaFree(base_), "free memory");
    base_ = nullptr;
    size_ = 0;
    check(cudaMalloc(&base_, bytes), fmt::format("allocate {} bytes", bytes).c_str());
    size_ = bytes;
  }

  std::byte* take(std::size_t bytes) {
    std::byte* piece = static_cast<std::byte*>(base_) + used_;
    used_ += aligned(bytes);
    return piece;
  }

  static std::size_t aligned(std::size_t bytes) { return (bytes + 255) / 256 * 256; }

 private:
  void* base_ = nullptr;
  std::size_t size_ = 0, used_ = 0;
};

}  // namespace tridia::cli
