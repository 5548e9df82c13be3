// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "core/dispatch.hpp"
#include "core/host_device.hpp"
#include "distributed/subdomain/status_exchange.hpp"
#include "solver/system.hpp"

#include <algorithm>
#include <memory>
#include <vector>

namespace tridia::distributed {

/// Returns which of two statuses is a line's: the first row that is not finite, or else the first
/// zero pivot.
TRIDIA_FN index_t stronger(index_t a, index_t b) {
  if (a == 0 || b == 0) return a + b;
  if ((a < 0) != (b < 0)) return a < 0 ? a : b;
  return (a < 0) == (a > b) ? a : b;
}

/// Enters a status where others may enter theirs at the same time.
TRIDIA_FN void enter_stronger(index_t* at, index_t status) {
#if defined(__CUDA_ARCH__)
  auto* const word = reinterpret_cast<unsigned long long*>(at);
  unsigned long long old = *word, seen;
  do {
    seen = old;
    const index_t now = stronger(static_cast<index_t>(seen), status);
    old = atomicCAS(word, seen, static_cast<unsigned long long>(now));
  } while (old != seen);
#else
  index_t now = __atomic_load_n(at, __ATOMIC_RELAXED);
  while (!__atomic_compare_exchange_n(at, &now, stronger(now, status), false, __ATOMIC_RELAXED,
                                      __ATOMIC_RELAXED)) {
  }
#endif
}

/// Converts statuses to rows counted from the first row of the whole line.
struct status_numbering {
  index_t* found;
  line_place at;
  TRIDIA_FN void operator()(index_t line, index_t) const {
    const index_t f = found[line];
    if (f != 0 && f != solver::failed_elsewhere)
      found[line] = f < 0 ? f - at.first_row : f + at.first_row;
  }
};
/// Combines what all ranks found of a line.
struct status_gathering {
  index_t* mine;
  const index_t* heard;
  index_t batch_size;
  int ranks, here;
  index_t rows;
  TRIDIA_FN void operator()(index_t k, index_t) const {
    index_t all = mine[k];
    for (int r = 0; r < ranks; ++r) {
      if (r != here) all = stronger(all, heard[r * batch_size + k]);
    }
    mine[k] = all == solver::failed_elsewhere ? rows : all;
  }
};
template <class Status>
TRIDIA_FN Status* status_of(const layout::geometry& g, Status* status, index_t line) {
  index_t at[layout::array_count];
  g.matrices.offsets(line, at);
  return status + at[layout::status];
}
struct status_taking {
  layout::geometry g;
  const index_t* status;
  index_t* found;
  TRIDIA_FN void operator()(index_t line, index_t) const {
    found[line] = *status_of(g, status, line);
  }
};
struct status_clearing {
  layout::geometry g;
  index_t* status;
  TRIDIA_FN void operator()(index_t line, index_t) const { enter_zero(status_of(g, status, line)); }
  /// Enters a zero; other calls may do so at the same time.
  static TRIDIA_FN void enter_zero(index_t* at) {
#if defined(__CUDA_ARCH__)
    *static_cast<volatile index_t*>(at) = 0;
#else
    __atomic_store_n(at, 0, __ATOMIC_RELAXED);
#endif
  }
};
struct status_entering {
  layout::geometry g;
  const index_t* found;
  index_t* status;
  TRIDIA_FN void operator()(index_t line, index_t) const {
    enter_stronger(status_of(g, status, line), found[line]);
  }
};
/// Fills x of lines that have failed with NaN.
template <class V>
struct line_filling {
  layout::geometry g;
  const index_t *found, *status;  // by line; by system, or null
  V* x;
  TRIDIA_FN void operator()(index_t line, index_t) const {
    const index_t of_line = status == nullptr ? found[line] : *status_of(g, status, line);
    if (of_line != 0) solver::fill_with_nan(g, x, line, 0);
  }
};

/// Implements the status exchange in an execution space (cpu/host_execution_space.hpp).
template <class Space>
class status_exchange_in final : public status_exchange {
 public:
  status_exchange_in(const line_of_ranks& line, index_t lines, const line_place& at, int threads,
                     transport& by)
      : line_(line),
        cut_{lines, std::max<index_t>((lines + line.size() - 1) / line.size(), 1)},
        at_(at),
        threads_(threads),
        found_(static_cast<std::size_t>(lines)),
        heard_(static_cast<std::size_t>(cut_.batch_size * line_.size())) {
    const auto most = 2 * static_cast<std::size_t>(line_.size());
    there_ = by.make_exchange(most), back_ = by.make_exchange(most);
    receives_.reserve(most), sends_.reserve(most);
  }

  index_t* found() override { return found_.data(); }
  std::size_t bytes() const override { return (found_.size() + heard_.size()) * sizeof(index_t); }

  void take(const layout::geometry& g, const index_t* status, void* stream) override {
    Space(threads_, stream).for_each(cut_.lines, 1, status_taking{g, status, found_.data()});
  }

  void allreduce(void* stream) override {
    const Space space(threads_, stream);
    space.for_each(cut_.lines, 1, status_numbering{found_.data(), at_});
    const auto begin = [&](int r) { return found_.data() + cut_.begin(r); };
    receives_.clear(), sends_.clear();
    for_each_other([&](int r, int peer) {
      add(receives_, peer, heard_.data() + r * cut_.batch_size, cut_.size(line_.here));
      add(sends_, peer, begin(r), cut_.size(r));
    });
    there_->start(receives_, sends_, stream);
    there_->wait(stream);
    space.for_each(cut_.size(line_.here), 1,
                   status_gathering{begin(line_.here), heard_.data(), cut_.batch_size, line_.size(),
                                    line_.here, at_.rows});
    receives_.clear(), sends_.clear();
    for_each_other([&](int r, int peer) {
      add(receives_, peer, begin(r), cut_.size(r));
      add(sends_, peer, begin(line_.here), cut_.size(line_.here));
    });
    back_->start(receives_, sends_, stream);
    back_->wait(stream);
  }

  void enter(const layout::geometry& g, index_t* status, void* stream) const override {
    const Space space(threads_, stream);
    space.for_each(cut_.lines, 1, status_clearing{g, status});
    space.for_each(cut_.lines, 1, status_entering{g, found_.data(), status});
  }

  void fill(const layout::geometry& g, const index_t* status, value_type type, void* x,
            void* stream) const override {
    core::with_type(type, [&](auto tag) {
      using V = typename decltype(tag)::type;
      const line_filling<V> f{g, found_.data(), status, static_cast<V*>(x)};
      Space(threads_, stream).for_each(cut_.lines, 1, f);
    });
  }

 private:
  template <class F>
  void for_each_other(F f) const {
    for (int r = 0; r < line_.size(); ++r) {
      if (r != line_.here) f(r, line_.ranks[r]);
    }
  }
  static void add(std::vector<message>& list, int peer, index_t* data, index_t count) {
    if (count > 0) list.push_back({peer, data, static_cast<std::size_t>(count) * sizeof(index_t)});
  }
  line_of_ranks line_;
  line_batches cut_;  // a batch for each rank, which puts together what is found of its lines
  line_place at_;
  int threads_;
  typename Space::template array<index_t> found_, heard_;
  std::vector<message> receives_, sends_;
  std::unique_ptr<exchange> there_, back_;
};

}  // namespace tridia::distributed
