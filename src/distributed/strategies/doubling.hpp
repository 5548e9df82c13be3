// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "distributed/strategies/interface_of.hpp"

namespace tridia::distributed {

/// Cyclic reduction in parallel, of ranks: in step s, neighbouring groups of 2^s ranks hear each
/// other's equations, and every rank joins the two (so that pivots may be chosen); once all ranks
/// are one group, each goes back alone to its own ends.
template <class V, pivoting P>
class doubling final : public interface_of<V, P> {
  using base = interface_of<V, P>;
  using base::equation_words, base::ranks, base::here, base::rank, base::words;
  using typename base::equations_t, typename base::ends_t, typename base::joining,
      typename base::seam_t;

 public:
  doubling(const interface_task& t, transport& by) : base(t, lines_a_parcel(t), by) {
    std::size_t most = 0;
    for (int size = 1; size < ranks(); size *= 2) {
      steps_.push_back(step_of(size));
      most = std::max(most, steps_.back().to.size() + 1);
    }
    const auto lines = static_cast<std::size_t>(this->cut_.each);
    own_.resize(lines * equation_words), other_.resize(lines * equation_words);
    seams_.resize(lines * steps_.size());
    by_exchange_ = by.make_exchange(most);
    receives_.reserve(1), sends_.reserve(most);
  }

  index_t parcels_a_slab() const override { return 1; }
  std::size_t bytes() const override {
    return this->own_bytes() + this->bytes_of(own_) + this->bytes_of(other_) +
           this->bytes_of(seams_);
  }

  void start(index_t slab) override {
    count_ = this->cut_.size(slab);
    std::copy_n(this->equations_of(slab), count_ * equation_words, own_.data());
    if (!steps_.empty()) send(steps_[0]);
  }

  void finish(index_t slab) override {
    for (std::size_t s = 0; s < steps_.size(); ++s) {
      by_exchange_->wait();
      if (steps_[s].from >= 0) join(s);
      if (s + 1 < steps_.size()) send(steps_[s + 1]);
    }
    V* const ends = this->ends_of(slab);
    this->for_each_line(count_, static_cast<index_t>(steps_.size()), [&](index_t line, int) {
      ends_t mine = this->close(core::load_words<equations_t>(own_.data(), count_, line));
      ends_t left, right;
      for (std::size_t s = steps_.size(); s-- > 0;) {
        if (steps_[s].from < 0) continue;
        joining::split(seam(s, line), mine, left, right);
        mine = steps_[s].is_left ? left : right;
      }
      core::store_words(mine, ends, count_, line);
    });
  }

 private:
  struct step {
    bool is_left;         // of the two groups, this rank's
    int from;             // whose equations of the other group it gets; -1: there is no other
    std::vector<int> to;  // who gets its own group's
  };

  /// Within half of what there may be; the seams take the rest.
  static index_t lines_a_parcel(const interface_task& t) {
    const auto line = static_cast<index_t>(sizeof(V)) * 4 * equation_words;
    const index_t most = std::max<index_t>(static_cast<index_t>(t.most_bytes) / line, 1);
    return std::max<index_t>(std::min(t.lines, most), 1);
  }

  /// The last group may be smaller than others: its members then tell several ranks each.
  step step_of(int size) const {
    const int group = here() / size, first = group * size, other = (group ^ 1) * size;
    step s{group % 2 == 0, -1, {}};
    if (other >= ranks()) return s;
    const int members = std::min(size, ranks() - first), others = std::min(size, ranks() - other);
    s.from = rank(other + (here() - first) % others);
    for (int k = here() - first; k < others; k += members) s.to.push_back(rank(other + k));
    return s;
  }

  void send(const step& s) {
    receives_.clear(), sends_.clear();
    const index_t count = count_ * equation_words;
    if (s.from >= 0) receives_.push_back(words(s.from, other_.data(), count));
    for (const int peer : s.to) sends_.push_back(words(peer, own_.data(), count));
    by_exchange_->start(receives_, sends_);
  }

  seam_t& seam(std::size_t s, index_t line) {
    return seams_[s * static_cast<std::size_t>(this->cut_.each) + static_cast<std::size_t>(line)];
  }

  void join(std::size_t s) {
    this->for_each_line(count_, 1, [&](index_t line, int) {
      auto left = core::load_words<equations_t>(own_.data(), count_, line);
      auto right = core::load_words<equations_t>(other_.data(), count_, line);
      if (!steps_[s].is_left) std::swap(left, right);
      core::store_words(joining::merge(left, right, seam(s, line)), own_.data(), count_, line);
    });
  }

  std::vector<step> steps_;
  std::vector<V> own_, other_;
  std::vector<seam_t> seams_;
  std::vector<message> receives_, sends_;
  std::unique_ptr<exchange> by_exchange_;
  index_t count_ = 0;
};

}  // namespace tridia::distributed
