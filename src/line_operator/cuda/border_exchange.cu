// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause

// These kernels apply operators to a rank's rows of lines, and compute right-hand sides at their
// borders together with other ranks. The file is compiled once for each real type, TRIDIA_VALUE.
#include "line_operator/cuda/scan_launch.cuh"

namespace tridia::line_operator {
namespace {

template <tile_kind Kind, int Rows>
auto kernel_of(const scan_task& t) {
  return t.width == most_weights ? &scan_kernel<Kind, most_weights, Rows, false, border_exchange>
                                 : &scan_kernel<Kind, some_weights, Rows, false, border_exchange>;
}
template <int Rows>
auto kernel_of(const planned_scan& p) {
  switch (p.shape.kind()) {
    case tile_kind::along:
      return kernel_of<tile_kind::along, Rows>(p.task);
    case tile_kind::phased:
      return kernel_of<tile_kind::phased, Rows>(p.task);
    case tile_kind::across:
      break;
  }
  return kernel_of<tile_kind::across, Rows>(p.task);
}
auto kernel_of(const planned_scan& p) {
  constexpr int most = scan_chunk(sizeof(V)), few = scan_chunk(sizeof(V), few_rows, true);
  return p.shape.chunk_rows == few ? kernel_of<few>(p) : kernel_of<most>(p);
}

}  // namespace

template <class>
scan_launches exchanging_scan_kernels() {
  return {[](const planned_scan& p, std::size_t bytes, int* resident) {
            return prepare_scan<border_exchange>(kernel_of(p), p, bytes, resident);
          },
          [](const planned_scan& p, const scan_call& c, cudaStream_t stream) {
            return launch_scan(kernel_of(p), *c.exchange, p, c, stream);
          }};
}
template scan_launches exchanging_scan_kernels<V>();

}  // namespace tridia::line_operator
