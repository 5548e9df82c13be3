// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#include "request.hpp"

#include <utility>

namespace tridia::python {

request request_of(nb::handle axis, nb::handle periodic, nb::handle pivoting, nb::handle transpose,
                   nb::handle algorithm, nb::handle threads) {
  request r{integer_of("axis", axis),      flag_of("periodic", periodic),
            flag_of("pivoting", pivoting), operation_of(transpose),
            algorithm_of(algorithm),       integer_of("threads", threads)};
  if (r.threads < 0 || r.threads > 1 << 20) {
    value_failure("threads", std::to_string(r.threads) + " is not from 0 to 1048576");
  }
  return r;
}

problem problem_of(const solve_shape& s, value_type type, const request& r,
                   std::vector<index_t> x_strides) {
  problem p;
  p.type = type;
  p.extents = s.extents;
  p.axis = static_cast<int>(s.axis);
  p.boundary = r.periodic ? boundary::periodic : boundary::regular;
  p.pivoting = r.pivoting ? pivoting::partial : pivoting::none;
  p.operation = r.operation;
  p.coefficients = s.shared ? coefficients::shared : coefficients::per_system;
  p.short_off_diagonals = s.short_off_diagonals;
  p.dl_strides = s.dl;
  p.d_strides = s.d;
  p.du_strides = s.du;
  p.rhs_strides = s.b;
  p.x_strides = std::move(x_strides);
  return p;
}

options options_of(const request& r, const place& w) {
  options o;
  o.backend = w.backend;
  o.device = w.device;
  o.algorithm = r.algorithm;
  o.threads = static_cast<int>(r.threads);
  return o;
}

plan_key key_of(const solve_shape& s, value_type type, const request& r,
                const std::vector<index_t>& x_strides, const place& w) {
  plan_key key;
  key.reserve(10 + 6 * s.extents.size());
  for (const index_t v : {static_cast<index_t>(s.extents.size()), static_cast<index_t>(s.axis),
                          static_cast<index_t>(type), static_cast<index_t>(r.algorithm),
                          static_cast<index_t>(r.operation), r.threads,
                          static_cast<index_t>(w.backend), static_cast<index_t>(w.device),
                          index_t{r.periodic} + 2 * index_t{r.pivoting} +
                              4 * index_t{s.short_off_diagonals} + 8 * index_t{s.shared}}) {
    key.push_back(v);
  }
  for (const auto* part : {&s.extents, &s.dl, &s.d, &s.du, &s.b, &x_strides}) {
    key.insert(key.end(), part->begin(), part->end());
  }
  return key;
}

void check_alike(std::initializer_list<const array*> arrays, const place& w) {
  const array& last = **(arrays.end() - 1);
  if (!last.is_number()) {
    if (!last.defect().empty()) value_failure(last.name(), last.defect());
    type_failure(last.name(), "is of " + last.type_text() +
                                  ", but must be of float32, float64, complex64 or complex128");
  }
  for (const array* a : arrays) {
    check_type(*a, last.number_type(), last.name());
    check_place(*a, w);
  }
}

std::vector<index_t> strides_of(const array& a) {
  std::vector<index_t> strides(static_cast<std::size_t>(a.rank()));
  for (int k = 0; k < a.rank(); ++k) strides[k] = a.stride(k);
  return strides;
}

bool has_shape(const array& a, const std::vector<index_t>& extents) {
  if (a.rank() != static_cast<int>(extents.size())) return false;
  for (int k = 0; k < a.rank(); ++k) {
    if (a.extent(k) != extents[k]) return false;
  }
  return true;
}

void check_result_shape(const array& a, const std::vector<index_t>& extents) {
  if (has_shape(a, extents)) return;
  value_failure(a.name(), "its shape is " + a.shape_text() + ", but that of the result is " +
                              tuple_text(extents.data(), extents.size()));
}

}  // namespace tridia::python
