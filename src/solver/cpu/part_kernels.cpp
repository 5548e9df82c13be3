// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause

// This file is compiled once for each instruction set and value type: the build defines TRIDIA_ISA
// and TRIDIA_VALUE.
#include "solver/cpu/part_kernels.hpp"

#include "solver/cpu/kernel_context.hpp"
#include "solver/cpu/parts/part_rows.hpp"
#include "solver/cpu/values.hpp"

// AddressSanitizer makes what is inlined so large that compiling takes minutes, thrice as long.
#if defined(__SANITIZE_ADDRESS__)
#define TRIDIA_FLATTEN
#else
#define TRIDIA_FLATTEN __attribute__((flatten))
#endif

namespace tridia::cpu::TRIDIA_ISA {
namespace {

template <class V, pivoting P>
using kernel_context_of =
    kernel_context<V, core::elimination<V, P, boundary::regular>, tile_access<V>>;

/// Calls f(group, words of its lanes, its couplings, its first line) for one group after another;
/// the next one's lines are prefetched meanwhile.
template <class V, class Context, class F>
void for_each_group(Context& w, const part_batch& batch, F f) {
  for (int i = 0; i < batch.lines.groups; ++i) {
    const lane_group<V>& g = w.groups[i];
    w.use(i);
    w.prefetch.lines_of(i + 1 < batch.lines.groups ? &w.groups[i + 1] : nullptr, batch.lines.rows);
    const int first = i * packing<V>::count;
    f(g, lane_values<V>(batch, g, i), couplings<V>(batch, g, first), first);
  }
}

/// Says of lanes whether numbers stay bounded where no rows are interchanged.
template <class V>
struct growth_monitor {
  core::mask_t<V> bounded{true};
  TRIDIA_FN void operator()(const V& v) { bounded = bounded && core::is_bounded(v); }
};

/// Returns the lanes of which many of the first rows lack dominance: numbers will most likely grow.
template <class V, class Context>
core::mask_t<V> lanes_without_dominance(Context& w, const couplings<V>& outside) {
  constexpr int most = 8, lanes = packing<V>::count;
  alignas(64) scalar_of<V> entries[3][packing<V>::reals], weak[packing<V>::reals] = {};
  const auto at = [&](int entry, int l) -> TRIDIA_VALUE {
    if constexpr (packing<V>::parts == 1) return entries[entry][l];
    if constexpr (packing<V>::parts == 2) return {entries[entry][l], entries[entry][lanes + l]};
  };
  rows_in_order<V, Context> rows(w, outside);
  const auto samples = static_cast<int>(std::min<index_t>(w.batch.rows, most));
  for (int k = 0; k < samples; ++k) {
    const core::row<V> r = rows.get(k);
    packing<V>::store(r.sub, entries[0]), packing<V>::store(r.diag, entries[1]);
    packing<V>::store(r.sup, entries[2]);
    for (int l = 0; l < lanes; ++l) {
      weak[l] += core::lacks_dominance(core::row<TRIDIA_VALUE>{at(0, l), at(1, l), at(2, l)});
    }
  }
  for (int l = 0; l < lanes; ++l) weak[l] = 3 * weak[l] > scalar_of<V>(samples);
  return to_mask(packing<V>::load(weak));
}

/// Reduces the rows of a group without interchanges. Everything is inlined here, so that what the
/// chunk carries from row to row stays in registers: that saves a quarter of the time.
template <class V, class Context, class Monitor>
TRIDIA_FLATTEN auto reduce_plainly(Context& w, const couplings<V>& outside, Monitor&& monitor) {
  rows_in_order<V, Context> rows(w, outside);
  return core::chunk<V, pivoting::none>::template reduce<false>(w.batch.rows, rows,
                                                                std::forward<Monitor>(monitor));
}
template <class V, class Context>
TRIDIA_FLATTEN __attribute__((noinline)) auto reduce_with_interchanges(Context& w,
                                                                       const couplings<V>& outside,
                                                                       void* memory) {
  staged_rows<V> rows(w, outside, memory);
  typename core::chunk<V, pivoting::partial>::middle middle{};
  return core::chunk<V, pivoting::partial>::template reduce<false>(w.batch.rows, rows, middle);
}

template <class V>
TRIDIA_FLATTEN auto reduce_group(kernel_context_of<V, pivoting::none>& w,
                                 const couplings<V>& outside, void* /*memory*/,
                                 core::mask_t<V>& /*interchanged*/) {
  return reduce_plainly<V>(w, outside, [](const V&) {});
}
/// What is done of a lane depends on its own rows alone.
template <class V>
auto reduce_group(kernel_context_of<V, pivoting::partial>& w, const couplings<V>& outside,
                  void* memory, core::mask_t<V>& interchanged) {
  using chunk = core::chunk<V, pivoting::partial>;
  interchanged = lanes_without_dominance<V>(w, outside);
  typename chunk::equations plain{};
  if (!all_of(interchanged)) {
    growth_monitor<V> monitor;
    plain = chunk::from_plain(reduce_plainly<V>(w, outside, monitor));
    interchanged = interchanged || !monitor.bounded;
    if (all_of(!interchanged)) return plain;
  }
  return reduce_with_interchanges<V>(w, outside, memory).with(plain, [&](const V& a, const V& b) {
    return select(interchanged, a, b);
  });
}

template <class V, pivoting P>
void reduce(const part_batch& batch, void* equations, void* memory) {
  kernel_context_of<V, P> w(batch.lines, blocks_of<V>(batch.lines));
  for_each_group<V>(w, batch,
                    [&](const auto& g, const auto& lanes, const auto& outside, int first) {
                      core::mask_t<V> interchanged(false);
                      const auto e = reduce_group<V>(w, outside, memory, interchanged);
                      V words[core::value_count<std::remove_const_t<decltype(e)>, V>];
                      int at = 0;
                      e.map([&](const V& v) { return words[at++] = v; });
                      lanes.store(words, static_cast<scalar_of<V>*>(equations));
                      if constexpr (P == pivoting::partial)
                        put_lanes(interchanged, g, batch.interchanged + first);
                    });
}

/// Collects the statuses of the lines of a group.
template <class V>
class part_status {
 public:
  part_status(const lane_group<V>& g, index_t* found) : g_(g), found_(found) {
    std::fill_n(found_, g_.live, 0);
  }

  /// Looks for reasons in the rows of this part alone.
  template <class Context>
  void explain(Context& w, const couplings<V>& outside, const core::mask_t<V>& open) {
    for_each_live(open, [&](index_t& found) { found = solver::failed_elsewhere; });
    lane_status reasons(g_.first);
    w.explain(w.b, open, reasons);
    for (int l = 0; l < g_.live; ++l) {
      if (reasons[l] != 0) found_[l] = reasons[l];
    }
    // The couplings of the first and the last row to others are no entries of this part's rows, so
    // they are checked here.
    for_each_live(open && !is_finite(outside.before), [](index_t& found) { found = -1; });
    for_each_live(open && !is_finite(outside.after), [&](index_t& found) {
      if (found > 0) found = -w.batch.rows;
    });
  }
  /// Enters that the solution overflows here: x has been written over what could show where.
  void overflow(const core::mask_t<V>& open) {
    for_each_live(open, [](index_t& found) {
      if (found == 0) found = -1;
    });
  }

 private:
  template <class F>
  void for_each_live(const core::mask_t<V>& mask, F f) {
    for_each_set(mask, [&](int l) {
      if (l < g_.live) f(found_[l]);
    });
  }
  const lane_group<V>& g_;
  index_t* found_;
};

/// Solves the part as a system of its own, as x is known on both sides, but for the lanes `but`:
/// these get some numbers.
template <class V, class Context, class Solution>
TRIDIA_FLATTEN void expand_plainly(
    Context& w, const part_batch& batch, const couplings<V>& outside,
    const typename core::chunk<V, pivoting::none>::unknowns& unknowns, void* memory, Solution& x,
    const core::mask_t<V>& but, part_status<V>& found) {
  using E = core::elimination<V, pivoting::none, boundary::regular>;
  const V zero(0);
  coupled_rhs<V> b{w.b, batch.before ? outside.before * unknowns.before : zero,
                   batch.after ? outside.after * unknowns.after : zero, batch.lines.rows - 1};
  const kept_rows<V, E> kept{memory};
  core::solve_line<V, E>(batch.lines.rows, w.cut, w.a, b, kept, x,
                         [&](const auto& mask, bool early) {
                           if (early) {
                             found.explain(w, outside, mask && !but);
                           } else {
                             found.overflow(mask && !but);
                           }
                         });
}
template <class V>
void expand_group(kernel_context_of<V, pivoting::none>& w, const part_batch& batch,
                  const couplings<V>& outside,
                  const typename core::chunk<V, pivoting::none>::unknowns& unknowns, void* memory,
                  const core::mask_t<V>& interchanged, part_status<V>& found) {
  expand_plainly<V>(w, batch, outside, unknowns, memory, w.x, interchanged, found);
}

/// Expands lanes in which rows are interchanged; x of the others is what `plain` has, if there are
/// any.
template <class V, class Context>
TRIDIA_FLATTEN __attribute__((noinline)) void expand_with_interchanges(
    Context& w, const couplings<V>& outside,
    const typename core::chunk<V, pivoting::partial>::unknowns& unknowns, staged_rows<V>& rows,
    const core::mask_t<V>& interchanged, const kept_solution<V>* plain, part_status<V>& found) {
  const auto good = is_finite(unknowns.before) && is_finite(unknowns.first) &&
                    is_finite(unknowns.last) && is_finite(unknowns.after);
  if (const auto bad = interchanged && !good; !all_of(!bad)) found.explain(w, outside, bad);
  // The reduction is computed again: that costs less than to keep its results of all lines.
  using chunk = core::chunk<V, pivoting::partial>;
  typename chunk::middle middle{};
  chunk::template reduce<true>(w.batch.rows, rows, middle);
  const auto finite = chunk::expand(w.batch.rows, rows, unknowns, middle);
  rows.flush(w, [&](index_t k, const V& x) {
    return plain ? select(interchanged, x, plain->rows.load(k, 0)) : x;
  });
  if (const auto bad = interchanged && !finite; !all_of(!bad)) found.overflow(bad);
}

template <class V>
void expand_group(kernel_context_of<V, pivoting::partial>& w, const part_batch& batch,
                  const couplings<V>& outside,
                  const typename core::chunk<V, pivoting::partial>::unknowns& unknowns,
                  void* memory, const core::mask_t<V>& interchanged, part_status<V>& found) {
  const auto plainly = [&](void* at, auto& x) {
    const auto known = core::chunk<V, pivoting::partial>::to_plain(unknowns);
    expand_plainly<V>(w, batch, outside, known, at, x, interchanged, found);
  };
  if (all_of(!interchanged)) return plainly(memory, w.x);
  staged_rows<V> rows(w, outside, memory);
  if (all_of(interchanged)) {
    expand_with_interchanges<V>(w, outside, unknowns, rows, interchanged, nullptr, found);
    return;
  }
  // x may lie where the rows do: all that needs these comes before it is written.
  auto* const beside = static_cast<std::byte*>(memory) + batch.lines.rows * staged_bytes<V>;
  kept_solution<V> plain{beside};
  plainly(beside + batch.lines.rows * value_bytes<V>, plain);
  expand_with_interchanges<V>(w, outside, unknowns, rows, interchanged, &plain, found);
}

template <class V, pivoting P>
void expand(const part_batch& batch, const void* unknowns, void* memory, index_t* found) {
  using all_unknowns = typename core::chunk<V, P>::unknowns;
  kernel_context_of<V, P> w(batch.lines, blocks_of<V>(batch.lines));
  for_each_group<V>(w, batch,
                    [&](const auto& g, const auto& lanes, const auto& outside, int first) {
                      V words[core::value_count<all_unknowns, V>];
                      lanes.load(words, static_cast<const scalar_of<V>*>(unknowns));
                      all_unknowns e;
                      int at = 0;
                      e = e.map([&](const V&) { return words[at++]; });
                      part_status<V> of_lines(g, found + first);
                      core::mask_t<V> interchanged(false);
                      if constexpr (P == pivoting::partial) {
                        interchanged = get_lanes(batch.interchanged + first, g);
                      }
                      expand_group<V>(w, batch, outside, e, memory, interchanged, of_lines);
                    });
}

template <class V, pivoting P>
part_kernels table() {
  return {packing<V>::count, P == pivoting::none ? plain_bytes<V> : mixed_bytes<V>, &reduce<V, P>,
          &expand<V, P>};
}

template <pivoting P>
part_kernel_pair pair() {
  return {table<typename values::wide, P>(), table<typename values::single, P>()};
}

}  // namespace

part_kernel_pair TRIDIA_PART_TABLE(pivoting p) {
  return p == pivoting::none ? pair<pivoting::none>() : pair<pivoting::partial>();
}

}  // namespace tridia::cpu::TRIDIA_ISA
