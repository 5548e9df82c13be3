// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#include "distributed/transport.hpp"

#include "core/refuse.hpp"
#include "distributed/agreement.hpp"
#include "distributed/nccl/pending.hpp"
#include "gpu/devices.hpp"
#include "tridia/nccl.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <chrono>
#include <future>
#include <limits>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace tridia::distributed {
namespace {

using gpu::check;
using gpu::device_scope;

/// Implements the transport with NCCL. Calls of NCCL in which the host may wait for other ranks
/// (making a communicator, the first message between two ranks) are made by a thread that is left
/// to itself once the time limit has passed; all others only put work into a stream.
class nccl_transport final : public transport {
 public:
  nccl_transport(int device, double time_limit) : device_(device), limit_(time_limit) {
    const device_scope scope(device_);
    // Messages have the highest priority where other work is waiting for the same multiprocessors.
    int least = 0, greatest = 0;
    check(cudaDeviceGetStreamPriorityRange(&least, &greatest), "cudaDeviceGetStreamPriorityRange");
    check(cudaStreamCreateWithPriority(&travel_, cudaStreamNonBlocking, greatest),
          "cudaStreamCreate");
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
    if (all_bytes_ < bytes) all_ = gpu::device_memory(bytes), all_bytes_ = bytes;
    check(cudaMemcpyAsync(all_.as<void>(), values.data(), bytes, cudaMemcpyHostToDevice, travel_),
          "copying to the device");
    send(travel_, !reduced_,
         [all = all_.as<void>(), count = values.size(), c = comm_, t = travel_] {
           return ncclAllReduce(all, all, count, ncclInt64, ncclMax, c, t);
         });
    reduced_ = true;
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

  /// Puts what `calls` asks of NCCL after the work in `after`; `new_to_it`: NCCL may have to reach
  /// other ranks first, and `calls` is copied. Returns the event of its end.
  template <class Calls>
  cudaEvent_t send(cudaStream_t after, bool new_to_it, const Calls& calls) {
    refuse_failed();
    wait_until("messages", [&] { return pending_->has_room(); });
    const pending_messages::entry& now = pending_->enter();
    check(cudaEventRecord(now.ready, after), "cudaEventRecord");
    check(cudaStreamWaitEvent(travel_, now.ready, 0), "cudaStreamWaitEvent");
    if (new_to_it) {
      within_limit("meeting other ranks", calls);
    } else {
      require("sending to other ranks", calls());
    }
    check(cudaEventRecord(now.done, travel_), "cudaEventRecord");
    return now.done;
  }

  /// Returns whether some of these messages are the first to (from) another rank; the ranks are
  /// then marked as met.
  bool are_first(std::span<const message> receives, std::span<const message> sends) {
    bool any = false;
    const auto meet = [&](std::span<const message> list, std::vector<bool>& met) {
      for (const message& m : list) {
        any = any || !met[m.peer];
        met[m.peer] = true;
      }
    };
    meet(receives, met_[0]), meet(sends, met_[1]);
    return any;
  }

  ncclComm_t comm() const { return comm_; }
  cudaStream_t travel() const { return travel_; }

 private:
  void require(const char* what, ncclResult_t result) {
    if (result != ncclSuccess) fail(std::string(what) + ": " + ncclGetErrorString(result));
  }

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
  [[noreturn]] void late(const char* what) {
    fail(std::string(what) + ": other ranks have not come within the time limit of " +
         std::to_string(limit_) + " seconds");
  }
  /// Aborts the running work: kernels that wait for another rank would never end by themselves.
  [[noreturn]] void fail(const std::string& sentence) {
    failed_ = true;
    if (comm_ != nullptr) ncclCommAbort(std::exchange(comm_, nullptr));
    throw error(errc::peer_failure, "NCCL: rank " + std::to_string(rank_) + ": " + sentence);
  }

  /// Closes the communicator, unless it failed, once all messages have gone. If the other ranks do
  /// not close theirs, the communicator is left as it is.
  void close() {
    if (comm_ == nullptr) return;
    try {
      synchronize(travel_);
      within_limit("ending", [c = std::exchange(comm_, nullptr)] { return ncclCommDestroy(c); });
    } catch (...) {
      // The error cannot be reported from here.
    }
  }

  int device_;
  double limit_;
  ncclComm_t comm_ = nullptr;
  cudaStream_t travel_ = nullptr;
  int rank_ = 0, size_ = 0;
  bool failed_ = false, reduced_ = false;
  std::vector<bool> met_[2];  // whom something was received from, and sent to
  std::unique_ptr<pending_messages> pending_;
  gpu::device_memory all_;
  std::size_t all_bytes_ = 0;
};

class nccl_exchange final : public exchange {
 public:
  explicit nccl_exchange(nccl_transport& by) : by_(by) {}

  void start(std::span<const message> receives, std::span<const message> sends,
             void* stream) override {
    by_.refuse_failed();
    const auto on = static_cast<cudaStream_t>(stream);
    if (by_.are_first(receives, sends)) {
      // A thread that is left to itself needs copies of its own.
      arrived_ = by_.send(on, true,
                          [r = std::vector(receives.begin(), receives.end()),
                           s = std::vector(sends.begin(), sends.end()), comm = by_.comm(),
                           travel = by_.travel()] { return post(r, s, comm, travel); });
    } else {
      arrived_ =
          by_.send(on, false, [&] { return post(receives, sends, by_.comm(), by_.travel()); });
    }
  }
  void wait(void* stream) override {
    by_.refuse_failed();
    check(cudaStreamWaitEvent(static_cast<cudaStream_t>(stream), arrived_, 0),
          "cudaStreamWaitEvent");
  }

 private:
  static ncclResult_t post(std::span<const message> receives, std::span<const message> sends,
                           ncclComm_t comm, cudaStream_t on) {
    ncclResult_t result = ncclGroupStart();
    const auto ask = [&](ncclResult_t r) {
      if (result == ncclSuccess) result = r;
    };
    for (const message& m : receives) ask(ncclRecv(m.data, m.bytes, ncclChar, m.peer, comm, on));
    for (const message& m : sends) ask(ncclSend(m.data, m.bytes, ncclChar, m.peer, comm, on));
    const ncclResult_t ended = ncclGroupEnd();
    return result == ncclSuccess ? ended : result;
  }

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

/// Returns the id that rank 0 makes. It travels as integers; rank 0's are the largest of all ranks.
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

communicator nccl_communicator(const communicator& start, int device,
                               const communicator_options& o) {
  check_options(o);
  // A rank without a GPU still takes part, so that the others need not wait for it.
  std::shared_ptr<nccl_transport> made;
  agreement(*start.transport()).reach([&] { made = make_transport(gpu::find_device(device), o); });
  const ncclUniqueId id = shared_id(*start.transport());
  made->connect([id, size = start.size(), rank = start.rank()](ncclComm_t* comm) {
    return ncclCommInitRank(comm, size, id, rank);
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
  made->connect(
      [ranks, rank](ncclComm_t* comm) { return ncclCommSplit(ranks, 0, rank, comm, nullptr); });
  return communicator(made);
}

}  // namespace tridia::distributed
