// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "compact/prepared_operator.hpp"

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace tridia::compact {

/// Names a term of a differential operator.
struct term {
  const prepared_operator* made;
  std::size_t number;  // among all terms

  /// Returns the sentence that describes the term, which takes so many steps.
  [[nodiscard]] std::string description(int steps) const {
    return "term " + std::to_string(number) + ", " + made->description(steps);
  }
};

/// Says what terms share.
struct sharing {
  bool field, result;
};

/// Does some terms of a differential operator on one backend; immutable and thread-safe.
class term_group {
 public:
  virtual ~term_group() = default;
  /// Describes the terms and, if they are several, how they are done together.
  [[nodiscard]] virtual std::string description() const = 0;
  /// Returns an executor that answers for the device, and for memory that the backend can access.
  [[nodiscard]] virtual const operator_executor& executor() const = 0;
  [[nodiscard]] virtual int threads() const = 0;
  [[nodiscard]] virtual std::size_t workspace_bytes() const = 0;
  /// Does the group's terms. `calls` are of all terms of the operator; the terms of a sum are in
  /// order. Their workspaces are the same memory.
  virtual void apply(std::span<const call> calls) const = 0;
};

/// Cuts the arrays of some terms into slabs: the slowest axes of the arrays, along which none of
/// the terms acts, have one index each in a slab.
struct slab_axes {
  /// These are axes of the arrays as `grid_arrays` has them, the slowest first.
  std::vector<std::size_t> axes;
  index_t count = 1;  // of slabs
};
/// Returns the slabs of some terms: none (a count of 1) where there is no such axis, or the arrays
/// of terms have their axes in different orders.
slab_axes slabs_of(std::span<const term>);

/// Makes a group of some terms that are done together on a CPU, slab by slab, so that arrays that
/// they share are read from a cache. Returns null where that is impossible or no gain.
std::unique_ptr<const term_group> make_cpu_group(std::span<const term>, sharing);

/// Holds all terms of an operator in groups, in the order in which they are done.
struct grouped_terms {
  std::vector<std::unique_ptr<const term_group>> groups;
  std::string description;

  [[nodiscard]] const operator_executor& executor() const { return groups.front()->executor(); }
  [[nodiscard]] int threads() const;
  [[nodiscard]] std::size_t workspace_bytes() const;
};
grouped_terms group_terms(std::span<const prepared_operator>, sharing);

}  // namespace tridia::compact
