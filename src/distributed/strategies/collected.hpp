// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "distributed/strategies/interface_of.hpp"

namespace tridia::distributed {

/// A line's equations, rank after rank, to all its ends.
template <class V, pivoting P>
struct line_closer : interface_words<V, P> {
  using typename interface_words<V, P>::equations_t, typename interface_words<V, P>::ends_t,
      typename interface_words<V, P>::seam_t, typename interface_words<V, P>::joining;

  const V *equations, *received;  // own, those of others
  V *ends, *returned;             // own; those of others, if they are sent back
  seam_t* seams;
  index_t count, each;
  int ranks, here;
  bool periodic;

  TRIDIA_FN equations_t of_rank(int r, index_t line) const {
    return core::load_words<equations_t>(
        r == here ? equations : received + r * each * (core::words_of<equations_t, V>), count,
        line);
  }
  TRIDIA_FN void give(int r, index_t line, const ends_t& e) const {
    if (r == here) {
      core::store_words(e, ends, count, line);
    } else if (returned != nullptr) {
      core::store_words(e, returned + r * each * (core::words_of<ends_t, V>), count, line);
    }
  }
  TRIDIA_FN void operator()(index_t line, index_t slot) const {
    seam_t* const mine = seams + slot * ranks;
    equations_t together = of_rank(0, line);
    for (int r = 1; r < ranks; ++r) {
      together = joining::merge(together, of_rank(r, line), mine[r]);
    }
    ends_t outer = interface_words<V, P>::close(periodic, together);
    for (int r = ranks - 1; r > 0; --r) {
      ends_t left, right;
      joining::split(mine[r], outer, left, right);
      give(r, line, right);
      outer = left;
    }
    give(0, line, outer);
  }
};

/// The strategies in which some rank has all equations of a line: the first rank of the line
/// (gather), each for its share of the lines (all_to_all), or every one (allgather).
template <class Space, class V, pivoting P>
class collected final : public interface_of<Space, V, P> {
  using base = interface_of<Space, V, P>;
  using base::equation_words, base::ends_words, base::ranks, base::here, base::rank, base::words;
  using typename base::seam_t;

 public:
  collected(strategy s, const interface_task& t, transport& by)
      : base(t, lines_a_parcel(s, t), by),
        how_(s),
        received_(owns_any() ? all_lines() * equation_words : 0),
        returned_(owns_any() && returns() ? all_lines() * ends_words : 0),
        seams_(owns_any()
                   ? static_cast<std::size_t>(this->space(nullptr).slots(this->cut_.each) * ranks())
                   : 0) {
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

  void start(index_t slab, void* stream) override {
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
    there_->start(receives_, sends_, stream);
  }

  void finish(index_t slab, void* stream) override {
    there_->wait(stream);
    if (owns_any()) solve(owned(slab), stream);
    if (!returns()) return;
    receives_.clear(), sends_.clear();
    for_each_parcel(slab, [&](index_t parcel, int owner) {
      const index_t count = this->cut_.size(parcel) * ends_words;
      if (owner != here()) receives_.push_back(words(rank(owner), this->ends_of(parcel), count));
      for (int r = 0; r < ranks(); ++r) {
        if (owner == here() && r != here()) sends_.push_back(words(rank(r), ends_for(r), count));
      }
    });
    back_->start(receives_, sends_, stream);
    back_->wait(stream);
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
  std::size_t all_lines() const { return static_cast<std::size_t>(ranks() * this->cut_.each); }
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

  void solve(index_t parcel, void* stream) {
    const index_t count = this->cut_.size(parcel);
    const line_closer<V, P> f{{},
                              this->equations_of(parcel),
                              received_.data(),
                              this->ends_of(parcel),
                              returns() ? returned_.data() : nullptr,
                              seams_.data(),
                              count,
                              this->cut_.each,
                              ranks(),
                              here(),
                              this->periodic()};
    this->space(stream).for_each(count, ranks(), f);
  }

  strategy how_;
  typename base::template array<V> received_, returned_;
  typename base::template array<seam_t> seams_;
  std::vector<message> receives_, sends_;
  std::unique_ptr<exchange> there_, back_;
};

}  // namespace tridia::distributed
