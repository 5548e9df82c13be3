// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "core/chunk.hpp"
#include "support/random.hpp"

#include <algorithm>
#include <utility>
#include <vector>

// What solves a system in chunks of any size, and their interface in any number of levels, by the
// arithmetic of the GPU's kernels.
namespace tridia_test {

using tridia::boundary;
using tridia::pivoting;

/// Holds a system and its solution, in the place of the rows.
template <class V>
struct chunked_system {
  std::vector<tridia::core::row<V>> rows;
  std::vector<V> rhs;
  std::vector<V> words[3];
  std::vector<typename tridia::core::chunk<V, pivoting::partial>::pivot_row> pivots;
  std::vector<V> x;

  /// Makes room for the saved values, and for x.
  void make_room() {
    x.resize(rows.size()), pivots.resize(rows.size());
    for (auto& w : words) w.resize(rows.size());
  }
};

template <class V>
struct chunk_rows {
  chunked_system<V>& s;
  std::size_t from;

  tridia::core::row<V> get(index_t k) const { return s.rows[from + k]; }
  V rhs(index_t k) const { return s.rhs[from + k]; }
  void keep(index_t k, V a, V b, V c) {
    s.words[0][from + k] = a, s.words[1][from + k] = b, s.words[2][from + k] = c;
  }
  void kept(index_t k, V& a, V& b, V& c) const {
    a = s.words[0][from + k], b = s.words[1][from + k], c = s.words[2][from + k];
  }
  void keep_pivot(index_t k, const auto& row) { s.pivots[from + k] = row; }
  auto kept_pivot(index_t k) const { return s.pivots[from + k]; }
  void put(index_t k, V v) { s.x[from + k] = v; }
};

template <class V, pivoting P>
using equations_of = std::vector<typename tridia::core::chunk<V, P>::equations>;
template <class V, pivoting P>
using unknowns_of = std::vector<typename tridia::core::chunk<V, P>::unknowns>;

/// Solves the interface of any number of chunks; `close` has the ends of all together.
template <class V, class Close>
unknowns_of<V, pivoting::none> solve_interface(const equations_of<V, pivoting::none>& e,
                                               const Close& close, rng& random);

/// Monitors the numbers that a GPU's thread monitors.
struct growth_monitor {
  bool bounded = true;
  void operator()(double v) { bounded = bounded && tridia::core::is_bounded(v); }
  void pivot(double w) {
    lost.add(w);
    bounded = bounded && lost.is_bounded<double>();
  }

 private:
  tridia::core::cancellation lost;
};

/// Solves the interface of one group of chunks by PCR.
template <class V>
class pcr_group {
 public:
  using chunk = tridia::core::chunk<V, pivoting::none>;
  using equation = typename chunk::equation;
  explicit pcr_group(equations_of<V, pivoting::none> e)
      : pcr_group(std::move(e), [](index_t) { return ignore; }) {}
  /// Reduces the equations `e`; `monitor_of(k)` is the growth monitor of chunk k.
  template <class MonitorOf>
  pcr_group(equations_of<V, pivoting::none> e, MonitorOf monitor_of) : e_(std::move(e)) {
    const auto inner = static_cast<index_t>(e_.size()) - 1;
    for (index_t k = 0; k < inner; ++k)
      rows_.push_back(chunk::link(e_[k].last, e_[k + 1].first, monitor_of(k)));
    for (index_t d = 1; d < inner; d *= 2) {
      std::vector<equation> next;
      for (index_t k = 0; k < inner; ++k) {
        const bool left = k >= d, right = k + d < inner;
        next.push_back(chunk::combine(rows_[k], left, rows_[left ? k - d : k], right,
                                      rows_[right ? k + d : k], monitor_of(k)));
      }
      rows_ = std::move(next);
    }
  }
  typename chunk::equations together() const {
    if (rows_.empty()) return e_[0];
    return {chunk::join_first(e_[0].first, rows_.front()),
            chunk::join_last(e_.back().last, rows_.back(), ignore)};
  }
  void spread(const typename chunk::unknowns& all, unknowns_of<V, pivoting::none>& to) const {
    V before = all.before;
    for (std::size_t k = 0; k < e_.size(); ++k) {
      const bool end = k + 1 == e_.size();
      const V last = end ? all.last : rows_[k].at(all.before, all.last);
      const V beyond = k + 2 < e_.size() ? rows_[k + 1].at(all.before, all.last) : all.last;
      to.push_back({before, last, end ? all.after : e_[k + 1].first.at(last, beyond)});
      before = last;
    }
  }

 private:
  static constexpr auto ignore = [](const V&) {};
  equations_of<V, pivoting::none> e_;
  std::vector<equation> rows_;
};

template <class V, class Close>
unknowns_of<V, pivoting::none> solve_interface(const equations_of<V, pivoting::none>& e,
                                               const Close& close, rng& random) {
  if (e.size() == 1) return {close(e[0])};
  std::vector<pcr_group<V>> groups;
  equations_of<V, pivoting::none> of_groups;
  const index_t size = draw(random, 2, 5);
  for (std::size_t k = 0; k < e.size(); k += static_cast<std::size_t>(size)) {
    groups.emplace_back(equations_of<V, pivoting::none>(
        e.begin() + static_cast<index_t>(k),
        e.begin() + static_cast<index_t>(std::min(k + static_cast<std::size_t>(size), e.size()))));
    of_groups.push_back(groups.back().together());
  }
  unknowns_of<V, pivoting::none> unknowns;
  const auto outer = solve_interface<V>(of_groups, close, random);
  for (std::size_t k = 0; k < groups.size(); ++k) groups[k].spread(outer[k], unknowns);
  return unknowns;
}

template <class V, class Close>
unknowns_of<V, pivoting::partial> solve_interface(equations_of<V, pivoting::partial> e,
                                                  const Close& close, rng& random) {
  using chunk = tridia::core::chunk<V, pivoting::partial>;
  struct merge {
    index_t at;
    typename chunk::merge_record merge_record;
  };
  std::vector<merge> merges;
  while (e.size() > 1) {
    merge& m = merges.emplace_back();
    m.at = draw(random, 0, static_cast<index_t>(e.size()) - 2);
    e[m.at] = chunk::merge(e[m.at], e[m.at + 1], m.merge_record);
    e.erase(e.begin() + m.at + 1);
  }
  unknowns_of<V, pivoting::partial> unknowns = {close(e[0])};
  for (auto m = merges.rbegin(); m != merges.rend(); ++m) {
    typename chunk::unknowns left, right;
    chunk::split(m->merge_record, unknowns[m->at], left, right);
    unknowns[m->at] = left;
    unknowns.insert(unknowns.begin() + m->at + 1, right);
  }
  return unknowns;
}

/// Returns whether x is found to be finite.
template <class V, pivoting P, boundary B>
bool solve_by_chunks(chunked_system<V>& s, index_t rows, rng& random) {
  using chunk = tridia::core::chunk<V, P>;
  const auto n = static_cast<index_t>(s.rows.size());
  const auto count = [&](index_t first) { return std::min(rows, n - first); };
  equations_of<V, P> e;
  std::vector<typename chunk::middle> middles;
  for (index_t first = 0; first < n; first += rows) {
    chunk_rows<V> r{s, static_cast<std::size_t>(first)};
    [[maybe_unused]] auto& middle = middles.emplace_back();
    if constexpr (P == pivoting::none) {
      e.push_back(chunk::template reduce<true>(count(first), r, [](const V&) {}));
    } else {
      e.push_back(chunk::template reduce<true>(count(first), r, middle));
    }
  }
  const auto unknowns = solve_interface<V>(
      e, [](const auto& all) { return chunk::template close<B>(all); }, random);
  bool finite = true;
  for (index_t c = 0; c * rows < n; ++c) {
    chunk_rows<V> r{s, static_cast<std::size_t>(c * rows)};
    const auto& middle = middles[static_cast<std::size_t>(c)];
    finite = chunk::expand(count(c * rows), r, unknowns[c], middle) && finite;
  }
  return finite;
}

}  // namespace tridia_test
