// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <atomic>
#include <barrier>
#include <thread>
#include <vector>

namespace tridia_test {

/// Runs a block of threads like that of a GPU.
class team {
 public:
  /// Holds what the threads share.
  struct meeting {
    explicit meeting(int size) : all(size) {}
    std::barrier<> all;
    std::atomic<int> against = 0;
  };

  team(int rank, int size, meeting& m) : rank_(rank), size_(size), meeting_(m) {}
  [[nodiscard]] int rank() const { return rank_; }
  [[nodiscard]] int size() const { return size_; }
  void wait() const { meeting_.all.arrive_and_wait(); }
  /// Returns whether `mine` is true for every thread, after a barrier.
  [[nodiscard]] bool all(bool mine) const {
    meeting_.against += mine ? 0 : 1;
    wait();
    const bool agreed = meeting_.against == 0;
    wait();
    meeting_.against -= mine ? 0 : 1;
    wait();
    return agreed;
  }

 private:
  int rank_, size_;
  meeting& meeting_;
};

/// Calls work(team) by as many threads.
template <class Work>
void by_team(int size, Work work) {
  team::meeting all(size);
  std::vector<std::thread> threads;
  for (int rank = 1; rank < size; ++rank)
    threads.emplace_back([&, rank] { work(team(rank, size, all)); });
  work(team(0, size, all));
  for (std::thread& t : threads) t.join();
}

}  // namespace tridia_test
