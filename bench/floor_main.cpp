// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
//
// tridia_floor prints what a solver is compared with, as one line of JSON.
//
//   tridia_floor [--threads T] [--device cpu|cuda]
//     The copy floor: the best rate at which T threads (or the GPU) read four arrays and write one.
//   tridia_floor [--threads T] --shape N0,N1,.. --axis K --dl F --d F --du F --rhs F
//     The time of LAPACK on the systems of these files, shared out among the threads: dgtsv, one
//     call a system; or, where the diagonals are one-dimensional (one matrix for all systems),
//     dgttrf once and dgttrs. The files are NPY of float64 in C order. LAPACK needs each system
//     contiguous and overwrites its inputs: both are arranged before each repetition, outside the
//     time that is measured.
#include "copy_rate.hpp"
#ifdef TRIDIA_BENCH_CUDA
#include "floor_cuda.hpp"
#endif

#include <omp.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <exception>
#include <fstream>
#include <map>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

extern "C" {
void dgtsv_(const int* n, const int* nrhs, double* dl, double* d, double* du, double* b,
            const int* ldb, int* info);
void dgttrf_(const int* n, double* dl, double* d, double* du, double* du2, int* pivots, int* info);
void dgttrs_(const char* trans, const int* n, const int* nrhs, const double* dl, const double* d,
             const double* du, const double* du2, const int* pivots, double* b, const int* ldb,
             int* info, std::size_t trans_length);
}

namespace {

using doubles = std::vector<double>;

std::size_t number(std::string_view text) {
  std::size_t value = 0;
  const auto [end, ec] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (ec != std::errc{} || end != text.data() + text.size())
    throw std::runtime_error("not a number: " + std::string(text));
  return value;
}

doubles read_npy(const std::string& name) {
  std::ifstream file(name, std::ios::binary);
  unsigned char head[12] = {};
  file.read(reinterpret_cast<char*>(head), 10);
  if (!file || std::memcmp(head, "\x93NUMPY\x01", 7) != 0)
    throw std::runtime_error(name + " is not a NPY file of version 1");
  std::string header(head[8] + 256u * head[9], ' ');
  file.read(header.data(), static_cast<std::streamsize>(header.size()));
  if (header.find("'<f8'") == header.npos || header.find("'fortran_order': False") == header.npos)
    throw std::runtime_error(name + " must hold float64 in C order");
  const auto start = file.tellg();
  file.seekg(0, std::ios::end);
  doubles values(static_cast<std::size_t>(file.tellg() - start) / sizeof(double));
  file.seekg(start);
  file.read(reinterpret_cast<char*>(values.data()),
            static_cast<std::streamsize>(values.size() * sizeof(double)));
  if (!file) throw std::runtime_error(name + " could not be read");
  return values;
}

/// Returns the lines of `field` along the middle axis of outer x n x inner, one after another.
doubles lines(const doubles& field, std::size_t outer, std::size_t n, std::size_t inner) {
  if (field.size() != outer * n * inner)
    throw std::runtime_error("a file has " + std::to_string(field.size()) + " values, not " +
                             std::to_string(outer * n * inner));
  doubles out(outer * n * inner);
  for (std::size_t o = 0; o < outer; ++o)
    for (std::size_t j = 0; j < inner; ++j)
      for (std::size_t i = 0; i < n; ++i)
        out[(o * inner + j) * n + i] = field[(o * n + i) * inner + j];
  return out;
}

/// Holds dl, d, du and the right-hand sides b, as LAPACK takes and overwrites them.
struct systems {
  doubles dl, d, du, b;
};

/// Solves every system by a separate call. Returns how many were singular.
int solve_each(systems& s, int n, std::size_t batch, int threads) {
  int singular = 0;
#pragma omp parallel for num_threads(threads) reduction(+ : singular)
  for (std::size_t k = 0; k < batch; ++k) {
    const std::size_t at = k * static_cast<std::size_t>(n);
    const int one = 1;
    int info = 0;
    // LAPACK's dl starts with the second row's entry.
    dgtsv_(&n, &one, s.dl.data() + at + 1, s.d.data() + at, s.du.data() + at, s.b.data() + at, &n,
           &info);
    singular += info != 0;
  }
  return singular;
}

/// Solves with one matrix: it is factored once, then each thread solves for its share of the
/// right-hand sides.
int solve_shared(systems& s, int n, std::size_t batch, int threads) {
  doubles du2(static_cast<std::size_t>(n));
  std::vector<int> pivots(static_cast<std::size_t>(n));
  int info = 0;
  dgttrf_(&n, s.dl.data() + 1, s.d.data(), s.du.data(), du2.data(), pivots.data(), &info);
#pragma omp parallel num_threads(threads)
  {
    const std::size_t t = static_cast<std::size_t>(omp_get_thread_num());
    const std::size_t count = static_cast<std::size_t>(omp_get_num_threads());
    const std::size_t first = batch * t / count;
    const int share = static_cast<int>(batch * (t + 1) / count - first);
    int ignored = 0;
    dgttrs_("N", &n, &share, s.dl.data() + 1, s.d.data(), s.du.data(), du2.data(), pivots.data(),
            s.b.data() + first * static_cast<std::size_t>(n), &n, &ignored, 1);
  }
  return info;
}

double lapack_seconds(int threads, std::map<std::string, std::string>& files,
                      const std::vector<std::size_t>& shape, std::size_t axis) {
  if (axis >= shape.size()) throw std::runtime_error("--axis is out of range");
  std::size_t outer = 1, inner = 1;
  for (std::size_t a = 0; a < axis; ++a) outer *= shape[a];
  for (std::size_t a = axis + 1; a < shape.size(); ++a) inner *= shape[a];
  const std::size_t n = shape[axis];

  systems given{read_npy(files["--dl"]), read_npy(files["--d"]), read_npy(files["--du"]),
                lines(read_npy(files["--rhs"]), outer, n, inner)};
  const bool shared = given.d.size() == n && given.dl.size() == n && given.du.size() == n;
  if (!shared)
    for (doubles* diagonal : {&given.dl, &given.d, &given.du})
      *diagonal = lines(*diagonal, outer, n, inner);

  systems work;
  std::vector<double> times;
  int singular = 0;
  for (int r = 0; r < 3; ++r) {  // the median leaves the warm-up out
    work = given;
    const auto start = std::chrono::steady_clock::now();
    singular +=
        (shared ? solve_shared : solve_each)(work, static_cast<int>(n), outer * inner, threads);
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
    times.push_back(took.count());
  }
  if (singular) throw std::runtime_error("LAPACK met singular systems");
  std::sort(times.begin(), times.end());
  return times[1];
}

double copy_bytes_per_second(int threads, const std::string& device) {
  if (device.empty() || device == "cpu")
    return 1e3 * tridia_bench::measure_copies({.threads = threads}).front().bytes_per_ms();
#ifdef TRIDIA_BENCH_CUDA
  if (device == "cuda") return tridia_bench::device_copy_bytes_per_second();
#endif
  throw std::runtime_error("--device " + device + " is not in this build");
}

int run(int argc, char** argv) {
  std::map<std::string, std::string> options;
  for (int i = 1; i + 1 < argc; i += 2) options[argv[i]] = argv[i + 1];
  for (const auto& [key, value] : options)
    if (std::string_view(" --threads --device --shape --axis --dl --d --du --rhs ")
            .find(" " + key + " ") == std::string_view::npos)
      throw std::runtime_error("unknown option " + key);
  if (argc % 2 == 0) throw std::runtime_error("every option takes a value");

  const int threads = options.count("--threads") ? static_cast<int>(number(options["--threads"]))
                                                 : omp_get_max_threads();
  if (options.count("--rhs")) {
    std::vector<std::size_t> shape;
    for (std::string_view rest = options["--shape"]; !rest.empty();) {
      const std::size_t comma = std::min(rest.find(','), rest.size());
      shape.push_back(number(rest.substr(0, comma)));
      rest.remove_prefix(std::min(comma + 1, rest.size()));
    }
    std::printf("{\"threads\": %d, \"lapack_seconds\": %.9g}\n", threads,
                lapack_seconds(threads, options, shape, number(options["--axis"])));
  } else {
    std::printf("{\"threads\": %d, \"copy_bytes_per_second\": %.9g}\n", threads,
                copy_bytes_per_second(threads, options["--device"]));
  }
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return run(argc, argv);
  } catch (const std::exception& e) {
    std::fprintf(stderr, "tridia_floor: %s\n", e.what());
    return 2;
  }
}
