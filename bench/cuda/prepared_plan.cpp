// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#include "prepared_plan.hpp"

#include <algorithm>
#include <string>
#include <vector>

namespace tridia_bench {
namespace {

/// Returns the parameters of a case. CRNBC is measured as its paper has it, without PCR, whatever a
/// tuning table says.
tridia::algorithm_parameters parameters_of(const solver_choice& choice) {
  tridia::algorithm_parameters p = choice.parameters;
  if (choice.algorithm == tridia::algorithm::crnbc && p.switch_point == 0) p.switch_point = 1;
  return p;
}

}  // namespace

prepared_plan::prepared_plan(const suite_options& options, const systems_spec& spec,
                             tridia::pivoting p, cudaStream_t stream, const solver_choice& choice)
    : plan_(spec.problem(p), {.backend = tridia::backend::cuda,
                              .algorithm = choice.algorithm,
                              .tuning = options.tuning,
                              .parameters = parameters_of(choice)}),
      workspace_(plan_.workspace_bytes()),
      status_(static_cast<std::size_t>(plan_.systems()) * sizeof(index_t)),
      execution_{.workspace = workspace_.data(),
                 .workspace_bytes = plan_.workspace_bytes(),
                 .status = status_.as<index_t>(),
                 .stream = stream} {
  status_.set(0xff, stream);
}

void prepared_plan::execute(const device_systems& systems, const device_array& x) const {
  if (plan_.problem().coefficients == tridia::coefficients::constant) {
    return plan_.execute(static_cast<const void*>(systems.rhs().data()), x.data(), execution_);
  }
  plan_.execute(systems.dl().data(), systems.d().data(), systems.du().data(), systems.rhs().data(),
                x.data(), execution_);
}

void prepared_plan::judge(row& r, const device_systems& systems, const device_array& x) const {
  r.note = std::string(tridia::name(plan_.algorithm())) + ": " + plan_.reason();
  r.workspace_bytes = plan_.workspace_bytes();
  set_residual(r, systems.residual(x), systems.spec().type);
  std::vector<index_t> codes(static_cast<std::size_t>(plan_.systems()));
  status_.download(codes.data());
  const auto bad = std::count_if(codes.begin(), codes.end(), [](index_t i) { return i != 0; });
  if (bad > 0) r.error = std::to_string(bad) + " systems have a status that is not 0";
}

}  // namespace tridia_bench
