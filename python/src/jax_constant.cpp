// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#include "jax_call.hpp"
#include "jax_handlers.hpp"

#include <complex>
#include <cstddef>
#include <string>

namespace tridia::python {
namespace {

using numbers = ffi::Span<const double>;

/// Holds the attributes of a solve with a matrix of constants, as `tridia._jax_constant` passes
/// them.
struct constant_attributes {
  int64_t axis;  ///< From 0.
  bool periodic, pivoting;
  int64_t operation;  ///< The value of a `tridia::operation`.
  /// These are the interior row, those of the head and those of the tail: dl, d, du of each, with
  /// their imaginary parts.
  numbers rows;
  int64_t head_count;
};

constexpr std::size_t row_size = 6;

near_toeplitz::row row_at(numbers rows, std::size_t k) {
  const double* v = rows.begin() + k * row_size;
  return {{v[0], v[1]}, {v[2], v[3]}, {v[4], v[5]}};
}

near_toeplitz matrix_of(const constant_attributes& o) {
  const std::size_t count = o.rows.size() / row_size;
  const auto tail_begin = static_cast<std::size_t>(o.head_count) + 1;
  if (o.rows.size() % row_size != 0 || o.head_count < 0 || count < tail_begin)
    refuse_argument("matrix: its rows are cut short");
  near_toeplitz matrix{.interior = row_at(o.rows, 0)};
  for (std::size_t k = 1; k < count; ++k)
    (k < tail_begin ? matrix.head : matrix.tail).push_back(row_at(o.rows, k));
  return matrix;
}

plan make_plan(const ffi::AnyBuffer& rhs, const ffi::AnyBuffer& x, const call_place& at,
               const constant_attributes& o) {
  problem p;
  p.type = type_of("b", rhs);
  p.extents = extents_of(rhs);
  if (x.element_type() != rhs.element_type() || extents_of(x) != p.extents)
    refuse_argument("x: is not like b");
  p.axis = static_cast<int>(o.axis);
  p.boundary = o.periodic ? boundary::periodic : boundary::regular;
  p.pivoting = o.pivoting ? pivoting::partial : pivoting::none;
  p.operation = static_cast<operation>(o.operation);
  p.coefficients = coefficients::constant;
  p.matrix = matrix_of(o);
  return plan(p, {.backend = at.backend, .device = at.device});
}

void make_key(cache_key& key, const ffi::AnyBuffer& rhs, const call_place& at,
              const constant_attributes& o) {
  key.clear();
  key.add(at.backend).add(at.device).add(o.axis).add(o.periodic).add(o.pivoting).add(o.operation);
  key.add(o.head_count).add_list(o.rows.begin(), o.rows.size());
  key.add(rhs.element_type());
  key.add_list(rhs.dimensions().begin(), rhs.dimensions().size());
}

ffi::Error solve(const ffi::AnyBuffer& rhs, const ffi::AnyBuffer& x, const call_place& at,
                 const constant_attributes& o) {
  return guarded([&] {
    // Those of a GPU stay: they own memory of it, which enqueued work may still read.
    static shared_cache<plan> on_cpus(256), on_gpus(0);
    thread_local cache_key key;
    make_key(key, rhs, at, o);
    const auto plan = (at.backend == backend::cpu ? on_cpus : on_gpus).find(key.bytes(), [&] {
      return make_plan(rhs, x, at, o);
    });
    const call_workspace workspace(at, plan->workspace_bytes());
    plan->execute(static_cast<const void*>(rhs.untyped_data()), x.untyped_data(),
                  workspace.for_execution(at));
  });
}

ffi::Error solve_on_cpu(ffi::AnyBuffer rhs, ffi::Result<ffi::AnyBuffer> x, int64_t axis,
                        bool periodic, bool pivoting, int64_t operation, numbers rows,
                        int64_t head_count) {
  return solve(rhs, *x, on_cpu(), {axis, periodic, pivoting, operation, rows, head_count});
}

ffi::Error solve_on_cuda(void* stream, ffi::ScratchAllocator scratch, ffi::AnyBuffer rhs,
                         ffi::Result<ffi::AnyBuffer> x, int64_t axis, bool periodic, bool pivoting,
                         int64_t operation, numbers rows, int64_t head_count) {
  call_place at;
  if (auto e = guarded([&] { at = on_cuda(stream, scratch); }); e.failure()) return e;
  return solve(rhs, *x, at, {axis, periodic, pivoting, operation, rows, head_count});
}

/// Adds to a binding what such a solve has on every platform.
template <class Binding>
auto with_constant_arguments(Binding&& binding) {
  return std::forward<Binding>(binding)
      .template Arg<ffi::AnyBuffer>()
      .template Ret<ffi::AnyBuffer>()
      .template Attr<int64_t>("axis")
      .template Attr<bool>("periodic")
      .template Attr<bool>("pivoting")
      .template Attr<int64_t>("operation")
      .template Attr<numbers>("rows")
      .template Attr<int64_t>("head_count");
}

}  // namespace

XLA_FFI_DEFINE_HANDLER_SYMBOL(tridia_jax_constant_cpu, solve_on_cpu,
                              with_constant_arguments(ffi::Ffi::Bind()));
XLA_FFI_DEFINE_HANDLER_SYMBOL(tridia_jax_constant_cuda, solve_on_cuda,
                              with_constant_arguments(ffi::Ffi::Bind()
                                                          .Ctx<ffi::PlatformStream<void*>>()
                                                          .Ctx<ffi::ScratchAllocator>()));

}  // namespace tridia::python
