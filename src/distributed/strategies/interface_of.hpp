// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "core/chunk_merge.hpp"
#include "core/complex.hpp"
#include "distributed/subdomain/interface.hpp"

#include <algorithm>
#include <vector>

namespace tridia::distributed {

/// Defines the types that functors of strategies work with.
template <class V, pivoting P>
struct interface_types {
  using chunk_merge = core::chunk_merge<V, P>;
  using equation = typename chunk_merge::equation;
  using equations_t = typename chunk_merge::equations;
  using unknowns_t = typename chunk_merge::unknowns;
  using record_t = typename chunk_merge::merge_record;

  static TRIDIA_FN unknowns_t close(bool periodic, const equations_t& e) {
    return periodic ? chunk_merge::template close<boundary::periodic>(e)
                    : chunk_merge::template close<boundary::regular>(e);
  }
};

/// This is the base class of all strategies, in an execution space (cpu/host_execution_space.hpp).
template <class Space, class V, pivoting P>
class interface_of : public interface_systems {
 public:
  using equations_t = typename interface_types<V, P>::equations_t;
  using unknowns_t = typename interface_types<V, P>::unknowns_t;
  using record_t = typename interface_types<V, P>::record_t;
  template <class T>
  using array = typename Space::template array<T>;
  static constexpr int equation_values = core::value_count<equations_t, V>;
  static constexpr int unknown_values = core::value_count<unknowns_t, V>;

  interface_of(const interface_task& t, index_t lines_a_batch, transport& by)
      : task_(t),
        by_(by),
        cut_{t.lines, lines_a_batch},
        equations_(static_cast<std::size_t>(t.lines) * equation_values),
        unknowns_(static_cast<std::size_t>(t.lines) * unknown_values) {}

  const line_batches& cut() const override { return cut_; }
  void* equations() override { return equations_.data(); }
  std::size_t equation_bytes() const override { return bytes_of(equations_); }
  const void* unknowns() const override { return unknowns_.data(); }

 protected:
  int ranks() const { return task_.line.size(); }
  int here() const { return task_.line.here; }
  int rank(int place) const { return task_.line.ranks[place]; }
  bool periodic() const { return task_.boundary == boundary::periodic; }
  V* equations_of(index_t batch) { return equations_.data() + cut_.begin(batch) * equation_values; }
  V* unknowns_of(index_t batch) { return unknowns_.data() + cut_.begin(batch) * unknown_values; }
  std::size_t own_bytes() const { return bytes_of(equations_) + bytes_of(unknowns_); }

  template <class Array>
  static std::size_t bytes_of(const Array& a) {
    return a.size() * sizeof(*a.data());
  }
  static message message_of(int peer, V* data, index_t count) {
    return {peer, data, static_cast<std::size_t>(count) * sizeof(V)};
  }

  Space space(void* stream) const { return Space(task_.threads, stream); }

  interface_task task_;
  transport& by_;
  line_batches cut_;

 private:
  array<V> equations_, unknowns_;
};

}  // namespace tridia::distributed
