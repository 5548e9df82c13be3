// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#include "c_api/communicators.hpp"
#include "c_api/convert.hpp"
#include "c_api/decompositions.hpp"
#include "c_api/schemes.hpp"

namespace {

using namespace tridia::c_api;
using tridia::distributed::compact_operator;

compact_operator& operator_of(const tridia_distributed_operator* op) {
  return *static_cast<compact_operator*>(find_handle(kind::distributed_operator, op, "op"));
}

tridia::distributed::operator_options as_cpp(const tridia_distributed_operator_options* o) {
  if (o == nullptr) return {};
  check_struct(o, "options");
  return {.tolerance = o->tolerance,
          .threads = o->threads,
          .slabs = o->slabs,
          .strategy = strategy_of(o->strategy),
          .timings = o->timings != 0};
}

}  // namespace

extern "C" {

tridia_result tridia_distributed_operator_create(const tridia_decomposition* decomposition,
                                                 const tridia_scheme* scheme,
                                                 const tridia_closure* closure,
                                                 const tridia_grid* lines,
                                                 const tridia_communicator* communicator,
                                                 const tridia_distributed_operator_options* options,
                                                 tridia_distributed_operator** op) {
  return create<compact_operator>(kind::distributed_operator, op, "op", [&] {
    const auto& cuts = decomposition_of(decomposition);
    const tridia::scheme& s = scheme_of(scheme);
    const tridia::closure* const c = closure == nullptr ? nullptr : &closure_of(closure);
    const auto& ranks = communicator_of(communicator, "communicator");
    tridia::grid g = tridia::c_api::as_cpp(lines);
    const auto o = as_cpp(options);
    return c == nullptr ? compact_operator(cuts, s, std::move(g), ranks, o)
                        : compact_operator(cuts, s, *c, std::move(g), ranks, o);
  });
}

tridia_result tridia_distributed_operator_destroy(tridia_distributed_operator* op) {
  return destroy<compact_operator>(kind::distributed_operator, op, "op");
}

tridia_result tridia_distributed_operator_apply(tridia_distributed_operator* op, const void* in,
                                                void* out, void* stream) {
  return guarded([&] { operator_of(op).apply(in, out, stream); });
}

tridia_result tridia_distributed_operator_apply_add(tridia_distributed_operator* op, double s,
                                                    const void* in, void* out, void* stream) {
  return guarded([&] { operator_of(op).apply_add(s, in, out, stream); });
}

tridia_result tridia_distributed_operator_start(tridia_distributed_operator* op, const void* in,
                                                void* out, void* stream) {
  return guarded([&] { operator_of(op).start(in, out, stream); });
}

tridia_result tridia_distributed_operator_start_add(tridia_distributed_operator* op, double s,
                                                    const void* in, void* out, void* stream) {
  return guarded([&] { operator_of(op).start_add(s, in, out, stream); });
}

tridia_result tridia_distributed_operator_finish(tridia_distributed_operator* op) {
  return guarded([&] { operator_of(op).finish(); });
}

tridia_result tridia_distributed_operator_out_block(const tridia_distributed_operator* op,
                                                    int of_rank, int64_t* begin, int64_t* extents) {
  return guarded([&] { copy_block(operator_of(op).out_decomposition(), of_rank, begin, extents); });
}

tridia_result tridia_distributed_operator_warning(const tridia_distributed_operator* op,
                                                  const char** warning) {
  return guarded([&] { set(warning, "warning", operator_of(op).warning().c_str()); });
}

tridia_result tridia_distributed_operator_peers(const tridia_distributed_operator* op,
                                                const int** peers, int* count) {
  return guarded([&] {
    const std::vector<int>& all = operator_of(op).peers();
    need(peers, "peers");
    need(count, "count");
    *peers = all.data();
    *count = static_cast<int>(all.size());
  });
}

tridia_result tridia_distributed_operator_timings(const tridia_distributed_operator* op,
                                                  tridia_phase_times* times) {
  return guarded([&] {
    const compact_operator& made = operator_of(op);
    need(times, "times");
    const auto t = made.timings();
    *times = {t.reduce, t.interface, t.expand, t.statuses};
  });
}

tridia_result tridia_distributed_operator_step_timings(const tridia_distributed_operator* op,
                                                       tridia_step_times* times) {
  return guarded([&] { set(times, "times", tridia::c_api::as_c(operator_of(op).step_timings())); });
}

tridia_result tridia_distributed_operator_workspace_bytes(const tridia_distributed_operator* op,
                                                          size_t* bytes) {
  return guarded([&] { set(bytes, "bytes", operator_of(op).workspace_bytes()); });
}

}  // extern "C"
