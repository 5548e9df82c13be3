// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "distributed/strategies/interface_of.hpp"

namespace tridia::distributed {

/// Where x at one end of a rank's rows hardly matters at the other, two neighbours find x on both
/// sides of their border by themselves. See `plan::influence` for what is neglected.
template <class V>
class nearest final : public interface_of<V, pivoting::none> {
  using base = interface_of<V, pivoting::none>;
  using base::ranks, base::here, base::rank, base::words;
  using typename base::equations_t, typename base::ends_t, typename base::equation;

 public:
  nearest(const interface_task& t, transport& by)
      : base(t, std::max<index_t>(t.lines, 1), by), memory_(4 * border_words(t)) {
    const bool joined = t.boundary == boundary::periodic;
    if (here() > 0 || joined) left_ = rank((here() + ranks() - 1) % ranks());
    if (here() + 1 < ranks() || joined) right_ = rank((here() + 1) % ranks());
    exchange_ = by.make_exchange(4);
    receives_.reserve(2), sends_.reserve(2);
  }

  index_t parcels_a_slab() const override { return 1; }
  std::size_t bytes() const override { return this->own_bytes() + this->bytes_of(memory_); }

  void start(index_t) override {
    const index_t n = this->cut_.lines;
    this->for_each_line(n, 1, [&](index_t line, int) {
      const equations_t e = own(line);
      core::store_words(border{e.first.before, e.first.rhs}, at(0), n, line);
      core::store_words(border{e.last.after, e.last.rhs}, at(1), n, line);
    });
    receives_.clear(), sends_.clear();
    // A rank's first message goes left: where both neighbours are one, it is its right border's.
    if (right_ >= 0) receives_.push_back(words(right_, at(2), 2 * n));
    if (left_ >= 0) receives_.push_back(words(left_, at(3), 2 * n));
    if (left_ >= 0) sends_.push_back(words(left_, at(0), 2 * n));
    if (right_ >= 0) sends_.push_back(words(right_, at(1), 2 * n));
    exchange_->start(receives_, sends_);
  }

  void finish(index_t) override {
    exchange_->wait();
    const index_t n = this->cut_.lines;
    this->for_each_line(n, 1, [&](index_t line, int) {
      const equations_t e = own(line);
      ends_t ends{V(0), e.last.rhs, V(0)};
      V ignored;
      if (left_ >= 0) {
        meet(core::load_words<border>(at(3), n, line), {e.first.before, e.first.rhs}, ends.before,
             ignored);
      }
      if (right_ >= 0) {
        meet({e.last.after, e.last.rhs}, core::load_words<border>(at(2), n, line), ends.last,
             ends.after);
      }
      core::store_words(ends, this->ends_of(0), n, line);
    });
  }

 private:
  /// x at a border = rhs - across times x on its other side.
  struct border {
    V across, rhs;
  };

  static std::size_t border_words(const interface_task& t) {
    return 2 * static_cast<std::size_t>(t.lines);
  }
  /// x before and behind the border of two ranks.
  static void meet(const border& before, const border& behind, V& last, V& first) {
    last = core::sub_mul(before.rhs, before.across, behind.rhs) *
           core::reciprocal(core::sub_mul(V(1), before.across, behind.across));
    first = core::sub_mul(behind.rhs, behind.across, last);
  }
  equations_t own(index_t line) {
    return core::load_words<equations_t>(this->equations_of(0), this->cut_.lines, line);
  }
  /// Own first and last border, the right neighbour's first, the left neighbour's last.
  V* at(int k) { return memory_.data() + k * 2 * this->cut_.lines; }

  int left_ = -1, right_ = -1;
  std::vector<V> memory_;
  std::vector<message> receives_, sends_;
  std::unique_ptr<exchange> exchange_;
};

}  // namespace tridia::distributed
