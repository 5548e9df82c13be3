// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tridia/error.hpp"
#include "tridia/problem.hpp"
#include "tridia/tuning.hpp"
#include "tridia/types.hpp"

#include <cstddef>
#include <memory>
#include <string>

namespace tridia {

/// Holds the parameters of the named algorithms; 0 leaves the choice to the library: on a GPU to
/// `options::tuning` or the table that comes with the library, else to a rule. A parameter that is
/// given to an algorithm which does not have it is refused.
struct algorithm_parameters {
  /// This is the number of rows of the intermediate system: for `cr_pcr` (and `crnbc`, where 1 is
  /// the rule) the system that CR leaves to PCR, for `pcr_thomas` (and the blocks of
  /// `hierarchical`) the systems that PCR leaves to Thomas. From 1, where it is all CR (all PCR),
  /// to the rows of a system, where it is all PCR (all Thomas).
  int switch_point = 0;
  /// Each thread of `packed_cr` holds this many rows in registers: 2, 4, 8, 16 or 32.
  int packing_depth = 0;
  /// This is the reordering that `thomas` does on a GPU.
  tridia::transformation transformation = tridia::transformation::none;
  /// This is the memory that `neato` reduces in.
  tridia::neato_memory memory = tridia::neato_memory::automatic;
};

/// Says where and how a plan runs.
struct options {
  tridia::backend backend = tridia::backend::cpu;
  /// An algorithm that cannot solve the problem is refused, and the sentence says why.
  tridia::algorithm algorithm = tridia::algorithm::automatic;
  /// This is the number of CPU threads; 0 means all that OpenMP offers when the plan is made.
  int threads = 0;
  /// A CUDA plan runs on this GPU; -1 means the current one when the plan is made.
  int device = -1;
  /// This table holds what was measured on such a GPU; null means the table of the library.
  std::shared_ptr<const tuning_table> tuning{};
  /// These are the parameters of the named algorithm.
  algorithm_parameters parameters{};
};

/// Holds what one execution needs in addition to its arrays. The memory is where the plan runs:
/// host memory for a CPU plan, memory of the plan's GPU (or managed, or pinned) for a CUDA plan.
struct execution {
  /// The workspace has at least `plan::workspace_bytes()` bytes at any alignment, overlaps no
  /// array, and belongs to this execution alone until it has finished. It may be null where that is
  /// 0.
  void* workspace = nullptr;
  std::size_t workspace_bytes = 0;
  /// The status has `plan::systems()` entries, C order over the batch axes, or is null; an entry is
  /// for all right-hand sides of a system. 0: solved. -i < 0: row i (from 1) of op(A) and rhs is
  /// the first that holds a NaN or an infinity, and the solution is not finite. i > 0: pivot i is
  /// exactly zero (LAPACK's `info`). If neither explains a solution that is not finite, it is an
  /// overflow: -i with the row where it appears (the algorithms from `cr` on say -1, also where
  /// their order of elimination meets a zero pivot and that of Thomas does not).
  ///
  /// The `x` of a system whose status is not 0 is NaN in every row of all its right-hand sides
  /// (both parts of complex numbers), also where no status is asked for; other systems are not
  /// affected. There is one exception: with constant coefficients and a right-hand side that holds
  /// a NaN or an infinity, `x` of that system is unspecified.
  index_t* status = nullptr;
  /// This is a cudaStream_t; null is the default stream. CPU plans ignore it and return when done.
  void* stream = nullptr;
};

/// A plan prepares a problem so that it can be solved many times.
///
/// It is immutable: any number of threads may execute one plan at the same time, each with a
/// workspace of its own. Execution allocates nothing and, on a GPU, does not synchronise: it
/// enqueues work on the stream and can be captured in a CUDA graph.
///
/// Inputs are never changed, unless the caller passes the same array as `x`. `x` may be the very
/// same array as `rhs` (or another input): same pointer, same strides; any other overlap of `x`
/// with an input is refused. Arrays of a problem without elements may be null. Arrays have the
/// shapes and strides of the problem, and lie where the plan runs, as `execution`'s memory does.
///
/// A plan outlives the work that it has enqueued. One that was moved from can only be destroyed or
/// assigned to.
class plan {
 public:
  /// Checks the problem and chooses an algorithm. Throws `error`: invalid_argument, unsupported
  /// (an algorithm that cannot do this, a backend that is not there), singular (a constant matrix
  /// without a finite inverse), out_of_memory, device_failure.
  explicit plan(tridia::problem problem, options options = {});
  ~plan();
  plan(plan&&) noexcept;
  plan& operator=(plan&&) noexcept;

  /// Returns the problem as it was given.
  [[nodiscard]] const tridia::problem& problem() const noexcept;
  [[nodiscard]] tridia::backend backend() const noexcept;
  /// Returns the algorithm that the plan uses: the chosen one for `algorithm::automatic`.
  [[nodiscard]] tridia::algorithm algorithm() const noexcept;
  /// Returns a sentence that says why the plan uses this algorithm.
  [[nodiscard]] const std::string& reason() const noexcept;
  /// Returns the number of systems (right-hand sides not counted): the entries of a status.
  [[nodiscard]] index_t systems() const noexcept;
  /// Returns the GPU of a CUDA plan; -1 otherwise.
  [[nodiscard]] int device() const noexcept;
  /// Returns the number of threads that a CPU plan uses; 1 otherwise.
  [[nodiscard]] int threads() const noexcept;
  /// Returns the bytes of workspace that each of `execute`, `factor` and `solve` needs.
  [[nodiscard]] std::size_t workspace_bytes() const noexcept;
  /// Returns the bytes that `factor` fills and `solve` reads. Factors may be kept, at the same
  /// address, as long as the plan (or an equal one). 0 where the algorithm saves no factors (from
  /// `algorithm::cr` on): `factor` and `solve` are then refused (unsupported).
  [[nodiscard]] std::size_t factors_bytes() const noexcept;

  /// Solves every system. Throws `error`: invalid_argument or wrong_device before any work is done,
  /// device_failure if CUDA refuses the work. A singular system is not an error: its x is NaN, see
  /// `execution::status`.
  void execute(const void* dl, const void* d, const void* du, const void* rhs, void* x,
               const execution& e) const;

  /// Solves every system where the coefficients are constant: the plan holds the factors of the
  /// matrix, so that right-hand sides alone are moved. Such a plan has neither the form above, nor
  /// `factor` and `solve`; they are refused (invalid_argument), as this form is for any other plan.
  /// Throws as that form does.
  void execute(const void* rhs, void* x, const execution& e) const;

  /// Factors every matrix into `factors` (`factors_bytes()` bytes where the plan runs, at any
  /// alignment, apart from all arrays), for any number of calls of `solve`. The status is that of
  /// the matrices; here any entry that is not finite counts. Throws as `execute` does.
  void factor(const void* dl, const void* d, const void* du, void* factors,
              const execution& e) const;

  /// Solves with factors of this plan (or an equal one), which are not changed; moves only the
  /// right-hand sides and the factors. `x` may be `rhs`. Throws as `execute` does.
  void solve(const void* factors, const void* rhs, void* x, const execution& e) const;

  /// Solves as `execute` above does, but refuses arrays of another type than the problem's
  /// (invalid_argument).
  template <class T>
  void execute(const T* dl, const T* d, const T* du, const T* rhs, T* x, const execution& e) const {
    require_type(value_type_of<T>);
    execute(static_cast<const void*>(dl), static_cast<const void*>(d), static_cast<const void*>(du),
            static_cast<const void*>(rhs), static_cast<void*>(x), e);
  }

  /// Solves as `execute` with constant coefficients does, but refuses arrays of another type than
  /// the problem's (invalid_argument).
  template <class T>
  void execute(const T* rhs, T* x, const execution& e) const {
    require_type(value_type_of<T>);
    execute(static_cast<const void*>(rhs), static_cast<void*>(x), e);
  }

  struct state;                                          ///< Private to the library.
  explicit plan(std::unique_ptr<const state>) noexcept;  ///< Private to the library.

 private:
  void require_type(value_type type) const;
  std::unique_ptr<const state> state_;
};

}  // namespace tridia
