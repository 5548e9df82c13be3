// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#include "compact/cuda/short_lines.hpp"

#include "core/value.hpp"
#include "gpu/copy.cuh"
#include "gpu/launch.cuh"

#include <type_traits>
#include <utility>

namespace tridia::compact {
namespace {

using namespace gpu;

constexpr int threads = 256;

/// Holds what a kernel needs. `Size` is at least the points and the rows of a line; entries of the
/// matrix beyond them are 0. As a kernel's parameter the matrix comes from constant memory, and an
/// entry costs no load.
template <class V, int Size>
struct short_call {
  V matrix[Size][Size];
  const V* in;
  V* out;
  int points, rows;
  fast_divide by_points, by_rows;
  layout::along lines[line_array_count];
  layout::axes_of<line_array_count> batch;
  bool accumulate;
};

/// Replaces the points of a line by its rows.
template <class V, int Size>
__device__ __forceinline__ void multiply(const short_call<V, Size>& c, V (&line)[Size]) {
  V rows[Size];
#pragma unroll
  for (int i = 0; i < Size; ++i) {
    rows[i] = c.matrix[i][0] * line[0];
#pragma unroll
    for (int k = 1; k < Size; ++k) rows[i] = core::add_mul(rows[i], c.matrix[i][k], line[k]);
  }
#pragma unroll
  for (int i = 0; i < Size; ++i) line[i] = rows[i];
}

/// Multiplies lines that follow each other, a thread each; a block moves its lines together.
template <class V, int Size>
__global__ void __launch_bounds__(threads)
    lines_in_a_row_kernel(const __grid_constant__ short_call<V, Size> c) {
  constexpr int pitch = Size | 1;  // odd: neighbouring threads use different banks
  __shared__ V tile[threads * pitch];
  const index_t first = static_cast<index_t>(blockIdx.x) * threads, left = c.batch.size - first;
  const int lines = left < threads ? static_cast<int>(left) : threads;
  const int thread = static_cast<int>(threadIdx.x);
  const V* const in = c.in + c.lines[line_in].origin + first * c.points;
#pragma unroll
  for (int j = 0; j < Size; ++j) {
    const int i = thread + j * threads, line = c.by_points.quotient(i);
    if (i < lines * c.points) copy_element(tile + line * pitch + (i - line * c.points), in + i);
  }
  wait_for_copies();
  __syncthreads();
  V* const own = tile + thread * pitch;
  V line[Size];
#pragma unroll
  for (int k = 0; k < Size; ++k) line[k] = thread < lines && k < c.points ? own[k] : V(0);
  multiply(c, line);
#pragma unroll
  for (int k = 0; k < Size; ++k) own[k] = line[k];
  __syncthreads();
  V* const out = c.out + c.lines[line_out].origin + first * c.rows;
#pragma unroll
  for (int j = 0; j < Size; ++j) {
    const int i = thread + j * threads, of = c.by_rows.quotient(i);
    if (i >= lines * c.rows) break;
    const V value = tile[of * pitch + (i - of * c.rows)];
    out[i] = c.accumulate ? out[i] + value : value;
  }
}

/// A thread has so many lines, `threads` apart: enough loads are on their way at a time.
template <int Size>
inline constexpr int lines_of_thread = Size <= 4   ? 4
                                       : Size <= 8 ? 2
                                                   : 1;

/// Multiplies lines that lie anywhere; neighbouring threads have neighbouring ones.
template <class V, int Size>
__global__ void __launch_bounds__(threads)
    neighbouring_lines_kernel(const __grid_constant__ short_call<V, Size> c) {
  constexpr int own = lines_of_thread<Size>;
  const index_t first = static_cast<index_t>(blockIdx.x) * threads * own + threadIdx.x;
  V line[own][Size];
  index_t at[own][line_array_count];
#pragma unroll
  for (int j = 0; j < own; ++j) {
    const index_t number = first + j * threads;
    if (number >= c.batch.size) break;
    c.batch.offsets(number, at[j]);
    const V* const in = c.in + at[j][line_in] + c.lines[line_in].origin;
#pragma unroll
    for (int k = 0; k < Size; ++k) {
      line[j][k] = k < c.points ? in[k * c.lines[line_in].step] : V(0);
    }
  }
#pragma unroll
  for (int j = 0; j < own; ++j) {
    if (first + j * threads >= c.batch.size) break;
    multiply(c, line[j]);
    V* const out = c.out + at[j][line_out] + c.lines[line_out].origin;
#pragma unroll
    for (int k = 0; k < Size; ++k) {
      if (k >= c.rows) break;
      V& to = out[k * c.lines[line_out].step];
      to = c.accumulate ? to + line[j][k] : line[j][k];
    }
  }
}

template <class V, int Size>
cudaError_t launch(const short_lines& s, const void* in, void* out, double scale, bool accumulate,
                   cudaStream_t stream) {
  short_call<V, Size> c{{},
                        static_cast<const V*>(in),
                        static_cast<V*>(out),
                        s.points,
                        s.rows,
                        s.by_points,
                        s.by_rows,
                        {s.lines[line_in], s.lines[line_out]},
                        s.batch,
                        accumulate};
  for (int i = 0; i < s.rows; ++i) {
    for (int k = 0; k < s.points; ++k)
      c.matrix[i][k] = static_cast<V>(scale * s.matrix[static_cast<std::size_t>(i * s.points + k)]);
  }
  constexpr int own = lines_of_thread<Size>;
  const index_t of_block = s.follow_each_other ? threads : threads * own;
  const auto blocks = static_cast<unsigned>((s.batch.size + of_block - 1) / of_block);
  if (s.follow_each_other) {
    lines_in_a_row_kernel<V, Size><<<blocks, threads, 0, stream>>>(c);
  } else {
    neighbouring_lines_kernel<V, Size><<<blocks, threads, 0, stream>>>(c);
  }
  return cudaGetLastError();
}

}  // namespace

template <class V>
cudaError_t launch_short_lines(const short_lines& s, const void* in, void* out, double scale,
                               bool accumulate, cudaStream_t stream) {
  cudaError_t result = cudaErrorInvalidValue;
  const auto launch_if = [&](auto size) {
    if (s.size() != size) return;
    result = launch<V, decltype(size)::value>(s, in, out, scale, accumulate, stream);
  };
  [&]<int... Below>(std::integer_sequence<int, Below...>) {
    (launch_if(std::integral_constant<int, Below + 1>{}), ...);
  }
  (std::make_integer_sequence<int, longest_short_line>{});
  return result;
}
template cudaError_t launch_short_lines<float>(const short_lines&, const void*, void*, double, bool,
                                               cudaStream_t);
template cudaError_t launch_short_lines<double>(const short_lines&, const void*, void*, double,
                                                bool, cudaStream_t);

}  // namespace tridia::compact
