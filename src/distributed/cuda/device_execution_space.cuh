// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "distributed/cuda/share_kernels.cuh"
#include "gpu/check.hpp"
#include "gpu/for_each.cuh"
#include "tridia/types.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <vector>

namespace tridia::distributed {

/// Owns memory of a GPU, like a std::vector; its initial values do not matter.
template <class T>
class device_array {
 public:
  explicit device_array(std::size_t size = 0) : memory_(size * sizeof(T)), size_(size) {}
  explicit device_array(const std::vector<T>& from) : device_array(from.size()) {
    gpu::check(cudaMemcpy(data(), from.data(), size_ * sizeof(T), cudaMemcpyHostToDevice),
               "copying to the device");
  }
  [[nodiscard]] T* data() const { return memory_.as<T>(); }
  [[nodiscard]] std::size_t size() const { return size_; }

 private:
  gpu::device_memory memory_;
  std::size_t size_;
};

/// This execution space (cpu/host_execution_space.hpp) runs one thread for each call, in a stream
/// of the current device.
class device_execution_space {
 public:
  device_execution_space(int /*threads*/, void* stream)
      : stream_(static_cast<cudaStream_t>(stream)) {}

  template <class T>
  using array = device_array<T>;

  [[nodiscard]] index_t slots(index_t count) const { return count; }

  static index_t run(index_t /*elements*/) { return 1; }
  static constexpr int lanes = 1, team = 4;

  template <class F>
  void for_each(index_t count, index_t /*work*/, const F& f) const {
    gpu::check(gpu::for_each(count, f, stream_), "working on lines");
  }

  /// Computes shares.
  template <class V>
  void sum(const share_summing_task<V>& t, index_t /*work*/) const {
    if (std::abs(t.along.step) == 1) {
      sum_shares_kernel<true>
          <<<share_grid(t.lines.size), share_threads, share_bytes(t), stream_>>>(t);
    } else {
      sum_shares_kernel<false>
          <<<share_grid(t.lines.size), share_threads, share_bytes(t), stream_>>>(t);
    }
    gpu::check(cudaGetLastError(), "summing shares");
  }
  /// Adds shares up.
  template <class V>
  void add(const share_adding_task<V>& t) const {
    if (t.sums == 0) return;
    const dim3 blocks(share_grid(t.lines), static_cast<unsigned>(t.sums));
    add_shares_kernel<<<blocks, share_threads, 0, stream_>>>(t);
    gpu::check(cudaGetLastError(), "adding shares");
  }
  /// Sends what kernels before have written to a direct way, and waits for what others send.
  void send(const direct_way& way) const {
    send_kernel<<<1, 1, 0, stream_>>>(way.sending);
    gpu::check(cudaGetLastError(), "sending");
  }
  void receive(const direct_way& way) const {
    receive_kernel<<<1, 1, 0, stream_>>>(way.receiving);
    gpu::check(cudaGetLastError(), "receiving");
  }

  template <class T>
  void copy(T* to, const T* from, index_t count) const {
    if (count == 0) return;
    gpu::check(cudaMemcpyAsync(to, from, static_cast<std::size_t>(count) * sizeof(T),
                               cudaMemcpyDeviceToDevice, stream_),
               "copying equations");
  }

 private:
  static unsigned share_grid(index_t lines) {
    constexpr index_t most_blocks = index_t{1} << 20;
    return static_cast<unsigned>(
        std::clamp((lines + share_threads - 1) / share_threads, index_t{1}, most_blocks));
  }

  cudaStream_t stream_;
};

}  // namespace tridia::distributed
