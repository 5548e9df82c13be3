// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "gpu/check.hpp"

#include <array>
#include <cstdint>
#include <map>
#include <vector>

namespace tridia::distributed {

/// Shares memory of this rank's GPU with other ranks, and reaches what they share: that of the same
/// process by its address, that of other processes of the same host through CUDA's handles. The
/// GPU must be the current device. The first window is allocated at once: where ranks are threads
/// of one process, whoever allocates memory may wait for kernels that wait for this rank.
class peer_memory {
 public:
  /// Says where shared memory lies, to any rank.
  struct address {
    std::array<char, 40> host;  // of the running kernel
    std::uint64_t process;      // drawn at random
    int device;                 // as that process counts
    std::byte* at;              // in that process
    cudaIpcMemHandle_t handle;
  };
  /// Is a piece of shared memory.
  struct block {
    std::byte* at = nullptr;
    std::size_t window = 0, offset = 0, bytes = 0;
  };

  explicit peer_memory(int device) : device_(device) { add_window(least_window); }
  ~peer_memory();
  peer_memory(const peer_memory&) = delete;
  peer_memory& operator=(const peer_memory&) = delete;

  block allocate(std::size_t bytes);
  /// Takes a block back that nobody reads or writes any more.
  void release(const block& b) { free_[b.bytes].push_back(b); }
  [[nodiscard]] const address& window_of(const block& b) const { return windows_[b.window].where; }

  /// Returns where a window of another rank is for kernels of this one, or null where they do not
  /// reach it.
  std::byte* reach(const address&);

 private:
  static constexpr std::size_t least_window = std::size_t{32} << 20, least_block = 4096;
  struct window {
    gpu::device_memory memory;
    address where;
    std::size_t bytes, used;
  };
  void add_window(std::size_t bytes);
  [[nodiscard]] std::byte* reach_within_process(const address&) const;

  int device_;
  std::vector<window> windows_;
  std::map<std::size_t, std::vector<block>> free_;  // by size
  std::map<std::array<char, sizeof(cudaIpcMemHandle_t)>, std::byte*> opened_;
};

}  // namespace tridia::distributed
