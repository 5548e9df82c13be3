// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "core/complex.hpp"
#include "core/joining.hpp"
#include "distributed/parts/interface.hpp"

#include <algorithm>
#include <vector>

namespace tridia::distributed {

/// What functors of strategies work with.
template <class V, pivoting P>
struct interface_words {
  using joining = core::joining<V, P>;
  using equation = typename joining::equation;
  using equations_t = typename joining::equations;
  using ends_t = typename joining::ends;
  using seam_t = typename joining::seam;

  static TRIDIA_FN ends_t close(bool periodic, const equations_t& e) {
    return periodic ? joining::template close<boundary::periodic>(e)
                    : joining::template close<boundary::regular>(e);
  }
};

/// What all strategies have, in a space (cpu/host_space.hpp).
template <class Space, class V, pivoting P>
class interface_of : public interface_systems {
 public:
  using equations_t = typename interface_words<V, P>::equations_t;
  using ends_t = typename interface_words<V, P>::ends_t;
  using seam_t = typename interface_words<V, P>::seam_t;
  template <class T>
  using array = typename Space::template array<T>;
  static constexpr int equation_words = core::words_of<equations_t, V>;
  static constexpr int ends_words = core::words_of<ends_t, V>;

  interface_of(const interface_task& t, index_t lines_a_parcel, transport& by)
      : task_(t),
        by_(by),
        cut_{t.lines, lines_a_parcel},
        equations_(static_cast<std::size_t>(t.lines) * equation_words),
        ends_(static_cast<std::size_t>(t.lines) * ends_words) {}

  const parcels& cut() const override { return cut_; }
  void* equations() override { return equations_.data(); }
  std::size_t equation_bytes() const override { return bytes_of(equations_); }
  const void* ends() const override { return ends_.data(); }

 protected:
  int ranks() const { return task_.line.size(); }
  int here() const { return task_.line.here; }
  int rank(int place) const { return task_.line.ranks[place]; }
  bool periodic() const { return task_.boundary == boundary::periodic; }
  V* equations_of(index_t parcel) {
    return equations_.data() + cut_.begin(parcel) * equation_words;
  }
  V* ends_of(index_t parcel) { return ends_.data() + cut_.begin(parcel) * ends_words; }
  std::size_t own_bytes() const { return bytes_of(equations_) + bytes_of(ends_); }

  template <class Array>
  static std::size_t bytes_of(const Array& a) {
    return a.size() * sizeof(*a.data());
  }
  static message words(int peer, V* data, index_t count) {
    return {peer, data, static_cast<std::size_t>(count) * sizeof(V)};
  }

  Space space(void* stream) const { return Space(task_.threads, stream); }

  interface_task task_;
  transport& by_;
  parcels cut_;

 private:
  array<V> equations_, ends_;
};

}  // namespace tridia::distributed
