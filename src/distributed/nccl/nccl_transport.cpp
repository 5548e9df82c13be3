// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#include "distributed/nccl/nccl_transport.hpp"

#include "distributed/nccl/nccl_exchange.hpp"

#include <algorithm>

namespace tridia::distributed {

using gpu::check;
using gpu::device_scope;

nccl_transport::nccl_transport(int device, const communicator_options& o)
    : device_(device), limit_(o.time_limit) {
  const device_scope scope(device_);
  // Messages have the highest priority where other work is waiting for the same multiprocessors.
  int least = 0, greatest = 0;
  check(cudaDeviceGetStreamPriorityRange(&least, &greatest), "cudaDeviceGetStreamPriorityRange");
  check(cudaStreamCreateWithPriority(&travel_, cudaStreamNonBlocking, greatest),
        "cudaStreamCreate");
  pending_ = std::make_unique<pending_messages>();
  turns_ = std::make_unique<distributed::turns>();
  watch_ = std::make_unique<wait_watch>(limit_);
  if (o.peer_memory) peers_ = std::make_unique<peer_memory>(device_);
}

nccl_transport::~nccl_transport() {
  int before = 0;
  if (cudaGetDevice(&before) != cudaSuccess || cudaSetDevice(device_) != cudaSuccess) return;
  disconnect();
  pending_.reset();
  turns_.reset();
  watch_.reset();
  peers_.reset();
  all_ = {};
  cudaStreamDestroy(travel_);
  cudaSetDevice(before);
}

std::string nccl_transport::reason() const {
  const auto reached = std::count(reached_.begin(), reached_.end(), true);
  return "messages to " + std::to_string(reached) + " of " + std::to_string(size_ - 1) +
         " other GPUs are stored into their memory; NCCL carries all others";
}

void nccl_transport::maxima(std::span<index_t> values) {
  refuse_failed();
  const device_scope scope(device_);
  const std::size_t bytes = values.size_bytes();
  if (all_bytes_ < bytes) all_ = gpu::device_memory(bytes), all_bytes_ = bytes;
  check(cudaMemcpyAsync(all_.as<void>(), values.data(), bytes, cudaMemcpyHostToDevice, travel_),
        "copying to the device");
  send(travel_, !reduced_, [all = all_.as<void>(), count = values.size(), c = comm_, t = travel_] {
    return ncclAllReduce(all, all, count, ncclInt64, ncclMax, c, t);
  });
  reduced_ = true;
  synchronize(travel_);
  check(cudaMemcpy(values.data(), all_.as<void>(), bytes, cudaMemcpyDeviceToHost),
        "copying to the host");
}

void nccl_transport::synchronize(void* stream) {
  refuse_failed();
  const device_scope scope(device_);
  const auto on = static_cast<cudaStream_t>(stream);
  wait_until("messages", [&] {
    const cudaError_t state = cudaStreamQuery(on);
    if (state == cudaErrorNotReady) return false;
    check(state, "the work in a stream");
    return true;
  });
  refuse_late();
}

void nccl_transport::refuse_failed() {
  if (failed_) {
    throw error(errc::peer_failure,
                "communicator: another rank has failed before; make a new one without it");
  }
  refuse_late();
}

bool nccl_transport::are_first(messages receives, messages sends) {
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

std::unique_ptr<peer_channels> nccl_transport::make_channels(messages receives, messages sends,
                                                             std::size_t places) {
  const auto swap = [&](messages from, messages to) {
    const bool first = are_first(from, to);
    send(travel_, first,
         [r = std::vector(from.begin(), from.end()), s = std::vector(to.begin(), to.end()),
          c = comm_, t = travel_] { return post(r, s, c, t); });
    synchronize(travel_);
  };
  return std::make_unique<peer_channels>(peers_.get(), watch_->limits(), reached_, receives, sends,
                                         places, travel_, swap);
}

bool nccl_transport::all_are_direct(messages receives, messages sends) {
  if (!peers_) return false;
  std::vector<int> to, from;
  for (const message& m : sends) to.push_back(m.peer);
  for (const message& m : receives) from.push_back(m.peer);
  std::sort(to.begin(), to.end()), std::sort(from.begin(), from.end());
  const auto is_reached = [&](int r) { return reached_[static_cast<std::size_t>(r)]; };
  const bool direct = to == from && to.size() <= static_cast<std::size_t>(direct_way::most) &&
                      std::adjacent_find(to.begin(), to.end()) == to.end() &&
                      std::all_of(to.begin(), to.end(), is_reached);
  index_t others = direct ? 0 : 1;
  maxima({&others, 1});
  return others == 0 && !to.empty();
}

void nccl_transport::close(peer_channels& c) noexcept {
  try {
    const device_scope scope(device_);
    check(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
    const clock::time_point began = clock::now();
    while (!failed_ && !watch_->is_late() && !is_late(clock::now() - began)) {
      if (c.is_quiet()) return;
    }
  } catch (...) {
    // The error cannot be reported from here.
  }
  c.abandon();
}

ncclResult_t nccl_transport::post(messages receives, messages sends, ncclComm_t comm,
                                  cudaStream_t on) {
  ncclResult_t result = ncclGroupStart();
  const auto ask = [&](ncclResult_t r) {
    if (result == ncclSuccess) result = r;
  };
  for (const message& m : receives) ask(ncclRecv(m.data, m.bytes, ncclChar, m.peer, comm, on));
  for (const message& m : sends) ask(ncclSend(m.data, m.bytes, ncclChar, m.peer, comm, on));
  const ncclResult_t ended = ncclGroupEnd();
  return result == ncclSuccess ? ended : result;
}

void nccl_transport::find_reached() {
  const device_scope scope(device_);
  const auto windows = of_all_ranks(std::vector{peers_->window_of({})});
  std::vector<char> reach;
  for (const peer_memory::address& a : windows) reach.push_back(peers_->reach(a) != nullptr);
  const std::vector<char> all = of_all_ranks(reach);
  const auto ranks = static_cast<std::size_t>(size_), here = static_cast<std::size_t>(rank_);
  for (std::size_t r = 0; r < ranks; ++r) {
    reached_[r] = r != here && all[here * ranks + r] != 0 && all[r * ranks + here] != 0;
  }
}

void nccl_transport::late(const char* what) {
  fail(std::string(what) + ": other ranks have not come within the time limit of " +
       std::to_string(limit_) + " seconds");
}

void nccl_transport::fail(const std::string& sentence) {
  failed_ = true;
  watch_->give_up();
  if (comm_ != nullptr) ncclCommAbort(std::exchange(comm_, nullptr));
  throw error(errc::peer_failure, "NCCL: rank " + std::to_string(rank_) + ": " + sentence);
}

void nccl_transport::require(const char* what, ncclResult_t result) {
  if (result != ncclSuccess) fail(std::string(what) + ": " + ncclGetErrorString(result));
}

void nccl_transport::disconnect() {
  if (comm_ == nullptr) return;
  try {
    synchronize(travel_);
    within_limit("ending", [c = std::exchange(comm_, nullptr)] { return ncclCommDestroy(c); });
  } catch (...) {
    // The error cannot be reported from here.
  }
}

std::unique_ptr<exchange> nccl_transport::make_exchange(std::size_t /*messages*/) {
  return std::make_unique<nccl_exchange>(*this);
}

}  // namespace tridia::distributed
