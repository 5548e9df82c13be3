// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "../row.hpp"

#include <cuda_runtime.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <stdexcept>
#include <string>
#include <utility>

namespace tridia_bench {

inline void check(cudaError_t status, const char* what) {
  if (status == cudaErrorMemoryAllocation) {
    cudaGetLastError();  // the next case need not hear of it
    throw left_out(std::string(what) + ": " + cudaGetErrorString(status));
  }
  if (status != cudaSuccess) {
    throw std::runtime_error(std::string(what) + ": " + cudaGetErrorString(status));
  }
}

/// Makes the current device's memory pool, from which arrays are taken, keep all memory until the
/// end: the speed of arrays that are read together depends on where they lie, which then depends
/// less on earlier cases.
inline void keep_memory() {
  static const bool kept = [] {
    int device = 0;
    cudaMemPool_t pool = nullptr;
    std::uint64_t all = std::numeric_limits<std::uint64_t>::max();
    check(cudaGetDevice(&device), "cudaGetDevice");
    check(cudaDeviceGetDefaultMemPool(&pool, device), "cudaDeviceGetDefaultMemPool");
    check(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &all),
          "cudaMemPoolSetAttribute");
    return true;
  }();
  (void)kept;
}

/// Owns memory of the current device.
class device_array {
 public:
  explicit device_array(std::size_t bytes) : bytes_(bytes) {
    keep_memory();
    check(cudaMallocAsync(&data_, std::max<std::size_t>(bytes, 1), nullptr), "cudaMallocAsync");
  }
  device_array(device_array&& other) noexcept
      : data_(std::exchange(other.data_, nullptr)), bytes_(other.bytes_) {}
  device_array& operator=(device_array&&) = delete;
  // A failure was reported by earlier calls.
  ~device_array() {
    if (data_ != nullptr) cudaFreeAsync(data_, nullptr);
  }

  [[nodiscard]] void* data() const { return data_; }
  template <class T>
  [[nodiscard]] T* as() const {
    return static_cast<T*>(data_);
  }
  [[nodiscard]] std::size_t bytes() const { return bytes_; }

  void upload(const void* from) const {
    check(cudaMemcpy(data_, from, bytes_, cudaMemcpyHostToDevice), "copy to the device");
  }
  void download(void* to) const {
    check(cudaMemcpy(to, data_, bytes_, cudaMemcpyDeviceToHost), "copy from the device");
  }
  void copy_from(const device_array& other, cudaStream_t stream) const {
    check(cudaMemcpyAsync(data_, other.data_, bytes_, cudaMemcpyDeviceToDevice, stream),
          "copy on the device");
  }
  /// Sets every byte; 0xff makes NaN of any type.
  void set(int byte, cudaStream_t stream) const {
    check(cudaMemsetAsync(data_, byte, bytes_, stream), "cudaMemsetAsync");
  }

 private:
  void* data_ = nullptr;
  std::size_t bytes_;
};

/// Owns a stream with two events, and the memory that is overwritten to empty the L2 cache.
class device_clock {
 public:
  device_clock() : flush_(std::size_t{256} << 20) {
    check(cudaStreamCreate(&stream_), "cudaStreamCreate");
    check(cudaEventCreate(&start_), "cudaEventCreate");
    check(cudaEventCreate(&stop_), "cudaEventCreate");
  }
  device_clock(const device_clock&) = delete;
  device_clock& operator=(const device_clock&) = delete;
  ~device_clock() {
    cudaEventDestroy(start_);
    cudaEventDestroy(stop_);
    cudaStreamDestroy(stream_);
  }
  [[nodiscard]] cudaStream_t stream() const { return stream_; }

  void wait() const { check(cudaStreamSynchronize(stream_), "cudaStreamSynchronize"); }

  /// Returns the milliseconds of what `work` puts on the stream. The L2 cache is overwritten
  /// before, so that it holds nothing of the previous repetition; meanwhile the host gets ahead of
  /// the device, so that the time to launch is not counted.
  template <class F>
  double time(F&& work) const {
    return time_after([&] { flush_.set(0, stream_); }, work);
  }

  /// Returns the milliseconds of `work` after other work, `before`, that keeps the device busy
  /// meanwhile.
  template <class G, class F>
  double time_after(G&& before, F&& work) const {
    before();
    check(cudaEventRecord(start_, stream_), "cudaEventRecord");
    work();
    check(cudaEventRecord(stop_, stream_), "cudaEventRecord");
    check(cudaEventSynchronize(stop_), "cudaEventSynchronize");
    float ms = 0;
    check(cudaEventElapsedTime(&ms, start_, stop_), "cudaEventElapsedTime");
    return static_cast<double>(ms);
  }

 private:
  device_array flush_;
  cudaStream_t stream_ = nullptr;
  cudaEvent_t start_ = nullptr, stop_ = nullptr;
};

}  // namespace tridia_bench
