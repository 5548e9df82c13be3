// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#include "distributed/decay.hpp"

#include "core/chunk.hpp"
#include "core/chunk_merge.hpp"
#include "core/dispatch.hpp"

#include <cmath>
#include <limits>

namespace tridia::distributed {
namespace {

/// Raises `largest` to v; it stays NaN once a value was NaN.
void enlarge(double& largest, double v) {
  if (!(v <= largest) && !std::isnan(largest)) largest = std::fabs(v);
}

}  // namespace

decay decay_of(value_type type, const line_batches& cut, const void* equations) {
  decay d{};
  core::with_type(type, [&](auto tag) {
    using V = typename decltype(tag)::type;
    using chunk = core::chunk<V, pivoting::none>;
    const int values = core::value_count<typename chunk::equations, V>;
    for (index_t p = 0; p < cut.count(); ++p) {
      const V* const base = static_cast<const V*>(equations) + cut.begin(p) * values;
      for (index_t line = 0; line < cut.size(p); ++line) {
        const auto e = core::load_values<typename chunk::equations>(base, cut.size(p), line);
        const auto size = [](const V& v) { return static_cast<double>(core::magnitude(v)); };
        enlarge(d.through_left, size(e.first.after));
        enlarge(d.through_right, size(e.last.before));
        enlarge(d.neighbour_left, size(e.first.before));
        enlarge(d.neighbour_right, size(e.last.after));
      }
    }
  });
  return d;
}

double neglected(const decay& d) {
  const double loop = d.neighbour_left * d.neighbour_right;
  if (!(loop < 1)) return std::numeric_limits<double>::infinity();
  return std::fmax(d.through_right + d.neighbour_right * d.through_left,
                   d.through_left + d.neighbour_left * d.through_right) /
         (1 - loop);
}

}  // namespace tridia::distributed
