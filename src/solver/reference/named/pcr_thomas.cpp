// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#include "solver/reference/named/pcr_thomas.hpp"

#include "solver/reference/named/cyclic.hpp"
#include "solver/reference/named/makers.hpp"

// PCR runs until its independent systems have at most `switch_point` rows; Thomas solves each of
// them (Zhang, Cohen, Davidson and Owens 2011).
namespace tridia::solver::named {
namespace {

template <class V>
struct pcr_thomas_method {
  using rows = equation_rows<V, plain_places, index_t>;
  index_t pitch;
  int switch_point;

  [[nodiscard]] std::string description() const { return switch_point_text(switch_point); }
  [[nodiscard]] index_t values() const { return 6 * pitch; }

  rows solve(const line_input<V>& line, V* memory) const {
    const rows main{memory, pitch}, spare{memory + 3 * pitch, pitch};
    const input_equations<V> input = line.equations();
    for (index_t k = 0; k < line.n; ++k) main.put(k, input.get(k));
    return core::solve_pcr_thomas<V>(static_cast<int>(line.n), switch_point, main, spare,
                                     one_thread{});
  }
};

}  // namespace

std::unique_ptr<const executor> make_pcr_thomas(const task& t) {
  check_rows(t);
  return make_line_executor(t, [&](auto v) {
    return pcr_thomas_method<decltype(v)>{t.geometry.rows, thomas_rows(t)};
  });
}

}  // namespace tridia::solver::named
