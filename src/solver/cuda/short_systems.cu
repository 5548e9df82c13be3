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

/// Stores x of a line whose rows follow each other, 16 bytes at a time.
__device__ __forceinline__ void store_pieces(const V (&x)[most_rows], int n, V* to) {
#pragma unroll
  for (int k = 0; k < most_rows; k += static_cast<int>(piece)) {
    struct alignas(piece_bytes) {
      V at[piece];
    } all;
#pragma unroll
    for (int i = 0; i < piece; ++i) all.at[i] = x[k + i];
    if (k < n) *reinterpret_cast<int4*>(to + k) = *reinterpret_cast<const int4*>(&all);
  }
}

/// Solves the lines of each thread. `pieces`: x of every line can be stored 16 bytes at a time.
template <pivoting P, boundary B>
__global__ void __launch_bounds__(block_threads)
    solve_short_systems(const __grid_constant__ geometry g, const typed_operands<V> o,
                        const short_systems_shape s, bool pieces) {
  const index_t i = thread_index();
  if (i >= g.matrices.size * s.apart) return;
  const index_t inner = s.sides_inner ? s.apart : g.matrices.size;
  const index_t outer = i / inner, rest = i - outer * inner;
  const index_t matrix = s.sides_inner ? outer : rest, first = s.sides_inner ? rest : outer;
  const int n = static_cast<int>(g.rows);
  index_t at[layout::array_count];
  g.matrices.offsets(matrix, at);
  const short_factors<core::elimination<V, P, B>> factors(solver::strided_matrix<V>(g, n, o.in, at),
                                                          n);
  const index_t rhs_step = g.lines[layout::rhs].step, x_step = g.lines[layout::x].step;
#pragma unroll 1
  for (index_t side = first; side < g.right_sides.size; side += s.apart) {
    g.line_offsets(matrix, side, at);
    const V* const rhs = o.in[layout::rhs] + at[layout::rhs];
    V x[most_rows];
#pragma unroll
    for (int k = 0; k < most_rows; ++k) {
      if (k < n) x[k] = rhs[k * rhs_step];
    }
    if (!factors.substitute(n, x)) {
      fail<P, B>(g, o, matrix, side);
      continue;
    }
    V* const to = o.x + at[layout::x];
    if (pieces) {
      store_pieces(x, n, to);
    } else {
#pragma unroll
      for (int k = 0; k < most_rows; ++k) {
        if (k < n) to[k * x_step] = x[k];
      }
    }
    if (o.status != nullptr) {
      layout::enter_line_status(o.status + at[layout::status], layout::shares_status(g), 0);
    }
  }
}

/// Returns whether every line of x begins at a multiple of 16 bytes, and has whole such pieces.
bool is_in_pieces(const geometry& g, const void* x) {
  bool all = g.lines[layout::x].step == 1 && g.rows % piece == 0 &&
             reinterpret_cast<std::uintptr_t>(x) % piece_bytes == 0;
  for (const layout::axes* axes : {&g.matrices, &g.right_sides}) {
    for (int k = 0; k < axes->count; ++k) {
      all = all && (axes->at[k].extent == 1 || axes->at[k].stride[layout::x] % piece == 0);
    }
  }
  return all;
}

template <pivoting P, boundary B>
cudaError_t launch_short_systems(const geometry& g, const operands& o, const short_systems_shape& s,
                                 cudaStream_t stream) {
  const index_t count = g.matrices.size * s.apart;
  const index_t blocks = (count + block_threads - 1) / block_threads;
  solve_short_systems<P, B><<<static_cast<unsigned>(blocks), block_threads, 0, stream>>>(
      g, solver::typed<V>(o), s, is_in_pieces(g, o.x));
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
