// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cuda_runtime_api.h>

#include <memory>
#include <span>
#include <stdexcept>

#include "distributed/transport.hpp"
#include "support/device_memory.hpp"

namespace tridia_test {

/// Tells how a mirror carries messages: by copies, or by kernels that write right to where they are
/// read; or what these write is lost.
enum class reflection { copies, direct, none };

/// Exchanges messages with ranks that send what is sent to them.
class mirrored_exchange final : public tridia::distributed::exchange {
 public:
  using messages = std::span<const tridia::distributed::message>;

  mirrored_exchange(reflection how, const tridia::distributed::wait_limits& limits) : how_(how) {
    way_.limits = limits;
  }

  void start(messages receives, messages sends, void* stream) override {
    for (std::size_t k = 0; k < sends.size(); ++k) {
      check(cudaMemcpyAsync(receives[k].data, sends[k].data, sends[k].bytes,
                            cudaMemcpyDeviceToDevice, static_cast<cudaStream_t>(stream)));
    }
  }
  void wait(void* /*stream*/) override {}

  const tridia::distributed::direct_way* open(messages receives, messages sends) override {
    if (how_ == reflection::copies || sends.size() != receives.size()) return nullptr;
    for (std::size_t k = 0; k < sends.size(); ++k) {
      for (auto* const all : {&sent_, &received_}) {
        (*all)[k] = allocate_on_device(2 * sends[k].bytes);
      }
      auto& from = how_ == reflection::direct ? sent_ : received_;
      way_.to.push_back({sent_[k].get(), sends[k].bytes, sends[k].bytes});
      way_.from.push_back({from[k].get(), sends[k].bytes, sends[k].bytes});
    }
    return &way_;
  }

 private:
  static void check(cudaError_t result) {
    if (result != cudaSuccess) throw std::runtime_error(cudaGetErrorString(result));
  }
  static device_bytes nothing() { return allocate_on_device(4); }

  reflection how_;
  device_bytes sent_[2] = {nothing(), nothing()}, received_[2] = {nothing(), nothing()};
  tridia::distributed::direct_way way_{};
};

/// Stands for all other ranks, two at most, on the GPU of this one, which is the first of them.
class mirror final : public tridia::distributed::transport {
 public:
  mirror(reflection how, const tridia::distributed::wait_limits& limits, int ranks = 3)
      : how_(how), limits_(limits), ranks_(ranks) {}
  [[nodiscard]] int rank() const override { return 0; }
  [[nodiscard]] int size() const override { return ranks_; }
  [[nodiscard]] int device() const override { return 0; }
  std::unique_ptr<tridia::distributed::exchange> make_exchange(std::size_t /*messages*/) override {
    return std::make_unique<mirrored_exchange>(how_, limits_);
  }
  void maxima(std::span<tridia::index_t> /*values*/) override {}
  [[nodiscard]] bool failed() const override { return false; }

 private:
  reflection how_;
  tridia::distributed::wait_limits limits_;
  int ranks_;
};

}  // namespace tridia_test
