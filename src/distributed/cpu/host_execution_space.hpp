// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "core/host_device.hpp"
#include "distributed/direct_way.hpp"
#include "distributed/line_operator/shares.hpp"
#include "line_operator/share_summing.hpp"
#include "tridia/types.hpp"

#include <omp.h>

#include <cstddef>
#include <cstring>
#include <vector>

namespace tridia::distributed {

/// An execution space is the memory in which a rank's arrays lie and the processor that works on
/// them. Work on many lines is written once, as a functor of plain pointers and numbers, and called
/// in the host's space or in a device's (cuda/device_execution_space.cuh), which has the same
/// members; there work is put into a stream.
class host_execution_space {
 public:
  host_execution_space(int threads, void* /*stream*/)
      : threads_(threads > 0 ? threads : omp_get_max_threads()) {}

  /// This memory has `size()` elements; their initial values do not matter.
  template <class T>
  using array = std::vector<T>;

  /// Returns the number of slots: calls that run at the same time have different ones.
  [[nodiscard]] index_t slots(index_t /*count*/) const { return threads_; }

  /// Returns the number of elements that one call copies of a piece of `elements`.
  static index_t run(index_t elements) { return elements; }
  /// This is the number of lines that one call works on, side by side where they lie so.
  static constexpr int lanes = 8;
  /// This is the number of calls that may share a line whose points lie side by side.
  static constexpr int team = 1;

  /// Calls f(i, slot) for i from 0 to count - 1; each is worth `work` simple ones.
  template <class F>
  void for_each(index_t count, index_t work, const F& f) const {
    constexpr index_t serial = 4096;
    if (count * work < serial || threads_ == 1) {
      for (index_t i = 0; i < count; ++i) f(i, index_t{0});
    } else {
#pragma omp parallel for num_threads(threads_) schedule(static)
      for (index_t i = 0; i < count; ++i) f(i, index_t{omp_get_thread_num()});
    }
  }

  /// Computes shares, into slots that follow each other; a line is worth `work` simple calls.
  template <class V>
  void sum(const share_summing_task<V>& t, index_t work) const {
    if (t.count == 0) return;
    const line_operator::share_summing<V, lanes, 1> f{
        t.in,    t.lines,   t.along,       line_operator::never_wraps, t.groups,
        t.count, t.weights, t.slots[0].at, {t.lines.size, 0}};
    for_each((t.lines.size + lanes - 1) / lanes, lanes * work, f);
  }
  /// Adds shares up.
  template <class V>
  void add(const share_adding_task<V>& t, const direct_way* /*way*/) const {
    for_each(t.sums * t.lines, 1, [t](index_t i, index_t /*slot*/) {
      const index_t sum = i / t.lines, line = i - sum * t.lines;
      V all(0);
      for (index_t k = t.first[sum]; k < t.first[sum + 1]; ++k) {
        all = all + t.terms[k].at[line];
      }
      t.values[i] = all;
    });
  }

  static bool may_begin_early() { return false; }
  /// No rank writes into the host memory of another.
  void clear(const direct_way& /*way*/) const {}

  template <class T>
  void copy(T* to, const T* from, index_t count) const {
    if (count > 0) std::memcpy(to, from, static_cast<std::size_t>(count) * sizeof(T));
  }

 private:
  int threads_;
};

}  // namespace tridia::distributed
