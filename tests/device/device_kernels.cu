// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause

// The file is compiled once for each value type, TRIDIA_VALUE, named TRIDIA_VALUE_TYPE.
#include "device/device_case.hpp"
#include "tridia/device/block_solver.cuh"
#include "tridia/device/recurrence_solver.cuh"
#include "tridia/device/solve_lines.cuh"
#include "tridia/device/thread_solver.cuh"

#include <cuda_runtime.h>

#include <memory>
#include <type_traits>

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
          int Sides, td::neighbours Order = td::neighbours::chunks>
device_solver of_block() {
  using solver = td::block_solver<V, RowsAThread, ThreadsALine, Lines, B, P, Sides, Order>;
  constexpr const char* orders[] = {"by chunk", "by row", "by line", "by chunk, then by row"};
  const std::string name = std::to_string(ThreadsALine) + " threads a line, " +
                           std::to_string(Lines) + " lines, " + std::to_string(Groups) + ", " +
                           orders[static_cast<int>(Order)];
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

/// A point of a grid belongs to the line and the row of these in the arrays.
template <int Axis>
struct grid_rows {
  td::line_grid<3, Axis> g;
  static constexpr int outer = Axis == 0 ? 1 : 0, inner = Axis == 2 ? 1 : 2;
  explicit grid_rows(const arrays& a) : g{} {
    g.size[Axis] = a.n;
    g.size[outer] = a.lines % 3 == 0 ? 3 : 1;
    g.size[inner] = a.lines / g.size[outer];
  }
  __device__ int line(const td::point<3>& p) const { return p[outer] * g.size[inner] + p[inner]; }
};
template <int Axis, int Sides>
struct make_grid_rows {
  arrays a;
  grid_rows<Axis> of;
  __device__ td::row<V, Sides> operator()(const td::point<3>& p) const {
    td::row<V, Sides> r = make_rows<Sides>{a, of.line(p)}(p[Axis]);
    td::field<const V, 3> diag{a.d, {}};
    diag.stride[Axis] = 1, diag.stride[of.inner] = a.n;
    diag.stride[of.outer] = std::int64_t{a.n} * of.g.size[of.inner];
    r.diag = diag(p.moved(Axis, -1).moved(Axis, 1));
    if (p.index != p.at[0] * std::int64_t{of.g.size[1]} * of.g.size[2] +
                       p.at[1] * std::int64_t{of.g.size[2]} + p.at[2]) {
      r.diag = V(0);
    }
    return r;
  }
};
template <int Axis, int Sides>
struct take_grid_x {
  arrays a;
  grid_rows<Axis> of;
  template <class X>
  __device__ void operator()(const td::point<3>& p, const X& x) const {
    take_x<Sides>{a, of.line(p)}(p[Axis], x);
  }
};

/// Lines along an axis of a grid, of any length.
template <int Axis, boundary B, pivoting P, int Sides>
device_solver of_grid() {
  return {"grid, axis " + std::to_string(Axis),
          tridia::value_type::TRIDIA_VALUE_TYPE,
          B,
          P,
          device_solver::any_rows,
          Sides,
          [](device_lines& t) {
            return run(t, [](const arrays& a) {
              const grid_rows<Axis> of(a);
              return td::solve_lines<V, B, P, Sides>(of.g, make_grid_rows<Axis, Sides>{a, of},
                                                     take_grid_x<Axis, Sides>{a, of}, nullptr,
                                                     a.status);
            });
          }};
}

/// Shifts the rows of each line around its end.
__global__ void shift_rows(int n, int lines, int by, const V* from, V* to) {
  const int at = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (at < n * lines) to[at / n * n + (at % n + by + n) % n] = from[at];
}

/// Makes rows from inputs, of which two lie at the points beside the row's, and one is an integer
/// that depends on no axis.
template <int Axis, boundary B, int Sides>
struct make_input_rows {
  arrays a;
  grid_rows<Axis> of;
  template <class Field, class Zero, class... Rhs>
  __device__ td::row<V, Sides> operator()(const td::point<3>& p, const Zero& zero,
                                          const Field& sub_after, const Field& diag,
                                          const Field& sup_before, const Rhs&... rhs) const {
    const int n = a.n, k = p[Axis];
    atomicAdd(a.asked + of.line(p) * n + k, 1);
    td::row<V, Sides> r{V(0), diag(p) + V(zero(p)), V(0), {rhs(p)...}};
    if (B == boundary::periodic || k > 0) r.sub = sub_after(p.moved(Axis, (k + n - 1) % n - k));
    if (B == boundary::periodic || k < n - 1) r.sup = sup_before(p.moved(Axis, (k + 1) % n - k));
    return r;
  }
};
/// Takes x, and overwrites what its row is made from, or, of lines that no device reduces in parts,
/// what others of the line are.
template <int Axis, int Sides>
struct take_and_overwrite {
  take_grid_x<Axis, Sides> take;
  V *sub_after, *sup_before;
  template <class X>
  __device__ void operator()(const td::point<3>& p, const X& x) const {
    take(p, x);
    const arrays& a = take.a;
    const int at = take.of.line(p) * a.n + p[Axis];
    const V other(77);
    const_cast<V*>(a.d)[at] = other;
    for (int j = 0; j < Sides; ++j) const_cast<V*>(a.rhs)[j * a.n * a.lines + at] = other;
    constexpr int in_blocks = 68;
    if (a.n <= in_blocks) sub_after[at] = sup_before[at] = other;
  }
};

/// Lines along an axis of a grid, of any length, from inputs.
template <int Axis, boundary B, pivoting P, int Sides>
device_solver of_inputs() {
  return {"inputs, axis " + std::to_string(Axis),
          tridia::value_type::TRIDIA_VALUE_TYPE,
          B,
          P,
          device_solver::any_rows,
          Sides,
          [](device_lines& t) {
            const auto rows = static_cast<std::size_t>(t.n) * static_cast<std::size_t>(t.lines);
            const on_device<V> sub(rows), sup(rows);
            const on_device<int> zero(1);
            for (const cudaError_t e :
                 {sub.error, sup.error, zero.error, cudaMemset(zero.data, 0, sizeof(int))}) {
              if (e != cudaSuccess) return std::string(cudaGetErrorString(e));
            }
            return run(t, [&](const arrays& a) {
              constexpr int threads = 64;
              const int blocks = (a.n * a.lines + threads - 1) / threads;
              shift_rows<<<blocks, threads>>>(a.n, a.lines, -1, a.dl, sub.data);
              shift_rows<<<blocks, threads>>>(a.n, a.lines, 1, a.du, sup.data);
              if (const cudaError_t e = cudaGetLastError(); e != cudaSuccess) return e;
              const grid_rows<Axis> of(a);
              const auto field = [&](const V* data) {
                td::field<const V, 3> f{data, {}};
                f.stride[Axis] = 1, f.stride[of.inner] = a.n;
                f.stride[of.outer] = std::int64_t{a.n} * of.g.size[of.inner];
                return f;
              };
              const auto solve = [&](auto... rhs) {
                return td::solve_lines<V, B, P, Sides>(
                    of.g,
                    td::inputs(td::field<const int, 3>{zero.data, {}}, field(sub.data), field(a.d),
                               field(sup.data), rhs...),
                    make_input_rows<Axis, B, Sides>{a, of},
                    take_and_overwrite<Axis, Sides>{{a, of}, sub.data, sup.data}, nullptr,
                    a.status);
              };
              const auto side = [&](int j) { return field(a.rhs + j * a.n * a.lines); };
              if constexpr (Sides == 1) return solve(side(0));
              if constexpr (Sides == 2) return solve(side(0), side(1));
              if constexpr (Sides == 3) return solve(side(0), side(1), side(2));
            });
          }};
}

/// Factors the matrix of each line.
__global__ void factor_lines(const __grid_constant__ arrays a, td::factor<V>* factors) {
  const int line = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (line >= a.lines) return;
  td::factor<V> f{V(0), V(0), V(0)};
  for (int at = line * a.n; at < (line + 1) * a.n; ++at) {
    td::row<V> r{a.dl[at], a.d[at], a.du[at], {V(0)}};
    if (at == line * a.n) r.sub = V(0);
    if (at == (line + 1) * a.n - 1) r.sup = V(0);
    factors[at] = f = td::next_factor(f, r);
  }
}

template <class Solver, int Lines>
__global__ void by_recurrences(const __grid_constant__ arrays a, const td::factor<V>* factors) {
  __shared__ typename Solver::storage storage;
  const int line = static_cast<int>(blockIdx.x) * Lines + Solver::line();
  const bool used = line < a.lines;
  const auto factor_of = [&](int k) {
    return used ? factors[line * a.n + k] : td::factor<V>{V(0), V(1), V(0)};
  };
  const make_rows<1> rows{a, line};
  const take_x<1> take{a, line};
  say(a, line,
      Solver(storage).solve(
          a.n, factor_of, [&](int k) { return rows(k).rhs[0]; }, take));
}

template <int RowsAThread, int ThreadsALine, int Lines, td::neighbours Order>
device_solver of_recurrence() {
  using solver = td::recurrence_solver<V, RowsAThread, ThreadsALine, Lines, Order>;
  return {"recurrences, " + std::to_string(ThreadsALine) + " threads a line",
          tridia::value_type::TRIDIA_VALUE_TYPE,
          boundary::regular,
          pivoting::none,
          solver::max_rows,
          1,
          [](device_lines& t) {
            const on_device<td::factor<V>> factors(static_cast<std::size_t>(t.n * t.lines));
            return run(t, [&](const arrays& a) {
              constexpr int threads = 64;
              factor_lines<<<(a.lines + threads - 1) / threads, threads>>>(a, factors.data);
              by_recurrences<solver, Lines>
                  <<<(a.lines + Lines - 1) / Lines, solver::threads>>>(a, factors.data);
              return factors.error != cudaSuccess ? factors.error : cudaGetLastError();
            });
          }};
}

/// Complex numbers, which take nvcc three times as long, have a shape of each kind.
constexpr bool is_complex = !std::is_floating_point_v<V>;

template <boundary B, pivoting P>
void add(std::vector<device_solver>& all) {
  all.push_back(of_thread<4, B, P, 3>());
  all.push_back(of_block<5, 4, 8, 3, B, P, 1, td::neighbours::rows>());
  all.push_back(of_block<3, 16, 12, 1, B, P, 2, td::neighbours::lines>());
  if constexpr (!is_complex) {
    all.push_back(of_thread<9, B, P, 1>());
    all.push_back(of_block<6, 1, 32, 1, B, P, 1>());
    all.push_back(of_block<4, 32, 1, 2, B, P, 2>());
    all.push_back(of_block<7, 64, 2, 1, B, P, 1, td::neighbours::rows>());
    all.push_back(of_block<3, 224, 1, 1, B, P, 1>());
    all.push_back(of_block<4, 96, 2, 1, B, P, 3, td::neighbours::rows>());
    all.push_back(of_block<5, 8, 4, 2, B, P, 1, td::neighbours::lines>());
    all.push_back(of_block<4, 64, 3, 1, B, P, 1, td::neighbours::lines>());
    all.push_back(of_block<5, 8, 4, 2, B, P, 1, td::neighbours::chunks_then_rows>());
  } else {
    all.push_back(of_block<3, 64, 1, 1, B, P, 1, td::neighbours::chunks_then_rows>());
  }
}

}  // namespace

template <>
std::vector<device_solver> device_solvers<tridia::value_type::TRIDIA_VALUE_TYPE>() {
  std::vector<device_solver> all;
  // Of every two types one has the other pairs of boundary and pivoting: their code is the same.
  constexpr bool even = sizeof(V) % 16 == 0 || sizeof(V) == 4;
  add<even ? boundary::regular : boundary::periodic, pivoting::none>(all);
  add<even ? boundary::periodic : boundary::regular, pivoting::partial>(all);
  all.push_back(of_recurrence<9, 32, 1, td::neighbours::chunks>());
  all.push_back(of_recurrence<4, 96, 1, td::neighbours::rows>());
  all.push_back(of_recurrence<5, 8, 8, td::neighbours::rows>());
  all.push_back(of_recurrence<6, 16, 6, td::neighbours::lines>());
  all.push_back(of_recurrence<4, 64, 4, td::neighbours::lines>());
  return all;
}

template <>
std::vector<device_solver> grid_solvers<tridia::value_type::TRIDIA_VALUE_TYPE>() {
  std::vector<device_solver> all{of_grid<0, boundary::regular, pivoting::none, 1>()};
  if constexpr (is_complex) {
    all.push_back(of_grid<2, boundary::periodic, pivoting::none, 1>());
    all.push_back(of_inputs<1, boundary::periodic, pivoting::none, 1>());
    all.push_back(of_inputs<2, boundary::regular, pivoting::partial, 1>());
  } else {
    all.push_back(of_grid<1, boundary::regular, pivoting::partial, 2>());
    all.push_back(of_grid<2, boundary::periodic, pivoting::partial, 1>());
    all.push_back(of_grid<2, boundary::regular, pivoting::none, 3>());
    all.push_back(of_inputs<0, boundary::regular, pivoting::none, 3>());
    all.push_back(of_inputs<1, boundary::periodic, pivoting::partial, 1>());
    all.push_back(of_inputs<2, boundary::periodic, pivoting::none, 1>());
    all.push_back(of_inputs<2, boundary::regular, pivoting::partial, 2>());
  }
  return all;
}

}  // namespace tridia_test
