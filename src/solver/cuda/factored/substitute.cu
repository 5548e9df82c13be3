// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause

// These kernels solve with saved factors. The file is compiled once for each value type,
// TRIDIA_VALUE.
#include "core/dispatch.hpp"
#include "gpu/launch.cuh"
#include "layout/line_status.hpp"
#include "solver/cuda/factored/thread_substitution.cuh"
#include "solver/cuda/factored/warp_tile.cuh"
#include "solver/cuda/scan_instead.cuh"
#include "solver/system_memory.hpp"

namespace tridia::cuda {

using namespace gpu;

namespace {

using V = TRIDIA_VALUE;

/// Copies the factors of the one matrix from memory to the block's shared memory.
template <class Factors>
__device__ __forceinline__ void load_factors(const Factors& to, const V* factor_values, int rows) {
  constexpr int lower = Factors::lower_values, all = lower + Factors::upper_values;
  for (int i = static_cast<int>(threadIdx.x); i < rows * all; i += static_cast<int>(blockDim.x)) {
    const int row = i / all, word = i - row * all;
    V* const at = word < lower ? to.lower + row * lower + word
                               : to.upper + row * Factors::upper_values + (word - lower);
    copy_element(at, factor_values + i);
  }
  wait_for_copies();
}

/// Solves one right-hand side, which this lane has in shared memory; x without a solution is NaN. A
/// status that it shares with others is only added to.
template <class E, bool Lines, class Factors>
__device__ __forceinline__ void substitute_by_thread(const geometry& g, const typed_operands<V>& o,
                                                     const substitute_shape& s,
                                                     const warp_tile<V>& tile,
                                                     const Factors& factors,
                                                     const index_t* of_matrix) {
  thread_substitution<V, E, Lines, Factors> line{tile.mine(), s.row_step, factors};
  index_t status = 0;
  line.solve(s.rows, [&](bool failed, bool before) {
    if (failed)
      status = solver::substitution_status<V>(s.rows, tile.first_nonfinite(), before, line);
  });
  const index_t matrix = of_matrix[tile.matrix()];
  for (int k = 0; k < s.rows && (status != 0 || matrix != 0); ++k) {
    line.put(k, core::not_a_number<V>());
  }
  if (!o.status) return;
  index_t* const at = o.status + tile.status_offset();
  if (!layout::shares_status(g)) *at = matrix;
  if (status != 0) layout::merge_status(at, matrix, status);
}

template <pivoting P, boundary B, bool Lines, bool InShared>
__global__ void __launch_bounds__(most_warps* warp_size)
    substitute_kernel(const __grid_constant__ geometry g,
                      const __grid_constant__ typed_operands<V> o,
                      const __grid_constant__ substitute_shape s, const index_t* of_matrix,
                      V* factor_values, const scan_instead scan) {
  if (leaves_to(scan)) return;
  using E = core::elimination<V, P, B>;
  using in_shared = shared_factors<V, E>;
  extern __shared__ __align__(16) unsigned char memory[];
  auto* const mbarriers = reinterpret_cast<std::uint64_t*>(memory);
  V* tiles = reinterpret_cast<V*>(mbarriers + most_warps);
  in_shared kept{};
  if constexpr (InShared) {
    kept = in_shared::in(tiles, s.rows);
    load_factors(kept, factor_values, s.rows);
    tiles = kept.end(s.rows);
  }
  const int warp = static_cast<int>(threadIdx.x) / warp_size;
  warp_tile<V> tile(g, o, s, tiles + warp * s.tile, warp, mbarriers);
  __syncthreads();
  const index_t step = index_t{gridDim.x} * s.warps * s.systems;
  index_t first = (index_t{blockIdx.x} * s.warps + warp) * s.systems;
  for (; first < tile.lines(); first += step) {
    tile.load(first);
    if (tile.has_mine()) {
      if constexpr (InShared) {
        substitute_by_thread<E, Lines>(g, o, s, tile, kept, of_matrix);
      } else {
        const index_t m = tile.matrix();
        const auto at = solver::row_values_of(
            g, factor_values, solver::value_counts<V, P, B>::factors, m, m, g.matrices.size);
        substitute_by_thread<E, Lines>(g, o, s, tile, global_factors<V, E>{at, s.rows}, of_matrix);
      }
    }
    tile.store();
  }
}

using kernel = void (*)(geometry, typed_operands<V>, substitute_shape, const index_t*, V*,
                        scan_instead);

template <pivoting P, boundary B>
kernel kernel_of(const substitute_shape& s) {
  if (s.factors_in_shared) {
    return s.lines ? &substitute_kernel<P, B, true, true> : &substitute_kernel<P, B, false, true>;
  }
  return s.lines ? &substitute_kernel<P, B, true, false> : &substitute_kernel<P, B, false, false>;
}

template <pivoting P, boundary B>
substitute_launches table() {
  return {
      [](const substitute_shape& s, std::size_t shared_limit, int* resident) {
        const kernel f = kernel_of<P, B>(s);
        const cudaError_t result = allow_shared(f, shared_limit);
        if (result != cudaSuccess) return result;
        return cudaOccupancyMaxActiveBlocksPerMultiprocessor(resident, f, s.warps * warp_size,
                                                             s.shared_bytes);
      },
      [](const geometry& g, const operands& o, const index_t* status, const void* factor_values,
         const scan_instead& scan, const substitute_shape& s, index_t blocks, cudaStream_t stream) {
        return launch_dependent(kernel_of<P, B>(s), scan.comes_first,
                                dim3(static_cast<unsigned>(blocks)), s.warps * warp_size,
                                s.shared_bytes, stream, g, solver::typed<V>(o), s, status,
                                static_cast<V*>(const_cast<void*>(factor_values)), scan);
      }};
}

}  // namespace

template <class>
substitute_launches substitute_kernels(pivoting p, boundary b) {
  return core::with_variant(
      p, b, [](auto v) { return table<decltype(v)::pivots, decltype(v)::boundary_kind>(); });
}
template substitute_launches substitute_kernels<V>(pivoting, boundary);

}  // namespace tridia::cuda
