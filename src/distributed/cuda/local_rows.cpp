// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#include "core/dispatch.hpp"
#include "distributed/cuda/lines.hpp"
#include "gpu/check.hpp"
#include "solver/cuda/method.hpp"
#include "solver/cuda/partition/segments/segments.hpp"

namespace tridia::distributed {
namespace {

using gpu::check;

/// Works on segments of this rank's rows, on their equations and ends.
class device_local_rows final : public local_rows {
 public:
  explicit device_local_rows(const local_rows_task& t) : part_(t) {
    task_.type = t.type, task_.pivoting = t.pivoting;
    task_.boundary = boundary::regular, task_.coefficients = coefficients::per_system;
    task_.geometry = t.geometry;
    if (lines() == 0) return;
    gpu::device_limits limits = gpu::current_device_limits();
    // Rows in boxes are conjugated when they are read, and entries from other ranks already are.
    limits.clusters = limits.clusters && !t.geometry.conjugate;
    const auto shape = cuda::plan_segments(task_, {}, limits);
    if (!shape) {
      throw error(errc::unsupported, "problem: " + std::to_string(lines()) + " lines of " +
                                         std::to_string(t.geometry.rows) +
                                         " rows are too many for one launch on a GPU");
    }
    shape_ = *shape;
    launches_ = core::with_type(t.type, [&](auto v) {
      return cuda::segments_kernels<typename decltype(v)::type>(task_.pivoting, task_.boundary);
    });
    check(launches_.prepare(limits.shared_bytes), gpu::giving_memory);
    memory_ = gpu::device_memory(bytes());
  }

  std::size_t bytes() const override { return shape_.bytes + solver::alignment; }

  void reduce(const solver::operands& o, const line_batches& cut, index_t, index_t, void* equations,
              void* stream) override {
    equations_ = equations;
    run(launches_.reduce_local, o, unknowns_of(cut, nullptr, nullptr), stream);
  }

  /// Expands all lines at once, with the last batches.
  void expand(const solver::operands& o, const line_batches& cut, index_t, index_t p1,
              const void* unknowns, index_t* found, void* stream) override {
    if (p1 < cut.count()) return;
    run(launches_.expand_local, o, unknowns_of(cut, unknowns, found), stream);
  }

 private:
  index_t lines() const { return part_.geometry.matrices.size; }
  cuda::segment_coupling unknowns_of(const line_batches& cut, const void* unknowns,
                                     index_t* found) const {
    return {part_.before, part_.after, part_.entries_before, part_.entries_after,
            equations_,   unknowns,    cut.batch_size,       found};
  }
  template <class Launch>
  void run(Launch launch, const solver::operands& o, const cuda::segment_coupling& e,
           void* stream) {
    if (lines() == 0) return;
    check(launch(task_.geometry, o, shape_, e, solver::align(memory_.as<void>()),
                 static_cast<cudaStream_t>(stream)),
          "launching the kernels of a part of lines");
  }

  local_rows_task part_;
  solver::task task_{};
  cuda::segments_shape shape_{};
  cuda::segments_launches launches_{};
  gpu::device_memory memory_;
  void* equations_ = nullptr;
};

}  // namespace

std::unique_ptr<local_rows> make_device_local_rows(const local_rows_task& t) {
  return std::make_unique<device_local_rows>(t);
}

}  // namespace tridia::distributed
