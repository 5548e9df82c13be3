// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#include "solver/reference/named/line_executor.hpp"
#include "solver/reference/named/makers.hpp"
#include "solver/reference/named/pcr_thomas.hpp"

#include <algorithm>

// The hierarchical method runs PCR in global memory until the independent systems fit a block of a
// GPU, and PCR-Thomas on each of those (Davidson, Zhang and Owens 2011).
namespace tridia::solver::named {
namespace {

/// This many rows stand for what a block has room for.
constexpr index_t block_rows = 4096;

template <class V>
class hierarchical_method {
 public:
  using rows = equation_rows<V, plain_places, index_t>;

  explicit hierarchical_method(const task& t)
      : rows_(t.geometry.rows),
        splits_(core::splits_to(std::max<index_t>(rows_, 1), block_rows)),
        switch_point_(static_cast<int>(std::min<index_t>(thomas_rows(t), block_rows))) {}

  [[nodiscard]] std::string description() const {
    return std::to_string(splits_) + " steps of PCR in memory, then systems of at most " +
           std::to_string(block_rows) + " rows, switch point " + std::to_string(switch_point_);
  }
  [[nodiscard]] index_t values() const { return 6 * (rows_ + std::min(rows_, block_rows)); }

  rows solve(const line_input<V>& line, V* memory) const {
    const index_t n = line.n;
    rows from{memory, rows_}, to{memory + 3 * rows_, rows_};
    const input_equations<V> input = line.equations();
    for (index_t k = 0; k < n; ++k) from.put(k, input.get(k));
    for (int split = 0; split < splits_; ++split, std::swap(from, to)) {
      const index_t d = index_t{1} << split;
      for (index_t k = 0; k < n; ++k) to.put(k, core::split_row<V>(n, d, k, from));
    }
    const index_t systems = index_t{1} << splits_;
    for (index_t first = 0; first < std::min(systems, n); ++first)
      solve_block(from.part(first, systems), (n - first - 1) / systems + 1, memory + 6 * rows_);
    return from;
  }

 private:
  void solve_block(const rows& system, index_t n, V* memory) const {
    const rows main{memory, n}, spare{memory + 3 * n, n};
    for (index_t k = 0; k < n; ++k) main.put(k, system.get(k));
    const rows solved =
        core::solve_pcr_thomas<V>(static_cast<int>(n), switch_point_, main, spare, one_thread{});
    for (index_t k = 0; k < n; ++k) system.solve(k, solved.solution(k));
  }

  index_t rows_;  // of the longest system
  int splits_, switch_point_;
};

}  // namespace

std::unique_ptr<const executor> make_hierarchical(const task& t) {
  return make_line_executor(t, [&](auto v) { return hierarchical_method<decltype(v)>(t); });
}

}  // namespace tridia::solver::named
