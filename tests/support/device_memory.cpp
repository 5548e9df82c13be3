// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#include "support/device_memory.hpp"

#include <cstdio>
#include <stdexcept>
#include <string>

#include "tridia/info.hpp"

#if TRIDIA_TEST_CUDA
#include <cuda_runtime_api.h>
#endif

namespace tridia_test {

bool have_gpu() {
  static const bool result = [] {
    const tridia::system_info info = tridia::query_system();
    const bool there = info.cuda_built && !info.cuda_devices.empty();
    if (!there)
      std::printf("Without the CUDA cases: %s.\n",
                  info.cuda_built ? "no GPU is visible" : "built without CUDA");
    return there;
  }();
  return result;
}

#if TRIDIA_TEST_CUDA

namespace {
void check(cudaError_t result) {
  if (result != cudaSuccess) throw std::runtime_error(cudaGetErrorString(result));
}
cudaStream_t as_stream(void* stream) { return static_cast<cudaStream_t>(stream); }
}  // namespace

device_bytes allocate_on_device(std::size_t bytes) {
  void* pointer = nullptr;
  check(cudaMalloc(&pointer, bytes == 0 ? 1 : bytes));
  return {static_cast<std::byte*>(pointer), [](std::byte* p) { cudaFree(p); }};
}

device_bytes allocate_pinned(std::size_t bytes) {
  void* pointer = nullptr;
  check(cudaMallocHost(&pointer, bytes == 0 ? 1 : bytes));
  return {static_cast<std::byte*>(pointer), [](std::byte* p) { cudaFreeHost(p); }};
}

void copy_to_device(void* device, const void* host, std::size_t bytes) {
  check(cudaMemcpy(device, host, bytes, cudaMemcpyHostToDevice));
  check(cudaDeviceSynchronize());
}

void copy_to_host(void* host, const void* device, std::size_t bytes) {
  check(cudaDeviceSynchronize());
  check(cudaMemcpy(host, device, bytes, cudaMemcpyDeviceToHost));
}

stream_handle make_stream() {
  cudaStream_t stream = nullptr;
  check(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  return {stream, [](void* s) { cudaStreamDestroy(as_stream(s)); }};
}

void wait_for(void* stream) { check(cudaStreamSynchronize(as_stream(stream))); }

captured_graph::captured_graph(void* stream, const std::function<void()>& work) : stream_(stream) {
  check(cudaStreamBeginCapture(as_stream(stream), cudaStreamCaptureModeGlobal));
  try {
    work();
  } catch (...) {
    cudaGraph_t broken = nullptr;
    cudaStreamEndCapture(as_stream(stream), &broken);
    throw;
  }
  cudaGraph_t graph = nullptr;
  check(cudaStreamEndCapture(as_stream(stream), &graph));
  cudaGraphExec_t executable = nullptr;
  check(cudaGraphInstantiate(&executable, graph, 0));
  cudaGraphDestroy(graph);
  executable_ = executable;
}

captured_graph::~captured_graph() {
  cudaGraphExecDestroy(static_cast<cudaGraphExec_t>(executable_));
}

void captured_graph::replay() {
  check(cudaGraphLaunch(static_cast<cudaGraphExec_t>(executable_), as_stream(stream_)));
  wait_for(stream_);
}

#else

namespace {
[[noreturn]] void refuse() { throw std::logic_error("these tests were built without CUDA"); }
}  // namespace

device_bytes allocate_on_device(std::size_t) { refuse(); }
device_bytes allocate_pinned(std::size_t) { refuse(); }
void copy_to_device(void*, const void*, std::size_t) { refuse(); }
void copy_to_host(void*, const void*, std::size_t) { refuse(); }
stream_handle make_stream() { refuse(); }
void wait_for(void*) { refuse(); }
captured_graph::captured_graph(void*, const std::function<void()>&) : stream_(nullptr) { refuse(); }
captured_graph::~captured_graph() = default;
void captured_graph::replay() { refuse(); }

#endif

}  // namespace tridia_test
