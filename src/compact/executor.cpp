// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#include "compact/executor.hpp"

#include "tridia/error.hpp"

namespace tridia::compact {

std::unique_ptr<const executor> make_executor(const task& t) {
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
