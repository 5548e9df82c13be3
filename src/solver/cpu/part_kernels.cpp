// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause

// This file is compiled once for each instruction set and value type: the build defines TRIDIA_ISA
// and TRIDIA_VALUE.
#include "solver/cpu/part_kernels.hpp"

#include "core/chunk_merge.hpp"
#include "solver/cpu/kernel_context.hpp"
#include "solver/cpu/tile_access.hpp"
#include "solver/cpu/value_rows.hpp"
#include "solver/cpu/values.hpp"

#include <algorithm>

namespace tridia::cpu::TRIDIA_ISA {
namespace {

template <class V>
using scalar_of = typename packing<V>::scalar;

/// Moves words of the live lanes between vectors and the memory of each lane.
template <class V>
class lane_values {
 public:
  lane_values(const part_batch& batch, const lane_group<V>& g, int number)
      : place_(batch.place + number * packing<V>::count), live_(g.live) {}

  template <int Count>
  void store(const V (&words)[Count], scalar_of<V>* base) const {
    alignas(64) scalar_of<V> row[packing<V>::reals];
    for (int w = 0; w < Count; ++w) {
      packing<V>::store(words[w], row);
      for (int l = 0; l < live_; ++l) {
        for (int c = 0; c < parts; ++c) at(base, l, w)[c] = row[c * packing<V>::count + l];
      }
    }
  }
  template <int Count>
  void load(V (&words)[Count], const scalar_of<V>* base) const {
    alignas(64) scalar_of<V> row[packing<V>::reals];
    for (int w = 0; w < Count; ++w) {
      for (int l = 0; l < packing<V>::count; ++l) {
        const int from = l < live_ ? l : 0;
        for (int c = 0; c < parts; ++c) row[c * packing<V>::count + l] = at(base, from, w)[c];
      }
      words[w] = packing<V>::load(row);
    }
  }

 private:
  static constexpr int parts = packing<V>::parts;
  template <class R>
  R* at(R* base, int lane, int word) const {
    return base + (place_[lane].first + word * place_[lane].pitch) * parts;
  }
  const value_place* place_;
  int live_;
};

/// Holds the two entries that couple the rows here to those elsewhere; zero where there are none.
template <class V>
struct couplings {
  V before, after;
  /// `first` is the number of the group's first line in the batch.
  couplings(const part_batch& batch, const lane_group<V>& g, int first)
      : before(batch.before ? entry(g, batch.entries_before, first, layout::sub, 0) : V(0)),
        after(batch.after ? entry(g, batch.entries_after, first, layout::sup, batch.lines.rows - 1)
                          : V(0)) {}

 private:
  static V entry(const lane_group<V>& g, const void* given, int first, layout::array a, index_t k) {
    alignas(64) scalar_of<V> row[packing<V>::reals];
    if (given == nullptr) {
      g.in[a].load(row, k, k + 1);
    } else {
      for (int l = 0; l < packing<V>::count; ++l) {
        const int line = first + std::min(l, g.live - 1);
        for (int c = 0; c < packing<V>::parts; ++c) {
          row[c * packing<V>::count + l] =
              static_cast<const scalar_of<V>*>(given)[line * packing<V>::parts + c];
        }
      }
    }
    return packing<V>::load(row);
  }
};

/// Gives core/chunk.hpp the rows that it reads without pivoting: in order, fetched a block at a
/// time.
template <class V, class Context>
class rows_in_order {
 public:
  rows_in_order(Context& w, const couplings<V>& outside) : w_(w), outside_(outside) {}

  TRIDIA_FN core::row<V> get(index_t k) {
    fetch(k);
    core::row<V> r = w_.a.get(k);
    if (k == 0) r.sub = outside_.before;
    if (k == w_.batch.rows - 1) r.sup = outside_.after;
    return r;
  }
  TRIDIA_FN V rhs(index_t k) {
    fetch(k);
    // Reducing has no backward sweep: its share of the prefetches comes here.
    w_.prefetch.forward_row();
    return w_.b.get(k);
  }

 private:
  TRIDIA_FN void fetch(index_t k) {
    if (k >= end_) fetch_block(k);
  }
  __attribute__((noinline)) void fetch_block(index_t k) {
    const index_t k1 = w_.cut.end(k, w_.batch.rows);
    w_.a.fetch(k, k1), w_.b.fetch(k, k1);
    end_ = k1;
  }
  Context& w_;
  const couplings<V>& outside_;
  index_t end_ = 0;
};

/// Holds all rows of a chunk in memory, as pivoting reads several places of it at a time. What
/// expanding keeps of a row replaces the row, and x then replaces that.
template <class V>
class staged_rows {
 public:
  using pivot_row = typename core::chunk<V, pivoting::partial>::pivot_row;
  static constexpr int words = 5;
  template <class Context>
  staged_rows(Context& w, const couplings<V>& outside, void* memory) : words_(memory) {
    rows_in_order<V, Context> rows(w, outside);
    for (index_t k = 0; k < w.batch.rows; ++k) {
      const core::row<V> r = rows.get(k);
      words_.store(k, 0, r.sub), words_.store(k, 1, r.diag), words_.store(k, 2, r.sup);
      words_.store(k, 3, rows.rhs(k));
    }
  }

  core::row<V> get(index_t k) const {
    return {words_.load(k, 0), words_.load(k, 1), words_.load(k, 2)};
  }
  V rhs(index_t k) const { return words_.load(k, 3); }
  void keep_pivot(index_t k, const pivot_row& r) {
    words_.store(k, 0, r.next), words_.store(k, 1, r.other), words_.store(k, 2, r.first);
    words_.store(k, 3, r.rhs), words_.store(k, 4, from_mask<V>(r.entered));
  }
  pivot_row kept_pivot(index_t k) const {
    return {words_.load(k, 0), words_.load(k, 1), words_.load(k, 2), words_.load(k, 3),
            to_mask(words_.load(k, 4))};
  }
  void put(index_t k, const V& x) { words_.store(k, 0, x); }
  /// Copies the values of `put` to x.
  template <class Context>
  void flush(Context& w) const {
    for (index_t k0 = 0, k1; k0 < w.batch.rows; k0 = k1) {
      k1 = w.cut.end(k0, w.batch.rows);
      w.x.open(k0);
      for (index_t k = k0; k < k1; ++k) w.x.put(k, words_.load(k, 0));
      w.x.flush(k0, k1);
    }
  }

 private:
  value_rows<V, words> words_;
};

/// Reads a right-hand side minus the couplings times the x known outside.
template <class V>
struct coupled_rhs {
  rhs_tiles<V>& tiles;
  V first, last;
  index_t last_row;
  void fetch(index_t k0, index_t k1) { tiles.fetch(k0, k1); }
  V get(index_t k) const {
    V r = tiles.get(k);
    if (k == 0) r = r + -first;
    if (k == last_row) r = r + -last;
    return r;
  }
};

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

/// Reduces the rows of a group. Everything is inlined here, so that what the chunk carries from row
/// to row stays in registers: that saves a quarter of the time.
template <class V>
__attribute__((flatten)) auto reduce_group(kernel_context_of<V, pivoting::none>& w,
                                           const couplings<V>& outside, void* /*memory*/) {
  rows_in_order<V, kernel_context_of<V, pivoting::none>> rows(w, outside);
  return core::chunk<V, pivoting::none>::template reduce<false>(w.batch.rows, rows,
                                                                [](const V&) {});
}
template <class V>
__attribute__((flatten)) auto reduce_group(kernel_context_of<V, pivoting::partial>& w,
                                           const couplings<V>& outside, void* memory) {
  staged_rows<V> rows(w, outside, memory);
  typename core::chunk<V, pivoting::partial>::middle middle{};
  return core::chunk<V, pivoting::partial>::template reduce<false>(w.batch.rows, rows, middle);
}

template <class V, pivoting P>
void reduce(const part_batch& batch, void* equations, void* memory) {
  kernel_context_of<V, P> w(batch.lines, blocks_of<V>(batch.lines));
  for_each_group<V>(w, batch, [&](const auto&, const auto& lanes, const auto& outside, int) {
    const auto e = reduce_group<V>(w, outside, memory);
    V words[core::value_count<std::remove_const_t<decltype(e)>, V>];
    int at = 0;
    e.map([&](const V& v) { return words[at++] = v; });
    lanes.store(words, static_cast<scalar_of<V>*>(equations));
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

/// Solves the part as a system of its own, as x is known on both sides.
template <class V>
__attribute__((flatten)) void expand_group(
    kernel_context_of<V, pivoting::none>& w, const part_batch& batch, const couplings<V>& outside,
    const typename core::chunk<V, pivoting::none>::unknowns& unknowns, void* memory,
    part_status<V>& found) {
  using E = core::elimination<V, pivoting::none, boundary::regular>;
  const V zero(0);
  coupled_rhs<V> b{w.b, batch.before ? outside.before * unknowns.before : zero,
                   batch.after ? outside.after * unknowns.after : zero, batch.lines.rows - 1};
  const kept_rows<V, E> kept{memory};
  core::solve_line<V, E>(batch.lines.rows, w.cut, w.a, b, kept, w.x,
                         [&](const auto& mask, bool early) {
                           if (early) {
                             found.explain(w, outside, mask);
                           } else {
                             found.overflow(mask);
                           }
                         });
}

template <class V>
__attribute__((flatten)) void expand_group(
    kernel_context_of<V, pivoting::partial>& w, const part_batch& batch,
    const couplings<V>& outside,
    const typename core::chunk<V, pivoting::partial>::unknowns& unknowns, void* memory,
    part_status<V>& found) {
  const auto good = is_finite(unknowns.before) && is_finite(unknowns.first) &&
                    is_finite(unknowns.last) && is_finite(unknowns.after);
  if (!all_of(good)) found.explain(w, outside, !good);
  // The reduction is computed again: that costs less than to keep its results of all lines.
  using chunk = core::chunk<V, pivoting::partial>;
  staged_rows<V> rows(w, outside, memory);
  typename chunk::middle middle{};
  chunk::template reduce<true>(batch.lines.rows, rows, middle);
  const auto finite = chunk::expand(batch.lines.rows, rows, unknowns, middle);
  rows.flush(w);
  if (!all_of(finite)) found.overflow(!finite);
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
                      expand_group<V>(w, batch, outside, e, memory, of_lines);
                    });
}

template <class V, pivoting P>
part_kernels table() {
  using E = core::elimination<V, pivoting::none, boundary::regular>;
  const std::size_t value = packing<V>::reals * sizeof(scalar_of<V>);
  constexpr int words = P == pivoting::none ? E::upper_values + 1 : staged_rows<V>::words;
  return {packing<V>::count, value * words, &reduce<V, P>, &expand<V, P>};
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
