// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tridia/detail/aligned_memory.hpp"
#include "tridia/detail/line_lanes.hpp"
#include "tridia/detail/line_tasks.hpp"
#include "tridia/detail/part_rows.hpp"

#include <algorithm>
#include <cstring>
#include <memory>
#include <vector>

// Lines whose elimination would not stay in a cache are reduced in parts of some hundred rows, each
// to its interface equations (core/chunk.hpp). These are solved, line by line; then the rows of
// every part are made once more, and x of them is found. Parts of one line are for all threads.
namespace tridia::detail {

template <class T, int Widest, boundary B, pivoting P, int Sides, int Rank, int Axis, class MakeRow,
          class Take>
class line_parts {
  static constexpr int widest = Widest;
  template <int W>
  using value = typename value_of_lanes<T, W>::type;
  template <int W>
  using interface = part_interface<value<W>, P, sides_of<value<W>, Sides>>;

 public:
  /// Parts have so many rows, but for the last one of a line.
  static constexpr int part_rows = 512;

  line_parts(const line_grid<Rank, Axis>& g, const MakeRow& make_row, const Take& take, int threads,
             line_statuses& statuses)
      : lanes_(g, widest),
        rows_(g.rows()),
        parts_((rows_ + part_rows - 1) / part_rows),
        make_row_(make_row),
        take_(take),
        threads_(threads),
        statuses_(statuses) {
    for_each_width<widest>(0, lanes_.across(), [&]<int W>(int lane, int count) {
      for (int i = 0; i < count; ++i, lane += W) groups_.push_back({lane, W});
    });
  }

  void solve() {
    const auto groups = static_cast<std::int64_t>(groups_.size());
    const std::int64_t all = lanes_.sets() * groups;
    const thread_memory memory(threads_, part_rows * sizeof(typename rows<widest>::kept));
    interfaces_ =
        aligned_memory(static_cast<std::size_t>(all * parts_) * sizeof(interface<widest>));
    for_each_task(threads_, all * parts_,
                  [&](index_t task, int) { of_part<false>(task, nullptr); });
    for_each_task(threads_, all, [&](index_t group, int) {
      with_width(group, [&]<int W>() {
        interface<W>::template solve<B>(
            parts_, [&](int part) -> interface<W>& { return interface_of<W>(group, part); });
      });
    });
    for_each_task(threads_, all * parts_,
                  [&](index_t task, int thread) { of_part<true>(task, memory.of(thread)); });
  }

 private:
  struct lane_group {
    int lane, width;
  };
  template <int W>
  using rows = kept_part_rows<value<W>, B, P, Sides>;

  /// Calls f.operator()<W>() with the width of a group.
  template <int W = widest, class F>
  void with_width(std::int64_t group, const F& f) const {
    const lane_group& g = groups_[static_cast<std::size_t>(group) % groups_.size()];
    if (g.width == W) {
      f.template operator()<W>();
    } else if constexpr (W > 1) {
      with_width<next_width<W>>(group, f);
    }
  }
  template <int W>
  interface<W>& interface_of(std::int64_t group, int part) const {
    return reinterpret_cast<interface<W>&>(
        static_cast<interface<widest>*>(interfaces_.data())[group * parts_ + part]);
  }

  /// Reduces a part of a group, or finds x of it; parts of neighbouring groups follow each other.
  template <bool Expand>
  void of_part(index_t task, void* memory) {
    const auto groups = static_cast<std::int64_t>(groups_.size());
    const std::int64_t set = task / (groups * parts_), in_set = task - set * groups * parts_;
    const auto part = static_cast<int>(in_set / groups);
    const std::int64_t group = set * groups + in_set % groups;
    with_width(group, [&]<int W>() {
      const lane_group& g = groups_[static_cast<std::size_t>(in_set % groups)];
      const point<Rank> first = lanes_.first_of(set, g.lane);
      const auto row_of = [&](int k) TRIDIA_INLINE_LAMBDA {
        return make_row_(lanes_.template row_of<W>(first, k));
      };
      const int k0 = part * part_rows, count = std::min(rows_ - k0, part_rows);
      rows<W> own(memory);
      own_rows<rows<W>, decltype(row_of)> r{own, row_of, k0, rows_};
      auto& ends = interface_of<W>(group, part);
      if constexpr (!Expand) {
        ends.reduce(count, r);
      } else {
        const auto good = ends.expand(count, r);
        const auto take = [&](int k, const auto& x) TRIDIA_INLINE_LAMBDA {
          take_(lanes_.template row_of<W>(first, k), x);
        };
        for (int k = 0; k < count; ++k) own.give(k, k0 + k, good, take);
        statuses_.template enter<W>(lanes_.number_of(first), lanes_.number_step(), good);
      }
    });
  }

  line_lanes<Rank, Axis> lanes_;
  int rows_, parts_;
  const MakeRow& make_row_;
  const Take& take_;
  int threads_;
  line_statuses& statuses_;
  std::vector<lane_group> groups_;  // of each set of neighbouring lines
  aligned_memory interfaces_;       // of each part of each group
};

}  // namespace tridia::detail
