// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#include "line_operator/cuda/split_scan.hpp"

#include "core/dispatch.hpp"
#include "gpu/dependent_launch.cuh"
#include "gpu/for_each.cuh"
#include "line_operator/share_summing.hpp"

#include <algorithm>
#include <cstdlib>

namespace tridia::line_operator {

using namespace gpu;

namespace {

/// This many calls share a line whose points lie side by side; more of them share any line where
/// sums are few, which would take as long as their loads, one after another.
constexpr int team = 4, large_team = 16;
constexpr index_t few_sums = 16384;

/// Computes one group of sums a call, line after line: few long lines keep a device busy as well.
template <class V, int Team>
struct group_summing {
  share_summing<V, 1, Team> all;

  __device__ __forceinline__ void operator()(index_t i, index_t) const {
    let_next_begin();  // it waits for the sums itself
    const index_t calls = all.lines.size * Team, group = i / calls;
    all.sum_some(i - group * calls, group, group + 1);
  }
};

template <class V, int Team>
cudaError_t sum_by(const border_sums& s, const void* in, void* to, cudaStream_t stream) {
  const group_summing<V, Team> f{{static_cast<const V*>(in), s.lines, s.along, s.points, s.groups,
                                  1, static_cast<const V*>(s.weights), static_cast<V*>(to),
                                  s.places}};
  return for_each(s.count * s.lines.size * Team, f, stream);
}

/// Enters the status of a line that was solved in parts, and fills x with NaN where it has no
/// solution: some parts may not know that another one has none.
template <class V>
struct line_merging {
  status_merge statuses;
  layout::along along;
  index_t rows;
  V* x;

  __device__ __forceinline__ void operator()(index_t line, index_t) const {
    wait_for_launch_before();
    enter(line, statuses.status_of(line), 0, 1);
  }
  TRIDIA_FN void enter(index_t line, index_t status, index_t member, index_t team) const {
    if (statuses.to != nullptr && member == 0) statuses.enter(line, status);
    if (status == 0) return;
    index_t at[layout::array_count];
    statuses.lines.offsets(line, at);
    layout::fill_line_with_nan(x + at[layout::x] + along.origin, along.step, rows, member, team);
  }
};

/// Does the same for lines of many parts, with a block for each.
template <class V>
__global__ void __launch_bounds__(block_threads)
    merge_parts_kernel(const __grid_constant__ line_merging<V> f) {
  using word = unsigned long long;
  __shared__ word first;
  wait_for_launch_before();
  for (index_t line = blockIdx.x; line < f.statuses.lines.size; line += gridDim.x) {
    if (threadIdx.x == 0) first = static_cast<word>(status_merge::none);
    __syncthreads();
    const index_t mine = f.statuses.first_row(line, threadIdx.x, blockDim.x);
    if (mine != status_merge::none) atomicMin(&first, static_cast<word>(mine));
    __syncthreads();
    f.enter(line, f.statuses.status_at(static_cast<index_t>(first)), threadIdx.x, blockDim.x);
    __syncthreads();
  }
}

}  // namespace

cudaError_t sum_borders(value_type type, const border_sums& s, const void* in, void* to,
                        cudaStream_t stream) {
  return core::with_type(type, [&](auto tag) {
    using V = typename decltype(tag)::type;
    if (s.count * s.lines.size < few_sums) return sum_by<V, large_team>(s, in, to, stream);
    return std::abs(s.along.step) == 1 ? sum_by<V, team>(s, in, to, stream)
                                       : sum_by<V, 1>(s, in, to, stream);
  });
}

cudaError_t merge_statuses(value_type type, const status_merge& s, const layout::along& of_x,
                           index_t rows, void* x, cudaStream_t stream) {
  return core::with_type(type, [&](auto tag) {
    using V = typename decltype(tag)::type;
    const line_merging<V> f{s, of_x, rows, static_cast<V*>(x)};
    // Few blocks are there before the parts are solved; more would be in the way.
    constexpr index_t few_parts = 8, most_blocks = 8192, few_blocks = 256;
    const bool is_thread = s.parts <= few_parts;  // for a line, or else a block
    const index_t members = is_thread ? block_threads : 1;
    const index_t all = (s.lines.size + members - 1) / members;
    const dim3 blocks(static_cast<unsigned>(std::min(all, most_blocks)));
    const bool early = all <= few_blocks;
    return is_thread ? launch_dependent(for_each_kernel<line_merging<V>>, early, blocks,
                                        block_threads, 0, stream, s.lines.size, f)
                     : launch_dependent(merge_parts_kernel<V>, early, blocks, block_threads, 0,
                                        stream, f);
  });
}

}  // namespace tridia::line_operator
