// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#include "core/dispatch.hpp"
#include "cpu/store_policy.hpp"
#include "gpu/devices.hpp"
#include "line_operator/constant.hpp"
#include "solver/cpu/pipelined_sweeps.hpp"
#include "solver/cpu/work_split.hpp"
#include "solver/executor.hpp"
#include "solver/system_memory.hpp"

#include <omp.h>

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
  std::size_t workspace_bytes() const override {
    return solver::alignment + place_.shared_factors_bytes() +
           place_.threads() * place_.thread_bytes();
  }
  std::size_t factors_bytes() const override {
    return solver::alignment + solver::status_bytes(place_.geometry()) +
           place_.factors_at(place_.runs());
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
    for_each(place_.runs(), [&](index_t i, int) {
      const run r = place_.run_at(i);
      index_t found[max_lanes] = {};
      factor_run(o, i, block.data + place_.factors_at(i), found);
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
    for_each(place_.runs() * g.right_sides.size, [&](index_t i, int thread) {
      const index_t side = i / place_.runs(), k = i - side * place_.runs();
      const run r = place_.run_at(k);
      index_t status[max_lanes] = {};
      for (int l = 0; l < r.count; ++l) status[l] = block.status[place_.system_at(r.first + l)];
      if (!substitute_run(o, k, side, status, block.data + place_.factors_at(k),
                          thread_memory(align(workspace), thread))) {
        good = false;
      }
    });
    if (!good) share_nan(o, 0, g.matrices.size);
  }

 private:
  // ---- strips ----

  /// Fills a strip with groups of matrices, each with its right-hand side `other`; or with groups
  /// of right-hand sides of matrix `other`.
  void fill(strip& s, const operands& o, const stretch& part, index_t other,
            bool right_sides = false) const {
    const geometry& g = place_.geometry();
    s.g = &g;
    for (int k = 0; k < 4; ++k) s.in[k] = o.in[k];
    s.x = o.x;
    s.status = o.status;
    s.rows = part.rows;
    s.groups = part.groups;
    s.room = place_.matrix_groups();
    s.reversed = false;
    s.longest_pad = 0;
    s.by_rows = right_sides && place_.side_by_side() && s.groups >= fewest_groups_by_rows;
    s.own = place_.streams() && place_.threads() <= threads_that_prefetch_for_write &&
            (s.by_rows || owns_lines(o));
    s.stream = place_.streams() && !s.own && o.x != o.in[layout::rhs];
    s.live = static_cast<int>(part.count);
    for (int l = 0; l < s.live; ++l) {
      const index_t p = part.first + l;
      const index_t matrix = right_sides ? other : place_.system_at(p);
      const index_t pad = g.ragged ? s.rows - g.rows_of(matrix) : 0;
      index_t at[layout::array_count];
      g.line_offsets(matrix, right_sides ? p : other, at);
      // A shorter system is aligned with the others' last rows.
      for (int a = 0; a <= layout::x; ++a) s.line[a][l] = at[a] - pad * g.lines[a].step;
      s.line[layout::status][l] = at[layout::status];
      s.first[l] = pad;
      s.longest_pad = std::max(s.longest_pad, pad);
    }
    const int lanes = part.with->lanes, from = (s.groups - 1) * lanes;
    for (int l = s.live; l < s.groups * lanes; ++l) {
      for (auto& line : s.line) line[l] = line[from];
      s.first[l] = s.first[from];
    }
  }
  /// Returns whether the lines of x are prefetched for writing. Measured: f64 gains 15 % where
  /// coefficients are constant; f32, of shorter lines, loses.
  bool owns_lines(const operands& o) const {
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
    const int threads = static_cast<int>(std::min<index_t>(place_.threads(), count));
    if (threads <= 1) {
      for (index_t i = 0; i < count; ++i) f(i, 0);
    } else if (!place_.is_ragged()) {
#pragma omp parallel for num_threads(threads) schedule(static)
      for (index_t i = 0; i < count; ++i) f(i, omp_get_thread_num());
    } else {
#pragma omp parallel for num_threads(threads) schedule(dynamic)
      for (index_t i = 0; i < count; ++i) f(i, omp_get_thread_num());
    }
  }

  void factor_run(const operands& o, index_t i, void* factors, index_t* of_lane) const {
    const stretch part = place_.stretch_of(i);
    if (part.rows == 0) {
      std::fill_n(of_lane, part.count, 0);
      return;
    }
    strip s;
    fill(s, o, part, 0);
    part.with->factor(s, factors, of_lane);
  }
  /// Substitutes for one run. Returns whether all solutions are finite.
  bool substitute_run(const operands& o, index_t i, index_t right_side, const index_t* of_lane,
                      const void* factors, void* memory) const {
    const stretch part = place_.stretch_of(i);
    if (part.rows == 0) return true;
    strip s;
    fill(s, o, part, right_side);
    return part.with->substitute(s, of_lane, factors, memory);
  }

  void execute_fused(const operands& o, std::byte* workspace) const {
    if (place_.geometry().rows == 0) return;
    if (place_.is_ragged()) {
      for_each(place_.runs(), [&](index_t i, int thread) {
        const stretch part = place_.stretch_of(i);
        strip s;
        fill(s, o, part, 0);
        part.with->solve(s, thread_memory(workspace, thread));
      });
      return;
    }
    const strip_sections strips = place_.matrix_strips(o.x);
    const index_t count = strips.count();
    const index_t shares = std::min<index_t>(place_.threads(), count);
    for_each(shares, [&](index_t share, int thread) {
      pipelined_sweeps solving(thread_memory(workspace, thread), place_.side_by_side());
      for (index_t i = count * share / shares; i < count * (share + 1) / shares; ++i) {
        const strip_sections::range next = strips.at(i);
        const stretch part = place_.stretch_of(next.systems, next.offset, next.runs);
        fill(solving.next(), o, part, 0);
        solving.run(*part.with);
      }
      solving.finish();
    });
  }

  /// Solves for several right-hand sides, but fewer than would fill the lanes.
  void execute_grouped(const operands& o, std::byte* workspace) const {
    for_each(place_.runs(), [&](index_t i, int thread) {
      std::byte* memory = thread_memory(workspace, thread);
      const run r = place_.run_at(i);
      index_t status[max_lanes] = {};
      factor_run(o, i, memory, status);
      enter_run(r, status, o.status);
      std::byte* values = memory + place_.run_factors_bytes(i);
      bool good = true;
      for (index_t b = 0; b < place_.geometry().right_sides.size; ++b) {
        good &= substitute_run(o, i, b, status, memory, values);
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
        factor_run(o, m0 + i, factors + place_.factors_at(i), status + i);
      });
      spread(status, m0, m1, o.status);
      substitute_shared(o, m0, m1, status, factors, workspace);
    }
  }
  void substitute_shared(const operands& o, index_t m0, index_t m1, const index_t* status,
                         const std::byte* factors, std::byte* workspace) const {
    if (place_.geometry().rows == 0) return;
    const strip_split strips(place_.right_sides(), place_.right_side_groups());
    std::atomic<bool> good = true;
    for_each((m1 - m0) * strips.count(), [&](index_t i, int thread) {
      const index_t m = i / strips.count();
      const stretch part =
          place_.stretch_of(place_.right_sides(), 0, strips.at(i - m * strips.count()));
      strip s;
      fill(s, o, part, m0 + m, true);
      if (!part.with->substitute_shared(s, status + m, factors + place_.factors_at(m),
                                        thread_memory(workspace, thread))) {
        good = false;
      }
    });
    if (!good) share_nan(o, m0, m1);
  }

  // ---- statuses ----

  /// Clears the statuses of systems without rows, which are in no run.
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
  void enter_run(const run& r, const index_t* of_lane, index_t* status) const {
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
}  // namespace tridia::cpu

namespace tridia::solver {

std::unique_ptr<const executor> make_cpu(const task& t) {
  return std::make_unique<cpu::cpu_executor>(t);
}

}  // namespace tridia::solver
