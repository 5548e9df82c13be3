// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#include "c_api/apply.hpp"
#include "c_api/schemes.hpp"
#include "tridia/compact.hpp"

namespace {

using namespace tridia::c_api;
using tridia::compact_operator;

const compact_operator& operator_of(const tridia_operator* op) {
  return *static_cast<const compact_operator*>(find_handle(kind::compact_operator, op, "op"));
}

}  // namespace

extern "C" {

tridia_result tridia_operator_create(const tridia_scheme* scheme, const tridia_closure* closure,
                                     const tridia_grid* grid, const tridia_options* options,
                                     tridia_operator** op) {
  return create<compact_operator>(kind::compact_operator, op, "op", [&] {
    const tridia::scheme& s = scheme_of(scheme);
    const tridia::closure* const c = closure == nullptr ? nullptr : &closure_of(closure);
    tridia::grid g = as_cpp(grid);
    const tridia::options o = as_cpp(options);
    return c == nullptr ? compact_operator(s, std::move(g), o)
                        : compact_operator(s, *c, std::move(g), o);
  });
}

tridia_result tridia_operator_destroy(tridia_operator* op) {
  return destroy<compact_operator>(kind::compact_operator, op, "op");
}

tridia_result tridia_operator_apply(const tridia_operator* op, const void* in, void* out,
                                    const tridia_execution* e) {
  return guarded([&] {
    const compact_operator& made = operator_of(op);
    with_execution(made, e, [&](const tridia::execution& with) { made.apply(in, out, with); });
  });
}

tridia_result tridia_operator_apply_add(const tridia_operator* op, double s, const void* in,
                                        void* out, const tridia_execution* e) {
  return guarded([&] {
    const compact_operator& made = operator_of(op);
    with_execution(made, e,
                   [&](const tridia::execution& with) { made.apply_add(s, in, out, with); });
  });
}

tridia_result tridia_operator_grid(const tridia_operator* op, tridia_grid* grid) {
  return guarded([&] {
    const compact_operator& made = operator_of(op);
    check_struct(grid, "grid");
    *grid = as_c(made.grid());
  });
}

tridia_result tridia_operator_in_extents(const tridia_operator* op, const int64_t** extents,
                                         int* rank) {
  return guarded([&] { set_extents(operator_of(op).in_extents(), extents, rank); });
}

tridia_result tridia_operator_out_extents(const tridia_operator* op, const int64_t** extents,
                                          int* rank) {
  return guarded([&] { set_extents(operator_of(op).out_extents(), extents, rank); });
}

tridia_result tridia_operator_backend(const tridia_operator* op, int* backend) {
  return guarded([&] { set(backend, "backend", operator_of(op).backend()); });
}

tridia_result tridia_operator_device(const tridia_operator* op, int* device) {
  return guarded([&] { set(device, "device", operator_of(op).device()); });
}

tridia_result tridia_operator_threads(const tridia_operator* op, int* threads) {
  return guarded([&] { set(threads, "threads", operator_of(op).threads()); });
}

tridia_result tridia_operator_workspace_bytes(const tridia_operator* op, size_t* bytes) {
  return guarded([&] { set(bytes, "bytes", operator_of(op).workspace_bytes()); });
}

tridia_result tridia_operator_warning(const tridia_operator* op, const char** warning) {
  return guarded([&] { set(warning, "warning", operator_of(op).warning().c_str()); });
}

tridia_result tridia_operator_description(const tridia_operator* op, const char** description) {
  return guarded([&] { set(description, "description", operator_of(op).description().c_str()); });
}

}  // extern "C"
