// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#include "copy_rate.hpp"

#include <omp.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdlib>
#include <memory>
#include <new>

#if defined(__x86_64__)
#include <immintrin.h>
#define TRIDIA_BENCH_CLONES __attribute__((target_clones("default", "avx2", "avx512f")))
#else
#define TRIDIA_BENCH_CLONES
#endif

namespace tridia_bench {
namespace {

using inputs = std::array<const double*, 4>;

// Every kernel handles the elements [begin, end) of its arrays; both are multiples of 8 and the
// arrays are 64-byte aligned, so that a thread owns whole cache lines.
struct kernel {
  const char* name;
  int reads;
  bool (*supported)();
  void (*run)(const inputs& in, double* out, std::size_t begin, std::size_t end);
};

bool always() { return true; }

TRIDIA_BENCH_CLONES void plain4(const inputs& in, double* __restrict out, std::size_t begin,
                                std::size_t end) {
  const double *a = in[0], *b = in[1], *c = in[2], *d = in[3];
  for (std::size_t i = begin; i < end; ++i) out[i] = (a[i] + b[i]) + (c[i] + d[i]);
}

TRIDIA_BENCH_CLONES void plain1(const inputs& in, double* __restrict out, std::size_t begin,
                                std::size_t end) {
  // This is a sum, not an assignment, for which the compiler would call memcpy, which chooses its
  // own stores.
  const double* a = in[0];
  for (std::size_t i = begin; i < end; ++i) out[i] = a[i] + 1.0;
}

#if defined(__x86_64__)
bool has_avx2() { return __builtin_cpu_supports("avx2"); }
bool has_avx512() { return __builtin_cpu_supports("avx512f"); }

// Non-temporal stores spare the read of the line that is about to be overwritten.
template <int Reads>
void stream_sse2(const inputs& in, double* out, std::size_t begin, std::size_t end) {
  for (std::size_t i = begin; i < end; i += 8) {
    for (std::size_t k = i; k < i + 8; k += 2) {
      __m128d s = _mm_load_pd(in[0] + k);
      for (int r = 1; r < Reads; ++r) s = _mm_add_pd(s, _mm_load_pd(in[r] + k));
      _mm_stream_pd(out + k, s);
    }
  }
  _mm_sfence();
}

template <int Reads, int Ahead>
__attribute__((target("avx2"))) void stream_avx2(const inputs& in, double* out, std::size_t begin,
                                                 std::size_t end) {
  for (std::size_t i = begin; i < end; i += 8) {
    if constexpr (Ahead > 0) {
      for (int r = 0; r < Reads; ++r) _mm_prefetch(in[r] + i + Ahead, _MM_HINT_T0);
    }
    for (std::size_t k = i; k < i + 8; k += 4) {
      __m256d s = _mm256_load_pd(in[0] + k);
      for (int r = 1; r < Reads; ++r) s = _mm256_add_pd(s, _mm256_load_pd(in[r] + k));
      _mm256_stream_pd(out + k, s);
    }
  }
  _mm_sfence();
}

// Cache lines of every stream are prefetched `Ahead` elements before their use, across the ends of
// pages, where the hardware's own prefetch stops.
template <int Reads, int Ahead>
__attribute__((target("avx512f"))) void stream_avx512(const inputs& in, double* out,
                                                      std::size_t begin, std::size_t end) {
  for (std::size_t i = begin; i < end; i += 8) {
    if constexpr (Ahead > 0) {
      for (int r = 0; r < Reads; ++r) _mm_prefetch(in[r] + i + Ahead, _MM_HINT_T0);
    }
    __m512d s = _mm512_load_pd(in[0] + i);
    for (int r = 1; r < Reads; ++r) s = _mm512_add_pd(s, _mm512_load_pd(in[r] + i));
    _mm512_stream_pd(out + i, s);
  }
  _mm_sfence();
}

// These are ordinary stores to cache lines that were prefetched for writing: where a core waits for
// memory rather than shares it, that is faster than nontemporal stores.
template <int Reads, int Ahead>
__attribute__((target("avx512f"))) void own_avx512(const inputs& in, double* out, std::size_t begin,
                                                   std::size_t end) {
  for (std::size_t i = begin; i < end; i += 8) {
    for (int r = 0; r < Reads; ++r) _mm_prefetch(in[r] + i + Ahead, _MM_HINT_T0);
    __builtin_prefetch(out + i + Ahead, 1, 3);
    __m512d s = _mm512_load_pd(in[0] + i);
    for (int r = 1; r < Reads; ++r) s = _mm512_add_pd(s, _mm512_load_pd(in[r] + i));
    _mm512_store_pd(out + i, s);
  }
}
#endif

constexpr kernel kKernels[] = {
    {"plain", 4, always, plain4},
    {"plain", 1, always, plain1},
#if defined(__x86_64__)
    {"stream sse2", 4, always, stream_sse2<4>},
    {"stream sse2", 1, always, stream_sse2<1>},
    {"stream avx2", 4, has_avx2, stream_avx2<4, 0>},
    {"stream avx2", 1, has_avx2, stream_avx2<1, 0>},
    {"stream avx2, prefetch", 4, has_avx2, stream_avx2<4, 128>},
    {"stream avx2, prefetch", 1, has_avx2, stream_avx2<1, 128>},
    {"stream avx512", 4, has_avx512, stream_avx512<4, 0>},
    {"stream avx512", 1, has_avx512, stream_avx512<1, 0>},
    {"stream avx512, prefetch", 4, has_avx512, stream_avx512<4, 128>},
    {"stream avx512, prefetch", 1, has_avx512, stream_avx512<1, 128>},
    {"stream avx512, prefetch far", 4, has_avx512, stream_avx512<4, 512>},
    {"stream avx512, prefetch far", 1, has_avx512, stream_avx512<1, 512>},
    {"own avx512, prefetch", 4, has_avx512, own_avx512<4, 128>},
    {"own avx512, prefetch", 1, has_avx512, own_avx512<1, 128>},
#endif
};

struct free_deleter {
  void operator()(double* p) const { std::free(p); }
};
using array = std::unique_ptr<double, free_deleter>;

// Makes one pass over all elements; each thread has a range of whole cache lines.
void pass(const kernel& k, const inputs& in, double* out, std::size_t elements, int threads) {
#pragma omp parallel num_threads(threads)
  {
    const auto t = static_cast<std::size_t>(omp_get_thread_num());
    const auto of = static_cast<std::size_t>(omp_get_num_threads());
    const std::size_t lines = elements / 8;
    k.run(in, out, lines * t / of * 8, lines * (t + 1) / of * 8);
  }
}

}  // namespace

std::size_t default_array_bytes() {
  const long cache = sysconf(_SC_LEVEL3_CACHE_SIZE);  // 0 or -1 where it is not known
  const std::size_t bytes =
      std::max(std::size_t{64} << 20, static_cast<std::size_t>(std::max(cache, 0L)));
  return (bytes + 63) / 64 * 64;
}

std::vector<copy_rate> measure_copies(const copy_options& options) {
  const std::size_t bytes =
      options.array_bytes > 0 ? (options.array_bytes + 63) / 64 * 64 : default_array_bytes();
  const std::size_t elements = bytes / sizeof(double);

  std::vector<array> arrays;
  for (int r = 0; r <= options.reads; ++r) {
    arrays.emplace_back(static_cast<double*>(std::aligned_alloc(64, bytes)));
    if (arrays.back() == nullptr) throw std::bad_alloc();
  }
  inputs in{};
  for (int r = 0; r < options.reads; ++r) in[r] = arrays[r].get();
  double* out = arrays.back().get();
  // Pages belong to the thread that touches them first, so all threads fill the arrays in the order
  // of the pass.
#pragma omp parallel for schedule(static) num_threads(options.threads)
  for (std::size_t i = 0; i < elements; ++i) {
    for (const array& a : arrays) a.get()[i] = 1.0 + 1e-9 * static_cast<double>(i);
  }

  using clock = std::chrono::steady_clock;
  std::vector<copy_rate> rates;
  for (const kernel& k : kKernels) {
    if (k.reads != options.reads || !k.supported()) continue;
    copy_rate rate{.kernel = k.name, .bytes = bytes * (options.reads + 1), .ms = {}};
    pass(k, in, out, elements, options.threads);  // warms up
    for (int r = 0; r < options.repetitions; ++r) {
      const auto start = clock::now();
      pass(k, in, out, elements, options.threads);
      const std::chrono::duration<double, std::milli> took = clock::now() - start;
      rate.ms.push_back(took.count());
    }
    std::sort(rate.ms.begin(), rate.ms.end());
    rates.push_back(std::move(rate));
  }
  std::sort(rates.begin(), rates.end(),
            [](const copy_rate& a, const copy_rate& b) { return a.median_ms() < b.median_ms(); });
  return rates;
}

}  // namespace tridia_bench
