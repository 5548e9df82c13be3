// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#include "core/dispatch.hpp"
#include "cpu/store_policy.hpp"
#include "gpu/devices.hpp"
#include "line_operator/constant.hpp"
#include "solver/cpu/parallel_for.hpp"
#include "solver/cpu/parts/part_executor.hpp"
#include "solver/cpu/pipelined_sweeps.hpp"
#include "solver/cpu/work_split.hpp"
#include "solver/executor.hpp"
#include "solver/system_memory.hpp"

#include <algorithm>
#include <atomic>

// Systems are grouped into vectors, and the groups are divided among threads. Where several
// right-hand sides go with a matrix, it is factored first; then either the lanes are matrices (and
// the right-hand sides follow one another) or, if there are enough, the lanes are right-hand sides.
namespace tridia::cpu {
namespace {

using layout::geometry;
using solver::align;
using solver::operands;
using solver::task;

/// Sweeps along rows need at least this many groups: with fewer, rows are too short to pay.
constexpr int fewest_groups_by_rows = 4;

class cpu_executor final : public solver::executor {
 public:
  explicit cpu_executor(const task& t) : task_(t), place_(task_) {
    if (!t.constant) return;
    constant_ = line_operator::rounded(line_operator::factor(*t.constant, t.pivoting), t.type,
                                       place_.kernels_at(0).lanes);
  }

  int threads() const override { return place_.threads(); }
  std::string description() const override {
    if (task_.options.algorithm != algorithm::partition) return {};
    return "no line is cut into parts: they are short, or a ragged batch";
  }
  std::size_t workspace_bytes() const override {
    return solver::alignment + place_.shared_factors_bytes() +
           place_.threads() * place_.thread_bytes();
  }
  std::size_t factors_bytes() const override {
    return solver::alignment + solver::status_bytes(place_.geometry()) +
           place_.factors_at(place_.groups());
  }
  void check_pointer(const char* name, const void* p) const override {
    gpu::check_host_pointer(name, p);
  }

  void execute(const operands& o, void* workspace, void*) const override {
    if (task_.constant) return solve(constant_.data(), o, workspace, nullptr);
    clear_empty(o.status);
    if (place_.geometry().right_sides.size == 0) return;
    if (place_.geometry().right_sides.size == 1) {
      execute_fused(o, align(workspace));
    } else if (place_.shares_matrices()) {
      execute_shared(o, align(workspace));
    } else {
      execute_grouped(o, align(workspace));
    }
  }

  void factor(const operands& o, void* factors, void*, void*) const override {
    clear_empty(o.status);
    const solver::factor_block block = solver::split_factors(place_.geometry(), factors);
    std::fill_n(block.status, place_.geometry().matrices.size, 0);
    for_each(place_.groups(), [&](index_t i, int) {
      const system_range r = place_.group_at(i);
      index_t found[max_lanes] = {};
      factor_group(o, i, block.data + place_.factors_at(i), found);
      for (int l = 0; l < r.count; ++l) block.status[place_.system_at(r.first + l)] = found[l];
    });
    spread(block.status, 0, place_.geometry().matrices.size, o.status);
  }

  void solve(const void* factors, const operands& o, void* workspace, void*) const override {
    const geometry& g = place_.geometry();
    const solver::factor_block block = solver::split_factors(g, const_cast<void*>(factors));
    spread(block.status, 0, g.matrices.size, o.status);
    if (place_.shares_matrices()) {
      substitute_shared(o, 0, g.matrices.size, block.status, block.data, align(workspace));
      return;
    }
    std::atomic<bool> good = true;
    for_each(place_.groups() * g.right_sides.size, [&](index_t i, int thread) {
      const index_t side = i / place_.groups(), k = i - side * place_.groups();
      const system_range r = place_.group_at(k);
      index_t status[max_lanes] = {};
      for (int l = 0; l < r.count; ++l) status[l] = block.status[place_.system_at(r.first + l)];
      if (!substitute_group(o, k, side, status, block.data + place_.factors_at(k),
                            thread_memory(align(workspace), thread))) {
        good = false;
      }
    });
    if (!good) share_nan(o, 0, g.matrices.size);
  }

 private:
  // ---- batches of groups ----

  /// Fills a batch with groups of matrices, each with its right-hand side `other`; or with groups
  /// of right-hand sides of matrix `other`. The longest system has `rows` rows. Returns the kernels
  /// that have to solve it.
  const kernels& fill(group_batch& batch, const operands& o, const system_range& range,
                      index_t rows, index_t other, bool right_sides = false) const {
    const geometry& g = place_.geometry();
    const kernels& with = place_.kernels_for(range.single, rows);
    batch.g = &g;
    for (int k = 0; k < 4; ++k) batch.in[k] = o.in[k];
    batch.x = o.x;
    batch.status = o.status;
    batch.rows = rows;
    batch.groups = (range.count + with.lanes - 1) / with.lanes;
    batch.room = place_.matrix_groups();
    batch.reversed = false;
    batch.longest_pad = 0;
    batch.by_rows = right_sides && place_.side_by_side() && batch.groups >= fewest_groups_by_rows;
    batch.prefetch_for_write = place_.streams() &&
                               place_.threads() <= threads_that_prefetch_for_write &&
                               (batch.by_rows || prefetches_lines(o));
    batch.nontemporal = place_.streams() && !batch.prefetch_for_write && o.x != o.in[layout::rhs];
    batch.live = range.count;
    for (int l = 0; l < batch.live; ++l) {
      const index_t p = range.first + l;
      const index_t matrix = right_sides ? other : place_.system_at(p);
      const index_t pad = g.ragged ? batch.rows - g.rows_of(matrix) : 0;
      index_t at[layout::array_count];
      g.line_offsets(matrix, right_sides ? p : other, at);
      // A shorter system is aligned with the others' last rows.
      for (int a = 0; a <= layout::x; ++a) batch.line[a][l] = at[a] - pad * g.lines[a].step;
      batch.line[layout::status][l] = at[layout::status];
      batch.first[l] = pad;
      batch.longest_pad = std::max(batch.longest_pad, pad);
    }
    const int from = (batch.groups - 1) * with.lanes;
    for (int l = batch.live; l < batch.groups * with.lanes; ++l) {
      for (auto& line : batch.line) line[l] = line[from];
      batch.first[l] = batch.first[from];
    }
    return with;
  }
  /// Returns whether the lines of x are prefetched for writing. Measured: f64 gains 15 % where
  /// coefficients are constant; f32, of shorter lines, loses.
  bool prefetches_lines(const operands& o) const {
    return task_.type == value_type::f64 && (task_.constant || prefetch_for_write_is_faster()) &&
           place_.geometry().lines[layout::x].step == 1 && !place_.side_by_side() &&
           o.x != o.in[layout::rhs];
  }
  std::byte* thread_memory(std::byte* workspace, int thread) const {
    return workspace + place_.shared_factors_bytes() + thread * place_.thread_bytes();
  }

  // ---- work ----

  template <class F>
  void for_each(index_t count, F f) const {
    parallel_for(place_.threads(), count, f, place_.is_ragged() ? sharing::dynamic : sharing::even);
  }

  /// Fills a batch with group `i` alone.
  const kernels& fill_group(group_batch& batch, const operands& o, index_t i,
                            index_t right_side) const {
    return fill(batch, o, place_.group_at(i), place_.rows_at(i), right_side);
  }
  void factor_group(const operands& o, index_t i, void* factors, index_t* of_lane) const {
    if (place_.rows_at(i) == 0) {
      std::fill_n(of_lane, place_.group_at(i).count, 0);
      return;
    }
    group_batch batch;
    fill_group(batch, o, i, 0).factor(batch, factors, of_lane);
  }
  /// Substitutes for one group. Returns whether all solutions are finite.
  bool substitute_group(const operands& o, index_t i, index_t right_side, const index_t* of_lane,
                        const void* factors, void* memory) const {
    if (place_.rows_at(i) == 0) return true;
    group_batch batch;
    return fill_group(batch, o, i, right_side).substitute(batch, of_lane, factors, memory);
  }

  void execute_fused(const operands& o, std::byte* workspace) const {
    if (place_.geometry().rows == 0) return;
    if (place_.is_ragged()) {
      for_each(place_.groups(), [&](index_t i, int thread) {
        group_batch batch;
        fill_group(batch, o, i, 0).solve(batch, thread_memory(workspace, thread));
      });
      return;
    }
    const section_split batches = place_.matrix_batches(o.x);
    const index_t count = batches.count();
    const index_t shares = std::min<index_t>(place_.threads(), count);
    for_each(shares, [&](index_t share, int thread) {
      pipelined_sweeps solving(thread_memory(workspace, thread), place_.side_by_side());
      for (index_t i = count * share / shares; i < count * (share + 1) / shares; ++i) {
        solving.run(fill(solving.next(), o, batches.at(i), place_.geometry().rows, 0));
      }
      solving.finish();
    });
  }

  /// Solves for several right-hand sides, but fewer than would fill the lanes.
  void execute_grouped(const operands& o, std::byte* workspace) const {
    for_each(place_.groups(), [&](index_t i, int thread) {
      std::byte* memory = thread_memory(workspace, thread);
      const system_range r = place_.group_at(i);
      index_t status[max_lanes] = {};
      factor_group(o, i, memory, status);
      enter_group(r, status, o.status);
      std::byte* values = memory + place_.group_factors_bytes(i);
      bool good = true;
      for (index_t b = 0; b < place_.geometry().right_sides.size; ++b) {
        good &= substitute_group(o, i, b, status, memory, values);
      }
      for (int l = 0; l < r.count && !good; ++l) share_nan(o, place_.system_at(r.first + l));
    });
  }

  /// Factors and solves with a few matrices at a time, so that their factors stay in a near cache.
  void execute_shared(const operands& o, std::byte* workspace) const {
    const index_t count = place_.geometry().matrices.size, block = place_.block_of_matrices();
    auto* status = reinterpret_cast<index_t*>(workspace);
    std::byte* factors = workspace + solver::round_up(block * sizeof(index_t));
    for (index_t m0 = 0; m0 < count; m0 += block) {
      const index_t m1 = std::min(m0 + block, count);
      for_each(m1 - m0, [&](index_t i, int) {
        factor_group(o, m0 + i, factors + place_.factors_at(i), status + i);
      });
      spread(status, m0, m1, o.status);
      substitute_shared(o, m0, m1, status, factors, workspace);
    }
  }
  void substitute_shared(const operands& o, index_t m0, index_t m1, const index_t* status,
                         const std::byte* factors, std::byte* workspace) const {
    if (place_.geometry().rows == 0) return;
    const group_split batches = place_.right_side_batches();
    std::atomic<bool> good = true;
    for_each((m1 - m0) * batches.count(), [&](index_t i, int thread) {
      const index_t m = i / batches.count();
      group_batch batch;
      const kernels& with =
          fill(batch, o, batches.at(i - m * batches.count()), place_.geometry().rows, m0 + m, true);
      if (!with.substitute_shared(batch, status + m, factors + place_.factors_at(m),
                                  thread_memory(workspace, thread))) {
        good = false;
      }
    });
    if (!good) share_nan(o, m0, m1);
  }

  // ---- statuses ----

  /// Clears the statuses of systems without rows, which are in no group.
  void clear_empty(index_t* status) const {
    const geometry& g = place_.geometry();
    if (status == nullptr || (g.rows > 0 && g.right_sides.size > 0 && !place_.is_ragged())) return;
    for (index_t m = 0; m < g.matrices.size; ++m) {
      for (index_t r = 0; r < std::max<index_t>(g.right_sides.size, 1); ++r) {
        solver::enter_status(g, status, m, r, 0);
      }
    }
  }
  /// Copies the statuses of matrices m0 to m1 - 1 to each of their systems.
  void spread(const index_t* of_matrix, index_t m0, index_t m1, index_t* status) const {
    const geometry& g = place_.geometry();
    if (status == nullptr) return;
    for_each((m1 - m0) * g.right_sides.size, [&](index_t i, int) {
      const index_t m = i / g.right_sides.size;
      solver::enter_status(g, status, m0 + m, i - m * g.right_sides.size, of_matrix[m]);
    });
  }
  void enter_group(const system_range& r, const index_t* of_lane, index_t* status) const {
    const geometry& g = place_.geometry();
    if (status == nullptr) return;
    for (int l = 0; l < r.count; ++l) {
      for (index_t b = 0; b < g.right_sides.size; ++b) {
        solver::enter_status(g, status, place_.system_at(r.first + l), b, of_lane[l]);
      }
    }
  }

  // ---- systems of several right-hand sides of which one has no finite solution ----

  void share_nan(const operands& o, index_t m0, index_t m1) const {
    if (!layout::shares_status(place_.geometry())) return;
    for_each(m1 - m0, [&](index_t i, int) { share_nan(o, m0 + i); });
  }
  /// Calls solver::share_nan for all systems of a matrix.
  void share_nan(const operands& o, index_t matrix) const {
    const geometry& g = place_.geometry();
    core::with_type(task_.type, [&](auto type) {
      auto* x = static_cast<typename decltype(type)::type*>(o.x);
      for (index_t s = 0; s < layout::systems_of_matrix(g); ++s) {
        solver::share_nan(g, x, matrix, s);
      }
    });
  }

  task task_;
  work_split place_;
  std::vector<line_operator::memory_line> constant_;  // factors of a constant matrix
};

}  // namespace

std::unique_ptr<const solver::executor> make_line_executor(const task& t) {
  return std::make_unique<cpu_executor>(t);
}

}  // namespace tridia::cpu

namespace tridia::solver {

std::unique_ptr<const executor> make_cpu(const task& t) {
  if (t.options.algorithm == algorithm::partition) {
    if (auto by_parts = cpu::make_part_executor(t)) return by_parts;
  }
  return cpu::make_line_executor(t);
}

}  // namespace tridia::solver
