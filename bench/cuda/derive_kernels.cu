// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#include "derive_kernels.hpp"

#include "raise_worst.cuh"

namespace tridia_bench {
namespace {

constexpr int kThreads = 256;

/// Calls a function for each element, one thread per element.
template <class F>
__global__ void __launch_bounds__(kThreads) for_each_kernel(index_t count, F f) {
  const index_t i = index_t{blockIdx.x} * kThreads + threadIdx.x;
  if (i < count) f(i);
}

template <class F>
cudaError_t for_each(index_t count, cudaStream_t stream, F f) {
  const auto blocks = static_cast<unsigned>((count + kThreads - 1) / kThreads);
  for_each_kernel<<<blocks, kThreads, 0, stream>>>(count, f);
  return cudaGetLastError();
}

constexpr int kTile = 32, kTileRows = 8;

/// Transposes one tile per block through shared memory, so that both sides are read and written in
/// whole rows.
__global__ void __launch_bounds__(kTile* kTileRows)
    transpose_kernel(index_t rows, index_t columns, const double* from, double* to) {
  __shared__ double tile[kTile][kTile + 1];
  const index_t matrix = blockIdx.z * rows * columns;
  const index_t top = index_t{blockIdx.y} * kTile, left = index_t{blockIdx.x} * kTile;
  for (int k = threadIdx.y; k < kTile; k += kTileRows) {
    const index_t i = top + k, j = left + threadIdx.x;
    if (i < rows && j < columns) tile[k][threadIdx.x] = from[matrix + i * columns + j];
  }
  __syncthreads();
  for (int k = threadIdx.y; k < kTile; k += kTileRows) {
    const index_t i = top + threadIdx.x, j = left + k;
    if (i < rows && j < columns) to[matrix + j * rows + i] = tile[threadIdx.x][k];
  }
}

}  // namespace

cudaError_t launch_fill(const product_field& f, double* out, cudaStream_t stream) {
  return for_each(f.size(), stream, [=] __device__(index_t i) { out[i] = f.at(i); });
}

cudaError_t launch_judge(const product_field& f, const double* x, double* worst,
                         cudaStream_t stream) {
  return for_each(f.size(), stream,
                  [=] __device__(index_t i) { raise_worst(worst, fabs(x[i] - f.at(i))); });
}

cudaError_t launch_matrices(const stencil_rows& rows, index_t lines, double* dl, double* d,
                            double* du, cudaStream_t stream) {
  return for_each(lines * rows.rows, stream, [=] __device__(index_t i) {
    const index_t row = i % rows.rows;
    const stencil_rows::row& r = rows.at(row);
    dl[i] = row == 0 ? 0 : r.sub;
    d[i] = r.diag;
    du[i] = row == rows.rows - 1 ? 0 : r.sup;
  });
}

cudaError_t launch_right_sides(const stencil_rows& rows, index_t lines, index_t step,
                               const double* f, double* to, cudaStream_t stream) {
  // The indices have 32 bits: a division of 64 bits would take longer than the memory accesses.
  const auto n = static_cast<unsigned>(rows.rows), distance = static_cast<unsigned>(step);
  return for_each(lines * rows.rows, stream, [=] __device__(index_t i) {
    const unsigned row = static_cast<unsigned>(i) / distance % n;
    to[i] = rows.right_side(f + (i - row * step), row, step);
  });
}

cudaError_t launch_transpose(index_t count, index_t rows, index_t columns, const double* from,
                             double* to, cudaStream_t stream) {
  const auto tiles = [](index_t extent) {
    return static_cast<unsigned>((extent + kTile - 1) / kTile);
  };
  const dim3 grid(tiles(columns), tiles(rows), static_cast<unsigned>(count));
  transpose_kernel<<<grid, dim3(kTile, kTileRows), 0, stream>>>(rows, columns, from, to);
  return cudaGetLastError();
}

}  // namespace tridia_bench
