// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause

// These kernels solve short systems of which several have one matrix. The file is compiled once for
// each value type, TRIDIA_VALUE.
#include "solver/cuda/short_systems.hpp"

#include "core/dispatch.hpp"
#include "gpu/launch.cuh"
#include "solver/system_memory.hpp"

#include <cstdint>

namespace tridia::cuda {

using namespace gpu;

namespace {

using solver::operands, solver::typed_operands;
using V = TRIDIA_VALUE;

constexpr int most_rows = longest_short;
constexpr index_t piece_bytes = 16, piece = piece_bytes / static_cast<index_t>(sizeof(V));

/// Holds the factors of a matrix. All indices are constants where loops are unrolled, so that they
/// are in registers.
template <class E>
struct short_factors {
  typename E::lower lower[most_rows];
  typename E::upper upper[most_rows];

  template <class Matrix>
  __device__ __forceinline__ short_factors(const Matrix& a, int n) {
    core::row<V> rows[most_rows];
#pragma unroll
    for (int k = 0; k < most_rows; ++k) {
      if (k < n) rows[k] = a.get(k);
    }
    core::row<V> last = rows[0];
#pragma unroll
    for (int k = 1; k < most_rows; ++k) {
      if (k == n - 1) last = rows[k];
    }
    typename E::factorization f;
    f.start(rows[0], last, n);
#pragma unroll
    for (int k = 1; k < most_rows; ++k) {
      if (k < n + 1 - E::tail) f.step(rows[k], n - 1 - k, lower[k - 1], upper[k - 1]);
    }
#pragma unroll
    for (int c = 0; c < E::tail; ++c) {
#pragma unroll
      for (int k = 0; k < most_rows; ++k) {
        if (k == n - E::tail + c) f.finish(c, lower[k], upper[k]);
      }
    }
  }

  /// Replaces right-hand sides by x. Returns whether all of it is finite.
  __device__ __forceinline__ bool substitute(int n, V (&x)[most_rows]) const {
    V last = x[0];
#pragma unroll
    for (int k = 1; k < most_rows; ++k) {
      if (k == n - 1) last = x[k];
    }
    typename E::forward down;
    down.start(x[0], last);
#pragma unroll
    for (int k = 1; k < most_rows; ++k) {
      if (k < n + 1 - E::tail) x[k - 1] = down.step(lower[k - 1], x[k]);
    }
#pragma unroll
    for (int c = 0; c < E::tail; ++c) {
#pragma unroll
      for (int k = 0; k < most_rows; ++k) {
        if (k == n - E::tail + c) x[k] = down.finish(c, lower[k]);
      }
    }
    typename E::backward back;
    bool good = true;
#pragma unroll
    for (int i = 1; i <= most_rows; ++i) {
      const int k = most_rows - i, column = k - (n - E::tail);
      if (k >= n) continue;
      good = good && core::is_finite(x[k]);
      x[k] = column >= 0 ? back.finish(column, upper[k], x[k]) : back.step(upper[k], x[k]);
      good = good && core::is_finite(x[k]);
    }
    return good;
  }
};

/// Enters why a line has no finite solution; then its x is NaN.
template <pivoting P, boundary B>
__device__ __noinline__ void fail(const geometry& g, const typed_operands<V>& o, index_t matrix,
                                  index_t side) {
  index_t at[layout::array_count];
  g.line_offsets(matrix, side, at);
  if (o.status != nullptr) {
    layout::enter_line_status(o.status + at[layout::status], layout::shares_status(g),
                              solver::diagnose_system<V, P, B>(g, o, matrix, side));
  }
  solver::fill_with_nan(g, o.x, matrix, side);
}

/// Says how rows of lines are moved: elements `step` apart, or, `pieces`, 16 bytes at a time.
struct row_copies {
  index_t step;
  bool pieces;

  struct alignas(piece_bytes) several {
    V at[piece];
  };
  __device__ __forceinline__ void load(const V* from, int n, V (&x)[most_rows]) const {
    if (!pieces) {
#pragma unroll
      for (int k = 0; k < most_rows; ++k) {
        if (k < n) x[k] = from[k * step];
      }
      return;
    }
#pragma unroll
    for (int k = 0; k < most_rows; k += static_cast<int>(piece)) {
      if (k >= n) continue;
      const auto all = *reinterpret_cast<const several*>(from + k);
#pragma unroll
      for (int i = 0; i < piece; ++i) x[k + i] = all.at[i];
    }
  }
  __device__ __forceinline__ void store(const V (&x)[most_rows], int n, V* to) const {
    if (!pieces) {
#pragma unroll
      for (int k = 0; k < most_rows; ++k) {
        if (k < n) to[k * step] = x[k];
      }
      return;
    }
#pragma unroll
    for (int k = 0; k < most_rows; k += static_cast<int>(piece)) {
      several all;
#pragma unroll
      for (int i = 0; i < piece; ++i) all.at[i] = x[k + i];
      if (k < n) *reinterpret_cast<several*>(to + k) = all;
    }
  }
};

/// Solves the lines of each thread, which loads a right-hand side while it works on the one before.
template <pivoting P, boundary B>
__global__ void __launch_bounds__(block_threads)
    solve_short_systems(const __grid_constant__ geometry g, const typed_operands<V> o,
                        const short_systems_shape s, const row_copies of_rhs,
                        const row_copies of_x) {
  const index_t i = thread_index();
  if (i >= g.matrices.size * s.apart) return;
  const index_t inner = s.sides_inner ? s.apart : g.matrices.size;
  const index_t outer = i / inner, rest = i - outer * inner;
  const index_t matrix = s.sides_inner ? outer : rest, first = s.sides_inner ? rest : outer;
  const int n = static_cast<int>(g.rows);
  index_t base[layout::array_count], at[layout::array_count];
  g.matrices.offsets(matrix, base);
  const short_factors<core::elimination<V, P, B>> factors(
      solver::strided_matrix<V>(g, n, o.in, base), n);
  V x[most_rows], next[most_rows];
  // Where systems have one axis of right-hand sides, nothing is divided from here on.
  const auto load = [&](index_t side) {
    g.right_sides.offsets(side, at);
    of_rhs.load(o.in[layout::rhs] + base[layout::rhs] + at[layout::rhs], n, next);
  };
  load(first);
#pragma unroll 1
  for (index_t side = first; side < g.right_sides.size; side += s.apart) {
#pragma unroll
    for (int k = 0; k < most_rows; ++k) x[k] = next[k];
    if (side + s.apart < g.right_sides.size) load(side + s.apart);
    if (!factors.substitute(n, x)) {
      fail<P, B>(g, o, matrix, side);
      continue;
    }
    g.right_sides.offsets(side, at);
    of_x.store(x, n, o.x + base[layout::x] + at[layout::x]);
    if (o.status != nullptr) {
      layout::enter_line_status(o.status + base[layout::status] + at[layout::status],
                                layout::shares_status(g), 0);
    }
  }
}

/// Returns how rows of an array are moved: in pieces if every line begins at a multiple of 16
/// bytes, and has whole such pieces.
row_copies copies_of(const geometry& g, layout::array array, const void* data) {
  bool all = g.lines[array].step == 1 && g.rows % piece == 0 &&
             reinterpret_cast<std::uintptr_t>(data) % piece_bytes == 0;
  for (const layout::axes* axes : {&g.matrices, &g.right_sides}) {
    for (int k = 0; k < axes->count; ++k) {
      all = all && (axes->at[k].extent == 1 || axes->at[k].stride[array] % piece == 0);
    }
  }
  return {g.lines[array].step, all};
}

template <pivoting P, boundary B>
cudaError_t launch_short_systems(const geometry& g, const operands& o, const short_systems_shape& s,
                                 cudaStream_t stream) {
  const index_t count = g.matrices.size * s.apart;
  const index_t blocks = (count + block_threads - 1) / block_threads;
  solve_short_systems<P, B><<<static_cast<unsigned>(blocks), block_threads, 0, stream>>>(
      g, solver::typed<V>(o), s, copies_of(g, layout::rhs, o.in[layout::rhs]),
      copies_of(g, layout::x, o.x));
  return cudaGetLastError();
}

template <pivoting P, boundary B>
short_systems_launches table() {
  return {.solve = &launch_short_systems<P, B>};
}

}  // namespace

template <class>
short_systems_launches short_systems_kernels(pivoting p, boundary b) {
  return core::with_variant(
      p, b, [](auto v) { return table<decltype(v)::pivots, decltype(v)::boundary_kind>(); });
}
template short_systems_launches short_systems_kernels<V>(pivoting, boundary);

}  // namespace tridia::cuda
