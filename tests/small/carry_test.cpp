// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause

// These are small cases of messages that GPUs store into each other's memory; here one GPU is at
// both ends.
#include "distributed/cuda/carry.hpp"

#include <cuda_runtime_api.h>
#include <gtest/gtest.h>

#include <chrono>
#include <cstring>
#include <string>
#include <vector>

#include "distributed/cuda/wait_watch.hpp"
#include "small/kernels.hpp"
#include "support/device_memory.hpp"

namespace tridia_test {
namespace {

namespace distributed = tridia::distributed;
using bytes = std::vector<std::byte>;

void check(cudaError_t result) {
  if (result != cudaSuccess) throw std::runtime_error(cudaGetErrorString(result));
}

/// Is a channel with both ends on one GPU, whose counters are about to wrap.
class loop {
 public:
  loop(std::size_t size, std::size_t shift)
      : size_(size),
        shift_(shift),
        from_(allocate_on_device(size + shift)),
        slot_(allocate_on_device(size)),
        to_(allocate_on_device(size + shift)),
        counters_(allocate_on_device(4 * counters_bytes())) {
    check(cudaMemset(counters_.get(), 0xff, 4 * counters_bytes()));
  }

  /// Sets what is sent; what has arrived before is overwritten.
  void fill(std::byte with) {
    content_.assign(size_, with);
    for (std::size_t k = 0; k < size_; k += 4) std::memcpy(content_.data() + k, &k, 2);
    copy_to_device(from_.get() + shift_, content_.data(), size_);
    check(cudaMemset(to_.get(), 0xee, size_ + shift_));
    check(cudaMemset(slot_.get(), 0xee, size_));
  }
  [[nodiscard]] bytes arrived() const {
    bytes all(size_);
    copy_to_host(all.data(), to_.get() + shift_, size_);
    return all;
  }
  [[nodiscard]] const bytes& content() const { return content_; }

  [[nodiscard]] distributed::carried send() const {
    return {slot_.get(), from_.get() + shift_, size_, counter(0), counter(1), counter(2), 0};
  }
  [[nodiscard]] distributed::carried receive() const {
    return {to_.get() + shift_, slot_.get(), size_, counter(1), counter(0), counter(3), 1};
  }

 private:
  [[nodiscard]] std::size_t counters_bytes() const {
    return distributed::chunks_of(size_) * sizeof(unsigned);
  }
  [[nodiscard]] unsigned* counter(std::size_t k) const {
    return reinterpret_cast<unsigned*>(counters_.get() + k * counters_bytes());
  }

  std::size_t size_, shift_;
  device_bytes from_, slot_, to_, counters_;
  bytes content_;
};

class SmallDistributedCarry : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!have_gpu()) GTEST_SKIP() << "no GPU";
  }
  static void go(const std::vector<distributed::carried>& all, const distributed::wait_watch& watch,
                 void* stream) {
    check(distributed::carry(all, watch.limits(), static_cast<cudaStream_t>(stream)));
  }
  static std::vector<distributed::carried> sends(const std::vector<loop>& loops) {
    std::vector<distributed::carried> all;
    for (const loop& l : loops) all.push_back(l.send());
    return all;
  }
  static std::vector<distributed::carried> receives(const std::vector<loop>& loops) {
    std::vector<distributed::carried> all;
    for (const loop& l : loops) all.push_back(l.receive());
    return all;
  }
  /// Returns loops of sizes and alignments as they come; more than a kernel takes at a time.
  static std::vector<loop> loops() {
    std::vector<loop> all;
    for (const std::size_t size : {4, 8, 12, 16, 100, 16380, 16384, 16388, 50000})
      for (const std::size_t shift : {0, 4, 8}) all.emplace_back(size, shift);
    return all;
  }
  static void expect_arrived(const std::vector<loop>& loops) {
    for (const loop& l : loops)
      EXPECT_EQ(l.arrived(), l.content()) << l.content().size() << " bytes";
  }
};

TEST_F(SmallDistributedCarry, MessagesArriveRoundAfterRound) {
  const distributed::wait_watch watch(10);
  std::vector<loop> all = loops();
  const stream_handle stream = make_stream();
  for (int round = 0; round < 4; ++round) {
    for (loop& l : all) l.fill(static_cast<std::byte>(round + 1));
    check(cudaDeviceSynchronize());
    go(sends(all), watch, stream.get());
    go(receives(all), watch, stream.get());
    wait_for(stream.get());
    expect_arrived(all);
  }
  EXPECT_FALSE(watch.is_late());
}

TEST_F(SmallDistributedCarry, GraphCanBeLaunchedAgain) {
  const distributed::wait_watch watch(10);
  std::vector<loop> all = loops();
  const stream_handle stream = make_stream();
  const auto round = [&] {
    go(sends(all), watch, stream.get());
    go(receives(all), watch, stream.get());
  };
  expect_kernels(stream.get(), {{"carry", "carry_kernel"}}, round);
  captured_graph graph(stream.get(), round);
  for (int k = 0; k < 3; ++k) {
    for (loop& l : all) l.fill(static_cast<std::byte>(k + 5));
    check(cudaDeviceSynchronize());
    graph.replay();
    wait_for(stream.get());
    expect_arrived(all);
  }
}

TEST_F(SmallDistributedCarry, KernelsGiveUpAfterTheTimeLimit) {
  const distributed::wait_watch watch(0.05);
  std::vector<loop> one;
  one.emplace_back(20000, 0);
  one[0].fill(std::byte{1});
  check(cudaDeviceSynchronize());
  const stream_handle stream = make_stream();
  go(receives(one), watch, stream.get());
  wait_for(stream.get());
  EXPECT_TRUE(watch.is_late());
  EXPECT_EQ(one[0].arrived(), bytes(20000, std::byte{0xee}));
  // Kernels that come later do not wait at all.
  const auto began = std::chrono::steady_clock::now();
  for (int k = 0; k < 100; ++k) go(receives(one), watch, stream.get());
  wait_for(stream.get());
  EXPECT_LT(std::chrono::steady_clock::now() - began, std::chrono::seconds(2));
}

TEST_F(SmallDistributedCarry, HostMakesKernelsGiveUp) {
  distributed::wait_watch watch(0);
  std::vector<loop> one;
  one.emplace_back(100, 0);
  one[0].fill(std::byte{1});
  check(cudaDeviceSynchronize());
  const stream_handle stream = make_stream();
  watch.give_up();
  go(receives(one), watch, stream.get());
  wait_for(stream.get());
  EXPECT_FALSE(watch.is_late());
  EXPECT_EQ(one[0].arrived(), bytes(100, std::byte{0xee}));
}

/// A receiver may come first, and a sender waits for the slot.
TEST(DistributedCarry, EndsWaitForEachOther) {
  if (!have_gpu()) GTEST_SKIP() << "no GPU";
  const distributed::wait_watch watch(10);
  loop l(200000, 8);
  const stream_handle sender = make_stream(), receiver = make_stream();
  const auto go = [&](const distributed::carried& one, void* stream) {
    check(distributed::carry({&one, 1}, watch.limits(), static_cast<cudaStream_t>(stream)));
  };
  // A kernel's first launch may wait for all that runs.
  l.fill(std::byte{0});
  check(cudaDeviceSynchronize());
  go(l.send(), sender.get());
  wait_for(sender.get());
  go(l.receive(), receiver.get());
  wait_for(receiver.get());
  for (int round = 0; round < 50; ++round) {
    l.fill(static_cast<std::byte>(round));
    check(cudaDeviceSynchronize());
    go(l.receive(), receiver.get());
    go(l.send(), sender.get());
    wait_for(receiver.get());
    EXPECT_EQ(l.arrived(), l.content()) << "round " << round;
    // Two messages on their way: the second waits until the first has left the slot.
    go(l.send(), sender.get());
    go(l.send(), sender.get());
    go(l.receive(), receiver.get());
    go(l.receive(), receiver.get());
    wait_for(sender.get()), wait_for(receiver.get());
  }
  EXPECT_FALSE(watch.is_late());
}

}  // namespace
}  // namespace tridia_test
