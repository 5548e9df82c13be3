// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tridia/device/detail/core/reciprocal.hpp"
#include "tridia/device/detail/core/unit_scale.hpp"

#include <cstdint>
#include <limits>
#include <type_traits>
#include <utility>

// Unrolls a loop over the registers of a vector, so that they stay registers.
#define TRIDIA_UNROLL_PARTS _Pragma("GCC unroll 8")

// Hides from GCC 12 that a mask comes from a comparison: it would make one operation of both that
// SSE2 has not, and fail.
#if defined(__SSE2__) && !defined(__SSE4_1__) && defined(__GNUC__) && !defined(__clang__)
#define TRIDIA_HIDE_COMPARISON(mask) asm("" : "+x"(mask))
#else
#define TRIDIA_HIDE_COMPARISON(mask) static_cast<void>(0)
#endif

namespace tridia {

namespace detail {

/// This is the number of bytes of a vector register of the instruction set for which this file is
/// compiled.
#if defined(__AVX512F__)
inline constexpr int vector_bytes = 64;
#elif defined(__AVX__)
inline constexpr int vector_bytes = 32;
#else
inline constexpr int vector_bytes = 16;
#endif

/// Names the registers that hold W numbers R: `parts` of them, of `lanes` numbers each.
template <class R, int W>
struct registers {
  static constexpr int lanes = W * static_cast<int>(sizeof(R)) < vector_bytes
                                   ? W
                                   : vector_bytes / static_cast<int>(sizeof(R));
  static constexpr int parts = W / lanes;
  typedef R type __attribute__((vector_size(lanes * sizeof(R))));
  typedef R unaligned
      __attribute__((vector_size(lanes * sizeof(R)), aligned(sizeof(R)), may_alias));
  typedef std::int32_t words __attribute__((vector_size(lanes * sizeof(R))));
  using mask = decltype(type{} < type{});

  /// Returns f(first), f(first + 1), ….
  template <class F>
  static TRIDIA_FN type filled(F f, int first) {
    return filled(f, first, std::make_integer_sequence<int, lanes>());
  }

 private:
  template <class F, int... I>
  static TRIDIA_FN type filled(F f, int first, std::integer_sequence<int, I...>) {
    return type{f(first + I)...};
  }
};

/// Reads elements that lie `step` apart.
template <class R>
struct strided_element {
  const R* from;
  std::int64_t step;
  TRIDIA_FN R operator()(int lane) const { return from[lane * step]; }
};

}  // namespace detail

/// Holds what a comparison of vectors gives: a bool for each lane. `&&`, `||`, `!` take all lanes;
/// `math::all` and `math::any` make a bool of them.
template <class R, int W>
struct simd_mask {
  using registers = detail::registers<R, W>;
  /// These registers hold all bits of a lane, or none.
  typename registers::mask part[registers::parts];

  simd_mask() = default;
  TRIDIA_FN explicit simd_mask(bool b) {
    for (auto& p : part) p = typename registers::mask{} - (b ? 1 : 0);
  }
  /// Returns the bool of one lane.
  TRIDIA_FN bool operator[](int lane) const {
    return is_set(part[lane / registers::lanes], lane % registers::lanes);
  }

  friend TRIDIA_FN simd_mask operator!(simd_mask a) {
    TRIDIA_UNROLL_PARTS for (auto& p : a.part) p = ~p;
    return a;
  }
  friend TRIDIA_FN simd_mask operator&&(simd_mask a, const simd_mask& b) {
    TRIDIA_UNROLL_PARTS for (int i = 0; i < registers::parts; ++i) a.part[i] &= b.part[i];
    return a;
  }
  friend TRIDIA_FN simd_mask operator||(simd_mask a, const simd_mask& b) {
    TRIDIA_UNROLL_PARTS for (int i = 0; i < registers::parts; ++i) a.part[i] |= b.part[i];
    return a;
  }
  // What the arithmetic of core/value.hpp asks of a mask.
  friend TRIDIA_FN simd_mask both(const simd_mask& a, const simd_mask& b) { return a && b; }
  friend TRIDIA_FN simd_mask either(const simd_mask& a, const simd_mask& b) { return a || b; }
  friend TRIDIA_FN bool all_of(const simd_mask& a) {
    typename registers::mask all = a.part[0];
    for (const auto& p : a.part) all &= p;
    bool every = true;
    for (int lane = 0; lane < registers::lanes; ++lane) every = every && is_set(all, lane);
    return every;
  }

 private:
  // SSE2 has no comparisons of 64 bits.
  static TRIDIA_FN bool is_set(const typename registers::mask& bits, int lane) {
    return ((typename registers::words)
                bits)[lane * static_cast<int>(sizeof(R) / sizeof(std::int32_t))] != 0;
  }
};

/// Holds W numbers R, float or double, one for each of W lines: a vector on which + - * / work lane
/// by lane, comparisons give a `simd_mask`, and a number stands for W of it. `tridia::math` has its
/// functions. It takes as many registers as it needs; a complex vector is `complex<simd<R, W>>`.
template <class R, int W>
struct simd {
  static_assert(std::is_same_v<R, float> || std::is_same_v<R, double>);
  static_assert(W >= 2 && (W & (W - 1)) == 0);
  using registers = detail::registers<R, W>;
  using number = R;
  using mask = simd_mask<R, W>;
  static constexpr int size() { return W; }

  typename registers::type part[registers::parts];

  simd() = default;
  // GCC would copy the struct in pieces through memory.
  TRIDIA_FN simd(const simd& other) {
    TRIDIA_UNROLL_PARTS for (int i = 0; i < registers::parts; ++i) part[i] = other.part[i];
  }
  TRIDIA_FN simd& operator=(const simd& other) {
    TRIDIA_UNROLL_PARTS for (int i = 0; i < registers::parts; ++i) part[i] = other.part[i];
    return *this;
  }
  /// Holds `a` in every lane.
  TRIDIA_FN simd(R a) {
    TRIDIA_UNROLL_PARTS for (auto& p : part) p = typename registers::type{} + a;
  }
  /// Returns the number of one lane.
  TRIDIA_FN R operator[](int lane) const {
    return part[lane / registers::lanes][lane % registers::lanes];
  }

  /// Returns f(lane) of each lane.
  template <class F>
  static TRIDIA_FN simd filled(F f) {
    simd r;
    TRIDIA_UNROLL_PARTS for (int i = 0; i < registers::parts; ++i) {
      r.part[i] = registers::filled(f, i * registers::lanes);
    }
    return r;
  }
  /// Returns what lies at `from`, `step` elements from lane to lane.
  static TRIDIA_FN simd load(const R* from, std::int64_t step = 1) {
    if (step != 1) return filled(detail::strided_element<R>{from, step});
    simd r;
    TRIDIA_UNROLL_PARTS for (int i = 0; i < registers::parts; ++i) {
      r.part[i] =
          *reinterpret_cast<const typename registers::unaligned*>(from + i * registers::lanes);
    }
    return r;
  }
  /// Stores the lanes from `to` on, `step` elements from lane to lane.
  TRIDIA_FN void store(R* to, std::int64_t step = 1) const {
    if (step == 1) {
      TRIDIA_UNROLL_PARTS for (int i = 0; i < registers::parts; ++i) {
        *reinterpret_cast<typename registers::unaligned*>(to + i * registers::lanes) = part[i];
      }
    } else {
      for (int lane = 0; lane < W; ++lane) to[lane * step] = (*this)[lane];
    }
  }

  friend TRIDIA_FN simd operator+(simd a, const simd& b) {
    TRIDIA_UNROLL_PARTS for (int i = 0; i < registers::parts; ++i) a.part[i] += b.part[i];
    return a;
  }
  friend TRIDIA_FN simd operator-(simd a, const simd& b) {
    TRIDIA_UNROLL_PARTS for (int i = 0; i < registers::parts; ++i) a.part[i] -= b.part[i];
    return a;
  }
  friend TRIDIA_FN simd operator*(simd a, const simd& b) {
    TRIDIA_UNROLL_PARTS for (int i = 0; i < registers::parts; ++i) a.part[i] *= b.part[i];
    return a;
  }
  friend TRIDIA_FN simd operator/(simd a, const simd& b) {
    TRIDIA_UNROLL_PARTS for (int i = 0; i < registers::parts; ++i) a.part[i] /= b.part[i];
    return a;
  }
  friend TRIDIA_FN simd operator-(simd a) {
    TRIDIA_UNROLL_PARTS for (auto& p : a.part) p = -p;
    return a;
  }
  TRIDIA_FN simd& operator+=(const simd& b) { return *this = *this + b; }
  TRIDIA_FN simd& operator-=(const simd& b) { return *this = *this - b; }
  TRIDIA_FN simd& operator*=(const simd& b) { return *this = *this * b; }
  TRIDIA_FN simd& operator/=(const simd& b) { return *this = *this / b; }

  friend TRIDIA_FN mask operator<(const simd& a, const simd& b) {
    mask m;
    TRIDIA_UNROLL_PARTS for (int i = 0; i < registers::parts; ++i) {
      m.part[i] = a.part[i] < b.part[i];
      TRIDIA_HIDE_COMPARISON(m.part[i]);
    }
    return m;
  }
  friend TRIDIA_FN mask operator<=(const simd& a, const simd& b) {
    mask m;
    TRIDIA_UNROLL_PARTS for (int i = 0; i < registers::parts; ++i) {
      m.part[i] = a.part[i] <= b.part[i];
      TRIDIA_HIDE_COMPARISON(m.part[i]);
    }
    return m;
  }
  friend TRIDIA_FN mask operator==(const simd& a, const simd& b) {
    mask m;
    TRIDIA_UNROLL_PARTS for (int i = 0; i < registers::parts; ++i) {
      m.part[i] = a.part[i] == b.part[i];
      TRIDIA_HIDE_COMPARISON(m.part[i]);
    }
    return m;
  }
  friend TRIDIA_FN mask operator>(const simd& a, const simd& b) { return b < a; }
  friend TRIDIA_FN mask operator>=(const simd& a, const simd& b) { return b <= a; }
  friend TRIDIA_FN mask operator!=(const simd& a, const simd& b) { return !(a == b); }

  // What the arithmetic of core/value.hpp, core/reciprocal.hpp and core/unit_scale.hpp asks of a
  // value.
  friend TRIDIA_FN simd select(const mask& m, simd a, const simd& b) {
    using bits = typename registers::mask;
    TRIDIA_UNROLL_PARTS for (int i = 0; i < registers::parts; ++i) {
      const bits of_b = (bits)b.part[i];
      a.part[i] = (typename registers::type)(of_b ^ ((of_b ^ (bits)a.part[i]) & m.part[i]));
    }
    return a;
  }
  friend TRIDIA_FN simd add_mul(const simd& a, const simd& b, const simd& c) { return a + b * c; }
  friend TRIDIA_FN simd sub_mul(const simd& a, const simd& b, const simd& c) { return a - b * c; }
  friend TRIDIA_FN simd reciprocal(const simd& a) { return simd(1) / a; }
  friend TRIDIA_FN simd quick_reciprocal(const simd& a) { return simd(1) / a; }
  friend TRIDIA_FN simd rough_reciprocal(const simd& a) { return simd(1) / a; }
  friend TRIDIA_FN simd moderate_reciprocal(const simd& a) {
    constexpr R least = std::numeric_limits<R>::min(), most = core::most_moderate(least);
    const simd r = simd(1) / a, size = magnitude(r);
    return select(size >= simd(least) && size <= simd(most), r,
                  simd(std::numeric_limits<R>::quiet_NaN()));
  }
  friend TRIDIA_FN mask is_tiny(const simd& a) {
    return !(magnitude(a) >= simd(std::numeric_limits<R>::min()));
  }
  friend TRIDIA_FN simd without_subnormals(const simd& a) {
    return select(magnitude(a) < simd(std::numeric_limits<R>::min()), simd(R(0)), a);
  }
  friend TRIDIA_FN simd magnitude(simd a) {
    using bits = typename registers::mask;
    using word = std::conditional_t<sizeof(R) == 4, std::int32_t, std::int64_t>;
    TRIDIA_UNROLL_PARTS for (auto& p : a.part) {
      p = (typename registers::type)((bits)p & std::numeric_limits<word>::max());
    }
    return a;
  }
  /// The numbers themselves serve as their exponents.
  friend TRIDIA_FN simd exponent_of(const simd& a) { return magnitude(a); }
  friend TRIDIA_FN simd larger(const simd& a, const simd& b) { return select(a < b, b, a); }
  friend TRIDIA_FN simd unit_scale(const simd& exponent, const simd&) {
    return filled(
        [&](int lane) { return core::unit_scale(core::exponent_of(exponent[lane]), R(1)); });
  }
  friend TRIDIA_FN simd scaled(const simd& a, const simd& by) { return a * by; }
  friend TRIDIA_FN mask is_zero(const simd& a) { return a == simd(0); }
  friend TRIDIA_FN mask is_finite(const simd& a) { return a - a == simd(0); }
  friend TRIDIA_FN simd conjugate(const simd& a) { return a; }
};

/// Number of lanes of R that pay: those of two registers, so that two divisions are under way.
template <class R>
inline constexpr int simd_lanes = 2 * detail::vector_bytes / static_cast<int>(sizeof(R));

namespace core {
template <class R, int W>
struct value_traits<simd<R, W>> {
  using mask = simd_mask<R, W>;
  using real = simd<R, W>;
};
}  // namespace core
}  // namespace tridia
