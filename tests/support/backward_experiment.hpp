// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tridia/backward.hpp"

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "support/experiment.hpp"

namespace tridia_test {

/// Returns the problem whose dl, d, du and x lie as the gradients, and whose rhs lies as g.
tridia::problem gradient_places(const tridia::problem& p, const tridia::backward_layout& l);

/// Holds a forward solve, a cotangent of its x, and the gradients that a backward plan forms.
class backward_experiment {
 public:
  backward_experiment(const tridia::problem& p, tridia::cotangents convention,
                      const run_options& how, const tridia::backward_layout& l = {});

  [[nodiscard]] experiment& forward() { return forward_; }
  [[nodiscard]] const tridia::backward_plan& plan() const { return plan_; }
  [[nodiscard]] array& of(role r) { return *arrays_[static_cast<std::size_t>(r)]; }

  /// Fills in random numbers and solves. Returns what is wrong with memory afterwards, or "".
  std::string start(rng& random);

  /// Sets which gradients of coefficients the next runs ask for.
  void want(bool dl, bool d, bool du) { wanted_[0] = dl, wanted_[1] = d, wanted_[2] = du; }

  /// Executes the backward plan. Returns what is wrong with memory afterwards, or "".
  std::string run();
  /// These are the parts of `run`, for tests that do something between them.
  void give();
  void enqueue(void* stream = nullptr);
  std::string take();

  /// Returns what is wrong with the gradients, or "": that of rhs must have a small backward error,
  /// and the others must be the products of it and x, summed one after another.
  [[nodiscard]] std::string check() const;

  /// Returns what is wrong, or "": for a random change of all inputs, the change of x that follows
  /// from it in wide arithmetic must change a linear loss as the gradients say.
  [[nodiscard]] std::string check_derivative(rng& random) const;

  /// Returns the bytes of all gradients, one array after another.
  [[nodiscard]] std::vector<std::byte> bytes() const;
  /// Returns the statuses after a run.
  [[nodiscard]] const std::vector<index_t>& status() const { return status_; }
  /// Returns one number of a gradient, or of g.
  [[nodiscard]] wide at(role r, index_t system, index_t row, index_t column = 0) const;

 private:
  [[nodiscard]] std::string check_side(index_t system, index_t column) const;
  [[nodiscard]] std::string check_band(role r) const;
  /// Calls f(element, product, system, row) for every product that is a part of a gradient.
  void each_product(role r, const std::function<void(index_t, wide, index_t, index_t)>& f) const;
  [[nodiscard]] bool is_outside(role r, index_t system, index_t row) const;

  experiment forward_;
  tridia::cotangents convention_;
  run_options how_;
  tridia::backward_plan plan_;
  layout places_;
  std::unique_ptr<array> arrays_[5];
  buffer workspace_, status_bytes_;
  std::vector<index_t> status_;
  bool wanted_[3] = {true, true, true};
};

}  // namespace tridia_test
