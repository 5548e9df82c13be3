// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "layout/alignment.hpp"
#include "layout/geometry.hpp"
#include "tridia/plan.hpp"

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

namespace tridia::line_operator {

struct constant_matrix;

}  // namespace tridia::line_operator

namespace tridia::solver {

using layout::align;
using layout::alignment;
using layout::round_up;

/// Describes the work that a backend is asked to do; arguments are checked, the problem is reduced.
struct task {
  value_type type;
  tridia::pivoting pivoting;
  tridia::boundary boundary;
  tridia::coefficients coefficients;
  layout::geometry geometry;    // its pointers are null: the backend places what they point to
  std::vector<index_t> ragged;  // empty if uniform
  std::vector<index_t> off_diagonal;
  tridia::options options;  // what `algorithm::automatic` became is in them
  std::shared_ptr<const line_operator::constant_matrix>
      constant{};                     // null if the coefficients are not
  std::vector<index_t> row_starts{};  // of a packed batch; otherwise empty
};

/// Holds the arrays of one execution by layout::array; null where it does not have one.
struct operands {
  const void* in[4];  // sub, diag, sup, rhs
  void* x;
  index_t* status;
};

struct band_pass;
struct product_operands;

/// Solves, and forms the gradients of the matrices from the solution at once.
class gradient_solve {
 public:
  virtual ~gradient_solve() = default;
  virtual void execute(const operands&, const product_operands&, void* stream) const = 0;
};

/// An executor is a backend's half of a plan: immutable, thread-safe. Arguments have been checked,
/// but for the device that pointers belong to.
class executor {
 public:
  virtual ~executor() = default;
  [[nodiscard]] virtual int threads() const { return 1; }
  [[nodiscard]] virtual int device() const { return -1; }
  /// Describes how the backend does the work, for output beside the reason why the algorithm was
  /// chosen; or empty.
  [[nodiscard]] virtual std::string description() const { return {}; }
  [[nodiscard]] virtual std::size_t workspace_bytes() const = 0;
  [[nodiscard]] virtual std::size_t factors_bytes() const = 0;
  /// Throws wrong_device if the backend cannot reach the memory.
  virtual void check_pointer(const char* name, const void* p) const = 0;
  /// Solves. Where the coefficients are constant, only the right-hand sides are needed.
  virtual void execute(const operands&, void* workspace, void* stream) const = 0;
  /// Returns what does the work of `execute` and of a pass over its solution at once, or null;
  /// `solution_is_u`: that is `u` of the pass, rather than `v`. It must not outlive the executor.
  [[nodiscard]] virtual std::unique_ptr<const gradient_solve> fuse(
      const band_pass&, [[maybe_unused]] bool solution_is_u) const {
    return {};
  }
  virtual void factor(const operands&, void* factors, void* workspace, void* stream) const = 0;
  virtual void solve(const void* factors, const operands&, void* workspace, void* stream) const = 0;
};

std::unique_ptr<const executor> make_reference(const task&);
std::unique_ptr<const executor> make_cpu(const task&);
/// Throws `unsupported` where the backend was not built or there is no device.
std::unique_ptr<const executor> make_cuda(const task&);

}  // namespace tridia::solver
