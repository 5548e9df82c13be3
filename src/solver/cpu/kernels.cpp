// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause

// Compiled once for each instruction set and value type: TRIDIA_ISA and TRIDIA_VALUE are given.
#include "solver/cpu/access.hpp"
#include "solver/cpu/kernel_table.hpp"
#include "solver/status.hpp"

namespace tridia::cpu::TRIDIA_ISA {
namespace {

template <class V>
using mask_of = core::mask_t<V>;

/// Rows are counted from where a lane begins.
index_t in_lane(const group& s, int lane, index_t status) {
  return status > 0 ? status - s.first[lane] : status + s.first[lane];
}

/// Why the lanes of `open` failed, into found[lane] (which holds what to say if no reason is
/// found).
template <class V, class E, class Matrix, class Rhs>
__attribute__((noinline)) void explain(const group& s, Matrix& a, Rhs& b, mask_of<V> open,
                                       index_t* found) {
  core::diagnose_line<E>(s.rows, block_rows<V>, a, b, open,
                         [&](int lane, index_t status) { found[lane] = in_lane(s, lane, status); });
}

template <class V, class E>
void solve(const group& s, void* memory) {
  index_t status[max_lanes] = {};
  matrix_tiles<V> a(s);
  rhs_tiles<V> b(s);
  solution_tiles<V> x(s);
  kept_words<V, E> kept{word_rows<V, E::upper_words + 1>(memory)};
  core::solve_line<E>(s.rows, block_rows<V>, a, b, kept, x, [&](auto failed, bool before) {
    core::zero_rhs<V> zero;
    for_each_set(failed, [&](int lane) { status[lane] = -1; });
    if (before) {
      explain<V, E>(s, a, b, failed, status);
    } else {
      explain<V, E>(s, a, zero, failed, status);
    }
  });
  if (s.status == nullptr) return;
  for (int l = 0; l < s.live; ++l) s.status[s.line[layout::status][l]] = status[l];
}

template <class V, class E>
void factor(const group& s, void* factors, index_t* status) {
  index_t found[max_lanes] = {};
  matrix_tiles<V> a(s);
  factor_words<V, E> out{word_rows<V, E::lower_words + E::upper_words>(factors)};
  const auto good = core::factor_line<E>(s.rows, block_rows<V>, a, out);
  if (!all_of(good)) {
    core::zero_rhs<V> zero;
    for_each_set(!good, [&](int lane) { found[lane] = -1; });
    explain<V, E>(s, a, zero, !good, found);
  }
  for (int l = 0; l < s.live; ++l) status[l] = found[l];
}

/// The first row of a lane's right-hand side that is not finite, as a status; or -1.
template <class V>
index_t explain_rhs(rhs_tiles<V>& b, const group& s, int lane) {
  for (index_t k0 = 0; k0 < s.rows; k0 += block_rows<V>) {
    const index_t k1 = k0 + block_rows<V> < s.rows ? k0 + block_rows<V> : s.rows;
    b.fetch(k0, k1);
    for (index_t k = k0; k < k1; ++k) {
      bool bad = false;
      for_each_set(!is_finite(b.get(k)), [&](int l) { bad = bad || l == lane; });
      if (bad) return in_lane(s, lane, -(k + 1));
    }
  }
  return -1;
}

template <class V, class E, class Factors>
void substitute_with(const group& s, const Factors& factors, void* memory) {
  index_t status[max_lanes] = {};
  rhs_tiles<V> b(s);
  solution_tiles<V> x(s);
  kept_values<V, E, Factors> kept{factors, word_rows<V, 1>(memory)};
  core::substitute_line<E>(
      s.rows, block_rows<V>, factors, b, kept, x, [&](auto failed, bool before) {
        for_each_set(failed,
                     [&](int lane) { status[lane] = before ? explain_rhs<V>(b, s, lane) : -1; });
      });
  if (s.status == nullptr) return;
  for (int l = 0; l < s.live; ++l) {
    if (status[l] != 0) solver::merge_status(s.status + s.line[layout::status][l], status[l]);
  }
}

template <class V, class E>
void substitute(const group& s, const void* factors, void* memory) {
  const factor_words<V, E> f{word_rows<V, E::lower_words + E::upper_words>(factors)};
  substitute_with<V, E>(s, f, memory);
}

template <class V, class E>
void substitute_shared(const group& s, const void* factors, void* memory) {
  const shared_factor_words<V, E> f{static_cast<const typename packing<V>::scalar*>(factors)};
  substitute_with<V, E>(s, f, memory);
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
