// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#include "solver/cuda/short_systems.hpp"

#include "core/dispatch.hpp"
#include "solver/cuda/shaped_method.hpp"

#include <algorithm>
#include <cstdlib>
#include <limits>

namespace tridia::cuda {
namespace {

/// From so many rows in all on, other methods are faster, as they move memory in longer pieces, but
/// for lines of so few bytes; where all have one matrix, a scan is even then.
constexpr index_t many_rows = index_t{1} << 22, few_bytes = 32;

/// So many threads keep a device busy. A thread has no more right-hand sides than this: its matrix
/// has been read for few of them already. Where they are neighbours, so are threads that have them.
constexpr index_t enough_threads = index_t{1} << 18, most_sides = 16, threads_beside = 32;

/// Returns the smallest distance between neighbours along some axes of the right-hand sides.
index_t nearest(const layout::axes& a) {
  index_t step = std::numeric_limits<index_t>::max();
  for (int k = 0; k < a.count; ++k) {
    if (a.at[k].extent > 1) step = std::min(step, std::abs(a.at[k].stride[layout::rhs]));
  }
  return step;
}

}  // namespace

std::optional<short_systems_shape> plan_short_systems(const solver::task& t) {
  const geometry& g = t.geometry;
  if (!t.ragged.empty() || !t.row_starts.empty() || t.constant) return {};
  if (g.rows < 1 || g.rows > longest_short || g.matrices.size == 0) return {};
  const index_t sides = g.right_sides.size;
  const bool many = g.matrices.size * sides * g.rows >= many_rows;
  const bool few =
      g.matrices.size > 1 && g.rows * static_cast<index_t>(size_of(t.type)) <= few_bytes;
  if (sides < 2 || (many && !few)) return {};
  const bool sides_inner = nearest(g.right_sides) < nearest(g.matrices);
  const index_t most = sides_inner ? std::max<index_t>(sides / threads_beside, 1) : sides;
  const index_t wanted =
      std::clamp<index_t>(g.matrices.size * sides / enough_threads, 1, std::min(most, most_sides));
  return short_systems_shape{(sides + wanted - 1) / wanted, sides_inner};
}

std::unique_ptr<const method> make_short_systems(const solver::task& t, const device_limits& d) {
  if (t.options.algorithm != algorithm::partition) return {};
  const auto shape = plan_short_systems(t);
  if (!shape) return {};
  // A periodic system of fewer than three rows is folded, and is regular then.
  const boundary b = t.geometry.rows < 3 ? boundary::regular : t.boundary;
  const short_systems_launches launches = core::with_type(t.type, [&](auto v) {
    return short_systems_kernels<typename decltype(v)::type>(t.pivoting, b);
  });
  return make_method(t, d, *shape, launches, "a thread for some right-hand sides of a matrix");
}

}  // namespace tridia::cuda
