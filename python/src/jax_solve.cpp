// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#include "jax_handlers.hpp"
#include "jax_systems.hpp"

#include <string_view>

namespace tridia::python {
namespace {

std::shared_ptr<const plan> plan_of(const solve_arrays& s, const call_place& at,
                                    const solve_attributes& o) {
  // Plans of a GPU stay, as work that was enqueued with one may still run when it is dropped.
  static shared_cache<plan> on_cpus(512), on_gpus(0);
  thread_local cache_key key;
  add_systems(key, s, at, o);
  return (at.backend == backend::cpu ? on_cpus : on_gpus).find(key.bytes(), [&] {
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

/// Adds to a binding the operands and the result.
template <class Binding>
auto with_solve_buffers(Binding&& binding) {
  return std::forward<Binding>(binding)
      .template Arg<ffi::AnyBuffer>()
      .template Arg<ffi::AnyBuffer>()
      .template Arg<ffi::AnyBuffer>()
      .template Arg<ffi::AnyBuffer>()
      .template Ret<ffi::AnyBuffer>();
}

}  // namespace

XLA_FFI_DEFINE_HANDLER_SYMBOL(tridia_jax_solve_cpu, solve_on_cpu,
                              with_solve_attributes(with_solve_buffers(ffi::Ffi::Bind())));
XLA_FFI_DEFINE_HANDLER_SYMBOL(
    tridia_jax_solve_cuda, solve_on_cuda,
    with_solve_attributes(with_solve_buffers(
        ffi::Ffi::Bind().Ctx<ffi::PlatformStream<void*>>().Ctx<ffi::ScratchAllocator>())));

}  // namespace tridia::python
