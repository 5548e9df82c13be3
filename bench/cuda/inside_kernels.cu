// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#include "inside_kernels.hpp"

#include "raise_worst.cuh"
#include "tridia/device/solve_lines.cuh"

namespace tridia_bench {
namespace {

namespace td = tridia::device;

constexpr int kThreads = 256, kBlocks = 132 * 16;

template <class F>
__global__ void for_each(std::size_t count, F f) {
  const std::size_t step = std::size_t{gridDim.x} * blockDim.x;
  for (std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x; i < count; i += step) {
    f(i);
  }
}
template <class F>
cudaError_t launch_for_each(std::size_t count, cudaStream_t stream, F f) {
  for_each<<<kBlocks, kThreads, 0, stream>>>(count, f);
  return cudaGetLastError();
}

td::line_grid<2, 1> contiguous(const diffusion_lines& l) { return {{l.batch, l.n}}; }
td::line_grid<2, 0> interleaved(const diffusion_lines& l) { return {{l.n, l.batch}}; }

/// Returns a row of a step from what lies between its point and the ones before and after it.
__device__ __forceinline__ td::row<double> row_between(double before, double after, double u) {
  return {-before, 1 + before + after, -after, {u}};
}

template <int Axis>
cudaError_t step(const td::line_grid<2, Axis>& g, const double* u, const double* k, double* x,
                 cudaStream_t stream) {
  const auto of_u = td::packed(u), of_k = td::packed(k);
  const auto of_x = td::packed(x);
  return td::solve_lines<double>(
      g,
      [=, n = g.rows()] __device__(const td::point<2>& p) {
        const double before = p[Axis] > 0 ? of_k(p) : 0;
        const double after = p[Axis] + 1 < n ? of_k(p.moved(Axis, 1)) : 0;
        return row_between(before, after, of_u(p));
      },
      [=] __device__(const td::point<2>& p, double v) { of_x(p) = v; }, stream);
}

template <int Axis>
cudaError_t profile_step(const td::line_grid<2, Axis>& g, const double* u, const double* k,
                         double* x, cudaStream_t stream) {
  const auto of_u = td::packed(u);
  const auto of_x = td::packed(x);
  return td::solve_lines<double>(
      g,
      [=, n = g.rows()] __device__(const td::point<2>& p) {
        const int row = p[Axis];
        return row_between(row > 0 ? k[row] : 0, row + 1 < n ? k[row + 1] : 0, of_u(p));
      },
      [=] __device__(const td::point<2>& p, double v) { of_x(p) = v; }, stream);
}

template <int Axis>
cudaError_t tracer_step(const td::line_grid<2, Axis>& g, const double* u, const double* k,
                        double* x, cudaStream_t stream) {
  constexpr auto boundary = tridia::boundary::regular;
  const std::size_t field =
      static_cast<std::size_t>(g.lines()) * static_cast<std::size_t>(g.rows());
  const auto of_u = td::packed(u), of_k = td::packed(k);
  const auto of_x = td::packed(x);
  return td::solve_lines<double, boundary, tridia::pivoting::none, tracers>(
      g,
      [=, n = g.rows()] __device__(const td::point<2>& p) {
        const double before = p[Axis] > 0 ? of_k(p) : 0;
        const double after = p[Axis] + 1 < n ? of_k(p.moved(Axis, 1)) : 0;
        td::row<double, tracers> r{-before, 1 + before + after, -after, {}};
        for (int j = 0; j < tracers; ++j) r.rhs[j] = (&of_u(p))[j * field];
        return r;
      },
      [=] __device__(const td::point<2>& p, const double(&v)[tracers]) {
        for (int j = 0; j < tracers; ++j) (&of_x(p))[j * field] = v[j];
      },
      stream);
}

template <int Axis>
cudaError_t loaded(const td::line_grid<2, Axis>& g, const double* dl, const double* d,
                   const double* du, const double* rhs, double* x, cudaStream_t stream) {
  const auto of_dl = td::packed(dl), of_d = td::packed(d), of_du = td::packed(du),
             of_rhs = td::packed(rhs);
  const auto of_x = td::packed(x);
  return td::solve_lines<double>(
      g,
      [=] __device__(const td::point<2>& p) {
        return td::row<double>{of_dl(p), of_d(p), of_du(p), {of_rhs(p)}};
      },
      [=] __device__(const td::point<2>& p, double v) { of_x(p) = v; }, stream);
}

}  // namespace

cudaError_t launch_diffusivities(std::size_t count, std::uint64_t seed, double* k,
                                 cudaStream_t stream) {
  return launch_for_each(count, stream, [=] __device__(std::size_t i) {
    std::uint64_t z = (i + seed) * 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    k[i] = static_cast<double>(z >> 11) * 0x1p-52;
  });
}

cudaError_t launch_write_rows(const diffusion_lines& l, const double* u, const double* k,
                              double* dl, double* d, double* du, double* rhs, cudaStream_t stream) {
  const std::size_t n = l.n, batch = l.batch, step = l.layout == layout::contiguous ? 1 : batch;
  return launch_for_each(n * batch, stream, [=] __device__(std::size_t i) {
    const std::size_t row = step == 1 ? i % n : i / batch;
    const double before = row > 0 ? k[i] : 0, after = row + 1 < n ? k[i + step] : 0;
    dl[i] = -before, d[i] = 1 + before + after, du[i] = -after, rhs[i] = u[i];
  });
}

cudaError_t launch_step(const diffusion_lines& l, const double* u, const double* k, double* x,
                        cudaStream_t stream) {
  return l.layout == layout::contiguous ? step(contiguous(l), u, k, x, stream)
                                        : step(interleaved(l), u, k, x, stream);
}

cudaError_t launch_profile_step(const diffusion_lines& l, const double* u, const double* k,
                                double* x, cudaStream_t stream) {
  return l.layout == layout::contiguous ? profile_step(contiguous(l), u, k, x, stream)
                                        : profile_step(interleaved(l), u, k, x, stream);
}

cudaError_t launch_tracer_step(const diffusion_lines& l, const double* u, const double* k,
                               double* x, cudaStream_t stream) {
  return l.layout == layout::contiguous ? tracer_step(contiguous(l), u, k, x, stream)
                                        : tracer_step(interleaved(l), u, k, x, stream);
}

cudaError_t launch_loaded(const diffusion_lines& l, const double* dl, const double* d,
                          const double* du, const double* rhs, double* x, cudaStream_t stream) {
  return l.layout == layout::contiguous ? loaded(contiguous(l), dl, d, du, rhs, x, stream)
                                        : loaded(interleaved(l), dl, d, du, rhs, x, stream);
}

cudaError_t launch_compare(std::size_t count, const double* a, const double* b, double* worst,
                           cudaStream_t stream) {
  return launch_for_each(count, stream,
                         [=] __device__(std::size_t i) { raise_worst(worst, fabs(a[i] - b[i])); });
}

}  // namespace tridia_bench
