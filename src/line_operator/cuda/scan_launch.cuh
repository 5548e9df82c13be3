// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "line_operator/cuda/scan_kernel.cuh"

#include <algorithm>

// Launches of the kernel of scan_kernel.cuh.
namespace tridia::line_operator {
namespace {

template <class T>
T rounded(const wide& v) {
  if constexpr (std::is_same_v<T, R>) {
    return static_cast<R>(v.re.v);
  } else {
    return {static_cast<R>(v.re.v), static_cast<R>(v.im.v)};
  }
}

kernel_stencil<R> rounded(const kernel_stencil<double>& from) {
  kernel_stencil<R> b{};
  b.first = from.first, b.heads = from.heads, b.tails = from.tails, b.given = from.given;
  std::copy(std::begin(from.weights), std::end(from.weights), b.weights);
  for (int i = 0; i < 2 * most_closure; ++i) {
    b.rows[i].first = from.rows[i].first, b.rows[i].count = from.rows[i].count;
    std::copy(std::begin(from.rows[i].weights), std::end(from.rows[i].weights), b.rows[i].weights);
  }
  return b;
}

scan_arrays<V> arrays_of(const planned_scan& p, const scan_call& c) {
  const bool anywhere = p.shape.in_tile.in_piece > 0;
  scan_arrays<V> a{
      .in = static_cast<const V*>(c.in), .out = static_cast<V*>(c.out), .accumulate = c.accumulate};
  a.input = copy_mode_of(p, layout::rhs, c.in, a.maps);
  if (anywhere && a.input != line_copy_mode::elements) {
    const index_t origin = p.shape.interleaved ? p.task.lines.lines[layout::rhs].origin : 0;
    a.begin = behind_piece(p.task, a.in + origin);
    a.end = end_of_lines(p.task);
  }
  a.output = a.input == line_copy_mode::elements
                 ? line_copy_mode::elements
                 : copy_mode_of(p, layout::x, c.out, &a.maps[a.most_maps - 1]);
  // The TMA adds boxes alone.
  if (c.accumulate && (a.output != line_copy_mode::boxes || !adds_in_memory<V>)) {
    a.output = line_copy_mode::elements;
  }
  // Lines are stored from where those of the input lie.
  const auto offset = [&](layout::array i) { return p.task.lines.lines[i].origin; };
  if (anywhere && a.output == line_copy_mode::lines &&
      behind_piece(p.task, a.in + offset(layout::rhs)) !=
          behind_piece(p.task, a.out + offset(layout::x))) {
    a.output = line_copy_mode::elements;
  }
  return a;
}

template <class Ends>
int threads_of(const scan_shape& s) {
  return s.threads + warp_size * other_warps<Ends>;
}

/// Launches a variant of the kernel (scan_kernel.cuh).
template <class Kernel, class Ends>
cudaError_t launch_scan(Kernel kernel, const Ends& ends, const planned_scan& p, const scan_call& c,
                        cudaStream_t stream) {
  const scan_tables& t = p.tables.values != nullptr ? p.tables : c.tables;
  const bool clears = c.tile_counter != nullptr && !c.tile_counter_cleared;
  const call k{static_cast<const V*>(t.values),
               static_cast<const V*>(t.minus_products),
               t.number,
               t.sound,
               p.cyclic,
               rounded<V>(p.closing_down),
               rounded<V>(p.closing_back),
               static_cast<const R*>(p.scale),
               static_cast<R>(c.scale),
               {c.status, p.statuses, p.shares_status},
               static_cast<const V*>(c.prescribed),
               c.tells_solution,
               c.tile_counter,
               c.after_sums && !clears};
  if (clears) {
    const cudaError_t cleared = cudaMemsetAsync(c.tile_counter, 0, sizeof(unsigned), stream);
    if (cleared != cudaSuccess) return cleared;
  }
  // The kernel begins early after a substitution, which most often has nothing to do, while its
  // tables are made, or beside another scan, or sums, if no memset, nor its tile counter, is
  // between them.
  const bool early = t.sound != nullptr || ((c.beside_last || c.after_sums) && !clears);
  return launch_dependent(kernel, early, dim3(static_cast<unsigned>(p.blocks)),
                          threads_of<Ends>(p.shape), p.shape.shared_bytes, stream, p.task.lines,
                          arrays_of(p, c), p.shape, k, rounded(p.task.b), ends);
}

/// Lets blocks of a variant of the kernel have `bytes` of shared memory, and finds how many of a
/// shape a multiprocessor holds.
template <class Ends, class Kernel>
cudaError_t prepare_scan(Kernel kernel, const planned_scan& p, std::size_t bytes, int* resident) {
  const cudaError_t result = allow_shared(kernel, bytes);
  if (result != cudaSuccess) return result;
  return cudaOccupancyMaxActiveBlocksPerMultiprocessor(resident, kernel, threads_of<Ends>(p.shape),
                                                       p.shape.shared_bytes);
}

}  // namespace
}  // namespace tridia::line_operator
