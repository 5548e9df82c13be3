// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#include "device_copy.hpp"

#include <cstdint>
#include <iterator>

namespace tridia_bench {
namespace {

__device__ double sum(double a, double b, double c, double d) { return (a + b) + (c + d); }
__device__ double2 sum(double2 a, double2 b, double2 c, double2 d) {
  return make_double2(sum(a.x, b.x, c.x, d.x), sum(a.y, b.y, c.y, d.y));
}

// Each thread handles `Unroll` values of type V that lie a block apart; all loads come first, so
// that as many as possible are under way. `Streaming` marks the lines as not needed again.
template <int Reads, class V, int Unroll, bool Streaming>
__global__ void copy_kernel(const V* __restrict__ a, const V* __restrict__ b,
                            const V* __restrict__ c, const V* __restrict__ d, V* __restrict__ x) {
  const std::size_t first = std::size_t{blockIdx.x} * blockDim.x * Unroll + threadIdx.x;
  const auto load = [](const V* p) { return Streaming ? __ldcs(p) : *p; };
  V va[Unroll], vb[Unroll], vc[Unroll], vd[Unroll];
#pragma unroll
  for (int u = 0; u < Unroll; ++u) {
    const std::size_t i = first + std::size_t{blockDim.x} * u;
    va[u] = load(a + i);
    if constexpr (Reads == 4) vb[u] = load(b + i), vc[u] = load(c + i), vd[u] = load(d + i);
  }
#pragma unroll
  for (int u = 0; u < Unroll; ++u) {
    const std::size_t i = first + std::size_t{blockDim.x} * u;
    V s = va[u];
    if constexpr (Reads == 4) s = sum(va[u], vb[u], vc[u], vd[u]);
    if constexpr (Streaming) {
      __stcs(x + i, s);
    } else {
      x[i] = s;
    }
  }
}

template <int Reads, class V, int Unroll, bool Streaming, int Threads>
cudaError_t launch_copy(const copy_arrays& arrays, cudaStream_t stream) {
  const auto v = [](const double* p) { return reinterpret_cast<const V*>(p); };
  const auto blocks = static_cast<unsigned>(arrays.bytes / (sizeof(V) * Unroll * Threads));
  copy_kernel<Reads, V, Unroll, Streaming>
      <<<blocks, Threads, 0, stream>>>(v(arrays.in[0]), v(arrays.in[1]), v(arrays.in[2]),
                                       v(arrays.in[3]), reinterpret_cast<V*>(arrays.out));
  return cudaGetLastError();
}

// The TMA of compute capability 9 loads a block's pieces into shared memory and stores the sums;
// threads only add. Several blocks per multiprocessor overlap.
constexpr int kBulkThreads = 128;

__device__ std::uint32_t shared_address(const void* p) {
  return static_cast<std::uint32_t>(__cvta_generic_to_shared(p));
}

template <int Reads, int Elements>
__global__ void __launch_bounds__(kBulkThreads) bulk_kernel(copy_arrays arrays) {
#if __CUDA_ARCH__ >= 900
  extern __shared__ __align__(128) double piece[];  // Reads x Elements; sums overwrite the first
  __shared__ __align__(8) std::uint64_t barrier;
  constexpr std::uint32_t bytes = Elements * sizeof(double);
  const std::size_t first = std::size_t{blockIdx.x} * Elements;
  const std::uint32_t bar = shared_address(&barrier);
  if (threadIdx.x == 0) {
    asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(bar) : "memory");
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(bar),
                 "r"(Reads * bytes)
                 : "memory");
    for (int k = 0; k < Reads; ++k) {
      asm volatile(
          "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, "
          "[%3];" ::"r"(shared_address(piece + k * Elements)),
          "l"(arrays.in[k] + first), "r"(bytes), "r"(bar)
          : "memory");
    }
  }
  __syncthreads();
  asm volatile(
      "{\n.reg .pred done;\n"
      "again:\nmbarrier.try_wait.parity.shared::cta.b64 done, [%0], 0;\n"
      "@!done bra again;\n}" ::"r"(bar)
      : "memory");
  for (int i = static_cast<int>(threadIdx.x); Reads == 4 && i < Elements; i += kBulkThreads) {
    piece[i] = sum(piece[i], piece[i + Elements], piece[i + 2 * Elements], piece[i + 3 * Elements]);
  }
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
  __syncthreads();
  if (threadIdx.x == 0) {
    asm volatile(
        "cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;" ::"l"(arrays.out + first),
        "r"(shared_address(piece)), "r"(bytes)
        : "memory");
    asm volatile("cp.async.bulk.commit_group;" ::: "memory");
    // The block's shared memory must outlive the reads of it.
    asm volatile("cp.async.bulk.wait_group.read 0;" ::: "memory");
  }
#endif
}

template <int Reads, int Elements>
cudaError_t launch_bulk(const copy_arrays& arrays, cudaStream_t stream) {
  constexpr std::size_t piece = Elements * sizeof(double);
  const cudaError_t status =
      cudaFuncSetAttribute(bulk_kernel<Reads, Elements>,
                           cudaFuncAttributeMaxDynamicSharedMemorySize, int{Reads * piece});
  if (status != cudaSuccess) return status;
  bulk_kernel<Reads, Elements>
      <<<static_cast<unsigned>(arrays.bytes / piece), kBulkThreads, Reads * piece, stream>>>(
          arrays);
  return cudaGetLastError();
}

// Launches the runtime's own copy.
cudaError_t launch_memcpy(const copy_arrays& arrays, cudaStream_t stream) {
  return cudaMemcpyAsync(arrays.out, arrays.in[0], arrays.bytes, cudaMemcpyDeviceToDevice, stream);
}

template <int Reads>
constexpr device_copy kCopies[] = {
    {"plain, 8 bytes a load", 0, launch_copy<Reads, double, 1, false, 256>},
    {"16 bytes a load", 0, launch_copy<Reads, double2, 1, false, 256>},
    {"16 bytes a load, streaming", 0, launch_copy<Reads, double2, 1, true, 256>},
    {"16 bytes a load, 512 threads", 0, launch_copy<Reads, double2, 1, false, 512>},
    {"16 bytes a load, unrolled twice", 0, launch_copy<Reads, double2, 2, false, 256>},
    {"16 bytes a load, unrolled twice, streaming", 0, launch_copy<Reads, double2, 2, true, 256>},
    {"16 bytes a load, unrolled four times", 0, launch_copy<Reads, double2, 4, false, 128>},
    {"16 bytes a load, unrolled four times, streaming", 0,
     launch_copy<Reads, double2, 4, true, 128>},
    {"bulk copies of 4 KiB", 9, launch_bulk<Reads, 512>},
    {"bulk copies of 8 KiB", 9, launch_bulk<Reads, 1024>},
    {"bulk copies of 16 KiB", 9, launch_bulk<Reads, 2048>},
    {"cudaMemcpyAsync", 0, launch_memcpy},  // the last one: it reads one array
};

}  // namespace

std::span<const device_copy> device_copies(int reads) {
  if (reads == 1) return kCopies<1>;
  return std::span(kCopies<4>).first(std::size(kCopies<4>) - 1);
}

}  // namespace tridia_bench
