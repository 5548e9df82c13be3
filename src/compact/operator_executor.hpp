// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "compact/specification.hpp"
#include "layout/geometry.hpp"
#include "line_operator/border_exchange.hpp"
#include "tridia/plan.hpp"

#include <cstddef>
#include <memory>

namespace tridia::compact {

/// Describes the work of a backend, checked and reduced: a line operator on lines of real numbers.
/// A complex array has become a real one with one more axis, its strides doubled.
struct task {
  line_operator::specification line;
  value_type type;  // f32 or f64
  /// In the geometry, `lines[layout::rhs]` and `lines[layout::x]` hold how `in` and `out` go along
  /// a line, and `right_sides` holds the lines, fields among them, with their strides in the two
  /// arrays. Nothing else is set; `rows` is that of `out`.
  layout::geometry geometry;
  tridia::options options;
  /// Any operation other than `none` means the adjoint of the line operator, as its numbers are
  /// real. `in` then has a value for each of its rows, `out` one for each of its `geometry.rows`
  /// points.
  tridia::operation operation = tridia::operation::none;
};

/// Describes one execution: out = s op(in), or out += s op(in); `out` may be the array `in`.
struct call {
  const void* in;
  void* out;
  double s;
  bool accumulate;
  /// Points to the right-hand sides of the prescribed rows: for each row, one for each line in the
  /// order of `geometry.right_sides`. Null if no row is prescribed.
  const void* prescribed;
  void* workspace;
  void* stream;
  /// If this is not null, the prescribed right-hand sides are computed with other ranks meanwhile.
  const line_operator::border_exchange* exchange = nullptr;
};

/// Executes an operator on one backend; immutable and thread-safe. Arguments have been checked,
/// except for the device that pointers belong to.
class operator_executor {
 public:
  virtual ~operator_executor() = default;
  [[nodiscard]] virtual int threads() const { return 1; }
  [[nodiscard]] virtual int device() const { return -1; }
  /// Returns how many steps an application takes, one after another through a field in the
  /// workspace.
  [[nodiscard]] virtual int step_count() const { return 1; }
  [[nodiscard]] virtual std::size_t workspace_bytes() const = 0;
  /// Throws wrong_device if the backend cannot access the memory.
  virtual void check_pointer(const char* name, const void* p) const = 0;
  virtual void apply(const call&) const = 0;
  /// Prepares the device for calls that have an exchange. Returns false if there can be none.
  [[nodiscard]] virtual bool prepare_exchange() const { return false; }
  /// Returns whether a call for `in` may have an exchange, once the device is prepared.
  [[nodiscard]] virtual bool can_exchange(const void* /*in*/) const { return false; }
  /// Sets memory of the workspace to zeros.
  virtual void clear(void* memory, std::size_t bytes, void* stream) const = 0;
};

std::unique_ptr<const operator_executor> make_reference(const task&);
/// Makes an executor of tasks whose operation is `none`.
std::unique_ptr<const operator_executor> make_cpu(const task&);
/// Makes an executor of an adjoint that takes one pass over the arrays; null where lines have no
/// values, or are cut into parts whose results cannot be gathered at once.
std::unique_ptr<const operator_executor> make_cpu_adjoint(const task&);
/// Makes an executor of tasks whose operation is `none`. Throws `unsupported` if the backend was
/// not built or there is no device.
std::unique_ptr<const operator_executor> make_cuda(const task&);
/// Makes an executor of an adjoint that takes one pass over the arrays; null where there is none.
/// Throws as `make_cuda`.
std::unique_ptr<const operator_executor> make_cuda_adjoint(const task&);
/// Makes an executor of any operation on the backend that the options name.
std::unique_ptr<const operator_executor> make_operator_executor(const task&);

}  // namespace tridia::compact
