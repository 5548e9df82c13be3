// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "solver/cpu/workplace.hpp"

#include <optional>

// Systems that are neighbours in memory: all groups of a strip go through a few rows, then through
// the next few, so that memory is walked in long pieces. The way back of one strip, which mostly
// writes, runs beside the way down of the next, which mostly reads.
namespace tridia::cpu::TRIDIA_ISA {

/// What group `i` of a strip keeps: rows of all groups follow each other, upwards or downwards.
/// With room for visit_rows - 1 more of them, a visit on the way down never writes what the way
/// back has yet to read.
template <class V, class E>
kept_words<V, E> kept_between(const strip& s, void* memory, int i) {
  using words = word_rows<V, E::upper_words + 1>;
  const index_t pitch = s.room * words::row_reals;
  auto* base = static_cast<typename words::scalar*>(memory) + i * words::row_reals;
  return {s.reversed ? words(base + (s.rows + visit_rows - 2) * pitch, -pitch)
                     : words(base, pitch)};
}

inline constexpr core::blocks visits{visit_rows, visit_rows};

/// Rows from the one that goes down to the one that is asked for.
inline constexpr index_t ask_rows_ahead = 2;

/// The way down of the groups of a strip.
template <class V, class E>
class descent {
 public:
  descent(const strip& s, void* memory) : w_(s, visits), rows_(w_.s, w_.groups), memory_(memory) {}

  void visit(int i, index_t number) {
    const index_t n = w_.s.rows, k0 = number * visit_rows;
    const index_t k1 = visits.end(k0, core::entering_rows<E>(n));
    auto kept = kept_between<V, E>(w_.s, memory_, i);
    if (rows_.joint() && k0 > 0 && k1 < n) {
      for (index_t k = k0 + ask_rows_ahead; k < k1 + ask_rows_ahead && k < n; ++k) rows_.ask(i, k);
      auto a = rows_.matrix_of(i);
      auto b = rows_.rhs_of(i);
      lines_[i].rows(k0, k1, n, a, b, kept);
      return;
    }
    w_.use(i);
    if (k0 == 0) lines_[i].start(n, w_.cut, w_.a, w_.b);
    lines_[i].rows(k0, k1, n, w_.a, w_.b, kept);
  }
  /// Statuses too: inputs may be overwritten from here on, so reasons are looked for now.
  void finish() {
    for (int i = 0; i < w_.s.groups; ++i) {
      auto kept = kept_between<V, E>(w_.s, memory_, i);
      lines_[i].finish(w_.s.rows, kept);
      findings found(w_.groups[i].first);
      const auto good = is_finite(lines_[i].y);
      w_.use(i);
      if (!all_of(good)) w_.failed(!good, true, found);
      w_.enter_statuses(i, found, true);
    }
  }

 private:
  workplace<V, E, row_access<V>> w_;
  joint_rows<V> rows_;
  void* memory_;
  core::reduction<V, E> lines_[max_groups];
};

/// The way back. Its visits are as many, from the last rows to the first.
template <class V, class E>
class ascent {
 public:
  ascent(const strip& s, void* memory) : w_(s, visits), rows_(w_.s, w_.groups), memory_(memory) {
    for (int i = 0; i < s.groups; ++i) {
      typename E::upper u;
      open_[i] = is_finite(kept_between<V, E>(s, memory, i).get(s.rows - 1, u));
    }
  }

  void visit(int i, index_t number) {
    const index_t n = w_.s.rows, last = core::last_block<E>(n, visits);
    const index_t k0 = last - number * visit_rows, k1 = k0 == last ? n : k0 + visit_rows;
    auto kept = kept_between<V, E>(w_.s, memory_, i);
    if (rows_.joint()) {
      auto x = rows_.solution_of(i);
      lines_[i].rows(k0, k1, k0 == last, kept, x);
      return;
    }
    w_.use(i);
    lines_[i].rows(k0, k1, k0 == last, kept, w_.x);
  }
  void finish() {
    for (int i = 0; i < w_.s.groups; ++i) {
      const auto bad = open_[i] && !is_finite(lines_[i].value);
      if (all_of(!bad)) continue;
      findings found(w_.groups[i].first);
      w_.use(i);
      w_.failed(bad, false, found);
      w_.enter_statuses(i, found, false);
    }
  }

 private:
  workplace<V, E, row_access<V>> w_;
  joint_rows<V> rows_;
  void* memory_;
  core::expansion<V, E> lines_[max_groups];
  core::mask_t<V> open_[max_groups];
};

template <class V, class E>
void sweep(const strip* down, const strip* back, void* memory) {
  const strip& one = down != nullptr ? *down : *back;
  std::optional<descent<V, E>> descending;
  std::optional<ascent<V, E>> ascending;
  if (down != nullptr) descending.emplace(*down, memory);
  if (back != nullptr) ascending.emplace(*back, memory);
  const int to = down != nullptr ? down->groups : 0, from = back != nullptr ? back->groups : 0;
  const index_t entering = core::entering_rows<E>(one.rows);
  for (index_t number = 0; number * visit_rows < entering; ++number) {
    for (int i = 0; i < to || i < from; ++i) {
      if (i < from) ascending->visit(i, number);
      if (i < to) descending->visit(i, number);
    }
  }
  if (back != nullptr) ascending->finish();
  if (down != nullptr) descending->finish();
}

}  // namespace tridia::cpu::TRIDIA_ISA
