// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "compact/cpu/strip.hpp"
#include "compact/factors.hpp"

#include <algorithm>
#include <vector>

namespace tridia::compact::cpu {

/// The tables of a line operator, and what they point to.
template <class R>
class owned_tables {
 public:
  explicit owned_tables(const line_operator& line) {
    const bool periodic = line.boundary == boundary::periodic;
    keep(line);
    table_.points = line.points;
    table_.rows = line.rows;
    table_.periodic = periodic;
    const index_t before = -first_, behind = last_;
    table_.front = std::max<index_t>(before, 0);
    table_.ahead = std::max<index_t>(behind, 0);
    table_.before = periodic ? table_.front : 0;
    table_.behind = periodic ? table_.ahead : 0;
    table_.buffer_rows = std::max(table_.front + line.points + table_.behind, line.rows);
    number(factor(line.matrix, line.rows, line.boundary), line.scale);
  }
  owned_tables(const owned_tables&) = delete;
  owned_tables& operator=(const owned_tables&) = delete;

  const tables<R>& view() const { return table_; }

 private:
  /// The stencils, and how far the values lie before and behind a row that they need.
  void keep(const line_operator& line) {
    std::size_t count = line.interior.weights.size();
    for (const stencil& s : line.head) count += s.weights.size();
    for (const stencil& s : line.tail) count += s.weights.size();
    store_.reserve(count);  // what is pointed to stays where it is
    table_.interior = weights_of(line.interior);
    for (const stencil& s : line.head) head_.push_back(weights_of(s));
    for (const stencil& s : line.tail) tail_.push_back(weights_of(s));
    table_.head = head_.data();
    table_.tail = tail_.data();
    table_.heads = static_cast<index_t>(head_.size());
    table_.tails = static_cast<index_t>(tail_.size());
  }
  weights<R> weights_of(const stencil& s) {
    const R* const at = store_.data() + store_.size();
    for (const double w : s.weights) store_.push_back(static_cast<R>(w));
    const int count = static_cast<int>(s.weights.size());
    first_ = std::min<index_t>(first_, s.first);
    last_ = std::max<index_t>(last_, s.first + count - 1);
    return {at, s.first, count};
  }

  void number(const factors& f, const std::vector<double>& scale) {
    const auto round = [](long double v) { return static_cast<R>(v); };
    for (std::size_t i = 0; i < f.rows.size(); ++i) {
      const factor_row& r = f.rows[i];
      const R s = scale.empty() ? R(1) : static_cast<R>(scale[i]);
      numbers_.push_back({round(r.below), round(r.pivot), round(r.next), round(r.fill),
                          round(r.border), round(r.column), s, r.swapped, r.fill != 0,
                          r.border != 0, r.column != 0});
    }
    table_.eliminated = static_cast<index_t>(numbers_.size());
    keep_one_of_equal_rows();
    table_.numbers = numbers_.data();
    table_.corner = round(f.corner);
    table_.last_scale = scale.empty() ? R(1) : static_cast<R>(scale.back());
  }

  static bool equal(const row_numbers<R>& a, const row_numbers<R>& b) {
    return a.below == b.below && a.pivot == b.pivot && a.next == b.next && a.fill == b.fill &&
           a.border == b.border && a.column == b.column && a.scale == b.scale &&
           a.swapped == b.swapped;
  }

  /// Of the rows around the middle one that are as it is.
  void keep_one_of_equal_rows() {
    if (numbers_.empty()) return;
    const auto middle = numbers_.begin() + static_cast<std::ptrdiff_t>(numbers_.size() / 2);
    auto first = middle, last = middle;
    while (first != numbers_.begin() && equal(first[-1], *middle)) --first;
    while (last + 1 != numbers_.end() && equal(last[1], *middle)) ++last;
    table_.same = first - numbers_.begin();
    table_.repeated = last - first;
    numbers_.erase(first + 1, last + 1);
    numbers_.shrink_to_fit();
  }

  tables<R> table_{};
  index_t first_ = 0, last_ = 0;
  std::vector<R> store_;
  std::vector<weights<R>> head_, tail_;
  std::vector<row_numbers<R>> numbers_;
};

}  // namespace tridia::compact::cpu
