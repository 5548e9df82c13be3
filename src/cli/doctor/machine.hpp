// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tridia/info.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace tridia::cli {

/// Holds what `tridia doctor` has found on this machine and in this build.
struct machine {
  system_info system;
  std::string cpu;           ///< Its model; empty if not known.
  std::string cpu_offers;    ///< The highest level of x86-64 that it has; empty elsewhere.
  int processors = 1;        ///< That this process may use.
  std::uint64_t memory = 0;  ///< Bytes that are available.
  std::uint64_t page_size = 0;
  std::string huge_pages;   ///< Transparent ones: "always", "madvise", "never"; or empty.
  bool gpu_on_bus = false;  ///< An NVIDIA GPU is on the PCI bus, whether it can be used or not.
  std::string driver;       ///< The version of NVIDIA's driver; empty if it is not loaded.
  std::string driver_cuda;  ///< The newest CUDA that the driver runs, as "13.0"; or empty.
  bool mpi_built = false;   ///< Whether this build has the program for `check_ranks`.
  std::string mpirun;       ///< Its path; empty if there is none.
  std::string mpi_library;  ///< What MPI says of itself; set by the check of ranks.
  std::string nccl;         ///< The version of NCCL that this build has; empty if none.
  bool hdf5_built = false, bench_built = false;
};

machine find_machine();

/// Returns sentences that say what is missing or could be better, and what to install for it.
std::vector<std::string> advice(const machine& m);

}  // namespace tridia::cli
