// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#include "jax_systems.hpp"

#include <algorithm>
#include <string>

namespace tridia::python {

std::vector<index_t> broadcast_strides(const ffi::AnyBuffer& a, std::size_t axis) {
  const auto dims = a.dimensions();
  std::vector<index_t> strides(dims.size(), 0);
  index_t step = 1;
  for (std::size_t k = dims.size(); k-- > 0;) {
    if (dims[k] != 1 || k == axis) strides[k] = step;
    step *= std::max<index_t>(dims[k], 1);
  }
  return strides;
}

void check_operand(const char* name, const ffi::AnyBuffer& a, const ffi::AnyBuffer& x,
                   std::size_t axis, index_t rows, value_type type) {
  if (type_of(name, a) != type) refuse_argument(std::string(name) + ": has another type than x");
  const auto dims = a.dimensions();
  const auto out = x.dimensions();
  if (dims.size() != out.size()) refuse_argument(std::string(name) + ": has another rank than x");
  for (std::size_t k = 0; k < dims.size(); ++k) {
    if (dims[k] != (k == axis ? rows : out[k]) && (k == axis || dims[k] != 1)) {
      refuse_argument(std::string(name) + ": has extent " + std::to_string(dims[k]) +
                      " along axis " + std::to_string(k) + ", but x has " + std::to_string(out[k]));
    }
  }
}

index_t off_diagonal_rows(const ffi::AnyBuffer& x, const solve_attributes& o) {
  return x.dimensions()[static_cast<std::size_t>(o.axis)] - (o.short_off_diagonals ? 1 : 0);
}

namespace {

bool is_shared(const ffi::AnyBuffer& a, std::size_t axis) {
  const auto dims = a.dimensions();
  for (std::size_t k = 0; k < dims.size(); ++k) {
    if (k != axis && dims[k] != 1) return false;
  }
  return true;
}

}  // namespace

problem problem_of(const solve_arrays& s, const solve_attributes& o) {
  problem p;
  p.type = type_of("b", s.rhs);
  p.extents = extents_of(s.x);
  const auto axis = static_cast<std::size_t>(o.axis);
  if (o.axis < 0 || axis >= p.extents.size())
    refuse_argument("axis: " + std::to_string(o.axis) + " is not an axis of b");
  const index_t rows = p.extents[axis], off = off_diagonal_rows(s.x, o);
  check_operand("dl", s.dl, s.x, axis, off, p.type);
  check_operand("d", s.d, s.x, axis, rows, p.type);
  check_operand("du", s.du, s.x, axis, off, p.type);
  check_operand("b", s.rhs, s.x, axis, rows, p.type);
  p.axis = static_cast<int>(o.axis);
  p.boundary = o.periodic ? boundary::periodic : boundary::regular;
  p.pivoting = o.pivoting ? pivoting::partial : pivoting::none;
  p.operation = static_cast<operation>(o.operation);
  p.short_off_diagonals = o.short_off_diagonals;
  if (is_shared(s.dl, axis) && is_shared(s.d, axis) && is_shared(s.du, axis))
    p.coefficients = coefficients::shared;
  p.dl_strides = broadcast_strides(s.dl, axis);
  p.d_strides = broadcast_strides(s.d, axis);
  p.du_strides = broadcast_strides(s.du, axis);
  p.rhs_strides = broadcast_strides(s.rhs, axis);
  return p;
}

options options_of(const call_place& at, const solve_attributes& o) {
  options made{.backend = at.backend, .threads = static_cast<int>(o.threads), .device = at.device};
  if (o.algorithm.empty()) return made;
  const auto algorithm = parse<tridia::algorithm>(o.algorithm);
  if (!algorithm)
    refuse_argument("algorithm: \"" + std::string(o.algorithm) + "\" is not an algorithm");
  made.algorithm = *algorithm;
  return made;
}

void add_systems(cache_key& key, const solve_arrays& s, const call_place& at,
                 const solve_attributes& o) {
  key.clear();
  key.add(at.backend).add(at.device).add(o.axis).add(o.operation).add(o.threads);
  key.add(o.periodic).add(o.pivoting).add(o.short_off_diagonals);
  key.add_list(o.algorithm.data(), o.algorithm.size());
  for (const ffi::AnyBuffer* a : {&s.dl, &s.d, &s.du, &s.rhs, &s.x}) {
    key.add(a->element_type());
    key.add_list(a->dimensions().begin(), a->dimensions().size());
  }
}

}  // namespace tridia::python
