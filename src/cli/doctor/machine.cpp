// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#include "doctor/machine.hpp"

#include "doctor/self_check.hpp"
#include "memory.hpp"
#ifdef TRIDIA_HAS_CUDA
#include "device.hpp"
#endif

#include <omp.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <regex>
#include <sstream>

#ifndef TRIDIA_NCCL_VERSION
#define TRIDIA_NCCL_VERSION ""
#endif

namespace tridia::cli {
namespace {

namespace fs = std::filesystem;

std::string content(const fs::path& path) {
  std::ifstream file(path);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

/// Returns the first group of the first match; an empty string if there is none.
std::string first_match(const std::string& text, const char* pattern) {
  std::smatch found;
  return std::regex_search(text, found, std::regex(pattern)) ? found[1].str() : "";
}

std::string x86_64_level() {
#if defined(__x86_64__)
  if (__builtin_cpu_supports("x86-64-v4")) return "x86-64-v4";
  if (__builtin_cpu_supports("x86-64-v3")) return "x86-64-v3";
  return "x86-64-v2";
#else
  return "";
#endif
}

bool gpu_on_bus() {
  std::error_code none;
  for (const auto& device : fs::directory_iterator("/sys/bus/pci/devices", none)) {
    // 0x03 is the class of displays, 3-D controllers among them.
    if (content(device.path() / "vendor").starts_with("0x10de") &&
        content(device.path() / "class").starts_with("0x03"))
      return true;
  }
  return false;
}

std::string on_path(std::initializer_list<const char*> names) {
  const char* const path = std::getenv("PATH");
  for (const char* name : names) {
    std::istringstream folders(path == nullptr ? "" : path);
    for (std::string folder; std::getline(folders, folder, ':');) {
      const fs::path candidate = fs::path(folder) / name;
      if (::access(candidate.c_str(), X_OK) == 0) return candidate.string();
    }
  }
  return "";
}

bool beside_this_program(const char* name) {
  return fs::exists(fs::read_symlink("/proc/self/exe").parent_path() / name);
}

std::string cuda_of_driver() {
#ifdef TRIDIA_HAS_CUDA
  int version = 0;
  if (cudaDriverGetVersion(&version) == cudaSuccess && version > 0)
    return std::to_string(version / 1000) + "." + std::to_string(version % 1000 / 10);
#endif
  return "";
}

}  // namespace

machine find_machine() {
  machine m;
  m.system = query_system();
  m.cpu = first_match(content("/proc/cpuinfo"), "model name\\s*:\\s*([^\n]+)");
  m.cpu_offers = x86_64_level();
  m.processors = omp_get_num_procs();
  m.memory = available_memory();
  m.page_size = static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
  m.huge_pages =
      first_match(content("/sys/kernel/mm/transparent_hugepage/enabled"), "\\[(\\w+)\\]");
  m.gpu_on_bus = gpu_on_bus();
  m.driver = first_match(content("/proc/driver/nvidia/version"), "\\s(\\d+\\.\\d+(?:\\.\\d+)?)\\s");
  m.driver_cuda = cuda_of_driver();
  m.mpi_built = beside_this_program(ranks_program);
  m.mpirun = on_path({"mpirun", "mpiexec"});
  m.nccl = TRIDIA_NCCL_VERSION;
#ifdef TRIDIA_HAS_HDF5
  m.hdf5_built = true;
#endif
  m.bench_built = beside_this_program("tridia_bench");
  return m;
}

std::vector<std::string> advice(const machine& m) {
  std::vector<std::string> all;
  const bool gpu = m.gpu_on_bus || !m.system.cuda_devices.empty();
  if (gpu && m.driver.empty() && m.system.cuda_devices.empty())
    all.push_back(
        "GPU: one is on the PCI bus, but NVIDIA's driver is not loaded: install it "
        "(Debian: nvidia-driver, Ubuntu: ubuntu-drivers install), and reboot");
  if (gpu && !m.system.cuda_built)
    all.push_back("CUDA: not in this build: install the CUDA toolkit (nvcc), and build again");
  if (m.system.cuda_built && !m.driver.empty() && m.system.cuda_devices.empty())
    all.push_back(
        "GPU: the driver is there, but no GPU is visible: see CUDA_VISIBLE_DEVICES, and "
        "whether the driver is new enough for CUDA " +
        m.system.cuda_runtime);
  if (m.system.cuda_devices.size() > 1 && m.nccl.empty())
    all.push_back(
        "NCCL: not in this build, so fields cannot be spread over the GPUs: install "
        "NCCL from 2.18 on (libnccl-dev), and build again");
  if (!m.mpi_built)
    all.push_back(
        "MPI: tridia_doctor_ranks is not beside this program: install the package "
        "tridia-tools-mpi, or install MPI (libopenmpi-dev, openmpi-bin) and build again");
  if (m.mpi_built && m.mpirun.empty())
    all.push_back("MPI: mpirun is not on the PATH: install it (openmpi-bin)");
  if (!m.hdf5_built)
    all.push_back(
        "HDF5: not in this build, for datasets of `tridia derive`: install libhdf5-dev, "
        "and build again");
  if (!m.bench_built)
    all.push_back(
        "benchmarks: tridia_bench is not beside this program, for `tridia bench`: build "
        "with -DTRIDIA_BUILD_BENCHMARKS=ON");
  // The instruction sets' names order as they do.
  if (m.system.simd.starts_with("x86-64-v") && m.system.simd < m.cpu_offers)
    all.push_back("SIMD: the processor has " + m.cpu_offers + ", this build's kernels end at " +
                  m.system.simd + ": build with that level in TRIDIA_X86_64_LEVELS");
  if (m.system.threads < m.processors)
    all.push_back("threads: OpenMP offers " + std::to_string(m.system.threads) + " of " +
                  std::to_string(m.processors) + " processors: see OMP_NUM_THREADS");
  return all;
}

}  // namespace tridia::cli
