// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#include "gpu/check.hpp"
#include "layout/alignment.hpp"
#include "solver/cuda/backward/band_kernels.hpp"

#include <algorithm>
#include <utility>

namespace tridia::cuda {

using namespace gpu;

namespace {

/// So many threads keep any GPU of today busy; sums over points are cut into blocks until there are
/// as many. The number does not depend on the device, so that all devices add up alike.
constexpr index_t enough_threads = index_t{1} << 19;
/// A block of points is at least so long, for each of the threads that share it.
constexpr index_t least_points = 8;
constexpr index_t warp = 32, most_blocks = 4096, widest_group = 128, most_rows_of_thread = 32;

index_t ceil_div(index_t a, index_t b) { return (a + b - 1) / b; }

sum_blocks plan_blocks(const band_pass& p, product_direction direction) {
  const index_t points = p.summed.size;
  if (p.ragged != nullptr || points <= 1 || p.cells() == 0)
    return {1, std::max<index_t>(points, 1)};
  const index_t lanes = direction == product_direction::summed ? warp : 1;
  const index_t wanted = ceil_div(enough_threads, p.cells() * lanes);
  return solver::cut_into_blocks(points,
                                 std::min({wanted, points / (least_points * lanes), most_blocks}));
}

/// Returns the mean length of the lines.
index_t usual_rows(const solver::product_task& t, const band_pass& p) {
  return t.ragged.empty() || p.kept.size == 0 ? p.rows : t.ragged.back() / p.kept.size;
}

class band_products final : public solver::products {
 public:
  explicit band_products(const solver::product_task& t) : task_(t) {
    const device_scope scope(task_.device);
    ragged_ = upload(task_.ragged);
    off_diagonal_ = upload(task_.off_diagonal);
    for (band_pass& p : task_.passes) {
      if (!task_.ragged.empty()) {
        p.ragged = ragged_.as<index_t>();
        p.off_diagonal = off_diagonal_.as<index_t>();
      }
      launches_.push_back(plan_bands(p, usual_rows(task_, p)));
      values_ = std::max(values_, solver::partial_values(p, launches_.back().blocks));
    }
  }
  ~band_products() override {
    int before = 0;
    // Memory is freed on its own device; nothing can be reported from here.
    if (cudaGetDevice(&before) != cudaSuccess || cudaSetDevice(task_.device) != cudaSuccess) return;
    ragged_ = {};
    off_diagonal_ = {};
    cudaSetDevice(before);
  }
  band_products(const band_products&) = delete;  // passes refer to the offsets
  band_products& operator=(const band_products&) = delete;

  std::size_t workspace_bytes() const override {
    const std::size_t bytes = static_cast<std::size_t>(values_) * size_of(task_.type);
    return bytes > 0 ? bytes + layout::alignment : 0;
  }

  void execute(const solver::product_operands& o, void* workspace, void* stream) const override {
    const device_scope scope(task_.device);
    for (std::size_t k = 0; k < task_.passes.size(); ++k) {
      const band_pass& p = task_.passes[k];
      if (!solver::is_asked_for(p, o) || p.cells() == 0) continue;
      check(launch_bands(task_.type, p, launches_[k], o, layout::align(workspace),
                         static_cast<cudaStream_t>(stream)),
            "launching the gradients of a matrix");
    }
  }

 private:
  solver::product_task task_;
  device_memory ragged_, off_diagonal_;
  std::vector<band_launch> launches_;
  index_t values_ = 0;
};

}  // namespace

band_launch plan_bands(const band_pass& p, index_t usual_rows) {
  band_launch l{solver::direction_of(p), {}};
  l.blocks = plan_blocks(p, l.direction);
  // So many rows a thread leave enough threads.
  const index_t rows = p.cells() * l.blocks.count / enough_threads;
  while (l.group < widest_group && l.group < usual_rows) l.group *= 2;
  l.rows_of_group = l.group * static_cast<int>(std::clamp<index_t>(rows, 1, steps_of_group));
  // v is read (rows + 2) / rows times; shorter walks are for batches that leave threads idle.
  l.rows_of_thread = std::clamp<index_t>(rows, 1, most_rows_of_thread);
  return l;
}

}  // namespace tridia::cuda

namespace tridia::solver {

std::unique_ptr<const products> make_cuda_products(const product_task& t) {
  return std::make_unique<cuda::band_products>(t);
}

}  // namespace tridia::solver
