// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#include "prepared_cell.hpp"

#include "../row.hpp"

namespace tridia_bench {
namespace {

tridia::grid grid_of(const systems_spec& s) {
  tridia::grid g;
  g.type = s.type, g.extents = s.extents(), g.axis = s.axis();
  g.boundary = s.boundary, g.operation = s.operation;
  return g;
}

tridia::problem problem_of(const cell& c) {
  tridia::problem p = c.spec.problem(c.what->pivoting);
  if (p.boundary == tridia::boundary::periodic) p.matrix.head.clear(), p.matrix.tail.clear();
  return p;
}

}  // namespace

prepared_cell::prepared_cell(const cell& c, const tridia::options& options) : work_(c.what->work) {
  try {
    if (work_ == work::apply) {
      operator_.emplace(tridia::find_scheme(c.what->quantity, c.what->name), grid_of(c.spec),
                        options);
    } else {
      plan_.emplace(problem_of(c), options);
    }
  } catch (const tridia::error& e) {
    if (e.code() != tridia::errc::unsupported && e.code() != tridia::errc::invalid_argument) throw;
    throw left_out(e.what());
  }
}

std::size_t prepared_cell::workspace_bytes() const {
  return plan_ ? plan_->workspace_bytes() : operator_->workspace_bytes();
}

std::size_t prepared_cell::factors_bytes() const {
  return work_ == work::solve ? plan_->factors_bytes() : 0;
}

std::string prepared_cell::algorithm() const {
  return plan_ ? std::string(tridia::name(plan_->algorithm())) : "operator";
}

std::string prepared_cell::note() const {
  return plan_ ? algorithm() + ": " + plan_->reason() : operator_->description();
}

tridia::execution prepared_cell::execution(const cell_memory& m) const {
  return {.workspace = m.workspace, .workspace_bytes = workspace_bytes(), .stream = m.stream};
}

void prepared_cell::prepare(const cell_memory& m) const {
  if (work_ == work::solve) plan_->factor(m.dl, m.d, m.du, m.factors, execution(m));
}

void prepared_cell::run(const cell_memory& m) const {
  const tridia::execution e = execution(m);
  if (work_ == work::apply) {
    operator_->apply(m.rhs, m.x, e);
  } else if (work_ == work::solve) {
    plan_->solve(m.factors, m.rhs, m.x, e);
  } else if (plan_->problem().coefficients == tridia::coefficients::constant) {
    plan_->execute(m.rhs, m.x, e);
  } else {
    plan_->execute(m.dl, m.d, m.du, m.rhs, m.x, e);
  }
}

}  // namespace tridia_bench
