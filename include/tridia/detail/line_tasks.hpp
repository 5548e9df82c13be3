// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tridia/types.hpp"

#include <atomic>
#include <exception>

namespace tridia::detail {

/// Returns how many threads of a CPU solve lines of so many rows in all: `asked`, or, if it is 0,
/// as many as OpenMP would take; one where starting others would cost more than it gains.
int line_threads(int asked, index_t rows) noexcept;

/// Calls call(data, task, thread) for tasks 0 to count - 1 from up to `threads` threads of the
/// library; `thread` counts from 0. `call` throws nothing.
void run_line_tasks(int threads, index_t count, void (*call)(void* data, index_t task, int thread),
                    void* data) noexcept;

/// Calls f(task, thread) so. What it throws first comes out, and no task begins after that.
template <class F>
void for_each_task(int threads, index_t count, F f) {
  struct state {
    F& f;
    std::atomic<bool> failed = false;
    std::exception_ptr error = nullptr;
  } s{f};
  run_line_tasks(
      threads, count,
      [](void* data, index_t task, int thread) {
        auto& all = *static_cast<state*>(data);
        if (all.failed.load(std::memory_order_relaxed)) return;
        try {
          all.f(task, thread);
        } catch (...) {
          if (!all.failed.exchange(true)) all.error = std::current_exception();
        }
      },
      &s);
  if (s.error) std::rethrow_exception(s.error);
}

}  // namespace tridia::detail
