// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#include "distributed/transport.hpp"

#include "distributed/agreement.hpp"
#include "distributed/nccl/pending.hpp"
#include "solver/cuda/devices.hpp"
#include "tridia/nccl.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <limits>
#include <string>
#include <utility>

namespace tridia::distributed {
namespace {

using cuda::check;
using cuda::device_scope;

[[noreturn]] void refuse(const std::string& sentence) {
  throw error(errc::invalid_argument, sentence);
}

/// A communicator of NCCL in which no call waits for other ranks but here, within the time limit.
class nccl_transport final : public transport {
 public:
  nccl_transport(int device, double time_limit) : device_(device), limit_(time_limit) {
    const device_scope scope(device_);
    check(cudaStreamCreateWithFlags(&travel_, cudaStreamNonBlocking), "cudaStreamCreate");
    pending_ = std::make_unique<pending_messages>();
  }
  ~nccl_transport() override {
    int before = 0;
    if (cudaGetDevice(&before) != cudaSuccess || cudaSetDevice(device_) != cudaSuccess) return;
    close();
    pending_.reset();
    all_ = {};
    cudaStreamDestroy(travel_);
    cudaSetDevice(before);
  }

  /// `make(&comm, &config)` begins to make a communicator. To be called once.
  template <class Make>
  void connect(Make make) {
    const device_scope scope(device_);
    ncclConfig_t config = NCCL_CONFIG_INITIALIZER;
    config.blocking = 0;
    require("making a communicator", make(&comm_, &config));
    require("ncclCommUserRank", ncclCommUserRank(comm_, &rank_));
    require("ncclCommCount", ncclCommCount(comm_, &size_));
  }

  int rank() const override { return rank_; }
  int size() const override { return size_; }
  int device() const override { return device_; }
  bool failed() const override { return failed_; }
  std::unique_ptr<exchange> make_exchange(std::size_t messages) override;

  void maxima(std::span<index_t> values) override {
    refuse_failed();
    const device_scope scope(device_);
    const std::size_t bytes = values.size_bytes();
    if (all_bytes_ < bytes) all_ = cuda::device_memory(bytes), all_bytes_ = bytes;
    check(cudaMemcpyAsync(all_.as<void>(), values.data(), bytes, cudaMemcpyHostToDevice, travel_),
          "copying to the device");
    send(travel_, [&] {
      return ncclAllReduce(all_.as<void>(), all_.as<void>(), values.size(), ncclInt64, ncclMax,
                           comm_, travel_);
    });
    synchronize(travel_);
    check(cudaMemcpy(values.data(), all_.as<void>(), bytes, cudaMemcpyDeviceToHost),
          "copying to the host");
  }

  void synchronize(void* stream) override {
    refuse_failed();
    const device_scope scope(device_);
    const auto on = static_cast<cudaStream_t>(stream);
    wait_until("messages", [&] {
      const cudaError_t state = cudaStreamQuery(on);
      if (state == cudaErrorNotReady) return false;
      check(state, "the work in a stream");
      return true;
    });
  }

  void refuse_failed() const {
    if (failed_) {
      throw error(errc::peer_failure,
                  "communicator: another rank has failed before; make a new one without it");
    }
  }

  /// Puts what `calls` asks of NCCL behind the work in `after`. Returns the event of its end.
  template <class Calls>
  cudaEvent_t send(cudaStream_t after, Calls calls) {
    refuse_failed();
    wait_until("messages", [&] { return pending_->has_room(); });
    const pending_messages::entry& now = pending_->enter();
    check(cudaEventRecord(now.ready, after), "cudaEventRecord");
    check(cudaStreamWaitEvent(travel_, now.ready, 0), "cudaStreamWaitEvent");
    require("sending to other ranks", calls());
    check(cudaEventRecord(now.done, travel_), "cudaEventRecord");
    return now.done;
  }

  ncclComm_t comm() const { return comm_; }
  cudaStream_t travel() const { return travel_; }

 private:
  /// Until what NCCL was asked for has begun; failing marks the transport.
  void require(const char* what, ncclResult_t result) {
    const auto began = clock::now();
    while (result == ncclInProgress) {
      if (const ncclResult_t asked = ncclCommGetAsyncError(comm_, &result); asked != ncclSuccess) {
        result = asked;
      }
      if (result == ncclInProgress && is_late(clock::now() - began)) late(what);
    }
    if (result != ncclSuccess) fail(std::string(what) + ": " + ncclGetErrorString(result));
  }

  /// Until done() says so, while no message takes longer than it may.
  template <class Done>
  void wait_until(const char* what, Done done) {
    for (;;) {
      if (done()) return;
      ncclResult_t result = ncclSuccess;
      if (comm_ != nullptr && ncclCommGetAsyncError(comm_, &result) == ncclSuccess &&
          result != ncclSuccess && result != ncclInProgress) {
        fail(std::string(what) + ": " + ncclGetErrorString(result));
      }
      if (is_late(pending_->oldest_wait())) late(what);
    }
  }

  using clock = pending_messages::clock;
  bool is_late(clock::duration waited) const {
    return limit_ > 0 && std::chrono::duration<double>(waited).count() > limit_;
  }
  [[noreturn]] void late(const char* what) {
    fail(std::string(what) + " have not arrived within the time limit of " +
         std::to_string(limit_) + " seconds");
  }
  /// Ends what is under way: kernels that wait for another rank would never end by themselves.
  [[noreturn]] void fail(const std::string& sentence) {
    failed_ = true;
    if (comm_ != nullptr) ncclCommAbort(std::exchange(comm_, nullptr));
    throw error(errc::peer_failure, "NCCL: rank " + std::to_string(rank_) + ": " + sentence);
  }

  /// Without a failure, once all messages have gone.
  void close() {
    if (comm_ == nullptr) return;
    try {
      synchronize(travel_);
      require("ncclCommFinalize", ncclCommFinalize(comm_));
      ncclCommDestroy(comm_);
    } catch (...) {
      if (comm_ != nullptr) ncclCommAbort(comm_);
    }
    comm_ = nullptr;
  }

  int device_;
  double limit_;
  ncclComm_t comm_ = nullptr;
  cudaStream_t travel_ = nullptr;
  int rank_ = 0, size_ = 0;
  bool failed_ = false;
  std::unique_ptr<pending_messages> pending_;
  cuda::device_memory all_;
  std::size_t all_bytes_ = 0;
};

class nccl_exchange final : public exchange {
 public:
  explicit nccl_exchange(nccl_transport& by) : by_(by) {}

  void start(std::span<const message> receives, std::span<const message> sends,
             void* stream) override {
    const ncclComm_t comm = by_.comm();
    const cudaStream_t on = by_.travel();
    arrived_ = by_.send(static_cast<cudaStream_t>(stream), [&] {
      ncclResult_t result = ncclGroupStart();
      const auto ask = [&](ncclResult_t r) {
        if (result == ncclSuccess && r != ncclInProgress) result = r;
      };
      for (const message& m : receives) ask(ncclRecv(m.data, m.bytes, ncclChar, m.peer, comm, on));
      for (const message& m : sends) ask(ncclSend(m.data, m.bytes, ncclChar, m.peer, comm, on));
      const ncclResult_t ended = ncclGroupEnd();
      return result == ncclSuccess ? ended : result;
    });
  }
  void wait(void* stream) override {
    by_.refuse_failed();
    check(cudaStreamWaitEvent(static_cast<cudaStream_t>(stream), arrived_, 0),
          "cudaStreamWaitEvent");
  }

 private:
  nccl_transport& by_;
  cudaEvent_t arrived_ = nullptr;
};

std::unique_ptr<exchange> nccl_transport::make_exchange(std::size_t /*messages*/) {
  return std::make_unique<nccl_exchange>(*this);
}

std::shared_ptr<nccl_transport> make_transport(int device, const communicator_options& o) {
  return {new nccl_transport(device, o.time_limit),
          [](nccl_transport* t) { t->dispose(std::unique_ptr<nccl_transport>(t)); }};
}

/// The id that rank 0 makes, as whole numbers, the largest of all ranks' being rank 0's.
ncclUniqueId shared_id(transport& by) {
  std::array<index_t, sizeof(ncclUniqueId) / sizeof(index_t)> words;
  words.fill(std::numeric_limits<index_t>::min());
  ncclUniqueId id{};
  if (by.rank() == 0) {
    if (const ncclResult_t r = ncclGetUniqueId(&id); r != ncclSuccess) {
      throw error(errc::peer_failure,
                  std::string("NCCL: ncclGetUniqueId: ") + ncclGetErrorString(r));
    }
    words = std::bit_cast<decltype(words)>(id);
  }
  by.maxima(words);
  return std::bit_cast<ncclUniqueId>(words);
}

}  // namespace

communicator nccl_communicator(const communicator& start, int cuda_device,
                               const communicator_options& o) {
  check_options(o);
  // A rank without a GPU still takes part, so that the others need not wait for it.
  std::shared_ptr<nccl_transport> made;
  agreement(*start.by()).reach([&] { made = make_transport(cuda::find_device(cuda_device), o); });
  const ncclUniqueId id = shared_id(*start.by());
  made->connect([&](ncclComm_t* comm, ncclConfig_t* config) {
    return ncclCommInitRankConfig(comm, start.size(), id, start.rank(), config);
  });
  return communicator(made);
}

communicator nccl_communicator(ncclComm_t ranks, const communicator_options& o) {
  if (ranks == nullptr) refuse("communicator: is null");
  check_options(o);
  int device = 0, rank = 0;
  if (ncclCommCuDevice(ranks, &device) != ncclSuccess ||
      ncclCommUserRank(ranks, &rank) != ncclSuccess) {
    refuse("communicator: NCCL does not know it");
  }
  const auto made = make_transport(device, o);
  made->connect([&](ncclComm_t* comm, ncclConfig_t* config) {
    return ncclCommSplit(ranks, 0, rank, comm, config);
  });
  return communicator(made);
}

}  // namespace tridia::distributed
