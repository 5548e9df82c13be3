// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#include "core/dispatch.hpp"
#include "cpu/cache_size.hpp"
#include "cpu/store_policy.hpp"
#include "gpu/devices.hpp"
#include "line_operator/constant.hpp"
#include "solver/cpu/line_executor.hpp"
#include "solver/cpu/line_operator/operator_solver.hpp"
#include "solver/cpu/line_operator/shared_substitution.hpp"
#include "solver/cpu/parallel_for.hpp"
#include "solver/cpu/parts/part_choice.hpp"
#include "solver/cpu/parts/part_executor.hpp"
#include "solver/cpu/pipelined_sweeps.hpp"
#include "solver/cpu/ragged/packed_batch.hpp"
#include "solver/cpu/work_split.hpp"
#include "solver/executor.hpp"
#include "solver/system_memory.hpp"

#include <algorithm>
#include <atomic>

// Systems are grouped into vectors, and the groups are divided among threads. Where several
// right-hand sides go with a matrix, it is factored first; then either the lanes are matrices (and
// the right-hand sides follow one another) or the lanes are right-hand sides, as memory has them
// beside each other, and as there are enough of them.
namespace tridia::cpu {
namespace {

using layout::geometry;
using solver::align;
using solver::operands;
using solver::task;

/// Says what the lanes of a batch are, and what is done with it.
enum class lanes_are {
  systems,      // matrices, each with its right-hand side, which are solved
  matrices,     // which are factored, or have been
  right_sides,  // of one matrix, which has been factored
};

/// Fewer units than this for each thread are factored together before their right-hand sides are
/// divided among threads.
constexpr index_t fewest_units = 4;

/// Holds the arrays of an execution, and what is read in place of some of their values.
struct given_operands : operands {
  end_values ends{};
};

class cpu_executor final : public line_executor {
 public:
  explicit cpu_executor(const task& t) : task_(t), place_(task_) {
    if (!t.constant) {
      if (place_.shares_matrices()) sweeps_ = make_shared_substitution(t);
      return;
    }
    constant_ = line_operator::rounded(line_operator::factor(*t.constant, t.pivoting), t.type,
                                       place_.kernels_at(0).lanes);
  }

  int threads() const override { return place_.threads(); }
  std::string description() const override {
    if (task_.options.algorithm != algorithm::partition) return {};
    return "no line is cut into parts: they are short or many, or a ragged batch";
  }
  std::size_t workspace_bytes() const override {
    return solver::alignment + sweeps_at() + (sweeps_ ? sweeps_->workspace_bytes() : 0);
  }
  std::size_t factors_bytes() const override {
    return solver::alignment + solver::status_bytes(place_.geometry()) +
           place_.factors_at(place_.groups());
  }
  void check_pointer(const char* name, const void* p) const override {
    gpu::check_host_pointer(name, p);
  }

  void execute(const operands& o, void* workspace, void*) const override {
    execute(o, end_values{}, workspace);
  }
  void execute(const operands& arrays, const end_values& ends, void* workspace) const override {
    const given_operands o{arrays, ends};
    if (task_.constant) return substitute(constant_.data(), o, workspace);
    clear_empty(o.status);
    if (place_.geometry().right_sides.size == 0) return;
    if (place_.geometry().right_sides.size == 1) {
      execute_fused(o, align(workspace));
    } else {
      execute_factored(o, align(workspace));
    }
  }

  void factor(const operands& arrays, void* factors, void*, void*) const override {
    const given_operands o{arrays};
    clear_empty(o.status);
    const solver::factor_block block = solver::split_factors(place_.geometry(), factors);
    std::fill_n(block.status, place_.geometry().matrices.size, 0);
    for_each(place_.units(), [&](index_t i, int) {
      const system_range r = place_.unit_at(i);
      index_t found[max_systems];
      factor_unit(o, i, unit_factors(block, i), found);
      for (int l = 0; l < r.count; ++l) block.status[place_.system_at(r.first + l)] = found[l];
    });
    spread(block.status, 0, place_.geometry().matrices.size, o.status);
  }

  void solve(const void* factors, const operands& o, void* workspace, void*) const override {
    substitute(factors, {o}, workspace);
  }

 private:
  void substitute(const void* factors, const given_operands& o, void* workspace) const {
    const geometry& g = place_.geometry();
    const solver::factor_block block = solver::split_factors(g, const_cast<void*>(factors));
    spread(block.status, 0, g.matrices.size, o.status);
    if (substitutes_by_sweeps(block.status[0], block.data, o, align(workspace))) return;
    const section_split batches = place_.right_side_batches(o.x);
    const index_t sides = place_.sides(batches);
    std::atomic<bool> good = true;
    for_each(place_.units() * sides, [&](index_t i, int thread) {
      const index_t unit = i / sides;
      const system_range r = place_.unit_at(unit);
      index_t status[max_systems];
      for (int l = 0; l < r.count; ++l) status[l] = block.status[place_.system_at(r.first + l)];
      if (!substitute_unit(o, unit, batches, i - unit * sides, status, unit_factors(block, unit),
                           thread_memory(align(workspace), thread))) {
        good = false;
      }
    });
    if (!good) share_nan(o, 0, g.matrices.size);
  }

  // ---- batches of groups ----

  /// Fills a batch with groups of matrices, each with its right-hand side `other`; or with groups
  /// of right-hand sides of matrix `other`. The longest system has `rows` rows. Returns the kernels
  /// that have to solve it.
  const kernels& fill(group_batch& batch, const given_operands& o, const system_range& range,
                      index_t rows, index_t other, lanes_are what) const {
    const bool right_sides = what == lanes_are::right_sides;
    const geometry& g = place_.geometry();
    const kernels& with = place_.kernels_for(range.single, rows);
    batch.g = &g;
    for (int k = 0; k < 4; ++k) batch.in[k] = o.in[k];
    batch.x = o.x;
    batch.status = o.status;
    batch.ends = o.ends;
    batch.ends_at = right_sides ? other * g.right_sides.size + range.first
                                : range.first * g.right_sides.size + other;
    batch.ends_pitch = right_sides ? 1 : g.right_sides.size;
    batch.rows = rows;
    batch.groups = (range.count + with.lanes - 1) / with.lanes;
    batch.room = place_.matrix_groups();
    batch.reversed = false;
    batch.by_rows = what != lanes_are::systems && place_.side_by_side() && !range.single &&
                    rows > longest_by_groups;
    batch.prefetch_factors = g.right_sides.size == 1;
    batch.factors_pitch = right_sides ? 0 : place_.group_factors_bytes(rows, range.single);
    const bool past_cache = writes_lines_past_cache(o);
    batch.prefetch_for_write = place_.far() && !past_cache &&
                               place_.threads() <= threads_that_prefetch_for_write &&
                               (batch.by_rows || prefetches_lines(o));
    // Rows of one group after another are pieces of a few cache lines, which take twice as long
    // past the cache.
    const bool in_pieces = what != lanes_are::systems && place_.side_by_side() && !batch.by_rows;
    batch.nontemporal = past_cache || (place_.streams() && !batch.prefetch_for_write &&
                                       !in_pieces && o.x != o.in[layout::rhs]);
    batch.live = range.count;
    index_t base[layout::array_count] = {};
    if (g.ragged) {
      place_ragged_lines(batch, range, other, with.lanes);
    } else if (right_sides) {
      g.matrices.offsets(other, base);
      place_lines(batch, g.right_sides, range.first, base, with.lanes);
    } else {
      g.right_sides.offsets(other, base);
      place_lines(batch, g.matrices, range.first, base, with.lanes);
    }
    return with;
  }
  void place_ragged_lines(group_batch& batch, const system_range& range, index_t right_side,
                          int lanes) const {
    const geometry& g = place_.geometry();
    batch.evenly = false;
    batch.longest_pad = 0;
    for (int l = 0; l < batch.live; ++l) {
      const index_t matrix = place_.system_at(range.first + l);
      const index_t pad = batch.rows - g.rows_of(matrix);
      index_t at[layout::array_count];
      g.line_offsets(matrix, right_side, at);
      // A shorter system is aligned with the others' last rows.
      for (int a = 0; a <= layout::x; ++a) batch.line[a][l] = at[a] - pad * g.lines[a].step;
      batch.line[layout::status][l] = at[layout::status];
      batch.first[l] = pad;
      batch.longest_pad = std::max(batch.longest_pad, pad);
    }
    repeat_lines(batch, lanes);
  }
  /// Returns whether a solution goes past the cache beside right-hand sides alone: contiguous lines
  /// of whole cache lines, and so many that little of it would stay in the last cache.
  bool writes_lines_past_cache(const operands& o) const {
    const geometry& g = place_.geometry();
    const auto line = static_cast<std::size_t>(g.rows) * size_of(task_.type);
    const auto lines = static_cast<std::size_t>(g.matrices.size * g.right_sides.size);
    return o.in[layout::diag] == nullptr && o.x != o.in[layout::rhs] && !place_.is_ragged() &&
           !place_.side_by_side() && g.lines[layout::x].step == 1 && line % 64 == 0 &&
           2 * line * lines > last_cache_bytes() / 4;
  }
  /// Returns whether the lines of x are prefetched for writing. Measured: f64 gains 15 % where
  /// coefficients are constant; f32, of shorter lines, loses.
  bool prefetches_lines(const operands& o) const {
    return task_.type == value_type::f64 && (task_.constant || prefetch_for_write_is_faster()) &&
           place_.geometry().lines[layout::x].step == 1 && !place_.side_by_side() &&
           o.x != o.in[layout::rhs];
  }
  std::byte* thread_memory(std::byte* workspace, int thread) const {
    return workspace + place_.kept_bytes() + thread * place_.thread_bytes();
  }
  std::byte* unit_factors(const solver::factor_block& block, index_t unit) const {
    return block.data + place_.factors_at(place_.first_group(unit));
  }

  // ---- work ----

  template <class F>
  void for_each(index_t count, F f) const {
    parallel_for(place_.threads(), count, f, place_.is_ragged() ? sharing::dynamic : sharing::even);
  }

  /// Factors a unit and finds the status of each of its systems.
  void factor_unit(const given_operands& o, index_t i, void* factors, index_t* status) const {
    const system_range r = place_.unit_at(i);
    const index_t rows = place_.unit_rows(i);
    if (rows == 0) {
      std::fill_n(status, r.count, 0);
      return;
    }
    group_batch batch;
    fill(batch, o, r, rows, 0, lanes_are::matrices).factor(batch, factors, status);
  }
  /// Substitutes for a unit with its right-hand side `side`, or that of `batches` of them. Returns
  /// whether all solutions are finite.
  bool substitute_unit(const given_operands& o, index_t i, const section_split& batches,
                       index_t side, const index_t* status, const void* factors,
                       void* memory) const {
    const index_t rows = place_.unit_rows(i);
    if (rows == 0) return true;
    const given_operands sides{{{nullptr, nullptr, nullptr, o.in[layout::rhs]}, o.x, o.status},
                               o.ends};
    group_batch batch;
    if (place_.shares_matrices()) {
      return fill(batch, sides, batches.at(side), rows, i, lanes_are::right_sides)
          .substitute_shared(batch, status, factors, memory);
    }
    return fill(batch, sides, place_.unit_at(i), rows, side, lanes_are::matrices)
        .substitute(batch, status, factors, memory);
  }

  void execute_fused(const given_operands& o, std::byte* workspace) const {
    if (place_.geometry().rows == 0) return;
    if (place_.is_ragged()) {
      for_each(place_.groups(), [&](index_t i, int thread) {
        group_batch batch;
        fill(batch, o, place_.group_at(i), place_.rows_at(i), 0, lanes_are::systems)
            .solve(batch, thread_memory(workspace, thread));
      });
      return;
    }
    const section_split batches = place_.matrix_batches(o.x);
    const index_t shares = std::min<index_t>(place_.threads(), batches.count());
    for_each(shares, [&](index_t share, int thread) {
      std::byte* const memory = thread_memory(workspace, thread);
      pipelined_sweeps solving(memory, memory + place_.singles_at(), place_.side_by_side());
      const index_t end = batches.first_of(share + 1, shares);
      for (index_t i = batches.first_of(share, shares); i < end; ++i) {
        solving.run(
            fill(solving.next(), o, batches.at(i), place_.geometry().rows, 0, lanes_are::systems));
      }
      solving.finish();
    });
  }

  /// Factors and solves some units at a time, whose factors are kept meanwhile.
  void execute_factored(const given_operands& o, std::byte* workspace) const {
    const section_split batches = place_.right_side_batches(o.x);
    const index_t units = place_.units(), sides = place_.sides(batches);
    const auto status_of = [&](index_t slot) {
      return reinterpret_cast<index_t*>(workspace + slot * place_.unit_bytes());
    };
    const auto factors_of = [&](index_t slot) {
      return workspace + (slot + 1) * place_.unit_bytes() - place_.unit_factors_bytes();
    };
    const auto factor = [&](index_t i, index_t slot) {
      factor_unit(o, i, factors_of(slot), status_of(slot));
      enter_unit(i, status_of(slot), o.status);
    };
    const auto substitute = [&](index_t i, index_t slot, index_t side, int thread) {
      return substitute_unit(o, i, batches, side, status_of(slot), factors_of(slot),
                             thread_memory(workspace, thread));
    };
    if (units >= fewest_units * place_.threads()) {
      for_each(units, [&](index_t i, int thread) {
        factor(i, thread);
        bool good = true;
        for (index_t k = 0; k < sides; ++k) good &= substitute(i, thread, k, thread);
        if (!good) share_nan_of_unit(o, i);
      });
      return;
    }
    for (index_t i0 = 0; i0 < units; i0 += place_.kept_units()) {
      const index_t count = std::min(place_.kept_units(), units - i0);
      for_each(count, [&](index_t slot, int) { factor(i0 + slot, slot); });
      if (substitutes_by_sweeps(*status_of(0), factors_of(0), o, workspace)) continue;
      std::atomic<bool> good = true;
      for_each(count * sides, [&](index_t k, int thread) {
        const index_t slot = k / sides;
        if (!substitute(i0 + slot, slot, k - slot * sides, thread)) good = false;
      });
      for (index_t slot = 0; slot < count && !good; ++slot) share_nan_of_unit(o, i0 + slot);
    }
  }

  /// Returns the bytes of the workspace before that of sweeps.
  std::size_t sweeps_at() const {
    return solver::round_up(place_.kept_bytes() + place_.threads() * place_.thread_bytes());
  }
  /// Substitutes for all right-hand sides by the sweeps of operators, where these take them: there
  /// is one matrix then. Returns whether it has.
  bool substitutes_by_sweeps(index_t status, const void* factors, const given_operands& o,
                             std::byte* workspace) const {
    return sweeps_ != nullptr && status == 0 && o.ends.first == nullptr &&
           sweeps_->apply(factors, o, workspace + sweeps_at());
  }

  // ---- statuses ----

  /// Clears the statuses of systems without rows, which are in no group.
  void clear_empty(index_t* status) const {
    const geometry& g = place_.geometry();
    if (status == nullptr || (g.rows > 0 && g.right_sides.size > 0 && !place_.is_ragged())) return;
    index_t systems = g.matrices.size;
    for (int k = 0; k < g.right_sides.count; ++k) {
      const layout::axis& a = g.right_sides.at[k];
      if (a.stride[layout::status] != 0) systems *= a.extent;
    }
    std::fill_n(status, systems, 0);
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
  /// Enters the statuses of a unit's matrices for each of their systems.
  void enter_unit(index_t i, const index_t* of_matrix, index_t* status) const {
    const geometry& g = place_.geometry();
    const system_range r = place_.unit_at(i);
    for (int l = 0; l < r.count && status != nullptr; ++l) {
      for (index_t b = 0; b < g.right_sides.size; ++b) {
        solver::enter_status(g, status, place_.system_at(r.first + l), b, of_matrix[l]);
      }
    }
  }

  // ---- systems of several right-hand sides of which one has no finite solution ----

  void share_nan(const operands& o, index_t m0, index_t m1) const {
    if (!layout::shares_status(place_.geometry())) return;
    for_each(m1 - m0, [&](index_t i, int) { share_nan(o, m0 + i); });
  }
  void share_nan_of_unit(const operands& o, index_t i) const {
    const system_range r = place_.unit_at(i);
    if (!layout::shares_status(place_.geometry())) return;
    for (int l = 0; l < r.count; ++l) share_nan(o, place_.system_at(r.first + l));
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
  std::vector<line_operator::memory_line> constant_;     // factors of a constant matrix
  std::unique_ptr<const shared_substitution> sweeps_{};  // of one matrix for all, or null
};

}  // namespace

std::unique_ptr<const line_executor> make_line_executor(const task& t) {
  return std::make_unique<cpu_executor>(t);
}

}  // namespace tridia::cpu

namespace tridia::solver {

std::unique_ptr<const executor> make_cpu(const task& t) {
  if (!t.row_starts.empty()) return cpu::make_packed_batch(t);
  if (auto as_operator = cpu::make_operator_solver(t)) return as_operator;
  // An operator would have cut these lines, but for their type or matrix; they are not so few that
  // elimination would cut them as well.
  const bool as_lines = t.constant && cpu::operators_cut(t.geometry) &&
                        !cpu::parts_are_faster(t.geometry, coefficients::shared, t.type);
  if (t.options.algorithm == algorithm::partition && !as_lines) {
    if (auto by_parts = cpu::make_part_executor(t)) return by_parts;
  }
  return cpu::make_line_executor(t);
}

}  // namespace tridia::solver
