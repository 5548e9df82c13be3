// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#include "solver/cuda/named/neato.hpp"

#include "core/dispatch.hpp"
#include "gpu/check.hpp"
#include "line_operator/constant.hpp"
#include "solver/cuda/named/cyclic_reduction.hpp"
#include "solver/cuda/named/makers.hpp"
#include "solver/cuda/shaped_method.hpp"
#include "solver/reduction.hpp"

#include <algorithm>

namespace tridia::cuda {

using namespace gpu;

neato_shape plan_neato(const task& t, std::size_t shared_bytes) {
  const neato_memory asked = t.options.parameters.memory;
  const index_t n = t.geometry.rows, half = n / 2;
  // Half of the rows must fit, and, whatever the length, a status.
  const std::size_t needed =
      std::max(static_cast<std::size_t>(half) * size_of(t.type), sizeof(index_t));
  const bool fits = needed <= shared_bytes;
  if (asked == neato_memory::shared && !fits) {
    throw error(errc::unsupported,
                "memory: shared with " + std::to_string(n) + " rows of " +
                    std::string(name(t.type)) + " needs " + std::to_string(needed) +
                    " bytes of shared memory, but a block has " + std::to_string(shared_bytes) +
                    ": ask for global or automatic, which take any length");
  }
  neato_shape s{};
  s.shared = fits && asked != neato_memory::global;
  s.interleaved = layout::is_interleaved(t.geometry);
  s.stages = n > 0 ? core::stages_to<index_t>(n, 1) : 0;
  if (!s.shared) return s;
  s.shared_bytes = needed;
  s.threads = line_threads(std::max<index_t>(half, 1), needed, shared_bytes);
  return s;
}

std::unique_ptr<const method> make_neato(const task& t, const device_limits& d) {
  neato_shape s = plan_neato(t, d.shared_bytes);
  const neato_launches launches = core::with_real_type(
      t.type, [](auto v) { return neato_kernels<typename decltype(v)::type>(); });
  check(launches.prepare(d.shared_bytes), giving_memory);
  line_operator::factor(*t.constant, t.pivoting);  // finds out whether it is singular
  const solver::reduction r = solver::reduce(*t.constant);
  shape_needs needs{.zero_statuses = !s.shared};
  needs.memory.push_back(upload(r.levels));
  s.levels = needs.memory.back().as<core::reduction_level>();
  needs.memory.push_back(upload(line_operator::rounded(r.factors, t.type)));
  s.factors = needs.memory.back().as<void>();
  return make_method(t, d, s, launches,
                     s.shared
                         ? block_a_system(s.threads, s.shared_bytes)
                         : std::to_string(2 * s.stages + 1) + " passes over x in global memory",
                     std::move(needs));
}

}  // namespace tridia::cuda
