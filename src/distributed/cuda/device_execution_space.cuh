// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "distributed/cuda/absent_words.hpp"
#include "distributed/cuda/share_kernels.cuh"
#include "gpu/check.hpp"
#include "gpu/device_limits.hpp"
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

  /// Computes shares, and sends those that go to others by a direct way.
  template <class V>
  void sum(const share_summing_task<V>& t, index_t /*work*/) const {
    if (t.count == 0) return;
    const auto kernel =
        std::abs(t.along.step) == 1 ? sum_shares_kernel<true, V> : sum_shares_kernel<false, V>;
    // All blocks have as many lines.
    const index_t blocks = std::max((t.lines.size + share_threads - 1) / share_threads, index_t{1});
    const index_t turns = (blocks + most_share_blocks - 1) / most_share_blocks;
    // What a kernel may have is set for all threads of the process, so all of them set as much.
    constexpr std::size_t without_asking = std::size_t{48} << 10;
    if (share_bytes(t) > without_asking) {
      gpu::check(gpu::allow_shared(kernel, gpu::current_device_limits().shared_bytes),
                 gpu::giving_memory);
    }
    kernel<<<static_cast<unsigned>((blocks + turns - 1) / turns), share_threads, share_bytes(t),
             stream_>>>(t);
    gpu::check(cudaGetLastError(), "summing shares");
  }
  /// Adds shares up, once those have come that a direct way brings.
  template <class V>
  void add(const share_adding_task<V>& t, const direct_way* way) const {
    if (t.sums == 0) return;
    const index_t blocks = (t.lines + adding_threads - 1) / adding_threads;
    const index_t most = std::max<index_t>(most_adding_blocks / t.sums, 1);
    const dim3 grid(static_cast<unsigned>(std::clamp(blocks, index_t{1}, most)),
                    static_cast<unsigned>(t.sums));
    gpu::check(gpu::launch_dependent(add_shares_kernel<V>, t.early, grid, adding_threads, 0,
                                     stream_, t, way == nullptr ? wait_limits{} : way->limits),
               "adding shares");
  }
  /// Returns whether a launch may begin before the one before it has ended.
  static bool may_begin_early() { return gpu::current_device_limits().clusters; }
  /// Prepares a direct way for what it brings.
  void clear(const direct_way& way) const {
    for (const direct_way::place& from : way.from) clear_words(from);
    gpu::check(cudaDeviceSynchronize(), "clearing what other ranks send");
  }

  template <class T>
  void copy(T* to, const T* from, index_t count) const {
    if (count == 0) return;
    gpu::check(cudaMemcpyAsync(to, from, static_cast<std::size_t>(count) * sizeof(T),
                               cudaMemcpyDeviceToDevice, stream_),
               "copying equations");
  }

 private:
  cudaStream_t stream_;
};

}  // namespace tridia::distributed
