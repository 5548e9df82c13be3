// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tridia/plan.hpp"
#include "tridia/view.hpp"

#include <memory>
#include <span>
#include <vector>

namespace tridia {

/// Holds the options of a one-call form. They are all in one struct, without a base class, so that
/// any of them can be named in a call: `{.backend = tridia::backend::cuda, .axis = 0}`.
struct solve_options {
  tridia::backend backend = tridia::backend::cpu;              ///< See `options::backend`.
  tridia::algorithm algorithm = tridia::algorithm::automatic;  ///< See `options::algorithm`.
  int threads = 0;                                             ///< See `options::threads`.
  int device = -1;                                             ///< See `options::device`.
  std::shared_ptr<const tuning_table> tuning = {};             ///< See `options::tuning`.
  algorithm_parameters parameters = {};                        ///< See `options::parameters`.
  /// The systems of array views lie along this axis; a negative number counts from the last.
  int axis = -1;
  tridia::boundary boundary = tridia::boundary::regular;
  tridia::pivoting pivoting = tridia::pivoting::partial;
  tridia::operation operation = tridia::operation::none;
  /// The status has one entry per system, in host memory, as in `execution::status`. If it is
  /// empty, a singular system throws `errc::singular` instead, after all systems have been solved.
  /// In both cases its x is NaN.
  std::span<index_t> status = {};
  /// This is a cudaStream_t for CUDA. The call returns when the solution is complete.
  void* stream = nullptr;

  /// Returns the options that a plan is made with.
  [[nodiscard]] options for_plan() const {
    return {backend, algorithm, threads, device, tuning, parameters};
  }
};

/// Makes a plan of `p`, allocates a workspace (where the plan runs), executes and waits. The arrays
/// are of the problem's type, and lie where the plan runs; `x` may be `rhs` or another input, as
/// for `plan::execute`. `status` and `stream` are those of `solve_options`. Throws `error` for what
/// the plan and its execution refuse, and for an allocation that fails.
void solve(const problem& p, const void* dl, const void* d, const void* du, const void* rhs,
           void* x, const options& o = {}, std::span<index_t> status = {}, void* stream = nullptr);

/// Solves as the form above does, where the coefficients are constant.
void solve(const problem& p, const void* rhs, void* x, const options& o = {},
           std::span<index_t> status = {}, void* stream = nullptr);

/// Solves `batch` dense systems of `n` rows, one after another: every array has n entries per
/// system. Aliasing and errors are as for the first form.
template <class T>
void solve(index_t n, index_t batch, const T* dl, const T* d, const T* du, const T* rhs, T* x,
           const solve_options& o = {}) {
  problem p;
  p.type = value_type_of<T>;
  p.extents = {batch, n};
  p.boundary = o.boundary;
  p.pivoting = o.pivoting;
  p.operation = o.operation;
  solve(p, static_cast<const void*>(dl), static_cast<const void*>(d), static_cast<const void*>(du),
        static_cast<const void*>(rhs), static_cast<void*>(x), o.for_plan(), o.status, o.stream);
}

namespace detail {

/// Describes an array view with its type erased, for `problem_of`.
struct shape {
  value_type type;
  std::vector<index_t> extents, strides;
};

template <array_view A>
shape shape_of(const A& a) {
  shape s{tridia::value_type_of<typename A::element_type>, {}, {}};
  for (std::size_t k = 0; k < A::rank(); ++k) {
    s.extents.push_back(static_cast<index_t>(a.extent(k)));
    s.strides.push_back(static_cast<index_t>(a.stride(k)));
  }
  return s;
}

/// Returns the problem that these arrays describe. Throws `error` (invalid_argument) where the
/// shapes disagree.
problem problem_of(const shape& dl, const shape& d, const shape& du, const shape& rhs,
                   const shape& x, const solve_options& o);

}  // namespace detail

/// Solves along `solve_options::axis` of `rhs` and `x`, which have one shape. A coefficient has
/// that shape too, or 1 instead of a batch extent (it is broadcast there), or is one-dimensional
/// (one matrix for all); both off-diagonals may be one shorter along the axis. Any strides; `x` may
/// be `rhs` itself. Memory and errors are as for the first form.
template <array_view Dl, array_view D, array_view Du, array_view B, array_view X>
void solve(const Dl& dl, const D& d, const Du& du, const B& rhs, const X& x,
           const solve_options& o = {}) {
  using detail::shape_of;
  solve(detail::problem_of(shape_of(dl), shape_of(d), shape_of(du), shape_of(rhs), shape_of(x), o),
        static_cast<const void*>(dl.data_handle()), static_cast<const void*>(d.data_handle()),
        static_cast<const void*>(du.data_handle()), static_cast<const void*>(rhs.data_handle()),
        static_cast<void*>(x.data_handle()), o.for_plan(), o.status, o.stream);
}

}  // namespace tridia
