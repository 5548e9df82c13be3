// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "cpu/lanes.hpp"

namespace tridia::line_operator::cpu::TRIDIA_ISA {

namespace stdx = std::experimental;

template <class R>
inline constexpr int width = static_cast<int>(stdx::native_simd<R>::size());

/// Returns the same pointer, whose origin the compiler then does not know. GCC else gives every
/// vector of a stencil's rows a register of its own for its distance from the first, which it loads
/// from the stack.
template <class T>
TRIDIA_FN T* opaque(T* p) {
  asm("" : "+r"(p));
  return p;
}

/// Holds `M` vectors side by side: as many additions are under way at once.
template <class R, int M>
struct vector_block {
  using simd = stdx::native_simd<R>;
  static constexpr int count = M * width<R>;
  simd v[M];

  static TRIDIA_FN vector_block load(const R* p) {
    vector_block b;
    _Pragma("GCC unroll 8") for (int i = 0; i < M; ++i) b.v[i].copy_from(p + i * width<R>,
                                                                         stdx::element_aligned);
    return b;
  }
  TRIDIA_FN void store(R* p) const {
    _Pragma("GCC unroll 8") for (int i = 0; i < M; ++i) v[i].copy_to(p + i * width<R>,
                                                                     stdx::vector_aligned);
  }
  /// Stores as `how` says (cpu/lane_copy.hpp), at any address.
  template <class Put>
  TRIDIA_FN void store(R* p, const Put& how) const {
    _Pragma("GCC unroll 8") for (int i = 0; i < M; ++i)
        how.template put<R, width<R>>(p + i * width<R>, tridia::cpu::TRIDIA_ISA::native(v[i]));
  }
  static TRIDIA_FN vector_block zero() {
    vector_block b;
    for (simd& part : b.v) part = simd(R(0));
    return b;
  }
  TRIDIA_FN bool is_zero() const {
    bool all = true;
    _Pragma("GCC unroll 8") for (int i = 0; i < M; ++i) all =
        all && stdx::all_of(v[i] == simd(R(0)));
    return all;
  }
  /// Computes this + factor b.
  TRIDIA_FN vector_block plus(const simd& factor, const vector_block& b) const {
    vector_block r;
    _Pragma("GCC unroll 8") for (int i = 0; i < M; ++i) r.v[i] =
        tridia::cpu::TRIDIA_ISA::fused(v[i], factor, b.v[i]);
    return r;
  }
  TRIDIA_FN vector_block times(const simd& factor) const {
    vector_block r;
    _Pragma("GCC unroll 8") for (int i = 0; i < M; ++i) r.v[i] = v[i] * factor;
    return r;
  }
};

}  // namespace tridia::line_operator::cpu::TRIDIA_ISA
