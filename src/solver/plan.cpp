// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#include "tridia/plan.hpp"

#include "core/refuse.hpp"
#include "layout/resolve.hpp"
#include "line_operator/constant.hpp"
#include "solver/executor.hpp"
#include "solver/plan_state.hpp"

#include <new>
#include <utility>

namespace tridia {
namespace {

using solver::check_memory;
using solver::operands;

bool is_constant(const plan::state& s) { return layout::has_constant_coefficients(s.problem); }

std::unique_ptr<const solver::executor> make_executor(const plan::state& s) {
  const problem& p = s.problem;
  options resolved = s.options;
  resolved.algorithm = s.chosen.algorithm;
  solver::task task{p.type,
                    solver::pivoting_of(s.chosen.algorithm, p.pivoting),
                    p.boundary,
                    p.coefficients,
                    layout::make_geometry(p, s.shapes),
                    p.offsets,
                    s.shapes.off_diagonal,
                    std::move(resolved)};
  task.row_starts = s.shapes.row_starts;
  if (s.conjugated) task.geometry.conjugate = !task.geometry.conjugate;
  if (is_constant(s)) {
    task.constant = std::make_shared<line_operator::constant_matrix>(
        line_operator::make_constant_matrix(p, s.shapes.rows));
    task.boundary = task.constant->boundary;
  }
  switch (s.options.backend) {
    case backend::cpu:
      return solver::make_cpu(task);
    case backend::cuda:
      return solver::make_cuda(task);
    case backend::reference:
      return solver::make_reference(task);
  }
  refuse("backend: " + std::to_string(static_cast<int>(s.options.backend)) + " is not a backend");
}

void check_options(const options& o) {
  if (o.threads < 0) refuse("threads: " + std::to_string(o.threads) + " is below 0");
}

void check_execution(const plan::state& s, const execution& e) {
  check_memory(*s.executor, "workspace", e.workspace, e.workspace_bytes,
               s.executor->workspace_bytes());
  if (e.status != nullptr) s.executor->check_pointer("status", e.status);
}

void check_array(const plan::state& s, const layout::resolved_array& a, const void* p) {
  if (a.empty()) return;
  if (p == nullptr) {
    refuse(std::string(a.name) + ": is null, but its extents are " + layout::shape_text(a.extents) +
           " (right-hand sides first)");
  }
  s.executor->check_pointer(a.name, p);
}

/// Checks the right-hand sides and the solution of a call without a matrix.
void check_sides(const plan::state& s, const void* rhs, void* x) {
  const void* const inputs[] = {nullptr, nullptr, nullptr, rhs};
  check_array(s, s.shapes.in[layout::rhs_in], rhs);
  check_array(s, s.shapes.out, x);
  layout::check_overlap(s.problem, s.shapes, inputs, x);
}

/// Checks that the call suits the plan. `constant`: the call is meant for constant coefficients.
void check_kind(const plan::state& s, bool constant) {
  if (constant == is_constant(s)) return;
  refuse("coefficients: are " + std::string(name(s.problem.coefficients)) +
         (constant ? ": call execute with dl, d and du as well"
                   : ": the plan holds the factors of the matrix; call execute(rhs, x, e)"));
}

/// Returns whether there is no system: shared coefficients may be a matrix without any.
bool nothing_to_do(const plan::state& s) { return s.shapes.systems == 0; }

/// Returns the arrays in the order of layout::array; where A^T is solved with, dl and du have
/// changed places.
operands in_order(const plan::state& s, const void* dl, const void* d, const void* du,
                  const void* rhs, void* x, const execution& e) {
  const bool transposed = s.problem.operation != operation::none;
  return {{transposed ? du : dl, d, transposed ? dl : du, rhs}, x, e.status};
}

}  // namespace

namespace solver {

std::unique_ptr<const plan::state> make_plan_state(problem problem, options options,
                                                   const plan_variant& variant) {
  auto s = std::make_unique<plan::state>();
  check_options(options);
  s->shapes = layout::resolve(problem);
  s->shapes.in[layout::rhs_in].name = variant.rhs_name;
  s->shapes.out.name = variant.x_name;
  s->conjugated = variant.conjugated;
  s->chosen = choose(problem, s->shapes, options);
  s->problem = std::move(problem);
  s->options = std::move(options);
  s->executor = make_executor(*s);
  const std::string description = s->executor->description();
  if (!description.empty()) s->chosen.reason += "; " + description;
  return s;
}

std::optional<operands> check_solve(const plan::state& s, const void* dl, const void* d,
                                    const void* du, const void* rhs, void* x, const execution& e) {
  check_kind(s, false);
  const void* const inputs[] = {dl, d, du, rhs};
  for (int k = 0; k < layout::input_count; ++k) check_array(s, s.shapes.in[k], inputs[k]);
  check_array(s, s.shapes.out, x);
  layout::check_overlap(s.problem, s.shapes, inputs, x);
  check_execution(s, e);
  if (nothing_to_do(s)) return {};
  return in_order(s, dl, d, du, rhs, x, e);
}

void check_memory(const executor& of, const char* name, const void* p, std::size_t available,
                  std::size_t needed) {
  if (needed == 0) return;
  if (p == nullptr)
    refuse(std::string(name) + ": is null, but " + std::to_string(needed) + " bytes are needed");
  if (available < needed) {
    refuse(std::string(name) + ": has " + std::to_string(available) + " bytes, but " +
           std::to_string(needed) + " are needed");
  }
  of.check_pointer(name, p);
}

}  // namespace solver

plan::plan(tridia::problem problem, options options) {
  try {
    state_ = solver::make_plan_state(std::move(problem), std::move(options), {});
  } catch (const std::bad_alloc&) {
    throw error(errc::out_of_memory, "a plan: host memory ran out");
  }
}

plan::plan(std::unique_ptr<const state> s) noexcept : state_(std::move(s)) {}
plan::~plan() = default;
plan::plan(plan&&) noexcept = default;
plan& plan::operator=(plan&&) noexcept = default;

const problem& plan::problem() const noexcept { return state_->problem; }
backend plan::backend() const noexcept { return state_->options.backend; }
algorithm plan::algorithm() const noexcept { return state_->chosen.algorithm; }
const std::string& plan::reason() const noexcept { return state_->chosen.reason; }
index_t plan::systems() const noexcept { return state_->shapes.systems; }
int plan::device() const noexcept { return state_->executor->device(); }
int plan::threads() const noexcept { return state_->executor->threads(); }
std::size_t plan::workspace_bytes() const noexcept { return state_->executor->workspace_bytes(); }
std::size_t plan::factors_bytes() const noexcept {
  return is_constant(*state_) ? 0 : state_->executor->factors_bytes();
}

void plan::execute(const void* dl, const void* d, const void* du, const void* rhs, void* x,
                   const execution& e) const {
  const auto o = solver::check_solve(*state_, dl, d, du, rhs, x, e);
  if (o) state_->executor->execute(*o, e.workspace, e.stream);
}

void plan::execute(const void* rhs, void* x, const execution& e) const {
  const state& s = *state_;
  check_kind(s, true);
  check_sides(s, rhs, x);
  check_execution(s, e);
  if (nothing_to_do(s)) return;
  s.executor->execute(in_order(s, nullptr, nullptr, nullptr, rhs, x, e), e.workspace, e.stream);
}

void plan::factor(const void* dl, const void* d, const void* du, void* factors,
                  const execution& e) const {
  const state& s = *state_;
  check_kind(s, false);
  const void* const inputs[] = {dl, d, du};
  for (int k = 0; k < layout::rhs_in; ++k) check_array(s, s.shapes.in[k], inputs[k]);
  check_memory(*s.executor, "factors", factors, factors_bytes(), factors_bytes());
  check_execution(s, e);
  if (nothing_to_do(s)) return;
  s.executor->factor(in_order(s, dl, d, du, nullptr, nullptr, e), factors, e.workspace, e.stream);
}

void plan::solve(const void* factors, const void* rhs, void* x, const execution& e) const {
  const state& s = *state_;
  check_kind(s, false);
  check_sides(s, rhs, x);
  check_memory(*s.executor, "factors", factors, factors_bytes(), factors_bytes());
  check_execution(s, e);
  if (nothing_to_do(s)) return;
  s.executor->solve(factors, in_order(s, nullptr, nullptr, nullptr, rhs, x, e), e.workspace,
                    e.stream);
}

void plan::require_type(value_type type) const {
  if (type == state_->problem.type) return;
  refuse("arrays: are of type " + std::string(name(type)) + ", but the plan is for " +
         std::string(name(state_->problem.type)));
}

}  // namespace tridia
