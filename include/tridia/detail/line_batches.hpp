// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tridia/detail/aligned_memory.hpp"
#include "tridia/detail/line_lanes.hpp"
#include "tridia/detail/line_sweeps.hpp"
#include "tridia/detail/line_tasks.hpp"

#include <memory>
#include <vector>

// Lines are solved in groups, one in each lane, by elimination row after row. What is kept of their
// rows between the sweeps lies in memory of the thread, and is small enough for its cache. Lines
// along another axis than the last one are neighbours in memory: a batch of groups takes a row of
// all of them, then the next row, so that memory is read in longer pieces, and so that divisions of
// several groups are under way together.
namespace tridia::detail {

/// Solves the lines of a grid in groups of up to `Widest` lanes; `Folding` is their boundary, and B
/// that after short periodic lines are folded.
template <class T, int Widest, boundary Folding, pivoting P, boundary B, int Sides, int Rank,
          int Axis, class MakeRow, class Take>
class line_batches {
  template <int W>
  using value = typename value_of_lanes<T, W>::type;
  template <int W>
  using sweeps = line_sweeps<value<W>, Folding, P, B, Sides>;
  static constexpr int widest = Widest;
  static constexpr bool neighbours = Axis != Rank - 1;

 public:
  line_batches(const line_grid<Rank, Axis>& g, const MakeRow& make_row, const Take& take,
               int threads, line_statuses& statuses)
      : lanes_(g, widest),
        rows_(g.rows()),
        make_row_(make_row),
        take_(take),
        threads_(threads),
        statuses_(statuses) {
    const int across = lanes_.across(), most = (across - 1) / widest + 1;
    const auto fitting = static_cast<int>(batch_bytes / (group_bytes() + 1));
    groups_ = std::clamp(neighbours ? fitting : 1, 1, most);
    // Every thread should have some batches.
    while (groups_ > 1 && batches_of(groups_) * lanes_.sets() < 4 * threads_) groups_ /= 2;
  }

  void solve() {
    const std::int64_t a_set = batches_of(groups_);
    const int lines = groups_ * widest;
    const thread_memory memory(threads_, static_cast<std::size_t>(groups_) * group_bytes());
    for_each_task(threads_, a_set * lanes_.sets(), [&](index_t task, int thread) {
      const std::int64_t set = task / a_set;
      const auto first = static_cast<int>(task - set * a_set) * lines;
      for_each_width<widest>(
          first, std::min(lines, lanes_.across() - first), [&]<int W>(int lane, int groups) {
            solve_groups<W>(lanes_.first_of(set, lane), groups, memory.of(thread));
          });
    });
  }

 private:
  /// A batch should stay in a second-level cache.
  static constexpr std::size_t batch_bytes = 1024 * 1024;
  /// So many rows of a group are done before those of the next one: with 2, states of groups take
  /// as long to load as rows, and with 32, pieces of memory are too short.
  static constexpr int rows_at_a_time = 8;

  [[nodiscard]] std::size_t group_bytes() const {
    return static_cast<std::size_t>(rows_) * sizeof(value<widest>) * sweeps<widest>::row_values +
           sizeof(sweeps<widest>) + aligned_memory::alignment;
  }
  [[nodiscard]] std::int64_t batches_of(int groups) const {
    return (lanes_.across() - 1) / (groups * widest) + 1;
  }

  /// Only the widest groups are many.
  template <int W>
  void solve_groups(const point<Rank>& first, int groups, void* memory) {
    if constexpr (neighbours && W == widest) {
      batch<W, 0>(*this, first, groups, memory).solve();
    } else {
      for (int g = 0; g < groups; ++g) {
        batch<W, 1>(*this, lanes_.template group_after<W>(first, g), 1, memory).solve();
      }
    }
  }

  /// Solves groups that are neighbours; `Count` of them, or, if it is 0, a number known at run
  /// time.
  template <int W, int Count>
  class batch {
    using V = value<W>;
    using line = sweeps<W>;

   public:
    batch(line_batches& all, const point<Rank>& first, int groups, void* memory)
        : all_(all), first_(first), groups_(Count > 0 ? Count : groups) {
      if constexpr (Count == 0) {
        lines_ = static_cast<line*>(memory);
        std::uninitialized_default_construct_n(lines_, groups_);
        const auto bytes =
            (static_cast<std::size_t>(groups_) * sizeof(line) / aligned_memory::alignment + 1) *
            aligned_memory::alignment;
        kept_ = reinterpret_cast<V*>(static_cast<std::byte*>(memory) + bytes);
      } else {
        kept_ = static_cast<V*>(memory);
      }
    }
    void solve() {
      const int n = all_.rows_, entering = line::entering(n), leaving = line::leaving(n);
      const int step = Count == 1 ? n : rows_at_a_time;
      const std::int64_t pitch = std::int64_t{groups_} * line::row_values;
      for_each([&](line& s, V*, auto& row_of, auto&) TRIDIA_INLINE_LAMBDA { s.start(n, row_of); });
      for (int k = 1; k < entering; k += step) {
        for_each([&](line& s, V* kept, auto& row_of, auto&) TRIDIA_INLINE_LAMBDA {
          s.forward(k, std::min(k + step, entering), n, row_of, kept, pitch);
        });
      }
      for_each([&](line& s, V* kept, auto&, auto&)
                   TRIDIA_INLINE_LAMBDA { s.turn(n, kept, pitch); });
      for (int k = leaving; k > 0; k -= step) {
        for_each([&](line& s, V* kept, auto&, auto&)
                     TRIDIA_INLINE_LAMBDA { s.backward(std::max(k - step, 0), k, kept, pitch); });
      }
      for (int k0 = 0; k0 < n; k0 += step) {
        for_each([&](line& s, V* kept, auto&, auto& take) TRIDIA_INLINE_LAMBDA {
          for (int k = k0; k < std::min(k0 + step, n); ++k) s.give(k, take, kept, pitch);
        });
      }
      for (int g = 0; g < groups_; ++g) {
        const point<Rank> p = all_.lanes_.template group_after<W>(first_, g);
        all_.statuses_.template enter<W>(all_.lanes_.number_of(p), all_.lanes_.number_step(),
                                         line_of(g).finite());
      }
    }

   private:
    line& line_of(int g) {
      if constexpr (Count == 1) {
        return line_;
      } else {
        return lines_[g];
      }
    }
    template <class F>
    TRIDIA_FN void for_each(F f) {
      const auto& lanes = all_.lanes_;
      for (int g = 0; g < groups_; ++g) {
        const point<Rank> at = lanes.template group_after<W>(first_, g);
        const auto row_of = [&](int k) TRIDIA_INLINE_LAMBDA {
          return all_.make_row_(lanes.template row_of<W>(at, k));
        };
        const auto take = [&](int k, const auto& x) TRIDIA_INLINE_LAMBDA {
          all_.take_(lanes.template row_of<W>(at, k), x);
        };
        f(line_of(g), kept_ + g * line::row_values, row_of, take);
      }
    }

    line_batches& all_;
    const point<Rank> first_;
    const int groups_;
    line line_, *lines_ = nullptr;
    V* kept_;
  };

  line_lanes<Rank, Axis> lanes_;
  int rows_;
  const MakeRow& make_row_;
  const Take& take_;
  int threads_, groups_;
  line_statuses& statuses_;
};

}  // namespace tridia::detail
