// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#include "distributed/nccl/peer_memory.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <fstream>
#include <random>

namespace tridia::distributed {
namespace {

/// Returns what names the running kernel, so that ranks know whether they share a host; empty where
/// it cannot be known.
std::array<char, 40> this_host() {
  std::array<char, 40> id{};
  std::ifstream("/proc/sys/kernel/random/boot_id").read(id.data(), id.size() - 1);
  return id;
}

std::uint64_t this_process() {
  static const std::uint64_t id = [] {
    std::random_device draw;
    return static_cast<std::uint64_t>(draw()) << 32 | draw();
  }();
  return id;
}

/// Returns whether a call has succeeded; an error is not to be seen again by later checks.
bool worked(cudaError_t result) {
  if (result != cudaSuccess) cudaGetLastError();
  return result == cudaSuccess;
}

}  // namespace

peer_memory::~peer_memory() {
  for (const auto& [handle, at] : opened_) {
    if (at != nullptr) cudaIpcCloseMemHandle(at);
  }
}

void peer_memory::add_window(std::size_t bytes) {
  window w{
      gpu::device_memory(bytes), {this_host(), this_process(), device_, nullptr, {}}, bytes, 0};
  w.where.at = w.memory.as<std::byte>();
  // Where there is no handle, other processes do not reach the window.
  if (!worked(cudaIpcGetMemHandle(&w.where.handle, w.where.at))) w.where.host = {};
  windows_.push_back(std::move(w));
}

peer_memory::block peer_memory::allocate(std::size_t bytes) {
  const std::size_t size = std::bit_ceil(std::max(bytes, least_block));
  if (std::vector<block>& left = free_[size]; !left.empty()) {
    const block b = left.back();
    left.pop_back();
    return b;
  }
  if (windows_.back().bytes - windows_.back().used < size) {
    add_window(std::max(size, least_window));
  }
  window& w = windows_.back();
  const block b{w.where.at + w.used, windows_.size() - 1, w.used, size};
  w.used += size;
  return b;
}

std::byte* peer_memory::reach(const address& a) {
  if (a.process == this_process()) return reach_within_process(a);
  const std::array<char, 40> host = this_host();
  if (host[0] == 0 || host != a.host) return nullptr;
  std::array<char, sizeof(cudaIpcMemHandle_t)> key;
  std::memcpy(key.data(), &a.handle, key.size());
  const auto [entry, is_new] = opened_.try_emplace(key, nullptr);
  void* at = nullptr;
  if (is_new && worked(cudaIpcOpenMemHandle(&at, a.handle, cudaIpcMemLazyEnablePeerAccess))) {
    entry->second = static_cast<std::byte*>(at);
  }
  return entry->second;
}

std::byte* peer_memory::reach_within_process(const address& a) const {
  if (a.device == device_) return a.at;
  int reached = 0;
  if (!worked(cudaDeviceCanAccessPeer(&reached, device_, a.device)) || !reached) return nullptr;
  const cudaError_t enabled = cudaDeviceEnablePeerAccess(a.device, 0);
  return worked(enabled) || enabled == cudaErrorPeerAccessAlreadyEnabled ? a.at : nullptr;
}

}  // namespace tridia::distributed
