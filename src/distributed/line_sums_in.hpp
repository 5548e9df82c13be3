// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "core/complex.hpp"
#include "core/dispatch.hpp"
#include "distributed/line_sums.hpp"
#include "distributed/sum_groups.hpp"

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <vector>

namespace tridia::distributed {

/// The sum of what the `Team` neighbouring threads of a device have, in one order.
template <int Team, class V>
TRIDIA_FN V team_sum(V v) {
#if defined(__CUDA_ARCH__)
  if constexpr (Team > 1) {
    constexpr int words = static_cast<int>(sizeof(V) / sizeof(float));
    struct bits {
      float word[words];
    };
    const unsigned lane = threadIdx.x % 32, team = (1U << Team) - 1;
    TRIDIA_UNROLL
    for (int step = 1; step < Team; step *= 2) {
      auto other = std::bit_cast<bits>(v);
      for (float& w : other.word) w = __shfl_xor_sync(team << lane / Team * Team, w, step);
      v = v + std::bit_cast<V>(other);
    }
  }
#endif
  return v;
}

/// A rank's shares of sums: `Lanes` neighbouring lines a call, or `Team` calls a line.
template <class V, int Lanes, int Team>
struct share_summing {
  const V* in;
  layout::axes lines;
  layout::along along;
  const sum_group* groups;
  int count;
  const V* weights;
  V* to;  // slot after slot, in each line after line

  TRIDIA_FN const V* start(index_t line) const {
    index_t at[layout::array_count];
    lines.offsets(line, at);
    return in + at[layout::rhs] + along.origin;
  }

  /// Every Team-th point from `member` on; `value(line of this call, element)` for all of them, of
  /// which `live` are there.
  template <int Sums, class Value>
  TRIDIA_FN void sum(const sum_group& g, index_t line, index_t live, int member,
                     Value value) const {
    // Points that are asked for at the same time.
    constexpr int ahead = Lanes > 1 ? 1 : Team > 1 ? 4 : 8;
    V all[Sums][Lanes];
    TRIDIA_UNROLL
    for (int j = 0; j < Sums; ++j)
      for (int l = 0; l < Lanes; ++l) all[j][l] = V(0);
    const V* const w = weights + g.weights;
    const auto load = [&](index_t k, V(&v)[Lanes]) {
      for (int l = 0; l < Lanes; ++l) v[l] = value(l, (g.first + k) * along.step);
    };
    const auto add = [&](index_t k, const V(&v)[Lanes]) {
      TRIDIA_UNROLL
      for (int j = 0; j < Sums; ++j)
        for (int l = 0; l < Lanes; ++l) {
          all[j][l] = all[j][l] + v[l] * w[k * sum_group::most + j];
        }
    };
    index_t k = member;
    for (; k + (ahead - 1) * Team < g.count; k += ahead * Team) {
      V some[ahead][Lanes];
      TRIDIA_UNROLL
      for (int a = 0; a < ahead; ++a) load(k + a * Team, some[a]);
      TRIDIA_UNROLL
      for (int a = 0; a < ahead; ++a) add(k + a * Team, some[a]);
    }
    for (; k < g.count; k += Team) {
      V one[Lanes];
      load(k, one);
      add(k, one);
    }
    TRIDIA_UNROLL
    for (int j = 0; j < Sums; ++j)
      for (int l = 0; l < Lanes; ++l) {
        const V of_team = team_sum<Team>(all[j][l]);
        if (member == 0 && l < live) to[g.slot[j] * lines.size + line + l] = of_team;
      }
  }
  template <class Value>
  TRIDIA_FN void sum_all(index_t line, index_t live, int member, Value value) const {
    static_assert(sum_group::most == 4);
    for (int k = 0; k < count; ++k) {
      const sum_group& g = groups[k];
      g.sums == 1   ? sum<1>(g, line, live, member, value)
      : g.sums == 2 ? sum<2>(g, line, live, member, value)
      : g.sums == 3 ? sum<3>(g, line, live, member, value)
                    : sum<4>(g, line, live, member, value);
    }
  }

  TRIDIA_FN void operator()(index_t i, index_t) const {
    const int member = static_cast<int>(i % Team);
    const index_t line = i / Team * Lanes;
    const index_t live = line + Lanes < lines.size ? Lanes : lines.size - line;
    const V* from[Lanes];
    bool beside = true;
    for (int l = 0; l < Lanes; ++l) {
      from[l] = l == 0 || l < live ? start(line + l) : from[l - 1];
      beside = beside && from[l] == from[0] + l;
    }
    if (beside) {
      sum_all(line, live, member, [first = from[0]](int l, index_t at) { return first[at + l]; });
    } else {
      sum_all(line, live, member, [&](int l, index_t at) { return from[l][at]; });
    }
  }
};

/// Shares of one sum after another, in one order.
template <class V>
struct share_adding {
  const V* slots;
  const index_t* terms;  // the slots of each sum, from first[sum] on
  const index_t* first;
  index_t lines;
  V* values;

  TRIDIA_FN void operator()(index_t i, index_t) const {
    const index_t sum = i / lines, line = i - sum * lines;
    V all(0);
    for (index_t k = first[sum]; k < first[sum + 1]; ++k) {
      all = all + slots[terms[k] * lines + line];
    }
    values[i] = all;
  }
};

/// What sums add to their line.
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

/// In a space (space.hpp).
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
  }

  void sum(const void* in, void* stream) override {
    if constexpr (Space::team > 1) {
      // Where a line's points lie side by side, so do a team's threads.
      if (std::abs(task_.in.step) == 1) return sum_by<1, Space::team>(in, stream);
    }
    sum_by<Space::lanes, 1>(in, stream);
  }
  void send(void* stream) override { exchange_->start(receives_, sends_, stream); }
  void add(void* stream) override {
    exchange_->wait(stream);
    const share_adding<V> f{slots_.data(), terms_.data(), first_.data(), lines(), values_.data()};
    space(stream).for_each(task_.plan.wanted * lines(), 1, f);
  }
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

  template <int Lanes, int Team>
  void sum_by(const void* in, void* stream) {
    const share_summing<V, Lanes, Team> f{
        static_cast<const V*>(in),        task_.lines,     task_.in,     groups_.data(),
        static_cast<int>(groups_.size()), weights_.data(), slots_.data()};
    space(stream).for_each((lines() + Lanes - 1) / Lanes * Team, Lanes * weights_a_line_, f);
  }

  static std::vector<V> rounded(const std::vector<wide>& from, value_type type) {
    std::vector<V> to(from.size());
    const std::vector<std::byte> bytes = solver::rounded(from, type);
    if (!bytes.empty()) std::memcpy(static_cast<void*>(to.data()), bytes.data(), bytes.size());
    return to;
  }

  /// A slot for each share: own ones, those that are sent, those that come.
  void lay_out() {
    const sum_plan& p = task_.plan;
    std::vector<sum_plan::share> shares = p.own;
    for (const auto& to : p.to) shares.insert(shares.end(), to.shares.begin(), to.shares.end());
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
    keep(terms);
    slots_ = array<V>(static_cast<std::size_t>(slots * lines()));
    values_ = array<V>(static_cast<std::size_t>(p.wanted * lines()));
    const sum_groups grouped = group_shares(shares);
    groups_ = array<sum_group>(grouped.groups);
    weights_ = array<V>(rounded(grouped.weights, task_.type));
    weights_a_line_ = static_cast<index_t>(grouped.weights.size()) / sum_group::most + 1;
    address();
    keep_columns();
  }

  void keep(const std::vector<std::vector<index_t>>& terms) {
    std::vector<index_t> all, first{0};
    for (const auto& of_sum : terms) {
      all.insert(all.end(), of_sum.begin(), of_sum.end());
      first.push_back(static_cast<index_t>(all.size()));
    }
    terms_ = array<index_t>(all);
    first_ = array<index_t>(first);
  }

  void address() {
    const sum_plan& p = task_.plan;
    V* at = slots_.data() + static_cast<index_t>(p.own.size()) * lines();
    const auto add = [&](std::vector<message>& list, int part, std::size_t count) {
      const index_t words = static_cast<index_t>(count) * lines();
      if (words > 0) {
        list.push_back({task_.line.ranks[static_cast<std::size_t>(part)], at,
                        static_cast<std::size_t>(words) * sizeof(V)});
      }
      at += words;
    };
    for (const auto& to : p.to) add(sends_, to.part, to.shares.size());
    for (const auto& from : p.from) add(receives_, from.part, from.sums.size());
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
  array<sum_group> groups_;
  array<index_t> terms_, first_;
  array<column> columns_;
  std::vector<message> receives_, sends_;
  std::unique_ptr<exchange> exchange_;
};

template <class Space>
std::unique_ptr<line_sums> make_line_sums_in(const sums_task& t, transport& by) {
  return core::with_type(t.type, [&](auto type) -> std::unique_ptr<line_sums> {
    return std::make_unique<line_sums_in<Space, typename decltype(type)::type>>(t, by);
  });
}

}  // namespace tridia::distributed
