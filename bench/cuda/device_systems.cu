// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#include "device_systems.hpp"

#include <algorithm>
#include <span>
#include <vector>

#include <cuda/std/complex>

namespace tridia_bench {
namespace {

constexpr int kThreads = 256;
/// A thread judges this many rows of a system.
constexpr index_t kSegment = 32;

__device__ index_t thread_index() {
  return static_cast<index_t>(blockIdx.x) * blockDim.x + threadIdx.x;
}
__device__ index_t thread_count() { return static_cast<index_t>(gridDim.x) * blockDim.x; }

unsigned blocks_for(index_t threads) {
  return static_cast<unsigned>(std::clamp<index_t>((threads + kThreads - 1) / kThreads, 1, 16384));
}

/// Says where the rows of the systems lie.
struct lines {
  index_t n, batch, inner;
  const index_t* offsets;     // of a ragged batch, or null
  const index_t* row_starts;  // of a packed one, or null
  bool concatenated, shared, periodic, transposed;

  __device__ index_t start(index_t s) const {
    if (row_starts) return s;
    return concatenated ? offsets[s] : (s / inner) * n * inner + s % inner;
  }
  /// Returns how far row i of a system is from the start of it.
  __device__ index_t row(index_t i) const { return row_starts ? row_starts[i] : i * inner; }
  __device__ index_t rows(index_t s) const { return offsets ? offsets[s + 1] - offsets[s] : n; }
};

template <class T>
__global__ void fill_coefficients(bool dominant, std::uint64_t seed, index_t count, T* dl, T* d,
                                  T* du) {
  for (index_t i = thread_index(); i < count; i += thread_count()) {
    const row_entries<T> e = entries_of<T>(dominant, seed, i);
    dl[i] = e.lower, d[i] = e.diagonal, du[i] = e.upper;
  }
}

template <class T>
__global__ void fill_rhs(std::uint64_t seed, index_t count, T* rhs) {
  for (index_t i = thread_index(); i < count; i += thread_count()) rhs[i] = rhs_of<T>(seed, i);
}

/// Raises `largest`: the bits of numbers from 0 on are ordered as the numbers are, and those of a
/// NaN come after all others.
__device__ void raise(double& largest, double value) {
  atomicMax(reinterpret_cast<unsigned long long*>(&largest),
            static_cast<unsigned long long>(__double_as_longlong(fabs(value))));
}

/// Adds the segments of systems to the systems' norms, one thread per segment.
template <class T>
__global__ void find_norms(lines l, const T* dl, const T* d, const T* du, const T* rhs, const T* x,
                           residual_norms<double>* norms) {
  using R = typename real_of<T>::type;
  const index_t segments = (l.n + kSegment - 1) / kSegment;
  for (index_t t = thread_index(); t < segments * l.batch; t += thread_count()) {
    const index_t s = t % l.batch, first = t / l.batch * kSegment;
    const index_t n = l.rows(s), start = l.start(s), last = min(first + kSegment, n);
    if (first >= n) continue;
    const index_t base = l.shared ? 0 : start;
    const auto place = [&](index_t i) { return l.shared ? i : l.row(i); };
    residual_norms<R> mine;
    for (index_t i = first; i < last; ++i) {
      const index_t at = start + l.row(i);
      const auto e =
          row_of_operation(dl + base, d + base, du + base, i, n, place, l.periodic, l.transposed);
      mine.add(e, x[start + l.row(i > 0 ? i - 1 : n - 1)], x[at],
               x[start + l.row(i + 1 < n ? i + 1 : 0)], rhs[at]);
    }
    raise(norms[s].residual, mine.residual);
    raise(norms[s].a, mine.a);
    raise(norms[s].x, mine.x);
    raise(norms[s].b, mine.b);
  }
}

__global__ void find_worst(index_t batch, const residual_norms<double>* norms, double* worst) {
  double mine = 0;
  for (index_t s = thread_index(); s < batch; s += thread_count()) {
    mine = fmax(mine, norms[s].relative());
  }
  raise(*worst, mine);
}

/// Calls `f` with a value of the type that the device computes with.
template <class F>
void dispatch(tridia::value_type type, F&& f) {
  switch (type) {
    case tridia::value_type::f32:
      return f(float{});
    case tridia::value_type::f64:
      return f(double{});
    case tridia::value_type::c64:
      return f(cuda::std::complex<float>{});
    case tridia::value_type::c128:
      return f(cuda::std::complex<double>{});
  }
}

/// Returns where the rows of a packed batch begin: row k of all systems that have it, sorted.
std::vector<index_t> row_starts_of(const systems_spec& s) {
  std::vector<index_t> starts;
  if (s.ragged_layout != tridia::ragged_layout::packed) return starts;
  const std::vector<index_t> offsets = s.offsets();
  auto systems = static_cast<std::size_t>(s.batch);
  for (index_t start = 0; systems > 0; start += static_cast<index_t>(systems)) {
    starts.push_back(start);
    const auto rows = static_cast<index_t>(starts.size());
    while (systems > 0 && offsets[systems] - offsets[systems - 1] < rows) --systems;
    // The row that was begun is that of the systems that were left before.
    if (systems == 0) starts.pop_back();
  }
  return starts;
}

std::size_t bytes_of(const systems_spec& s, index_t count) {
  return static_cast<std::size_t>(count) * tridia::size_of(s.type);
}

void check_launch(const char* what) { check(cudaGetLastError(), what); }

template <class T>
void upload_constants(index_t n, const device_array& dl, const device_array& d,
                      const device_array& du) {
  using R = typename real_of<T>::type;
  const tridia::near_toeplitz m = systems_spec::constants();
  const auto rows = static_cast<std::size_t>(n), heads = m.head.size(), tails = m.tail.size();
  std::vector<T> lower(rows), diagonal(rows), upper(rows);
  for (std::size_t i = 0; i < rows; ++i) {
    const tridia::near_toeplitz::row& r = i < heads           ? m.head[i]
                                          : i >= rows - tails ? m.tail[i + tails - rows]
                                                              : m.interior;
    lower[i] = T(static_cast<R>(r.dl.real()));
    diagonal[i] = T(static_cast<R>(r.d.real()));
    upper[i] = T(static_cast<R>(r.du.real()));
  }
  dl.upload(lower.data());
  d.upload(diagonal.data());
  du.upload(upper.data());
}

}  // namespace

device_systems::device_systems(const systems_spec& s)
    : spec_(s),
      dl_(bytes_of(s, s.entries())),
      d_(bytes_of(s, s.entries())),
      du_(bytes_of(s, s.entries())),
      rhs_(bytes_of(s, s.elements())),
      offsets_(s.shortest > 0 ? static_cast<std::size_t>(s.batch + 1) * sizeof(index_t) : 0),
      row_starts_(row_starts_of(s).size() * sizeof(index_t)) {
  if (s.shortest > 0) offsets_.upload(s.offsets().data());
  row_starts_.upload(row_starts_of(s).data());
  const std::uint64_t seed = s.seed * kStreams;
  dispatch(s.type, [&](auto value) {
    using T = decltype(value);
    if (s.coefficients == tridia::coefficients::constant) {
      upload_constants<T>(s.n, dl_, d_, du_);
    } else {
      fill_coefficients<T><<<blocks_for(s.entries()), kThreads>>>(
          s.matrix == matrix::dominant, seed, s.entries(), dl_.as<T>(), d_.as<T>(), du_.as<T>());
    }
    fill_rhs<T><<<blocks_for(s.elements()), kThreads>>>(seed, s.elements(), rhs_.as<T>());
  });
  check_launch("filling the systems");
  check(cudaDeviceSynchronize(), "filling the systems");
}

double device_systems::residual(const systems_spec& s, const device_array& x) const {
  const device_array norms(static_cast<std::size_t>(s.batch) * sizeof(residual_norms<double>));
  const device_array worst(sizeof(double));
  worst.set(0, nullptr);
  using tridia::ragged_layout;
  const bool ragged = s.shortest > 0, padded = s.ragged_layout == ragged_layout::padded;
  const lines l{
      s.n,
      s.batch,
      padded   ? s.batch
      : ragged ? 1
               : s.inner(),
      ragged ? offsets_.as<const index_t>() : nullptr,
      s.ragged_layout == ragged_layout::packed ? row_starts_.as<const index_t>() : nullptr,
      ragged && s.ragged_layout == ragged_layout::concatenated,
      s.has_one_matrix(),
      s.boundary == tridia::boundary::periodic,
      s.operation != tridia::operation::none};
  const index_t segments = (s.n + kSegment - 1) / kSegment * s.batch;
  const index_t sides[] = {0, s.right_hand_sides - 1};  // the first and the last one
  for (const index_t side : std::span(sides).first(s.right_hand_sides > 1 ? 2 : 1)) {
    norms.set(0, nullptr);
    dispatch(s.type, [&](auto value) {
      using T = decltype(value);
      const index_t begin = side * s.elements();
      find_norms<T><<<blocks_for(segments), kThreads>>>(
          l, dl_.as<const T>(), d_.as<const T>(), du_.as<const T>(), rhs_.as<const T>() + begin,
          x.as<const T>() + begin, norms.as<residual_norms<double>>());
    });
    check_launch("judging the solutions");
    find_worst<<<blocks_for(s.batch), kThreads>>>(s.batch, norms.as<residual_norms<double>>(),
                                                  worst.as<double>());
    check_launch("judging the solutions");
  }
  double result = 0;
  worst.download(&result);
  return result;
}

std::shared_ptr<const device_systems> cached_device_systems(const systems_spec& spec) {
  static std::shared_ptr<const device_systems> last;
  if (last == nullptr || !(last->spec() == spec)) {
    last.reset();  // its memory is free before the next ones are made
    last = std::make_shared<const device_systems>(spec);
  }
  return last;
}

}  // namespace tridia_bench
