// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#include "core/dispatch.hpp"
#include "core/value.hpp"
#include "gpu/for_each.cuh"
#include "solver/cuda/factored/saved_matrices.hpp"
#include "solver/system_memory.hpp"

namespace tridia::cuda {

using namespace gpu;

namespace {

/// Copies a row of a matrix. Neighbouring calls copy what are neighbours in the copy.
template <class V>
struct matrix_copying {
  geometry from, to;
  solver::typed_operands<V> o;
  V* copies;
  index_t pitch;
  index_t beside;  // matrices that are neighbours in the copy

  TRIDIA_FN void operator()(index_t i, index_t) const {
    const index_t n = from.rows, outer = i / (n * beside), rest = i - outer * n * beside;
    const index_t k = rest / beside, matrix = outer * beside + rest - k * beside;
    index_t at[layout::array_count], place[layout::array_count];
    from.matrices.offsets(matrix, at);
    to.matrices.offsets(matrix, place);
    const bool ends = from.corners == layout::edge::absent;
    const auto copy = [&](layout::array a, index_t row, bool outside) {
      const layout::along& line = from.lines[a];
      V v(0);
      if (!outside) v = o.in[a][at[a] + line.origin + row * line.step];
      if (from.conjugate) v = core::conjugate(v);
      copies[a * pitch + place[a] + k * to.lines[a].step] = v;
    };
    copy(layout::sub, k == 0 ? from.sub_corner(n) : k, k == 0 && ends);
    copy(layout::diag, k, false);
    copy(layout::sup, k == n - 1 ? from.sup_corner(n) : k, k == n - 1 && ends);
  }
};

}  // namespace

cudaError_t launch_copy_matrices(value_type type, const geometry& from, const operands& o,
                                 const geometry& to, void* copies, index_t pitch,
                                 cudaStream_t stream) {
  const bool interleaved = to.lines[layout::diag].step != 1;
  const index_t beside = interleaved ? to.lines[layout::diag].step : 1;
  return core::with_type(type, [&](auto tag) {
    using V = typename decltype(tag)::type;
    return for_each(
        from.rows * from.matrices.size,
        matrix_copying<V>{from, to, solver::typed<V>(o), static_cast<V*>(copies), pitch, beside},
        stream);
  });
}

}  // namespace tridia::cuda
