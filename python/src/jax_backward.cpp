// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#include "jax_handlers.hpp"
#include "jax_systems.hpp"
#include "tridia/backward.hpp"

#include <array>
#include <optional>
#include <string_view>

namespace tridia::python {
namespace {

constexpr int band_count = 3;  // dl, d, du
constexpr const char* band_names[] = {"gradient of dl", "gradient of d", "gradient of du"};

/// Holds the buffers of a backward pass. Gradients of coefficients are there where they are wanted.
/// Along the batch they have extent 1 where they are summed.
struct backward_arrays {
  const ffi::AnyBuffer &dl, &d, &du, &x, &g, &to_rhs;
  std::array<std::optional<ffi::AnyBuffer>, band_count> bands;

  [[nodiscard]] void* band(int k) const { return bands[k] ? bands[k]->untyped_data() : nullptr; }
};

/// Returns strides for a gradient that is not wanted: a plan describes all, and those that are
/// summed alike take one pass.
std::vector<index_t> strides_like(const std::vector<index_t>* other, const ffi::AnyBuffer& x,
                                  std::size_t axis) {
  std::vector<index_t> strides = broadcast_strides(x, axis);
  for (std::size_t k = 0; other != nullptr && k < strides.size(); ++k) {
    if ((*other)[k] == 0) strides[k] = 0;
  }
  return strides;
}

backward_layout layout_of(const backward_arrays& s, const solve_attributes& o, value_type type) {
  const auto axis = static_cast<std::size_t>(o.axis);
  const index_t off = off_diagonal_rows(s.x, o), rows = s.x.dimensions()[axis];
  const std::vector<index_t>* wanted = nullptr;
  std::array<std::vector<index_t>, band_count> strides;
  for (int k = 0; k < band_count; ++k) {
    if (!s.bands[k]) continue;
    check_operand(band_names[k], *s.bands[k], s.x, axis, k == 1 ? rows : off, type);
    strides[k] = broadcast_strides(*s.bands[k], axis);
    wanted = &strides[k];
  }
  for (int k = 0; k < band_count; ++k) {
    if (!s.bands[k]) strides[k] = strides_like(wanted, s.x, axis);
  }
  backward_layout l;
  l.dl_strides = std::move(strides[0]);
  l.d_strides = std::move(strides[1]);
  l.du_strides = std::move(strides[2]);
  l.rhs_strides = l.g_strides = broadcast_strides(s.x, axis);
  return l;
}

backward_plan make_plan(const backward_arrays& s, const call_place& at, const solve_attributes& o) {
  const problem p = problem_of({s.dl, s.d, s.du, s.x, s.x}, o);
  for (const ffi::AnyBuffer* a : {&s.g, &s.to_rhs}) {
    if (type_of("g", *a) != p.type || extents_of(*a) != p.extents)
      refuse_argument("g: is not like x");
  }
  return backward_plan(p, options_of(at, o), cotangents::linear, layout_of(s, o, p.type));
}

std::shared_ptr<const backward_plan> plan_of(const backward_arrays& s, const call_place& at,
                                             const solve_attributes& o) {
  // Plans of a GPU stay, as work that was enqueued with one may still run when it is dropped.
  static shared_cache<backward_plan> on_cpus(512), on_gpus(0);
  thread_local cache_key key;
  add_systems(key, {s.dl, s.d, s.du, s.g, s.x}, at, o);
  for (const auto& band : s.bands) {
    key.add(band.has_value());
    if (band) key.add_list(band->dimensions().begin(), band->dimensions().size());
  }
  return (at.backend == backend::cpu ? on_cpus : on_gpus).find(key.bytes(), [&] {
    return make_plan(s, at, o);
  });
}

/// Distributes the results behind the first to the gradients that are wanted: bit k of `wanted`
/// says that band k is.
ffi::Error backward(backward_arrays s, const ffi::RemainingRets& rets, int64_t wanted,
                    const call_place& at, const solve_attributes& o) {
  return guarded([&] {
    std::size_t next = 0;
    for (int k = 0; k < band_count; ++k) {
      if ((wanted >> k & 1) == 0) continue;
      auto band = rets.get<ffi::AnyBuffer>(next++);
      if (!band.has_value()) refuse_argument(std::string(band_names[k]) + ": is missing");
      s.bands[k] = **band;
    }
    const auto plan = plan_of(s, at, o);
    const call_workspace workspace(at, plan->workspace_bytes());
    plan->execute(s.dl.untyped_data(), s.d.untyped_data(), s.du.untyped_data(), s.x.untyped_data(),
                  s.g.untyped_data(), {s.band(0), s.band(1), s.band(2), s.to_rhs.untyped_data()},
                  workspace.for_execution(at));
  });
}

ffi::Error backward_on_cpu(ffi::AnyBuffer dl, ffi::AnyBuffer d, ffi::AnyBuffer du, ffi::AnyBuffer x,
                           ffi::AnyBuffer g, ffi::Result<ffi::AnyBuffer> to_rhs,
                           ffi::RemainingRets rets, int64_t wanted, int64_t axis, bool periodic,
                           bool pivoting, bool short_off_diagonals, int64_t operation,
                           std::string_view algorithm, int64_t threads) {
  return backward({dl, d, du, x, g, *to_rhs, {}}, rets, wanted, on_cpu(),
                  {axis, periodic, pivoting, short_off_diagonals, operation, algorithm, threads});
}

ffi::Error backward_on_cuda(void* stream, ffi::ScratchAllocator scratch, ffi::AnyBuffer dl,
                            ffi::AnyBuffer d, ffi::AnyBuffer du, ffi::AnyBuffer x, ffi::AnyBuffer g,
                            ffi::Result<ffi::AnyBuffer> to_rhs, ffi::RemainingRets rets,
                            int64_t wanted, int64_t axis, bool periodic, bool pivoting,
                            bool short_off_diagonals, int64_t operation, std::string_view algorithm,
                            int64_t threads) {
  call_place at;
  if (auto e = guarded([&] { at = on_cuda(stream, scratch); }); e.failure()) return e;
  return backward({dl, d, du, x, g, *to_rhs, {}}, rets, wanted, at,
                  {axis, periodic, pivoting, short_off_diagonals, operation, algorithm, threads});
}

/// Adds to a binding what a backward pass has on every platform, besides a solve's attributes.
template <class Binding>
auto with_backward_buffers(Binding&& binding) {
  return std::forward<Binding>(binding)
      .template Arg<ffi::AnyBuffer>()
      .template Arg<ffi::AnyBuffer>()
      .template Arg<ffi::AnyBuffer>()
      .template Arg<ffi::AnyBuffer>()
      .template Arg<ffi::AnyBuffer>()
      .template Ret<ffi::AnyBuffer>()
      .RemainingRets()
      .template Attr<int64_t>("wanted");
}

}  // namespace

XLA_FFI_DEFINE_HANDLER_SYMBOL(tridia_jax_backward_cpu, backward_on_cpu,
                              with_solve_attributes(with_backward_buffers(ffi::Ffi::Bind())));
XLA_FFI_DEFINE_HANDLER_SYMBOL(
    tridia_jax_backward_cuda, backward_on_cuda,
    with_solve_attributes(with_backward_buffers(
        ffi::Ffi::Bind().Ctx<ffi::PlatformStream<void*>>().Ctx<ffi::ScratchAllocator>())));

}  // namespace tridia::python
