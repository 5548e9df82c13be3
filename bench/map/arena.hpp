// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "../copy_rate.hpp"
#include "../report.hpp"
#include "prepared_cell.hpp"

#include <functional>
#include <memory>
#include <optional>

namespace tridia_bench {

/// Holds the arrays that all cells of a type share, and the clock, of one backend: inputs are made
/// once for a type, as large as its largest cell needs, and every cell reads their beginnings. Rows
/// are dominant by themselves, so they are at every shape.
class arena {
 public:
  virtual ~arena() = default;
  [[nodiscard]] virtual tridia::backend backend() const = 0;
  [[nodiscard]] virtual machine_info machine() const = 0;
  /// Returns the number of threads of a CPU.
  [[nodiscard]] virtual std::optional<int> threads() const = 0;

  /// Makes the inputs of a type, of at most so many elements; those of the type before are gone.
  virtual void load(tridia::value_type type, index_t elements, std::uint64_t seed) = 0;
  /// Returns the inputs, and workspace and factors that later calls may give to other cells.
  virtual cell_memory memory(matrix m, std::size_t workspace_bytes, std::size_t factors_bytes) = 0;
  /// Makes so many elements of x NaN.
  virtual void poison(index_t elements) = 0;
  /// Returns the milliseconds of `work`: on a GPU by events, after its L2 was overwritten.
  virtual double time(const std::function<void()>& work) = 0;
  /// Waits, and judges x as the solution of systems of a kind of matrix.
  virtual double residual(const systems_spec& s) = 0;

  /// Times the fastest copy that reads so many arrays and writes one.
  virtual copy_rate copy(int reads, std::size_t array_bytes, int repetitions) = 0;
  /// Times what every call costs: an empty launch, or a parallel region without work. The result
  /// is sorted.
  virtual std::vector<double> empty_ms(int repetitions) = 0;
};

/// Makes the arena of the CPU, with all threads that OpenMP offers.
std::unique_ptr<arena> make_host_arena();
/// Makes the arena of the current GPU.
std::unique_ptr<arena> make_device_arena();

}  // namespace tridia_bench
