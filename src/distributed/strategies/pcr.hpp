// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "distributed/strategies/interface_of.hpp"

namespace tridia::distributed {

/// Merges the equations of two neighbouring groups.
template <class V, pivoting P>
struct group_merge : interface_types<V, P> {
  using typename interface_types<V, P>::equations_t, typename interface_types<V, P>::unknowns_t,
      typename interface_types<V, P>::record_t, typename interface_types<V, P>::chunk_merge;

  V* own;
  const V* other;
  record_t* records;
  index_t count;
  bool is_left;
  TRIDIA_FN void operator()(index_t line, index_t) const {
    const auto mine = core::load_values<equations_t>(static_cast<const V*>(own), count, line);
    const auto theirs = core::load_values<equations_t>(other, count, line);
    const auto both = is_left ? chunk_merge::merge(mine, theirs, records[line])
                              : chunk_merge::merge(theirs, mine, records[line]);
    core::store_values(both, own, count, line);
  }
};

/// Substitutes back from the ends of all ranks to this rank's own, through the groups it was in.
template <class V, pivoting P>
struct group_back_substitution : interface_types<V, P> {
  using typename interface_types<V, P>::equations_t, typename interface_types<V, P>::unknowns_t,
      typename interface_types<V, P>::record_t, typename interface_types<V, P>::chunk_merge;

  const V* own;
  V* unknowns;
  const record_t* records;
  index_t count, batch_size;
  int steps;
  unsigned merged, left;
  bool periodic;
  TRIDIA_FN void operator()(index_t line, index_t) const {
    unknowns_t mine =
        interface_types<V, P>::close(periodic, core::load_values<equations_t>(own, count, line));
    unknowns_t a, b;
    for (int s = steps; s-- > 0;) {
      if ((merged >> s & 1) == 0) continue;
      chunk_merge::split(records[s * batch_size + line], mine, a, b);
      mine = (left >> s & 1) != 0 ? a : b;
    }
    core::store_values(mine, unknowns, count, line);
  }
};

/// Implements parallel cyclic reduction over ranks: in step s, neighbouring groups of 2^s ranks
/// exchange their equations, and every rank merges the two (so that pivots may be chosen); once all
/// ranks are one group, each substitutes back alone to its own interface unknowns.
template <class Space, class V, pivoting P>
class pcr final : public interface_of<Space, V, P> {
  using base = interface_of<Space, V, P>;
  using base::equation_values, base::ranks, base::here, base::rank, base::message_of;
  using typename base::record_t;

 public:
  pcr(const interface_task& t, transport& by)
      : base(t, lines_a_batch(t), by),
        steps_(steps_of(t.line)),
        own_(lines() * equation_values),
        other_(lines() * equation_values),
        records_(lines() * steps_.size()) {
    std::size_t most = 1;
    for (const step& s : steps_) most = std::max(most, s.to.size() + 1);
    by_exchange_ = by.make_exchange(most);
    receives_.reserve(1), sends_.reserve(most);
  }

  index_t batches_a_slab() const override { return 1; }
  std::size_t bytes() const override {
    return this->own_bytes() + this->bytes_of(own_) + this->bytes_of(other_) +
           this->bytes_of(records_);
  }

  void start(index_t slab, void* stream) override {
    count_ = this->cut_.size(slab);
    this->space(stream).copy(own_.data(), this->equations_of(slab), count_ * equation_values);
    if (!steps_.empty()) send(steps_[0], stream);
  }

  void finish(index_t slab, void* stream) override {
    unsigned merged = 0, left = 0;  // a bit a step
    for (std::size_t s = 0; s < steps_.size(); ++s) {
      by_exchange_->wait(stream);
      if (steps_[s].from >= 0) {
        merged |= 1U << s;
        if (steps_[s].is_left) left |= 1U << s;
        const group_merge<V, P> f{{},     own_.data(),      other_.data(), records_of(s),
                                  count_, steps_[s].is_left};
        this->space(stream).for_each(count_, 1, f);
      }
      if (s + 1 < steps_.size()) send(steps_[s + 1], stream);
    }
    const group_back_substitution<V, P> f{
        {},     own_.data(),           this->unknowns_of(slab),         records_.data(),
        count_, this->cut_.batch_size, static_cast<int>(steps_.size()), merged,
        left,   this->periodic()};
    this->space(stream).for_each(count_, static_cast<index_t>(steps_.size()), f);
  }

 private:
  struct step {
    bool is_left;         // of the two groups, this rank's
    int from;             // whose equations of the other group it gets; -1: there is no other
    std::vector<int> to;  // who gets its own group's
  };

  /// Returns the number of lines whose equations take half of the memory allowed; the merge records
  /// take the rest.
  static index_t lines_a_batch(const interface_task& t) {
    const auto line = static_cast<index_t>(sizeof(V)) * 4 * equation_values;
    const index_t most = std::max<index_t>(static_cast<index_t>(t.most_bytes) / line, 1);
    return std::max<index_t>(std::min(t.lines, most), 1);
  }

  /// Returns one step. The last group may be smaller than the others: its members then send to
  /// several ranks each.
  static step step_of(const line_of_ranks& line, int size) {
    const int here = line.here, ranks = line.size();
    const int group = here / size, first = group * size, other = (group ^ 1) * size;
    step s{group % 2 == 0, -1, {}};
    if (other >= ranks) return s;
    const int members = std::min(size, ranks - first), others = std::min(size, ranks - other);
    s.from = line.ranks[other + (here - first) % others];
    for (int k = here - first; k < others; k += members) s.to.push_back(line.ranks[other + k]);
    return s;
  }
  static std::vector<step> steps_of(const line_of_ranks& line) {
    std::vector<step> steps;
    for (int size = 1; size < line.size(); size *= 2) steps.push_back(step_of(line, size));
    return steps;
  }

  std::size_t lines() const { return static_cast<std::size_t>(this->cut_.batch_size); }
  record_t* records_of(std::size_t s) { return records_.data() + s * lines(); }

  void send(const step& by, void* stream) {
    receives_.clear(), sends_.clear();
    const index_t count = count_ * equation_values;
    if (by.from >= 0) receives_.push_back(message_of(by.from, other_.data(), count));
    for (const int peer : by.to) sends_.push_back(message_of(peer, own_.data(), count));
    by_exchange_->start(receives_, sends_, stream);
  }

  std::vector<step> steps_;
  typename base::template array<V> own_, other_;
  typename base::template array<record_t> records_;
  std::vector<message> receives_, sends_;
  std::unique_ptr<exchange> by_exchange_;
  index_t count_ = 0;
};

}  // namespace tridia::distributed
