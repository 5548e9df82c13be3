// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tridia/error.hpp"
#include "tridia/plan.hpp"
#include "tridia/scheme.hpp"
#include "tridia/types.hpp"

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

namespace tridia {

/// Says what lies beyond an end of a line that is not periodic.
enum class end_condition {
  closure,  ///< Nothing lies there: the closure's rows are used.
  /// The field's mirror image lies there, f(-x) = f(x) or f(-x) = -f(x), with x = 0 at the first
  /// (last) point of the grid: the first entry itself, or half a cell before it where the entries
  /// are midpoints.
  symmetric,
  antisymmetric,
  /// The field's mirror image lies there, with x = 0 half a cell beyond the first (last) point; not
  /// where staggered.
  symmetric_half,
  antisymmetric_half,
};
std::string_view name(end_condition) noexcept;

/// Describes the arrays that an operator reads and writes.
struct grid {
  /// This is the element type of both arrays. An operator acts alike on the two parts of a complex
  /// field.
  value_type type = value_type::f64;

  /// This is the shape of the array that is read, with at least one axis. The array that is written
  /// has the same shape, except along the axis of a staggered operator (see `staggering`). An
  /// adjoint writes an array of this shape, and reads one of the other shape (see `operation`).
  std::vector<index_t> extents{};

  /// The lines lie along this axis; a negative number counts from the last axis, as in NumPy.
  int axis = -1;

  /// This is h, the distance of neighbouring points; not 0, and such that 1 / h^q of a derivative
  /// of order q is in the range of the type. Interpolations and filters do not use it.
  double spacing = 1;

  tridia::boundary boundary = tridia::boundary::regular;
  /// These are the conditions at the two ends of a line that is not periodic.
  end_condition head = end_condition::closure, tail = end_condition::closure;

  /// The metric of a stretched grid, for a first derivative, is dx/dxi at each result of a line,
  /// where xi is the coordinate in which points are `spacing` apart. Its values have one sign, are
  /// finite and not zero; empty means 1. (A second derivative on a stretched grid is a first one of
  /// a first one; operators of second to fourth derivatives refuse a metric.)
  std::vector<double> metric{};

  /// `none` makes the operator itself, out = scale A^-1 B in, from n points to m results along a
  /// line. `transpose` makes its adjoint, out = B^T A^-T (scale in): `in` has the operator's m
  /// results along the axis, `out` its n points. Everything else of the grid still describes the
  /// operator (`extents` the points, `metric` the results, both ends of the line), but strides,
  /// steps and fields, which are those of `in` and `out` as `apply` takes them. As the coefficients
  /// are real, `conjugate_transpose` is the same as `transpose`: for all u and v, <op(u), v> =
  /// <u, adjoint(v)>, sums of products with one factor conjugated, without weights of the grid.
  tridia::operation operation = tridia::operation::none;

  /// This is the number of fields per call, from 0: both arrays hold this many fields.
  index_t fields = 1;

  /// These strides count elements, one per axis, of any sign; empty means dense in C order. Those
  /// of `in` may be 0, which broadcasts.
  std::vector<index_t> in_strides{}, out_strides{};
  /// These steps count elements from one field to the next; 0 means one dense array after another.
  index_t in_step = 0, out_step = 0;
};

/// Applies a compact scheme along one axis of a grid, many times.
///
/// It is immutable: any number of threads may apply one operator at the same time, each with a
/// workspace of its own. Application allocates nothing and, on a GPU, does not synchronise. A field
/// is read once and the result written once, along any axis: the stencil and the solve are fused.
/// An adjoint takes a solve and then a stencil, most often in one pass too: through a field in its
/// workspace where it is staggered, and where a CPU cuts long lines into parts.
///
/// `out` may be the very same array as `in` (same pointer, strides and extents); any other overlap
/// is refused. A line that holds a NaN does not affect other lines. An operator that was moved from
/// can only be destroyed or assigned to.
class compact_operator {
 public:
  /// Makes the operator of a scheme and a closure; without one, `default_closure` is used. Throws
  /// `error`: invalid_argument where scheme, closure and grid do not fit each other (also where a
  /// line is too short for them), unsupported, out_of_memory, device_failure. `options::algorithm`
  /// must be automatic.
  compact_operator(const scheme& s, tridia::grid g, options o = {});
  compact_operator(const scheme& s, const closure& c, tridia::grid g, options o = {});
  ~compact_operator();
  compact_operator(compact_operator&&) noexcept;
  compact_operator& operator=(compact_operator&&) noexcept;

  /// Returns the grid as it was given.
  [[nodiscard]] const tridia::grid& grid() const noexcept;
  /// Returns the shape of the array that is read (of each field): that of the grid, or for an
  /// adjoint that of the results.
  [[nodiscard]] const std::vector<index_t>& in_extents() const noexcept;
  /// Returns the shape of the array that is written (of each field).
  [[nodiscard]] const std::vector<index_t>& out_extents() const noexcept;
  [[nodiscard]] tridia::backend backend() const noexcept;
  /// Returns the GPU of a CUDA operator; -1 otherwise.
  [[nodiscard]] int device() const noexcept;
  /// Returns the number of threads that a CPU operator uses; 1 otherwise.
  [[nodiscard]] int threads() const noexcept;
  /// Returns the bytes of workspace that an application needs; those of an adjoint that takes
  /// several steps (`description`) include a field like `in`.
  [[nodiscard]] std::size_t workspace_bytes() const noexcept;
  /// Returns the `closure_warning` of the closure, where one is used; or an empty string.
  [[nodiscard]] const std::string& warning() const noexcept;
  /// Returns a sentence that says what an application computes: the scheme, its closure, and
  /// whether this is the operator or its adjoint.
  [[nodiscard]] const std::string& description() const noexcept;

  /// Computes out = op(in), where op is the operator or its adjoint. Arrays and workspace lie where
  /// the operator runs; `e.status` is not used: lines of `in` with a NaN or an infinity give an
  /// unspecified `out`, and other lines are not affected. Throws `error`: invalid_argument or
  /// wrong_device before any work is done, device_failure.
  void apply(const void* in, void* out, const execution& e) const;
  /// Computes out += s op(in), which is in place a step of an explicit method. Memory and errors
  /// are as for `apply`.
  void apply_add(double s, const void* in, void* out, const execution& e) const;

  /// Computes out = op(in) or out += s op(in), as the forms above, but refuses arrays of another
  /// type than the grid's (invalid_argument).
  template <class T>
  void apply(const T* in, T* out, const execution& e) const {
    require_type(value_type_of<T>);
    apply(static_cast<const void*>(in), static_cast<void*>(out), e);
  }
  template <class T>
  void apply_add(double s, const T* in, T* out, const execution& e) const {
    require_type(value_type_of<T>);
    apply_add(s, static_cast<const void*>(in), static_cast<void*>(out), e);
  }

  /// Computes out = op(in) or out += s op(in) on a CPU, with a workspace that is allocated for the
  /// call.
  template <class T>
  void apply(const T* in, T* out) const {
    const auto memory = host_workspace();
    apply(in, out, {.workspace = memory.get(), .workspace_bytes = workspace_bytes()});
  }
  template <class T>
  void apply_add(double s, const T* in, T* out) const {
    const auto memory = host_workspace();
    apply_add(s, in, out, {.workspace = memory.get(), .workspace_bytes = workspace_bytes()});
  }

  struct state;  ///< Private to the library.

 private:
  void require_type(value_type type) const;
  [[nodiscard]] std::unique_ptr<std::byte[]> host_workspace() const;
  std::unique_ptr<const state> state_;
};

}  // namespace tridia
