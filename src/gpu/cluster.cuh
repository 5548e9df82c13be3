// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "gpu/tma.cuh"

#include <cstdint>
#include <cstring>
#include <type_traits>

// Blocks of a cluster access each other's shared memory (compute capability 9.0).
namespace tridia::gpu::cluster {

#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
/// Arrives at the cluster's barrier; `wait` waits there. The two do not order memory accesses.
__device__ __forceinline__ void arrive() {
  asm volatile("barrier.cluster.arrive.relaxed;" ::: "memory");
}
__device__ __forceinline__ void wait() { asm volatile("barrier.cluster.wait;" ::: "memory"); }
/// Waits at a barrier of all threads, after which all of them see what any of them has written.
__device__ __forceinline__ void meet() {
  asm volatile("barrier.cluster.arrive.release;" ::: "memory");
  asm volatile("barrier.cluster.wait.acquire;" ::: "memory");
}

/// Return the number of this cluster in the launch, and the rank of this block in the cluster.
__device__ __forceinline__ unsigned number() {
  unsigned n;
  asm("mov.u32 %0, %%clusterid.x;" : "=r"(n));
  return n;
}
__device__ __forceinline__ unsigned rank() {
  unsigned r;
  asm("mov.u32 %0, %%cluster_ctarank;" : "=r"(r));
  return r;
}

/// Stores a word in another block's shared memory, at the place of `mine`, and signals that block's
/// `mbarrier`, which expects it.
__device__ __forceinline__ void send_word(std::uint32_t mine, std::uint64_t word,
                                          std::uint32_t mbarrier) {
  asm volatile(
      "st.async.shared::cluster.mbarrier::complete_tx::bytes.b64 [%0], %1, [%2];" ::"r"(mine),
      "l"(word), "r"(mbarrier)
      : "memory");
}
__device__ __forceinline__ void send_word(std::uint32_t mine, std::uint32_t word,
                                          std::uint32_t mbarrier) {
  asm volatile(
      "st.async.shared::cluster.mbarrier::complete_tx::bytes.b32 [%0], %1, [%2];" ::"r"(mine),
      "r"(word), "r"(mbarrier)
      : "memory");
}
__device__ __forceinline__ std::uint32_t address_at(const void* mine, int rank) {
  const auto here = static_cast<std::uint32_t>(__cvta_generic_to_shared(mine));
  std::uint32_t there;
  asm("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(there) : "r"(here), "r"(rank));
  return there;
}
/// Sends any value, word by word, to block `rank` as `send_word` does.
template <class T>
__device__ __forceinline__ void send(T* mine, const T& value, std::uint64_t* mbarrier, int rank) {
  using word = std::conditional_t<alignof(T) % 8 == 0, std::uint64_t, std::uint32_t>;
  constexpr int words = sizeof(T) / sizeof(word);
  word parts[words];
  std::memcpy(parts, &value, sizeof(T));
  const std::uint32_t to = address_at(mine, rank), counted = address_at(mbarrier, rank);
#pragma unroll
  for (int i = 0; i < words; ++i) {
    send_word(to + i * static_cast<std::uint32_t>(sizeof(word)), parts[i], counted);
  }
}
#else
__device__ __forceinline__ unsigned number() { return blockIdx.x; }
__device__ __forceinline__ unsigned rank() { return 0; }
__device__ __forceinline__ void arrive() {}
__device__ __forceinline__ void wait() {}
__device__ __forceinline__ void meet() {}
template <class T>
__device__ __forceinline__ void send(T*, const T&, std::uint64_t*, int) {}
#endif

}  // namespace tridia::gpu::cluster

namespace tridia::gpu {

/// Waits until all that any thread of the cluster has stored is written, so that others may
/// overwrite it. Called by all threads of the cluster.
__device__ __forceinline__ void wait_for_stores() {
  tma::wait_written();
  cluster::meet();
}

/// Identifies a block: the number of the group that shares systems, and the block's rank in it.
struct block_place {
  unsigned group;
  int rank;
};
/// Returns the place of this block; groups are the clusters, or single blocks.
template <bool Cluster>
__device__ __forceinline__ block_place this_place() {
  if constexpr (!Cluster) return {blockIdx.x, 0};
  return {cluster::number(), static_cast<int>(cluster::rank())};
}

/// Holds the mbarriers for what the blocks of a cluster send each other through DSMEM.
template <bool Cluster>
class dsmem_exchange {
 public:
  tma::mbarrier equations, statuses;

  /// Makes the exchange; `at` points to its two mbarriers in a block's shared memory.
  __device__ __forceinline__ explicit dsmem_exchange(std::uint64_t* at)
      : equations(at), statuses(at + 1) {}
  /// Initializes the mbarriers. Called by every thread; then `may_send`.
  __device__ __forceinline__ void start() const {
    if constexpr (!Cluster) return;
    equations.start();
    statuses.start();
    cluster::arrive();
  }
  /// Signals that this thread has read what it received. Called by every thread between exchanges;
  /// then `may_send`, best a while later.
  __device__ __forceinline__ void has_read() const {
    if constexpr (Cluster) cluster::arrive();
  }
  /// Waits until all blocks have started, or have read what they received. Called by every thread.
  __device__ __forceinline__ void may_send() const {
    if constexpr (Cluster) cluster::wait();
  }
};

}  // namespace tridia::gpu
