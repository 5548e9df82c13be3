// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#include "c_api/communicators.hpp"
#include "c_api/convert.hpp"
#include "c_api/decompositions.hpp"

namespace {

using namespace tridia::c_api;
using tridia::refuse;
using tridia::distributed::plan;

plan& plan_of(const tridia_distributed_plan* p) {
  return *static_cast<plan*>(find_handle(kind::distributed_plan, p, "plan"));
}

tridia::distributed::plan_options as_cpp(const tridia_distributed_plan_options* o) {
  tridia::distributed::plan_options q;
  if (o == nullptr) return q;
  check_struct(o, "options");
  q.strategy = strategy_of(o->strategy);
  q.tolerance = o->tolerance;
  if (!(o->neglected_coupling < 0)) q.neglected_coupling = o->neglected_coupling;
  q.interface_bytes = o->interface_bytes;
  q.statuses = o->statuses != 0;
  q.threads = o->threads;
  q.timings = o->timings != 0;
  return q;
}

}  // namespace

extern "C" {

tridia_result tridia_distributed_plan_create(const tridia_decomposition* decomposition,
                                             const tridia_problem* problem,
                                             const tridia_communicator* communicator,
                                             const tridia_distributed_plan_options* options,
                                             tridia_distributed_plan** p) {
  return create<plan>(kind::distributed_plan, p, "plan", [&] {
    const auto& cuts = decomposition_of(decomposition);
    tridia::problem described = tridia::c_api::as_cpp(problem);
    const auto& ranks = communicator_of(communicator, "communicator");
    return plan(cuts, std::move(described), ranks, as_cpp(options));
  });
}

tridia_result tridia_distributed_plan_destroy(tridia_distributed_plan* p) {
  return destroy<plan>(kind::distributed_plan, p, "plan");
}

tridia_result tridia_distributed_plan_execute(tridia_distributed_plan* p, const void* dl,
                                              const void* d, const void* du, const void* rhs,
                                              void* x, const tridia_execution* e) {
  return guarded([&] { plan_of(p).execute(dl, d, du, rhs, x, tridia::c_api::as_cpp(e)); });
}

tridia_result tridia_distributed_plan_start(tridia_distributed_plan* p, const void* dl,
                                            const void* d, const void* du, const void* rhs, void* x,
                                            const tridia_execution* e) {
  return guarded([&] { plan_of(p).start(dl, d, du, rhs, x, tridia::c_api::as_cpp(e)); });
}

tridia_result tridia_distributed_plan_finish(tridia_distributed_plan* p) {
  return guarded([&] { plan_of(p).finish(); });
}

tridia_result tridia_distributed_plan_neglected_coupling(tridia_distributed_plan* p, const void* dl,
                                                         const void* d, const void* du,
                                                         double* coupling) {
  return guarded([&] {
    plan& made = plan_of(p);
    need(coupling, "coupling");
    *coupling = made.neglected_coupling(dl, d, du);
  });
}

tridia_result tridia_distributed_plan_strategy(const tridia_distributed_plan* p, int* strategy) {
  return guarded([&] { set(strategy, "strategy", plan_of(p).strategy()); });
}

tridia_result tridia_distributed_plan_reason(const tridia_distributed_plan* p,
                                             const char** reason) {
  return guarded([&] { set(reason, "reason", plan_of(p).reason().c_str()); });
}

tridia_result tridia_distributed_plan_systems(const tridia_distributed_plan* p, int64_t* systems) {
  return guarded([&] { set(systems, "systems", plan_of(p).systems()); });
}

tridia_result tridia_distributed_plan_timings(const tridia_distributed_plan* p,
                                              tridia_phase_times* times) {
  return guarded([&] {
    const plan& made = plan_of(p);
    need(times, "times");
    const auto t = made.timings();
    *times = {t.reduce, t.interface, t.expand, t.statuses};
  });
}

tridia_result tridia_distributed_plan_step_timings(const tridia_distributed_plan* p,
                                                   tridia_step_times* times) {
  return guarded([&] { set(times, "times", tridia::c_api::as_c(plan_of(p).step_timings())); });
}

tridia_result tridia_distributed_plan_workspace_bytes(const tridia_distributed_plan* p,
                                                      size_t* bytes) {
  return guarded([&] { set(bytes, "bytes", plan_of(p).workspace_bytes()); });
}

}  // extern "C"
