// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tridia/types.hpp"

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tridia {

/// Describes a GPU kernel whose parameters can be tuned, or a named algorithm: `crnbc`, `cr_pcr`,
/// `pcr_thomas` and `hierarchical` have a switch point, `packed_cr` has a packing depth.
struct tunable_kernel {
  struct parameter {
    std::string_view name;
    /// These values are worth trying, each above 0; 0 leaves the choice to the library's rule.
    std::span<const int> values;
  };
  std::string_view name;
  std::span<const parameter> parameters;
};

/// Returns all tunable kernels; the span is always valid.
std::span<const tunable_kernel> tunable_kernels() noexcept;

/// Holds the best parameters for systems of one kind, as measured on GPUs of one compute
/// capability.
struct tuning_entry {
  int compute_capability = 0;  ///< 90 is 9.0.
  std::string kernel;          ///< One of `tunable_kernels()`.
  value_type type = value_type::f64;
  tridia::pivoting pivoting = tridia::pivoting::none;
  /// Neighbours in memory are other systems, not other rows. A named algorithm has one entry for
  /// both, where this is false.
  bool interleaved = false;
  index_t rows = 0;  ///< Rows per system.
  /// Holds one value for each parameter of the kernel: one of those worth trying, or 0.
  std::vector<int> values;
};

/// Holds a table of measurements, which a plan can be given (`options::tuning`). `tridia tune`
/// makes one for the GPU at hand. A plan uses the entry for its kind of systems with the nearest
/// number of rows, at most twice or half as many; else the table that comes with the library, if
/// there are enough systems to keep a GPU busy; else the library's rules. Entries of another
/// compute capability are not used. A plan of a named algorithm does so where
/// `algorithm_parameters` leaves the choice to it; where a block has no room for what was measured
/// at fewer rows, its switch point is halved, its packing depth doubled, until it has.
class tuning_table {
 public:
  /// Reads a table as `text` writes it, or wrote it in tridia 0.1 ("tridia-tuning 1"). Throws
  /// `error` (invalid_argument), which names the line.
  static tuning_table parse(std::string_view text);

  /// Adds an entry. Throws `error` (invalid_argument) for an unknown kernel, a value that its
  /// parameters cannot have, or systems that a named algorithm does not solve on a GPU.
  void add(tuning_entry entry);
  [[nodiscard]] const std::vector<tuning_entry>& entries() const noexcept { return entries_; }

  /// Returns the table as text: a line "tridia-tuning 2", then one line per entry, as
  /// "9.0 onchip f64 none contiguous 512 chunk_rows=17 warps=2"; '#' begins a comment. Parameters
  /// that are 0 are left out.
  [[nodiscard]] std::string text() const;

 private:
  std::vector<tuning_entry> entries_;
};

}  // namespace tridia
