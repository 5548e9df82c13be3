// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "core/dispatch.hpp"
#include "gpu/devices.hpp"
#include "layout/line_status.hpp"
#include "solver/equations.hpp"
#include "solver/executor.hpp"
#include "solver/system_memory.hpp"

#include <string>
#include <utility>

namespace tridia::solver::named {

/// Stands for the team of threads that the steps of src/core are shared by: there is one thread.
struct one_thread {
  [[nodiscard]] int rank() const { return 0; }
  [[nodiscard]] int size() const { return 1; }
  void wait() const {}
};

/// Names a line that is to be solved, and where its arrays lie.
template <class V>
struct line_input {
  const geometry& g;
  const typed_operands<V>& o;
  const line_place& place;
  index_t n;  // rows, at least 1

  [[nodiscard]] input_equations<V> equations() const { return {g, o, place}; }
  [[nodiscard]] V rhs(index_t k) const {
    return o.in[layout::rhs][place.at[layout::rhs] + k * g.lines[layout::rhs].step];
  }
};

/// Throws `error` (unsupported) where systems have more rows than the stages' 32-bit numbers of
/// rows count without overflow.
inline void check_rows(const task& t) {
  constexpr index_t most = index_t{1} << 29;
  if (t.geometry.rows <= most) return;
  throw error(errc::unsupported, "algorithm: " + std::string(name(t.options.algorithm)) +
                                     " on the backend reference takes systems of at most " +
                                     std::to_string(most) + " rows, but these have " +
                                     std::to_string(t.geometry.rows) +
                                     ": ask for hierarchical or automatic, which take any length");
}

/// Solves one line after another. A `Method` has
///
///   solve(const line_input<V>&, V* memory) -> something with solution(row)
///   values()        the values of V that it needs as `memory` for the longest line
///   description()   its parameters, for the plan's reason
///
/// It may read a line's inputs until `solve` returns; x is stored thereafter.
template <class V, class Method>
class line_executor final : public executor {
 public:
  line_executor(const task& t, Method m) : task_(t), method_(std::move(m)) {
    if (!task_.ragged.empty()) {
      task_.geometry.ragged = task_.ragged.data();
      task_.geometry.off_diagonal = task_.off_diagonal.data();
    }
  }

  std::string description() const override { return method_.description(); }
  std::size_t workspace_bytes() const override {
    return alignment + static_cast<std::size_t>(method_.values()) * sizeof(V);
  }
  std::size_t factors_bytes() const override { return 0; }
  void check_pointer(const char* name, const void* p) const override {
    gpu::check_host_pointer(name, p);
  }

  void execute(const operands& untyped, void* workspace, void*) const override {
    const geometry& g = task_.geometry;
    const typed_operands<V> o = typed<V>(untyped);
    auto* const memory = reinterpret_cast<V*>(align(workspace));
    const index_t lines = g.matrices.size * g.right_sides.size;
    const bool shared = layout::shares_status(g);
    for (index_t i = 0; shared && o.status != nullptr && i < lines; ++i)
      o.status[line_place(g, i).at[layout::status]] = 0;
    for (index_t i = 0; i < lines; ++i) {
      const line_place place(g, i);
      const index_t status = solve_line({g, o, place, g.rows_of(place.matrix)}, memory);
      if (o.status != nullptr)
        layout::enter_line_status(o.status + place.at[layout::status], shared, status);
    }
    for (index_t m = 0; shared && m < g.matrices.size; ++m) {
      for (index_t s = 0; s < layout::systems_of_matrix(g); ++s) share_nan(g, o.x, m, s);
    }
  }

  void factor(const operands&, void*, void*, void*) const override { refuse_factors(); }
  void solve(const void*, const operands&, void*, void*) const override { refuse_factors(); }

 private:
  /// Solves a line and returns its status; x is NaN where that is not 0.
  index_t solve_line(const line_input<V>& line, V* memory) const {
    if (line.n == 0) return 0;
    const auto solved = method_.solve(line, memory);
    bool finite = true;
    for (index_t k = 0; k < line.n; ++k) finite = finite && core::is_finite(V(solved.solution(k)));
    const index_t status = finite ? 0 : status_of(line);
    V* const x = line.o.x + line.place.at[layout::x];
    const index_t step = line.g.lines[layout::x].step;
    for (index_t k = 0; k < line.n; ++k)
      x[k * step] = finite ? V(solved.solution(k)) : core::not_a_number<V>();
    return status;
  }

  /// Returns why a line has no finite solution. A constant matrix is known to be regular, so that
  /// its right-hand side is to blame.
  index_t status_of(const line_input<V>& line) const {
    if (!task_.constant) {
      return diagnose_system<V, pivoting::none, boundary::regular>(
          line.g, line.o, line.place.matrix, line.place.side);
    }
    for (index_t k = 0; k < line.n; ++k) {
      if (!core::is_finite(line.rhs(k))) return -(k + 1);
    }
    return -1;
  }

  [[noreturn]] void refuse_factors() const {
    throw error(errc::unsupported, "algorithm: " + std::string(name(task_.options.algorithm)) +
                                       " saves no factors: execute, or ask for automatic");
  }

  task task_;
  Method method_;
};

/// Makes the executor whose method `make(V{})` returns, for the task's type.
template <class Make>
std::unique_ptr<const executor> make_line_executor(const task& t, Make make) {
  return core::with_type(t.type, [&](auto type) -> std::unique_ptr<const executor> {
    using V = typename decltype(type)::type;
    auto method = make(V{});
    return std::make_unique<line_executor<V, decltype(method)>>(t, std::move(method));
  });
}

}  // namespace tridia::solver::named
