// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "support/experiment.hpp"

namespace tridia_test {

/// Holds a problem on some backend and, with the same numbers, on the reference backend.
class twin {
 public:
  twin(const tridia::problem& p, const run_options& how);

  [[nodiscard]] experiment& trial() { return trial_; }
  [[nodiscard]] const std::string& reason() const { return trial_.plan().reason(); }

  /// Fills in random numbers. Matrices are diagonally dominant except some, one of up to `apart`,
  /// if that is not 0 and the problem asks for pivoting. Constant ones are the problem's own.
  void fill(rng& random, index_t apart = 0);

  /// Runs both. Returns what is wrong with memory around the trial's arrays, with its x by
  /// `check_solution`, or where x is not the reference's, for systems that are dominant; or "".
  std::string run();

 private:
  void fill_diagonal(rng& random, index_t apart);
  [[nodiscard]] std::string compare(index_t system) const;

  experiment trial_, reference_;
  std::vector<bool> dominant_;
};

}  // namespace tridia_test
