// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "gpu/check.hpp"

#include <array>
#include <chrono>

namespace tridia::distributed {

/// Holds, in order, the messages that were put into streams and may not have arrived yet, and
/// measures how long the oldest has been on its way. Time that it waits for on its own GPU does not
/// count.
class pending_messages {
 public:
  using clock = std::chrono::steady_clock;
  struct entry {
    cudaEvent_t ready, done;  // what comes before it is done; it has arrived
  };

  pending_messages() {
    for (entry& e : entries_) {
      for (cudaEvent_t* event : {&e.ready, &e.done}) {
        gpu::check(cudaEventCreateWithFlags(event, cudaEventDisableTiming), "cudaEventCreate");
      }
    }
  }
  ~pending_messages() {
    for (const entry& e : entries_) cudaEventDestroy(e.ready), cudaEventDestroy(e.done);
  }
  pending_messages(const pending_messages&) = delete;
  pending_messages& operator=(const pending_messages&) = delete;

  [[nodiscard]] bool has_room() {
    forget_arrived();
    return count_ < entries_.size();
  }
  /// Returns the entry of one more message, whose events are to be recorded at once.
  const entry& enter() { return entries_[(first_ + count_++) % entries_.size()]; }

  [[nodiscard]] clock::duration oldest_wait() {
    forget_arrived();
    if (count_ == 0 || !is_over(entries_[first_].ready)) return {};
    if (!timed_) timed_ = true, since_ = clock::now();
    return clock::now() - since_;
  }

 private:
  static bool is_over(cudaEvent_t e) {
    const cudaError_t state = cudaEventQuery(e);
    if (state != cudaErrorNotReady) gpu::check(state, "the work in a stream");
    return state == cudaSuccess;
  }
  void forget_arrived() {
    while (count_ > 0 && is_over(entries_[first_].done)) {
      first_ = (first_ + 1) % entries_.size();
      --count_;
      timed_ = false;
    }
  }

  std::array<entry, 64> entries_{};
  std::size_t first_ = 0, count_ = 0;
  bool timed_ = false;
  clock::time_point since_{};
};

}  // namespace tridia::distributed
