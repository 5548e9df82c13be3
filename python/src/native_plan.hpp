// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "run.hpp"
#include "tridia/plan.hpp"

#include <cstdint>
#include <optional>
#include <vector>

namespace tridia::python {

/// Describes the shape that an array must have; strides count elements.
struct array_shape {
  std::vector<index_t> extents, strides;
};

/// Holds a plan for Python, with the shapes that its arrays must have. Every function checks all
/// of its arrays before any work is done, and releases the GIL while the work runs. Where no status
/// is given on a CPU, a zero pivot throws SingularError after the work. Where `stream` is None and
/// Python code has to look at the arrays, nothing is done, and NotImplemented is returned.
class native_plan {
 public:
  native_plan(tridia::problem p, const options& o, bool stacked);

  nb::object execute(nb::handle dl, nb::handle d, nb::handle du, nb::handle b, nb::object out,
                     nb::handle status, nb::handle space, nb::handle stream,
                     nb::object empty) const;
  nb::object execute_constant(nb::handle b, nb::object out, nb::handle status, nb::handle space,
                              nb::handle stream, nb::object empty) const;
  void factor(nb::handle dl, nb::handle d, nb::handle du, nb::handle factors, nb::handle status,
              nb::handle space, std::uintptr_t stream, nb::object empty) const;
  nb::object solve(nb::handle factors, nb::handle b, nb::object out, nb::handle space,
                   nb::handle stream, nb::object empty) const;

  owner<const tridia::plan> made;
  bool stacked;  ///< Right-hand sides have an axis of their own before the others.
  array_shape dl, d, du, b, out;
  std::vector<index_t> batch;  ///< This is the shape of a status.

 private:
  [[nodiscard]] std::optional<place> where(nb::handle stream, nb::object empty, handles inputs,
                                           handles others) const;
  void check(const array& a, const array_shape& s, const place& w) const;
  void refuse_constant() const;
  [[nodiscard]] nb::object result(nb::object given, const place& w) const;
  /// Checks the arrays that every way to solve has, and calls `work(b, out, execution)`. The status
  /// is checked with it, where the call has one. Returns `out`, or a new array.
  template <class Work>
  nb::object run(nb::handle b, nb::object out, statuses status, nb::handle space, const place& w,
                 Work work) const;
};

}  // namespace tridia::python
