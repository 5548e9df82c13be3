// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "distributed/cuda/wait_watch.hpp"
#include "distributed/nccl/peer_channels.hpp"
#include "distributed/nccl/pending.hpp"
#include "distributed/nccl/turns.hpp"
#include "distributed/transport.hpp"

#include <nccl.h>

#include <chrono>
#include <future>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace tridia::distributed {

/// Implements the transport with NCCL; messages to ranks whose memory can be reached are stored
/// there by kernels in the caller's stream. Calls of NCCL in which the host may wait for other
/// ranks (making a communicator, the first message between two ranks) are made by a thread that is
/// left to itself once the time limit has passed; all others only put work into a stream.
class nccl_transport final : public transport {
 public:
  nccl_transport(int device, const communicator_options&);
  ~nccl_transport() override;

  /// Connects with the communicator that `make(&comm)` makes. To be called once.
  template <class Make>
  void connect(Make make) {
    auto made = std::make_shared<ncclComm_t>(nullptr);
    within_limit("making a communicator", [make, made] { return make(made.get()); });
    comm_ = *made;
    require("ncclCommUserRank", ncclCommUserRank(comm_, &rank_));
    require("ncclCommCount", ncclCommCount(comm_, &size_));
    const auto ranks = static_cast<std::size_t>(size_);
    met_[0].assign(ranks, false), met_[1].assign(ranks, false);
    reached_.assign(ranks, false);
    if (peers_) find_reached();
  }

  int rank() const override { return rank_; }
  int size() const override { return size_; }
  int device() const override { return device_; }
  std::string reason() const override;
  bool failed() const override { return failed_; }
  std::unique_ptr<exchange> make_exchange(std::size_t messages) override;

  void maxima(std::span<index_t> values) override;

  void synchronize(void* stream) override;

  void refuse_failed();

  /// Puts what `calls` asks of NCCL after the work in `after`; `new_to_it`: NCCL may have to reach
  /// other ranks first, and `calls` is copied. Returns the event of its end.
  template <class Calls>
  cudaEvent_t send(cudaStream_t after, bool new_to_it, const Calls& calls) {
    refuse_failed();
    wait_until("messages", [&] { return pending_->has_room(); });
    const pending_messages::entry& now = pending_->enter();
    gpu::check(cudaEventRecord(now.ready, after), "cudaEventRecord");
    gpu::check(cudaStreamWaitEvent(travel_, now.ready, 0), "cudaStreamWaitEvent");
    if (new_to_it) {
      within_limit("meeting other ranks", calls);
    } else {
      require("sending to other ranks", calls());
    }
    gpu::check(cudaEventRecord(now.done, travel_), "cudaEventRecord");
    return now.done;
  }

  /// Returns whether some of these messages are the first to (from) another rank; the ranks are
  /// then marked as met.
  bool are_first(messages receives, messages sends);

  /// Makes channels for messages, which the ranks that are reached make with this one.
  std::unique_ptr<peer_channels> make_channels(messages receives, messages sends,
                                               std::size_t places);

  /// Returns whether kernels may write all messages of this rank right to where they are received,
  /// and all other ranks say so too.
  bool all_are_direct(messages receives, messages sends);

  /// Ends the use of channels once other ranks write nothing more; keeps their memory if they do
  /// not come to that.
  void close(peer_channels&) noexcept;

  static ncclResult_t post(messages receives, messages sends, ncclComm_t, cudaStream_t);

  ncclComm_t comm() const { return comm_; }
  cudaStream_t travel() const { return travel_; }
  distributed::turns& turns() { return *turns_; }

 private:
  void require(const char* what, ncclResult_t);

  /// Runs calls of NCCL that may wait for other ranks.
  template <class Calls>
  void within_limit(const char* what, const Calls& calls) {
    std::packaged_task<ncclResult_t()> task([calls, device = device_] {
      return cudaSetDevice(device) == cudaSuccess ? calls() : ncclUnhandledCudaError;
    });
    std::future<ncclResult_t> result = task.get_future();
    std::thread(std::move(task)).detach();
    if (limit_ > 0 &&
        result.wait_for(std::chrono::duration<double>(limit_)) != std::future_status::ready) {
      late(what);
    }
    require(what, result.get());
  }

  /// Finds the ranks whose memory kernels of this rank reach, and who reach that of this one.
  void find_reached();

  /// Returns the values of all ranks, rank after rank; all have as many.
  template <class T>
  std::vector<T> of_all_ranks(const std::vector<T>& own) {
    const std::size_t bytes = own.size() * sizeof(T);
    std::vector<T> all(own.size() * static_cast<std::size_t>(size_));
    const peer_memory::block from = peers_->allocate(bytes),
                             to = peers_->allocate(all.size() * sizeof(T));
    gpu::check(cudaMemcpyAsync(from.at, own.data(), bytes, cudaMemcpyHostToDevice, travel_),
               "copying to the device");
    send(travel_, true, [a = from.at, b = to.at, bytes, c = comm_, t = travel_] {
      return ncclAllGather(a, b, bytes, ncclChar, c, t);
    });
    synchronize(travel_);
    gpu::check(cudaMemcpy(all.data(), to.at, all.size() * sizeof(T), cudaMemcpyDeviceToHost),
               "copying to the host");
    peers_->release(from), peers_->release(to);
    return all;
  }

  void refuse_late() {
    if (watch_->is_late()) late("messages");
  }

  /// Waits until done() returns true, while no message exceeds the time limit.
  template <class Done>
  void wait_until(const char* what, Done done) {
    for (;;) {
      if (done()) return;
      ncclResult_t result = ncclSuccess;
      if (comm_ != nullptr && ncclCommGetAsyncError(comm_, &result) == ncclSuccess &&
          result != ncclSuccess) {
        fail(std::string(what) + ": " + ncclGetErrorString(result));
      }
      if (is_late(pending_->oldest_wait())) late(what);
    }
  }

  using clock = pending_messages::clock;
  bool is_late(clock::duration waited) const {
    return limit_ > 0 && std::chrono::duration<double>(waited).count() > limit_;
  }
  [[noreturn]] void late(const char* what);
  /// Aborts the running work: kernels that wait for another rank would never end by themselves.
  [[noreturn]] void fail(const std::string& sentence);

  /// Closes the communicator, unless it failed, once all messages have gone. If the other ranks do
  /// not close theirs, the communicator is left as it is.
  void disconnect();

  int device_;
  double limit_;
  ncclComm_t comm_ = nullptr;
  cudaStream_t travel_ = nullptr;
  int rank_ = 0, size_ = 0;
  bool failed_ = false, reduced_ = false;
  std::vector<bool> met_[2];            // whom something was received from, and sent to
  std::vector<bool> reached_;           // whose memory can be stored to
  std::unique_ptr<peer_memory> peers_;  // null: is not to be used
  std::unique_ptr<wait_watch> watch_;
  std::unique_ptr<pending_messages> pending_;
  std::unique_ptr<distributed::turns> turns_;
  gpu::device_memory all_;
  std::size_t all_bytes_ = 0;
};

}  // namespace tridia::distributed
