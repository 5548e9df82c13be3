// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#include "solver/cpu/parts/part_executor.hpp"

#include "core/dispatch.hpp"
#include "cpu/cache_size.hpp"
#include "gpu/devices.hpp"
#include "layout/saved_matrices.hpp"
#include "line_operator/constant.hpp"
#include "solver/cpu/line_executor.hpp"
#include "solver/cpu/parts/part_choice.hpp"
#include "solver/cpu/parts/part_solver.hpp"

namespace tridia::cpu {
namespace {

using layout::geometry;
using solver::factor_block;
using solver::task;

constexpr layout::array matrix_arrays[] = {layout::sub, layout::diag, layout::sup};

/// Below this many rows in all, starting threads costs more than it gains.
constexpr index_t serial_rows = 8192;

/// Returns the rows around the middle of a constant matrix that are the same as the middle one.
equal_rows equal_rows_of(const line_operator::constant_matrix& a) {
  const auto count = static_cast<index_t>(a.rows.size());
  using line_operator::wide;
  const auto equals = [](const wide& x, const wide& y) {
    return x.re.v == y.re.v && x.im.v == y.im.v;
  };
  const auto same = [&](index_t k) {
    const core::row<wide>&x = a.rows[k], &y = a.rows[count / 2];
    return equals(x.sub, y.sub) && equals(x.diag, y.diag) && equals(x.sup, y.sup);
  };
  equal_rows equal{count / 2, count / 2 + 1};
  while (equal.begin > 0 && same(equal.begin - 1)) --equal.begin;
  while (equal.end < count && same(equal.end)) ++equal.end;
  return equal;
}

/// Cuts lines into parts. Saved factors are the matrices themselves where lines are few; otherwise
/// they are factors of whole lines: substitution in all lanes is faster than another elimination.
template <class V, pivoting P>
class part_executor final : public solver::executor {
 public:
  explicit part_executor(const task& t)
      : task_(t),
        threads_(threads_of(t)),
        streams_(static_cast<std::size_t>(rows_of(t)) * size_of(t.type) * 5 > last_cache_bytes()),
        saved_(layout::with_dense_matrices(t.geometry)),
        equal_(t.constant ? equal_rows_of(*t.constant) : equal_rows{0, 0}),
        by_arrays_(solver_of(layout::broadcast_matrices(t.constant ? saved_ : t.geometry))),
        // Many lines are solved with factors of whole ones.
        by_saved_(solver_of(layout::broadcast_matrices(saved_), !are_few_lines(t.geometry))),
        trial_(solver_of(layout::with_diagonals_as_rhs(saved_), true)) {
    if (t.constant) save_constant();
    if (!are_few_lines(t.geometry)) by_lines_ = make_line_executor(t);
  }

  int threads() const override { return threads_; }
  std::string description() const override {
    return "lines are cut into parts of " + std::to_string(by_arrays_.part_rows()) + " rows";
  }
  std::size_t workspace_bytes() const override {
    const std::size_t bytes = solver::alignment + line_status_bytes() +
                              std::max({by_arrays_.workspace_bytes(), by_saved_.workspace_bytes(),
                                        trial_.workspace_bytes()});
    return by_lines_ ? std::max(bytes, by_lines_->workspace_bytes()) : bytes;
  }
  std::size_t factors_bytes() const override {
    if (by_lines_) return by_lines_->factors_bytes();
    return solver::alignment + solver::status_bytes(task_.geometry) + 3 * array_bytes();
  }
  void check_pointer(const char* name, const void* p) const override {
    gpu::check_host_pointer(name, p);
  }

  void execute(const operands& o, void* workspace, void*) const override {
    solve_with(by_arrays_, task_.constant ? with_matrices(o, constant_.data()) : o, nullptr,
               solver::align(workspace));
  }
  void factor(const operands& o, void* factors, void* workspace, void* stream) const override {
    if (by_lines_) return by_lines_->factor(o, factors, workspace, stream);
    const factor_block to = solver::split_factors(task_.geometry, factors);
    save_matrices(o, to);
    operands all = with_matrices(o, to.data);
    all.in[layout::rhs] = all.in[layout::diag];
    all.status = to.status;
    trial_.check(all, solver::align(workspace) + line_status_bytes());
    if (o.status == nullptr) return;
    for_each_line([&](index_t m, index_t r) {
      solver::enter_status(task_.geometry, o.status, m, r, to.status[m]);
    });
  }
  void solve(const void* factors, const operands& o, void* workspace, void* stream) const override {
    if (by_lines_) return by_lines_->solve(factors, o, workspace, stream);
    const factor_block block = solver::split_factors(task_.geometry, const_cast<void*>(factors));
    solve_with(by_saved_, with_matrices(o, block.data), block.status, solver::align(workspace));
  }

 private:
  static index_t rows_of(const task& t) {
    return solver::total_rows(t) * std::max<index_t>(t.geometry.right_sides.size, 1);
  }
  static int threads_of(const task& t) {
    if (rows_of(t) < serial_rows) return 1;
    return t.options.threads > 0 ? t.options.threads : omp_get_max_threads();
  }
  part_solver<V, P> solver_of(const geometry& lines, bool only_checks = false) const {
    return {task_, lines, threads_, streams_, equal_, only_checks};
  }

  // ---- matrices that are saved ----

  std::size_t array_bytes() const {
    const index_t rows = task_.geometry.rows * task_.geometry.matrices.size;
    return solver::round_up(static_cast<std::size_t>(rows) * sizeof(V));
  }
  operands with_matrices(operands o, const std::byte* base) const {
    for (const auto a : matrix_arrays) {
      o.in[a] = base + static_cast<std::size_t>(a) * array_bytes();
    }
    return o;
  }
  void save_matrices(const operands& o, const factor_block& to) const {
    constexpr index_t block = 1024;
    const geometry& g = task_.geometry;
    const index_t blocks = (g.rows + block - 1) / block;
    parallel_for(threads_, g.matrices.size * blocks, [&](index_t i, int) {
      const index_t b = i / g.matrices.size, m = i - b * g.matrices.size;
      index_t from[layout::array_count], at[layout::array_count];
      g.matrices.offsets(m, from), saved_.matrices.offsets(m, at);
      const layout::strided_matrix<V> a(g, g.rows, solver::typed<V>(o).in, from);
      for (index_t k = b * block, end = std::min(g.rows, k + block); k < end; ++k) {
        put_row(to.data, at[layout::diag] + k * saved_.lines[layout::diag].step, a.get(k));
      }
    });
  }
  void put_row(std::byte* base, index_t at, const core::row<V>& r) const {
    const V entries[] = {r.sub, r.diag, r.sup};
    for (const auto a : matrix_arrays) {
      reinterpret_cast<V*>(base + static_cast<std::size_t>(a) * array_bytes())[at] = entries[a];
    }
  }
  void save_constant() {
    line_operator::factor(*task_.constant, task_.pivoting);  // refuses what is singular
    const auto& rows = task_.constant->rows;
    std::vector<line_operator::wide> values;
    for (const auto& r : rows) values.insert(values.end(), {r.sub, r.diag, r.sup});
    const std::vector<std::byte> rounded = line_operator::rounded(values, task_.type);
    const auto* const entries = reinterpret_cast<const V*>(rounded.data());
    constant_.resize(3 * array_bytes());
    for (std::size_t k = 0; k < rows.size(); ++k) {
      put_row(constant_.data(), static_cast<index_t>(k),
              {entries[3 * k], entries[3 * k + 1], entries[3 * k + 2]});
    }
  }

  // ---- statuses ----

  std::size_t line_status_bytes() const {
    if (!layout::shares_status(task_.geometry)) return 0;
    const index_t lines = task_.geometry.matrices.size * task_.geometry.right_sides.size;
    return solver::round_up(static_cast<std::size_t>(lines) * sizeof(index_t));
  }
  /// Calls f(matrix, right-hand side) for each line, in the order in which
  /// layout::broadcast_matrices numbers statuses.
  template <class F>
  void for_each_line(F f) const {
    const index_t sides = task_.geometry.right_sides.size;
    for (index_t m = 0; m < task_.geometry.matrices.size; ++m) {
      for (index_t r = 0; r < sides; ++r) f(m, r);
    }
  }

  void solve_with(const part_solver<V, P>& by, const operands& o, const index_t* of_matrix,
                  std::byte* memory) const {
    operands lines = o;
    const bool shared = layout::shares_status(task_.geometry);
    auto* const statuses = reinterpret_cast<index_t*>(memory);
    if (shared) lines.status = statuses;
    if (!by.solve(lines, memory + line_status_bytes())) {
      return by_lines_->execute(o, memory, nullptr);
    }
    if (of_matrix != nullptr) fail_singular(o, of_matrix);
    if (!shared) return;
    if (o.status != nullptr) merge_statuses(statuses, of_matrix, o.status);
    for (index_t m = 0; m < task_.geometry.matrices.size; ++m) {
      for (index_t s = 0; s < layout::systems_of_matrix(task_.geometry); ++s) {
        solver::share_nan(task_.geometry, static_cast<V*>(o.x), m, s);
      }
    }
  }
  /// Fills x of matrices that have no finite factors with NaN, and enters their statuses.
  void fail_singular(const operands& o, const index_t* of_matrix) const {
    for_each_line([&](index_t m, index_t r) {
      if (of_matrix[m] == 0) return;
      solver::fill_with_nan(task_.geometry, static_cast<V*>(o.x), m, r);
      if (o.status != nullptr) {
        solver::enter_status(task_.geometry, o.status, m, r, of_matrix[m]);
      }
    });
  }
  void merge_statuses(const index_t* of_lines, const index_t* of_matrix, index_t* statuses) const {
    for_each_line([&](index_t m, index_t r) {
      solver::enter_status(task_.geometry, statuses, m, r, of_matrix ? of_matrix[m] : 0);
    });
    for_each_line([&](index_t m, index_t r) {
      index_t at[layout::array_count];
      task_.geometry.line_offsets(m, r, at);
      const index_t status = of_lines[m * task_.geometry.right_sides.size + r];
      if (of_matrix != nullptr && of_matrix[m] != 0) return;
      layout::enter_line_status(statuses + at[layout::status], true, status);
    });
  }

  task task_;
  int threads_;
  bool streams_;
  geometry saved_;  // where saved matrices lie
  equal_rows equal_;
  part_solver<V, P> by_arrays_, by_saved_, trial_;
  std::vector<std::byte> constant_;
  std::unique_ptr<const solver::executor> by_lines_;  // whole ones, or null
};

}  // namespace

std::unique_ptr<const solver::executor> make_part_executor(const task& t) {
  if (!t.ragged.empty() || !part_split::is_possible(t.geometry)) return {};
  return core::with_type(t.type, [&](auto type) -> std::unique_ptr<const solver::executor> {
    using V = typename decltype(type)::type;
    if (t.pivoting == pivoting::none) {
      return std::make_unique<part_executor<V, pivoting::none>>(t);
    }
    return std::make_unique<part_executor<V, pivoting::partial>>(t);
  });
}

}  // namespace tridia::cpu
