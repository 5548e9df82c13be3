// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "distributed/direct_way.hpp"

#include <cuda_runtime_api.h>

#include <cstddef>
#include <span>

namespace tridia::distributed {

/// Messages are carried in chunks of this many bytes, each with counters of its own.
inline constexpr std::size_t chunk_bytes = 16384;
inline constexpr std::size_t chunks_of(std::size_t bytes) {
  return (bytes + chunk_bytes - 1) / chunk_bytes;
}

/// Copies a message, chunk by chunk, between memory of this rank and a slot, which holds one
/// message and lies in the memory of its receiver. `counts`, this rank's, hold how often each chunk
/// was carried; the other side is told in `told`, and tells in `heard`. A sender waits until the
/// other side is where it is itself, a receiver until the other side is one `ahead`: nothing is
/// ever cleared, counts may wrap, and a graph that holds such a copy can be launched again.
struct carried {
  std::byte* to;
  const std::byte* from;
  std::size_t bytes;
  const unsigned* heard;
  unsigned *told, *counts;
  unsigned ahead;
};

/// Copies messages beside each other, once the work before in the stream is done.
cudaError_t carry(std::span<const carried>, const wait_limits&, cudaStream_t);

}  // namespace tridia::distributed
