// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tridia/distributed.hpp"

#include <memory>
#include <string>
#include <vector>

namespace tridia_bench {

using tridia::index_t;

/// Describes what is done along one axis of a field in f64 that is spread over ranks.
struct scaling_case {
  enum class what { solve, derivative };

  std::string kind;  ///< weak, strong, …
  what does = what::solve;
  std::vector<index_t> extents;
  std::vector<int> ranks;
  int axis = 0;
  tridia::distributed::strategy how = tridia::distributed::strategy::automatic;
  int slabs = 1;              ///< See `operator_options::slabs`.
  std::string scheme = "C6";  ///< Of a derivative, with its default closure.
};

/// Holds a step of an execution, and its seconds.
struct step {
  const char* name;
  double seconds;
};

/// Holds a case that is ready on this rank: its block of a problem whose solution is known.
class work {
 public:
  virtual ~work() = default;
  virtual void execute(void* stream) = 0;
  /// Returns the times of the last execution.
  [[nodiscard]] virtual std::vector<step> timings() const = 0;
  /// Returns the same by the thesis's steps (`tridia::distributed::step_times`), of a derivative
  /// whose lines cross ranks.
  [[nodiscard]] virtual std::vector<step> thesis_steps() const { return {}; }
  /// Returns the largest error of any point of this rank, relative to the largest value.
  [[nodiscard]] virtual double error() const = 0;
  [[nodiscard]] virtual std::size_t workspace_bytes() const = 0;
  [[nodiscard]] virtual std::string note() const = 0;
};

/// Makes the work of a case; all ranks of the communicator make it together. Its executions are
/// timed by their phases, which takes a GPU some time, or not.
std::unique_ptr<work> make_work(const scaling_case&, const tridia::distributed::communicator&,
                                bool timings);

}  // namespace tridia_bench
