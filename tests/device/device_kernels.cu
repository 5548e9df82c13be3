// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause

// The file is compiled once for each value type, TRIDIA_VALUE, named TRIDIA_VALUE_TYPE.
#include "device/device_case.hpp"
#include "tridia/device/block_solver.cuh"
#include "tridia/device/thread_solver.cuh"

#include <cuda_runtime.h>

#include <memory>

namespace tridia_test {
namespace {

namespace td = tridia::device;
using tridia::boundary;
using tridia::pivoting;
using V = TRIDIA_VALUE;

/// The arrays of device_lines, on the device.
struct arrays {
  int n, lines;
  const V *dl, *d, *du, *rhs;
  V* x;
  int *status, *asked, *taken;
};

/// Makes rows of a line of the arrays, or rows of no line, which is solved beside the others.
template <int Sides>
struct make_rows {
  const arrays& a;
  int line;
  __device__ td::row<V, Sides> operator()(int k) const {
    td::row<V, Sides> r{V(0), V(1), V(0)};
    for (V& v : r.rhs) v = V(0);
    if (line >= a.lines) return r;
    const int at = line * a.n + k;
    atomicAdd(a.asked + at, 1);
    r.sub = a.dl[at], r.diag = a.d[at], r.sup = a.du[at];
    for (int j = 0; j < Sides; ++j) r.rhs[j] = a.rhs[j * a.lines * a.n + at];
    return r;
  }
};
template <int Sides>
struct take_x {
  const arrays& a;
  int line;
  __device__ void put(int k, int side, V x) const {
    a.x[side * a.lines * a.n + line * a.n + k] = x;
  }
  __device__ void count(int k) const { atomicAdd(a.taken + line * a.n + k, 1); }
  __device__ void operator()(int k, V x) const {
    if (line >= a.lines) return;
    count(k), put(k, 0, x);
  }
  __device__ void operator()(int k, const V (&x)[Sides]) const {
    if (line >= a.lines) return;
    count(k);
    for (int j = 0; j < Sides; ++j) put(k, j, x[j]);
  }
};

/// Records what each thread of a line says: the first one sets the status, others must agree.
__device__ void say(const arrays& a, int line, int status) {
  constexpr int nothing = 99, disagree = -99;
  if (line >= a.lines) return;
  const int before = atomicCAS(a.status + line, nothing, status);
  if (before != nothing && before != status) a.status[line] = disagree;
}

template <class Solver, int Sides>
__global__ void in_threads(const __grid_constant__ arrays a) {
  const int line = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (line >= a.lines) return;
  say(a, line, Solver::solve(a.n, make_rows<Sides>{a, line}, take_x<Sides>{a, line}));
}

/// Blocks of several warps, each with a solver, if that needs no more than a warp; else one solver.
template <class Solver, int Sides, int LinesABlock>
__global__ void in_blocks(const __grid_constant__ arrays a) {
  extern __shared__ __align__(16) unsigned char memory[];
  const int number = static_cast<int>(threadIdx.x) / Solver::threads;
  auto& storage = reinterpret_cast<typename Solver::storage*>(memory)[number];
  const int group =
      static_cast<int>(blockIdx.x) * static_cast<int>(blockDim.x) / Solver::threads + number;
  const int line = group * LinesABlock + Solver::line();
  // The memory serves two solves, one after another.
  Solver solver(storage);
  say(a, line,
      solver.solve(a.n, make_rows<Sides>{a, a.lines}, take_x<Sides>{a, a.lines}) == td::too_long
          ? td::too_long
          : solver.solve(a.n, make_rows<Sides>{a, line}, take_x<Sides>{a, line}));
}

template <class T>
struct on_device {
  T* data = nullptr;
  cudaError_t error;
  explicit on_device(std::size_t count) : error(cudaMalloc(&data, count * sizeof(T) + 1)) {}
  ~on_device() { cudaFree(data); }
  on_device(const on_device&) = delete;
  on_device& operator=(const on_device&) = delete;
};

template <class Launch>
std::string run(device_lines& t, Launch launch) {
  const auto rows = static_cast<std::size_t>(t.n) * static_cast<std::size_t>(t.lines);
  const auto lines = static_cast<std::size_t>(t.lines), sides = static_cast<std::size_t>(t.sides);
  on_device<V> dl(rows), d(rows), du(rows), rhs(rows * sides), x(rows * sides);
  on_device<int> status(lines), asked(rows), taken(rows);
  t.status.assign(lines, 99), t.asked.assign(rows, 0), t.taken.assign(rows, 0);
  cudaError_t result = cudaSuccess;
  const auto then = [&](cudaError_t e) {
    if (result == cudaSuccess) result = e;
  };
  const auto copy = [&](void* to, const void* from, std::size_t bytes) {
    then(cudaMemcpy(to, from, bytes, cudaMemcpyDefault));
  };
  copy(dl.data, t.dl, rows * sizeof(V)), copy(d.data, t.d, rows * sizeof(V));
  copy(du.data, t.du, rows * sizeof(V)), copy(rhs.data, t.rhs, sides * rows * sizeof(V));
  copy(x.data, t.x, sides * rows * sizeof(V));
  copy(status.data, t.status.data(), lines * sizeof(int));
  copy(asked.data, t.asked.data(), rows * sizeof(int));
  copy(taken.data, t.taken.data(), rows * sizeof(int));
  const arrays a{t.n,      t.lines, dl.data,     d.data,     du.data,
                 rhs.data, x.data,  status.data, asked.data, taken.data};
  if (result == cudaSuccess) then(launch(a));
  then(cudaDeviceSynchronize());
  copy(t.x, x.data, sides * rows * sizeof(V));
  copy(t.status.data(), status.data, lines * sizeof(int));
  copy(t.asked.data(), asked.data, rows * sizeof(int));
  copy(t.taken.data(), taken.data, rows * sizeof(int));
  return result == cudaSuccess ? "" : cudaGetErrorString(result);
}

template <int MaxRows, boundary B, pivoting P, int Sides>
device_solver of_thread() {
  using solver = td::thread_solver<V, MaxRows, B, P, Sides>;
  return {
      "thread", tridia::value_type::TRIDIA_VALUE_TYPE, B, P, MaxRows, Sides, [](device_lines& t) {
        return run(t, [](const arrays& a) {
          constexpr int threads = 64;
          in_threads<solver, Sides><<<(a.lines + threads - 1) / threads, threads>>>(a);
          return cudaGetLastError();
        });
      }};
}

/// `Groups` solvers share a block.
template <int RowsAThread, int ThreadsALine, int Lines, int Groups, boundary B, pivoting P,
          int Sides, td::neighbours Order = td::neighbours::rows>
device_solver of_block() {
  using solver = td::block_solver<V, RowsAThread, ThreadsALine, Lines, B, P, Sides, Order>;
  const std::string name = std::to_string(ThreadsALine) + " threads a line, " +
                           std::to_string(Lines) + " lines, " + std::to_string(Groups);
  return {name,
          tridia::value_type::TRIDIA_VALUE_TYPE,
          B,
          P,
          solver::max_rows,
          Sides,
          [](device_lines& t) {
            return run(t, [](const arrays& a) {
              const auto kernel = in_blocks<solver, Sides, Lines>;
              constexpr std::size_t bytes = Groups * solver::shared_bytes;
              const cudaError_t allowed = cudaFuncSetAttribute(
                  kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(bytes));
              if (allowed != cudaSuccess) return allowed;
              constexpr int of_block = Lines * Groups;
              kernel<<<(a.lines + of_block - 1) / of_block, solver::threads * Groups, bytes>>>(a);
              return cudaGetLastError();
            });
          }};
}

template <boundary B, pivoting P>
void add(std::vector<device_solver>& all) {
  all.push_back(of_thread<9, B, P, 1>());
  all.push_back(of_thread<4, B, P, 3>());
  all.push_back(of_block<6, 1, 32, 1, B, P, 1>());
  all.push_back(of_block<5, 4, 8, 3, B, P, 1>());
  all.push_back(of_block<4, 32, 1, 2, B, P, 2>());
  all.push_back(of_block<7, 64, 2, 1, B, P, 1>());
  all.push_back(of_block<3, 224, 1, 1, B, P, 1>());
  all.push_back(of_block<5, 8, 4, 2, B, P, 1, td::neighbours::lines>());
  all.push_back(of_block<3, 16, 12, 1, B, P, 2, td::neighbours::lines>());
  all.push_back(of_block<4, 64, 3, 1, B, P, 1, td::neighbours::lines>());
}

}  // namespace

template <>
std::vector<device_solver> device_solvers<tridia::value_type::TRIDIA_VALUE_TYPE>() {
  std::vector<device_solver> all;
  add<boundary::regular, pivoting::none>(all), add<boundary::periodic, pivoting::none>(all);
  add<boundary::regular, pivoting::partial>(all), add<boundary::periodic, pivoting::partial>(all);
  return all;
}

}  // namespace tridia_test
