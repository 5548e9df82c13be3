// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "line_operator/cpu/line_factors.hpp"
#include "line_operator/cpu/line_group.hpp"
#include "line_operator/cpu/operator_tables.hpp"

#include <algorithm>
#include <vector>

namespace tridia::line_operator::cpu {

/// Finds the plain rows of a table around the middle one, if that is one of them.
template <class R>
void find_plain_rows(const row_numbers<R>* numbers, tables<R>& t) {
  const index_t first = t.stencils.heads, end = t.eliminated - t.stencils.tails;
  const auto plain = [&](index_t i) { return !numbers[i].swapped && !numbers[i].fills; };
  const index_t middle = std::clamp(t.eliminated / 2, first, std::max(first, end));
  t.plain_from = t.plain_to = middle;
  while (t.plain_from > first && plain(t.plain_from - 1)) --t.plain_from;
  while (t.plain_to < end && plain(t.plain_to)) ++t.plain_to;
  t.plain_back_from = t.plain_back_to = t.eliminated / 2;
  while (t.plain_back_from > 0 && !numbers[t.plain_back_from - 1].fills) --t.plain_back_from;
  while (t.plain_back_to < t.eliminated && !numbers[t.plain_back_to].fills) ++t.plain_back_to;
  if (t.plain_back_from > 0) t.plain_back_from += 2;
}

/// The tables of a line operator, and what they point to.
template <class R>
class owned_tables {
 public:
  /// `gather`: the stencils of an adjoint's results, whose scale is that of the values; or null.
  /// Its given results are among the numbers that `line` is given. `dense`: what all of it comes
  /// to, as a matrix; empty where lines are not short.
  owned_tables(const specification& line, const specification* gather,
               const std::vector<double>& dense)
      : dense_(dense.begin(), dense.end()) {
    const bool periodic = line.boundary == boundary::periodic;
    const reach in(line);
    table_.points = line.points;
    table_.rows = table_.results = line.rows;
    table_.periodic = periodic;
    table_.front = in.before;
    table_.ahead = in.after;
    table_.before = periodic ? table_.front : 0;
    table_.after = periodic ? table_.ahead : 0;
    index_t rows = line.rows;
    if (gather != nullptr) {
      const reach from(*gather);
      table_.gathers = true;
      table_.results = gather->rows;
      table_.gather_before = from.before;
      table_.gather_after = from.after;
      table_.first_row = periodic ? from.before : 0;
      rows += periodic ? from.after : 0;
    }
    table_.prescribed_at =
        std::max({table_.front + line.points + table_.after, rows, table_.results});
    table_.prescribed = line.prescribed();
    table_.stencils = kept(line, right_sides_of(line));
    if (gather != nullptr) table_.gather = kept(*gather, results_of(*gather));
    table_.results_at = table_.first_row + table_.prescribed_at + table_.prescribed;
    table_.buffer_rows =
        table_.results_at + most_staged + std::max(table_.gather_before, table_.gather_after);
    number(factor_line(line), line.scale);
    table_.dense = dense_.empty() ? nullptr : dense_.data();
  }
  owned_tables(const owned_tables&) = delete;
  owned_tables& operator=(const owned_tables&) = delete;

  const tables<R>& view() const { return table_; }

 private:
  /// Says how far the values lie before and after a row that needs them.
  struct reach {
    index_t before = 0, after = 0;
    explicit reach(const specification& line) {
      add(line.interior);
      for (const stencil& s : line.head) add(s);
      for (const stencil& s : line.tail) add(s);
    }
    void add(const stencil& s) {
      before = std::max<index_t>(before, -s.first);
      after = std::max<index_t>(after, s.first + static_cast<index_t>(s.weights.size()) - 1);
    }
  };

  /// Describes what is given for rows at the ends of a line, and where it lies in the buffer.
  struct given_rows {
    index_t head, tail;
    index_t (specification::*number)(index_t) const;
    index_t at;  // of the first given number, relative to what a stencil reads for row 0
  };
  given_rows right_sides_of(const specification& line) const {
    return {line.prescribed_head, line.prescribed_tail, &specification::prescribed_number,
            table_.prescribed_at - table_.front};
  }
  given_rows results_of(const specification& line) const {
    return {line.gathered_head, line.gathered_tail, &specification::gathered_number,
            table_.prescribed_at};
  }

  /// Keeps the stencils of an operator: of all rows that are given a number, or have a stencil of
  /// their own.
  stencil_table<R> kept(const specification& line, const given_rows& given) {
    const auto longer = [](index_t numbers, const std::vector<stencil>& own) {
      return std::max(numbers, static_cast<index_t>(own.size()));
    };
    const index_t heads = longer(given.head, line.head);
    const index_t tails = std::min(longer(given.tail, line.tail), line.rows - heads);
    std::vector<weights<R>>& ends = ends_.emplace_back();
    const auto keep = [&](index_t row) {
      const index_t number = (line.*given.number)(row);
      ends.push_back(number < 0 ? weights_of(line.stencil_of(row))
                                : weights_of({static_cast<int>(given.at + number - row), {1}}));
    };
    for (index_t i = 0; i < heads; ++i) keep(i);
    for (index_t i = line.rows - tails; i < line.rows; ++i) keep(i);
    return {weights_of(line.interior), ends.data(), ends.data() + heads, heads, tails, line.rows};
  }
  weights<R> weights_of(const stencil& s) {
    // The memory that is pointed to does not move.
    const std::vector<R>& kept = store_.emplace_back(s.weights.begin(), s.weights.end());
    return {kept.data(), s.first, static_cast<int>(kept.size())};
  }

  void number(const line_factors& f, const std::vector<double>& scale) {
    const auto round = [](long double v) { return static_cast<R>(v); };
    for (std::size_t i = 0; i < f.rows.size(); ++i) {
      const line_factor_row& r = f.rows[i];
      const R s = scale.empty() ? R(1) : static_cast<R>(scale[i]);
      numbers_.push_back({round(r.below), round(r.pivot), round(r.next), round(r.fill),
                          round(r.border), round(r.column), s, r.swapped, r.fill != 0,
                          r.border != 0, r.column != 0});
    }
    table_.eliminated = static_cast<index_t>(numbers_.size());
    find_plain_rows(numbers_.data(), table_);
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

  /// Keeps one of the rows around the middle one that are equal to it.
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
  std::vector<std::vector<R>> store_;
  std::vector<std::vector<weights<R>>> ends_;
  std::vector<row_numbers<R>> numbers_;
  std::vector<R> dense_;
};

}  // namespace tridia::line_operator::cpu
