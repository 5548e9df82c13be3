// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cuda.h>

#include <cstdint>

// The TMA (tensor memory accelerator) of compute capability 9.0 makes one-dimensional copies
// between device and shared memory, of multiples of 16 bytes at multiples of 16 bytes (PTX ISA,
// cp.async.bulk).
namespace tridia::gpu::tma {

#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
inline constexpr bool available = true;

__device__ __forceinline__ std::uint32_t shared_address(const void* p) {
  return static_cast<std::uint32_t>(__cvta_generic_to_shared(p));
}

/// Initializes an mbarrier. Called by one thread, before a barrier of the block. `expecting`
/// threads will call `expect`.
__device__ __forceinline__ void start(std::uint64_t* mbarrier, unsigned expecting = 1) {
  asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(shared_address(mbarrier)),
               "r"(expecting)
               : "memory");
  asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
}
/// Announces that `bytes` will arrive, in addition to what the other threads announce. Called by
/// `expecting` threads, once a phase.
__device__ __forceinline__ void expect(std::uint64_t* mbarrier, std::uint32_t bytes) {
  const std::uint32_t bar = shared_address(mbarrier);
  asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(bar), "r"(bytes)
               : "memory");
}
/// Arrives without announcing bytes. Called by one thread instead of `expect`, if the data was
/// copied in another way and is there.
__device__ __forceinline__ void arrive(std::uint64_t* mbarrier) {
  asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(shared_address(mbarrier))
               : "memory");
}
__device__ __forceinline__ void load(void* to, const void* from, std::uint32_t bytes,
                                     std::uint64_t* mbarrier) {
  asm volatile(
      "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::
          "r"(shared_address(to)),
      "l"(from), "r"(bytes), "r"(shared_address(mbarrier))
      : "memory");
}
/// Waits until all has arrived, in phase 0, 1, 0 ... Called by every thread that reads it.
__device__ __forceinline__ void wait(std::uint64_t* mbarrier, std::uint32_t phase) {
  asm volatile(
      "{\n.reg .pred done;\n"
      "again:\nmbarrier.try_wait.parity.shared::cta.b64 done, [%0], %1;\n"
      "@!done bra again;\n}" ::"r"(shared_address(mbarrier)),
      "r"(phase)
      : "memory");
}
/// Returns whether all has arrived: see `wait`.
[[nodiscard]] __device__ __forceinline__ bool test(std::uint64_t* mbarrier, std::uint32_t phase) {
  std::uint32_t done;
  asm volatile(
      "{\n.reg .pred done;\n"
      "mbarrier.test_wait.parity.shared::cta.b64 done, [%1], %2;\n"
      "selp.u32 %0, 1, 0, done;\n}"
      : "=r"(done)
      : "r"(shared_address(mbarrier)), "r"(phase)
      : "memory");
  return done != 0;
}
/// Makes this thread's writes visible to the TMA. Called by every thread that wrote what is stored,
/// before a barrier of the block.
__device__ __forceinline__ void fence_proxy_async() {
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
}
__device__ __forceinline__ void store(void* to, const void* from, std::uint32_t bytes) {
  asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;" ::"l"(to),
               "r"(shared_address(from)), "r"(bytes)
               : "memory");
}
/// Loads a box of an array of three dimensions, the fastest first: what lies outside the array is
/// loaded as zeros, and `put_box` leaves it as it is (PTX ISA, cp.async.bulk.tensor).
__device__ __forceinline__ void load_box(void* to, const CUtensorMap& from, int i, int j, int k,
                                         std::uint64_t* mbarrier) {
  asm volatile(
      "cp.async.bulk.tensor.3d.shared::cluster.global.tile.mbarrier::complete_tx::bytes"
      " [%0], [%1, {%2, %3, %4}], [%5];" ::"r"(shared_address(to)),
      "l"(&from), "r"(i), "r"(j), "r"(k), "r"(shared_address(mbarrier))
      : "memory");
}
/// Stores a box, or adds it to the array if `adds` (PTX ISA, cp.reduce.async.bulk.tensor). There is
/// no such function for bytes at an address, because ptxas 13.0 makes additions of f64 in some
/// kernels additions of integers.
__device__ __forceinline__ void put_box(const CUtensorMap& to, int i, int j, int k,
                                        const void* from, bool adds) {
  asm volatile(
      "{\n.reg .pred adds;\nsetp.ne.u32 adds, %5, 0;\n"
      "@adds cp.reduce.async.bulk.tensor.3d.global.shared::cta.add.tile.bulk_group"
      " [%0, {%1, %2, %3}], [%4];\n"
      "@!adds cp.async.bulk.tensor.3d.global.shared::cta.tile.bulk_group"
      " [%0, {%1, %2, %3}], [%4];\n}" ::"l"(&to),
      "r"(i), "r"(j), "r"(k), "r"(shared_address(from)), "r"(static_cast<unsigned>(adds))
      : "memory");
}
/// Makes a group of what this thread has stored since the last call.
__device__ __forceinline__ void commit() {
  asm volatile("cp.async.bulk.commit_group;" ::: "memory");
}
/// Waits until shared memory has been read for all groups of this thread.
__device__ __forceinline__ void wait_read() {
  asm volatile("cp.async.bulk.wait_group.read 0;" ::: "memory");
}
/// Waits until shared memory has been read for all stores of this thread: it must outlive the
/// reads.
__device__ __forceinline__ void wait_stored() {
  commit();
  wait_read();
}
/// Waits until all groups of this thread have been written: others may overwrite them then.
__device__ __forceinline__ void wait_written() {
  asm volatile("cp.async.bulk.wait_group 0;" ::: "memory");
}
#else
inline constexpr bool available = false;

__device__ __forceinline__ void start(std::uint64_t*, unsigned = 1) {}
__device__ __forceinline__ void expect(std::uint64_t*, std::uint32_t) {}
__device__ __forceinline__ void arrive(std::uint64_t*) {}
__device__ __forceinline__ void load(void*, const void*, std::uint32_t, std::uint64_t*) {}
__device__ __forceinline__ void wait(std::uint64_t*, std::uint32_t) {}
__device__ __forceinline__ bool test(std::uint64_t*, std::uint32_t) { return true; }
__device__ __forceinline__ void fence_proxy_async() {}
__device__ __forceinline__ void store(void*, const void*, std::uint32_t) {}
__device__ __forceinline__ void load_box(void*, const CUtensorMap&, int, int, int, std::uint64_t*) {
}
__device__ __forceinline__ void put_box(const CUtensorMap&, int, int, int, const void*, bool) {}
__device__ __forceinline__ void commit() {}
__device__ __forceinline__ void wait_read() {}
__device__ __forceinline__ void wait_stored() {}
__device__ __forceinline__ void wait_written() {}
#endif

/// Tracks the phase of an mbarrier, load after load: each thread has such an object for the block's
/// mbarrier.
class mbarrier {
 public:
  __device__ __forceinline__ explicit mbarrier(std::uint64_t* barrier) : barrier_(barrier) {}

  /// Initializes the mbarrier. Called by every thread, before a barrier of the block.
  __device__ __forceinline__ void start(unsigned expecting = 1) const {
    if (threadIdx.x == 0) tma::start(barrier_, expecting);
  }
  __device__ __forceinline__ void expect(std::uint32_t bytes) const {
    tma::expect(barrier_, bytes);
  }
  [[nodiscard]] __device__ __forceinline__ std::uint64_t* barrier() const { return barrier_; }
  /// Waits for the current load. Called by every thread, for each load.
  __device__ __forceinline__ void wait() {
    tma::wait(barrier_, phase_);
    phase_ ^= 1;
  }

 private:
  std::uint64_t* barrier_;
  std::uint32_t phase_ = 0;
};

}  // namespace tridia::gpu::tma
