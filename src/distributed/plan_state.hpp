// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "distributed/backend.hpp"
#include "distributed/bits.hpp"
#include "distributed/model.hpp"
#include "layout/resolve.hpp"
#include "tridia/plan.hpp"

#include <memory>
#include <vector>

namespace tridia::distributed {

struct plan::state {
  grid ranks;
  tridia::problem problem;
  plan_options options;
  std::shared_ptr<transport> by;
  std::unique_ptr<const backend> where{};
  int axis = 0;
  layout::resolved shapes{};
  layout::geometry geometry{};
  strategy_choice chosen{};
  // Lines that do not cross ranks are any plan's; or else the three parts of those that do.
  std::unique_ptr<const tridia::plan> whole{};
  std::shared_ptr<void> memory{};  // of `whole`
  std::unique_ptr<part> rows{};
  std::unique_ptr<interface_systems> systems{};
  std::unique_ptr<verdicts> found{};
  std::unique_ptr<laps> times{};

  // Of an execution between start and finish.
  bool started = false;
  solver::operands arrays{};
  void* stream = nullptr;

  [[nodiscard]] index_t lines() const { return geometry.matrices.size; }
  /// What is to be done with the rows here.
  [[nodiscard]] part_task rows_task() const;
};

}  // namespace tridia::distributed
