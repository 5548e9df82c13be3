// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "compact/cpu/strip.hpp"
#include "cpu/lanes.hpp"
#include "cpu/transpose.hpp"

// Between arrays and the buffer, in which lines lie side by side: row after row, a lane a line.
namespace tridia::compact::cpu::TRIDIA_ISA {

using tridia::cpu::TRIDIA_ISA::load_vector;
using tridia::cpu::TRIDIA_ISA::put_vector;
using tridia::cpu::TRIDIA_ISA::store_vector;
using tridia::cpu::TRIDIA_ISA::transpose_registers;
using tridia::cpu::TRIDIA_ISA::vector;

namespace stdx = std::experimental;

template <class R>
inline constexpr int width = static_cast<int>(stdx::native_simd<R>::size());

/// Lanes from `lane` on that are neighbours in memory.
inline int run_from(const index_t* at, int lane, int live) {
  int end = lane + 1;
  while (end < live && at[end] == at[end - 1] + 1) ++end;
  return end - lane;
}

/// Rows of neighbours: whole pieces of memory, as far as they go.
template <class R>
void load_rows(const strip& s, index_t k0, index_t k1, R* rows) {
  constexpr int W = width<R>;
  const R* const in = static_cast<const R*>(s.in);
  for (int lane = 0, run; lane < s.live; lane += run) {
    run = run_from(s.in_at, lane, s.live);
    const R* from = in + s.in_at[lane] + k0 * s.in_step;
    R* to = rows + k0 * s.pitch + lane;
    for (index_t k = k0; k < k1; ++k, from += s.in_step, to += s.pitch) {
      int l = 0;
      for (; l + W <= run; l += W) store_vector<R, W>(to + l, load_vector<R, W>(from + l));
      for (; l < run; ++l) to[l] = from[l];
    }
  }
}

/// Contiguous lines, transposed W x W at a time.
template <class R>
void load_lines(const strip& s, index_t k0, index_t k1, R* rows) {
  constexpr int W = width<R>;
  const R* const in = static_cast<const R*>(s.in);
  for (int lane = 0; lane < s.live; lane += W) {
    const R* lines[W];
    // Lanes beyond the last line repeat it.
    for (int l = 0; l < W; ++l) lines[l] = in + s.in_at[lane + l < s.live ? lane + l : s.live - 1];
    R* const to = rows + lane;
    index_t k = k0;
    for (; k + W <= k1; k += W) {
      tridia::cpu::TRIDIA_ISA::transpose_in<R, W>(lines, k, to + k * s.pitch, s.pitch);
    }
    for (; k < k1; ++k) {
      for (int l = 0; l < W; ++l) to[k * s.pitch + l] = lines[l][k];
    }
  }
}

template <class R, bool Add>
inline void put_piece(R* to, vector<R, width<R>> v, bool stream) {
  constexpr int W = width<R>;
  if constexpr (Add) {
    store_vector<R, W>(to, load_vector<R, W>(to) + v);
  } else {
    put_vector<R, W>(to, v, stream);
  }
}
template <class R, bool Add>
inline void put_one(R* to, R v) {
  *to = Add ? *to + v : v;
}

template <class R, bool Add>
void store_rows(const strip& s, index_t k0, index_t k1, const R* rows) {
  constexpr int W = width<R>;
  R* const out = static_cast<R*>(s.out);
  for (int lane = 0, run; lane < s.live; lane += run) {
    run = run_from(s.out_at, lane, s.live);
    R* to = out + s.out_at[lane] + k0 * s.out_step;
    const R* from = rows + k0 * s.pitch + lane;
    for (index_t k = k0; k < k1; ++k, to += s.out_step, from += s.pitch) {
      int l = 0;
      for (; l + W <= run; l += W) {
        put_piece<R, Add>(to + l, load_vector<R, W>(from + l), s.stream);
      }
      for (; l < run; ++l) put_one<R, Add>(to + l, from[l]);
    }
  }
}

template <class R, bool Add>
void store_lines(const strip& s, index_t k0, index_t k1, const R* rows) {
  constexpr int W = width<R>;
  R* const out = static_cast<R*>(s.out);
  int lane = 0;
  for (; lane + W <= s.live; lane += W) {
    const R* const from = rows + lane;
    R* lines[W];
    for (int l = 0; l < W; ++l) lines[l] = out + s.out_at[lane + l];
    index_t k = k0;
    for (; k + W <= k1; k += W) {
      vector<R, W> a[W];
#pragma GCC unroll 16
      for (int i = 0; i < W; ++i) a[i] = load_vector<R, W>(from + (k + i) * s.pitch);
      transpose_registers<R, W>(a);
#pragma GCC unroll 16
      for (int l = 0; l < W; ++l) put_piece<R, Add>(lines[l] + k, a[l], s.stream);
    }
    for (; k < k1; ++k) {
      for (int l = 0; l < W; ++l) put_one<R, Add>(lines[l] + k, from[k * s.pitch + l]);
    }
  }
  for (; lane < s.live; ++lane) {
    R* const to = out + s.out_at[lane];
    for (index_t k = k0; k < k1; ++k) put_one<R, Add>(to + k, rows[k * s.pitch + lane]);
  }
}

/// Points k0 to k1 - 1; `rows` is where point 0 goes.
template <class R>
void load(const strip& s, index_t k0, index_t k1, R* rows) {
  // Lanes without a line would otherwise work on what memory happens to hold.
  for (index_t k = k0; s.live < s.lanes && k < k1; ++k) {
    for (int l = s.live; l < s.lanes; ++l) rows[k * s.pitch + l] = 0;
  }
  s.in_step == 1 ? load_lines(s, k0, k1, rows) : load_rows(s, k0, k1, rows);
}

/// Right-hand sides that are given, which lie side by side in memory.
template <class R>
void load_prescribed(const strip& s, index_t count, R* rows) {
  for (index_t k = 0; k < count; ++k, rows += s.pitch) {
    const R* const from = static_cast<const R*>(s.prescribed) + k * s.prescribed_step;
    for (int l = 0; l < s.lanes; ++l) rows[l] = l < s.live ? from[l] : R(0);
  }
}

/// Rows k0 to k1 - 1, likewise.
template <class R, bool Add>
void store_as(const strip& s, index_t k0, index_t k1, const R* rows) {
  s.out_step == 1 ? store_lines<R, Add>(s, k0, k1, rows) : store_rows<R, Add>(s, k0, k1, rows);
}
template <class R>
void store(const strip& s, index_t k0, index_t k1, const R* rows) {
  s.accumulate ? store_as<R, true>(s, k0, k1, rows) : store_as<R, false>(s, k0, k1, rows);
}

}  // namespace tridia::compact::cpu::TRIDIA_ISA
