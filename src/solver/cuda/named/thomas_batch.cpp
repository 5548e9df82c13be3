// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#include "solver/cuda/named/thomas_batch.hpp"

#include "core/dispatch.hpp"
#include "gpu/check.hpp"
#include "layout/resolve.hpp"
#include "solver/cuda/named/makers.hpp"
#include "solver/cuda/planning.hpp"
#include "solver/cuda/shaped_method.hpp"

#include <algorithm>
#include <numeric>

namespace tridia::cuda {

using namespace gpu;

interleaving plan_interleaving(const task& t) {
  interleaving s{};
  s.lines = line_count(t);
  s.rows = t.geometry.rows;
  switch (t.options.parameters.transformation) {
    case transformation::blocks:
      s.width = warp_size;
      break;
    case transformation::packed:
      s.width = s.lines;
      s.pitch = solver::total_rows(t) * t.geometry.right_sides.size;
      return s;
    default:
      s.width = std::max<index_t>(s.lines, 1);
  }
  s.pitch = (s.lines + s.width - 1) / s.width * s.width * s.rows;
  return s;
}

std::size_t interleaving_bytes(const task& t, const interleaving& s) {
  return solver::alignment + 4 * static_cast<std::size_t>(s.pitch) * size_of(t.type);
}

sorted_batch sort_batch(const std::vector<index_t>& offsets, index_t right_sides) {
  const auto length = [&](index_t line) {
    const auto m = static_cast<std::size_t>(line / right_sides);
    return offsets[m + 1] - offsets[m];
  };
  sorted_batch s;
  s.order.resize((offsets.size() - 1) * static_cast<std::size_t>(right_sides));
  std::iota(s.order.begin(), s.order.end(), index_t{0});
  std::stable_sort(s.order.begin(), s.order.end(),
                   [&](index_t a, index_t b) { return length(a) > length(b); });
  s.row_starts = layout::packed_row_starts(static_cast<index_t>(s.order.size()), [&](index_t i) {
    return length(s.order[static_cast<std::size_t>(i)]);
  });
  return s;
}

namespace {

/// Does the three launches of cuThomasBatch one after another.
struct thomas_steps {
  thomas_launches launches;
  cudaError_t solve(const geometry& g, const operands& o, const interleaving& s,
                    std::byte* workspace, cudaStream_t stream) const {
    const bool rows = s.rows > 0;
    cudaError_t result = cudaSuccess;
    if (rows) result = launches.interleave(g, o, s, workspace, stream);
    if (result == cudaSuccess) result = launches.solve(g, o, s, workspace, stream);
    if (rows && result == cudaSuccess) result = launches.put_back(g, o, s, workspace, stream);
    return result;
  }
};

}  // namespace

std::unique_ptr<const method> make_thomas_batch(const task& t, const device_limits& d) {
  const transformation asked = t.options.parameters.transformation;
  if (asked == transformation::none) return {};
  interleaving s = plan_interleaving(t);
  shape_needs needs{.workspace_bytes = interleaving_bytes(t, s)};
  if (asked == transformation::packed) {
    const sorted_batch sorted = sort_batch(t.ragged, t.geometry.right_sides.size);
    needs.memory.push_back(upload(sorted.order));
    s.order = needs.memory.back().as<index_t>();
    needs.memory.push_back(upload(sorted.row_starts));
    s.row_starts = needs.memory.back().as<index_t>();
  }
  const thomas_launches launches = core::with_real_type(
      t.type, [&](auto v) { return thomas_kernels<typename decltype(v)::type>(t.boundary); });
  return make_method(
      t, d, s, thomas_steps{launches},
      "a thread a system, on an interleaved copy (transformation " + std::string(name(asked)) + ")",
      std::move(needs));
}

}  // namespace tridia::cuda
