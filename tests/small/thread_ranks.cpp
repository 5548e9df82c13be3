// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#include "small/thread_ranks.hpp"

#include <cuda_runtime_api.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <cstring>
#include <deque>
#include <map>
#include <mutex>
#include <stdexcept>
#include <string>
#include <thread>
#include <tuple>
#include <vector>

#include "distributed/transport.hpp"

namespace tridia_test {
namespace {

using tridia::index_t;
using tridia::distributed::communicator;
using tridia::distributed::exchange;
using tridia::distributed::message;
using tridia::distributed::transport;
using bytes = std::vector<std::byte>;

constexpr std::chrono::seconds kLimit{120};

void check(cudaError_t result) {
  if (result != cudaSuccess) throw std::runtime_error(cudaGetErrorString(result));
}

/// Holds what all ranks share.
class post_office {
 public:
  explicit post_office(int ranks) : ranks_(ranks) {}
  [[nodiscard]] int ranks() const { return ranks_; }

  /// An address is the sender, the receiver, and the number of the exchange.
  using address = std::tuple<int, int, int>;

  void send(const address& a, bytes what) {
    const std::lock_guard lock(mutex_);
    boxes_[a].push_back(std::move(what));
    changed_.notify_all();
  }
  bytes receive(const address& a) {
    std::unique_lock lock(mutex_);
    wait(lock, [&] { return !boxes_[a].empty(); });
    bytes what = std::move(boxes_[a].front());
    boxes_[a].pop_front();
    return what;
  }

  /// Finds the largest of all ranks' values. No rank leaves before all have come.
  void maxima(std::span<index_t> values) {
    std::unique_lock lock(mutex_);
    const int round = round_;
    if (arrived_++ == 0) {
      largest_.assign(values.begin(), values.end());
    } else {
      for (std::size_t k = 0; k < values.size(); ++k)
        largest_[k] = std::max(largest_[k], values[k]);
    }
    if (arrived_ == ranks_) {
      arrived_ = 0, ++round_;
      of_round_[round % 2] = largest_;
      changed_.notify_all();
    }
    wait(lock, [&] { return round_ != round; });
    std::copy(of_round_[round % 2].begin(), of_round_[round % 2].end(), values.begin());
  }

  /// Records that a rank is gone, so that the others do not wait for it.
  void close() {
    const std::lock_guard lock(mutex_);
    closed_ = true;
    changed_.notify_all();
  }

 private:
  template <class Ready>
  void wait(std::unique_lock<std::mutex>& lock, Ready ready) {
    const bool come = changed_.wait_for(lock, kLimit, [&] { return ready() || closed_; });
    if (!come || !ready()) throw std::runtime_error("another rank has not come");
  }

  int ranks_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::map<address, std::deque<bytes>> boxes_;
  int arrived_ = 0, round_ = 0;
  std::vector<index_t> largest_, of_round_[2];
  bool closed_ = false;
};

class thread_transport final : public transport {
 public:
  thread_transport(post_office& post, int rank, int device)
      : post_(post), rank_(rank), device_(device) {}

  [[nodiscard]] int rank() const override { return rank_; }
  [[nodiscard]] int size() const override { return post_.ranks(); }
  [[nodiscard]] int device() const override { return device_; }
  [[nodiscard]] bool failed() const override { return false; }
  void synchronize(void* stream) override {
    if (device_ >= 0) check(cudaStreamSynchronize(static_cast<cudaStream_t>(stream)));
  }
  std::unique_ptr<exchange> make_exchange(std::size_t messages) override;
  void maxima(std::span<index_t> values) override { post_.maxima(values); }

  [[nodiscard]] post_office& post() const { return post_; }
  void copy(void* to, const void* from, std::size_t count) const {
    if (device_ >= 0) {
      check(cudaMemcpy(to, from, count, cudaMemcpyDefault));
    } else {
      std::memcpy(to, from, count);
    }
  }

 private:
  post_office& post_;
  int rank_, device_, exchanges_ = 0;
};

class thread_exchange final : public exchange {
 public:
  thread_exchange(thread_transport& by, int number) : by_(by), number_(number) {}

  void start(std::span<const message> receives, std::span<const message> sends,
             void* stream) override {
    by_.synchronize(stream);
    for (const message& m : sends) {
      bytes what(m.bytes);
      by_.copy(what.data(), m.data, m.bytes);
      by_.post().send({by_.rank(), m.peer, number_}, std::move(what));
    }
    expected_.assign(receives.begin(), receives.end());
  }
  void wait(void* stream) override {
    by_.synchronize(stream);
    for (const message& m : expected_) {
      const bytes what = by_.post().receive({m.peer, by_.rank(), number_});
      if (what.size() != m.bytes) throw std::runtime_error("a message of another length");
      by_.copy(m.data, what.data(), m.bytes);
    }
    expected_.clear();
  }

 private:
  thread_transport& by_;
  int number_;
  std::vector<message> expected_;
};

std::unique_ptr<exchange> thread_transport::make_exchange(std::size_t /*messages*/) {
  return std::make_unique<thread_exchange>(*this, exchanges_++);
}

}  // namespace

void on_thread_ranks(int count, bool on_gpu, const std::function<void(const communicator&)>& work) {
  post_office post(count);
  std::vector<std::string> failures(static_cast<std::size_t>(count));
  {
    std::vector<std::jthread> threads;
    for (int rank = 0; rank < count; ++rank) {
      threads.emplace_back([&, rank] {
        try {
          work(communicator(std::make_shared<thread_transport>(post, rank, on_gpu ? 0 : -1)));
        } catch (const std::exception& e) {
          failures[static_cast<std::size_t>(rank)] = e.what();
          post.close();
        }
      });
    }
  }
  for (const std::string& failure : failures) EXPECT_EQ(failure, "");
}

}  // namespace tridia_test
