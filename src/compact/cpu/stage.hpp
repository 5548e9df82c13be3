// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "compact/cpu/strip.hpp"
#include "solver/cpu/lanes.hpp"
#include "solver/cpu/transpose.hpp"

#include <cstring>

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
void load_rows(const strip& s, index_t count, R* rows) {
  constexpr int W = width<R>;
  const R* const in = static_cast<const R*>(s.in);
  for (int lane = 0, run; lane < s.live; lane += run) {
    run = run_from(s.in_at, lane, s.live);
    const R* from = in + s.in_at[lane];
    R* to = rows + lane;
    for (index_t k = 0; k < count; ++k, from += s.in_step, to += s.lanes) {
      int l = 0;
      for (; l + W <= run; l += W) store_vector<R, W>(to + l, load_vector<R, W>(from + l));
      for (; l < run; ++l) to[l] = from[l];
    }
  }
}

/// Contiguous lines, transposed W x W at a time.
template <class R>
void load_lines(const strip& s, index_t count, R* rows) {
  constexpr int W = width<R>;
  const R* const in = static_cast<const R*>(s.in);
  for (int lane = 0; lane < s.live; lane += W) {
    const R* lines[W];
    // Lanes beyond the last line repeat it.
    for (int l = 0; l < W; ++l) lines[l] = in + s.in_at[lane + l < s.live ? lane + l : s.live - 1];
    R* const to = rows + lane;
    index_t k = 0;
    for (; k + W <= count; k += W) {
      tridia::cpu::TRIDIA_ISA::transpose_in<R, W>(lines, k, to + k * s.lanes, s.lanes);
    }
    for (; k < count; ++k) {
      for (int l = 0; l < W; ++l) to[k * s.lanes + l] = lines[l][k];
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
void store_rows(const strip& s, index_t count, const R* rows) {
  constexpr int W = width<R>;
  R* const out = static_cast<R*>(s.out);
  for (int lane = 0, run; lane < s.live; lane += run) {
    run = run_from(s.out_at, lane, s.live);
    R* to = out + s.out_at[lane];
    const R* from = rows + lane;
    for (index_t k = 0; k < count; ++k, to += s.out_step, from += s.lanes) {
      int l = 0;
      for (; l + W <= run; l += W) {
        put_piece<R, Add>(to + l, load_vector<R, W>(from + l), s.stream);
      }
      for (; l < run; ++l) put_one<R, Add>(to + l, from[l]);
    }
  }
}

template <class R, bool Add>
void store_lines(const strip& s, index_t count, const R* rows) {
  constexpr int W = width<R>;
  R* const out = static_cast<R*>(s.out);
  int lane = 0;
  for (; lane + W <= s.live; lane += W) {
    const R* const from = rows + lane;
    R* lines[W];
    for (int l = 0; l < W; ++l) lines[l] = out + s.out_at[lane + l];
    // Vectors begin where the first line has a vector's address.
    const auto past = reinterpret_cast<std::uintptr_t>(lines[0]) / sizeof(R) % W;
    index_t k = 0;
    const auto one_row = [&] {
      for (int l = 0; l < W; ++l) put_one<R, Add>(lines[l] + k, from[k * s.lanes + l]);
    };
    for (; k < count && k < static_cast<index_t>((W - past) % W); ++k) one_row();
    for (; k + W <= count; k += W) {
      vector<R, W> a[W];
#pragma GCC unroll 16
      for (int i = 0; i < W; ++i) a[i] = load_vector<R, W>(from + (k + i) * s.lanes);
      transpose_registers<R, W>(a);
#pragma GCC unroll 16
      for (int l = 0; l < W; ++l) put_piece<R, Add>(lines[l] + k, a[l], s.stream);
    }
    for (; k < count; ++k) one_row();
  }
  for (; lane < s.live; ++lane) {
    R* const to = out + s.out_at[lane];
    for (index_t k = 0; k < count; ++k) put_one<R, Add>(to + k, rows[k * s.lanes + lane]);
  }
}

template <class R>
void load(const strip& s, index_t count, R* rows) {
  // Lanes without a line would otherwise work on what memory happens to hold.
  if (s.live < s.lanes) {
    for (index_t k = 0; k < count; ++k) {
      for (int l = s.live; l < s.lanes; ++l) rows[k * s.lanes + l] = 0;
    }
  }
  s.in_step == 1 ? load_lines(s, count, rows) : load_rows(s, count, rows);
}

template <class R, bool Add>
void store_as(const strip& s, index_t count, const R* rows) {
  s.out_step == 1 ? store_lines<R, Add>(s, count, rows) : store_rows<R, Add>(s, count, rows);
}
template <class R>
void store(const strip& s, index_t count, const R* rows) {
  s.accumulate ? store_as<R, true>(s, count, rows) : store_as<R, false>(s, count, rows);
#if defined(__x86_64__)
  // What went past the cache is in order with what other threads are told afterwards.
  if (s.stream) _mm_sfence();
#endif
}

}  // namespace tridia::compact::cpu::TRIDIA_ISA
