// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#include "solver/cpu/group.hpp"
#include "solver/cpu/ragged.hpp"
#include "solver/cpu/split.hpp"
#include "solver/executor.hpp"
#include "solver/host_pointer.hpp"
#include "solver/system_memory.hpp"

#include <omp.h>

#include <unistd.h>
#include <algorithm>

// Systems are grouped into vectors, groups are shared out among threads. Where several right-hand
// sides go with a matrix, it is factored first; then either the lanes are matrices (and the
// right-hand sides follow one another) or, if there are enough, the lanes are right-hand sides.
namespace tridia::cpu {
namespace {

using layout::geometry;
using solver::align;
using solver::operands;
using solver::round_up;
using solver::task;

/// Below this many rows in all, starting threads costs more than it gains.
constexpr index_t serial_rows = 8192;

/// What the groups of a strip may keep between their sweeps when they take turns.
constexpr std::size_t side_by_side_bytes = std::size_t{3} << 19;

std::size_t cache_bytes() {
  const long l3 = sysconf(_SC_LEVEL3_CACHE_SIZE);
  return l3 > 0 ? static_cast<std::size_t>(l3) : std::size_t{32} << 20;
}

/// Systems that a strip is made of.
struct stretch {
  index_t first, count;
  int groups, lanes;
  index_t rows;
};

class executor final : public solver::executor {
 public:
  explicit executor(const task& t)
      : task_(t),
        kernels_(find_kernels(t.type, t.pivoting, t.boundary)),
        short_kernels_(find_kernels(t.type, t.pivoting, boundary::regular)) {
    geometry& g = task_.geometry;
    if (!task_.ragged.empty()) {
      g.ragged = task_.ragged.data();
      g.off_diagonal = task_.off_diagonal.data();
      ragged_ = order_ragged(task_.ragged, kernels_.wide.lanes, t.boundary == boundary::periodic);
    }
    matrices_ = {g.matrices.size, kernels_.wide.lanes};
    right_sides_ = {g.right_sides.size, kernels_.wide.lanes};
    const index_t rows = solver::total_rows(task_) * std::max<index_t>(g.right_sides.size, 1);
    threads_ = t.options.threads > 0 ? t.options.threads : omp_get_max_threads();
    if (rows < serial_rows) threads_ = 1;
    stream_ = static_cast<std::size_t>(rows) * size_of(t.type) * 5 > cache_bytes();
    place_memory();
  }

  int threads() const override { return threads_; }
  std::size_t workspace_bytes() const override {
    return solver::alignment + shared_factors_bytes() + threads_ * thread_bytes_;
  }
  std::size_t factors_bytes() const override {
    return solver::alignment + solver::status_bytes(task_.geometry) + factors_at(runs());
  }
  void check_pointer(const char* name, const void* p) const override {
    solver::check_host_pointer(name, p);
  }

  void execute(const operands& o, void* workspace, void*) const override {
    clear_empty(o.status);
    if (task_.geometry.right_sides.size == 0) return;
    if (task_.geometry.right_sides.size == 1) {
      execute_fused(o, align(workspace));
    } else if (shares_matrices()) {
      execute_shared(o, align(workspace));
    } else {
      execute_grouped(o, align(workspace));
    }
  }

  void factor(const operands& o, void* factors, void*, void*) const override {
    clear_empty(o.status);
    const solver::factor_block block = solver::split_factors(task_.geometry, factors);
    std::fill_n(block.status, task_.geometry.matrices.size, 0);
    for_each(runs(), [&](index_t i, int) {
      const run r = run_at(i);
      index_t found[max_lanes] = {};
      factor_run(o, i, block.data + factors_at(i), found);
      for (int l = 0; l < r.count; ++l) block.status[system_at(r.first + l)] = found[l];
    });
    spread(block.status, 0, task_.geometry.matrices.size, o.status);
  }

  void solve(const void* factors, const operands& o, void* workspace, void*) const override {
    const geometry& g = task_.geometry;
    const solver::factor_block block = solver::split_factors(g, const_cast<void*>(factors));
    spread(block.status, 0, g.matrices.size, o.status);
    if (shares_matrices()) {
      substitute_shared(o, 0, g.matrices.size, block.status, block.data, align(workspace));
      return;
    }
    for_each(runs() * g.right_sides.size, [&](index_t i, int thread) {
      const index_t side = i / runs(), k = i - side * runs();
      const run r = run_at(k);
      index_t status[max_lanes] = {};
      for (int l = 0; l < r.count; ++l) status[l] = block.status[system_at(r.first + l)];
      substitute_run(o, k, side, status, block.data + factors_at(k),
                     thread_memory(align(workspace), thread));
    });
  }

 private:
  // ---- what a run is ----

  /// Whether the lanes are right-hand sides of one matrix.
  bool shares_matrices() const {
    return task_.geometry.right_sides.size > 1 && right_sides_.has_wide() && task_.ragged.empty();
  }
  index_t runs() const {
    if (!task_.ragged.empty()) return static_cast<index_t>(ragged_.runs.size());
    return shares_matrices() ? task_.geometry.matrices.size : matrices_.runs();
  }
  run run_at(index_t i) const {
    if (!task_.ragged.empty()) return ragged_.runs[i];
    return shares_matrices() ? run{i, 1, true} : matrices_.at(i);
  }
  index_t rows_at(index_t i) const {
    return task_.ragged.empty() ? task_.geometry.rows : ragged_.rows[i];
  }
  index_t system_at(index_t position) const {
    return task_.ragged.empty() ? position : ragged_.system[position];
  }
  const kernels& kernels_of(const run& r, index_t rows) const {
    const kernel_pair& pair = rows < 3 ? short_kernels_ : kernels_;
    return r.single ? pair.single : pair.wide;
  }
  const kernels& kernels_at(index_t i) const { return kernels_of(run_at(i), rows_at(i)); }

  // ---- memory ----

  std::size_t run_factors_bytes(index_t i) const {
    return round_up(static_cast<std::size_t>(rows_at(i)) * kernels_at(i).factors_bytes);
  }
  /// Where a run's factors begin; those of run `runs()` would begin where all end.
  std::size_t factors_at(index_t i) const {
    if (!task_.ragged.empty()) return ragged_factors_at_[i];
    const index_t full = shares_matrices() ? 0 : std::min(i, matrices_.full());
    return (full > 0 ? full * run_factors_bytes(0) : 0) +
           (i > full ? (i - full) * run_factors_bytes(runs() - 1) : 0);
  }
  /// What a thread needs for run `i`.
  std::size_t run_bytes(index_t i) const {
    const kernels& k = kernels_at(i);
    const auto rows = static_cast<std::size_t>(rows_at(i));
    // Substitution with factors of the caller's needs the values alone.
    return round_up(task_.geometry.right_sides.size == 1
                        ? rows * std::max(k.kept_bytes, k.value_bytes)
                        : run_factors_bytes(i) + rows * k.value_bytes);
  }
  /// Groups of a strip: several, so that there is something to look ahead to, but no more than
  /// leave work for all threads, or than the cache holds where they are side by side.
  int groups_for(const split& s, std::size_t row_bytes) const {
    index_t groups = std::min<index_t>(max_groups, s.full() / (2 * threads_));
    if (side_by_side_) {
      const std::size_t group = row_bytes * static_cast<std::size_t>(task_.geometry.rows);
      groups = std::min<index_t>(groups, static_cast<index_t>(side_by_side_bytes / group));
    }
    return static_cast<int>(std::max<index_t>(groups, 1));
  }
  /// Whether neighbouring systems are neighbours in memory, in every array that is not shared.
  bool lies_side_by_side() const {
    const geometry& g = task_.geometry;
    const layout::axes& batch = shares_matrices() ? g.right_sides : g.matrices;
    if (g.ragged || g.rows == 0 || batch.count == 0) return false;
    const layout::axis& fastest = batch.at[batch.count - 1];
    return fastest.stride[layout::rhs] == 1 && fastest.stride[layout::x] == 1;
  }
  void place_memory() {
    side_by_side_ = lies_side_by_side();
    strip_groups_ = groups_for(matrices_, kernels_.wide.kept_bytes);
    if (shares_matrices()) {
      thread_bytes_ =
          round_up(static_cast<std::size_t>(task_.geometry.rows) * kernels_.wide.value_bytes);
    } else if (task_.ragged.empty()) {
      if (runs() > 0) {
        const std::size_t together = side_by_side_ ? strip_groups_ : 1;
        thread_bytes_ = std::max(together * run_bytes(0), run_bytes(runs() - 1));
      }
    } else {
      ragged_factors_at_.assign(1, 0);
      for (index_t i = 0; i < runs(); ++i) {
        ragged_factors_at_.push_back(ragged_factors_at_.back() + run_factors_bytes(i));
        thread_bytes_ = std::max(thread_bytes_, run_bytes(i));
      }
    }
  }
  /// Matrices that execute_shared factors at a time.
  index_t block_of_matrices() const {
    return std::min<index_t>(threads_, task_.geometry.matrices.size);
  }
  std::size_t shared_factors_bytes() const {
    if (!shares_matrices()) return 0;
    const auto count = static_cast<std::size_t>(block_of_matrices());
    return round_up(count * sizeof(index_t)) +
           count * round_up(static_cast<std::size_t>(task_.geometry.rows) *
                            kernels_at(0).factors_bytes);
  }
  std::byte* thread_memory(std::byte* workspace, int thread) const {
    return workspace + shared_factors_bytes() + thread * thread_bytes_;
  }

  // ---- groups ----

  strip start_strip(const operands& o, index_t rows, int groups) const {
    strip s;
    s.g = &task_.geometry;
    for (int k = 0; k < 4; ++k) s.in[k] = o.in[k];
    s.x = o.x;
    s.status = o.status;
    s.rows = rows;
    s.groups = groups;
    s.live = 0;
    s.side_by_side = side_by_side_;
    s.longest_pad = 0;
    s.stream = stream_ && o.x != o.in[layout::rhs];
    return s;
  }
  static void add_system(strip& s, const index_t (&at)[layout::array_count]) {
    for (int a = 0; a < layout::array_count; ++a) s.line[a][s.live] = at[a];
    s.first[s.live++] = 0;
  }
  /// Fills the last group's lanes that are not live.
  static void repeat_first_lane(strip& s, int lanes) {
    const int from = (s.groups - 1) * lanes;
    for (int l = s.live; l < s.groups * lanes; ++l) {
      for (auto& line : s.line) line[l] = line[from];
      s.first[l] = s.first[from];
    }
  }

  /// `count` matrices from position `first` on in `groups` groups of `lanes`, each with its
  /// right-hand side `right_side`.
  strip matrix_strip(const operands& o, const stretch& part, index_t right_side) const {
    const geometry& g = task_.geometry;
    strip s = start_strip(o, part.rows, part.groups);
    for (index_t p = part.first; p < part.first + part.count; ++p) {
      index_t at[layout::array_count];
      g.line_offsets(system_at(p), right_side, at);
      add_system(s, at);
      if (g.ragged) pad_system(s, s.rows - g.rows_of(system_at(p)));
    }
    repeat_first_lane(s, part.lanes);
    return s;
  }
  stretch stretch_of(index_t run_number) const {
    const run r = run_at(run_number);
    return {r.first, r.count, 1, kernels_at(run_number).lanes, rows_at(run_number)};
  }

  /// Aligns the system that was added last with the others' last rows.
  void pad_system(strip& s, index_t pad) const {
    const int lane = s.live - 1;
    s.first[lane] = pad;
    s.longest_pad = std::max(s.longest_pad, pad);
    for (int a = 0; a <= layout::x; ++a) s.line[a][lane] -= pad * task_.geometry.lines[a].step;
  }

  /// Right-hand sides of one matrix: some runs of them that are alike.
  strip right_side_strip(const operands& o, index_t matrix, index_t first_run, int runs) const {
    strip s = start_strip(o, task_.geometry.rows, runs);
    for (index_t i = first_run; i < first_run + runs; ++i) {
      const run r = right_sides_.at(i);
      for (index_t b = r.first; b < r.first + r.count; ++b) {
        index_t at[layout::array_count];
        task_.geometry.line_offsets(matrix, b, at);
        add_system(s, at);
      }
    }
    repeat_first_lane(s, kernels_of(right_sides_.at(first_run), s.rows).lanes);
    return s;
  }

  // ---- work ----

  template <class F>
  void for_each(index_t count, F f) const {
    const int threads = static_cast<int>(std::min<index_t>(threads_, count));
    if (threads <= 1) {
      for (index_t i = 0; i < count; ++i) f(i, 0);
    } else if (task_.ragged.empty()) {
#pragma omp parallel for num_threads(threads) schedule(static)
      for (index_t i = 0; i < count; ++i) f(i, omp_get_thread_num());
    } else {
#pragma omp parallel for num_threads(threads) schedule(dynamic)
      for (index_t i = 0; i < count; ++i) f(i, omp_get_thread_num());
    }
  }

  void factor_run(const operands& o, index_t i, void* factors, index_t* of_lane) const {
    const strip s = matrix_strip(o, stretch_of(i), 0);
    if (s.rows > 0) {
      kernels_at(i).factor(s, factors, of_lane);
    } else {
      std::fill_n(of_lane, s.live, 0);
    }
  }
  void substitute_run(const operands& o, index_t i, index_t right_side, const index_t* of_lane,
                      const void* factors, void* memory) const {
    const strip s = matrix_strip(o, stretch_of(i), right_side);
    if (s.rows > 0) kernels_at(i).substitute(s, of_lane, factors, memory);
  }

  void execute_fused(const operands& o, std::byte* workspace) const {
    if (task_.geometry.rows == 0) return;
    if (!task_.ragged.empty()) {
      for_each(runs(), [&](index_t i, int thread) {
        kernels_at(i).solve(matrix_strip(o, stretch_of(i), 0), thread_memory(workspace, thread));
      });
      return;
    }
    const index_t rows = task_.geometry.rows, head = unaligned_head(o.x);
    const split all{task_.geometry.matrices.size - head, kernels_.wide.lanes};
    const strip_split strips(all, strip_groups_);
    const index_t heads = head > 0 ? 1 : 0;
    for_each(heads + strips.count(), [&](index_t i, int thread) {
      stretch part{0, head, 1, 0, rows};
      bool single = head < fewest(kernels_.wide.lanes);
      if (i >= heads) {
        const auto [first, count] = strips.at(i - heads);
        const run front = all.at(first), back = all.at(first + count - 1);
        part = {head + front.first, back.first + back.count - front.first, count, 0, rows};
        single = front.single;
      }
      const kernels& k = kernels_of({part.first, 0, single}, rows);
      if (single) part.groups = static_cast<int>(part.count);
      part.lanes = k.lanes;
      k.solve(matrix_strip(o, part, 0), thread_memory(workspace, thread));
    });
  }

  /// Systems before the first whose neighbours begin where a cache line does, so that whole vectors
  /// of neighbours are stored at aligned addresses.
  index_t unaligned_head(const void* x) const {
    if (!side_by_side_) return 0;
    const auto size = static_cast<std::uintptr_t>(size_of(task_.type));
    const auto at = reinterpret_cast<std::uintptr_t>(x) / size;
    const auto per_line = 64 / size;
    // At most one group: with fewer lanes than a cache line has room for, vectors are aligned.
    const auto head =
        static_cast<index_t>((per_line - at % per_line) % per_line) % kernels_.wide.lanes;
    return std::min(head, task_.geometry.matrices.size);
  }

  /// Several right-hand sides, but fewer than would fill the lanes.
  void execute_grouped(const operands& o, std::byte* workspace) const {
    for_each(runs(), [&](index_t i, int thread) {
      std::byte* memory = thread_memory(workspace, thread);
      const run r = run_at(i);
      index_t status[max_lanes] = {};
      factor_run(o, i, memory, status);
      enter_run(r, status, o.status);
      std::byte* values = memory + run_factors_bytes(i);
      for (index_t b = 0; b < task_.geometry.right_sides.size; ++b) {
        substitute_run(o, i, b, status, memory, values);
      }
    });
  }

  /// A few matrices at a time, so that their factors stay near.
  void execute_shared(const operands& o, std::byte* workspace) const {
    const index_t count = task_.geometry.matrices.size, block = block_of_matrices();
    auto* status = reinterpret_cast<index_t*>(workspace);
    std::byte* factors = workspace + round_up(block * sizeof(index_t));
    for (index_t m0 = 0; m0 < count; m0 += block) {
      const index_t m1 = std::min(m0 + block, count);
      for_each(m1 - m0,
               [&](index_t i, int) { factor_run(o, m0 + i, factors + factors_at(i), status + i); });
      spread(status, m0, m1, o.status);
      substitute_shared(o, m0, m1, status, factors, workspace);
    }
  }
  void substitute_shared(const operands& o, index_t m0, index_t m1, const index_t* status,
                         const std::byte* factors, std::byte* workspace) const {
    if (task_.geometry.rows == 0) return;
    const strip_split strips(right_sides_, groups_for(right_sides_, kernels_.wide.value_bytes));
    for_each((m1 - m0) * strips.count(), [&](index_t i, int thread) {
      const index_t m = i / strips.count();
      const auto [first, count] = strips.at(i - m * strips.count());
      const strip s = right_side_strip(o, m0 + m, first, count);
      kernels_of(right_sides_.at(first), s.rows)
          .substitute_shared(s, status + m, factors + factors_at(m),
                             thread_memory(workspace, thread));
    });
  }

  // ---- statuses ----

  /// Systems without rows are in no run, but have a status.
  void clear_empty(index_t* status) const {
    const geometry& g = task_.geometry;
    if (status == nullptr || (g.rows > 0 && g.right_sides.size > 0 && task_.ragged.empty())) return;
    for (index_t m = 0; m < g.matrices.size; ++m) {
      for (index_t r = 0; r < std::max<index_t>(g.right_sides.size, 1); ++r) {
        solver::enter_status(g, status, m, r, 0);
      }
    }
  }
  /// The statuses of matrices m0 to m1 - 1 for each of their systems.
  void spread(const index_t* of_matrix, index_t m0, index_t m1, index_t* status) const {
    const geometry& g = task_.geometry;
    if (status == nullptr) return;
    for_each((m1 - m0) * g.right_sides.size, [&](index_t i, int) {
      const index_t m = i / g.right_sides.size;
      solver::enter_status(g, status, m0 + m, i - m * g.right_sides.size, of_matrix[m]);
    });
  }
  void enter_run(const run& r, const index_t* of_lane, index_t* status) const {
    const geometry& g = task_.geometry;
    if (status == nullptr) return;
    for (int l = 0; l < r.count; ++l) {
      for (index_t b = 0; b < g.right_sides.size; ++b) {
        solver::enter_status(g, status, system_at(r.first + l), b, of_lane[l]);
      }
    }
  }

  task task_;
  kernel_pair kernels_, short_kernels_;
  ragged_order ragged_;
  split matrices_, right_sides_;
  int strip_groups_ = 1;
  bool side_by_side_ = false;
  std::vector<std::size_t> ragged_factors_at_;
  std::size_t thread_bytes_ = 0;
  int threads_ = 1;
  bool stream_ = false;
};

}  // namespace
}  // namespace tridia::cpu

namespace tridia::solver {

std::unique_ptr<const executor> make_cpu(const task& t) {
  return std::make_unique<cpu::executor>(t);
}

}  // namespace tridia::solver
