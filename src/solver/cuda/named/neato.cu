// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause

// These kernels run NEATO. The file is compiled once for each value type, TRIDIA_VALUE.
#include "solver/cuda/named/neato.hpp"

#include "solver/cuda/block_line.cuh"
#include "solver/cuda/named/cyclic_reduction.hpp"
#include "solver/system_memory.hpp"

namespace tridia::cuda {

using namespace gpu;

namespace {

using V = TRIDIA_VALUE;
using reduction = core::near_toeplitz_reduction<V>;

reduction reduction_of(const neato_shape& s) {
  return {s.levels, static_cast<const core::reduction_factors<V>*>(s.factors)};
}

/// Holds right-hand sides, which x overwrites.
struct shared_values {
  V* base;
  __device__ __forceinline__ V get(int k) const { return base[k]; }
  __device__ __forceinline__ void put(int k, V v) const { base[k] = v; }
  __device__ __forceinline__ V solution(int k) const { return base[k]; }
  __device__ __forceinline__ void solve(int k, V x) const { base[k] = x; }
};

/// Returns the status of a failed line. Called by all threads of a block, each with the first row
/// that it found not finite, or n. `place` is shared memory that is no longer used.
__device__ __noinline__ index_t failed_line_status(int* place, int first_nonfinite, int n) {
  if (threadIdx.x == 0) *place = n;
  __syncthreads();
  if (first_nonfinite < n) atomicMin(place, first_nonfinite);
  __syncthreads();
  return *place < n ? -(*place + 1) : -1;
}

__global__ void __launch_bounds__(most_line_threads)
    shared_kernel(const __grid_constant__ geometry g, const __grid_constant__ typed_operands<V> o,
                  const __grid_constant__ reduction op) {
  extern __shared__ __align__(cache_line) unsigned char memory[];
  const shared_values values{reinterpret_cast<V*>(memory)};
  const auto n = static_cast<int>(g.rows);
  const index_t from_step = g.lines[layout::rhs].step, to_step = g.lines[layout::x].step;
  for_each_line_of_block(g, [&](const line_place& line) {
    const V* const from = o.in[layout::rhs] + line.at[layout::rhs];
    V* const to = o.x + line.at[layout::x];
    // Right-hand sides are checked as they are read, since x may overwrite them.
    int first_nonfinite = n;
    bool finite = true;
    const auto rhs = [&](int k) {
      const V v = from[k * from_step];
      if (!core::is_finite(v) && k < first_nonfinite) first_nonfinite = k;
      return v;
    };
    const auto put = [&](int k, V x) {
      finite = finite && core::is_finite(x);
      to[k * to_step] = x;
    };
    core::solve_near_toeplitz(n, op, rhs, values, put, block_team{});
    index_t status = 0;
    if (__syncthreads_or(!finite || first_nonfinite < n)) {
      status = failed_line_status(reinterpret_cast<int*>(memory), first_nonfinite, n);
      layout::fill_line_with_nan(to, to_step, n, threadIdx.x, blockDim.x);
    }
    if (o.status != nullptr && threadIdx.x == 0) enter_line_status(g, line, o.status, status);
  });
}

/// This is the number of threads of a block in the passes over global memory.
constexpr int pass_threads = 256;

/// Describes a stage among rows of a level in global memory: row k of it is (k + 1) 2^level - 1 of
/// a line.
struct reduction_stage {
  int level;
  index_t rows;   // of a line in this level
  index_t count;  // of a line's rows that the stage makes
  index_t lines;
  bool interleaved;

  /// Calls f(line, k) for each of these rows; neighbouring threads take neighbours in memory.
  template <class F>
  __device__ __forceinline__ void for_each(const geometry& g, F f) const {
    for (index_t i = thread_index(); i < lines * count; i += thread_count()) {
      const index_t whole = interleaved ? i / lines : i / count;
      const index_t rest = i - whole * (interleaved ? lines : count);
      f(line_place(g, interleaved ? rest : whole), interleaved ? whole : rest);
    }
  }
  __device__ __forceinline__ index_t row_of_line(index_t k) const { return ((k + 1) << level) - 1; }
};

/// Reads the rows of a level before the stage: from the input, or from where x will be. Input rows
/// that are not finite are entered in the status.
template <bool Input>
struct stage_values {
  const reduction_stage& s;
  const V* from;
  index_t step;
  index_t* status;  // or null

  __device__ __forceinline__ stage_values(const reduction_stage& of, const geometry& g,
                                          const typed_operands<V>& o, const line_place& line)
      : s(of) {
    constexpr layout::array a = Input ? layout::rhs : layout::x;
    from = (Input ? o.in[layout::rhs] : o.x) + line.at[a];
    step = g.lines[a].step;
    status = Input && o.status ? o.status + line.at[layout::status] : nullptr;
  }
  __device__ __forceinline__ V operator()(index_t k) const {
    const index_t row = s.row_of_line(k);
    const V v = from[row * step];
    if (Input && status && !core::is_finite(v)) layout::merge_status(status, 0, -(row + 1));
    return v;
  }
};

/// Reduces the rows of `s.level` to those of the next level.
template <bool Input>
__global__ void __launch_bounds__(pass_threads)
    down_kernel(const __grid_constant__ geometry g, const __grid_constant__ typed_operands<V> o,
                const __grid_constant__ reduction op, const __grid_constant__ reduction_stage s) {
  s.for_each(g, [&](const line_place& line, index_t k) {
    const stage_values<Input> values(s, g, o, line);
    const V made = core::reduce_row(op, s.level, s.rows, k, values);
    o.x[line.at[layout::x] + s.row_of_line(2 * k + 1) * g.lines[layout::x].step] = made;
  });
}

/// Returns the row of x that shows whether a line has failed: it is there before level 0, in the
/// back substitution.
__device__ __forceinline__ index_t telling_row(const geometry& g) { return g.rows > 1 ? 1 : 0; }

/// Finds x of every second row of `s.level`, in the back substitution; x of the other rows is
/// known. A value that is not finite has reached level 0 by then; if no input row is the cause, it
/// is an overflow.
template <bool Input>
__global__ void __launch_bounds__(pass_threads)
    back_kernel(const __grid_constant__ geometry g, const __grid_constant__ typed_operands<V> o,
                const __grid_constant__ reduction op, const __grid_constant__ reduction_stage s) {
  s.for_each(g, [&](const line_place& line, index_t k) {
    const stage_values<Input> values(s, g, o, line);
    const stage_values<false> solved(s, g, o, line);
    const V x = core::expand_row(op, s.level, s.rows, k, values(2 * k), solved);
    o.x[line.at[layout::x] + s.row_of_line(2 * k) * g.lines[layout::x].step] = x;
    if (Input && !core::is_finite(x)) {
      o.x[line.at[layout::x] + telling_row(g) * g.lines[layout::x].step] = core::not_a_number<V>();
      if (values.status)
        atomicCAS(reinterpret_cast<unsigned long long*>(values.status), 0ULL,
                  static_cast<unsigned long long>(-1));
    }
  });
}

/// Fills x of failed lines with NaN, a thread each: in a launch of its own, since the rows of a
/// line are stored by many blocks.
__global__ void __launch_bounds__(pass_threads)
    fill_kernel(const __grid_constant__ geometry g, V* x) {
  const index_t lines = g.matrices.size * g.right_sides.size;
  for (index_t i = thread_index(); i < lines; i += thread_count()) {
    const line_place line(g, i);
    const V& told = x[line.at[layout::x] + telling_row(g) * g.lines[layout::x].step];
    if (!core::is_finite(told)) solver::fill_with_nan(g, x, line.matrix, line.side);
  }
}

template <class Kernel>
cudaError_t launch_stage(Kernel kernel, const geometry& g, const typed_operands<V>& o,
                         const reduction& op, const reduction_stage& s, cudaStream_t stream) {
  const unsigned blocks = blocks_for_lines((s.lines * s.count + pass_threads - 1) / pass_threads);
  kernel<<<blocks, pass_threads, 0, stream>>>(g, o, op, s);
  return cudaGetLastError();
}

cudaError_t solve_global(const geometry& g, const typed_operands<V>& o, const neato_shape& s,
                         cudaStream_t stream) {
  const reduction op = reduction_of(s);
  const index_t lines = g.matrices.size * g.right_sides.size;
  cudaError_t result = cudaSuccess;
  if (g.rows == 0 || lines == 0) return result;
  for (int level = 0; level < s.stages && result == cudaSuccess; ++level) {
    const index_t rows = g.rows >> level;
    result = launch_stage(level == 0 ? down_kernel<true> : down_kernel<false>, g, o, op,
                          {level, rows, rows / 2, lines, s.interleaved}, stream);
  }
  for (int level = s.stages; level >= 0 && result == cudaSuccess; --level) {
    const index_t rows = g.rows >> level;
    result = launch_stage(level == 0 ? back_kernel<true> : back_kernel<false>, g, o, op,
                          {level, rows, (rows + 1) / 2, lines, s.interleaved}, stream);
  }
  if (result != cudaSuccess) return result;
  fill_kernel<<<blocks_for_lines((lines + pass_threads - 1) / pass_threads), pass_threads, 0,
                stream>>>(g, o.x);
  return cudaGetLastError();
}

cudaError_t solve(const geometry& g, const operands& operands, const neato_shape& s,
                  cudaStream_t stream) {
  const typed_operands<V> o = solver::typed<V>(operands);
  if (!s.shared) return solve_global(g, o, s, stream);
  return launch_clusters(shared_kernel, blocks_for_lines(g.matrices.size * g.right_sides.size), 1,
                         s.threads, s.shared_bytes, stream, g, o, reduction_of(s));
}

}  // namespace

template <class>
neato_launches neato_kernels() {
  return {[](std::size_t bytes) { return allow_shared(shared_kernel, bytes); }, &solve};
}
template neato_launches neato_kernels<V>();

}  // namespace tridia::cuda
