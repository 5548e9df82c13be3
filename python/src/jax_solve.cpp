// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#include "jax_call.hpp"
#include "jax_handlers.hpp"

#include <algorithm>
#include <string_view>

namespace tridia::python {
namespace {

/// Holds the attributes of a solve, as `tridia._jax.solve` passes them.
struct solve_attributes {
  int64_t axis;  ///< From 0.
  bool periodic, pivoting, short_off_diagonals;
  int64_t operation;  ///< The value of a `tridia::operation`.
  std::string_view algorithm;
  int64_t threads;
};

/// Holds the operands and the result, which have one rank. An operand has extent 1 where it is
/// broadcast along the batch; along the axis it has all its rows.
struct solve_arrays {
  const ffi::AnyBuffer &dl, &d, &du, &rhs, &x;
};

/// Returns the strides of a dense array in C order, 0 where it is broadcast along the batch.
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

/// Refuses an operand that does not broadcast to the result. XLA hands over what Python passed, but
/// a wrong stride would read foreign memory.
void check_operand(const char* name, const ffi::AnyBuffer& a, const solve_arrays& s,
                   std::size_t axis, index_t rows, value_type type) {
  if (type_of(name, a) != type) refuse_argument(std::string(name) + ": has another type than x");
  const auto dims = a.dimensions();
  const auto out = s.x.dimensions();
  if (dims.size() != out.size()) refuse_argument(std::string(name) + ": has another rank than x");
  for (std::size_t k = 0; k < dims.size(); ++k) {
    if (dims[k] != (k == axis ? rows : out[k]) && (k == axis || dims[k] != 1)) {
      refuse_argument(std::string(name) + ": has extent " + std::to_string(dims[k]) +
                      " along axis " + std::to_string(k) + ", but x has " + std::to_string(out[k]));
    }
  }
}

bool is_shared(const ffi::AnyBuffer& a, std::size_t axis) {
  const auto dims = a.dimensions();
  for (std::size_t k = 0; k < dims.size(); ++k) {
    if (k != axis && dims[k] != 1) return false;
  }
  return true;
}

problem problem_of(const solve_arrays& s, const solve_attributes& o) {
  problem p;
  p.type = type_of("b", s.rhs);
  p.extents = extents_of(s.x);
  const auto axis = static_cast<std::size_t>(o.axis);
  if (o.axis < 0 || axis >= p.extents.size())
    refuse_argument("axis: " + std::to_string(o.axis) + " is not an axis of b");
  const index_t rows = p.extents[axis], off = rows - (o.short_off_diagonals ? 1 : 0);
  check_operand("dl", s.dl, s, axis, off, p.type);
  check_operand("d", s.d, s, axis, rows, p.type);
  check_operand("du", s.du, s, axis, off, p.type);
  check_operand("b", s.rhs, s, axis, rows, p.type);
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

void make_key(cache_key& key, const solve_arrays& s, const call_place& at,
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

std::shared_ptr<const plan> plan_of(const solve_arrays& s, const call_place& at,
                                    const solve_attributes& o) {
  // Plans of a GPU stay, as work that was enqueued with one may still run when it is dropped.
  static shared_cache<plan> on_cpus(512), on_gpus(0);
  thread_local cache_key key;
  make_key(key, s, at, o);
  return (at.backend == backend::cpu ? on_cpus : on_gpus).find(key, [&] {
    return plan(problem_of(s, o), options_of(at, o));
  });
}

ffi::Error solve(const solve_arrays& s, const call_place& at, const solve_attributes& o) {
  return guarded([&] {
    const auto plan = plan_of(s, at, o);
    const call_workspace workspace(at, plan->workspace_bytes());
    plan->execute(s.dl.untyped_data(), s.d.untyped_data(), s.du.untyped_data(),
                  s.rhs.untyped_data(), s.x.untyped_data(), workspace.for_execution(at));
  });
}

ffi::Error solve_on_cpu(ffi::AnyBuffer dl, ffi::AnyBuffer d, ffi::AnyBuffer du, ffi::AnyBuffer rhs,
                        ffi::Result<ffi::AnyBuffer> x, int64_t axis, bool periodic, bool pivoting,
                        bool short_off_diagonals, int64_t operation, std::string_view algorithm,
                        int64_t threads) {
  return solve({dl, d, du, rhs, *x}, on_cpu(),
               {axis, periodic, pivoting, short_off_diagonals, operation, algorithm, threads});
}

ffi::Error solve_on_cuda(void* stream, ffi::ScratchAllocator scratch, ffi::AnyBuffer dl,
                         ffi::AnyBuffer d, ffi::AnyBuffer du, ffi::AnyBuffer rhs,
                         ffi::Result<ffi::AnyBuffer> x, int64_t axis, bool periodic, bool pivoting,
                         bool short_off_diagonals, int64_t operation, std::string_view algorithm,
                         int64_t threads) {
  call_place at;
  if (auto e = guarded([&] { at = on_cuda(stream, scratch); }); e.failure()) return e;
  return solve({dl, d, du, rhs, *x}, at,
               {axis, periodic, pivoting, short_off_diagonals, operation, algorithm, threads});
}

/// Adds to a binding what a solve has on every platform.
template <class Binding>
auto with_solve_arguments(Binding&& binding) {
  return std::forward<Binding>(binding)
      .template Arg<ffi::AnyBuffer>()
      .template Arg<ffi::AnyBuffer>()
      .template Arg<ffi::AnyBuffer>()
      .template Arg<ffi::AnyBuffer>()
      .template Ret<ffi::AnyBuffer>()
      .template Attr<int64_t>("axis")
      .template Attr<bool>("periodic")
      .template Attr<bool>("pivoting")
      .template Attr<bool>("short_off_diagonals")
      .template Attr<int64_t>("operation")
      .template Attr<std::string_view>("algorithm")
      .template Attr<int64_t>("threads");
}

}  // namespace

XLA_FFI_DEFINE_HANDLER_SYMBOL(tridia_jax_solve_cpu, solve_on_cpu,
                              with_solve_arguments(ffi::Ffi::Bind()));
XLA_FFI_DEFINE_HANDLER_SYMBOL(tridia_jax_solve_cuda, solve_on_cuda,
                              with_solve_arguments(ffi::Ffi::Bind()
                                                       .Ctx<ffi::PlatformStream<void*>>()
                                                       .Ctx<ffi::ScratchAllocator>()));

}  // namespace tridia::python
