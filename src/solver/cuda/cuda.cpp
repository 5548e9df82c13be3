// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#include "gpu/check.hpp"
#include "gpu/devices.hpp"
#include "layout/line_status.hpp"
#include "line_operator/constant.hpp"
#include "line_operator/cuda/best_scan.hpp"
#include "solver/cuda/kernels.hpp"
#include "solver/cuda/method.hpp"
#include "solver/executor.hpp"
#include "solver/system_memory.hpp"

// The CUDA backend: the same steps as reference/reference.cpp, kernels instead of each loop.
namespace tridia::cuda {
namespace {

using solver::align;
using solver::factor_block;
using solver::split_factors;

class executor final : public solver::executor {
 public:
  explicit executor(const task& t) : task_(t), device_(find_device(t.options.cuda_device)) {
    const device_scope scope(device_);
    if (!t.ragged.empty()) {
      ragged_ = upload(t.ragged);
      off_diagonal_ = upload(t.off_diagonal);
      task_.geometry.ragged = ragged_.as<index_t>();
      task_.geometry.off_diagonal = off_diagonal_.as<index_t>();
    }
    const device_limits limits = current_device_limits();
    if (!t.constant || t.options.algorithm == algorithm::neato)
      method_ = choose_method(task_, limits);
    factored_ = choose_factored_method(task_, limits);
    columns_ = columns_for(line_count(task_), limits);
    if (t.constant && !method_) {
      // Also finds out whether it is singular.
      constant_ = upload(rounded(solver::factor(*t.constant, t.pivoting), t.type));
      if (t.options.algorithm == algorithm::chunks) make_scan(limits);
    }
  }
  ~executor() override {
    int before = 0;
    // Memory is freed on its own device; nothing can be reported from here.
    if (cudaGetDevice(&before) != cudaSuccess || cudaSetDevice(device_) != cudaSuccess) return;
    method_.reset();
    factored_.reset();
    constant_ = {};
    scan_.reset();
    ragged_ = {};
    off_diagonal_ = {};
    cudaSetDevice(before);
  }
  executor(const executor&) = delete;  // methods refer to the task
  executor& operator=(const executor&) = delete;

  int cuda_device() const override { return device_; }
  std::string manner() const override {
    if (scan_) return scan_->manner();
    return method_ ? method_->manner() : factored_->manner();
  }
  std::size_t workspace_bytes() const override {
    if (line_count(task_) == 0) return 0;
    if (method_) return method_->workspace_bytes();
    if (scan_) return scan_->workspace_bytes();
    return task_.constant ? 0 : factors_bytes() + factored_->workspace_bytes();
  }
  std::size_t factors_bytes() const override { return factored_ ? factored_->factors_bytes() : 0; }

  void check_pointer(const char* name, const void* p) const override {
    check_device_pointer(name, p, device_);
  }

  void execute(const operands& o, void* workspace, void* stream) const override {
    if (line_count(task_) == 0) return;
    if (scan_) return scan(o, workspace, stream);
    if (method_) {
      const device_scope scope(device_);
      check(method_->solve(o, align(workspace), as_stream(stream)), "launching a solve");
      return;
    }
    if (task_.constant) return solve(constant_.as<void>(), o, nullptr, stream);
    operands matrix = o;
    matrix.status = nullptr;
    factor(matrix, workspace, nullptr, stream);
    solve(workspace, o, static_cast<std::byte*>(workspace) + factors_bytes(), stream);
  }

  void factor(const operands& o, void* factors, void*, void* stream) const override {
    check_factored();
    const geometry& g = task_.geometry;
    if (g.matrices.size == 0) return;
    const device_scope scope(device_);
    const factor_block block = split_factors(g, factors);
    check(factored_->factor(o, block, as_stream(stream)), "launching a factorization");
    enter_statuses(block, o.status, stream);
  }

  void solve(const void* factors, const operands& o, void* workspace, void* stream) const override {
    check_factored();
    if (line_count(task_) == 0) return;
    const device_scope scope(device_);
    const factor_block block = split_factors(task_.geometry, const_cast<void*>(factors));
    if (layout::shares_status(task_.geometry)) enter_statuses(block, o.status, stream);
    check(factored_->substitute(o, block, workspace, as_stream(stream)),
          "launching a substitution");
    share_nan(o, stream);
  }

 private:
  void check_factored() const {
    if (factored_) return;
    throw error(errc::unsupported, "algorithm: " + std::string(name(task_.options.algorithm)) +
                                       " keeps no factors: execute, or ask for automatic");
  }

  void make_scan(const device_limits& limits) {
    // Two parts, of lines that are held in rows of 64 bytes, take 10 % longer.
    constexpr index_t least_row = 64;
    if (task_.geometry.rows < 3) return;
    scan_ = best_scan::make(solver::solving_with(*task_.constant), task_.type, task_.geometry,
                            least_row, limits);
  }

  void scan(const operands& o, void* workspace, void* stream) const {
    const device_scope scope(device_);
    if (o.status != nullptr && layout::shares_status(task_.geometry)) {
      check(launch_enter_statuses(task_.geometry, nullptr, o.status, columns_, as_stream(stream)),
            "launching the statuses");
    }
    scan_->apply({o.in[layout::rhs], o.x, 1, false, o.status}, workspace, as_stream(stream));
    share_nan(o, stream);
  }

  static cudaStream_t as_stream(void* stream) { return static_cast<cudaStream_t>(stream); }

  void enter_statuses(const factor_block& block, index_t* status, void* stream) const {
    if (status == nullptr || line_count(task_) == 0) return;
    check(launch_enter_statuses(task_.geometry, block.status, status, columns_, as_stream(stream)),
          "launching the statuses");
  }

  /// After all right-hand sides have been solved.
  void share_nan(const operands& o, void* stream) const {
    if (!layout::shares_status(task_.geometry)) return;
    check(launch_share_nan(task_.type, task_.geometry, o.x, o.status, columns_, as_stream(stream)),
          "launching what right-hand sides share");
  }

  task task_;
  int device_;
  device_memory ragged_, off_diagonal_;
  device_memory constant_;                           // factors of a constant matrix
  std::unique_ptr<const method> method_;             // null if it goes by factors
  std::unique_ptr<const factored_method> factored_;  // null if none are kept
  std::unique_ptr<const best_scan> scan_;            // null unless one does for a constant matrix
  index_t columns_ = 0;
};

}  // namespace
}  // namespace tridia::cuda

namespace tridia::solver {

std::unique_ptr<const executor> make_cuda(const task& t) {
  return std::make_unique<cuda::executor>(t);
}

}  // namespace tridia::solver
