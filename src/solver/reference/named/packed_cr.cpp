// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#include "core/forward_reduction.hpp"
#include "solver/default_parameters.hpp"
#include "solver/reference/named/line_executor.hpp"
#include "solver/reference/named/makers.hpp"

// Packed CR does the first stages among the `packing_depth` neighbouring rows that a thread of a
// GPU holds in registers (Davidson and Owens 2011, figure 4), and CR among the rows that are left.
namespace tridia::solver::named {
namespace {

template <class V>
class packed_method {
 public:
  packed_method(const task& t, int depth)
      : depth_(depth), threads_((t.geometry.rows + depth - 1) / depth) {}

  [[nodiscard]] std::string description() const {
    std::string text = "a thread for all systems, packing depth ";
    return text += std::to_string(depth_);
  }
  [[nodiscard]] index_t values() const { return threads_ * (4 * depth_ + 3); }

  struct solved_rows {
    const V* x;
    [[nodiscard]] V solution(index_t k) const { return x[k]; }
  };

  solved_rows solve(const line_input<V>& line, V* memory) const {
    switch (depth_) {
      case 2:
        return solve_packed<2>(line, memory);
      case 4:
        return solve_packed<4>(line, memory);
      case 16:
        return solve_packed<16>(line, memory);
      case 32:
        return solve_packed<32>(line, memory);
      default:
        return solve_packed<8>(line, memory);
    }
  }

 private:
  using equation = core::row_equation<V>;
  using shared_rows = equation_rows<V, plain_places, index_t>;

  /// Does the work of all threads, from the last one to the first: in its stages a thread shows the
  /// thread before it rows that no later stage changes.
  template <int Depth>
  solved_rows solve_packed(const line_input<V>& line, V* memory) const {
    const auto threads = static_cast<int>((line.n + Depth - 1) / Depth);
    auto* const registers = reinterpret_cast<equation(*)[Depth]>(memory);
    auto* const x = reinterpret_cast<V(*)[Depth]>(memory + 3 * threads_ * Depth);
    shared_rows shared{memory + 4 * threads_ * Depth, threads_};
    const core::cyclic_reduction<V> op;
    fill<Depth>(line, threads, registers);
    for (int t = threads; t-- > 0;) {
      core::reduce_forward_packed(registers[t], op, [&](const equation& shown) {
        const auto which = &shown - registers[t];
        return t + 1 < threads ? registers[t + 1][which] : op.nothing();
      });
      shared.put(t, registers[t][Depth - 1]);
    }
    const int stages = core::stages_to(threads, 1);
    core::reduce_forward(threads, stages, shared, op, one_thread{});
    core::substitute_back(threads, stages, shared, op, one_thread{});
    for (int t = 0; t < threads; ++t) {
      x[t][Depth - 1] = shared.solution(t);
      const V before = t > 0 ? shared.solution(t - 1) : op.outside();
      core::substitute_back_packed(registers[t], before, x[t], op);
    }
    return {x[0]};
  }

  /// Reads the rows; those beyond the last are independent equations x = 0.
  template <int Depth>
  static void fill(const line_input<V>& line, int threads, equation (*registers)[Depth]) {
    const input_equations<V> input = line.equations();
    for (index_t k = 0; k < index_t{threads} * Depth; ++k) {
      registers[k / Depth][k % Depth] =
          k < line.n ? input.get(k) : core::cyclic_reduction<V>{}.nothing();
    }
  }

  int depth_;
  index_t threads_;  // of the longest system
};

}  // namespace

std::unique_ptr<const executor> make_packed_cr(const task& t) {
  check_rows(t);
  const int asked = t.options.parameters.packing_depth;
  return make_line_executor(t, [&](auto v) {
    return packed_method<decltype(v)>(t, asked > 0 ? asked : default_packing_depth);
  });
}

}  // namespace tridia::solver::named
