// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#include "tridia/plan.hpp"

#include "c_api/convert.hpp"
#include "tridia/solve.hpp"

namespace {

using namespace tridia::c_api;
using tridia::plan;
using tridia::refuse;

const plan& plan_of(const tridia_plan* p) {
  return *static_cast<const plan*>(find_handle(kind::plan, p, "plan"));
}

}  // namespace

extern "C" {

tridia_result tridia_plan_create(const tridia_problem* problem, const tridia_options* options,
                                 tridia_plan** p) {
  return create<plan>(kind::plan, p, "plan", [&] {
    tridia::problem described = as_cpp(problem);
    return plan(std::move(described), as_cpp(options));
  });
}

tridia_result tridia_plan_destroy(tridia_plan* p) { return destroy<plan>(kind::plan, p, "plan"); }

tridia_result tridia_plan_execute(const tridia_plan* p, const void* dl, const void* d,
                                  const void* du, const void* rhs, void* x,
                                  const tridia_execution* e) {
  return guarded([&] { plan_of(p).execute(dl, d, du, rhs, x, as_cpp(e)); });
}

tridia_result tridia_plan_execute_constant(const tridia_plan* p, const void* rhs, void* x,
                                           const tridia_execution* e) {
  return guarded([&] { plan_of(p).execute(rhs, x, as_cpp(e)); });
}

tridia_result tridia_plan_factor(const tridia_plan* p, const void* dl, const void* d,
                                 const void* du, void* factors, const tridia_execution* e) {
  return guarded([&] { plan_of(p).factor(dl, d, du, factors, as_cpp(e)); });
}

tridia_result tridia_plan_solve(const tridia_plan* p, const void* factors, const void* rhs, void* x,
                                const tridia_execution* e) {
  return guarded([&] { plan_of(p).solve(factors, rhs, x, as_cpp(e)); });
}

tridia_result tridia_plan_problem(const tridia_plan* p, tridia_problem* problem) {
  return guarded([&] {
    const plan& made = plan_of(p);
    check_struct(problem, "problem");
    *problem = as_c(made.problem());
  });
}

tridia_result tridia_plan_backend(const tridia_plan* p, int* backend) {
  return guarded([&] { set(backend, "backend", plan_of(p).backend()); });
}

tridia_result tridia_plan_algorithm(const tridia_plan* p, int* algorithm) {
  return guarded([&] { set(algorithm, "algorithm", plan_of(p).algorithm()); });
}

tridia_result tridia_plan_reason(const tridia_plan* p, const char** reason) {
  return guarded([&] { set(reason, "reason", plan_of(p).reason().c_str()); });
}

tridia_result tridia_plan_systems(const tridia_plan* p, int64_t* systems) {
  return guarded([&] { set(systems, "systems", plan_of(p).systems()); });
}

tridia_result tridia_plan_device(const tridia_plan* p, int* device) {
  return guarded([&] { set(device, "device", plan_of(p).device()); });
}

tridia_result tridia_plan_threads(const tridia_plan* p, int* threads) {
  return guarded([&] { set(threads, "threads", plan_of(p).threads()); });
}

tridia_result tridia_plan_workspace_bytes(const tridia_plan* p, size_t* bytes) {
  return guarded([&] { set(bytes, "bytes", plan_of(p).workspace_bytes()); });
}

tridia_result tridia_plan_factors_bytes(const tridia_plan* p, size_t* bytes) {
  return guarded([&] { set(bytes, "bytes", plan_of(p).factors_bytes()); });
}

tridia_result tridia_solve(const tridia_problem* problem, const tridia_options* options,
                           const void* dl, const void* d, const void* du, const void* rhs, void* x,
                           int64_t* status, int64_t status_count, void* stream) {
  return guarded([&] {
    const tridia::problem described = as_cpp(problem);
    const tridia::options chosen = as_cpp(options);
    check_array(status, status_count, "status", "status_count");
    if (status != nullptr && status_count == 0 && plan(described, chosen).systems() > 0)
      refuse("status_count: is 0, but status is not null");
    const std::span<tridia::index_t> all(status, static_cast<std::size_t>(status_count));
    if (described.coefficients != tridia::coefficients::constant) {
      tridia::solve(described, dl, d, du, rhs, x, chosen, all, stream);
    } else if (dl == nullptr && d == nullptr && du == nullptr) {
      tridia::solve(described, rhs, x, chosen, all, stream);
    } else {
      refuse("coefficients: are constant, so dl, d and du must be null");
    }
  });
}

}  // extern "C"
