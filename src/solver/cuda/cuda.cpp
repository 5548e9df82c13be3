// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#include "solver/cuda/check.hpp"
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

int find_device(int asked) {
  int count = 0;
  const cudaError_t result = cudaGetDeviceCount(&count);
  if (result != cudaSuccess || count == 0) {
    cudaGetLastError();
    throw error(errc::unsupported,
                std::string("backend: cuda was asked for, but there is no usable device (") +
                    (result == cudaSuccess ? "none is visible" : cudaGetErrorString(result)) + ")");
  }
  if (asked >= count || asked < -1) {
    throw error(errc::invalid_argument, "cuda_device: " + std::to_string(asked) +
                                            " was asked for, but there are " +
                                            std::to_string(count) + " devices");
  }
  int device = asked;
  if (asked == -1) check(cudaGetDevice(&device), "cudaGetDevice");
  return device;
}

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
    method_ = choose_method(task_, limits);
    factored_ = choose_factored_method(task_, limits);
    if (factored_) {
      factors_bytes_ = launches_for(task_, launches_f32, launches_f64, launches_c64, launches_c128)
                           .factors_bytes(task_);
    }
    columns_ = columns_for(line_count(task_), limits);
  }
  ~executor() override {
    int before = 0;
    // Memory is freed on its own device; nothing can be reported from here.
    if (cudaGetDevice(&before) != cudaSuccess || cudaSetDevice(device_) != cudaSuccess) return;
    method_.reset();
    ragged_ = {};
    off_diagonal_ = {};
    cudaSetDevice(before);
  }
  executor(const executor&) = delete;  // methods refer to the task
  executor& operator=(const executor&) = delete;

  int cuda_device() const override { return device_; }
  std::string manner() const override { return method_ ? method_->manner() : factored_->manner(); }
  std::size_t workspace_bytes() const override {
    if (line_count(task_) == 0) return 0;
    return method_ ? method_->workspace_bytes() : factors_bytes();
  }
  std::size_t factors_bytes() const override { return factors_bytes_; }

  void check_pointer(const char* name, const void* p) const override {
    cudaPointerAttributes a{};
    check(cudaPointerGetAttributes(&a, p), "cudaPointerGetAttributes");
    const bool here = a.type == cudaMemoryTypeManaged || a.type == cudaMemoryTypeHost ||
                      (a.type == cudaMemoryTypeDevice && a.device == device_);
    if (here) return;
    throw error(errc::wrong_device,
                std::string(name) + ": is memory of " +
                    (a.type == cudaMemoryTypeDevice ? "device " + std::to_string(a.device)
                                                    : std::string("the host")) +
                    ", but the plan is for CUDA device " + std::to_string(device_));
  }

  void execute(const operands& o, void* workspace, void* stream) const override {
    if (line_count(task_) == 0) return;
    if (method_) {
      const device_scope scope(device_);
      check(method_->solve(o, align(workspace), as_stream(stream)), "launching a solve");
      return;
    }
    operands matrix = o;
    matrix.status = nullptr;
    factor(matrix, workspace, nullptr, stream);
    solve(workspace, o, nullptr, stream);
  }

  void factor(const operands& o, void* factors, void*, void* stream) const override {
    check_factored();
    const geometry& g = task_.geometry;
    if (g.matrices.size == 0) return;
    const device_scope scope(device_);
    const factor_block block = split_factors(g, factors);
    check(factored_->factor(o, block.status, block.data, as_stream(stream)),
          "launching a factorization");
    enter_statuses(block, o.status, stream);
  }

  void solve(const void* factors, const operands& o, void*, void* stream) const override {
    check_factored();
    if (line_count(task_) == 0) return;
    const device_scope scope(device_);
    const factor_block block = split_factors(task_.geometry, const_cast<void*>(factors));
    enter_statuses(block, o.status, stream);
    check(factored_->substitute(o, block.status, block.data, as_stream(stream)),
          "launching a substitution");
  }

 private:
  void check_factored() const {
    if (factored_) return;
    throw error(errc::unsupported, "algorithm: " + std::string(name(task_.options.algorithm)) +
                                       " keeps no factors: execute, or ask for automatic");
  }

  static cudaStream_t as_stream(void* stream) { return static_cast<cudaStream_t>(stream); }

  void enter_statuses(const factor_block& block, index_t* status, void* stream) const {
    if (status == nullptr || line_count(task_) == 0) return;
    check(launch_enter_statuses(task_.geometry, block.status, status, columns_, as_stream(stream)),
          "launching the statuses");
  }

  task task_;
  int device_;
  device_memory ragged_, off_diagonal_;
  std::unique_ptr<const method> method_;             // null if it goes by factors
  std::unique_ptr<const factored_method> factored_;  // null if none are kept
  std::size_t factors_bytes_ = 0;
  index_t columns_ = 0;
};

}  // namespace
}  // namespace tridia::cuda

namespace tridia::solver {

std::unique_ptr<const executor> make_cuda(const task& t) {
  return std::make_unique<cuda::executor>(t);
}

}  // namespace tridia::solver
