// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
// bin/tridia_lapack_call OURS THEIRS times xGTSV of two shared libraries, tridia_lapack's and
// LAPACK's, call by call and in turns, on systems that lie in the nearest cache where they are
// small. The exit code is 1 if a call with 8 rows and one right-hand side takes more than 1.2 times
// theirs.
#include <dlfcn.h>

#include <algorithm>
#include <chrono>
#include <complex>
#include <cstddef>
#include <cstdio>
#include <random>
#include <type_traits>
#include <vector>

namespace {

template <class V>
using gtsv = void (*)(const int*, const int*, V*, V*, V*, V*, const int*, int*);

template <class V>
V number(std::mt19937& random) {
  std::uniform_real_distribution<double> in(-1, 1);
  if constexpr (std::is_floating_point_v<V>) {
    return static_cast<V>(in(random));
  } else {
    return static_cast<V>(std::complex<double>(in(random), in(random)));
  }
}

/// Holds systems of one size, each in one piece.
template <class V>
struct systems {
  int n, nrhs;
  std::size_t elements, count;
  std::vector<V> original, work;

  systems(int rows, int columns)
      : n(rows), nrhs(columns), elements(static_cast<std::size_t>(n) * (3 + columns)) {
    // Half of the nearest cache, if one fits.
    count = std::max<std::size_t>(1, 16384 / sizeof(V) / elements);
    std::mt19937 random(1);
    original.resize(elements * count);
    for (V& v : original) v = number<V>(random);
    work = original;
  }

  /// Returns the nanoseconds of a call.
  double run(gtsv<V> routine) {
    std::copy(original.begin(), original.end(), work.begin());
    int info = 0;
    const auto start = std::chrono::steady_clock::now();
    for (std::size_t k = 0; k < count; ++k) {
      V* const p = work.data() + k * elements;
      routine(&n, &nrhs, p, p + n, p + 2 * n, p + 3 * n, &n, &info);
    }
    const std::chrono::duration<double, std::nano> took = std::chrono::steady_clock::now() - start;
    return took.count() / static_cast<double>(count);
  }
};

/// Prints the times of one type; returns whether 8 rows take no more than they may.
template <class V>
bool compare(const char* name, void* ours, void* theirs) {
  const auto mine = reinterpret_cast<gtsv<V>>(dlsym(ours, name));
  const auto its = reinterpret_cast<gtsv<V>>(dlsym(theirs, name));
  if (mine == nullptr || its == nullptr) {
    std::printf("%s is not in both libraries\n", name);
    return false;
  }
  bool good = true;
  for (const int n : {1, 3, 8, 16, 64, 1000, 100'000}) {
    for (const int nrhs : {1, 2, 4, 64}) {
      systems<V> s(n, nrhs);
      double best = 1e30, best_of_theirs = 1e30;
      for (int turn = 0; turn < (n * nrhs > 100'000 ? 5 : 500); ++turn) {
        best = std::min(best, s.run(mine));
        best_of_theirs = std::min(best_of_theirs, s.run(its));
      }
      std::printf("%s  %6d rows  %2d right-hand sides  %12.1f ns  %12.1f ns  %5.2f\n", name, n,
                  nrhs, best, best_of_theirs, best / best_of_theirs);
      if (n == 8 && nrhs == 1) good = best <= 1.2 * best_of_theirs;
    }
  }
  return good;
}

}  // namespace

int main(int argc, char** argv) {
  void* libraries[2] = {};
  for (int k = 0; k < 2; ++k) {
    if (argc == 3) libraries[k] = dlopen(argv[k + 1], RTLD_NOW | RTLD_LOCAL);
    if (libraries[k] != nullptr) continue;
    std::fprintf(stderr, "usage: tridia_lapack_call OURS THEIRS: two shared libraries%s%s\n",
                 argc == 3 ? "; " : "", argc == 3 ? dlerror() : "");
    return 2;
  }
  std::printf("best times of a call: ours, theirs, ratio\n");
  bool good = compare<float>("sgtsv_", libraries[0], libraries[1]);
  good = compare<double>("dgtsv_", libraries[0], libraries[1]) && good;
  good = compare<std::complex<float>>("cgtsv_", libraries[0], libraries[1]) && good;
  good = compare<std::complex<double>>("zgtsv_", libraries[0], libraries[1]) && good;
  return good ? 0 : 1;
}
