// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "core/complex.hpp"
#include "core/reciprocal.hpp"
#include "core/unit_scale.hpp"

#include <cstdint>
#include <experimental/simd>
#include <limits>
#include <type_traits>
#if defined(__FMA__)
#include <immintrin.h>
#endif

// This attribute makes a lambda always inline: a call would write every vector to memory. It is not
// set under AddressSanitizer, whose checks make inlined code so long that such a file takes a
// quarter of an hour to compile.
#if defined(__SANITIZE_ADDRESS__)
#define TRIDIA_LAMBDA
#else
#define TRIDIA_LAMBDA __attribute__((always_inline))
#endif

// This header defines values that are vectors, one lane for each system. It is compiled once for
// each instruction set, and everything in it is in a namespace of that set's name: the linker must
// never take one set's code for another's.
namespace tridia::cpu::TRIDIA_ISA {

namespace stdx = std::experimental;

/// Names the type of the register that holds a vector.
template <class S>
TRIDIA_FN auto native(const S& a) {
  using R = typename S::value_type;
  typedef R type __attribute__((vector_size(sizeof(S))));
  return static_cast<type>(a);
}
#if defined(__FMA__)
#if defined(__AVX512F__)
TRIDIA_FN __m512 fused_vector(__m512 b, __m512 c, __m512 a) { return _mm512_fmadd_ps(b, c, a); }
TRIDIA_FN __m512d fused_vector(__m512d b, __m512d c, __m512d a) { return _mm512_fmadd_pd(b, c, a); }
#else
TRIDIA_FN __m256 fused_vector(__m256 b, __m256 c, __m256 a) { return _mm256_fmadd_ps(b, c, a); }
TRIDIA_FN __m256d fused_vector(__m256d b, __m256d c, __m256d a) { return _mm256_fmadd_pd(b, c, a); }
#endif
#endif

/// Holds `M` vectors side by side, to keep the divider busy while others wait for it.
template <class Simd, int M>
struct lanes {
  using simd = Simd;
  using scalar = typename Simd::value_type;
  static constexpr int width = static_cast<int>(Simd::size());
  static constexpr int count = width * M;
  struct mask {
    typename Simd::mask_type m[M];
    mask() = default;
    TRIDIA_FN explicit mask(bool b) {
      for (auto& part : m) part = typename Simd::mask_type(b);
    }
  };

  Simd v[M];

  lanes() = default;
  TRIDIA_FN explicit lanes(int a) {
    for (Simd& part : v) part = Simd(static_cast<scalar>(a));
  }
  static TRIDIA_FN lanes load(const scalar* p) {
    lanes r;
    _Pragma("GCC unroll 8") for (int i = 0; i < M; ++i) r.v[i].copy_from(p + i * width,
                                                                         stdx::element_aligned);
    return r;
  }
  static TRIDIA_FN lanes splat(scalar a) {
    lanes r;
    for (Simd& part : r.v) part = Simd(a);
    return r;
  }
  TRIDIA_FN void store(scalar* p) const {
    _Pragma("GCC unroll 8") for (int i = 0; i < M; ++i) v[i].copy_to(p + i * width,
                                                                     stdx::vector_aligned);
  }
};

template <class S, int M, class F>
TRIDIA_FN lanes<S, M> each(F f) {
  lanes<S, M> r;
  _Pragma("GCC unroll 8") for (int i = 0; i < M; ++i) r.v[i] = f(i);
  return r;
}
template <class S, int M, class F>
TRIDIA_FN typename lanes<S, M>::mask each_mask(F f) {
  typename lanes<S, M>::mask r;
  _Pragma("GCC unroll 8") for (int i = 0; i < M; ++i) r.m[i] = f(i);
  return r;
}

template <class S, int M>
TRIDIA_FN lanes<S, M> operator+(const lanes<S, M>& a, const lanes<S, M>& b) {
  return each<S, M>([&](int i) TRIDIA_LAMBDA { return a.v[i] + b.v[i]; });
}
template <class S, int M>
TRIDIA_FN lanes<S, M> operator-(const lanes<S, M>& a, const lanes<S, M>& b) {
  return each<S, M>([&](int i) TRIDIA_LAMBDA { return a.v[i] - b.v[i]; });
}
template <class S, int M>
TRIDIA_FN lanes<S, M> operator-(const lanes<S, M>& a) {
  return each<S, M>([&](int i) TRIDIA_LAMBDA { return -a.v[i]; });
}
template <class S, int M>
TRIDIA_FN lanes<S, M> operator*(const lanes<S, M>& a, const lanes<S, M>& b) {
  return each<S, M>([&](int i) TRIDIA_LAMBDA { return a.v[i] * b.v[i]; });
}
/// Computes a + b c in one rounding, where the instruction set can. The call is explicit: left to
/// the compiler (these files are built with -ffp-contract=off), two kernels might round one system
/// differently.
template <class S>
TRIDIA_FN S fused(const S& a, const S& b, const S& c) {
#if defined(__FMA__)
  using R = typename S::value_type;
  if constexpr (S::size() == 1) {
    return S(std::is_same_v<R, float> ? R(__builtin_fmaf(float(b[0]), float(c[0]), float(a[0])))
                                      : R(__builtin_fma(b[0], c[0], a[0])));
  } else {
    return S(fused_vector(native(b), native(c), native(a)));
  }
#else
  return a + b * c;
#endif
}

template <class S, int M>
TRIDIA_FN lanes<S, M> add_mul(const lanes<S, M>& a, const lanes<S, M>& b, const lanes<S, M>& c) {
  return each<S, M>([&](int i) TRIDIA_LAMBDA { return fused(a.v[i], b.v[i], c.v[i]); });
}
template <class S, int M>
TRIDIA_FN lanes<S, M> sub_mul(const lanes<S, M>& a, const lanes<S, M>& b, const lanes<S, M>& c) {
  return add_mul(a, -b, c);
}
template <class S, int M>
TRIDIA_FN lanes<S, M> reciprocal(const lanes<S, M>& a) {
  return each<S, M>([&](int i) TRIDIA_LAMBDA { return S(1) / a.v[i]; });
}
template <class S, int M>
TRIDIA_FN lanes<S, M> quick_reciprocal(const lanes<S, M>& a) {
  return reciprocal(a);
}
template <class S, int M>
TRIDIA_FN lanes<S, M> rough_reciprocal(const lanes<S, M>& a) {
  return reciprocal(a);
}
template <class S, int M>
TRIDIA_FN auto is_tiny(const lanes<S, M>& a) {
  constexpr auto least = std::numeric_limits<typename S::value_type>::min();
  return each_mask<S, M>([&](int i) TRIDIA_LAMBDA { return !(stdx::fabs(a.v[i]) >= S(least)); });
}
template <class S, int M>
TRIDIA_FN lanes<S, M> without_subnormals(const lanes<S, M>& a) {
  constexpr auto least = std::numeric_limits<typename S::value_type>::min();
  return each<S, M>([&](int i) TRIDIA_LAMBDA {
    S r = a.v[i];
    stdx::where(stdx::fabs(r) < S(least), r) = S(0);
    return r;
  });
}
template <class S, int M>
TRIDIA_FN lanes<S, M> moderate_reciprocal(const lanes<S, M>& a) {
  using limits = std::numeric_limits<typename S::value_type>;
  constexpr auto most = core::most_moderate(limits::min());
  return each<S, M>([&](int i) TRIDIA_LAMBDA {
    S r = S(1) / a.v[i];
    stdx::where(!(stdx::fabs(r) >= S(limits::min()) && stdx::fabs(r) <= S(most)), r) =
        S(limits::quiet_NaN());
    return r;
  });
}
template <class S, int M>
TRIDIA_FN lanes<S, M> magnitude(const lanes<S, M>& a) {
  return each<S, M>([&](int i) TRIDIA_LAMBDA { return stdx::fabs(a.v[i]); });
}
/// The numbers themselves serve as their exponents (core/unit_scale.hpp).
template <class S, int M>
TRIDIA_FN lanes<S, M> exponent_of(const lanes<S, M>& a) {
  return magnitude(a);
}
template <class S, int M>
TRIDIA_FN lanes<S, M> larger(const lanes<S, M>& a, const lanes<S, M>& b) {
  return each<S, M>([&](int i) TRIDIA_LAMBDA { return stdx::max(a.v[i], b.v[i]); });
}
/// Returns the power of two for each number, as core::unit_scale gives it.
template <class S>
TRIDIA_FN S unit_scales(const S& a) {
  using R = typename S::value_type;
  if constexpr (S::size() == 1) {
    return S(core::unit_scale(core::exponent_of(R(a[0])), R(1)));
  } else {
    using bits = std::conditional_t<sizeof(R) == 4, std::int32_t, std::int64_t>;
    typedef bits type __attribute__((vector_size(sizeof(S))));
    typedef R reals __attribute__((vector_size(sizeof(S))));
    constexpr int shift = std::numeric_limits<R>::digits - 1;
    constexpr bits least = bits{1} << shift,
                   most = bits{2 * std::numeric_limits<R>::max_exponent - 2} << shift;
    const type scale = most - (reinterpret_cast<type>(native(a)) & (most | least));
    return S(reinterpret_cast<reals>(scale < least ? type{} + least : scale));
  }
}
template <class S, int M>
TRIDIA_FN lanes<S, M> unit_scale(const lanes<S, M>& exponent, const lanes<S, M>&) {
  return each<S, M>([&](int i) TRIDIA_LAMBDA { return unit_scales(exponent.v[i]); });
}
template <class S, int M>
TRIDIA_FN lanes<S, M> scaled(const lanes<S, M>& a, const lanes<S, M>& by) {
  return a * by;
}
template <class S, int M>
TRIDIA_FN lanes<S, M> conjugate(const lanes<S, M>& a) {
  return a;
}

template <class S, int M>
TRIDIA_FN auto operator>(const lanes<S, M>& a, const lanes<S, M>& b) {
  return each_mask<S, M>([&](int i) TRIDIA_LAMBDA { return a.v[i] > b.v[i]; });
}
/// Returns where a <= b; false for NaN.
template <class S, int M>
TRIDIA_FN auto operator<=(const lanes<S, M>& a, const lanes<S, M>& b) {
  return each_mask<S, M>([&](int i) TRIDIA_LAMBDA { return a.v[i] <= b.v[i]; });
}
template <class S, int M>
TRIDIA_FN auto is_zero(const lanes<S, M>& a) {
  return each_mask<S, M>([&](int i) TRIDIA_LAMBDA { return a.v[i] == S(0); });
}
template <class S, int M>
TRIDIA_FN auto is_finite(const lanes<S, M>& a) {
  return each_mask<S, M>([&](int i) TRIDIA_LAMBDA { return a.v[i] - a.v[i] == S(0); });
}
template <class S, int M>
TRIDIA_FN auto to_mask(const lanes<S, M>& a) {
  return each_mask<S, M>([&](int i) TRIDIA_LAMBDA { return a.v[i] != S(0); });
}
template <class S, int M>
TRIDIA_FN lanes<S, M> select(const typename lanes<S, M>::mask& m, const lanes<S, M>& a,
                             const lanes<S, M>& b) {
  return each<S, M>([&](int i) TRIDIA_LAMBDA {
    S r = b.v[i];
    stdx::where(m.m[i], r) = a.v[i];
    return r;
  });
}

// Masks are nested types, which template deduction cannot see: these take any type with parts `m`.
template <class K>
concept lane_mask = requires(K k) {
  k.m[0];
};

template <lane_mask K>
TRIDIA_FN K operator!(const K& a) {
  K r;
  for (int i = 0; i < static_cast<int>(std::size(r.m)); ++i) r.m[i] = !a.m[i];
  return r;
}
template <lane_mask K>
TRIDIA_FN K operator&&(const K& a, const K& b) {
  K r;
  for (int i = 0; i < static_cast<int>(std::size(r.m)); ++i) r.m[i] = a.m[i] && b.m[i];
  return r;
}
template <lane_mask K>
TRIDIA_FN K operator||(const K& a, const K& b) {
  K r;
  for (int i = 0; i < static_cast<int>(std::size(r.m)); ++i) r.m[i] = a.m[i] || b.m[i];
  return r;
}
template <lane_mask K>
TRIDIA_FN K both(const K& a, const K& b) {
  return a && b;
}
template <lane_mask K>
TRIDIA_FN bool all_of(const K& a) {
  bool all = true;
  for (const auto& part : a.m) all = all && stdx::all_of(part);
  return all;
}
template <lane_mask K, class F>
void for_each_set(const K& a, F f) {
  int lane = 0;
  for (const auto& part : a.m) {
    for (int i = 0; i < static_cast<int>(part.size()); ++i, ++lane) {
      if (part[i]) f(lane);
    }
  }
}

/// Converts a mask to numbers that can be stored with values.
template <class V, lane_mask K>
TRIDIA_FN V from_mask(const K& a) {
  if constexpr (requires(V v) { v.re; }) {
    using R = decltype(V::re);
    return {from_mask<R>(a), R(0)};
  } else {
    V r(0);
    for (int i = 0; i < static_cast<int>(std::size(a.m)); ++i) {
      stdx::where(a.m[i], r.v[i]) = typename V::simd(1);
    }
    return r;
  }
}

/// Says how a value lies in a row of lanes: its real type, its parts, and load, store, splat.
template <class V>
struct packing {
  using part = V;
  using scalar = typename V::scalar;
  static constexpr int count = V::count, width = V::width, parts = 1;
  static constexpr int reals = count;
  static TRIDIA_FN V load(const scalar* p) { return V::load(p); }
  static TRIDIA_FN V splat(const scalar* p) { return V::splat(*p); }
  static TRIDIA_FN void store(const V& v, scalar* p) { v.store(p); }
};
template <class R>
struct packing<core::complex<R>> {
  using part = R;
  using scalar = typename R::scalar;
  static constexpr int count = R::count, width = R::width, parts = 2;
  static constexpr int reals = 2 * count;
  static TRIDIA_FN core::complex<R> load(const scalar* p) {
    return {R::load(p), R::load(p + count)};
  }
  static TRIDIA_FN core::complex<R> splat(const scalar* p) {
    return {R::splat(p[0]), R::splat(p[1])};
  }
  static TRIDIA_FN void store(const core::complex<R>& v, scalar* p) {
    v.re.store(p);
    v.im.store(p + count);
  }
};

}  // namespace tridia::cpu::TRIDIA_ISA

namespace tridia::core {
template <class S, int M>
struct value_traits<cpu::TRIDIA_ISA::lanes<S, M>> {
  using mask = typename cpu::TRIDIA_ISA::lanes<S, M>::mask;
  using real = cpu::TRIDIA_ISA::lanes<S, M>;
};
}  // namespace tridia::core
