// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "solver/cpu/joint_rows.hpp"
#include "solver/cpu/kernel_context.hpp"
#include "solver/cpu/value_rows.hpp"

#include <algorithm>
#include <optional>

// These sweeps solve systems that are neighbours in memory: they do a row of all groups of a batch
// of groups, then the next row. The backward sweep of one batch, which mostly writes, runs beside
// the forward sweep of the next, which mostly reads, a group of each in turn: a processor drops
// prefetches that come in bursts.
namespace tridia::cpu::TRIDIA_ISA {

/// A row of each array is prefetched this many bytes before the forward sweep reads it.
inline constexpr index_t prefetch_bytes = 2048;

/// Locates what a batch of groups keeps between the sweeps: a row of all groups, then the next, at
/// ascending or descending addresses.
template <class V, class E>
class kept_groups {
 public:
  kept_groups(const group_batch& batch, void* memory) {
    const index_t pitch = batch.room * words::row_reals;
    pitch_ = batch.reversed ? -pitch : pitch;
    base_ = static_cast<scalar*>(memory) + (batch.reversed ? (batch.rows - 1) * pitch : 0);
  }
  TRIDIA_FN kept_rows<V, E> of(int i) const {
    return {words(base_ + i * words::row_reals, pitch_)};
  }

 private:
  using words = value_rows<V, E::upper_values + 1>;
  using scalar = typename words::scalar;
  scalar* base_;
  index_t pitch_;
};

inline constexpr core::blocks single_rows{1, 1};

/// Runs the forward sweep of the groups of a batch.
template <class V, class E>
class forward_sweep {
 public:
  forward_sweep(const group_batch& batch, void* memory)
      : w_(batch, single_rows), joint_(w_.batch, w_.groups), kept_(batch, memory) {
    constexpr index_t row_bytes = packing<V>::reals * sizeof(typename packing<V>::scalar);
    rows_ahead_ = std::max<index_t>(prefetch_bytes / (batch.groups * row_bytes), 1);
  }

  /// Does row k of all groups.
  void row(index_t k) {
    const index_t n = w_.batch.rows;
    if (is_joint(k)) {
      const joint_row row(*this, k);
      for (int i = 0, groups = w_.batch.groups; i < groups; ++i) row.visit(i);
      return;
    }
    for (int i = 0; i < w_.batch.groups; ++i) {
      auto kept = kept_.of(i);
      w_.use(i);
      if (k == 0) lines_[i].start(n, w_.cut, w_.a, w_.b);
      lines_[i].rows(k, k + 1, n, w_.a, w_.b, kept);
    }
  }
  /// Ends the sweep and enters statuses: inputs may be overwritten from here on, so reasons are
  /// looked for now.
  void finish() {
    for (int i = 0; i < w_.batch.groups; ++i) {
      auto kept = kept_.of(i);
      lines_[i].finish(w_.batch.rows, kept);
      lane_status found(w_.groups[i].first);
      const auto good = is_finite(lines_[i].y);
      w_.use(i);
      if (!all_of(good)) w_.failed(!good, true, found);
      w_.enter_statuses(i, found, true);
    }
  }

  /// Returns whether row k of all groups can be read in place, and is an interior row.
  bool is_joint(index_t k) const { return joint_.joint() && k > 0 && k + 1 < w_.batch.rows; }
  /// Holds such a row: copies of all that is the same for every group, in registers.
  class joint_row {
   public:
    joint_row(forward_sweep& of, index_t k)
        : k_(k),
          rows_(of.w_.batch.rows),
          row_(of.joint_, k),
          prefetched_(of.joint_, std::min(k + of.rows_ahead_, rows_ - 1)),
          kept_(of.kept_),
          lines_(of.lines_) {}
    TRIDIA_FN void visit(int i) const {
      joint_rows<V>::prefetch(prefetched_, i);
      typename joint_rows<V>::matrix a{row_, i};
      typename joint_rows<V>::rhs b{row_, i};
      auto kept = kept_.of(i);
      lines_[i].rows(k_, k_ + 1, rows_, a, b, kept);
    }

   private:
    index_t k_, rows_;
    typename joint_rows<V>::row row_, prefetched_;
    kept_groups<V, E> kept_;
    core::reduction<V, E>* lines_;
  };

 private:
  kernel_context<V, E, row_access<V>> w_;
  joint_rows<V> joint_;
  kept_groups<V, E> kept_;
  index_t rows_ahead_;
  core::reduction<V, E> lines_[max_groups];
};

/// Runs the backward sweep of the groups of a batch.
template <class V, class E>
class backward_sweep {
 public:
  backward_sweep(const group_batch& batch, void* memory)
      : w_(batch, single_rows), joint_(w_.batch, w_.groups), kept_(batch, memory) {
    for (int i = 0; i < batch.groups; ++i) {
      typename E::upper u;
      open_[i] = is_finite(kept_.of(i).get(batch.rows - 1, u));
    }
  }

  /// Does row k of all groups, or all rows of the last block together.
  void row(index_t k) {
    const index_t n = w_.batch.rows, last = core::last_block<E>(n, single_rows);
    if (is_joint(k)) {
      const joint_row row(*this, k);
      for (int i = 0, groups = w_.batch.groups; i < groups; ++i) row.visit(i);
      return;
    }
    for (int i = 0; i < w_.batch.groups; ++i) {
      auto kept = kept_.of(i);
      w_.use(i);
      lines_[i].rows(k, k == last ? n : k + 1, k == last, kept, w_.x);
    }
  }
  void finish() {
    for (int i = 0; i < w_.batch.groups; ++i) {
      const auto good = open_[i] && is_finite(lines_[i].value);
      if (!all_of(good)) fail(i);
    }
  }

  /// Returns what is_joint of a forward_sweep does.
  bool is_joint(index_t k) const {
    return joint_.joint() && k < core::last_block<E>(w_.batch.rows, single_rows);
  }
  class joint_row {
   public:
    joint_row(backward_sweep& of, index_t k)
        : k_(k),
          row_(of.joint_, k),
          kept_(of.kept_),
          lines_(of.lines_),
          nontemporal_(of.w_.batch.nontemporal) {}
    TRIDIA_FN void visit(int i) const {
      auto kept = kept_.of(i);
      typename joint_rows<V>::solution x{row_, i, nontemporal_};
      lines_[i].rows(k_, k_ + 1, false, kept, x);
    }

   private:
    index_t k_;
    typename joint_rows<V>::row row_;
    kept_groups<V, E> kept_;
    core::expansion<V, E>* lines_;
    bool nontemporal_;
  };

 private:
  /// Fails lanes of group i; those that failed in the forward sweep have a status already.
  __attribute__((noinline)) void fail(int i) {
    lane_status found(w_.groups[i].first);
    const auto bad = open_[i] && !is_finite(lines_[i].value);
    w_.use(i);
    if (!all_of(!bad)) w_.failed(bad, false, found);
    w_.enter_statuses(i, found, false);
    found.enter_unknown(!open_[i]);
    w_.fill_with_nan(i, found);
  }

  kernel_context<V, E, row_access<V>> w_;
  joint_rows<V> joint_;
  kept_groups<V, E> kept_;
  core::expansion<V, E> lines_[max_groups];
  core::mask_t<V> open_[max_groups];
};

/// Runs the forward sweep from the first row to the last while the backward sweep of the batch
/// before runs from the last to the first.
template <class V, class E>
void sweep(const group_batch* down, const group_batch* back, void* memory) {
  const group_batch& one = down != nullptr ? *down : *back;
  std::optional<forward_sweep<V, E>> forward;
  std::optional<backward_sweep<V, E>> backward;
  if (down != nullptr) forward.emplace(*down, memory);
  if (back != nullptr) backward.emplace(*back, memory);
  const index_t entering = core::entering_rows<E>(one.rows);
  for (index_t k = 0; k < entering; ++k) {
    const index_t from = entering - 1 - k;
    if (down != nullptr && back != nullptr && down->groups == back->groups &&
        forward->is_joint(k) && backward->is_joint(from)) {
      const typename backward_sweep<V, E>::joint_row upper(*backward, from);
      const typename forward_sweep<V, E>::joint_row lower(*forward, k);
      for (int i = 0, groups = down->groups; i < groups; ++i) upper.visit(i), lower.visit(i);
      continue;
    }
    if (back != nullptr) backward->row(from);
    if (down != nullptr) forward->row(k);
  }
  if (back != nullptr) backward->finish();
  if (down != nullptr) forward->finish();
}

}  // namespace tridia::cpu::TRIDIA_ISA
