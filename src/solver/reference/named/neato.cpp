// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#include "line_operator/constant.hpp"
#include "solver/reduction.hpp"
#include "solver/reference/named/line_executor.hpp"
#include "solver/reference/named/makers.hpp"

#include <vector>

// NEATO is CR of a matrix that the plan knows: the plan has reduced it, level by level, and only
// right-hand sides are left to be reduced (Srinath 2015, sections 2.1 and 2.2).
namespace tridia::solver::named {
namespace {

template <class V>
class neato_method {
 public:
  neato_method(const task& t, const reduction& r)
      : rows_(t.geometry.rows),
        levels_(r.levels),
        factors_(line_operator::rounded(r.factors, t.type)) {}

  [[nodiscard]] std::string description() const {
    std::string text = "a thread for all systems, ";
    return text += std::to_string(levels_.size()) + " levels";
  }
  [[nodiscard]] index_t values() const { return rows_ + rows_ / 2; }

  /// Holds right-hand sides, which x overwrites.
  struct values_of_rows {
    V* base;
    [[nodiscard]] V get(index_t k) const { return base[k]; }
    void put(index_t k, V v) const { base[k] = v; }
    [[nodiscard]] V solution(index_t k) const { return base[k]; }
    void solve(index_t k, V x) const { base[k] = x; }
  };

  values_of_rows solve(const line_input<V>& line, V* memory) const {
    const core::near_toeplitz_reduction<V> op{
        levels_.data(), reinterpret_cast<const core::reduction_factors<V>*>(factors_.data())};
    const values_of_rows x{memory}, half{memory + rows_};
    core::solve_near_toeplitz(
        static_cast<int>(line.n), op, [&](int k) { return line.rhs(k); }, half,
        [&](int k, V v) { x.put(k, v); }, one_thread{});
    return x;
  }

 private:
  index_t rows_;
  std::vector<core::reduction_level> levels_;
  std::vector<std::byte> factors_;
};

}  // namespace

std::unique_ptr<const executor> make_neato(const task& t) {
  check_rows(t);
  line_operator::factor(*t.constant, t.pivoting);  // finds out whether it is singular
  const reduction r = reduce(*t.constant);
  return make_line_executor(t, [&](auto v) { return neato_method<decltype(v)>(t, r); });
}

}  // namespace tridia::solver::named
