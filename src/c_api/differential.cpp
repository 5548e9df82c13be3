// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#include "tridia/c/differential.h"
#include "c_api/apply.hpp"
#include "c_api/schemes.hpp"
#include "tridia/differential.hpp"

namespace {

using namespace tridia::c_api;
using tridia::differential;
using tridia::differential_operator;

const differential_operator& operator_of(const tridia_differential_operator* op) {
  return *static_cast<const differential_operator*>(
      find_handle(kind::differential_operator, op, "op"));
}

differential kind_of(int kind) {
  constexpr int count = static_cast<int>(differential::laplacian) + 1;
  if (kind < 0 || kind >= count)
    tridia::refuse("kind: " + std::to_string(kind) + " is not one of its values");
  return static_cast<differential>(kind);
}

tridia::differential_term as_cpp(const tridia_differential_term& t) {
  check_struct(&t, "terms");
  std::optional<tridia::closure> ends;
  if (t.closure != nullptr) ends = closure_of(t.closure);
  return {scheme_of(t.scheme), tridia::c_api::as_cpp(t.grid), t.factor, std::move(ends)};
}

/// Calls f(in, out) with the arrays of an application.
template <class F>
void with_arrays(const differential_operator& op, const void* const* in, void* const* out, F f) {
  need(in, "in");
  need(out, "out");
  f(std::span(in, op.in_count()), std::span(out, op.out_count()));
}

std::size_t checked_term(const differential_operator& op, int term) {
  if (term < 0 || static_cast<std::size_t>(term) >= op.terms())
    tridia::refuse("term: " + std::to_string(term) + " is none of " + std::to_string(op.terms()));
  return static_cast<std::size_t>(term);
}

}  // namespace

extern "C" {

tridia_result tridia_differential_operator_create(int kind, const tridia_differential_term* terms,
                                                  int term_count, const tridia_options* options,
                                                  tridia_differential_operator** op) {
  constexpr auto handles = tridia::c_api::kind::differential_operator;
  return create<differential_operator>(handles, op, "op", [&] {
    const differential what = kind_of(kind);
    check_array(terms, term_count, "terms", "term_count");
    std::vector<tridia::differential_term> all;
    for (int k = 0; k < term_count; ++k) all.push_back(as_cpp(terms[k]));
    return differential_operator(what, std::move(all), tridia::c_api::as_cpp(options));
  });
}

tridia_result tridia_differential_operator_destroy(tridia_differential_operator* op) {
  return destroy<differential_operator>(kind::differential_operator, op, "op");
}

tridia_result tridia_differential_operator_apply(const tridia_differential_operator* op,
                                                 const void* const* in, void* const* out,
                                                 const tridia_execution* e) {
  return guarded([&] {
    const differential_operator& made = operator_of(op);
    with_arrays(made, in, out, [&](auto from, auto to) {
      with_execution(made, e, [&](const tridia::execution& with) { made.apply(from, to, with); });
    });
  });
}

tridia_result tridia_differential_operator_apply_add(const tridia_differential_operator* op,
                                                     double s, const void* const* in,
                                                     void* const* out, const tridia_execution* e) {
  return guarded([&] {
    const differential_operator& made = operator_of(op);
    with_arrays(made, in, out, [&](auto from, auto to) {
      with_execution(made, e,
                     [&](const tridia::execution& with) { made.apply_add(s, from, to, with); });
    });
  });
}

tridia_result tridia_differential_operator_term_count(const tridia_differential_operator* op,
                                                      int* count) {
  return guarded([&] { set(count, "count", operator_of(op).terms()); });
}

tridia_result tridia_differential_operator_in_count(const tridia_differential_operator* op,
                                                    int* count) {
  return guarded([&] { set(count, "count", operator_of(op).in_count()); });
}

tridia_result tridia_differential_operator_out_count(const tridia_differential_operator* op,
                                                     int* count) {
  return guarded([&] { set(count, "count", operator_of(op).out_count()); });
}

tridia_result tridia_differential_operator_kind(const tridia_differential_operator* op, int* kind) {
  return guarded([&] { set(kind, "kind", operator_of(op).kind()); });
}

tridia_result tridia_differential_operator_in_extents(const tridia_differential_operator* op,
                                                      int term, const int64_t** extents,
                                                      int* rank) {
  return guarded([&] {
    const differential_operator& made = operator_of(op);
    set_extents(made.in_extents(checked_term(made, term)), extents, rank);
  });
}

tridia_result tridia_differential_operator_out_extents(const tridia_differential_operator* op,
                                                       int term, const int64_t** extents,
                                                       int* rank) {
  return guarded([&] {
    const differential_operator& made = operator_of(op);
    set_extents(made.out_extents(checked_term(made, term)), extents, rank);
  });
}

tridia_result tridia_differential_operator_backend(const tridia_differential_operator* op,
                                                   int* backend) {
  return guarded([&] { set(backend, "backend", operator_of(op).backend()); });
}

tridia_result tridia_differential_operator_device(const tridia_differential_operator* op,
                                                  int* device) {
  return guarded([&] { set(device, "device", operator_of(op).device()); });
}

tridia_result tridia_differential_operator_threads(const tridia_differential_operator* op,
                                                   int* threads) {
  return guarded([&] { set(threads, "threads", operator_of(op).threads()); });
}

tridia_result tridia_differential_operator_workspace_bytes(const tridia_differential_operator* op,
                                                           size_t* bytes) {
  return guarded([&] { set(bytes, "bytes", operator_of(op).workspace_bytes()); });
}

tridia_result tridia_differential_operator_warning(const tridia_differential_operator* op,
                                                   const char** warning) {
  return guarded([&] { set(warning, "warning", operator_of(op).warning().c_str()); });
}

tridia_result tridia_differential_operator_description(const tridia_differential_operator* op,
                                                       const char** description) {
  return guarded([&] { set(description, "description", operator_of(op).description().c_str()); });
}

}  // extern "C"
