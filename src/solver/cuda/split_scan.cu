// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#include "core/dispatch.hpp"
#include "solver/cuda/for_each.cuh"
#include "solver/cuda/split_scan.hpp"
#include "solver/share_summing.hpp"

#include <cstdlib>

namespace tridia::cuda {
namespace {

/// Calls that share a line whose points lie side by side.
constexpr int team = 4;

/// One group of sums a call, line after line: few long lines keep a device busy as well.
template <class V, int Team>
struct group_summing {
  solver::share_summing<V, 1, Team> all;

  TRIDIA_FN void operator()(index_t i, index_t) const {
    const index_t calls = all.lines.size * Team, group = i / calls;
    all.sum_some(i - group * calls, group, group + 1);
  }
};

template <class V, int Team>
cudaError_t sum_by(const border_sums& s, const void* in, void* to, cudaStream_t stream) {
  const group_summing<V, Team> f{{static_cast<const V*>(in), s.lines, s.along, s.points, s.groups,
                                  1, static_cast<const V*>(s.weights), static_cast<V*>(to),
                                  s.places}};
  return for_each(s.count * s.lines.size * Team, f, stream);
}

}  // namespace

cudaError_t sum_borders(value_type type, const border_sums& s, const void* in, void* to,
                        cudaStream_t stream) {
  return core::with_type(type, [&](auto tag) {
    using V = typename decltype(tag)::type;
    return std::abs(s.along.step) == 1 ? sum_by<V, team>(s, in, to, stream)
                                       : sum_by<V, 1>(s, in, to, stream);
  });
}

cudaError_t join_statuses(const solver::status_joining& s, cudaStream_t stream) {
  return for_each(s.lines.size, s, stream);
}

}  // namespace tridia::cuda
