// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#include "support/moved_arrays.hpp"

#include "gpu/launch.cuh"
#include "solver/cuda/partition/onchip_memory.cuh"
#include "solver/cuda/partition/tile.cuh"

#include <algorithm>

namespace tridia_test {
namespace {

using tridia::index_t;
namespace cuda = tridia::cuda;
namespace layout = tridia::layout;

struct five_to_four {
  using geometry = layout::geometry_of<5, 4>;
  struct operands {
    const double* in[5];
    double* out[4];
  };
  static TRIDIA_FN double* output(const operands& o, int j) { return o.out[j]; }
  static TRIDIA_FN constexpr int place(int j) { return j; }
};

__global__ void add_fifth(const __grid_constant__ five_to_four::geometry g,
                          const __grid_constant__ five_to_four::operands o,
                          const __grid_constant__ cuda::onchip_shape s) {
  extern __shared__ __align__(128) unsigned char memory[];
  cuda::onchip_memory<double, 5> m(memory, s, 0);
  cuda::tile<double, five_to_four> t(g, o, nullptr, s, m.arrays, m.places, m.mbarrier,
                                     tridia::gpu::this_place<false>());
  m.mbarrier.start();
  t.load_async();
  t.wait_loaded();
  for (int system = 0; system < t.systems(); ++system) {
    for (int k = static_cast<int>(threadIdx.x); k < t.rows(); k += s.threads) {
      for (int j = 0; j < 4; ++j) t.array(j, system)[k] += t.array(4, system)[k];
    }
  }
  t.fence_proxy_async();
  __syncthreads();
  t.store(false, [](int) { return false; });
  t.wait_stored();
}

/// Returns lines that follow each other in every array.
template <class Geometry>
Geometry dense(index_t systems, index_t rows) {
  Geometry g{};
  g.rows = rows;
  for (auto& line : g.lines) line = {0, 1};
  g.corners = layout::edge::inside;  // nothing of the matrix is mended on the way
  g.edges_readable = true;
  g.matrices = {1, systems, {}};
  g.matrices.at[0].extent = systems;
  std::fill_n(g.matrices.at[0].stride, Geometry::arrays - 1, rows);
  g.right_sides = {0, 1, {}};
  return g;
}

/// Returns the shape of a solve, with room for one more array.
cuda::onchip_shape shape_for(index_t systems, index_t rows) {
  tridia::solver::task t{.type = tridia::value_type::f64};
  t.pivoting = tridia::pivoting::none;
  t.boundary = tridia::boundary::periodic;
  t.geometry = dense<layout::geometry>(systems, rows);
  auto shape = cuda::plan_onchip(t, {}, {48 << 10, false});
  if (!shape) return {};
  shape->shared_bytes += static_cast<std::size_t>(shape->array_pitch) * sizeof(double) +
                         static_cast<std::size_t>(shape->systems) * sizeof(index_t) *
                             (five_to_four::geometry::arrays - layout::array_count);
  return *shape;
}

}  // namespace

std::string move_five_arrays(index_t systems, index_t rows, const std::vector<double> (&in)[5],
                             std::vector<double> (&out)[4]) {
  const auto g = dense<five_to_four::geometry>(systems, rows);
  const cuda::onchip_shape s = shape_for(systems, rows);
  if (s.threads == 0 || s.blocks != 1) return "there is no shape for these lines";
  const std::size_t bytes = in[0].size() * sizeof(double);
  double* memory[9] = {};
  cudaError_t error = cudaSuccess;
  const auto check = [&](cudaError_t e) {
    if (error == cudaSuccess) error = e;
  };
  for (auto*& m : memory) check(cudaMalloc(&m, bytes));
  five_to_four::operands o{};
  for (int a = 0; a < 5 && error == cudaSuccess; ++a) {
    o.in[a] = memory[a];
    check(cudaMemcpy(memory[a], in[a].data(), bytes, cudaMemcpyHostToDevice));
  }
  for (int j = 0; j < 4 && error == cudaSuccess; ++j) {
    o.out[j] = memory[5 + j];
    check(cudaMemset(memory[5 + j], 0xff, bytes));
  }
  if (error == cudaSuccess) {
    check(tridia::gpu::allow_shared(add_fifth, s.shared_bytes));
    add_fifth<<<static_cast<unsigned>((systems + s.systems - 1) / s.systems),
                static_cast<unsigned>(s.threads), s.shared_bytes>>>(g, o, s);
    check(cudaGetLastError());
  }
  for (int j = 0; j < 4 && error == cudaSuccess; ++j) {
    out[j].resize(in[0].size());
    check(cudaMemcpy(out[j].data(), memory[5 + j], bytes, cudaMemcpyDeviceToHost));
  }
  for (auto* m : memory) cudaFree(m);
  return error == cudaSuccess ? "" : cudaGetErrorString(error);
}

}  // namespace tridia_test
