// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause

// These kernels solve lines by recurrences known beforehand. The file is compiled once for each
// value type, TRIDIA_VALUE.
#include "line_operator/cuda/scan_launch.cuh"

namespace tridia::line_operator {
namespace {

template <tile_kind Kind, int Rows, bool Gathers>
auto kernel_of_stencil(int width) {
  return width == most_weights ? &scan_kernel<Kind, most_weights, Rows, Gathers, given_ends>
                               : &scan_kernel<Kind, some_weights, Rows, Gathers, given_ends>;
}
template <tile_kind Kind, int Rows>
auto kernel_of(const scan_task& t) {
  if constexpr (is_real<V> && Rows != short_chunk) {
    if (t.gathers) return kernel_of_stencil<Kind, Rows, true>(t.width);
    if (t.width > 1) return kernel_of_stencil<Kind, Rows, false>(t.width);
  }
  return &scan_kernel<Kind, 1, Rows, false, given_ends>;
}
template <int Rows>
auto kernel_of(const planned_scan& p) {
  const tile_kind kind = p.shape.kind();
  if constexpr (Rows != short_chunk && most_phases(sizeof(V)) > 1) {
    if (kind == tile_kind::phased) return kernel_of<tile_kind::phased, Rows>(p.task);
  }
  return kind == tile_kind::along ? kernel_of<tile_kind::along, Rows>(p.task)
                                  : kernel_of<tile_kind::across, Rows>(p.task);
}
auto kernel_of(const planned_scan& p) {
  constexpr int most = scan_chunk(sizeof(V)), few = scan_chunk(sizeof(V), few_rows),
                least = scan_chunk(sizeof(V), 1);
  if (p.shape.chunk_rows == least) return kernel_of<least>(p);
  return p.shape.chunk_rows == few ? kernel_of<few>(p) : kernel_of<most>(p);
}

}  // namespace

template <class>
scan_launches scan_kernels() {
  return {[](const planned_scan& p, std::size_t bytes, int* resident) {
            return prepare_scan<given_ends>(kernel_of(p), p, bytes, resident);
          },
          [](const planned_scan& p, const scan_call& c, cudaStream_t stream) {
            return launch_scan(kernel_of(p), given_ends{}, p, c, stream);
          }};
}
template scan_launches scan_kernels<V>();

}  // namespace tridia::line_operator
