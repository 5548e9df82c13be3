// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#include "solvers.hpp"

#include "device.hpp"
#include "device_systems.hpp"
#include "prepared_plan.hpp"

namespace tridia_bench {
namespace {

using tridia::pivoting;
using tridia::value_type;

constexpr int kRepetitions = 51;

// Times `solve`, which leaves solutions in `x`, and judges them.
template <class F>
void measure_plan(benchmark::State& state, row& r, const device_systems& data,
                  const prepared_plan& p, const device_clock& clock, const device_array& x,
                  F&& solve) {
  solve();  // warms up
  measure(state, r, [&] {
    x.set(0xff, clock.stream());  // NaN; the clock empties the cache after it
    return clock.time(solve);
  });
  clock.wait();
  p.judge(r, data, x);
}

// A named algorithm may not take all that an experiment asks of it.
prepared_plan plan_of(const suite_options& options, const systems_spec& spec, pivoting how,
                      cudaStream_t stream, const solver_choice& choice) {
  try {
    return {options, spec, how, stream, choice};
  } catch (const tridia::error& e) {
    if (e.code() != tridia::errc::unsupported) throw;
    throw left_out(e.what());
  }
}

void run_tridia(benchmark::State& state, row& r, const suite_options& options,
                const systems_spec& spec, pivoting how, const solver_choice& choice) {
  const auto data = cached_device_systems(spec);
  const device_clock clock;
  const prepared_plan p = plan_of(options, spec, how, clock.stream(), choice);
  const device_array x(data->rhs().bytes());
  measure_plan(state, r, *data, p, clock, x, [&] { p.execute(*data, x); });
}

void run_saved_factors(benchmark::State& state, row& r, const suite_options& options,
                       const systems_spec& spec, pivoting how) {
  const auto data = cached_device_systems(spec);
  const device_clock clock;
  const prepared_plan p(options, spec, how, clock.stream());
  const device_array x(data->rhs().bytes()), factors(p.plan().factors_bytes());
  p.plan().factor(data->dl().data(), data->d().data(), data->du().data(), factors.data(),
                  p.execution());
  measure_plan(state, r, *data, p, clock, x, [&] {
    p.plan().solve(factors.data(), data->rhs().data(), x.data(), p.execution());
  });
  *r.workspace_bytes += factors.bytes();
}

// cuSPARSE needs zeros outside the matrix, and overwrites its arrays: they are restored before
// every repetition, outside the timed region.
template <class T>
class cusparse_arrays {
 public:
  explicit cusparse_arrays(const device_systems& data)
      : data_(data),
        dl_(data.dl().bytes()),
        d_(data.d().bytes()),
        du_(data.du().bytes()),
        x_(data.rhs().bytes()) {}

  void restore(cudaStream_t stream) const {
    dl_.copy_from(data_.dl(), stream);
    d_.copy_from(data_.d(), stream);
    du_.copy_from(data_.du(), stream);
    x_.copy_from(data_.rhs(), stream);
    const systems_spec& spec = data_.spec();
    const auto n = static_cast<std::size_t>(spec.n), batch = static_cast<std::size_t>(spec.batch);
    if (spec.layout == layout::contiguous) {
      const bool one_matrix = spec.coefficients == tridia::coefficients::shared;
      zero(dl(), n, 1, one_matrix ? 1 : batch, stream);
      zero(du() + n - 1, n, 1, one_matrix ? 1 : batch, stream);
    } else {
      zero(dl(), batch, batch, 1, stream);
      zero(du() + (n - 1) * batch, batch, batch, 1, stream);
    }
  }
  [[nodiscard]] T* dl() const { return dl_.as<T>(); }
  [[nodiscard]] T* d() const { return d_.as<T>(); }
  [[nodiscard]] T* du() const { return du_.as<T>(); }
  [[nodiscard]] const device_array& x() const { return x_; }

 private:
  static void zero(T* first, std::size_t pitch, std::size_t width, std::size_t height,
                   cudaStream_t stream) {
    // A pitch that is not used may be too large for a copy.
    const std::size_t step = height == 1 ? width : pitch;
    check(cudaMemset2DAsync(first, step * sizeof(T), 0, width * sizeof(T), height, stream),
          "cudaMemset2DAsync");
  }
  const device_systems& data_;
  device_array dl_, d_, du_, x_;
};

template <class T>
void run_cusparse(benchmark::State& state, row& r, const systems_spec& spec,
                  cusparse_method method) {
  const auto data = cached_device_systems(spec);
  const device_clock clock;
  const cusparse_gtsv<T> gtsv(method, static_cast<int>(spec.n), static_cast<int>(spec.batch),
                              clock.stream());
  r.workspace_bytes = gtsv.workspace_bytes();
  const device_array workspace(gtsv.workspace_bytes());
  const cusparse_arrays<T> arrays(*data);
  const auto solve = [&] {
    gtsv.solve(arrays.dl(), arrays.d(), arrays.du(), arrays.x().template as<T>(), workspace.data());
  };
  arrays.restore(clock.stream());
  solve();  // warms up
  measure(state, r, [&] {
    arrays.restore(clock.stream());
    return clock.time(solve);
  });
  clock.wait();
  set_residual(r, data->residual(arrays.x()), spec.type);
}

/// Describes the parameters of a named algorithm, or returns nothing if it has none.
std::optional<std::string> describe(const tridia::algorithm_parameters& p) {
  if (p.switch_point > 0) return "switch point " + std::to_string(p.switch_point);
  if (p.packing_depth > 0) return "packing depth " + std::to_string(p.packing_depth);
  if (p.transformation != tridia::transformation::none) {
    return "transformation " + std::string(tridia::name(p.transformation));
  }
  if (p.memory != tridia::neato_memory::automatic) {
    return "memory " + std::string(tridia::name(p.memory));
  }
  return {};
}

}  // namespace

void add_tridia(suite& s, const systems_spec& spec, pivoting p, const solver_choice& choice) {
  row r = row_of(spec, "tridia cuda");
  r.pivoting = tridia::name(p);
  if (choice.algorithm != tridia::algorithm::automatic) {
    r.solver += std::string(", ") + std::string(tridia::name(choice.algorithm));
    r.parameter = describe(choice.parameters);
  }
  add_case(s, r, kRepetitions, [=, &s](benchmark::State& state, row& out) {
    run_tridia(state, out, s.options, spec, p, choice);
  });
}

void add_saved_factors(suite& s, const systems_spec& spec, pivoting p) {
  row r = row_of(spec, "tridia cuda");
  r.case_name += ", saved factors";
  r.pivoting = tridia::name(p);
  add_case(s, r, kRepetitions, [=, &s](benchmark::State& state, row& out) {
    run_saved_factors(state, out, s.options, spec, p);
  });
}

void add_cusparse(suite& s, const systems_spec& spec, cusparse_method method) {
  constexpr int repetitions = 9;
  row r = row_of(spec, name(method));
  r.pivoting = pivots(method) ? "partial" : "none";
  add_case(s, r, repetitions, [=](benchmark::State& state, row& out) {
    if (spec.type == value_type::f32) {
      run_cusparse<float>(state, out, spec, method);
    } else {
      run_cusparse<double>(state, out, spec, method);
    }
  });
}

}  // namespace tridia_bench
