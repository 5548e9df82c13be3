// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#include "solver/cuda/check.hpp"
#include "solver/cuda/interleaved.hpp"
#include "solver/cuda/kernels.hpp"
#include "solver/cuda/onchip.hpp"
#include "solver/cuda/segments.hpp"
#include "solver/cuda/substitute.hpp"
#include "solver/cuda/tuned.hpp"
#include "solver/executor.hpp"
#include "solver/system_memory.hpp"

#include <algorithm>

// The CUDA backend: the same steps as reference/reference.cpp, a kernel instead of each loop.
namespace tridia::cuda {
namespace {

using solver::align;
using solver::factor_block;
using solver::split_factors;
using solver::task;

/// What a task's kernels are launched by, of the four functions that give it, one a value type.
template <class Launches>
Launches find(const task& t, Launches (*f32)(pivoting, boundary),
              Launches (*f64)(pivoting, boundary), Launches (*c64)(pivoting, boundary),
              Launches (*c128)(pivoting, boundary)) {
  const auto of_type = t.type == value_type::f32    ? f32
                       : t.type == value_type::c64  ? c64
                       : t.type == value_type::c128 ? c128
                                                    : f64;
  return of_type(t.pivoting, t.boundary);
}

/// Bytes of a cluster's blocks beyond which systems are solved in segments though the chip holds
/// them: there is no room for a third block on a multiprocessor.
constexpr std::size_t crowded = std::size_t{76} << 10;

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

template <class T>
device_memory upload(const std::vector<T>& v) {
  device_memory m(v.size() * sizeof(T));
  if (!v.empty()) {
    check(cudaMemcpy(m.as<void>(), v.data(), v.size() * sizeof(T), cudaMemcpyHostToDevice),
          "copying offsets to the device");
  }
  return m;
}

class executor final : public solver::executor {
 public:
  explicit executor(const task& t)
      : task_(t),
        launches_(find(t, launches_f32, launches_f64, launches_c64, launches_c128)),
        device_(find_device(t.options.cuda_device)) {
    const device_scope scope(device_);
    if (!t.ragged.empty()) {
      ragged_ = upload(t.ragged);
      off_diagonal_ = upload(t.off_diagonal);
      task_.geometry.ragged = ragged_.as<index_t>();
      task_.geometry.off_diagonal = off_diagonal_.as<index_t>();
    }
    most_columns_ = index_t{attribute(cudaDevAttrMultiProcessorCount)} *
                    attribute(cudaDevAttrMaxThreadsPerMultiProcessor);
    plan_shape();
    plan_factored();
  }
  ~executor() override {
    int before = 0;
    // Memory is freed on its own device; nothing can be reported from here.
    if (cudaGetDevice(&before) != cudaSuccess || cudaSetDevice(device_) != cudaSuccess) return;
    ragged_ = {};
    off_diagonal_ = {};
    pieces_ = {};
    cudaSetDevice(before);
  }

  int cuda_device() const override { return device_; }
  std::string manner() const override {
    if (!fused() && substitute_) {
      return "right-hand sides on chip, " + std::to_string(substitute_->systems) + " a warp";
    }
    if (segments_) {
      const segments_shape& s = *segments_;
      return describe("in segments of " + std::to_string(s.rows.block_rows) + " rows and " +
                          std::to_string(s.levels) + " levels above them",
                      s.rows.chunk_rows, s.rows.threads, 1);
    }
    if (interleaved_) {
      const interleaved_shape& s = *interleaved_;
      return describe(
          "on chip, a lane for each of " + std::to_string(s.systems) + " neighbouring systems",
          s.chunk_rows, s.threads(), s.blocks);
    }
    if (!onchip_) return "a thread a system";
    std::string text = describe("on chip", onchip_->chunk_rows, onchip_->threads, onchip_->blocks);
    if (onchip_->joined) return text + ", systems that follow each other as one";
    text += onchip_->input == mover::pieces  ? ", moved in one piece"
            : onchip_->input == mover::lines ? ", moved a system at a time"
                                             : ", moved one by one";
    return text;
  }
  std::size_t workspace_bytes() const override {
    if (lines() == 0 || onchip_ || interleaved_) return 0;
    if (segments_) return segments_->bytes + solver::alignment;
    return fused() ? launches_.kept_bytes(task_, columns(lines())) : factors_bytes();
  }
  std::size_t factors_bytes() const override { return launches_.factors_bytes(task_); }

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
    if (!fused()) {
      operands matrix = o;
      matrix.status = nullptr;
      if (lines() > 0) factor(matrix, workspace, nullptr, stream);
      solve(workspace, o, nullptr, stream);
      return;
    }
    if (lines() == 0) return;
    const device_scope scope(device_);
    if (interleaved_) {
      check(interleaved_launches_.solve(task_.geometry, o, *interleaved_, as_stream(stream)),
            "launching a solve");
      return;
    }
    if (onchip_) {
      check(onchip_launches_.solve(task_.geometry, o, *onchip_, as_stream(stream)),
            "launching a solve");
      return;
    }
    if (segments_) {
      check(segments_launches_.solve(task_.geometry, o, *segments_, align(workspace),
                                     as_stream(stream)),
            "launching a solve");
      return;
    }
    check(launches_.solve(task_.geometry, o, align(workspace), columns(lines()), as_stream(stream)),
          "launching a solve");
  }

  void factor(const operands& o, void* factors, void*, void* stream) const override {
    const geometry& g = task_.geometry;
    if (g.matrices.size == 0) return;
    const device_scope scope(device_);
    const factor_block block = split_factors(g, factors);
    check(block_factors_ ? block_factor_launches_.factor(g, o, block.status, block.data,
                                                         most_shared_, as_stream(stream))
                         : launches_.factor(g, o, block.status, block.data,
                                            columns(g.matrices.size), as_stream(stream)),
          "launching a factorization");
    enter_statuses(block, o.status, stream);
  }

  void solve(const void* factors, const operands& o, void*, void* stream) const override {
    if (lines() == 0) return;
    const device_scope scope(device_);
    const factor_block block = split_factors(task_.geometry, const_cast<void*>(factors));
    enter_statuses(block, o.status, stream);
    const geometry& g = task_.geometry;
    check(substitute_
              ? substitute_launches_.substitute(g, o, block.status, block.data, *substitute_,
                                                substitute_blocks_, as_stream(stream))
              : launches_.substitute(g, o, block.status, block.data, columns(lines()),
                                     as_stream(stream)),
          "launching a substitution");
  }

 private:
  int attribute(cudaDeviceAttr which) const {
    int value = 0;
    check(cudaDeviceGetAttribute(&value, which, device_), "cudaDeviceGetAttribute");
    return value;
  }
  void plan_shape() {
    most_shared_ = static_cast<std::size_t>(attribute(cudaDevAttrMaxSharedMemoryPerBlockOptin));
    const bool clusters = attribute(cudaDevAttrClusterLaunch) != 0;
    // What was measured for about as many rows need not fit these.
    interleaved_ = plan_interleaved(task_, tuning_of_interleaved(), most_shared_, clusters);
    if (!interleaved_) interleaved_ = plan_interleaved(task_, {}, most_shared_, clusters);
    if (interleaved_) {
      interleaved_launches_ =
          find(task_, interleaved_f32, interleaved_f64, interleaved_c64, interleaved_c128);
      check(interleaved_launches_.prepare(interleaved_->blocks > 1, most_shared_),
            "giving a kernel its shared memory");
      return;
    }
    const onchip_limits limits{most_shared_, clusters};
    onchip_ = plan_onchip(task_, tuning_of_onchip(), limits);
    if (!onchip_) onchip_ = plan_onchip(task_, {}, limits);
    // Few blocks of a cluster wait for each other for longer than a second pass takes.
    const bool waits = onchip_ && onchip_->blocks > 1 && onchip_->shared_bytes > crowded;
    if (!onchip_ || waits) segments_ = plan_segments(task_, {}, limits);
    if (segments_) {
      onchip_.reset();
      segments_launches_ = find(task_, segments_f32, segments_f64, segments_c64, segments_c128);
      check(segments_launches_.prepare(most_shared_), "giving a kernel its shared memory");
    }
    if (!onchip_) return;
    onchip_launches_ = find(task_, onchip_f32, onchip_f64, onchip_c64, onchip_c128);
    if (onchip_->joined && !task_.ragged.empty()) {
      const std::vector<piece_start> pieces = cut_pieces(task_.ragged, *onchip_);
      pieces_ = upload(pieces);
      onchip_->pieces = pieces_.as<piece_start>();
      onchip_->piece_count = static_cast<index_t>(pieces.size()) - 1;
    }
    check(onchip_launches_.prepare(*onchip_, most_shared_), "giving a kernel its shared memory");
  }

  static std::string describe(std::string text, int chunk_rows, int threads, int blocks) {
    text += ", a thread for " + std::to_string(chunk_rows) + " rows, " + std::to_string(threads) +
            " threads a block";
    if (blocks > 1) text += ", a cluster of " + std::to_string(blocks) + " blocks a system";
    return text;
  }
  const tuning_entry* tuned_for(const char* kernel) const {
    const int capability = 10 * attribute(cudaDevAttrComputeCapabilityMajor) +
                           attribute(cudaDevAttrComputeCapabilityMinor);
    return tuned(task_, kernel, capability, layout::is_interleaved(task_.geometry));
  }
  onchip_tuning tuning_of_onchip() const {
    const tuning_entry* e = tuned_for("onchip");
    if (e == nullptr) return {};
    onchip_tuning tuning{e->values[0], e->values[1], e->values[2]};
    tuning.near = e->rows != task_.geometry.rows;
    return tuning;
  }
  interleaved_tuning tuning_of_interleaved() const {
    const tuning_entry* e = tuned_for("interleaved");
    if (e == nullptr) return {};
    return {.systems = e->values[0], .blocks = e->values[1]};
  }
  /// Few matrices are factored by a block each; right-hand sides that fit the chip stay there.
  void plan_factored() {
    const geometry& g = task_.geometry;
    const int multiprocessors = attribute(cudaDevAttrMultiProcessorCount);
    block_factors_ = task_.ragged.empty() && g.rows >= least_rows_a_block &&
                     g.matrices.size <= index_t{most_blocks_factoring} * multiprocessors;
    if (block_factors_) {
      block_factor_launches_ =
          find(task_, block_factor_f32, block_factor_f64, block_factor_c64, block_factor_c128);
      check(block_factor_launches_.prepare(most_shared_), "giving a kernel its shared memory");
    }
    substitute_ = plan_substitution(task_, {most_shared_, multiprocessors});
    if (!substitute_) return;
    substitute_launches_ =
        find(task_, substitute_f32, substitute_f64, substitute_c64, substitute_c128);
    int resident = 0;
    check(substitute_launches_.prepare(*substitute_, most_shared_, &resident),
          "giving a kernel its shared memory");
    const index_t of_block = index_t{substitute_->warps} * substitute_->systems;
    substitute_blocks_ = std::min((lines() + of_block - 1) / of_block,
                                  index_t{multiprocessors} * std::max(resident, 1));
  }

  static cudaStream_t as_stream(void* stream) { return static_cast<cudaStream_t>(stream); }

  bool fused() const { return task_.geometry.right_sides.size == 1; }
  index_t lines() const { return task_.geometry.matrices.size * task_.geometry.right_sides.size; }

  /// Threads for as many systems, no more than can be resident: more would only need more memory.
  index_t columns(index_t systems) const {
    constexpr index_t block = 128;
    return std::min((systems + block - 1) / block * block, most_columns_ / block * block);
  }

  void enter_statuses(const factor_block& block, index_t* status, void* stream) const {
    if (status == nullptr || lines() == 0) return;
    check(launch_enter_statuses(task_.geometry, block.status, status, columns(lines()),
                                as_stream(stream)),
          "launching the statuses");
  }

  task task_;
  /// Blocks for each multiprocessor up to which a block a matrix is quicker than a thread.
  static constexpr int most_blocks_factoring = 8;

  launches launches_;
  onchip_launches onchip_launches_{};
  segments_launches segments_launches_{};
  std::optional<onchip_shape> onchip_;
  std::optional<segments_shape> segments_;
  interleaved_launches interleaved_launches_{};
  std::optional<interleaved_shape> interleaved_;
  block_factor_launches block_factor_launches_{};
  bool block_factors_ = false;
  substitute_launches substitute_launches_{};
  std::optional<substitute_shape> substitute_;
  index_t substitute_blocks_ = 0;
  std::size_t most_shared_ = 0;
  int device_;
  device_memory ragged_, off_diagonal_, pieces_;
  index_t most_columns_ = 0;
};

}  // namespace
}  // namespace tridia::cuda

namespace tridia::solver {

std::unique_ptr<const executor> make_cuda(const task& t) {
  return std::make_unique<cuda::executor>(t);
}

}  // namespace tridia::solver
