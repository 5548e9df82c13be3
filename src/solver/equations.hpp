// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "core/cyclic_reduction.hpp"
#include "solver/system.hpp"

// These classes hold the equations of one line where cyclic reduction reads and writes them: in the
// arrays of an execution, and in memory of its own.
namespace tridia::solver {

/// Names a matrix and one of its right-hand sides: each is a system to the algorithms that keep no
/// factors. Lines are numbered matrix after matrix.
struct line_place {
  index_t matrix, side;
  index_t at[layout::array_count];

  TRIDIA_FN line_place(const geometry& g, index_t line) {
    matrix = g.right_sides.size > 1 ? line / g.right_sides.size : line;
    side = line - matrix * g.right_sides.size;
    g.line_offsets(matrix, side, at);
  }
};

/// Reads the equations as they lie in the caller's arrays.
template <class V>
struct input_equations {
  strided_matrix<V> a;
  const V* rhs;
  index_t rhs_step;

  TRIDIA_FN input_equations(const geometry& g, const typed_operands<V>& o, const line_place& line)
      : a(g, g.rows_of(line.matrix), o.in, line.at),
        rhs(o.in[layout::rhs] + line.at[layout::rhs]),
        rhs_step(g.lines[layout::rhs].step) {}
  TRIDIA_FN core::row_equation<V> get(index_t k) const {
    return core::normalised(a.get(k), rhs[k * rhs_step]);
  }
};

/// Puts row k at place k: rows that are a power of two apart lie in one bank of shared memory.
struct plain_places {
  template <class V, class Index>
  static TRIDIA_FN Index of(Index k) {
    return k;
  }
};
/// Leaves out a word after as many words as there are banks, and one more after as many of those:
/// rows a power of two apart are in different banks.
struct padded_places {
  template <class V, class Index>
  static TRIDIA_FN Index of(Index k) {
    constexpr Index banks = 128 / sizeof(V);
    return k + k / banks + k / (banks * banks);
  }
};

/// Holds equations in three arrays, `pitch` words apart; `first` and `step` select a part of them.
/// X takes the place of an equation's right-hand side.
template <class V, class Places, class Index = int>
struct equation_rows {
  V* base;
  Index pitch;
  Index first = 0, step = 1;

  TRIDIA_FN V* place(Index k) const { return base + Places::template of<V>(first + k * step); }
  TRIDIA_FN core::row_equation<V> get(Index k) const {
    const V* const p = place(k);
    return {p[0], p[pitch], p[2 * pitch]};
  }
  TRIDIA_FN void put(Index k, const core::row_equation<V>& e) const {
    V* const p = place(k);
    p[0] = e.before, p[pitch] = e.after, p[2 * pitch] = e.rhs;
  }
  TRIDIA_FN V solution(Index k) const { return place(k)[2 * pitch]; }
  TRIDIA_FN void solve(Index k, const V& x) const { place(k)[2 * pitch] = x; }
  TRIDIA_FN equation_rows part(Index from, Index every) const {
    return {base, pitch, first + from * step, step * every};
  }
};

}  // namespace tridia::solver
