// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#include "distributed/cuda/carry.hpp"

#include "gpu/peer/waiting.cuh"

#include <algorithm>
#include <cstdint>

namespace tridia::distributed {
namespace {

constexpr int threads = 256;
// Blocks that wait leave most multiprocessors to other kernels, among them those that others wait
// for, some of which need a multiprocessor of their own (fused_kernels.hpp).
constexpr std::size_t most_blocks = 64;
constexpr int most_messages = 16;

using gpu::comes;
using gpu::shared_word;

struct launch {
  carried messages[most_messages];
  unsigned first[most_messages + 1];  // chunk of each message, counted over all
  wait_limits limits;
};

template <class Word>
__device__ void copy_words(std::byte* to, const std::byte* from, unsigned count) {
  constexpr unsigned together = 4;
  const auto* const source = reinterpret_cast<const Word*>(from);
  auto* const target = reinterpret_cast<Word*>(to);
  for (unsigned i = threadIdx.x; i < count; i += together * threads) {
    Word words[together];
#pragma unroll
    for (unsigned k = 0; k < together; ++k) {
      // Not from the first cache: others have written it.
      if (i + k * threads < count) words[k] = __ldcg(source + i + k * threads);
    }
#pragma unroll
    for (unsigned k = 0; k < together; ++k) {
      if (i + k * threads < count) target[i + k * threads] = words[k];
    }
  }
}

/// Copies a multiple of four bytes in the largest words that both sides are aligned to.
__device__ void copy_chunk(std::byte* to, const std::byte* from, unsigned bytes) {
  const auto places = reinterpret_cast<std::uintptr_t>(to) | reinterpret_cast<std::uintptr_t>(from);
  unsigned done = 0;
  if (places % 16 == 0) {
    done = bytes / 16 * 16;
    copy_words<uint4>(to, from, bytes / 16);
  } else if (places % 8 == 0) {
    done = bytes / 8 * 8;
    copy_words<uint2>(to, from, bytes / 8);
  }
  copy_words<unsigned>(to + done, from + done, (bytes - done) / 4);
}

__global__ void __launch_bounds__(threads)
    carry_kernel(const __grid_constant__ launch all, int count) {
  __shared__ bool came;
  for (unsigned chunk = blockIdx.x; chunk < all.first[count]; chunk += gridDim.x) {
    int k = 0;
    while (all.first[k + 1] <= chunk) ++k;
    const carried& m = all.messages[k];
    const unsigned c = chunk - all.first[k];
    const unsigned before = m.counts[c];
    if (threadIdx.x == 0) came = comes(m.heard + c, before + m.ahead, all.limits);
    __syncthreads();
    if (!came) return;
    const std::size_t at = c * chunk_bytes;
    copy_chunk(m.to + at, m.from + at,
               static_cast<unsigned>(m.bytes - at < chunk_bytes ? m.bytes - at : chunk_bytes));
    __syncthreads();
    if (threadIdx.x == 0) {
      m.counts[c] = before + 1;
      shared_word(m.told[c]).store(before + 1, cuda::memory_order_release);
    }
  }
}

}  // namespace

cudaError_t carry(std::span<const carried> messages, const wait_limits& limits,
                  cudaStream_t stream) {
  for (; !messages.empty();
       messages = messages.subspan(std::min<std::size_t>(messages.size(), most_messages))) {
    const auto some = messages.first(std::min<std::size_t>(messages.size(), most_messages));
    launch all{};
    all.limits = limits;
    for (std::size_t k = 0; k < some.size(); ++k) {
      all.messages[k] = some[k];
      all.first[k + 1] = all.first[k] + static_cast<unsigned>(chunks_of(some[k].bytes));
    }
    const std::size_t blocks = std::min<std::size_t>(all.first[some.size()], most_blocks);
    carry_kernel<<<static_cast<unsigned>(blocks), threads, 0, stream>>>(
        all, static_cast<int>(some.size()));
    if (const cudaError_t launched = cudaGetLastError(); launched != cudaSuccess) return launched;
  }
  return cudaSuccess;
}

}  // namespace tridia::distributed
