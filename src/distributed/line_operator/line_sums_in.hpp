// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "core/dispatch.hpp"
#include "distributed/agreement.hpp"
#include "distributed/line_operator/kernel_exchange.hpp"
#include "distributed/line_operator/line_sums.hpp"
#include "distributed/line_operator/shares.hpp"

#include <algorithm>
#include <cstring>
#include <memory>
#include <utility>
#include <vector>

namespace tridia::distributed {

/// Adds to each line what its sums contribute.
template <class V>
struct sum_spreading {
  struct column {
    index_t first, count, entries;
  };
  V* out;
  layout::axes lines;
  layout::along along;
  const column* columns;
  index_t count;
  const V *entries, *values;

  TRIDIA_FN void operator()(index_t line, index_t) const {
    index_t at[layout::array_count];
    lines.offsets(line, at);
    V* const x = out + at[layout::x] + along.origin;
    for (index_t c = 0; c < count; ++c) {
      const V value = values[c * lines.size + line];
      const V* const entry = entries + columns[c].entries;
      V* to = x + columns[c].first * along.step;
      for (index_t k = 0; k < columns[c].count; ++k, to += along.step) {
        *to = *to + entry[k] * value;
      }
    }
  }
};

/// Implements line_sums in an execution space (cpu/host_execution_space.hpp).
template <class Space, class V>
class line_sums_in final : public line_sums {
  template <class T>
  using array = typename Space::template array<T>;
  using column = typename sum_spreading<V>::column;

 public:
  line_sums_in(const sums_task& t, transport& by) : task_(t) {
    lay_out();
    const auto messages = t.plan.to.size() + t.plan.from.size();
    exchange_ = by.make_exchange(messages);
    way_ = exchange_->open(receives_, sends_);
    place_slots();
    // Nobody sends before all have cleared what they receive. A rank without messages has no way.
    agreement(by).reach([&] {
      if (way_ != nullptr) space(nullptr).clear(*way_);
    });
  }

  void sum(const void* in, void* stream) override {
    exchange_->refuse_failed();
    space(stream).sum(share_summing_task<V>{static_cast<const V*>(in), task_.lines, task_.in,
                                            groups_.data(), static_cast<int>(groups_.size()),
                                            weights_.data(), static_cast<index_t>(weights_.size()),
                                            places_.data(), shares_, rounds_.data()},
                      weights_a_line_);
  }
  void send(void* stream) override {
    // Kernels that computed the shares have sent them.
    if (way_ == nullptr) exchange_->start(receives_, sends_, stream);
  }
  void add(void* stream) override {
    exchange_->refuse_failed();
    way_ == nullptr ? exchange_->wait(stream) : exchange_->begin_waiting(stream);
    space(stream).add(
        share_adding_task<V>{terms_.data(), first_.data(), task_.plan.wanted, lines(),
                             values_.data(), rounds_.data(), early_ && groups_.size() > 0},
        way_);
    if (way_ != nullptr) exchange_->end_waiting(stream);
  }
  const line_operator::border_exchange* in_kernel(bool computes) const override {
    if (computes) return in_kernel_.may_compute() ? &in_kernel_.computing() : nullptr;
    return in_kernel_.is_possible() ? &in_kernel_.receiving() : nullptr;
  }
  void begin_kernel(void* stream) override {
    exchange_->refuse_failed();
    exchange_->begin_waiting(stream);
  }
  void end_kernel(void* stream) override { exchange_->end_waiting(stream); }
  const void* values() const override { return values_.data(); }
  void spread(void* out, void* stream) const override {
    const sum_spreading<V> f{static_cast<V*>(out),
                             task_.lines,
                             task_.out,
                             columns_.data(),
                             static_cast<index_t>(columns_.size()),
                             entries_.data(),
                             values_.data()};
    space(stream).for_each(lines(), entries_a_line_, f);
  }
  std::size_t bytes() const override { return (slots_.size() + values_.size()) * sizeof(V); }

 private:
  index_t lines() const { return task_.lines.size; }
  Space space(void* stream) const { return Space(task_.threads, stream); }

  static std::vector<V> rounded(const std::vector<wide>& from, value_type type) {
    std::vector<V> to(from.size());
    const std::vector<std::byte> bytes = line_operator::rounded(from, type);
    if (!bytes.empty()) std::memcpy(static_cast<void*>(to.data()), bytes.data(), bytes.size());
    return to;
  }

  /// Returns own shares and those to send.
  std::vector<sum_plan::share> all_shares() const {
    std::vector<sum_plan::share> shares = task_.plan.own;
    for (const auto& to : task_.plan.to) {
      shares.insert(shares.end(), to.shares.begin(), to.shares.end());
    }
    return shares;
  }

  /// Assigns a slot to each share: own shares, shares to send, shares to receive.
  void lay_out() {
    const sum_plan& p = task_.plan;
    const std::vector<sum_plan::share> shares = all_shares();
    auto slots = static_cast<index_t>(shares.size());
    std::vector<std::vector<index_t>> terms(static_cast<std::size_t>(p.wanted));
    const auto add_own = [&] {
      for (std::size_t k = 0; k < p.own.size(); ++k) {
        terms[static_cast<std::size_t>(p.own[k].sum)].push_back(static_cast<index_t>(k));
      }
    };
    bool added = false;
    for (const auto& from : p.from) {
      if (!added && from.part > task_.line.here) add_own(), added = true;
      for (const int sum : from.sums) terms[static_cast<std::size_t>(sum)].push_back(slots++);
    }
    if (!added) add_own();
    slots_of_sums_ = std::move(terms);
    slots_ = array<V>(static_cast<std::size_t>(slots * lines()));
    values_ = array<V>(static_cast<std::size_t>(p.wanted * lines()));
    shares_ = static_cast<int>(shares.size());
    const line_operator::sum_groups grouped = group_shares(shares);
    groups_ = array<line_operator::sum_group>(grouped.groups);
    weights_ = array<V>(rounded(grouped.weights, task_.type));
    weights_a_line_ =
        static_cast<index_t>(grouped.weights.size()) / line_operator::sum_group::most + 1;
    address();
    keep_columns();
  }

  void address() {
    const sum_plan& p = task_.plan;
    V* at = slots_.data() + static_cast<index_t>(p.own.size()) * lines();
    const auto add = [&](std::vector<message>& list, int part, std::size_t count) {
      const index_t amount = static_cast<index_t>(count) * lines();
      if (amount > 0) {
        list.push_back({task_.line.ranks[static_cast<std::size_t>(part)], at,
                        static_cast<std::size_t>(amount) * sizeof(V)});
      }
      at += amount;
    };
    for (const auto& to : p.to) add(sends_, to.part, to.shares.size());
    for (const auto& from : p.from) add(receives_, from.part, from.sums.size());
  }

  /// Finds the memory of each slot: with a direct way, that of messages is not in `slots_`.
  void place_slots() {
    const sum_plan& p = task_.plan;
    std::vector<share_slot<V>> all;
    V* at = slots_.data();
    const auto add = [&](std::size_t count, const direct_way::place* way) {
      for (std::size_t k = 0; k < count; ++k, at += lines()) {
        const index_t behind = static_cast<index_t>(k) * lines();
        way == nullptr ? all.push_back({at, 0, false})
                       : all.push_back({static_cast<V*>(way->at) + behind,
                                        static_cast<index_t>(way->jump / sizeof(V)), true});
      }
    };
    const auto way = [&](const std::vector<direct_way::place> direct_way::*side, std::size_t k) {
      return way_ == nullptr ? nullptr : &(way_->*side)[k];
    };
    add(p.own.size(), nullptr);
    for (std::size_t k = 0; k < p.to.size(); ++k) {
      add(p.to[k].shares.size(), way(&direct_way::to, k));
    }
    for (std::size_t k = 0; k < p.from.size(); ++k) {
      add(p.from[k].sums.size(), way(&direct_way::from, k));
    }
    places_ = array<share_slot<V>>(all);
    std::vector<share_slot<V>> terms;
    std::vector<index_t> first{0};
    for (const auto& of_sum : slots_of_sums_) {
      for (const index_t slot : of_sum) terms.push_back(all[static_cast<std::size_t>(slot)]);
      first.push_back(static_cast<index_t>(terms.size()));
    }
    terms_ = array<share_slot<V>>(terms);
    first_ = array<index_t>(first);
    if (way_ != nullptr) {
      const line_operator::sum_groups grouped = group_shares(all_shares(), true);
      in_kernel_ =
          kernel_exchange<Space, V>(p, all, grouped.groups, rounded(grouped.weights, task_.type),
                                    rounds_.data(), way_->limits);
    }
  }

  void keep_columns() {
    std::vector<column> columns;
    std::vector<wide> entries;
    for (const sum_column& c : task_.columns) {
      columns.push_back(
          {c.first, static_cast<index_t>(c.entries.size()), static_cast<index_t>(entries.size())});
      entries.insert(entries.end(), c.entries.begin(), c.entries.end());
    }
    entries_a_line_ = static_cast<index_t>(entries.size()) + 1;
    columns_ = array<column>(columns);
    entries_ = array<V>(rounded(entries, task_.type));
  }

  sums_task task_;
  index_t weights_a_line_ = 1, entries_a_line_ = 1;
  array<V> slots_, values_, weights_, entries_;
  array<share_slot<V>> places_, terms_;
  std::vector<std::vector<index_t>> slots_of_sums_;
  int shares_ = 0;
  array<line_operator::sum_group> groups_;
  array<index_t> first_;
  array<column> columns_;
  std::vector<message> receives_, sends_;
  std::unique_ptr<exchange> exchange_;
  const direct_way* way_ = nullptr;  // of the exchange
  bool early_ = Space::may_begin_early();
  array<gpu::round_counts> rounds_{std::vector<gpu::round_counts>(1)};
  kernel_exchange<Space, V> in_kernel_;
};

template <class Space>
std::unique_ptr<line_sums> make_line_sums_in(const sums_task& t, transport& by) {
  return core::with_type(t.type, [&](auto type) -> std::unique_ptr<line_sums> {
    return std::make_unique<line_sums_in<Space, typename decltype(type)::type>>(t, by);
  });
}

}  // namespace tridia::distributed
