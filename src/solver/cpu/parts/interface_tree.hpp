// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "core/chunk_merge.hpp"
#include "layout/alignment.hpp"
#include "solver/cpu/parallel_for.hpp"

#include <vector>

namespace tridia::cpu {

/// Solves the interface systems of lines that are cut into parts: some neighbouring parts are
/// merged to one, then some of these, until one is left, which the boundary closes. The tree
/// depends on the number of parts alone.
template <class V, pivoting P>
class interface_tree {
 public:
  using merge = core::chunk_merge<V, P>;
  using equations = typename merge::equations;
  using unknowns = typename merge::unknowns;

  interface_tree(index_t lines, index_t parts) : lines_(lines) {
    for (index_t count = parts;; count = (count + fan - 1) / fan) {
      level l{count, place<equations>(count), place<unknowns>(count), 0};
      if (count > 1) l.records = place<record>(count);
      levels_.push_back(l);
      if (count == 1) break;
    }
  }

  [[nodiscard]] std::size_t bytes() const { return bytes_; }
  /// These return where the parts' equations and unknowns lie: those of a line follow each other.
  equations* equations_in(std::byte* memory) const {
    return at<equations>(memory, levels_[0].equations);
  }
  unknowns* unknowns_in(std::byte* memory) const {
    return at<unknowns>(memory, levels_[0].unknowns);
  }

  /// Computes all unknowns of the lines whose flag is 0 from their equations, and sets the flag to
  /// 1 where one of these is not finite.
  void solve(boundary b, std::byte* memory, int threads, char* flags) const {
    for (std::size_t i = 0; i + 1 < levels_.size(); ++i) {
      for_each_segment(i, threads, flags, [&](const segment& s) { merge_parts(i, s, memory); });
    }
    const level& top = levels_.back();
    parallel_for(threads, lines_, [&](index_t line, int) {
      if (flags[line] != 0) return;
      const equations& e = at<equations>(memory, top.equations)[line];
      at<unknowns>(memory, top.unknowns)[line] = b == boundary::periodic
                                                     ? merge::template close<boundary::periodic>(e)
                                                     : merge::template close<boundary::regular>(e);
    });
    for (std::size_t i = levels_.size() - 1; i-- > 0;) {
      for_each_segment(i, threads, flags, [&](const segment& s) { split_part(i, s, memory); });
    }
    for_each_segment(0, threads, flags, [&](const segment& s) {
      bool good = true;
      for (index_t k = s.first; k < s.end; ++k) {
        unknowns_in(memory)[k].map([&](const V& v) {
          good = good && core::is_finite(v);
          return v;
        });
      }
      if (!good) __atomic_store_n(flags + s.line, char{1}, __ATOMIC_RELAXED);
    });
  }

 private:
  using record = typename merge::merge_record;
  /// So many parts become one. Their equations stay in the first-level cache.
  static constexpr index_t fan = 32;

  /// Describes the parts of one level: their number in a line, and where their values lie.
  struct level {
    index_t count;
    std::size_t equations, unknowns, records;
  };
  /// Describes parts that become part `whole` of the next level.
  struct segment {
    index_t line, first, end, whole;
  };

  template <class T>
  std::size_t place(index_t count) {
    const std::size_t begin = bytes_;
    bytes_ += layout::round_up(static_cast<std::size_t>(lines_ * count) * sizeof(T));
    return begin;
  }
  template <class T>
  static T* at(std::byte* memory, std::size_t place) {
    return reinterpret_cast<T*>(memory + place);
  }

  template <class F>
  void for_each_segment(std::size_t i, int threads, const char* flags, F f) const {
    const index_t count = levels_[i].count, segments = (count + fan - 1) / fan;
    const bool small = lines_ * count < 4 * fan;
    parallel_for(small ? 1 : threads, lines_ * segments, [&](index_t k, int) {
      const index_t line = k / segments, from = (k - line * segments) * fan;
      if (__atomic_load_n(flags + line, __ATOMIC_RELAXED) != 0) return;
      f(segment{line, line * count + from, line * count + std::min(from + fan, count), k});
    });
  }
  void merge_parts(std::size_t i, const segment& s, std::byte* memory) const {
    const auto* const parts = at<equations>(memory, levels_[i].equations);
    auto* const records = at<record>(memory, levels_[i].records);
    equations all = parts[s.first];
    for (index_t k = s.first + 1; k < s.end; ++k) all = merge::merge(all, parts[k], records[k]);
    at<equations>(memory, levels_[i + 1].equations)[s.whole] = all;
  }
  void split_part(std::size_t i, const segment& s, std::byte* memory) const {
    const auto* const records = at<record>(memory, levels_[i].records);
    auto* const parts = at<unknowns>(memory, levels_[i].unknowns);
    unknowns all = at<unknowns>(memory, levels_[i + 1].unknowns)[s.whole];
    for (index_t k = s.end; --k > s.first;) {
      unknowns left;
      merge::split(records[k], all, left, parts[k]);
      all = left;
    }
    parts[s.first] = all;
  }

  index_t lines_;
  std::size_t bytes_ = 0;
  std::vector<level> levels_;
};

}  // namespace tridia::cpu
