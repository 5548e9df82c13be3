// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "core/complex.hpp"
#include "core/dispatch.hpp"
#include "distributed/subdomain/interface.hpp"
#include "distributed/subdomain/local_rows.hpp"
#include "distributed/subdomain/neighbour_coefficients.hpp"
#include "distributed/transport.hpp"

#include <memory>
#include <vector>

namespace tridia::distributed {

/// Copies one entry of each line.
template <class V>
struct entry_picking {
  const V* from;  // that of a line at element 0
  layout::array which;
  layout::axes lines;
  bool conjugate;
  V* to;

  TRIDIA_FN void operator()(index_t line, index_t) const {
    index_t at[layout::array_count];
    lines.offsets(line, at);
    const V entry = from[at[which]];
    to[line] = conjugate ? core::conjugate(entry) : entry;
  }
};

/// Implements neighbour_coefficients in an execution space (cpu/host_execution_space.hpp).
template <class Space, class V>
class neighbour_coefficients_in final : public neighbour_coefficients {
  using array = typename Space::template array<V>;

 public:
  neighbour_coefficients_in(const local_rows_task& t, const line_of_ranks& line, transport& by)
      : task_(t),
        sent_left_(size(t.before)),
        sent_right_(size(t.after)),
        before_(size(t.before)),
        after_(size(t.after)),
        exchange_(by.make_exchange(4)) {
    const int ranks = line.size();
    const int left = line.ranks[static_cast<std::size_t>((line.here + ranks - 1) % ranks)];
    const int right = line.ranks[static_cast<std::size_t>((line.here + 1) % ranks)];
    // Where both neighbours are one rank, what this one gives the left is what that one takes from
    // the right: so messages go to the left first, and are taken from the right first.
    add(sends_, left, sent_left_), add(sends_, right, sent_right_);
    add(receives_, right, after_), add(receives_, left, before_);
  }

  void fetch(const solver::operands& o, void* stream) override {
    // A neighbour's entry is that of the row beyond the last one here, or before the first.
    if (task_.before) pick(o, layout::sup, -1, sent_left_, stream);
    if (task_.after) pick(o, layout::sub, task_.geometry.rows, sent_right_, stream);
    exchange_->start(receives_, sends_, stream);
    exchange_->wait(stream);
  }

  const void* before() const override { return task_.before ? before_.data() : nullptr; }
  const void* after() const override { return task_.after ? after_.data() : nullptr; }
  std::size_t bytes() const override { return 2 * (before_.size() + after_.size()) * sizeof(V); }

 private:
  [[nodiscard]] std::size_t size(bool any) const {
    return any ? static_cast<std::size_t>(task_.geometry.matrices.size) : 0;
  }
  static void add(std::vector<message>& list, int peer, array& entries) {
    if (entries.size() > 0) list.push_back({peer, entries.data(), entries.size() * sizeof(V)});
  }
  void pick(const solver::operands& o, layout::array which, index_t row, array& to, void* stream) {
    const layout::geometry& g = task_.geometry;
    const V* const from = static_cast<const V*>(o.in[which]);
    const entry_picking<V> f{from + g.lines[which].origin + row * g.lines[which].step, which,
                             g.matrices, g.conjugate, to.data()};
    Space(task_.threads, stream).for_each(g.matrices.size, 1, f);
  }

  local_rows_task task_;
  array sent_left_, sent_right_, before_, after_;
  std::vector<message> receives_, sends_;
  std::unique_ptr<exchange> exchange_;
};

template <class Space>
std::unique_ptr<neighbour_coefficients> make_neighbour_coefficients_in(const local_rows_task& t,
                                                                       const line_of_ranks& line,
                                                                       transport& by) {
  return core::with_type(t.type, [&](auto type) -> std::unique_ptr<neighbour_coefficients> {
    return std::make_unique<neighbour_coefficients_in<Space, typename decltype(type)::type>>(
        t, line, by);
  });
}

}  // namespace tridia::distributed
