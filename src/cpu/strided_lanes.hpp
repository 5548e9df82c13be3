// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "cpu/lane_copy.hpp"
#include "tridia/types.hpp"

#include <type_traits>

// strided_lanes copies between arrays and tiles. A tile holds some rows of a group of systems,
// systems side by side: row after row, in each row the parts (re, im), in each part the lanes.
namespace tridia::cpu::TRIDIA_ISA {

/// Says how the `W` lanes of one vector lie in an array. `partly`: the first ones are interleaved,
/// and the others are where the first lane of all is, as those beyond the last system are.
enum class pattern : char { interleaved, partly, broadcast, contiguous, any };

template <int W>
pattern classify(const index_t* line, index_t step) {
  bool consecutive = true, equal = true;
  for (int l = 1; l < W; ++l) {
    consecutive = consecutive && line[l] == line[0] + l;
    equal = equal && line[l] == line[0];
  }
  return consecutive ? pattern::interleaved
         : equal     ? pattern::broadcast
         : step == 1 ? pattern::contiguous
                     : pattern::any;
}

inline pattern classify(index_t apart, index_t step) {
  return apart == 1   ? pattern::interleaved
         : apart == 0 ? pattern::broadcast
         : step == 1  ? pattern::contiguous
                      : pattern::any;
}

/// Accesses one array as the kernels read it: `R` is the real type, `C` the parts, `L` the lanes,
/// in vectors of `W`.
template <class R, int C, int L, int W>
class strided_lanes {
 public:
  static constexpr int row_reals = C * L;
  static constexpr int per_cache_line = 64 / static_cast<int>(sizeof(R));
  static constexpr int parts = C;

  strided_lanes() = default;
  strided_lanes(const R* base, const index_t* line, index_t step)
      : strided_lanes(base, line, step, 0) {
    evenly_ = false;
    for (int v = 0; v < L; v += W) {
      pattern_[v / W] = classify<W>(line + v, step);
      if (pattern_[v / W] == pattern::any) find_part(v);
    }
    together_ = classify<L>(line, step);
  }
  /// Each lane is `apart` elements after the one before it.
  strided_lanes(const R* base, const index_t* line, index_t step, index_t apart)
      : first_(const_cast<R*>(base) + line[0] * C),
        step_(step),
        apart_(apart),
        evenly_(true),
        together_(classify(apart, step)),
        base_(base),
        line_(line) {
    for (pattern& p : pattern_) p = together_;
  }

  /// These return whether a row of all lanes is one piece of memory, or one entry for all of them,
  /// and where the row is.
  bool in_one_piece() const { return together_ == pattern::interleaved; }
  bool in_one_entry() const { return together_ == pattern::broadcast; }
  R* row(index_t k) const { return first_ + k * step_ * C; }
  /// Returns whether a lane's rows are one piece of memory.
  bool in_lines() const { return together_ == pattern::contiguous; }

  /// Returns the address of row k of a lane.
  const char* address(int lane, index_t k) const {
    return reinterpret_cast<const char*>(base_ == nullptr ? nullptr : at(lane, k));
  }

  /// Loads rows k0 to k1 - 1 of all lanes into a tile whose first row is k0. Calls moved(bytes) now
  /// and then, if lines are contiguous.
  template <class Moved = uncounted>
  void load(R* tile, index_t k0, index_t k1, Moved moved = {}) const {
    // There may be no array after an empty range: off-diagonals of systems of one row.
    if (k0 >= k1) return;
    for (int v = 0; v < L; v += W) {
      switch (pattern_[v / W]) {
        case pattern::interleaved:
          load_interleaved(tile + v, v, k0, k1);
          break;
        case pattern::partly:
          load_partly(tile + v, v, k0, k1);
          break;
        case pattern::broadcast:
          load_broadcast(tile + v, v, k0, k1);
          break;
        case pattern::contiguous:
          load_contiguous(tile + v, v, k0, k1, moved);
          break;
        case pattern::any:
          load_any(tile + v, v, k0, k1);
          break;
      }
    }
  }

  /// Loads the entry of row k in one lane into a row of a tile.
  void load_entry(R* row, int lane, index_t k) const {
    for (int c = 0; c < C; ++c) row[c * L + lane] = at(lane, k)[c];
  }

  void store_entry(const R* row, int lane, index_t k) const {
    for (int c = 0; c < C; ++c) at(lane, k)[c] = row[c * L + lane];
  }

  /// Writes a number to all parts of rows k0 to k1 - 1 of one lane.
  void fill(R value, int lane, index_t k0, index_t k1) const {
    for (index_t k = k0; k < k1; ++k) {
      for (int c = 0; c < C; ++c) at(lane, k)[c] = value;
    }
  }

  /// Stores rows k0 to k1 - 1 from a tile; lanes from `live` on are left out. Whole vectors bypass
  /// the cache where `nontemporal`.
  template <class Moved = uncounted>
  void store(const R* tile, index_t k0, index_t k1, int live, bool nontemporal,
             Moved moved = {}) const {
    const overwrite put{nontemporal};
    for (int v = 0; v < live; v += W) {
      const int lanes = live - v < W ? live - v : W;
      const pattern p = pattern_[v / W];
      if (p == pattern::interleaved && lanes == W) {
        store_interleaved(tile + v, v, k0, k1, put);
      } else if (p == pattern::partly && lanes <= neighbours_[v / W]) {
        store_partly(tile + v, v, k0, k1, lanes);
      } else if (step_ == 1 && lanes == W) {
        store_contiguous(tile + v, v, k0, k1, put, moved);
      } else {
        store_any(tile + v, v, k0, k1, lanes);
      }
    }
  }

 private:
  using vec = vector<R, W>;
  // A tile's rows are constants apart, and a vector has a constant number of lanes.
  static constexpr std::integral_constant<index_t, row_reals> row_pitch{};
  static constexpr std::integral_constant<index_t, L> part_pitch{};
  static constexpr std::integral_constant<int, W> all_lanes{};

  R* at(int lane, index_t k) const {
    if (evenly_) return first_ + (lane * apart_ + k * step_) * C;
    return const_cast<R*>(base_) + (line_[lane] + k * step_) * C;
  }

  void load_interleaved(R* tile, int v, index_t k0, index_t k1) const {
    if constexpr (C == 1) {
      load_rows<R, W>(at(v, k0), step_, tile, row_pitch, k1 - k0, all_lanes);
    } else {
      for (index_t k = k0; k < k1; ++k, tile += row_reals) {
        const R* p = at(v, k);
        const vec a = load_vector<R, W>(p), b = load_vector<R, W>(p + W);
        store_vector<R, W>(tile, evens(a, b));
        store_vector<R, W>(tile + L, odds(a, b));
      }
    }
  }

  /// Finds whether lanes of a vector are interleaved, and all others where the first lane is.
  void find_part(int v) {
    if (C != 1) return;
    int l = neighbours_[v / W] = run_from(v, 0, W);
    while (l < W && line_[v + l] == line_[0]) ++l;
    if (l == W) pattern_[v / W] = pattern::partly;
  }
  void load_partly(R* tile, int v, index_t k0, index_t k1) const {
    const int count = neighbours_[v / W];
    for (index_t k = k0; k < k1; ++k, tile += row_reals) {
      store_vector<R, W>(tile, load_first<R, W>(at(v, k), count, *at(0, k)));
    }
  }
  void store_partly(const R* tile, int v, index_t k0, index_t k1, int count) const {
    for (index_t k = k0; k < k1; ++k, tile += row_reals) {
      store_first<R, W>(at(v, k), load_vector<R, W>(tile), count);
    }
  }

  void load_broadcast(R* tile, int v, index_t k0, index_t k1) const {
    for (index_t k = k0; k < k1; ++k) {
      for (int c = 0; c < C; ++c, tile += L) {
        const R value = at(v, k)[c];  // which no store to the tile changes
        for (int l = 0; l < W; ++l) tile[l] = value;
      }
    }
  }

  /// A line's reals are a row of a matrix whose transpose is the tile, complex or not.
  template <class Moved>
  void load_contiguous(R* tile, int v, index_t k0, index_t k1, Moved& moved) const {
    if (follow_each_other(k0, k1) && load_short_lines<R, W>(at(v, 0), tile, part_pitch, k1, moved))
      return;
    const R* lines[W];
    for (int l = 0; l < W; ++l) lines[l] = at(v + l, k0);
    load_lines_by_vectors<R, W>(lines, tile, part_pitch, (k1 - k0) * C, moved);
  }

  /// Returns the number of lanes from lane l of a vector on, of which there are `lanes`, that are
  /// neighbours in memory.
  int run_from(int v, int l, int lanes) const {
    int end = l + 1;
    while (end < lanes && at(v + end, 0) == at(v + end - 1, 0) + 1) ++end;
    return end - l;
  }
  /// Returns whether some lanes of a vector are.
  bool has_runs(int v, int lanes) const {
    for (int l = 0; C == 1 && l + 1 < lanes; ++l) {
      if (run_from(v, l, l + 2) == 2) return true;
    }
    return false;
  }

  void load_any(R* tile, int v, index_t k0, index_t k1) const {
    if (has_runs(v, W)) {
      for (int l = 0, run; l < W; l += run) {
        run = run_from(v, l, W);
        load_rows<R, W>(at(v + l, k0), step_, tile + l, row_pitch, k1 - k0, run);
      }
      return;
    }
    // Lanes of a row may be in one cache line, so that a row is loaded before the next one.
    const R* from[W];
    for (int l = 0; l < W; ++l) from[l] = at(v + l, k0);
    // The step may be 0, where the rows of a line are one entry.
    for (index_t i = k0, k = 0; i < k1; ++i, k += step_ * C) {
      for (int c = 0; c < C; ++c, tile += L) {
        R row[W];
        for (int l = 0; l < W; ++l) row[l] = from[l][k + c];
        for (int l = 0; l < W; ++l) tile[l] = row[l];
      }
    }
  }

  void store_interleaved(const R* tile, int v, index_t k0, index_t k1, overwrite put) const {
    if constexpr (C == 1) {
      store_rows<R, W>(tile, row_pitch, at(v, k0), step_, k1 - k0, all_lanes, put);
    } else {
      for (index_t k = k0; k < k1; ++k, tile += row_reals) {
        R* p = at(v, k);
        const vec a = load_vector<R, W>(tile), b = load_vector<R, W>(tile + L);
        put.put<R, W>(p, low_pairs(a, b));
        put.put<R, W>(p + W, high_pairs(a, b));
      }
    }
  }

  template <class Moved>
  void store_contiguous(const R* tile, int v, index_t k0, index_t k1, overwrite put,
                        Moved& moved) const {
    if (follow_each_other(k0, k1) &&
        store_short_lines<R, W>(tile, part_pitch, at(v, 0), k1, put, moved))
      return;
    R* lines[W];
    for (int l = 0; l < W; ++l) lines[l] = at(v + l, k0);
    store_lines_by_vectors<R, W>(tile, part_pitch, lines, (k1 - k0) * C, put, moved);
  }

  void store_any(const R* tile, int v, index_t k0, index_t k1, int lanes) const {
    if (has_runs(v, lanes)) {
      for (int l = 0, run; l < lanes; l += run) {
        run = run_from(v, l, lanes);
        store_rows<R, W>(tile + l, row_pitch, at(v + l, k0), step_, k1 - k0, run, overwrite{false});
      }
      return;
    }
    R* to[W];
    for (int l = 0; l < lanes; ++l) to[l] = at(v + l, k0);
    for (index_t i = k0, k = 0; i < k1; ++i, k += step_ * C) {
      for (int c = 0; c < C; ++c, tile += L) {
        for (int l = 0; l < lanes; ++l) to[l][k + c] = tile[l];
      }
    }
  }

  /// Returns whether rows k0 to k1 - 1 are all of each line, and lines follow each other in memory.
  bool follow_each_other(index_t k0, index_t k1) const { return C == 1 && k0 == 0 && k1 == apart_; }

  // A default-constructed one is not initialised: batches of short lines have no time for that.
  R* first_;
  index_t step_, apart_;  // apart_: 0 unless lanes are evenly apart
  bool evenly_;
  pattern together_, pattern_[L / W];
  int neighbours_[L / W];  // of a vector that is interleaved partly
  const R* base_;
  const index_t* line_;
};

}  // namespace tridia::cpu::TRIDIA_ISA
