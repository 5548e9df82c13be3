// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "compact/specification.hpp"
#include "layout/geometry.hpp"
#include "tridia/plan.hpp"

#include <cstddef>
#include <memory>

namespace tridia::compact {

/// What a backend is asked to do, checked and reduced: a line operator on lines of real numbers. A
/// complex array has become a real one with an axis more, its strides doubled.
struct task {
  line_operator::specification line;
  value_type type;  // f32 or f64
  /// Of it: `lines[layout::rhs]` and `lines[layout::x]` are how `in` and `out` go along a line, and
  /// `right_sides` are the lines, fields among them, with their strides in the two arrays. Nothing
  /// else is set; `rows` is that of `out`.
  layout::geometry geometry;
  tridia::options options;
  /// Other than `none`: the adjoint of the line operator, as its numbers are real. `in` then has a
  /// value for each of its rows, `out` one for each of its points (of which `geometry.rows` are).
  tridia::operation operation = tridia::operation::none;
};

/// One execution: out = s op(in), or out += s op(in); `out` may be the array `in`.
struct call {
  const void* in;
  void* out;
  double s;
  bool accumulate;
  /// Right-hand sides of the rows that are prescribed: of each of them, one for each line in the
  /// order of `geometry.right_sides`. Null where none is.
  const void* prescribed;
  void* workspace;
  void* stream;
};

/// A backend's half of an operator: immutable, thread-safe. Arguments have been checked, but for
/// the device that pointers belong to.
class operator_executor {
 public:
  virtual ~operator_executor() = default;
  [[nodiscard]] virtual int threads() const { return 1; }
  [[nodiscard]] virtual int device() const { return -1; }
  [[nodiscard]] virtual std::size_t workspace_bytes() const = 0;
  /// Throws wrong_device if the backend cannot reach the memory.
  virtual void check_pointer(const char* name, const void* p) const = 0;
  virtual void apply(const call&) const = 0;
};

std::unique_ptr<const operator_executor> make_reference(const task&);
/// Of tasks whose operation is `none`.
std::unique_ptr<const operator_executor> make_cpu(const task&);
/// Of tasks whose operation is `none`. Throws `unsupported` where the backend was not built or
/// there is no device.
std::unique_ptr<const operator_executor> make_cuda(const task&);
/// Of the backend that the options name, and of any operation.
std::unique_ptr<const operator_executor> make_operator_executor(const task&);

}  // namespace tridia::compact
