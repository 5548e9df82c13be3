// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#include "solver/cuda/named/neato.hpp"

#include "solver/cuda/named/cyclic.hpp"

#include <algorithm>

namespace tridia::cuda {

neato_shape plan_neato(const task& t, std::size_t shared_bytes) {
  const neato_memory asked = t.options.parameters.memory;
  const index_t n = t.geometry.rows, half = n / 2;
  // Half of the rows, and whatever the length, the place of a status.
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
  s.across = layout::is_interleaved(t.geometry);
  s.stages = n > 0 ? core::stages_to<index_t>(n, 1) : 0;
  if (!s.shared) return s;
  s.shared_bytes = needed;
  s.threads = line_threads(std::max<index_t>(half, 1), needed, shared_bytes);
  return s;
}

}  // namespace tridia::cuda
