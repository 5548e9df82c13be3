// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "distributed/strategies/interface_of.hpp"

namespace tridia::distributed {

/// Holds the equation x = rhs - coefficient times x on the other side of a border.
template <class V>
struct neighbour_equation {
  V coefficient, rhs;
};

/// Extracts the equations at the borders of a rank's rows.
template <class V>
struct neighbour_equations_of : interface_types<V, pivoting::none> {
  using typename interface_types<V, pivoting::none>::equations_t,
      typename interface_types<V, pivoting::none>::unknowns_t;

  const V* equations;
  V *first, *last;
  index_t n;
  TRIDIA_FN void operator()(index_t line, index_t) const {
    const auto e = core::load_values<equations_t>(equations, n, line);
    core::store_values(neighbour_equation<V>{e.first.before, e.first.rhs}, first, n, line);
    core::store_values(neighbour_equation<V>{e.last.after, e.last.rhs}, last, n, line);
  }
};

/// Solves for the ends of a rank's rows from its own borders and those beside them.
template <class V>
struct neighbour_solve : interface_types<V, pivoting::none> {
  using typename interface_types<V, pivoting::none>::equations_t,
      typename interface_types<V, pivoting::none>::unknowns_t;

  const V *equations, *left, *right;  // own; the left one's last border, the right one's first
  V* unknowns;
  index_t n;
  bool has_left, has_right;

  /// Solves for x before and after the border of two ranks.
  static TRIDIA_FN void solve_pair(const neighbour_equation<V>& left,
                                   const neighbour_equation<V>& right, V& last, V& first) {
    last = core::sub_mul(left.rhs, left.coefficient, right.rhs) *
           core::reciprocal(core::sub_mul(V(1), left.coefficient, right.coefficient));
    first = core::sub_mul(right.rhs, right.coefficient, last);
  }
  TRIDIA_FN void operator()(index_t line, index_t) const {
    const auto e = core::load_values<equations_t>(equations, n, line);
    unknowns_t x{V(0), e.last.rhs, V(0)};
    V ignored;
    if (has_left) {
      solve_pair(core::load_values<neighbour_equation<V>>(left, n, line),
                 {e.first.before, e.first.rhs}, x.before, ignored);
    }
    if (has_right) {
      solve_pair({e.last.after, e.last.rhs},
                 core::load_values<neighbour_equation<V>>(right, n, line), x.last, x.after);
    }
    core::store_values(x, unknowns, n, line);
  }
};

/// Implements the strategy `nearest`: where x at one end of a rank's rows hardly affects the other
/// end, two neighbours solve for x on both sides of their border by themselves. See
/// `plan::neglected_coupling` for what is neglected.
template <class Space, class V>
class nearest final : public interface_of<Space, V, pivoting::none> {
  using base = interface_of<Space, V, pivoting::none>;
  using base::ranks, base::here, base::rank, base::message_of;

 public:
  nearest(const interface_task& t, transport& by)
      : base(t, std::max<index_t>(t.lines, 1), by),
        memory_(4 * border_values * static_cast<std::size_t>(t.lines)) {
    const bool wraps = t.boundary == boundary::periodic;
    if (here() > 0 || wraps) left_ = rank((here() + ranks() - 1) % ranks());
    if (here() + 1 < ranks() || wraps) right_ = rank((here() + 1) % ranks());
    exchange_ = by.make_exchange(4);
    receives_.reserve(2), sends_.reserve(2);
  }

  index_t batches_a_slab() const override { return 1; }
  std::size_t bytes() const override { return this->own_bytes() + this->bytes_of(memory_); }

  void start(index_t, void* stream) override {
    const index_t n = this->cut_.lines, values_a_border = border_values * n;
    this->space(stream).for_each(
        n, 1, neighbour_equations_of<V>{{}, this->equations_of(0), at(0), at(1), n});
    receives_.clear(), sends_.clear();
    // A rank's first message goes left: if both neighbours are one rank, it is received as the
    // right border's.
    if (right_ >= 0) receives_.push_back(message_of(right_, at(2), values_a_border));
    if (left_ >= 0) receives_.push_back(message_of(left_, at(3), values_a_border));
    if (left_ >= 0) sends_.push_back(message_of(left_, at(0), values_a_border));
    if (right_ >= 0) sends_.push_back(message_of(right_, at(1), values_a_border));
    exchange_->start(receives_, sends_, stream);
  }

  void finish(index_t, void* stream) override {
    exchange_->wait(stream);
    const index_t n = this->cut_.lines;
    const neighbour_solve<V> f{
        {}, this->equations_of(0), at(3), at(2), this->unknowns_of(0), n, left_ >= 0, right_ >= 0};
    this->space(stream).for_each(n, 1, f);
  }

 private:
  static constexpr std::size_t border_values = core::value_count<neighbour_equation<V>, V>;

  /// Returns border k: own first and last, the right neighbour's first, the left neighbour's last.
  V* at(int k) {
    return memory_.data() + k * static_cast<index_t>(border_values) * this->cut_.lines;
  }

  int left_ = -1, right_ = -1;
  typename base::template array<V> memory_;
  std::vector<message> receives_, sends_;
  std::unique_ptr<exchange> exchange_;
};

}  // namespace tridia::distributed
