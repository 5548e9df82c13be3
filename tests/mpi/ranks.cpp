// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#include "mpi/ranks.hpp"

#include <mpi.h>

#include <cstdio>
#include <cstdlib>
#include <stdexcept>
#include <utility>

#include "tridia/mpi.hpp"
#if defined(TRIDIA_TEST_NCCL)
#include <cuda_runtime_api.h>

#include "tridia/nccl.hpp"
#endif

namespace tridia_test {
namespace {

bool gpus = false;

#if defined(TRIDIA_TEST_NCCL)
void check(cudaError_t result) {
  if (result != cudaSuccess) throw std::runtime_error(cudaGetErrorString(result));
}
void take_gpu() {
  int count = 0;
  check(cudaGetDeviceCount(&count));
  check(cudaSetDevice(world_rank() % count));
}
std::byte* allocate(std::size_t bytes) {
  void* p = nullptr;
  check(cudaMalloc(&p, bytes));
  check(cudaMemset(p, 0xff, bytes));
  return static_cast<std::byte*>(p);
}
void release(std::byte* p) { cudaFree(p); }
void transfer(void* to, const void* from, std::size_t bytes) {
  check(cudaDeviceSynchronize());
  check(cudaMemcpy(to, from, bytes, cudaMemcpyDefault));
}
tridia::distributed::communicator new_gpu_ranks(double limit) {
  const auto start = tridia::distributed::mpi_communicator(MPI_COMM_WORLD, {.time_limit = 60});
  return tridia::distributed::nccl_communicator(start, -1, {.time_limit = limit});
}
/// Returns one communicator for all tests except those that spoil it, as making one takes seconds.
tridia::distributed::communicator gpu_ranks(double limit) {
  static const auto& lasting = *new tridia::distributed::communicator(new_gpu_ranks(kLastingLimit));
  return limit == kLastingLimit ? lasting : new_gpu_ranks(limit);
}
#else
void take_gpu() { throw std::runtime_error("--device cuda: the tests were built without NCCL"); }
std::byte* allocate(std::size_t) { return nullptr; }
void release(std::byte*) {}
void transfer(void*, const void*, std::size_t) {}
tridia::distributed::communicator gpu_ranks(double) { std::abort(); }
#endif

}  // namespace

int world_rank() {
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  return rank;
}
int world_size() {
  int size = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  return size;
}

void use_gpus() {
  take_gpu();
  gpus = true;
}
bool on_gpus() { return gpus; }

tridia::distributed::communicator ranks(double limit) {
  return gpus ? gpu_ranks(limit)
              : tridia::distributed::mpi_communicator(MPI_COMM_WORLD, {.time_limit = limit});
}

ranks_memory::ranks_memory(std::size_t bytes)
    : host_(bytes), device_(gpus && bytes > 0 ? allocate(bytes) : nullptr) {}
ranks_memory::~ranks_memory() {
  if (device_ != nullptr) release(device_);
}
ranks_memory::ranks_memory(const ranks_memory& other) : ranks_memory(other.host_.size()) {
  host_ = other.host_;
  if (device_ != nullptr) transfer(device_, other.device_, host_.size());
}
ranks_memory::ranks_memory(ranks_memory&& other) noexcept
    : host_(std::move(other.host_)), device_(std::exchange(other.device_, nullptr)) {}
ranks_memory& ranks_memory::operator=(ranks_memory other) noexcept {
  std::swap(host_, other.host_);
  std::swap(device_, other.device_);
  return *this;
}
void ranks_memory::push() {
  if (device_ != nullptr) transfer(device_, host_.data(), host_.size());
}
void ranks_memory::pull() {
  if (device_ != nullptr) transfer(host_.data(), device_, host_.size());
}

}  // namespace tridia_test
