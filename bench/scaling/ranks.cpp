// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#include "ranks.hpp"

#include "tridia/mpi.hpp"
#if defined(TRIDIA_BENCH_NCCL)
#include "../cuda/cases_cuda.hpp"
#include "../cuda/device.hpp"

#include "tridia/nccl.hpp"
#endif

#include <stdexcept>

namespace tridia_bench {
namespace {

using tridia::distributed::communicator;
using tridia::distributed::mpi_communicator;

#if defined(TRIDIA_BENCH_NCCL)
communicator with_gpus(const communicator& start, bool peer_memory) {
  return tridia::distributed::nccl_communicator(start, -1, {.peer_memory = peer_memory});
}
#else
communicator with_gpus(const communicator& start, bool) { return start; }
#endif

}  // namespace

#if defined(TRIDIA_BENCH_NCCL)
void take_gpu() {
  MPI_Comm here = MPI_COMM_NULL;
  int rank = 0, count = 0;
  MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &here);
  MPI_Comm_rank(here, &rank);
  MPI_Comm_free(&here);
  check(cudaGetDeviceCount(&count), "cudaGetDeviceCount");
  if (rank >= count) {
    throw std::runtime_error("--device cuda: this machine has " + std::to_string(count) +
                             " GPUs, fewer than its ranks");
  }
  check(cudaSetDevice(rank), "cudaSetDevice");
}
machine_info scaling_machine(bool on_gpus, std::map<std::string, std::string>& versions) {
  if (!on_gpus) return cpu_machine();
  int nccl = 0;
  if (ncclGetVersion(&nccl) == ncclSuccess) versions["nccl"] = std::to_string(nccl);
  return cuda_machine();
}
#else
void take_gpu() {
  throw std::runtime_error(
      "--device cuda: this build has no NCCL: build it where CUDA and NCCL are");
}
machine_info scaling_machine(bool, std::map<std::string, std::string>&) { return cpu_machine(); }
#endif

communicator all_ranks(bool on_gpus, bool peer_memory) {
  const communicator start = mpi_communicator(MPI_COMM_WORLD);
  return on_gpus ? with_gpus(start, peer_memory) : start;
}
communicator this_rank(bool on_gpus, bool peer_memory) {
  const communicator start = mpi_communicator(MPI_COMM_SELF);
  return on_gpus ? with_gpus(start, peer_memory) : start;
}

}  // namespace tridia_bench
