// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <barrier>
#include <thread>
#include <vector>

namespace tridia_test {

/// Runs a block of threads like that of a GPU.
class team {
 public:
  team(int rank, int size, std::barrier<>& all) : rank_(rank), size_(size), all_(all) {}
  [[nodiscard]] int rank() const { return rank_; }
  [[nodiscard]] int size() const { return size_; }
  void wait() const { all_.arrive_and_wait(); }

 private:
  int rank_, size_;
  std::barrier<>& all_;
};

/// Calls work(team) by as many threads.
template <class Work>
void by_team(int size, Work work) {
  std::barrier all(size);
  std::vector<std::thread> threads;
  for (int rank = 1; rank < size; ++rank)
    threads.emplace_back([&, rank] { work(team(rank, size, all)); });
  work(team(0, size, all));
  for (std::thread& t : threads) t.join();
}

}  // namespace tridia_test
