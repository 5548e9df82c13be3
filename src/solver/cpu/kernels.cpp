// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause

// This file is compiled once for each instruction set and value type: the build defines TRIDIA_ISA
// and TRIDIA_VALUE.
#include "solver/cpu/kernels.hpp"
#include "core/dispatch.hpp"
#include "layout/status.hpp"
#include "solver/cpu/sweep.hpp"
#include "solver/cpu/tile_access.hpp"
#include "solver/cpu/values.hpp"

namespace tridia::cpu::TRIDIA_ISA {
namespace {

/// Solves one group after another; the next one's lines are prefetched meanwhile.
template <class V, class E>
void solve(const group_batch& batch, void* memory) {
  kernel_context<V, E, tile_access<V>> w(batch, blocks_of<V>(batch));
  const kept_rows<V, E> kept{memory};
  for (int i = 0; i < batch.groups; ++i) {
    w.use(i);
    w.prefetch.lines_of(i + 1 < batch.groups ? &w.groups[i + 1] : nullptr, batch.rows);
    lane_status found(w.groups[i].first);
    core::solve_line<V, E>(batch.rows, w.cut, w.a, w.b, kept, w.x,
                           [&](const auto& mask, bool before) { w.failed(mask, before, found); });
    w.enter_statuses(i, found, true);
    w.fill_with_nan(i, found);
  }
}

/// Gives the factors of each group of a batch.
template <class Factors>
struct group_factors {
  const void* first;
  std::size_t pitch;
  bool far = false;
  Factors of(int i) const {
    const void* const at =
        static_cast<const std::byte*>(first) + static_cast<std::size_t>(i) * pitch;
    if constexpr (requires(Factors f) { f.far; }) {
      return {{at}, far};
    } else {
      return {at};
    }
  }
};

/// These are the blocks in which groups take turns where systems are neighbours in memory, so that
/// it is read in long pieces.
inline constexpr core::blocks turns{8, 8};

/// Factors one group after another, or all in turns.
template <class V, class E>
void factor(const group_batch& batch, void* factors, index_t* status) {
  kernel_context<V, E, tile_access<V>> w(batch, batch.by_rows ? turns : blocks_of<V>(batch));
  const group_factors<factor_rows<V, E>> all{factors, batch.factors_pitch, false};
  core::factoring<V, E> down[max_groups];
  const int together = batch.by_rows ? batch.groups : 1;
  for (int from = 0; from < batch.groups; from += together) {
    const int to = from + together;
    if (!batch.by_rows)
      w.prefetch.lines_of(to < batch.groups ? &w.groups[to] : nullptr, batch.rows);
    core::for_each_block<E>(
        batch.rows, w.cut, [](index_t, index_t) {},
        [&](index_t k0, index_t k1) {
          for (int i = from; i < to; ++i) {
            w.use(i);
            const auto out = all.of(i);
            if (k0 == 0) {
              core::start_rows<E>(batch.rows, w.cut, w.a,
                                  [&](const auto& first, const auto& final) {
                                    down[i].start(first, final, batch.rows);
                                  });
            } else {
              w.a.fetch(k0, k1);
            }
            down[i].rows(k0, k1, batch.rows, w.a, out);
          }
        });
    for (int i = from; i < to; ++i) {
      w.use(i);
      const auto out = all.of(i);
      down[i].finish(batch.rows, out);
      lane_status found(w.groups[i].first);
      if (!all_of(down[i].good)) w.failed(!down[i].good, false, found);
      for (int l = 0; l < w.groups[i].live; ++l) status[i * packing<V>::count + l] = found[l];
    }
  }
}

/// Returns the first row of a lane's right-hand side that is not finite, as a status; or 0.
template <class V, class Rhs>
index_t explain_rhs(Rhs& b, index_t rows, int lane) {
  for (index_t k0 = 0, k1; k0 < rows; k0 = k1) {
    k1 = core::blocks{block_rows<V>, block_rows<V>}.end(k0, rows);
    b.fetch(k0, k1);
    for (index_t k = k0; k < k1; ++k) {
      bool bad = false;
      for_each_set(!is_finite(b.get(k)), [&](int l) { bad = bad || l == lane; });
      if (bad) return -(k + 1);
    }
  }
  return 0;
}

/// Returns the first row in which a lane's y is not finite, as a status; or 0.
template <class V, class Kept>
index_t explain_values(const Kept& kept, index_t rows, int lane) {
  for (index_t k = 0; k < rows; ++k) {
    bool bad = false;
    for_each_set(!is_finite(kept.y.load(k, 0)), [&](int l) { bad = bad || l == lane; });
    if (bad) return -(k + 1);
  }
  return 0;
}

/// Finds why lanes of a right-hand side failed, before x is written (`before`); later the reason is
/// not known.
template <class V, class Rhs, class Kept>
void explain(const core::mask_t<V>& failed, bool before, Rhs& b, const Kept& kept, index_t rows,
             lane_status& found) {
  found.enter_unknown(failed);
  if (!before) return;
  for_each_set(failed, [&](int l) {
    index_t status = explain_rhs<V>(b, rows, l);
    if (status == 0) status = explain_values<V>(kept, rows, l);
    if (status != 0) found.enter(l, status);
  });
}
/// Adds what was found of a group's right-hand sides to their systems' statuses, and fills x with
/// NaN of those that failed, or whose matrix has. Returns whether there are none.
template <class V, class Context>
bool report(const Context& w, int number, const index_t* of_matrix, lane_status& found) {
  const int live = w.groups[number].live;
  const index_t* at = w.batch.line[layout::status] + number * packing<V>::count;
  for (int l = 0; l < live && w.batch.status != nullptr; ++l) {
    if (found[l] != 0) layout::merge_status(w.batch.status + at[l], of_matrix[l], found[l]);
  }
  for (int l = 0; l < live; ++l) {
    if (of_matrix[l] != 0) found.enter_unknown(l);
  }
  w.fill_with_nan(number, found);
  return !found.any();
}

/// Returns the statuses of the matrices of a group's lanes.
template <class V>
const index_t* statuses_of(const group_batch& batch, const index_t* of_matrix, int number) {
  return batch.factors_pitch > 0 ? of_matrix + number * packing<V>::count : of_matrix;
}

/// Substitutes for right-hand sides that are neighbours in memory: the forward sweep does a few
/// rows of all groups of a batch, then the next few, so that memory is read in long
/// pieces; the backward sweep does likewise.
template <class V, class E, class Factors>
bool substitute_rows(const group_batch& batch, const index_t* of_matrix,
                     const group_factors<Factors>& all, void* memory) {
  using words = value_rows<V, 1>;
  constexpr core::blocks cut = turns;
  kernel_context<V, E, row_access<V>> w(batch, cut);
  core::substitution<V, E> down[max_groups];
  core::expansion<V, E> back[max_groups];
  lane_status found[max_groups];
  const auto kept_of = [&](int i, const Factors& factors) {
    auto* const base = static_cast<typename words::scalar*>(memory) + i * words::row_reals;
    return kept_values<V, E, Factors>{factors, words(base, batch.groups * words::row_reals)};
  };
  const index_t n = batch.rows, entering = core::entering_rows<E>(n);
  for (index_t k0 = 0; k0 < entering; k0 += cut.size) {
    for (int i = 0; i < batch.groups; ++i) {
      w.use(i);
      if (batch.prefetch_for_write)
        prefetch_rows(w.groups[i].in[layout::rhs], k0 + cut.size, k0 + 2 * cut.size, n);
      const Factors factors = all.of(i);
      auto kept = kept_of(i, factors);
      if (k0 == 0) down[i].start(n, cut, w.b);
      down[i].rows(k0 > 0 ? k0 : 1, cut.end(k0, entering), factors, w.b, kept);
    }
  }
  for (int i = 0; i < batch.groups; ++i) {
    w.use(i);
    const Factors factors = all.of(i);
    auto kept = kept_of(i, factors);
    down[i].finish(n, factors, kept);
    found[i] = lane_status(w.groups[i].first);
    const auto good = is_finite(down[i].y);
    if (!all_of(good)) explain<V>(!good, true, w.b, kept, n, found[i]);
  }
  const index_t last = core::last_block<E>(n, cut);
  for (index_t k0 = last, k1 = n; k1 > 0; k1 = k0, k0 -= cut.size) {
    for (int i = 0; i < batch.groups; ++i) {
      w.use(i);
      if (batch.prefetch_for_write) prefetch_rows(w.groups[i].x, k0 - cut.size, k0, n);
      const Factors factors = all.of(i);
      auto kept = kept_of(i, factors);
      back[i].rows(k0, k1, k0 == last, kept, w.x);
    }
  }
  bool good = true;
  for (int i = 0; i < batch.groups; ++i) {
    const auto bad = is_finite(down[i].y) && !is_finite(back[i].value);
    w.use(i);
    const Factors factors = all.of(i);
    if (!all_of(!bad)) explain<V>(bad, false, w.b, kept_of(i, factors), n, found[i]);
    good &= report<V>(w, i, statuses_of<V>(batch, of_matrix, i), found[i]);
  }
  return good;
}

/// Substitutes for one group after another.
template <class V, class E, class Factors>
bool substitute_groups(const group_batch& batch, const index_t* of_matrix,
                       const group_factors<Factors>& all, void* memory) {
  kernel_context<V, E, tile_access<V>> w(batch, blocks_of<V>(batch));
  bool good = true;
  for (int i = 0; i < batch.groups; ++i) {
    const Factors factors = all.of(i);
    kept_values<V, E, Factors> kept{factors, memory};
    w.use(i);
    w.prefetch.lines_of(i + 1 < batch.groups ? &w.groups[i + 1] : nullptr, batch.rows);
    lane_status found(w.groups[i].first);
    core::substitute_line<V, E>(batch.rows, w.cut, factors, w.b, kept, w.x,
                                [&](const auto& mask, bool before) {
                                  explain<V>(mask, before, w.b, kept, batch.rows, found);
                                });
    good &= report<V>(w, i, statuses_of<V>(batch, of_matrix, i), found);
  }
  return good;
}

template <class V, class E>
bool substitute(const group_batch& batch, const index_t* of_lane, const void* factors,
                void* memory) {
  const group_factors<prefetched_factor_rows<V, E>> f{factors, batch.factors_pitch,
                                                      batch.prefetch_factors};
  // A single lane has no neighbours in memory.
  if constexpr (packing<V>::count > 1) {
    if (batch.by_rows) return substitute_rows<V, E>(batch, of_lane, f, memory);
  }
  return substitute_groups<V, E>(batch, of_lane, f, memory);
}

template <class V, class E>
bool substitute_shared(const group_batch& batch, const index_t* of_matrix, const void* factors,
                       void* memory) {
  index_t of_lane[max_lanes];
  for (index_t& status : of_lane) status = *of_matrix;
  const group_factors<shared_factor_rows<V, E>> f{factors, 0, false};
  return batch.by_rows ? substitute_rows<V, E>(batch, of_lane, f, memory)
                       : substitute_groups<V, E>(batch, of_lane, f, memory);
}

template <class V, pivoting P, boundary B>
kernels table() {
  using E = core::elimination<V, P, B>;
  const std::size_t value = packing<V>::reals * sizeof(typename packing<V>::scalar);
  kernels k{packing<V>::count,
            value * (E::upper_values + 1),
            value * (E::lower_values + E::upper_values),
            value,
            &solve<V, E>,
            nullptr,
            &factor<V, E>,
            &substitute<V, E>,
            &substitute<V, E>};
  // A single lane has no neighbours in memory.
  if constexpr (packing<V>::count > 1) {
    k.sweep = &sweep<V, E>;
    k.substitute_shared = &substitute_shared<V, E>;
  }
  return k;
}

template <pivoting P, boundary B>
kernel_pair pair() {
  return {table<typename values::wide, P, B>(), table<typename values::single, P, B>()};
}

}  // namespace

kernel_pair TRIDIA_TABLE(pivoting p, boundary b) {
  return core::with_variant(
      p, b, [](auto v) { return pair<decltype(v)::pivots, decltype(v)::boundary_kind>(); });
}

}  // namespace tridia::cpu::TRIDIA_ISA
