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
  decomposition ranks;
  tridia::problem problem;
  plan_options options;
  std::shared_ptr<distributed::transport> transport;
  std::unique_ptr<const backend> where{};
  int axis = 0;
  layout::resolved shapes{};
  layout::geometry geometry{};
  strategy_choice chosen{};
  // An ordinary plan solves lines that do not cross ranks. With constant coefficients it also
  // solves this rank's rows of lines that do, except for what other ranks add to them, which are
  // `sums`, or what `faces` finds. All other lines are solved in one pass, or take the three parts.
  std::unique_ptr<const tridia::plan> whole{};
  std::unique_ptr<line_sums> sums{};
  std::unique_ptr<gathered_faces> faces{};               // in place of `sums`, for `gather`
  std::shared_ptr<void> memory{};                        // of `whole`
  std::shared_ptr<void> statuses{};                      // of systems
  std::unique_ptr<neighbour_coefficients> neighbours{};  // of A^T
  std::unique_ptr<fused_lines> fused{};                  // in place of `rows` and `systems`
  std::unique_ptr<local_rows> rows{};
  std::unique_ptr<interface_systems> systems{};
  std::unique_ptr<status_exchange> found{};
  std::unique_ptr<phase_timer> times{};

  // These members hold an execution between start and finish.
  bool started = false;
  solver::operands arrays{};
  void* stream = nullptr;

  [[nodiscard]] index_t lines() const { return geometry.matrices.size; }
  [[nodiscard]] bool constant() const { return layout::has_constant_coefficients(problem); }
  /// Returns the arrays of an execution. For A^T, dl and du are exchanged here only where lines
  /// cross ranks, because plans of whole lines do so themselves.
  [[nodiscard]] solver::operands operands_of(const void* dl, const void* d, const void* du,
                                             const void* rhs, void* x, index_t* status) const {
    return {{neighbours ? du : dl, d, neighbours ? dl : du, rhs}, x, status};
  }
  /// Returns where the statuses of this execution are written: to the caller, or to own memory
  /// where systems of several lines need them; or null.
  [[nodiscard]] index_t* statuses_of_systems() const {
    if (arrays.status != nullptr || problem.right_hand_sides == 1) return arrays.status;
    return static_cast<index_t*>(statuses.get());
  }
  /// Return the tasks for the rows of this rank, and for the interface systems of its lines.
  [[nodiscard]] local_rows_task rows_task() const;
  [[nodiscard]] interface_task systems_task() const;
};

}  // namespace tridia::distributed
