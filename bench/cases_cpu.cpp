// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#include "cases_cpu.hpp"

#include "copy_rate.hpp"

#include "tridia/plan.hpp"

#include <omp.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <complex>
#include <set>
#include <vector>

namespace tridia_bench {
namespace {

using tridia::pivoting;
using tridia::value_type;
using clock = std::chrono::steady_clock;

double ms_since(clock::time_point start) {
  return std::chrono::duration<double, std::milli>(clock::now() - start).count();
}

std::set<int> thread_counts() { return {1, omp_get_max_threads()}; }

template <class F>
void dispatch(value_type type, F&& f) {
  switch (type) {
    case value_type::f32:
      return f(float{});
    case value_type::f64:
      return f(double{});
    case value_type::c64:
      return f(std::complex<float>{});
    case value_type::c128:
      return f(std::complex<double>{});
  }
}

template <class T>
void run_tridia(benchmark::State& state, row& r, const systems_spec& spec, pivoting p,
                int threads) {
  const auto data = cached_systems<T>(spec);
  const tridia::plan plan(spec.problem(p), {.threads = threads});
  r.workspace_bytes = plan.workspace_bytes();
  r.note = std::string(tridia::name(plan.algorithm())) + ": " + plan.reason();

  const host_array<char> workspace(
      static_cast<index_t>(std::max<std::size_t>(plan.workspace_bytes(), 1)));
  workspace.fill(0);
  std::vector<index_t> status(static_cast<std::size_t>(plan.systems()), -1);
  const host_array<T> x(spec.rows(), spec.placement);
  const tridia::execution e{.workspace = workspace.data(),
                            .workspace_bytes = plan.workspace_bytes(),
                            .status = status.data()};
  const auto solve = [&] {
    if (spec.coefficients == tridia::coefficients::constant) {
      plan.execute(data->rhs.data(), x.data(), e);
    } else {
      plan.execute(data->dl.data(), data->d.data(), data->du.data(), data->rhs.data(), x.data(), e);
    }
  };

  x.fill(poison<T>());
  solve();  // warms up
  measure(state, r, [&] {
    const auto start = clock::now();
    solve();
    return ms_since(start);
  });
  // The solve is repeated onto poison after the timing: poisoning x before would leave it in the
  // cache.
  x.fill(poison<T>());
  solve();
  set_residual(r, data->residual(x.data()), spec.type);
  const auto bad = std::count_if(status.begin(), status.end(), [](index_t i) { return i != 0; });
  if (bad > 0) r.error = std::to_string(bad) + " systems have a status that is not 0";
}

// This is the loop that a user of LAPACK writes. It overwrites its inputs: they are restored before
// every repetition, outside the timed region.
template <class T>
void run_gtsv(benchmark::State& state, row& r, const systems_spec& spec, gtsv_function<T> gtsv,
              int threads) {
  const auto data = cached_systems<T>(spec);
  const host_array<T> dl(spec.rows()), d(spec.rows()), du(spec.rows()), b(spec.rows());
  const auto restore = [&] {
    dl.copy_from(data->dl);
    d.copy_from(data->d);
    du.copy_from(data->du);
    b.copy_from(data->rhs);
  };
  std::atomic<index_t> failed{0};
  const auto solve = [&] {
#pragma omp parallel for schedule(static) num_threads(threads)
    for (index_t k = 0; k < spec.batch; ++k) {
      const index_t at = k * spec.n;
      // LAPACK's dl begins with the entry of the second row.
      if (gtsv(spec.n, dl.data() + at + 1, d.data() + at, du.data() + at, b.data() + at) != 0) {
        ++failed;
      }
    }
  };
  restore();
  solve();  // warms up
  measure(state, r, [&] {
    restore();
    const auto start = clock::now();
    solve();
    return ms_since(start);
  });
  set_residual(r, data->residual(b.data()), spec.type);
  if (failed > 0) r.error = std::to_string(failed) + " systems failed";
}

// One call factors the matrix and solves all right-hand sides of a thread; what it overwrites is
// restored before every repetition, outside the timed region.
void run_gtsv_of_many(benchmark::State& state, row& r, const systems_spec& spec,
                      many_gtsv_function gtsv, int threads) {
  const auto data = cached_systems<double>(spec);
  const host_array<double> b(spec.rows());
  std::vector<std::vector<double>> matrices(static_cast<std::size_t>(threads));
  const auto rows = static_cast<std::size_t>(spec.n);
  const auto restore = [&] {
    b.copy_from(data->rhs);
    for (auto& m : matrices) {
      m.assign(data->dl.data(), data->dl.data() + rows);
      m.insert(m.end(), data->d.data(), data->d.data() + rows);
      m.insert(m.end(), data->du.data(), data->du.data() + rows);
    }
  };
  std::atomic<int> failed{0};
  const auto solve = [&] {
#pragma omp parallel for schedule(static) num_threads(threads)
    for (int t = 0; t < threads; ++t) {
      const index_t begin = spec.batch * t / threads, end = spec.batch * (t + 1) / threads;
      double* const m = matrices[static_cast<std::size_t>(t)].data();
      // LAPACK's dl begins with the entry of the second row.
      if (end > begin && gtsv(spec.n, end - begin, m + 1, m + rows, m + 2 * rows,
                              b.data() + begin * spec.n) != 0) {
        ++failed;
      }
    }
  };
  restore();
  solve();  // warms up
  measure(state, r, [&] {
    restore();
    const auto start = clock::now();
    solve();
    return ms_since(start);
  });
  set_residual(r, data->residual(b.data()), spec.type);
  if (failed > 0) r.error = std::to_string(failed.load()) + " calls failed";
}

}  // namespace

void add_tridia_cpu(suite& s, const systems_spec& spec, pivoting p, int threads, int repetitions) {
  row r = row_of(spec, "tridia cpu");
  r.pivoting = tridia::name(p);
  r.threads = threads;
  add_case(s, r, repetitions, [=](benchmark::State& state, row& out) {
    dispatch(spec.type,
             [&](auto value) { run_tridia<decltype(value)>(state, out, spec, p, threads); });
  });
}

void add_peer_of_many(suite& s, const gtsv_peer& peer, const systems_spec& spec, int threads,
                      int repetitions) {
  if (peer.many == nullptr) return;
  row r = row_of(spec, peer.solver + ", many right-hand sides");
  r.pivoting = "partial";
  r.threads = threads;
  add_case(s, r, repetitions, [=](benchmark::State& state, row& out) {
    run_gtsv_of_many(state, out, spec, peer.many, threads);
  });
}

void add_peer(suite& s, const gtsv_peer& peer, const systems_spec& spec, int threads,
              int repetitions) {
  row r = row_of(spec, peer.solver);
  r.pivoting = peer.pivots ? "partial" : "none";
  r.threads = threads;
  add_case(s, r, repetitions, [=](benchmark::State& state, row& out) {
    const auto run = [&](auto value) {
      using T = decltype(value);
      const auto gtsv = peer.get<T>();
      if (gtsv == nullptr) throw std::runtime_error("the library lacks this type");
      run_gtsv<T>(state, out, spec, gtsv, threads);
    };
    switch (spec.type) {
      case value_type::f32:
        return run(float{});
      case value_type::f64:
        return run(double{});
      case value_type::c128:
        return run(std::complex<double>{});
      case value_type::c64:
        throw std::runtime_error("no peer is run in this type");
    }
  });
}

namespace {

constexpr pivoting kPivoting[] = {pivoting::none, pivoting::partial};
constexpr layout kLayouts[] = {layout::contiguous, layout::interleaved};
constexpr index_t kRows = 512, kSystems = 16384;

// These are the cases that the targets are about.
void add_main_cases(suite& s, const std::vector<gtsv_peer>& peers) {
  constexpr int repetitions = 21;
  for (const matrix m : {matrix::dominant, matrix::random}) {
    for (const layout l : kLayouts) {
      const systems_spec spec{.matrix = m, .layout = l, .n = kRows, .batch = kSystems};
      for (const pivoting p : kPivoting) {
        // Without interchanges, matrices that need them give no usable results.
        if (m == matrix::random && p == pivoting::none) continue;
        for (const int threads : thread_counts()) add_tridia_cpu(s, spec, p, threads, repetitions);
      }
      if (l != layout::contiguous) continue;
      for (const gtsv_peer& peer : peers) {
        if (m == matrix::random && !peer.pivots) continue;
        for (const int threads : thread_counts()) add_peer(s, peer, spec, threads, 15);
      }
    }
  }
}

// These cases differ from the main ones in one property each, on all threads.
void add_side_cases(suite& s, const std::vector<gtsv_peer>& peers) {
  constexpr int repetitions = 15;
  const int threads = omp_get_max_threads();
  const auto add = [&](const systems_spec& spec) {
    for (const pivoting p : kPivoting) add_tridia_cpu(s, spec, p, threads, repetitions);
  };
  const systems_spec main{.n = kRows, .batch = kSystems};

  for (const value_type type : {value_type::f32, value_type::c128}) {
    for (const layout l : kLayouts) {
      systems_spec spec = main;
      spec.type = type, spec.layout = l;
      add(spec);
      if (l != layout::contiguous) continue;
      for (const gtsv_peer& peer : peers) add_peer(s, peer, spec, threads, repetitions);
    }
  }
  for (const layout l : kLayouts) {
    systems_spec spec = main;
    spec.layout = l, spec.boundary = tridia::boundary::periodic;
    add(spec);
  }
  for (const layout l : kLayouts) {
    systems_spec spec = main;
    spec.layout = l, spec.coefficients = tridia::coefficients::shared;
    add(spec);
  }
  for (const layout l : kLayouts) {
    systems_spec spec = main;
    spec.layout = l, spec.placement = placement::aligned;
    add(spec);
  }
  {
    systems_spec spec = main;
    spec.layout = layout::middle;
    add(spec);
  }
  for (const index_t n : {32, 64, 128, 1024}) {
    for (const layout l : kLayouts) {
      systems_spec spec = main;
      spec.layout = l, spec.n = n, spec.batch = kRows * kSystems / n;
      add(spec);
      if (l != layout::contiguous) continue;
      for (const gtsv_peer& peer : peers) add_peer(s, peer, spec, threads, repetitions);
    }
  }
}

}  // namespace

void measure_cpu_floors(suite& s, bool again) {
  for (const int reads : {4, 1}) {
    for (const int threads : thread_counts()) {
      const copy_rate best = measure_copies({.reads = reads, .threads = threads}).front();
      s.floors.add(reads, threads, best.bytes_per_ms());
      row r;
      r.case_name = reads == 4 ? "read four arrays, write one" : "read one array, write one";
      if (again) r.case_name += ", after the cases";
      r.solver = "copy";
      r.threads = threads;
      r.ms = best.ms;
      r.note = best.kernel;
      r.floor_reads = reads;
      r.floor_bytes = best.bytes;
      s.rows.push_back(std::move(r));
    }
  }
}

void add_cpu_cases(suite& s, const std::vector<gtsv_peer>& peers) {
  advise_huge_pages(s.options.huge_pages);
  add_main_cases(s, peers);
  add_side_cases(s, peers);
}

}  // namespace tridia_bench
