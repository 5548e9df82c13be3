// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "../suite.hpp"
#include "device.hpp"
#include "device_systems.hpp"

#include "tridia/plan.hpp"

namespace tridia_bench {

/// Names an algorithm, or leaves it to the library.
struct solver_choice {
  tridia::algorithm algorithm = tridia::algorithm::automatic;
  tridia::algorithm_parameters parameters{};
};

/// Holds a plan of the library with all that its execution needs.
class prepared_plan {
 public:
  prepared_plan(const suite_options& options, const systems_spec& spec, tridia::pivoting p,
                cudaStream_t stream, const solver_choice& choice = {});

  [[nodiscard]] const tridia::plan& plan() const { return plan_; }
  [[nodiscard]] const tridia::execution& execution() const { return execution_; }
  void execute(const device_systems& systems, const device_array& x) const;
  /// Enters what the row says of the plan and of the solutions; wrong ones are its error.
  void judge(row& r, const device_systems& systems, const device_array& x) const;

 private:
  tridia::plan plan_;
  device_array workspace_, status_;
  tridia::execution execution_;
};

}  // namespace tridia_bench
