// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#include "jax_call.hpp"
#include "jax_handlers.hpp"
#include "jax_make_operator.hpp"

#include <string_view>

namespace tridia::python {
namespace {

operator_arrays arrays_of(const ffi::AnyBuffer& in, const ffi::AnyBuffer& out) {
  if (out.element_type() != in.element_type()) refuse_argument("out: has another type than f");
  return {type_of("f", in), extents_of(in), extents_of(out)};
}

void make_key(cache_key& key, const ffi::AnyBuffer& in, const ffi::AnyBuffer& out,
              const call_place& at, const operator_attributes& o) {
  key.clear();
  key.add(at.backend).add(at.device).add(o.axis).add(o.spacing);
  key.add(o.periodic).add(o.adjoint);
  for (const std::string_view text :
       {o.quantity, o.staggering, o.scheme, o.closure, o.head, o.tail})
    key.add_list(text.data(), text.size());
  for (const numbers& list : {o.scheme_rows, o.closure_rows, o.metric})
    key.add_list(list.data(), list.size());
  for (const ffi::AnyBuffer* a : {&in, &out}) {
    key.add(a->element_type());
    key.add_list(a->dimensions().begin(), a->dimensions().size());
  }
}

ffi::Error apply(const ffi::AnyBuffer& in, const ffi::AnyBuffer& out, const call_place& at,
                 const operator_attributes& o) {
  return guarded([&] {
    // Those of a GPU stay: they own memory of it, which enqueued work may still read.
    static shared_cache<compact_operator> on_cpus(256), on_gpus(0);
    thread_local cache_key key;
    make_key(key, in, out, at, o);
    const auto op = (at.backend == backend::cpu ? on_cpus : on_gpus).find(key.bytes(), [&] {
      return make_operator(arrays_of(in, out), o, at.backend, at.device);
    });
    const call_workspace workspace(at, op->workspace_bytes());
    op->apply(static_cast<const void*>(in.untyped_data()), out.untyped_data(),
              workspace.for_execution(at));
  });
}

using ffi_numbers = ffi::Span<const double>;

numbers list_of(ffi_numbers a) { return {a.begin(), a.size()}; }

ffi::Error apply_on_cpu(ffi::AnyBuffer in, ffi::Result<ffi::AnyBuffer> out,
                        std::string_view quantity, std::string_view staggering,
                        std::string_view scheme, std::string_view closure, ffi_numbers scheme_rows,
                        ffi_numbers closure_rows, int64_t axis, double spacing, bool periodic,
                        std::string_view head, std::string_view tail, ffi_numbers metric,
                        bool adjoint) {
  return apply(in, *out, on_cpu(),
               {quantity, staggering, scheme, closure, list_of(scheme_rows), list_of(closure_rows),
                axis, spacing, periodic, head, tail, list_of(metric), adjoint});
}

ffi::Error apply_on_cuda(void* stream, ffi::ScratchAllocator scratch, ffi::AnyBuffer in,
                         ffi::Result<ffi::AnyBuffer> out, std::string_view quantity,
                         std::string_view staggering, std::string_view scheme,
                         std::string_view closure, ffi_numbers scheme_rows,
                         ffi_numbers closure_rows, int64_t axis, double spacing, bool periodic,
                         std::string_view head, std::string_view tail, ffi_numbers metric,
                         bool adjoint) {
  call_place at;
  if (auto e = guarded([&] { at = on_cuda(stream, scratch); }); e.failure()) return e;
  return apply(in, *out, at,
               {quantity, staggering, scheme, closure, list_of(scheme_rows), list_of(closure_rows),
                axis, spacing, periodic, head, tail, list_of(metric), adjoint});
}

/// Adds to a binding what an operator has on every platform.
template <class Binding>
auto with_operator_arguments(Binding&& binding) {
  return std::forward<Binding>(binding)
      .template Arg<ffi::AnyBuffer>()
      .template Ret<ffi::AnyBuffer>()
      .template Attr<std::string_view>("quantity")
      .template Attr<std::string_view>("staggering")
      .template Attr<std::string_view>("scheme")
      .template Attr<std::string_view>("closure")
      .template Attr<ffi_numbers>("scheme_rows")
      .template Attr<ffi_numbers>("closure_rows")
      .template Attr<int64_t>("axis")
      .template Attr<double>("spacing")
      .template Attr<bool>("periodic")
      .template Attr<std::string_view>("head")
      .template Attr<std::string_view>("tail")
      .template Attr<ffi_numbers>("metric")
      .template Attr<bool>("adjoint");
}

}  // namespace

XLA_FFI_DEFINE_HANDLER_SYMBOL(tridia_jax_operator_cpu, apply_on_cpu,
                              with_operator_arguments(ffi::Ffi::Bind()));
XLA_FFI_DEFINE_HANDLER_SYMBOL(tridia_jax_operator_cuda, apply_on_cuda,
                              with_operator_arguments(ffi::Ffi::Bind()
                                                          .Ctx<ffi::PlatformStream<void*>>()
                                                          .Ctx<ffi::ScratchAllocator>()));

}  // namespace tridia::python
