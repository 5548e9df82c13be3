// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tridia/plan.hpp"

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "support/array.hpp"

namespace tridia_test {

/// Says how a problem is run.
struct run_options {
  tridia::backend backend = tridia::backend::reference;
  tridia::algorithm algorithm = tridia::algorithm::automatic;
  int threads = 1;
  bool factored = false;           ///< factor and solve instead of execute.
  bool status = true;              ///< Pass a status array.
  std::optional<role> alias = {};  ///< The input that is also x.
  std::size_t guard = 4;           ///< Elements (bytes times 16: workspace) around every array.
  std::size_t misalignment = 0;    ///< Bytes: of the workspace and the factors.
  bool apart = false;  ///< No two arrays are aligned alike, complex numbers only as their parts.
  void* stream = nullptr;
  std::shared_ptr<const tridia::tuning_table> tuning = {};
  tridia::algorithm_parameters parameters = {};
};

std::string describe(const run_options& m);

/// Holds a problem with its plan, arrays and workspace. All memory that is no element of an input
/// is NaN, all that is no element of x is a pattern; x starts as NaN, unless `start_from` says how.
class experiment {
 public:
  experiment(const tridia::problem& p, const run_options& m);

  [[nodiscard]] const layout& where() const { return layout_; }
  [[nodiscard]] const tridia::problem& problem() const { return layout_.problem(); }
  [[nodiscard]] const tridia::plan& plan() const { return plan_; }
  [[nodiscard]] array& of(role r) { return *arrays_[index(r)]; }
  [[nodiscard]] const array& of(role r) const { return *arrays_[index(r)]; }

  /// Fills in random matrices, times `size`: diagonally dominant if the problem asks for no
  /// pivoting. Constant ones are the problem's own, whatever `size`.
  void fill_matrices(rng& random, const wide& size = 1);
  void fill_rhs(rng& random);

  /// Sets one number before a run.
  void set(role r, index_t system, index_t row, wide value, index_t column = 0);
  /// Returns one number as the library was given it.
  [[nodiscard]] wide given(role r, index_t system, index_t row, index_t column = 0) const;
  /// Returns one number of the solution.
  [[nodiscard]] wide solution(index_t system, index_t row, index_t column = 0) const;
  /// Returns all bytes of the solution of one system, right-hand sides one after another.
  [[nodiscard]] std::vector<std::byte> solution_bytes(index_t system) const;

  /// Says whether the next runs pass a status array.
  void ask_for_statuses(bool ask) { run_options_.status = ask; }

  /// Sets what x holds before the next runs, unless it is an input: no NaN where NaN is expected.
  void start_from(const wide& held) { held_ = held; }

  /// Executes, or factors and solves. Returns what is wrong with the memory afterwards, or "".
  std::string run();
  /// Solves again after `run` with `factored`, with the right-hand sides as they are now.
  std::string solve_again();

  /// Returns the statuses after a run; empty if the run_options ask for none.
  [[nodiscard]] const std::vector<index_t>& status() const { return status_; }

  /// Returns the saved factors after a run with `factored`.
  [[nodiscard]] const buffer& factors() const { return factors_; }

  /// These are the parts of `run`, for tests that do something between them.
  void give();
  void enqueue();
  std::string take();

 private:
  static std::size_t index(role r) { return static_cast<std::size_t>(r); }
  [[nodiscard]] tridia::execution execution();
  void fill_constant();
  void give_solution();
  [[nodiscard]] std::string complaint() const;

  layout layout_;
  run_options run_options_;
  tridia::plan plan_;
  std::shared_ptr<array> arrays_[5];
  buffer workspace_, factors_, status_bytes_;
  std::vector<index_t> status_;
  wide held_;
};

/// These copy one array, or all inputs, as the library was given them, to an experiment of the same
/// shape.
void copy_array(role r, const experiment& from, experiment& to);
void copy_inputs(const experiment& from, experiment& to);

}  // namespace tridia_test
