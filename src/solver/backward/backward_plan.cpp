// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#include "tridia/backward.hpp"

#include "core/refuse.hpp"
#include "layout/resolve.hpp"
#include "solver/backward/gradient_shapes.hpp"
#include "solver/plan_state.hpp"

#include <algorithm>
#include <new>
#include <utility>

namespace tridia {
namespace {

using layout::resolved_array;

/// Prepares comparing the memory of one output with four other arrays, so that an execution
/// allocates nothing.
struct overlap_check {
  layout::resolved arrays;
  bool may_be_same;  // the output may be the very same array as another one

  void run(const problem& p, const void* const (&others)[layout::input_count],
           const void* out) const {
    if (out == nullptr || arrays.out.empty()) return;
    for (int k = 0; !may_be_same && k < layout::input_count; ++k) {
      if (others[k] != out || arrays.in[k].empty()) continue;
      refuse(std::string(arrays.out.name) + ": is the same array as " + arrays.in[k].name +
             ", which is still needed: pass another one");
    }
    layout::check_overlap(p, arrays, others, out);
  }
};

overlap_check make_check(const resolved_array& out, const resolved_array* const (&others)[4],
                         bool may_be_same) {
  overlap_check c{{}, may_be_same};
  c.arrays.out = out;
  for (int k = 0; k < layout::input_count; ++k) c.arrays.in[k] = *others[k];
  return c;
}

std::unique_ptr<const solver::products> make_products(const problem& forward, const plan& solve,
                                                      const solver::gradient_shapes& s,
                                                      std::vector<solver::band_pass> passes) {
  if (passes.empty()) return nullptr;
  const solver::product_task task{forward.type,           std::move(passes), forward.offsets,
                                  s.forward.off_diagonal, solve.threads(),   solve.device()};
  return solve.backend() == backend::cuda ? solver::make_cuda_products(task)
                                          : solver::make_host_products(task);
}

}  // namespace

struct backward_plan::state {
  tridia::problem forward;
  solver::gradient_shapes shapes;
  tridia::plan solve;
  const plan::state* solver;                         // that of `solve`
  std::unique_ptr<const solver::products> products;  // null for constant coefficients
  // This solves and forms all gradients at once; null where no kernel does.
  std::unique_ptr<const solver::gradient_solve> fused;
  std::string reason;
  overlap_check rhs;                               // with x
  overlap_check from_inputs[solver::band_count];   // dl, d, du, g
  overlap_check from_outputs[solver::band_count];  // x, the gradient of rhs, the other bands

  [[nodiscard]] bool is_constant() const { return layout::has_constant_coefficients(forward); }

  /// Checks that the call suits the plan. `constant`: the call is meant for constant coefficients.
  void check_kind(bool constant) const {
    if (constant == is_constant()) return;
    refuse("coefficients: are " + std::string(name(forward.coefficients)) +
           (constant ? ": call execute with dl, d, du and x as well"
                     : ": there are no gradients of them; call execute(g, rhs_gradient, e)"));
  }

  void check_bands(const void* dl, const void* d, const void* du, const void* x, const void* g,
                   const gradients& to, void* const (&bands)[solver::band_count]) const;
};

void backward_plan::state::check_bands(const void* dl, const void* d, const void* du, const void* x,
                                       const void* g, const gradients& to,
                                       void* const (&bands)[solver::band_count]) const {
  const bool any = bands[0] != nullptr || bands[1] != nullptr || bands[2] != nullptr;
  if (x == nullptr && any && !shapes.forward.out.empty()) {
    refuse("x: is null, but gradients of coefficients are formed from it; its extents are " +
           layout::shape_text(shapes.forward.out.extents) + " (right-hand sides first)");
  }
  if (x != nullptr && !shapes.forward.out.empty()) solver->executor->check_pointer("x", x);
  rhs.run(forward, {x, nullptr, nullptr, nullptr}, to.rhs);
  for (int b = 0; b < solver::band_count; ++b) {
    if (bands[b] == nullptr || shapes.arrays.in[b].empty()) continue;
    solver->executor->check_pointer(shapes.arrays.in[b].name, bands[b]);
    from_inputs[b].run(forward, {dl, d, du, g}, bands[b]);
    // Each pair of bands is compared once.
    const int c = (b + 1) % solver::band_count;
    from_outputs[b].run(forward, {x, to.rhs, bands[c], nullptr}, bands[b]);
  }
}

backward_plan::backward_plan(tridia::problem forward, options options, cotangents convention,
                             backward_layout layout) {
  if (convention != cotangents::linear && convention != cotangents::conjugate) {
    refuse("convention: " + std::to_string(static_cast<int>(convention)) +
           " is none of its enumerators");
  }
  try {
    solver::gradient_shapes shapes = solver::resolve_gradients(forward, layout);
    auto adjoint = solver::make_adjoint_problem(forward, convention, shapes);
    auto solving = solver::make_plan_state(std::move(adjoint.problem), std::move(options),
                                           {"g", "gradients.rhs", adjoint.conjugated});
    const plan::state* const solver = solving.get();
    plan solve(std::move(solving));
    auto passes = solver::make_passes(forward, convention, shapes);
    auto fused = passes.size() == 1
                     ? solver->executor->fuse(passes[0], solver::has_rows_of_rhs(forward))
                     : nullptr;
    std::string reason = solve.reason();
    if (fused) reason += "; gradients of the diagonals are formed in the same launch";
    auto products = make_products(forward, solve, shapes, std::move(passes));
    const resolved_array none{};
    auto s = std::unique_ptr<state>(new state{std::move(forward),
                                              std::move(shapes),
                                              std::move(solve),
                                              solver,
                                              std::move(products),
                                              std::move(fused),
                                              std::move(reason),
                                              {},
                                              {},
                                              {}});
    s->rhs = make_check(s->shapes.arrays.out, {&s->shapes.forward.out, &none, &none, &none}, false);
    const auto *in = s->shapes.forward.in, *bands = s->shapes.arrays.in;
    for (int b = 0; b < solver::band_count; ++b) {
      s->from_inputs[b] = make_check(
          bands[b], {&in[layout::dl], &in[layout::d], &in[layout::du], &bands[layout::rhs_in]},
          true);
      s->from_outputs[b] = make_check(bands[b],
                                      {&s->shapes.forward.out, &s->shapes.arrays.out,
                                       &bands[(b + 1) % solver::band_count], &none},
                                      false);
    }
    state_ = std::move(s);
  } catch (const std::bad_alloc&) {
    throw error(errc::out_of_memory, "a backward plan: host memory ran out");
  }
}

backward_plan::~backward_plan() = default;
backward_plan::backward_plan(backward_plan&&) noexcept = default;
backward_plan& backward_plan::operator=(backward_plan&&) noexcept = default;

const problem& backward_plan::problem() const noexcept { return state_->forward; }
backend backward_plan::backend() const noexcept { return state_->solve.backend(); }
algorithm backward_plan::algorithm() const noexcept { return state_->solve.algorithm(); }
const std::string& backward_plan::reason() const noexcept { return state_->reason; }
index_t backward_plan::systems() const noexcept { return state_->solve.systems(); }
int backward_plan::device() const noexcept { return state_->solve.device(); }
int backward_plan::threads() const noexcept { return state_->solve.threads(); }
std::size_t backward_plan::workspace_bytes() const noexcept {
  const std::size_t of_solve = state_->solve.workspace_bytes();
  return state_->products ? std::max(of_solve, state_->products->workspace_bytes()) : of_solve;
}

void backward_plan::execute(const void* dl, const void* d, const void* du, const void* x,
                            const void* g, const gradients& to, const execution& e) const {
  const state& s = *state_;
  s.check_kind(false);
  void* const bands[solver::band_count] = {to.dl, to.d, to.du};
  s.check_bands(dl, d, du, x, g, to, bands);
  solver::check_memory(*s.solver->executor, "workspace", e.workspace, e.workspace_bytes,
                       workspace_bytes());
  const auto solve = solver::check_solve(*s.solver, dl, d, du, g, to.rhs, e);
  const bool rows_of_rhs = solver::has_rows_of_rhs(s.forward);
  const solver::product_operands o{
      rows_of_rhs ? to.rhs : x, rows_of_rhs ? x : to.rhs, {to.dl, to.d, to.du}};
  const bool any = to.dl != nullptr || to.d != nullptr || to.du != nullptr;
  // A kernel that forms gradients may read coefficients and g after it has stored some.
  const auto is_input = [&](const void* band) {
    return band != nullptr && (band == dl || band == d || band == du || band == g);
  };
  const bool in_place = is_input(to.dl) || is_input(to.d) || is_input(to.du);
  if (solve && any && s.fused && !in_place) return s.fused->execute(*solve, o, e.stream);
  if (solve) s.solver->executor->execute(*solve, e.workspace, e.stream);
  if (any) s.products->execute(o, e.workspace, e.stream);
}

void backward_plan::execute(const void* g, void* rhs_gradient, const execution& e) const {
  const state& s = *state_;
  s.check_kind(true);
  s.solve.execute(g, rhs_gradient, e);
}

}  // namespace tridia
