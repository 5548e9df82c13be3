// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause

// Compiled once for each instruction set and value type: TRIDIA_ISA and TRIDIA_VALUE are given.
#include "solver/cpu/access.hpp"
#include "solver/cpu/kernel_table.hpp"
#include "solver/status.hpp"

namespace tridia::cpu::TRIDIA_ISA {
namespace {

/// Why systems failed, by lane of a group; counted from where each system begins.
class findings {
 public:
  explicit findings(const index_t* first = nullptr) : first_(first) {}
  void enter(int lane, index_t status) {
    status_[lane] = status > 0 ? status - first_[lane] : status + first_[lane];
  }
  /// What is said if no reason is found.
  template <class Mask>
  void enter_unknown(const Mask& failed) {
    for_each_set(failed, [&](int lane) { status_[lane] = -1; });
  }
  index_t operator[](int lane) const { return status_[lane]; }

 private:
  const index_t* first_;
  index_t status_[max_lanes] = {};
};

/// What a group of a strip goes through, its tiles shared with the others.
template <class V, class E>
struct workplace {
  const strip& s;
  const core::blocks cut;
  lookahead<V> ahead;
  group<V> groups[max_groups];
  matrix_tiles<V> a;
  rhs_tiles<V> b;
  solution_tiles<V> x;

  explicit workplace(const strip& given)
      : s(given),
        cut{block_rows<V>, first_block(given)},
        a(given, groups[0], ahead),
        b(given, groups[0]),
        x(given, groups[0], ahead) {
    for (int i = 0; i < s.groups; ++i) groups[i] = group<V>(s, i);
  }
  /// Blocks begin where cache lines do, if lines are contiguous: vectors are then loaded whole.
  static index_t first_block(const strip& s) {
    constexpr index_t size = packing<V>::parts * sizeof(typename packing<V>::scalar);
    constexpr index_t per_line = 64 / size;
    if (s.x == nullptr || s.g->lines[layout::x].step != 1) return block_rows<V>;
    const auto at = reinterpret_cast<std::uintptr_t>(s.x) / size + s.line[layout::x][0];
    const auto over = static_cast<index_t>(at % per_line);
    return block_rows<V> - over;
  }
  void use(int number) {
    a.use(groups[number]);
    b.use(groups[number]);
    x.use(groups[number]);
  }
  kept_words<V, E> kept(void* memory, int number) const {
    using words = word_rows<V, E::upper_words + 1>;
    return {words(static_cast<char*>(memory) + number * s.rows * words::row_bytes)};
  }

  /// Rare, and long: kept out of the way of what is not.
  template <class Rhs>
  __attribute__((noinline)) void explain(Rhs& rhs, const core::mask_t<V>& open, findings& found) {
    core::diagnose_line<V, E>(s.rows, cut, a, rhs, open,
                              [&](int lane, index_t status) { found.enter(lane, status); });
  }
  void failed(const core::mask_t<V>& mask, bool before, findings& found) {
    core::zero_rhs<V> zero;
    found.enter_unknown(mask);
    if (before) {
      explain(b, mask, found);
    } else {
      explain(zero, mask, found);
    }
  }
  void enter_statuses(int number, const findings& found) const {
    if (s.status == nullptr) return;
    const index_t* at = s.line[layout::status] + number * packing<V>::count;
    for (int l = 0; l < groups[number].live; ++l) s.status[at[l]] = found[l];
  }
};

/// One group after another; the next one's lines are asked for meanwhile.
template <class V, class E>
void solve_in_turn(workplace<V, E>& w, void* memory) {
  for (int i = 0; i < w.s.groups; ++i) {
    w.use(i);
    w.ahead.lines_of(i + 1 < w.s.groups ? &w.groups[i + 1] : nullptr, w.s.rows);
    findings found(w.groups[i].first);
    auto kept = w.kept(memory, 0);
    core::solve_line<V, E>(w.s.rows, w.cut, w.a, w.b, kept, w.x,
                           [&](const auto& mask, bool before) { w.failed(mask, before, found); });
    w.enter_statuses(i, found);
  }
}

/// The way back of all groups, and their statuses.
template <class V, class E>
void expand_side_by_side(workplace<V, E>& w, void* memory, const core::reduction<V, E>* down) {
  const index_t n = w.s.rows;
  core::expansion<V, E> back[max_groups];
  findings found[max_groups];
  for (int i = 0; i < w.s.groups; ++i) {
    // Inputs may be overwritten from here on: reasons are looked for now.
    found[i] = findings(w.groups[i].first);
    const auto good = is_finite(down[i].y);
    if (all_of(good)) continue;
    w.use(i);
    w.failed(!good, true, found[i]);
  }
  for (index_t k1 = n, k0; k1 > 0; k1 = k0) {
    k0 = k1 == n ? core::last_block<E>(n, w.cut) : w.cut.begin_of(k1 - 1);
    for (int i = 0; i < w.s.groups; ++i) {
      w.use(i);
      auto kept = w.kept(memory, i);
      back[i].rows(k0, k1, k1 == n, kept, w.x);
    }
  }
  for (int i = 0; i < w.s.groups; ++i) {
    const auto good = is_finite(back[i].value) || !is_finite(down[i].y);
    w.use(i);
    if (!all_of(good)) w.failed(!good, false, found[i]);
    w.enter_statuses(i, found[i]);
  }
}

/// All groups a block at a time; the next block's rows are asked for meanwhile.
template <class V, class E>
void solve_side_by_side(workplace<V, E>& w, void* memory) {
  const index_t n = w.s.rows, entering = core::entering_rows<E>(n);
  const int groups = w.s.groups;
  core::reduction<V, E> down[max_groups];
  for (index_t k0 = 0, k1; k0 < entering; k0 = k1) {
    k1 = w.cut.end(k0, entering);
    w.ahead.rows_of(w.groups, groups, k1, w.cut.end(k1, entering));
    for (int i = 0; i < groups; ++i) {
      w.use(i);
      if (k0 == 0) {
        down[i].start(n, w.cut, w.a, w.b);
      } else {
        w.a.fetch(k0, k1), w.b.fetch(k0, k1);
      }
      auto kept = w.kept(memory, i);
      down[i].rows(k0, k1, n, w.a, w.b, kept);
    }
  }
  for (int i = 0; i < groups; ++i) {
    auto kept = w.kept(memory, i);
    down[i].finish(n, kept);
  }
  expand_side_by_side<V, E>(w, memory, down);
}

template <class V, class E>
void solve(const strip& s, void* memory) {
  workplace<V, E> w(s);
  if (packing<V>::count > 1 && s.side_by_side) {
    solve_side_by_side(w, memory);
  } else {
    solve_in_turn(w, memory);
  }
}

template <class V, class E>
void factor(const strip& s, void* factors, index_t* status) {
  workplace<V, E> w(s);
  findings found(w.groups[0].first);
  factor_words<V, E> out{word_rows<V, E::lower_words + E::upper_words>(factors)};
  const auto good = core::factor_line<V, E>(s.rows, w.cut, w.a, out);
  if (!all_of(good)) w.failed(!good, false, found);
  for (int l = 0; l < s.live; ++l) status[l] = found[l];
}

/// The first row of a lane's right-hand side that is not finite, as a status; or 0.
template <class V>
index_t explain_rhs(rhs_tiles<V>& b, index_t rows, int lane) {
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

/// The first row in which a lane's y is not finite, as a status; or 0.
template <class V, class Kept>
index_t explain_values(const Kept& kept, index_t rows, int lane) {
  for (index_t k = 0; k < rows; ++k) {
    bool bad = false;
    for_each_set(!is_finite(kept.y.load(k, 0)), [&](int l) { bad = bad || l == lane; });
    if (bad) return -(k + 1);
  }
  return 0;
}

template <class V, class E, class Factors>
void substitute_with(const strip& s, const index_t* of_matrix, const Factors& factors,
                     void* memory) {
  workplace<V, E> w(s);
  kept_values<V, E, Factors> kept{factors, word_rows<V, 1>(memory)};
  for (int i = 0; i < s.groups; ++i) {
    w.use(i);
    findings found(w.groups[i].first);
    core::substitute_line<V, E>(s.rows, w.cut, factors, w.b, kept, w.x,
                                [&](const auto& mask, bool before) {
                                  found.enter_unknown(mask);
                                  if (!before) return;
                                  for_each_set(mask, [&](int l) {
                                    index_t status = explain_rhs<V>(w.b, s.rows, l);
                                    if (status == 0) status = explain_values<V>(kept, s.rows, l);
                                    if (status != 0) found.enter(l, status);
                                  });
                                });
    if (s.status == nullptr) continue;
    const index_t* at = s.line[layout::status] + i * packing<V>::count;
    for (int l = 0; l < w.groups[i].live; ++l) {
      if (found[l] != 0) solver::merge_status(s.status + at[l], of_matrix[l], found[l]);
    }
  }
}

template <class V, class E>
void substitute(const strip& s, const index_t* of_lane, const void* factors, void* memory) {
  const factor_words<V, E> f{word_rows<V, E::lower_words + E::upper_words>(factors)};
  substitute_with<V, E>(s, of_lane, f, memory);
}

template <class V, class E>
void substitute_shared(const strip& s, const index_t* of_matrix, const void* factors,
                       void* memory) {
  index_t of_lane[max_lanes];
  for (index_t& status : of_lane) status = *of_matrix;
  const shared_factor_words<V, E> f{static_cast<const typename packing<V>::scalar*>(factors)};
  substitute_with<V, E>(s, of_lane, f, memory);
}

template <class V, pivoting P, boundary B>
kernels table() {
  using E = core::elimination<V, P, B>;
  const std::size_t value = packing<V>::reals * sizeof(typename packing<V>::scalar);
  kernels k{packing<V>::count,
            value * (E::upper_words + 1),
            value * (E::lower_words + E::upper_words),
            value,
            &solve<V, E>,
            &factor<V, E>,
            &substitute<V, E>,
            &substitute<V, E>};
  // With one lane the two are the same.
  if constexpr (packing<V>::count > 1) k.substitute_shared = &substitute_shared<V, E>;
  return k;
}

template <class R>
using wide_lanes = lanes<stdx::native_simd<R>, TRIDIA_VECTORS>;
template <class R>
using single_lane = lanes<stdx::simd<R, stdx::simd_abi::scalar>, 1>;

// The value types by the numbers that the build passes.
template <class R>
struct values_of {
  using wide = wide_lanes<R>;
  using single = single_lane<R>;
};
template <class R>
struct values_of<core::complex<R>> {
  using wide = core::complex<wide_lanes<R>>;
  using single = core::complex<single_lane<R>>;
};
using values = values_of<TRIDIA_VALUE>;

template <pivoting P, boundary B>
kernel_pair pair() {
  return {table<typename values::wide, P, B>(), table<typename values::single, P, B>()};
}

}  // namespace

kernel_pair TRIDIA_TABLE(pivoting p, boundary b) {
  if (p == pivoting::none) {
    return b == boundary::regular ? pair<pivoting::none, boundary::regular>()
                                  : pair<pivoting::none, boundary::periodic>();
  }
  return b == boundary::regular ? pair<pivoting::partial, boundary::regular>()
                                : pair<pivoting::partial, boundary::periodic>();
}

}  // namespace tridia::cpu::TRIDIA_ISA
