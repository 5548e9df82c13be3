// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#include "distributed/cpu/local_rows.hpp"

#include "core/chunk_merge.hpp"
#include "core/dispatch.hpp"
#include "solver/cpu/part_kernels.hpp"

#include <omp.h>

#include <algorithm>
#include <vector>

namespace tridia::distributed {
namespace {

using cpu::part_batch;
using cpu::part_kernels;
using solver::operands;

/// Below this many rows in all, starting threads costs more than it gains.
constexpr index_t serial_rows = 8192;

class cpu_local_rows final : public local_rows {
 public:
  explicit cpu_local_rows(const local_rows_task& t) : task_(t), lines_(t.geometry.matrices.size) {
    const cpu::part_kernel_pair pair = cpu::find_part_kernels(t.type, t.pivoting);
    with_ = lines_ > 1 ? pair.wide : pair.single;
    threads_ = t.threads > 0 ? t.threads : omp_get_max_threads();
    if (lines_ * t.geometry.rows < serial_rows) threads_ = 1;
    // The number of values is the same for all types.
    const bool pivots = t.pivoting == pivoting::partial;
    equation_values_ = pivots ? values<pivoting::partial>().first : values<pivoting::none>().first;
    unknown_values_ = pivots ? values<pivoting::partial>().second : values<pivoting::none>().second;
    memory_.resize(thread_bytes() * threads_ + solver::alignment);
    if (pivots) interchanged_ = std::make_unique<bool[]>(static_cast<std::size_t>(lines_));
  }

  std::size_t bytes() const override { return memory_.size(); }

  void reduce(const operands& o, const line_batches& cut, index_t p0, index_t p1, void* equations,
              void* /*stream*/) override {
    for_each_group_batch(o, cut, p0, p1, equation_values_,
                         [&](const part_batch& s, index_t, int thread) {
                           with_.reduce(s, equations, memory_of(thread));
                         });
  }

  void expand(const operands& o, const line_batches& cut, index_t p0, index_t p1,
              const void* unknowns, index_t* found, void* /*stream*/) override {
    for_each_group_batch(o, cut, p0, p1, unknown_values_,
                         [&](const part_batch& s, index_t first, int thread) {
                           with_.expand(s, unknowns, memory_of(thread), found + first);
                         });
  }

 private:
  template <pivoting P>
  static constexpr std::pair<int, int> values() {
    using chunk = core::chunk<double, P>;
    return {core::value_count<typename chunk::equations, double>,
            core::value_count<typename chunk::unknowns, double>};
  }

  std::size_t thread_bytes() const {
    return solver::round_up(static_cast<std::size_t>(task_.geometry.rows) * with_.kept_bytes);
  }

  std::byte* memory_of(int thread) {
    return solver::align(memory_.data()) + static_cast<std::size_t>(thread) * thread_bytes();
  }

  /// Returns the number of lines of a batch of groups: some, so that there is something to
  /// prefetch, but few enough to leave work for all threads.
  index_t lines_a_group_batch(index_t lines) const {
    const index_t groups = (lines + with_.lanes - 1) / with_.lanes;
    const index_t most = std::min<index_t>(cpu::max_groups, cpu::max_systems / with_.lanes);
    return with_.lanes * std::clamp<index_t>(groups / (2 * threads_), 1, most);
  }

  /// Calls f(batch of groups, its first line, thread).
  template <class F>
  void for_each_group_batch(const operands& o, const line_batches& cut, index_t p0, index_t p1,
                            int values, F f) const {
    const index_t begin = cut.begin(p0), end = cut.begin(p1),
                  each = lines_a_group_batch(end - begin);
    const index_t group_batches = (end - begin + each - 1) / each;
    const auto work = [&](index_t i, int thread) {
      part_batch s;
      const index_t first = begin + i * each;
      fill(s, o, cut, first, std::min(each, end - first), values);
      f(s, first, thread);
    };
    const int threads = static_cast<int>(std::min<index_t>(threads_, group_batches));
    if (threads <= 1) {
      for (index_t i = 0; i < group_batches; ++i) work(i, 0);
    } else {
#pragma omp parallel for num_threads(threads) schedule(static)
      for (index_t i = 0; i < group_batches; ++i) work(i, omp_get_thread_num());
    }
  }

  /// Returns where the entries of the lines from `first` on begin.
  const void* of_lines(const void* entries, index_t first) const {
    if (entries == nullptr) return nullptr;
    return static_cast<const std::byte*>(entries) +
           static_cast<std::size_t>(first) * size_of(task_.type);
  }

  void fill(part_batch& s, const operands& o, const line_batches& cut, index_t first, index_t live,
            int values) const {
    const layout::geometry& g = task_.geometry;
    s.before = task_.before;
    s.after = task_.after;
    s.interchanged = interchanged_.get() + first;
    s.entries_before = of_lines(task_.entries_before, first);
    s.entries_after = of_lines(task_.entries_after, first);
    cpu::group_batch& lines = s.lines;
    lines.g = &g;
    for (int k = 0; k < 4; ++k) lines.in[k] = o.in[k];
    lines.x = o.x;
    lines.status = nullptr;
    lines.rows = g.rows;
    lines.live = static_cast<int>(live);
    lines.groups = lines.room = static_cast<int>((live + with_.lanes - 1) / with_.lanes);
    lines.reversed = lines.nontemporal = lines.prefetch_for_write = lines.by_rows = false;
    cpu::place_lines(lines, g.matrices, first, {}, with_.lanes);
    for (int l = 0; l < live; ++l) {
      const index_t line = first + l, batch = line / cut.batch_size;
      s.place[l] = {cut.begin(batch) * values + line - cut.begin(batch), cut.size(batch)};
    }
  }

  local_rows_task task_;
  index_t lines_;
  part_kernels with_;
  int threads_, equation_values_, unknown_values_;
  std::vector<std::byte> memory_;
  std::unique_ptr<bool[]> interchanged_;  // of lines, with pivoting
};

}  // namespace

std::unique_ptr<local_rows> make_cpu_local_rows(const local_rows_task& t) {
  return std::make_unique<cpu_local_rows>(t);
}

}  // namespace tridia::distributed
