// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#include "solver/cuda/named/packed_cr.hpp"

#include "core/dispatch.hpp"
#include "gpu/check.hpp"
#include "solver/cuda/named/cyclic_reduction.hpp"
#include "solver/cuda/named/makers.hpp"
#include "solver/cuda/shaped_method.hpp"
#include "solver/cuda/tuned.hpp"

#include <iterator>

namespace tridia::cuda {

using namespace gpu;

namespace {

index_t most_rows(int depth, const task& t) { return most_packed_rows(depth, size_of(t.type)); }

/// Returns the caller's depth, or else the one that was measured for such systems, or the default;
/// these are deeper if a system does not fit otherwise.
int depth_of(const task& t, const device_limits& d) {
  const int asked = t.options.parameters.packing_depth;
  if (asked > 0) return asked;
  const int measured = tuned_parameter(t, d.capability);
  int depth = measured > 0 ? measured : solver::default_packing_depth;
  while (depth < packing_depths[std::size(packing_depths) - 1] &&
         t.geometry.rows > most_rows(depth, t)) {
    depth *= 2;
  }
  return depth;
}

}  // namespace

packed_shape plan_packed(const task& t, const device_limits& d) {
  const int depth = depth_of(t, d);
  if (t.geometry.rows > most_rows(depth, t)) {
    throw error(errc::unsupported,
                "algorithm: packed_cr with packing depth " + std::to_string(depth) + " and " +
                    std::string(name(t.type)) + " takes systems of at most " +
                    std::to_string(most_rows(depth, t)) + " rows, but these have " +
                    std::to_string(t.geometry.rows) +
                    ": ask for hierarchical or automatic, which take any length");
  }
  return packed_shape_of(t.geometry.rows, depth, size_of(t.type));
}

std::unique_ptr<const method> make_packed_cr(const task& t, const device_limits& d) {
  const packed_shape s = plan_packed(t, d);
  const packed_launches launches = core::with_real_type(
      t.type, [](auto v) { return packed_kernels<typename decltype(v)::type>(); });
  int registers = 0;
  check(launches.prepare(s.depth, d.shared_bytes, &registers), giving_memory);
  return make_method(t, d, s, launches,
                     block_a_system(s.threads, s.shared_bytes, registers) + ", packing depth " +
                         std::to_string(s.depth));
}

}  // namespace tridia::cuda
