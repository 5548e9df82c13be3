// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "distributed/strategies/interface_of.hpp"

namespace tridia::distributed {

/// Solves a line's equations, rank after rank, for all its interface unknowns.
template <class V, pivoting P>
struct interface_solve : interface_types<V, P> {
  using typename interface_types<V, P>::equations_t, typename interface_types<V, P>::unknowns_t,
      typename interface_types<V, P>::record_t, typename interface_types<V, P>::chunk_merge;

  const V *equations, *received;  // own, those of others
  V *unknowns, *returned;         // own; those of others, if they are sent back
  record_t* records;
  index_t count, batch_size;
  int ranks, here;
  bool periodic;

  TRIDIA_FN equations_t of_rank(int r, index_t line) const {
    return core::load_values<equations_t>(
        r == here ? equations : received + r * batch_size * (core::value_count<equations_t, V>),
        count, line);
  }
  TRIDIA_FN void store(int r, index_t line, const unknowns_t& e) const {
    if (r == here) {
      core::store_values(e, unknowns, count, line);
    } else if (returned != nullptr) {
      core::store_values(e, returned + r * batch_size * (core::value_count<unknowns_t, V>), count,
                         line);
    }
  }
  TRIDIA_FN void operator()(index_t line, index_t slot) const {
    record_t* const mine = records + slot * ranks;
    equations_t together = of_rank(0, line);
    for (int r = 1; r < ranks; ++r) {
      together = chunk_merge::merge(together, of_rank(r, line), mine[r]);
    }
    unknowns_t outer = interface_types<V, P>::close(periodic, together);
    for (int r = ranks - 1; r > 0; --r) {
      unknowns_t left, right;
      chunk_merge::split(mine[r], outer, left, right);
      store(r, line, right);
      outer = left;
    }
    store(0, line, outer);
  }
};

/// Implements the strategies in which some rank has all equations of a line: the first rank of the
/// line (gather), each for its share of the lines (all_to_all), or every rank (allgather).
template <class Space, class V, pivoting P>
class gathered final : public interface_of<Space, V, P> {
  using base = interface_of<Space, V, P>;
  using base::equation_values, base::unknown_values, base::ranks, base::here, base::rank,
      base::message_of;
  using typename base::record_t;

 public:
  gathered(strategy s, const interface_task& t, transport& by)
      : base(t, lines_a_batch(s, t), by),
        how_(s),
        received_(owns_any() ? all_lines() * equation_values : 0),
        returned_(owns_any() && returns() ? all_lines() * unknown_values : 0),
        records_(owns_any() ? static_cast<std::size_t>(
                                  this->space(nullptr).slots(this->cut_.batch_size) * ranks())
                            : 0) {
    const auto most = 2 * static_cast<std::size_t>(ranks());
    there_ = by.make_exchange(most);
    if (returns()) back_ = by.make_exchange(most);
    receives_.reserve(most), sends_.reserve(most);
  }

  index_t batches_a_slab() const override { return how_ == strategy::all_to_all ? ranks() : 1; }
  std::size_t bytes() const override {
    return this->own_bytes() + this->bytes_of(received_) + this->bytes_of(returned_) +
           this->bytes_of(records_);
  }

  void start(index_t slab, void* stream) override {
    receives_.clear(), sends_.clear();
    if (owns_any()) {
      const index_t count = this->cut_.size(owned(slab)) * equation_values;
      for (int r = 0; r < ranks(); ++r) {
        if (r != here() && count > 0)
          receives_.push_back(message_of(rank(r), equations_from(r), count));
      }
    }
    for_each_batch(slab, [&](index_t batch, int owner) {
      const index_t count = this->cut_.size(batch) * equation_values;
      for (int r = 0; r < ranks(); ++r) {
        if (r != here() && (r == owner || !returns())) {
          sends_.push_back(message_of(rank(r), this->equations_of(batch), count));
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
    for_each_batch(slab, [&](index_t batch, int owner) {
      const index_t count = this->cut_.size(batch) * unknown_values;
      if (owner != here())
        receives_.push_back(message_of(rank(owner), this->unknowns_of(batch), count));
      for (int r = 0; r < ranks(); ++r) {
        if (owner == here() && r != here())
          sends_.push_back(message_of(rank(r), unknowns_for(r), count));
      }
    });
    back_->start(receives_, sends_, stream);
    back_->wait(stream);
  }

 private:
  /// Returns the number of lines that keeps the equations of other ranks within their bound.
  static index_t lines_a_batch(strategy s, const interface_task& t) {
    const index_t ranks = t.line.size();
    const auto line = static_cast<index_t>(sizeof(V)) * ranks * (equation_values + unknown_values);
    const index_t most = std::max<index_t>(static_cast<index_t>(t.most_bytes) / line, 1);
    const index_t share = s == strategy::all_to_all ? (t.lines + ranks - 1) / ranks : t.lines;
    return std::max<index_t>(std::min(share, most), 1);
  }

  bool returns() const { return how_ != strategy::allgather; }
  bool owns_any() const { return how_ != strategy::gather || here() == 0; }
  std::size_t all_lines() const {
    return static_cast<std::size_t>(ranks() * this->cut_.batch_size);
  }
  /// Returns the batch of a slab that is solved on this rank.
  index_t owned(index_t slab) const {
    return slab * batches_a_slab() + (how_ == strategy::all_to_all ? here() : 0);
  }
  /// Calls f(batch, who solves it) for the batches of a slab that have lines.
  template <class F>
  void for_each_batch(index_t slab, F f) const {
    const index_t first = slab * batches_a_slab();
    for (index_t k = 0; k < batches_a_slab(); ++k) {
      if (this->cut_.size(first + k) == 0) continue;
      f(first + k, how_ == strategy::allgather ? here() : static_cast<int>(k));
    }
  }
  V* equations_from(int r) {
    return received_.data() + r * this->cut_.batch_size * equation_values;
  }
  V* unknowns_for(int r) { return returned_.data() + r * this->cut_.batch_size * unknown_values; }

  void solve(index_t batch, void* stream) {
    const index_t count = this->cut_.size(batch);
    const interface_solve<V, P> f{{},
                                  this->equations_of(batch),
                                  received_.data(),
                                  this->unknowns_of(batch),
                                  returns() ? returned_.data() : nullptr,
                                  records_.data(),
                                  count,
                                  this->cut_.batch_size,
                                  ranks(),
                                  here(),
                                  this->periodic()};
    this->space(stream).for_each(count, ranks(), f);
  }

  strategy how_;
  typename base::template array<V> received_, returned_;
  typename base::template array<record_t> records_;
  std::vector<message> receives_, sends_;
  std::unique_ptr<exchange> there_, back_;
};

}  // namespace tridia::distributed
