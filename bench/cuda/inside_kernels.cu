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

/// Makes rows of a step, from what lies between a point and the ones before and after it.
template <int Axis>
struct step_rows {
  int n;
  template <class U, class K>
  __device__ td::row<double> operator()(const td::point<2>& p, const U& u, const K& k) const {
    const double before = p[Axis] > 0 ? k(p) : 0;
    const double after = p[Axis] + 1 < n ? k(p.moved(Axis, 1)) : 0;
    return {-before, 1 + before + after, -after, {u(p)}};
  }
};

template <int Axis>
cudaError_t step(const td::line_grid<2, Axis>& g, const double* u, const double* k, double* x,
                 cudaStream_t stream) {
  const auto of_x = td::packed(x);
  return td::solve_lines<double>(
      g, td::inputs(td::packed(u), td::packed(k)), step_rows<Axis>{g.rows()},
      [=] __device__(const td::point<2>& p, double v) { of_x(p) = v; }, stream);
}

/// Takes the same step by rows that threads make from memory.
template <int Axis>
cudaError_t step_from_memory(const td::line_grid<2, Axis>& g, const double* u, const double* k,
                             double* x, cudaStream_t stream) {
  const auto of_u = td::packed(u), of_k = td::packed(k);
  const auto of_x = td::packed(x);
  const step_rows<Axis> rows{g.rows()};
  return td::solve_lines<double>(
      g, [=] __device__(const td::point<2>& p) { return rows(p, of_u, of_k); },
      [=] __device__(const td::point<2>& p, double v) { of_x(p) = v; }, stream);
}

/// Has K as an input where a line lies in one piece; across, all threads of a row read the same.
template <int Axis>
cudaError_t profile_step(const td::line_grid<2, Axis>& g, const double* u, const double* k,
                         double* x, cudaStream_t stream) {
  td::field<const double, 2> profile{k, {}};
  profile.stride[Axis] = 1;
  const auto of_x = td::packed(x);
  const step_rows<Axis> rows{g.rows()};
  const auto store = [=] __device__(const td::point<2>& p, double v) { of_x(p) = v; };
  if constexpr (Axis == 1) {
    return td::solve_lines<double>(g, td::inputs(td::packed(u), profile), rows, store, stream);
  } else {
    const auto of_row = [=] __device__(const td::point<2>& p) { return k[p[Axis]]; };
    return td::solve_lines<double>(
        g, td::inputs(td::packed(u)),
        [=] __device__(const td::point<2>& p, const auto& of_u) { return rows(p, of_u, of_row); },
        store, stream);
  }
}

template <int Axis>
cudaError_t tracer_step(const td::line_grid<2, Axis>& g, const double* u, const double* k,
                        double* x, cudaStream_t stream) {
  constexpr auto boundary = tridia::boundary::regular;
  const std::size_t field =
      static_cast<std::size_t>(g.lines()) * static_cast<std::size_t>(g.rows());
  static_assert(tracers == 4);
  const auto tracer = [&](std::size_t j) { return td::packed(u + j * field); };
  const auto of_x = td::packed(x);
  return td::solve_lines<double, boundary, tridia::pivoting::none, tracers>(
      g, td::inputs(td::packed(k), tracer(0), tracer(1), tracer(2), tracer(3)),
      [n = g.rows()] __device__(const td::point<2>& p, const auto& of_k, const auto&... of_u) {
        const double before = p[Axis] > 0 ? of_k(p) : 0;
        const double after = p[Axis] + 1 < n ? of_k(p.moved(Axis, 1)) : 0;
        return td::row<double, tracers>{-before, 1 + before + after, -after, {of_u(p)...}};
      },
      [=] __device__(const td::point<2>& p, const double(&v)[tracers]) {
        for (int j = 0; j < tracers; ++j) (&of_x(p))[j * field] = v[j];
      },
      stream);
}

template <int Axis>
cudaError_t loaded(const td::line_grid<2, Axis>& g, const double* dl, const double* d,
                   const double* du, const double* rhs, double* x, cudaStream_t stream) {
  const auto of_x = td::packed(x);
  return td::solve_lines<double>(
      g, td::inputs(td::packed(dl), td::packed(d), td::packed(du), td::packed(rhs)),
      [] __device__(const td::point<2>& p, const auto& of_dl, const auto& of_d, const auto& of_du,
                    const auto& of_rhs) {
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

cudaError_t launch_step_from_memory(const diffusion_lines& l, const double* u, const double* k,
                                    double* x, cudaStream_t stream) {
  return l.layout == layout::contiguous ? step_from_memory(contiguous(l), u, k, x, stream)
                                        : step_from_memory(interleaved(l), u, k, x, stream);
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
