// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "distributed/line_operator/shares.hpp"
#include "distributed/line_operator/sum_plan.hpp"
#include "line_operator/border_exchange.hpp"

#include <algorithm>
#include <cstddef>
#include <vector>

namespace tridia::distributed {

/// Holds the tables of a border_exchange in an execution space (cpu/host_execution_space.hpp): for
/// sums whose messages have a direct way, and to each of which this rank contributes, and one
/// other.
template <class Space, class V>
class kernel_exchange {
  using border_exchange = line_operator::border_exchange;
  template <class T>
  using array = typename Space::template array<T>;

 public:
  kernel_exchange() = default;
  /// `slots` are those of own shares, of shares to send, and of shares to receive, as `p` has them;
  /// `groups` and `weights` are of the first two.
  kernel_exchange(const sum_plan& p, const std::vector<share_slot<V>>& slots,
                  const std::vector<line_operator::sum_group>& groups,
                  const std::vector<V>& weights, gpu::round_counts* rounds,
                  const gpu::wait_limits& limits) {
    if (p.wanted > border_exchange::most_prescribed ||
        p.own.size() != static_cast<std::size_t>(p.wanted)) {
      return;
    }
    std::vector<border_exchange::share> shares;
    for (const sum_plan::share& own : p.own) shares.push_back({{nullptr, 0}, own.sum});
    const auto slot = [&](std::size_t k) {
      return border_exchange::place{slots[k].at, slots[k].jump};
    };
    for (const auto& to : p.to) {
      for (std::size_t k = 0; k < to.shares.size(); ++k)
        shares.push_back({slot(shares.size()), -1});
    }
    std::vector<border_exchange::place> arrivals(static_cast<std::size_t>(p.wanted));
    std::size_t next = shares.size();
    for (const auto& from : p.from) {
      for (const int sum : from.sums) {
        border_exchange::place& to = arrivals[static_cast<std::size_t>(sum)];
        if (to.at != nullptr) return;  // two other ranks contribute
        to = slot(next++);
      }
    }
    if (std::any_of(arrivals.begin(), arrivals.end(),
                    [](const auto& a) { return a.at == nullptr; }))
      return;
    groups_ = array<line_operator::sum_group>(groups);
    weights_ = array<V>(weights);
    shares_ = array<border_exchange::share>(shares);
    arrivals_ = array<border_exchange::place>(arrivals);
    // Own shares have the first slots.
    std::vector<border_exchange::place> own(static_cast<std::size_t>(p.wanted));
    for (std::size_t k = 0; k < p.own.size(); ++k) {
      own[static_cast<std::size_t>(p.own[k].sum)] = slot(k);
    }
    own_ = array<border_exchange::place>(own);
    computing_ = {groups_.data(),
                  static_cast<int>(groups.size()),
                  weights_.data(),
                  shares_.data(),
                  arrivals_.data(),
                  nullptr,
                  p.wanted,
                  rounds,
                  limits};
    receiving_ = computing_;
    receiving_.own = own_.data();
    possible_ = p.wanted > 0;
    may_compute_ = groups.size() <= border_exchange::most_groups;
  }

  [[nodiscard]] bool is_possible() const { return possible_; }
  [[nodiscard]] bool may_compute() const { return possible_ && may_compute_; }
  /// Return what a kernel does that computes the shares as well, and one that comes after them.
  [[nodiscard]] const border_exchange& computing() const { return computing_; }
  [[nodiscard]] const border_exchange& receiving() const { return receiving_; }

 private:
  array<line_operator::sum_group> groups_;
  array<V> weights_;
  array<border_exchange::share> shares_;
  array<border_exchange::place> arrivals_, own_;
  border_exchange computing_{}, receiving_{};
  bool possible_ = false, may_compute_ = false;
};

}  // namespace tridia::distributed
