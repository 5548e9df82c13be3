// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#include "compact/operator_executor.hpp"

#include "compact/adjoint.hpp"
#include "tridia/error.hpp"

namespace tridia::compact {

std::unique_ptr<const operator_executor> make_operator_executor(const task& t) {
  // The reference has an adjoint of its own, which the others are tested against.
  if (t.operation != operation::none && t.options.backend != backend::reference) {
    if (t.options.backend == backend::cpu) {
      if (auto adjoint = make_cpu_adjoint(t)) return adjoint;
    } else if (t.options.backend == backend::cuda) {
      if (auto adjoint = make_cuda_adjoint(t)) return adjoint;
    }
    return make_adjoint(t);
  }
  switch (t.options.backend) {
    case backend::cpu:
      return make_cpu(t);
    case backend::reference:
      return make_reference(t);
    case backend::cuda:
      return make_cuda(t);
  }
  throw error(
      errc::invalid_argument,
      "backend: " + std::to_string(static_cast<int>(t.options.backend)) + " is not a backend");
}

}  // namespace tridia::compact
