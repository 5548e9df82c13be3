// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause

// Takes implicit steps of u_t = (K u_z)_z along the first axis of u[z][y][x], with a diffusivity K
// of its own for every face between two points, as ocean and atmosphere models mix their columns.
// The kernel reads u and K and writes u: three words a point, where writing a matrix first would
// take ten.
//
// No flux leaves the column, so the sum of u stays what it is; and where K is constant, a cosine
// along z decays by a factor that is known.
//
//   nvcc -std=c++20 -arch=native -I PREFIX/include implicit_diffusion.cu -o implicit_diffusion
//   ./implicit_diffusion [POINTS] [COLUMNS]
#include "tridia/device/block_solver.cuh"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>

namespace {

namespace td = tridia::device;

/// For columns of up to 512 points: a thread has 16 of them, and a block has 16 columns beside each
/// other.
using shape = td::suggested<512>;
constexpr int columns_a_block = shape::lines_a_block;
using solver =
    td::block_solver<double, shape::rows_a_thread, shape::threads_a_line, columns_a_block,
                     tridia::boundary::regular, tridia::pivoting::none, 1, td::neighbours::lines>;

/// Takes one step. `faces` has `points` + 1 rows: K dt / dz^2 between points k - 1 and k in row k,
/// and zeros in its first row and its last.
__global__ void __launch_bounds__(solver::threads)
    diffuse(double* u, const double* __restrict__ faces, int points, int columns) {
  extern __shared__ __align__(16) unsigned char memory[];
  solver s(*reinterpret_cast<typename solver::storage*>(memory));
  const int column = static_cast<int>(blockIdx.x) * columns_a_block + solver::line();
  const bool used = column < columns;
  double* const own = u + column;
  const double* const of_faces = faces + column;
  s.solve(
      points,
      [&](int k) -> td::row<double> {
        if (!used) return {0, 1, 0, 0};
        const auto at = static_cast<std::size_t>(k) * static_cast<std::size_t>(columns);
        const double before = of_faces[at],
                     after = of_faces[at + static_cast<std::size_t>(columns)];
        return {-before, 1 + before + after, -after, own[at]};
      },
      [&](int k, double x) {
        if (used) own[static_cast<std::size_t>(k) * static_cast<std::size_t>(columns)] = x;
      });
}

/// Moves the same three words a point: what no such step can be faster than.
__global__ void copy(double* to, const double* a, const double* b, std::size_t count) {
  const std::size_t all = std::size_t{gridDim.x} * blockDim.x;
  for (std::size_t k = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x; k < count; k += all) {
    to[k] = a[k] + b[k];
  }
}

/// Ends the program where a call of CUDA has failed.
void check(cudaError_t result) {
  if (result == cudaSuccess) return;
  std::fprintf(stderr, "%s\n", cudaGetErrorString(result));
  std::exit(1);
}

/// Returns the least time of some calls, in milliseconds.
template <class F>
float time_of(F call) {
  cudaEvent_t begin, end;
  check(cudaEventCreate(&begin));
  check(cudaEventCreate(&end));
  float least = 0;
  for (int k = 0; k < 8; ++k) {
    check(cudaEventRecord(begin));
    call();
    check(cudaGetLastError());
    check(cudaEventRecord(end));
    check(cudaEventSynchronize(end));
    float ms = 0;
    check(cudaEventElapsedTime(&ms, begin, end));
    if (k == 0 || ms < least) least = ms;
  }
  cudaEventDestroy(begin);
  cudaEventDestroy(end);
  return least;
}

/// Holds a field in memory of the device.
class field {
 public:
  explicit field(const std::vector<double>& from) : count_(from.size()) {
    check(cudaMalloc(&data_, bytes()));
    check(cudaMemcpy(data_, from.data(), bytes(), cudaMemcpyDefault));
  }
  ~field() { cudaFree(data_); }
  field(const field&) = delete;
  field& operator=(const field&) = delete;
  [[nodiscard]] double* data() const { return data_; }
  [[nodiscard]] std::vector<double> read() const {
    std::vector<double> values(count_);
    check(cudaMemcpy(values.data(), data_, bytes(), cudaMemcpyDefault));
    return values;
  }

 private:
  [[nodiscard]] std::size_t bytes() const { return count_ * sizeof(double); }
  double* data_ = nullptr;
  std::size_t count_;
};

}  // namespace

int main(int count, char** arguments) {
  int devices = 0;
  if (cudaGetDeviceCount(&devices) != cudaSuccess || devices == 0) {
    std::printf("skipped: there is no GPU\n");
    return 77;
  }
  const int points = count > 1 ? std::atoi(arguments[1]) : solver::max_rows;
  const int columns = count > 2 ? std::atoi(arguments[2]) : 1 << 16;
  if (points < 2 || points > solver::max_rows || columns < 2) {
    std::fprintf(stderr, "usage: implicit_diffusion [POINTS, 2 to %d] [COLUMNS, from 2 on]\n",
                 solver::max_rows);
    return 2;
  }
  const auto nz = static_cast<std::size_t>(points), across = static_cast<std::size_t>(columns);
  const double pi = std::acos(-1.0), wave = pi / points, constant = 3.0;
  // The first half of the columns has a constant K.
  std::vector<double> u(nz * across), faces((nz + 1) * across);
  for (std::size_t k = 0; k <= nz; ++k) {
    for (std::size_t c = 0; c < across; ++c) {
      const double varied =
          0.1 + 10 * std::pow(std::sin(0.37 * static_cast<double>(k * c % 1009)), 2);
      const bool inside = k > 0 && k < nz;
      faces[k * across + c] = inside ? (2 * c < across ? constant : varied) : 0;
      if (k < nz) u[k * across + c] = std::cos(wave * (static_cast<double>(k) + 0.5)) + 2;
    }
  }
  const field of_u(u), of_faces(faces);
  check(cudaFuncSetAttribute(diffuse, cudaFuncAttributeMaxDynamicSharedMemorySize,
                             static_cast<int>(solver::shared_bytes)));
  const int blocks = (columns + columns_a_block - 1) / columns_a_block;
  int steps = 0;
  const auto step = [&] {
    diffuse<<<blocks, solver::threads, solver::shared_bytes>>>(of_u.data(), of_faces.data(), points,
                                                               columns);
    ++steps;
  };
  const float ms = time_of(step);
  const std::vector<double> found = of_u.read();

  const double decay = 1 / (1 + 4 * constant * std::pow(std::sin(wave / 2), 2));
  double error = 0, lost = 0;
  for (std::size_t c = 0; c < across; ++c) {
    double before = 0, after = 0;
    for (std::size_t k = 0; k < nz; ++k) {
      before += u[k * across + c], after += found[k * across + c];
      const double expected = (u[k * across + c] - 2) * std::pow(decay, steps) + 2;
      if (2 * c < across) error = std::max(error, std::abs(found[k * across + c] - expected));
    }
    lost = std::max(lost, std::abs(after - before) / before);
  }
  const field other(u);
  const float floor = time_of(
      [&] { copy<<<4096, 256>>>(other.data(), of_u.data(), of_faces.data(), nz * across); });
  std::printf("%d points, %d columns: a step %.3f ms, %.2f times the copy of its three words\n",
              points, columns, static_cast<double>(ms), static_cast<double>(ms / floor));
  std::printf("error of the cosine after %d steps: %.1e; of the sum of a column: %.1e\n", steps,
              error, lost);
  return error < 1e-11 && lost < 1e-12 ? 0 : 1;
}
