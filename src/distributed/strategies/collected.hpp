// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "distributed/strategies/interface_of.hpp"

namespace tridia::distributed {

/// The strategies in which some rank has all equations of a line: the first rank of the line
/// (gather), each for its share of the lines (all_to_all), or every one (allgather).
template <class V, pivoting P>
class collected final : public interface_of<V, P> {
  using base = interface_of<V, P>;
  using base::equation_words, base::ends_words, base::ranks, base::here, base::rank, base::words;
  using typename base::equations_t, typename base::ends_t, typename base::joining,
      typename base::seam_t;

 public:
  collected(strategy s, const interface_task& t, transport& by)
      : base(t, lines_a_parcel(s, t), by), how_(s) {
    const auto all = static_cast<std::size_t>(ranks() * this->cut_.each);
    if (owns_any()) {
      received_.resize(all * equation_words);
      seams_.resize(static_cast<std::size_t>(this->threads()) * ranks());
      if (returns()) returned_.resize(all * ends_words);
    }
    const auto most = 2 * static_cast<std::size_t>(ranks());
    there_ = by.make_exchange(most);
    if (returns()) back_ = by.make_exchange(most);
    receives_.reserve(most), sends_.reserve(most);
  }

  index_t parcels_a_slab() const override { return how_ == strategy::all_to_all ? ranks() : 1; }
  std::size_t bytes() const override {
    return this->own_bytes() + this->bytes_of(received_) + this->bytes_of(returned_) +
           this->bytes_of(seams_);
  }

  void start(index_t slab) override {
    receives_.clear(), sends_.clear();
    if (owns_any()) {
      const index_t count = this->cut_.size(owned(slab)) * equation_words;
      for (int r = 0; r < ranks(); ++r) {
        if (r != here() && count > 0) receives_.push_back(words(rank(r), equations_from(r), count));
      }
    }
    for_each_parcel(slab, [&](index_t parcel, int owner) {
      const index_t count = this->cut_.size(parcel) * equation_words;
      for (int r = 0; r < ranks(); ++r) {
        if (r != here() && (r == owner || !returns())) {
          sends_.push_back(words(rank(r), this->equations_of(parcel), count));
        }
      }
    });
    there_->start(receives_, sends_);
  }

  void finish(index_t slab) override {
    there_->wait();
    if (owns_any()) solve(owned(slab));
    if (!returns()) return;
    receives_.clear(), sends_.clear();
    for_each_parcel(slab, [&](index_t parcel, int owner) {
      const index_t count = this->cut_.size(parcel) * ends_words;
      if (owner != here()) receives_.push_back(words(rank(owner), this->ends_of(parcel), count));
      for (int r = 0; r < ranks(); ++r) {
        if (owner == here() && r != here()) sends_.push_back(words(rank(r), ends_for(r), count));
      }
    });
    back_->start(receives_, sends_);
    back_->wait();
  }

 private:
  /// As many as leave the equations of others within their bounds.
  static index_t lines_a_parcel(strategy s, const interface_task& t) {
    const index_t ranks = t.line.size();
    const auto line = static_cast<index_t>(sizeof(V)) * ranks * (equation_words + ends_words);
    const index_t most = std::max<index_t>(static_cast<index_t>(t.most_bytes) / line, 1);
    const index_t share = s == strategy::all_to_all ? (t.lines + ranks - 1) / ranks : t.lines;
    return std::max<index_t>(std::min(share, most), 1);
  }

  bool returns() const { return how_ != strategy::allgather; }
  bool owns_any() const { return how_ != strategy::gather || here() == 0; }
  /// The parcel of a slab that is solved here.
  index_t owned(index_t slab) const {
    return slab * parcels_a_slab() + (how_ == strategy::all_to_all ? here() : 0);
  }
  /// Calls f(parcel, who solves it) for the parcels of a slab that have lines.
  template <class F>
  void for_each_parcel(index_t slab, F f) const {
    const index_t first = slab * parcels_a_slab();
    for (index_t k = 0; k < parcels_a_slab(); ++k) {
      if (this->cut_.size(first + k) == 0) continue;
      f(first + k, how_ == strategy::allgather ? here() : static_cast<int>(k));
    }
  }
  V* equations_from(int r) { return received_.data() + r * this->cut_.each * equation_words; }
  V* ends_for(int r) { return returned_.data() + r * this->cut_.each * ends_words; }

  void solve(index_t parcel) {
    const index_t count = this->cut_.size(parcel);
    std::copy_n(this->equations_of(parcel), count * equation_words, equations_from(here()));
    V* const own_ends = this->ends_of(parcel);
    this->for_each_line(count, ranks(), [&](index_t line, int thread) {
      seam_t* const seams = seams_.data() + static_cast<std::size_t>(thread) * ranks();
      const auto equations = [&](int r) {
        return core::load_words<equations_t>(equations_from(r), count, line);
      };
      equations_t together = equations(0);
      for (int r = 1; r < ranks(); ++r) {
        together = joining::merge(together, equations(r), seams[r]);
      }
      const auto give = [&](int r, const ends_t& ends) {
        if (r == here()) {
          core::store_words(ends, own_ends, count, line);
        } else if (returns()) {
          core::store_words(ends, ends_for(r), count, line);
        }
      };
      ends_t outer = this->close(together);
      for (int r = ranks() - 1; r > 0; --r) {
        ends_t left, right;
        joining::split(seams[r], outer, left, right);
        give(r, right);
        outer = left;
      }
      give(0, outer);
    });
  }

  strategy how_;
  std::vector<V> received_, returned_;
  std::vector<seam_t> seams_;
  std::vector<message> receives_, sends_;
  std::unique_ptr<exchange> there_, back_;
};

}  // namespace tridia::distributed
