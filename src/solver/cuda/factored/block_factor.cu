// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause

// These kernels factor few matrices, one block for each, and make the tables that a scan needs. The
// file is compiled once for each value type, TRIDIA_VALUE.
#include "core/chunk.hpp"
#include "core/chunk_tables.hpp"
#include "core/dispatch.hpp"
#include "gpu/dependent_launch.cuh"
#include "gpu/launch.cuh"
#include "line_operator/cuda/scan.hpp"
#include "solver/cuda/block_line.cuh"
#include "solver/cuda/factored/substitute.hpp"
#include "solver/system_memory.hpp"

#include <algorithm>
#include <type_traits>

namespace tridia::cuda {

using namespace gpu;

namespace {

using V = TRIDIA_VALUE;
constexpr int least_chunk = 4;

template <class T>
__device__ __forceinline__ bool same_bits(const T& a, const T& b) {
  static_assert(sizeof(T) % sizeof(unsigned) == 0);
  const auto* const p = reinterpret_cast<const unsigned*>(&a);
  const auto* const q = reinterpret_cast<const unsigned*>(&b);
  bool same = true;
#pragma unroll
  for (std::size_t i = 0; i < sizeof(T) / sizeof(unsigned); ++i) same = same && p[i] == q[i];
  return same;
}

struct unkept_factors {
  template <class Lower, class Upper>
  __device__ __forceinline__ void put(index_t, const Lower&, const Upper&) const {}
};

/// Factors with all threads, with the same bits as elimination row after row. Each thread takes a
/// chunk and guesses the state in which elimination reaches it: as if nothing were above. Then it
/// compares that with the final state of the thread before it, and starts again if they differ. The
/// first chunk is right at once, and after each round one more at least; but where what is above is
/// forgotten within some rows, as with dominant matrices, all are right after as many rows. Factors
/// are stored once they are right. A barrier of the block must come before.
template <class E, class Matrix>
__device__ __forceinline__ bool factor_in_chunks(index_t n, int chunk, Matrix& a,
                                                 solver::factor_rows<V, E> out,
                                                 typename E::factorization* left) {
  const index_t entering = core::entering_rows<E>(n);
  const int me = static_cast<int>(threadIdx.x);
  const index_t first = 1 + index_t{me} * chunk, last = min(first + chunk, entering);
  const bool mine = first < last;
  core::factoring<V, E> from{}, to{};
  if (mine) from.start(a.get(first - 1), a.get(n - 1), n);
  unkept_factors unkept;
  bool open = mine && chunk < entering - 1;
  while (__syncthreads_or(open)) {
    if (open) {
      to = from;
      to.rows(first, last, n, a, unkept);
      left[me] = to.f;
    }
    __syncthreads();
    open = mine && me > 0 && !same_bits(left[me - 1], from.f);
    if (open) from.f = left[me - 1];
  }
  if (mine) {
    from.rows(first, last, n, a, out);
    if (last == entering) from.finish(n, out);
  }
  return __syncthreads_and(!mine || from.good);
}

using growth = core::amplification<typename core::value_traits<V>::real>;

/// Holds the bytes of shared memory that the tables take, part after part.
struct table_places {
  std::size_t values, growths, bytes;  // products come first

  /// Computes the places. Unless `InShared`, values are made directly in their final memory.
  template <bool InShared>
  static TRIDIA_FN table_places of(const core::chunk_cut& cut, unsigned threads) {
    const std::size_t values = static_cast<std::size_t>(cut.products()) * sizeof(V);
    const std::size_t count = InShared ? static_cast<std::size_t>(cut.values()) : 0;
    const std::size_t growths = values + count * sizeof(V);
    return {values, growths, growths + threads * sizeof(growth)};
  }
};

/// Makes the tables for a scan of right-hand sides from the saved factors. Called by all threads,
/// once the factors are there; `memory` is shared, and no longer used otherwise.
template <class E, bool InShared>
__device__ __forceinline__ void make_tables(int n, const V* factor_values, bool good,
                                            const table_memory& to, unsigned char* memory) {
  const core::chunk_cut cut = line_operator::scan_cut<V>(n);
  const auto places = table_places::of<InShared>(cut, blockDim.x);
  constexpr block_team team{};
  const auto copy = [&](int count, const V* from, void* all) {
    for (int i = team.rank(); i < count; i += team.size()) static_cast<V*>(all)[i] = from[i];
  };
  const core::factored_recurrences<V, E> kept(factor_values, n);
  bool straight = true;
  for (int k = team.rank(); k < n; k += team.size()) straight = straight && !kept.interchanged(k);
  V* const values =
      InShared ? reinterpret_cast<V*>(memory + places.values) : static_cast<V*>(to.values);
  core::cut_values(cut, kept, values, team);
  straight = __syncthreads_and(straight);
  if (InShared) copy(cut.values(), values, to.values);
  const core::cut_rows<V> rows(cut, values, n);
  V* const products = reinterpret_cast<V*>(memory);
  core::cut_products(cut, rows, products, team);
  copy(cut.products(), products, to.minus_products);
  const bool bounded = core::growth_is_bounded(
      rows, core::bounded_growth, reinterpret_cast<growth*>(memory + places.growths), team);
  if (threadIdx.x == 0) *to.sound = good && bounded && straight ? 1 : 0;
}

/// Gives access to the rows of a matrix in shared memory.
struct shared_matrix {
  const core::row<V>* at;
  __device__ __forceinline__ const core::row<V>& get(index_t k) const { return at[k]; }
};

template <pivoting P, boundary B, bool InShared>
__global__ void __launch_bounds__(most_threads)
    block_factor_kernel(const __grid_constant__ geometry g,
                        const __grid_constant__ solver::typed_operands<V> o, index_t* status,
                        V* factor_values, const table_memory tables, int chunk) {
  let_next_begin();
  using E = core::elimination<V, P, B>;
  extern __shared__ __align__(16) unsigned char memory[];
  auto* const left = reinterpret_cast<typename E::factorization*>(memory);
  auto* const rows = reinterpret_cast<core::row<V>*>(left + blockDim.x);
  const index_t m = blockIdx.x, n = g.rows;
  index_t at[layout::array_count];
  g.line_offsets(m, 0, at);
  solver::strided_matrix<V> a(g, n, o.in, at);
  const solver::factor_rows<V, E> out{solver::row_values_of(
      g, factor_values, solver::value_counts<V, P, B>::factors, m, m, g.matrices.size)};
  bool good;
  if constexpr (InShared) {
    for (index_t k = threadIdx.x; k < n; k += blockDim.x) rows[k] = a.get(k);
    __syncthreads();
    shared_matrix near{rows};
    good = factor_in_chunks<E>(n, chunk, near, out, left);
  } else {
    good = factor_in_chunks<E>(n, chunk, a, out, left);
  }
  if (threadIdx.x == 0) status[m] = good ? 0 : solver::matrix_status<V, E>(n, a);
  if constexpr (B == boundary::regular) {
    if (tables.values != nullptr) {
      make_tables<E, InShared>(static_cast<int>(n), factor_values, good, tables, memory);
      if (tables.tile_counter != nullptr && threadIdx.x == 0) *tables.tile_counter = 0;
    }
  }
}

template <pivoting P, boundary B>
cudaError_t launch(const geometry& g, const operands& o, index_t* status, void* factor_values,
                   const table_memory& tables, std::size_t shared_limit, cudaStream_t stream) {
  using left = typename core::elimination<V, P, B>::factorization;
  // A periodic matrix's chunks depend on all rows above, so they would only wait.
  const index_t chunk =
      B == boundary::periodic
          ? g.rows
          : std::max<index_t>((g.rows + most_threads - 1) / most_threads, least_chunk);
  // One thread per row loads the rows and makes the tables.
  const index_t busy = tables.values != nullptr ? std::min<index_t>(g.rows, most_threads)
                                                : (g.rows + chunk - 1) / chunk;
  const auto threads = static_cast<unsigned>((busy + warp_size - 1) / warp_size * warp_size);
  const std::size_t state_bytes = threads * sizeof(left);
  const std::size_t rows_bytes = static_cast<std::size_t>(g.rows) * sizeof(core::row<V>);
  const auto bytes_of = [&]<bool InShared>(std::bool_constant<InShared>) {
    const std::size_t of_tables =
        tables.values == nullptr
            ? 0
            : table_places::of<InShared>(line_operator::scan_cut<V>(static_cast<int>(g.rows)),
                                         threads)
                  .bytes;
    return std::max(state_bytes + (InShared ? rows_bytes : 0), of_tables);
  };
  const bool in_shared = bytes_of(std::true_type{}) <= shared_limit;
  const std::size_t bytes = in_shared ? bytes_of(std::true_type{}) : bytes_of(std::false_type{});
  const auto kernel =
      in_shared ? &block_factor_kernel<P, B, true> : &block_factor_kernel<P, B, false>;
  kernel<<<static_cast<unsigned>(g.matrices.size), threads, bytes, stream>>>(
      g, solver::typed<V>(o), status, static_cast<V*>(factor_values), tables,
      static_cast<int>(chunk));
  return cudaGetLastError();
}

template <pivoting P, boundary B>
block_factor_launches table() {
  return {[](std::size_t shared_limit) {
            const cudaError_t result = allow_shared(block_factor_kernel<P, B, true>, shared_limit);
            if (result != cudaSuccess) return result;
            return allow_shared(block_factor_kernel<P, B, false>, shared_limit);
          },
          &launch<P, B>};
}

}  // namespace

template <class>
block_factor_launches block_factor_kernels(pivoting p, boundary b) {
  return core::with_variant(
      p, b, [](auto v) { return table<decltype(v)::pivots, decltype(v)::boundary_kind>(); });
}
template block_factor_launches block_factor_kernels<V>(pivoting, boundary);

}  // namespace tridia::cuda
