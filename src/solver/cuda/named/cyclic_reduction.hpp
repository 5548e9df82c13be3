// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "solver/cuda/method.hpp"

// Cyclic reduction and its hybrids solve in shared memory, with one block per system: cr.cpp,
// crnbc.cpp, pcr.cpp, cr_pcr.cpp and pcr_thomas.cpp share this code.
namespace tridia::cuda {

using namespace gpu;

/// This is the maximum number of threads per block of these kernels.
inline constexpr int most_line_threads = 1024;

/// PCR is CR-PCR without a stage of CR, and CR is CR-PCR without one of PCR.
enum class cyclic_variant { cr_pcr, padded_cr_pcr, pcr_thomas };

struct cyclic_shape {
  cyclic_variant variant;
  int switch_point;
  int threads;
  int pitch, spare_pitch;  // words of one array of the equations, and of the spare ones
  std::size_t shared_bytes;
};

/// Plans the shape of a variant. The intermediate system has `switch_point` rows; if there are
/// fewer, all of them. Throws `unsupported` if a system does not fit.
cyclic_shape plan_cyclic(const task&, cyclic_variant, index_t switch_point,
                         std::size_t shared_bytes);
/// Plans the shape of a variant with the switch point that `chosen_switch_point` returns; one that
/// is not the caller's is halved until the system fits. Throws as `plan_cyclic` does.
cyclic_shape plan_hybrid(const task&, cyclic_variant, index_t rule, const device_limits&);
/// Returns the switch point that the caller asks for, else the one that was measured for such
/// systems on such a device, else `rule`.
index_t chosen_switch_point(const task&, index_t rule, const device_limits&);
std::unique_ptr<const method> make_cyclic(const task&, const cyclic_shape&, const device_limits&);

// These functions plan the shape of each algorithm.
cyclic_shape plan_cr(const task&, const device_limits&);
cyclic_shape plan_crnbc(const task&, const device_limits&);
cyclic_shape plan_pcr(const task&, const device_limits&);
cyclic_shape plan_cr_pcr(const task&, const device_limits&);
cyclic_shape plan_pcr_thomas(const task&, const device_limits&);

/// Returns the number of threads per block for systems of so many rows: each has work in the first
/// step.
int line_threads(index_t rows);
/// Returns the same number, or fewer threads if the registers of a multiprocessor do not suffice
/// for as many blocks as its shared memory holds: small blocks wait less at barriers, and one
/// computes while others load.
int line_threads(index_t rows, std::size_t block_bytes, std::size_t shared_bytes);

/// Describes algorithms that solve a system in shared memory.
std::string block_a_system(int threads, std::size_t shared_bytes, int registers = 0);

struct cyclic_launches {
  cudaError_t (*prepare)(cyclic_variant, std::size_t shared_bytes);
  cudaError_t (*solve)(const geometry&, const operands&, const cyclic_shape&, cudaStream_t);
};
/// Returns the launches for a value type; instantiated in the file of the kernels.
template <class V>
cyclic_launches cyclic_kernels();

}  // namespace tridia::cuda
