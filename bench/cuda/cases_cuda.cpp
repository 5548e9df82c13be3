// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#include "cases_cuda.hpp"

#include "device.hpp"
#include "device_copy.hpp"

#include "tridia/plan.hpp"

#include <algorithm>
#include <vector>

namespace tridia_bench {
namespace {

using tridia::pivoting;
using tridia::value_type;

// The systems of a case on the device.
template <class T>
struct device_systems {
  explicit device_systems(const systems<T>& host)
      : dl(bytes_of(host.dl)), d(bytes_of(host.d)), du(bytes_of(host.du)), rhs(bytes_of(host.rhs)) {
    dl.upload(host.dl.data());
    d.upload(host.d.data());
    du.upload(host.du.data());
    rhs.upload(host.rhs.data());
  }
  static std::size_t bytes_of(const host_array<T>& a) {
    return static_cast<std::size_t>(a.size()) * sizeof(T);
  }
  device_array dl, d, du, rhs;
};

template <class T>
double residual_of(const systems<T>& host, const device_array& x) {
  const host_array<T> copy(host.spec.rows());
  x.download(copy.data());
  return host.residual(copy.data());
}

template <class T>
void run_tridia(benchmark::State& state, row& r, const systems_spec& spec, pivoting p) {
  const auto host = cached_systems<T>(spec);
  const device_systems<T> data(*host);
  const device_clock clock;
  const tridia::plan plan(spec.problem(p), {.backend = tridia::backend::cuda});
  r.workspace_bytes = plan.workspace_bytes();
  r.note = std::string(tridia::name(plan.algorithm())) + ": " + plan.reason();

  const device_array x(data.rhs.bytes()), workspace(plan.workspace_bytes());
  const device_array status(static_cast<std::size_t>(plan.systems()) * sizeof(index_t));
  status.set(0xff, clock.stream());
  const tridia::execution e{.workspace = workspace.data(),
                            .workspace_bytes = plan.workspace_bytes(),
                            .status = status.template as<index_t>(),
                            .stream = clock.stream()};
  const auto solve = [&] {
    plan.execute(data.dl.template as<T>(), data.d.template as<T>(), data.du.template as<T>(),
                 data.rhs.template as<T>(), x.template as<T>(), e);
  };

  solve();  // warms up
  measure(state, r, [&] {
    x.set(0xff, clock.stream());  // NaN; the clock empties the cache after it
    return clock.time(solve);
  });
  clock.wait();
  set_residual(r, residual_of(*host, x), spec.type);
  std::vector<index_t> codes(static_cast<std::size_t>(plan.systems()));
  status.download(codes.data());
  const auto bad = std::count_if(codes.begin(), codes.end(), [](index_t i) { return i != 0; });
  if (bad > 0) r.error = std::to_string(bad) + " systems have a status that is not 0";
}

// cuSPARSE wants zeros outside the matrix, and overwrites its arrays: they are restored before
// every repetition, outside the timed region.
template <class T>
void run_cusparse(benchmark::State& state, row& r, const systems_spec& spec,
                  cusparse_method method) {
  const auto host = cached_systems<T>(spec);
  const device_systems<T> data(*host);
  const auto n = static_cast<std::size_t>(spec.n), batch = static_cast<std::size_t>(spec.batch);
  const auto zero = [](T* first, std::size_t pitch, std::size_t width, std::size_t height) {
    check(cudaMemset2D(first, pitch * sizeof(T), 0, width * sizeof(T), height), "cudaMemset2D");
  };
  if (spec.layout == layout::contiguous) {
    zero(data.dl.template as<T>(), n, 1, batch);
    zero(data.du.template as<T>() + n - 1, n, 1, batch);
  } else {
    zero(data.dl.template as<T>(), batch, batch, 1);
    zero(data.du.template as<T>() + (n - 1) * batch, batch, batch, 1);
  }

  const device_clock clock;
  const cusparse_gtsv<T> gtsv(method, static_cast<int>(spec.n), static_cast<int>(spec.batch),
                              clock.stream());
  r.workspace_bytes = gtsv.workspace_bytes();
  const device_array workspace(gtsv.workspace_bytes());
  const device_array dl(data.dl.bytes()), d(data.d.bytes()), du(data.du.bytes()),
      x(data.rhs.bytes());
  const auto restore = [&] {
    dl.copy_from(data.dl, clock.stream());
    d.copy_from(data.d, clock.stream());
    du.copy_from(data.du, clock.stream());
    x.copy_from(data.rhs, clock.stream());
  };
  const auto solve = [&] {
    gtsv.solve(dl.template as<T>(), d.template as<T>(), du.template as<T>(), x.template as<T>(),
               workspace.data());
  };

  restore();
  solve();  // warms up
  measure(state, r, [&] {
    restore();
    return clock.time(solve);
  });
  clock.wait();
  set_residual(r, residual_of(*host, x), spec.type);
}

template <class F>
void dispatch(value_type type, F&& f) {
  if (type == value_type::f32) return f(float{});
  return f(double{});
}

constexpr int kRepetitions = 51;

void add_tridia(suite& s, const systems_spec& spec, pivoting p) {
  row r = row_of(spec, "tridia cuda");
  r.pivoting = tridia::name(p);
  add_case(s, r, kRepetitions, [=](benchmark::State& state, row& out) {
    dispatch(spec.type, [&](auto value) { run_tridia<decltype(value)>(state, out, spec, p); });
  });
}

void add_cusparse(suite& s, const systems_spec& spec, cusparse_method method) {
  row r = row_of(spec, name(method));
  r.pivoting = method == cusparse_method::interleaved_1 ? "partial" : "none";
  add_case(s, r, kRepetitions, [=](benchmark::State& state, row& out) {
    dispatch(spec.type,
             [&](auto value) { run_cusparse<decltype(value)>(state, out, spec, method); });
  });
}

}  // namespace

void measure_cuda_floors(suite& s, bool again) {
  int device = 0, capability = 0;
  check(cudaGetDevice(&device), "cudaGetDevice");
  check(cudaDeviceGetAttribute(&capability, cudaDevAttrComputeCapabilityMajor, device),
        "cudaDeviceGetAttribute");

  // As large as the larger cases' arrays.
  constexpr std::size_t bytes = std::size_t{512} << 20;
  static_assert(bytes % kCopyGranule == 0);
  std::vector<device_array> memory;
  for (int k = 0; k < 5; ++k) memory.emplace_back(bytes);
  const device_clock clock;
  for (const device_array& m : memory) m.set(0x3f, clock.stream());  // 4.8e-4 everywhere
  copy_arrays arrays{};
  for (int k = 0; k < 4; ++k) arrays.in[k] = memory[k].as<double>();
  arrays.out = memory[4].as<double>();
  arrays.bytes = bytes;

  row best;
  for (const device_copy& copy : device_copies()) {
    if (copy.least_capability > capability) continue;
    row r;
    r.case_name =
        again ? "read four arrays, write one, after the cases" : "read four arrays, write one";
    r.solver = "copy";
    r.note = copy.name;
    r.floor_bytes = 5 * bytes;
    const auto launch = [&] { check(copy.launch(arrays, clock.stream()), copy.name); };
    launch();  // warms up
    for (int k = 0; k < 31; ++k) r.ms.push_back(clock.time(launch));
    if (best.ms.empty() || r.median_ms() < best.median_ms()) best = r;
  }
  s.floors.add(best.floor_reads, 0, static_cast<double>(best.floor_bytes) / best.median_ms());
  s.rows.push_back(std::move(best));
}

namespace {

/// Systems of 512 rows beside cuSPARSE, at two sizes.
void add_peers(suite& s, value_type type) {
  constexpr index_t n = 512;
  for (const int log_rows : {24, 26}) {
    for (const matrix m : {matrix::dominant, matrix::random}) {
      for (const layout l : {layout::contiguous, layout::interleaved}) {
        const systems_spec spec{
            .matrix = m, .layout = l, .type = type, .n = n, .batch = (index_t{1} << log_rows) / n};
        if (m == matrix::dominant) add_tridia(s, spec, pivoting::none);
        add_tridia(s, spec, pivoting::partial);
        if (l == layout::contiguous) {
          if (m == matrix::dominant) add_cusparse(s, spec, cusparse_method::strided);
        } else {
          if (m == matrix::dominant) add_cusparse(s, spec, cusparse_method::interleaved_0);
          add_cusparse(s, spec, cusparse_method::interleaved_1);
        }
      }
    }
  }
}

/// Every length, 2^24 rows in all.
void add_lengths(suite& s, value_type type) {
  const auto add = [&](layout l, index_t n, tridia::boundary boundary) {
    const systems_spec spec{
        .layout = l, .type = type, .boundary = boundary, .n = n, .batch = (index_t{1} << 24) / n};
    for (const pivoting p : {pivoting::none, pivoting::partial}) add_tridia(s, spec, p);
  };
  constexpr auto regular = tridia::boundary::regular;
  for (const index_t n :
       {2, 4, 8, 16, 33, 64, 100, 127, 256, 500, 1000, 1024, 2048, 4096, 8192, 16384})
    add(layout::contiguous, n, regular);
  for (const index_t n : {8, 32, 64, 256, 1024, 2048, 4096, 8192, 16384})
    add(layout::interleaved, n, regular);
  for (const index_t n : {64, 512}) add(layout::middle, n, regular);
  for (const index_t n : {64, 512}) add(layout::contiguous, n, tridia::boundary::periodic);
}

/// Systems of different lengths, 2^29 bytes an array.
void add_ragged(suite& s, value_type type) {
  const auto add = [&](index_t shortest, index_t longest) {
    const systems_spec spec{
        .layout = layout::ragged,
        .type = type,
        .n = longest,
        .batch = (index_t{1} << 30) / (static_cast<index_t>(size_of(type)) * (shortest + longest)),
        .shortest = shortest};
    for (const pivoting p : {pivoting::none, pivoting::partial}) add_tridia(s, spec, p);
  };
  add(32, 1024);
  add(8, 64);
}

}  // namespace

void add_cuda_cases(suite& s) {
  for (const value_type type : {value_type::f64, value_type::f32}) {
    add_peers(s, type);
    add_lengths(s, type);
    add_ragged(s, type);
  }
}

}  // namespace tridia_bench
