// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#include "systems.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <complex>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <new>

namespace tridia_bench {
namespace {

bool huge_pages = false;

template <class T>
struct real_of {
  using type = T;
};
template <class T>
struct real_of<std::complex<T>> {
  using type = T;
};

// splitmix64: every element from its own number, so that threads can fill in any order.
std::uint64_t hash(std::uint64_t z) {
  z += 0x9e3779b97f4a7c15;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
  z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
  return z ^ (z >> 31);
}

// U(-1, 1), never zero.
double uniform(std::uint64_t stream, index_t i) {
  const std::uint64_t bits = hash(stream * 0x100000000000 + static_cast<std::uint64_t>(i));
  return (static_cast<double>(bits >> 12) + 0.5) * 0x1p-51 - 1.0;
}

template <class T>
T uniform_value(std::uint64_t stream, index_t i) {
  using R = typename real_of<T>::type;
  if constexpr (std::is_same_v<T, R>) {
    return static_cast<R>(uniform(stream, i));
  } else {
    return {static_cast<R>(uniform(stream, i)), static_cast<R>(uniform(stream + 8, i))};
  }
}

// The systems of a stripe are handled together, row by row, so that every layout is read in runs.
constexpr index_t kStripe = 32;

}  // namespace

std::string_view name(matrix m) noexcept { return m == matrix::dominant ? "dominant" : "random"; }

std::string_view name(layout l) noexcept {
  return l == layout::contiguous    ? "contiguous"
         : l == layout::interleaved ? "interleaved"
         : l == layout::middle      ? "middle"
                                    : "ragged";
}

index_t systems_spec::inner() const {
  switch (layout) {
    case layout::contiguous:
    case layout::ragged:
      return 1;
    case layout::interleaved:
      return batch;
    case layout::middle:
      break;
  }
  index_t inner = 1;  // about the square root, so that the field is a box
  while (inner * inner < batch) inner *= 2;
  return inner;
}

index_t systems_spec::rows() const {
  return layout == layout::ragged ? offsets().back() : n * batch;
}

std::vector<index_t> systems_spec::offsets() const {
  std::vector<index_t> offsets{0};
  const auto lengths = static_cast<std::uint64_t>(n - shortest) + 1;
  for (index_t s = 0; s < batch; ++s) {
    const std::uint64_t more = hash(6 * 0x100000000000 + static_cast<std::uint64_t>(s)) % lengths;
    offsets.push_back(offsets.back() + shortest + static_cast<index_t>(more));
  }
  return offsets;
}

tridia::problem systems_spec::problem(tridia::pivoting pivoting) const {
  tridia::problem p;
  p.type = type, p.boundary = boundary, p.pivoting = pivoting, p.coefficients = coefficients;
  switch (layout) {
    case layout::contiguous:
      p.extents = {batch, n}, p.axis = 1;
      break;
    case layout::interleaved:
      p.extents = {n, batch}, p.axis = 0;
      break;
    case layout::middle:
      p.extents = {batch / inner(), n, inner()}, p.axis = 1;
      break;
    case layout::ragged:
      p.offsets = offsets(), p.extents = {p.offsets.back()};
      break;
  }
  return p;
}

void advise_huge_pages(bool on) { huge_pages = on; }

template <class T>
host_array<T>::host_array(index_t size, placement where) : size_(size) {
  const std::size_t bytes = static_cast<std::size_t>(size) * sizeof(T);
  void* p = where == placement::plain ? std::malloc(bytes)
                                      : std::aligned_alloc(64, (bytes + 63) / 64 * 64);
  if (p == nullptr) throw std::bad_alloc();
  data_.reset(static_cast<T*>(p));
  if (huge_pages) {
    constexpr std::uintptr_t page = 4096;
    const auto first = (reinterpret_cast<std::uintptr_t>(p) + page - 1) / page * page;
    const auto last = reinterpret_cast<std::uintptr_t>(p) + bytes;
    // Advice: where it is refused, the pages are small.
    if (first < last) madvise(reinterpret_cast<void*>(first), last - first, MADV_HUGEPAGE);
  }
}

template <class T>
void host_array<T>::deleter::operator()(T* p) const {
  std::free(p);
}

template <class T>
void host_array<T>::fill(T value) const {
  T* to = data();
#pragma omp parallel for schedule(static)
  for (index_t i = 0; i < size_; ++i) to[i] = value;
}

template <class T>
void host_array<T>::copy_from(const host_array& other) const {
  T* to = data();
  const T* from = other.data();
#pragma omp parallel for schedule(static)
  for (index_t i = 0; i < size_; ++i) to[i] = from[i];
}

template <class T>
systems<T>::systems(const systems_spec& s) : spec(s) {
  using R = typename real_of<T>::type;
  const index_t entries = s.coefficients == tridia::coefficients::shared ? s.n : s.rows();
  dl = host_array<T>(entries, s.placement);
  d = host_array<T>(entries, s.placement);
  du = host_array<T>(entries, s.placement);
  rhs = host_array<T>(s.rows(), s.placement);
#pragma omp parallel for schedule(static)
  for (index_t i = 0; i < entries; ++i) {
    const T lower = uniform_value<T>(1, i), upper = uniform_value<T>(2, i);
    T diagonal = uniform_value<T>(3, i);
    if (s.matrix == matrix::dominant) {
      const R u = static_cast<R>(uniform(4, i));
      const R size = std::abs(lower) + std::abs(upper) + std::abs(u) + R(0.1);
      diagonal *= size / std::abs(diagonal);
    }
    dl.data()[i] = lower;
    d.data()[i] = diagonal;
    du.data()[i] = upper;
  }
#pragma omp parallel for schedule(static)
  for (index_t i = 0; i < s.rows(); ++i) rhs.data()[i] = uniform_value<T>(5, i);
}

template <class T>
double systems<T>::residual(const T* x) const {
  using R = typename real_of<T>::type;
  const index_t inner = spec.inner();
  const bool ragged = spec.layout == layout::ragged;
  const std::vector<index_t> offsets = ragged ? spec.offsets() : std::vector<index_t>{};
  const bool shared = spec.coefficients == tridia::coefficients::shared;
  const bool periodic = spec.boundary == tridia::boundary::periodic;
  double worst = 0;
#pragma omp parallel for schedule(static) reduction(max : worst)
  for (index_t first = 0; first < spec.batch; first += kStripe) {
    const index_t count = std::min(kStripe, spec.batch - first);
    struct norms {
      R residual = 0, a = 0, x = 0, b = 0;
    };
    std::array<norms, kStripe> all{};
    bool finite = true;
    for (index_t i = 0; i < spec.n; ++i) {
      for (index_t k = 0; k < count; ++k) {
        const index_t s = first + k;
        const auto at_s = static_cast<std::size_t>(s);
        const index_t n = ragged ? offsets[at_s + 1] - offsets[at_s] : spec.n;
        if (i >= n) continue;
        const index_t start = ragged ? offsets[at_s] : (s / inner) * n * inner + s % inner;
        const index_t at = start + i * inner;
        const index_t c = shared ? i : at;
        const T zero{};
        const T lower = i > 0 || periodic ? dl.data()[c] : zero;
        const T upper = i + 1 < n || periodic ? du.data()[c] : zero;
        const T before = i > 0 ? x[at - inner] : x[start + (n - 1) * inner];
        const T after = i + 1 < n ? x[at + inner] : x[start];
        const T b = rhs.data()[at];
        T r = d.data()[c] * x[at] - b;
        if (lower != zero) r += lower * before;
        if (upper != zero) r += upper * after;
        norms& m = all[static_cast<std::size_t>(k)];
        finite = finite && std::isfinite(std::abs(r)) && std::isfinite(std::abs(x[at]));
        m.residual = std::max(m.residual, std::abs(r));
        m.a = std::max(m.a, std::abs(lower) + std::abs(d.data()[c]) + std::abs(upper));
        m.x = std::max(m.x, std::abs(x[at]));
        m.b = std::max(m.b, std::abs(b));
      }
    }
    double here = finite ? 0 : std::numeric_limits<double>::infinity();
    for (index_t k = 0; k < count; ++k) {
      const norms& m = all[static_cast<std::size_t>(k)];
      here = std::max(here, static_cast<double>(m.residual) /
                                (static_cast<double>(m.a) * static_cast<double>(m.x) +
                                 static_cast<double>(m.b)));
    }
    worst = std::max(worst, here);
  }
  return worst;
}

double residual_limit(tridia::value_type type) {
  const bool single = type == tridia::value_type::f32 || type == tridia::value_type::c64;
  return 1e3 * (single ? static_cast<double>(std::numeric_limits<float>::epsilon())
                       : std::numeric_limits<double>::epsilon());
}

template <class T>
std::shared_ptr<const systems<T>> cached_systems(const systems_spec& spec) {
  // One for all types: the memory of the systems before is free before new ones are made.
  static std::shared_ptr<const void> owner;
  static systems_spec last;
  if (owner == nullptr || !(last == spec)) {
    owner.reset();
    owner = std::make_shared<const systems<T>>(spec);
    last = spec;
  }
  return std::static_pointer_cast<const systems<T>>(owner);
}

template <class T>
T poison() {
  using R = typename real_of<T>::type;
  const R nan = std::numeric_limits<R>::quiet_NaN();
  if constexpr (std::is_same_v<T, R>) {
    return nan;
  } else {
    return {nan, nan};
  }
}

#define TRIDIA_BENCH_INSTANTIATE(T)                                                  \
  template class host_array<T>;                                                      \
  template struct systems<T>;                                                        \
  template std::shared_ptr<const systems<T>> cached_systems<T>(const systems_spec&); \
  template T poison<T>();
template class host_array<char>;  // workspaces
TRIDIA_BENCH_INSTANTIATE(float)
TRIDIA_BENCH_INSTANTIATE(double)
TRIDIA_BENCH_INSTANTIATE(std::complex<float>)
TRIDIA_BENCH_INSTANTIATE(std::complex<double>)

}  // namespace tridia_bench
