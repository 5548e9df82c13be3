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
#include <functional>
#include <limits>
#include <new>
#include <numeric>

namespace tridia_bench {
namespace {

bool huge_pages = false;

// The systems of a stripe are handled together, row by row, so that every layout is read in runs.
constexpr index_t kStripe = 32;

}  // namespace

std::string_view name(matrix m) noexcept { return m == matrix::dominant ? "dominant" : "random"; }

std::string_view name(layout l) noexcept {
  return l == layout::contiguous    ? "contiguous"
         : l == layout::interleaved ? "interleaved"
                                    : "middle";
}

index_t systems_spec::inner() const {
  switch (layout) {
    case layout::contiguous:
      return 1;
    case layout::interleaved:
      return batch;
    case layout::middle:
      break;
  }
  if (width > 0) return width;
  index_t inner = 1;  // about the square root, so that the field is a box
  while (inner * inner < batch) inner *= 2;
  return inner;
}

std::vector<index_t> systems_spec::offsets() const {
  std::vector<index_t> all{0};
  const auto kinds = static_cast<std::uint64_t>(n - shortest + 1);
  for (index_t k = 0; k < batch; ++k) {
    const std::uint64_t number = hash(seed * 0x100000000 + static_cast<std::uint64_t>(k)) % kinds;
    all.push_back(shortest + static_cast<index_t>(number));
  }
  const auto lengths = all.begin() + 1;
  if (ragged_layout == tridia::ragged_layout::packed) {
    std::sort(lengths, all.end(), std::greater<>());
  }
  std::partial_sum(lengths, all.end(), lengths);
  return all;
}

std::vector<index_t> systems_spec::extents() const {
  return layout == layout::contiguous    ? std::vector<index_t>{batch, n}
         : layout == layout::interleaved ? std::vector<index_t>{n, batch}
                                         : std::vector<index_t>{batch / inner(), n, inner()};
}

tridia::problem systems_spec::problem(tridia::pivoting pivoting) const {
  tridia::problem p;
  p.type = type, p.boundary = boundary, p.pivoting = pivoting, p.coefficients = coefficients;
  p.operation = operation, p.right_hand_sides = right_hand_sides;
  if (coefficients == tridia::coefficients::constant) p.matrix = constants();
  if (shortest > 0) {
    p.offsets = offsets();
    p.extents = {p.offsets.back()};
    p.ragged_layout = ragged_layout;
    if (ragged_layout == tridia::ragged_layout::padded) p.extents = {n, batch}, p.axis = 0;
    return p;
  }
  p.extents = extents(), p.axis = axis();
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
    // This is only advice: if it is refused, the pages are small.
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

namespace {

/// Puts the matrix of constants into the arrays of one system, which solutions are judged by.
template <class T>
void fill_with_constants(systems<T>& s) {
  const tridia::near_toeplitz a = systems_spec::constants();
  const auto number = [](const std::complex<double>& v) {
    return T(static_cast<typename real_of<T>::type>(v.real()));
  };
  const index_t n = s.spec.n;
  const auto head = static_cast<index_t>(a.head.size()), tail = static_cast<index_t>(a.tail.size());
  for (index_t i = 0; i < n; ++i) {
    const tridia::near_toeplitz::row& row = i < head        ? a.head[i]
                                            : i >= n - tail ? a.tail[i - (n - tail)]
                                                            : a.interior;
    s.dl.data()[i] = number(row.dl);
    s.d.data()[i] = number(row.d);
    s.du.data()[i] = number(row.du);
  }
}

}  // namespace

template <class T>
systems<T>::systems(const systems_spec& s) : spec(s) {
  const index_t entries = s.entries();
  const bool dominant = s.matrix == matrix::dominant;
  const std::uint64_t seed = s.seed * kStreams;
  dl = host_array<T>(entries, s.placement);
  d = host_array<T>(entries, s.placement);
  du = host_array<T>(entries, s.placement);
  rhs = host_array<T>(s.rows(), s.placement);
#pragma omp parallel for schedule(static)
  for (index_t i = 0; i < entries; ++i) {
    const row_entries<T> e = entries_of<T>(dominant, seed, i);
    dl.data()[i] = e.lower;
    d.data()[i] = e.diagonal;
    du.data()[i] = e.upper;
  }
#pragma omp parallel for schedule(static)
  for (index_t i = 0; i < s.rows(); ++i) rhs.data()[i] = rhs_of<T>(seed, i);
  if (s.coefficients == tridia::coefficients::constant) fill_with_constants(*this);
}

namespace {

/// Judges the solutions of one right-hand side.
template <class T>
double residual_of_side(const systems<T>& all, const systems_spec& spec, const T* rhs, const T* x) {
  using R = typename real_of<T>::type;
  const index_t n = spec.n, inner = spec.inner();
  const bool shared = spec.has_one_matrix();
  const bool periodic = spec.boundary == tridia::boundary::periodic;
  const bool transposed = spec.operation != tridia::operation::none;
  const T *dl = all.dl.data(), *d = all.d.data(), *du = all.du.data();
  double worst = 0;
#pragma omp parallel for schedule(static) reduction(max : worst)
  for (index_t first = 0; first < spec.batch; first += kStripe) {
    const index_t count = std::min(kStripe, spec.batch - first);
    std::array<residual_norms<R>, kStripe> norms{};
    for (index_t i = 0; i < n; ++i) {
      for (index_t k = 0; k < count; ++k) {
        const index_t s = first + k;
        const index_t start = (s / inner) * n * inner + s % inner;
        const index_t at = start + i * inner;
        const index_t base = shared ? 0 : start;
        const auto place = [&](index_t k) { return k * (shared ? 1 : inner); };
        const auto e =
            row_of_operation(dl + base, d + base, du + base, i, n, place, periodic, transposed);
        norms[static_cast<std::size_t>(k)].add(
            e, i > 0 ? x[at - inner] : x[start + (n - 1) * inner], x[at],
            i + 1 < n ? x[at + inner] : x[start], rhs[at]);
      }
    }
    for (index_t k = 0; k < count; ++k) {
      worst = std::max(worst, norms[static_cast<std::size_t>(k)].relative());
    }
  }
  return worst;
}

}  // namespace

template <class T>
double systems<T>::residual(const systems_spec& s, const T* x) const {
  const index_t last = (s.right_hand_sides - 1) * s.rows();
  const double first = residual_of_side(*this, s, rhs.data(), x);
  return last == 0 ? first
                   : std::max(first, residual_of_side(*this, s, rhs.data() + last, x + last));
}

double residual_limit(tridia::value_type type) {
  const bool single = type == tridia::value_type::f32 || type == tridia::value_type::c64;
  return 1e3 * (single ? static_cast<double>(std::numeric_limits<float>::epsilon())
                       : std::numeric_limits<double>::epsilon());
}

template <class T>
std::shared_ptr<const systems<T>> cached_systems(const systems_spec& spec) {
  // There is one cache for all types, so that the memory of the previous systems is free before new
  // ones are made.
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
