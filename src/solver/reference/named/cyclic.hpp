// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "solver/reference/named/line_executor.hpp"

#include <algorithm>
#include <string>

// CR, CRNBC, PCR and CR-PCR are one method: CR until at most `switch_point` rows are left, and PCR
// on those (core/cyclic_reduction.hpp).
namespace tridia::solver::named {

/// Returns the switch point as the plan's reason has it.
inline std::string switch_point_text(index_t rows) {
  std::string text = "a thread for all systems, switch point ";
  return text += std::to_string(rows);
}

template <class V, class Places>
class cr_pcr_method {
 public:
  using rows = equation_rows<V, Places, index_t>;

  cr_pcr_method(const task& t, index_t switch_point)
      : switch_point_(static_cast<int>(
            std::clamp<index_t>(switch_point, 1, std::max<index_t>(t.geometry.rows, 1)))),
        pitch_(places(t.geometry.rows)),
        // No row is left to PCR where CR goes on to the last one.
        spare_pitch_(switch_point_ == 1 ? 0 : places(switch_point_)) {}

  [[nodiscard]] std::string description() const { return switch_point_text(switch_point_); }
  [[nodiscard]] index_t values() const { return 3 * (pitch_ + 2 * spare_pitch_); }

  rows solve(const line_input<V>& line, V* memory) const {
    const rows main{memory, pitch_}, spare{memory + 3 * pitch_, spare_pitch_},
        other{spare.base + 3 * spare_pitch_, spare_pitch_};
    const input_equations<V> input = line.equations();
    for (index_t k = 0; k < line.n; ++k) main.put(k, input.get(k));
    core::solve_cr_pcr<V>(static_cast<int>(line.n), switch_point_, main, spare, other,
                          one_thread{});
    return main;
  }

 private:
  static index_t places(index_t count) {
    return count > 0 ? Places::template of<V>(count - 1) + 1 : 0;
  }

  int switch_point_;
  index_t pitch_, spare_pitch_;
};

/// Makes the executor of the method with this switch point.
template <class Places>
std::unique_ptr<const executor> make_cr_until(const task& t, index_t switch_point) {
  check_rows(t);
  return make_line_executor(
      t, [&](auto v) { return cr_pcr_method<decltype(v), Places>(t, switch_point); });
}

}  // namespace tridia::solver::named
