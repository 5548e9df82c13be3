// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#include "gpu/check.hpp"
#include "gpu/devices.hpp"
#include "solver/cuda/broadcast.hpp"
#include "solver/cuda/factored/factored_solver.hpp"
#include "solver/cuda/method.hpp"
#include "solver/cuda/short_systems.hpp"
#include "solver/executor.hpp"
#include "solver/registry.hpp"
#include "solver/system_memory.hpp"

#include <algorithm>
#include <optional>

// The CUDA backend does the steps of reference/reference.cpp, with a kernel instead of each loop.
namespace tridia::cuda {

using namespace gpu;

namespace {

using solver::split_factors;

cudaStream_t as_stream(void* stream) { return static_cast<cudaStream_t>(stream); }

/// Makes the method of an execution. `factored` is null if no factors are saved.
std::unique_ptr<const method> make_execution(const task& t, const factored_method* factored,
                                             const device_limits& limits) {
  // An algorithm for constant coefficients alone has kernels of its own, which need no factors.
  if (t.constant && !solver::find_algorithm(t.options.algorithm)->constant_only) {
    return make_constant_method(t, *factored, limits);
  }
  if (auto chosen = choose_method(t, limits)) return chosen;
  if (auto short_systems = make_short_systems(t, limits)) return short_systems;
  if (auto broadcast = make_broadcast_of_few(t, limits)) return broadcast;
  if (!factored->scans()) {
    if (auto broadcast = make_broadcast_method(t, limits)) return broadcast;
  }
  return make_factoring_method(t, *factored, limits);
}

/// Forms gradients in the kernels of a method.
class forming_solve final : public solver::gradient_solve {
 public:
  forming_solve(const method& m, int device, const solution_bands& b)
      : method_(m), device_(device), bands_(b) {}
  void execute(const operands& o, const solver::product_operands& p, void* stream) const override {
    const device_scope scope(device_);
    check(method_.solve_and_form(o, bands_, p, as_stream(stream)),
          "launching a solve that forms gradients");
  }

 private:
  const method& method_;
  int device_;
  solution_bands bands_;
};

class cuda_executor final : public solver::executor {
 public:
  explicit cuda_executor(const task& t) : task_(t), device_(find_device(t.options.device)) {
    const device_scope scope(device_);
    if (!t.ragged.empty()) {
      ragged_ = upload(t.ragged);
      off_diagonal_ = upload(t.off_diagonal);
      task_.geometry.ragged = ragged_.as<index_t>();
      task_.geometry.off_diagonal = off_diagonal_.as<index_t>();
    }
    if (!t.row_starts.empty()) {
      row_starts_ = upload(t.row_starts);
      task_.geometry.row_starts = row_starts_.as<index_t>();
    }
    const device_limits limits = current_device_limits();
    factored_ = choose_factored_method(task_, limits);
    if (factored_) with_factors_.emplace(task_, *factored_, limits);
    method_ = make_execution(task_, factored_.get(), limits);
  }
  ~cuda_executor() override {
    int before = 0;
    // Memory is freed on its own device; nothing can be reported from here.
    if (cudaGetDevice(&before) != cudaSuccess || cudaSetDevice(device_) != cudaSuccess) return;
    method_.reset();
    with_factors_.reset();
    factored_.reset();
    ragged_ = {};
    off_diagonal_ = {};
    row_starts_ = {};
    cudaSetDevice(before);
  }
  cuda_executor(const cuda_executor&) = delete;  // methods refer to the task
  cuda_executor& operator=(const cuda_executor&) = delete;

  int device() const override { return device_; }
  std::string description() const override {
    const std::string executed = method_->description();
    if (!factored_ || task_.constant || factored_->description() == executed) return executed;
    return executed + "; with saved factors: " + factored_->description();
  }
  std::size_t workspace_bytes() const override {
    if (line_count(task_) == 0) return 0;
    const std::size_t of_factored = factored_ ? factored_->workspace_bytes() : 0;
    return std::max(method_->workspace_bytes(), of_factored);
  }
  std::size_t factors_bytes() const override { return factored_ ? factored_->factors_bytes() : 0; }

  void check_pointer(const char* name, const void* p) const override {
    check_device_pointer(name, p, device_);
  }

  void execute(const operands& o, void* workspace, void* stream) const override {
    if (line_count(task_) == 0) return;
    const device_scope scope(device_);
    check(method_->solve(o, solver::align(workspace), as_stream(stream)), "launching a solve");
  }

  std::unique_ptr<const solver::gradient_solve> fuse(const solver::band_pass& pass,
                                                     bool solution_is_u) const override {
    if (line_count(task_) == 0) return {};
    const auto bands = bands_of_solution(task_, pass, solution_is_u);
    const device_scope scope(device_);
    if (!bands || !method_->prepare_forming(*bands, current_device_limits())) return {};
    return std::make_unique<forming_solve>(*method_, device_, *bands);
  }

  void factor(const operands& o, void* factors, void*, void* stream) const override {
    const factored_solver& by = with_factors();
    const geometry& g = task_.geometry;
    if (g.matrices.size == 0) return;
    const device_scope scope(device_);
    check(by.factor(o, split_factors(g, factors), as_stream(stream)), "launching a factorization");
  }

  void solve(const void* factors, const operands& o, void* workspace, void* stream) const override {
    const factored_solver& by = with_factors();
    if (line_count(task_) == 0) return;
    const device_scope scope(device_);
    check(by.solve(o, split_factors(task_.geometry, const_cast<void*>(factors)), workspace,
                   as_stream(stream)),
          "launching a substitution");
  }

 private:
  const factored_solver& with_factors() const {
    if (with_factors_) return *with_factors_;
    throw error(errc::unsupported, "algorithm: " + std::string(name(task_.options.algorithm)) +
                                       " saves no factors: execute, or ask for automatic");
  }

  task task_;
  int device_;
  device_memory ragged_, off_diagonal_, row_starts_;
  std::unique_ptr<const factored_method> factored_;  // null if no factors are saved
  std::optional<factored_solver> with_factors_;      // if factored_
  std::unique_ptr<const method> method_;
};

}  // namespace
}  // namespace tridia::cuda

namespace tridia::solver {

std::unique_ptr<const executor> make_cuda(const task& t) {
  return std::make_unique<cuda::cuda_executor>(t);
}

}  // namespace tridia::solver
