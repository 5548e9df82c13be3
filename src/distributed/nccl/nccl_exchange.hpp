// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "distributed/nccl/nccl_transport.hpp"

#include <memory>
#include <vector>

namespace tridia::distributed {

/// Sends messages by channels to ranks whose memory is reached, and all others by NCCL.
class nccl_exchange final : public exchange {
 public:
  explicit nccl_exchange(nccl_transport& by) : by_(by) {}
  ~nccl_exchange() override {
    if (channels_ && !channels_->empty()) by_.close(*channels_);
  }
  nccl_exchange(const nccl_exchange&) = delete;
  nccl_exchange& operator=(const nccl_exchange&) = delete;

  const direct_way* open(messages receives, messages sends) override {
    if (!by_.all_are_direct(receives, sends)) return nullptr;
    channels_ = by_.make_channels(receives, sends, 2);
    way_ = channels_->way(receives, sends);
    return &way_;
  }
  void refuse_failed() override { by_.refuse_failed(); }
  void begin_waiting(void* stream) override {
    by_.turns().begin(static_cast<cudaStream_t>(stream));
  }
  void end_waiting(void* stream) override { by_.turns().end(static_cast<cudaStream_t>(stream)); }

  void start(messages receives, messages sends, void* stream) override {
    by_.refuse_failed();
    if (!channels_) channels_ = by_.make_channels(receives, sends, 1);
    const auto on = static_cast<cudaStream_t>(stream);
    receives_.assign(receives.begin(), receives.end());
    receives_by_nccl_.clear(), sends_by_nccl_.clear();
    channels_->leave_out(receives, receives_by_nccl_);
    channels_->send(sends, sends_by_nccl_, on);
    arrived_ = nullptr;
    if (!receives_by_nccl_.empty() || !sends_by_nccl_.empty()) start_nccl(on);
  }
  void wait(void* stream) override {
    by_.refuse_failed();
    const auto on = static_cast<cudaStream_t>(stream);
    channels_->receive(receives_, on);
    if (arrived_ != nullptr)
      gpu::check(cudaStreamWaitEvent(on, arrived_, 0), "cudaStreamWaitEvent");
  }

 private:
  void start_nccl(cudaStream_t on) {
    const std::vector<message>&r = receives_by_nccl_, &s = sends_by_nccl_;
    if (by_.are_first(r, s)) {
      // A thread that is left to itself needs copies of its own.
      arrived_ = by_.send(on, true, [r, s, comm = by_.comm(), travel = by_.travel()] {
        return nccl_transport::post(r, s, comm, travel);
      });
    } else {
      arrived_ =
          by_.send(on, false, [&] { return nccl_transport::post(r, s, by_.comm(), by_.travel()); });
    }
  }

  nccl_transport& by_;
  std::unique_ptr<peer_channels> channels_;
  direct_way way_{};
  std::vector<message> receives_, receives_by_nccl_, sends_by_nccl_;
  cudaEvent_t arrived_ = nullptr;
};

}  // namespace tridia::distributed
