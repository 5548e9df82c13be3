// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#include "solver/cuda/method.hpp"

#include "solver/cuda/check.hpp"
#include "solver/cuda/interleaved.hpp"
#include "solver/cuda/kernels.hpp"
#include "solver/cuda/onchip.hpp"
#include "solver/cuda/segments.hpp"
#include "solver/cuda/tuned.hpp"
#include "solver/system_memory.hpp"

#include <algorithm>
#include <optional>

namespace tridia::cuda {
namespace {

/// Shared memory of a block of a cluster above which few of them are on a multiprocessor.
constexpr std::size_t crowded = std::size_t{76} << 10;
/// Rows of systems in memory order up to which no workspace is asked for.
constexpr index_t without_workspace = 16384;

std::string describe(std::string text, int chunk_rows, int threads, int blocks) {
  text += ", a thread for " + std::to_string(chunk_rows) + " rows, " + std::to_string(threads) +
          " threads a block";
  if (blocks > 1) text += ", a cluster of " + std::to_string(blocks) + " blocks a system";
  return text;
}

const tuning_entry* tuned_for(const task& t, const char* kernel, const device_limits& d) {
  return tuned(t, kernel, d.capability, layout::is_interleaved(t.geometry));
}

/// Needs nothing but a shape to be launched.
template <class Shape, class Launches>
class chip_method : public method {
 public:
  chip_method(const task& t, const Shape& s, const Launches& l)
      : task_(t), shape_(s), launches_(l) {}
  cudaError_t solve(const operands& o, std::byte*, cudaStream_t stream) const final {
    return launches_.solve(task_.geometry, o, shape_, stream);
  }

 protected:
  const task& task_;
  Shape shape_;
  Launches launches_;
};

class interleaved_method final : public chip_method<interleaved_shape, interleaved_launches> {
 public:
  interleaved_method(const task& t, const interleaved_shape& s, const device_limits& d)
      : chip_method(
            t, s,
            launches_for(t, interleaved_f32, interleaved_f64, interleaved_c64, interleaved_c128)) {
    check(launches_.prepare(s.blocks > 1, d.shared_bytes), giving_memory);
  }
  std::string manner() const override {
    return describe(
        "on chip, a lane for each of " + std::to_string(shape_.systems) + " neighbouring systems",
        shape_.chunk_rows, shape_.threads(), shape_.blocks);
  }
};

class onchip_method final : public chip_method<onchip_shape, onchip_launches> {
 public:
  onchip_method(const task& t, const onchip_shape& s, const device_limits& d)
      : chip_method(t, s, launches_for(t, onchip_f32, onchip_f64, onchip_c64, onchip_c128)) {
    if (s.joined && !t.ragged.empty()) {
      const std::vector<piece_start> pieces = cut_pieces(t.ragged, s);
      pieces_ = upload(pieces);
      shape_.pieces = pieces_.as<piece_start>();
      shape_.piece_count = static_cast<index_t>(pieces.size()) - 1;
    }
    check(launches_.prepare(s, d.shared_bytes), giving_memory);
  }
  std::string manner() const override {
    const std::string text = describe("on chip", shape_.chunk_rows, shape_.threads, shape_.blocks);
    if (shape_.joined) return text + ", systems that follow each other as one";
    return text + (shape_.input == mover::pieces  ? ", moved in one piece"
                   : shape_.input == mover::lines ? ", moved a system at a time"
                                                  : ", moved one by one");
  }

 private:
  device_memory pieces_;
};

class segments_method final : public method {
 public:
  segments_method(const task& t, const segments_shape& s, const device_limits& d)
      : task_(t),
        shape_(s),
        launches_(launches_for(t, segments_f32, segments_f64, segments_c64, segments_c128)) {
    check(launches_.prepare(d.shared_bytes), giving_memory);
  }
  std::string manner() const override {
    return describe("in segments of " + std::to_string(shape_.rows.block_rows) + " rows and " +
                        std::to_string(shape_.levels) + " levels above them",
                    shape_.rows.chunk_rows, shape_.rows.threads, 1);
  }
  std::size_t workspace_bytes() const override { return shape_.bytes + solver::alignment; }
  cudaError_t solve(const operands& o, std::byte* workspace, cudaStream_t stream) const override {
    return launches_.solve(task_.geometry, o, shape_, workspace, stream);
  }

 private:
  const task& task_;
  segments_shape shape_;
  segments_launches launches_;
};

class thread_method final : public method {
 public:
  thread_method(const task& t, const device_limits& d)
      : task_(t),
        columns_(columns_for(line_count(t), d)),
        launches_(launches_for(t, launches_f32, launches_f64, launches_c64, launches_c128)) {}
  std::string manner() const override { return "a thread a system"; }
  std::size_t workspace_bytes() const override { return launches_.kept_bytes(task_, columns_); }
  cudaError_t solve(const operands& o, std::byte* workspace, cudaStream_t stream) const override {
    return launches_.solve(task_.geometry, o, workspace, columns_, stream);
  }

 private:
  const task& task_;
  index_t columns_;
  launches launches_;
};

interleaved_tuning interleaved_tuning_of(const task& t, const device_limits& d) {
  const tuning_entry* e = tuned_for(t, "interleaved", d);
  if (e == nullptr) return {};
  return {.systems = e->values[0], .blocks = e->values[1]};
}
onchip_tuning onchip_tuning_of(const task& t, const device_limits& d) {
  const tuning_entry* e = tuned_for(t, "onchip", d);
  if (e == nullptr) return {};
  return {.chunk_rows = e->values[0],
          .warps = e->values[1],
          .blocks = e->values[2],
          .near = e->rows != t.geometry.rows};
}

}  // namespace

std::unique_ptr<const method> choose_method(const task& t, const device_limits& d) {
  if (auto named = make_named_method(t, d)) return named;
  if (t.geometry.right_sides.size != 1) return {};
  if (t.options.algorithm != algorithm::chunks) return std::make_unique<thread_method>(t, d);
  const chip_limits limits{d.shared_bytes, d.clusters};
  // What was measured for about as many rows need not fit these.
  auto interleaved = plan_interleaved(t, interleaved_tuning_of(t, d), limits);
  if (!interleaved) interleaved = plan_interleaved(t, {}, limits);
  // Few blocks of a cluster wait for each other for longer than a second pass takes.
  if (interleaved && !(interleaved->blocks > 1 && interleaved->shared_bytes > crowded)) {
    return std::make_unique<interleaved_method>(t, *interleaved, d);
  }

  auto onchip = plan_onchip(t, onchip_tuning_of(t, d), limits);
  if (!onchip) onchip = plan_onchip(t, {}, limits);
  const bool waits = onchip && onchip->blocks > 1 && onchip->shared_bytes > crowded &&
                     t.geometry.rows > without_workspace;
  if (!onchip || waits) {
    if (const auto segments = plan_segments(t, {}, limits)) {
      return std::make_unique<segments_method>(t, *segments, d);
    }
  }
  if (interleaved) return std::make_unique<interleaved_method>(t, *interleaved, d);
  if (onchip) return std::make_unique<onchip_method>(t, *onchip, d);
  return std::make_unique<thread_method>(t, d);
}

device_limits current_device_limits() {
  int device = 0;
  check(cudaGetDevice(&device), "cudaGetDevice");
  const auto attribute = [&](cudaDeviceAttr which) {
    int value = 0;
    check(cudaDeviceGetAttribute(&value, which, device), "cudaDeviceGetAttribute");
    return value;
  };
  device_limits d{};
  d.capability = 10 * attribute(cudaDevAttrComputeCapabilityMajor) +
                 attribute(cudaDevAttrComputeCapabilityMinor);
  d.multiprocessors = attribute(cudaDevAttrMultiProcessorCount);
  d.threads = index_t{d.multiprocessors} * attribute(cudaDevAttrMaxThreadsPerMultiProcessor);
  d.shared_bytes = static_cast<std::size_t>(attribute(cudaDevAttrMaxSharedMemoryPerBlockOptin));
  int compiled = 0;
  check(compiled_capability(&compiled), "cudaFuncGetAttributes");
  d.clusters = attribute(cudaDevAttrClusterLaunch) != 0 && compiled >= 90;
  return d;
}

index_t columns_for(index_t systems, const device_limits& d) {
  constexpr index_t block = 128;
  return std::min((systems + block - 1) / block * block, d.threads / block * block);
}

}  // namespace tridia::cuda
