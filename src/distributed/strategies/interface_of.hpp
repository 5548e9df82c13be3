// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "core/complex.hpp"
#include "core/joining.hpp"
#include "distributed/interface.hpp"

#include <omp.h>

#include <algorithm>
#include <vector>

namespace tridia::distributed {

/// What all strategies have.
template <class V, pivoting P>
class interface_of : public interface_systems {
 public:
  using joining = core::joining<V, P>;
  using equation = typename joining::equation;
  using equations_t = typename joining::equations;
  using ends_t = typename joining::ends;
  using seam_t = typename joining::seam;
  static constexpr int equation_words = core::words_of<equations_t, V>;
  static constexpr int ends_words = core::words_of<ends_t, V>;

  interface_of(const interface_task& t, index_t lines_a_parcel, transport& by)
      : task_(t), by_(by), cut_{t.lines, lines_a_parcel} {
    equations_.resize(static_cast<std::size_t>(t.lines) * equation_words);
    ends_.resize(static_cast<std::size_t>(t.lines) * ends_words);
  }

  const parcels& cut() const override { return cut_; }
  void* equations() override { return equations_.data(); }
  const void* ends() const override { return ends_.data(); }

 protected:
  int ranks() const { return task_.line.size(); }
  int here() const { return task_.line.here; }
  int rank(int place) const { return task_.line.ranks[place]; }
  V* equations_of(index_t parcel) {
    return equations_.data() + cut_.begin(parcel) * equation_words;
  }
  V* ends_of(index_t parcel) { return ends_.data() + cut_.begin(parcel) * ends_words; }
  std::size_t own_bytes() const { return bytes_of(equations_) + bytes_of(ends_); }

  template <class T>
  static std::size_t bytes_of(const std::vector<T>& v) {
    return v.size() * sizeof(T);
  }
  static message words(int peer, V* data, index_t count) {
    return {peer, data, static_cast<std::size_t>(count) * sizeof(V)};
  }

  ends_t close(const equations_t& e) const {
    return task_.boundary == boundary::periodic ? joining::template close<boundary::periodic>(e)
                                                : joining::template close<boundary::regular>(e);
  }

  int threads() const { return task_.threads > 0 ? task_.threads : omp_get_max_threads(); }
  /// Calls f(line, thread) for `count` lines, each worth `work` joins.
  template <class F>
  void for_each_line(index_t count, index_t work, F f) const {
    constexpr index_t serial = 4096;
    if (count * work < serial || threads() == 1) {
      for (index_t i = 0; i < count; ++i) f(i, 0);
    } else {
#pragma omp parallel for num_threads(threads()) schedule(static)
      for (index_t i = 0; i < count; ++i) f(i, omp_get_thread_num());
    }
  }

  interface_task task_;
  transport& by_;
  parcels cut_;

 private:
  std::vector<V> equations_, ends_;
};

}  // namespace tridia::distributed
