// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tridia/types.hpp"

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tridia {

/// A kernel of a GPU that tuning decides something about.
struct tunable_kernel {
  struct parameter {
    std::string_view name;
    /// The values worth trying, each above 0; 0 leaves it to the library's rule.
    std::span<const int> values;
  };
  std::string_view name;
  std::span<const parameter> parameters;
};

/// All of them; valid for ever.
std::span<const tunable_kernel> tunable_kernels() noexcept;

/// What is best for systems of one kind, as measured on GPUs of one compute capability.
struct tuning_entry {
  int compute_capability = 0;  ///< 90 is 9.0.
  std::string kernel;          ///< One of `tunable_kernels()`.
  value_type type = value_type::f64;
  tridia::pivoting pivoting = tridia::pivoting::none;
  bool interleaved = false;  ///< Neighbours in memory are other systems, not other rows.
  index_t rows = 0;          ///< Of a system.
  /// A value for each parameter of the kernel, one of those worth trying, or 0.
  std::vector<int> values;
};

/// A table of measurements, which a plan can be given (`options::tuning`). `tridia tune` makes one
/// for the GPU at hand. A plan takes what was measured for its kind of systems at the nearest
/// number of rows, at most twice or half as many; else what comes with the library, if there are
/// enough systems to keep a GPU busy; else its rules. A table of another compute capability says
/// nothing.
class tuning_table {
 public:
  /// Reads what `text` writes, or wrote in tridia 0.1 ("tridia-tuning 1"). Throws `error`
  /// (invalid_argument), which names the line.
  static tuning_table parse(std::string_view text);

  /// Throws `error` (invalid_argument) for what is no kernel, or no value of its parameters.
  void add(tuning_entry entry);
  [[nodiscard]] const std::vector<tuning_entry>& entries() const noexcept { return entries_; }

  /// A line "tridia-tuning 2", then a line an entry, as
  /// "9.0 onchip f64 none contiguous 512 chunk_rows=17 warps=2"; '#' begins a comment. Parameters
  /// that are 0 are left out.
  [[nodiscard]] std::string text() const;

 private:
  std::vector<tuning_entry> entries_;
};

}  // namespace tridia
