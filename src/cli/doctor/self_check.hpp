// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tridia/types.hpp"

#include <cstddef>
#include <string>
#include <vector>

namespace tridia::cli {

/// Holds one check of `tridia doctor`: lines with a known result, solved or differentiated.
struct self_check {
  std::string backend{};    ///< "cpu", "reference", "cuda 0", "mpi".
  std::string what{};       ///< "solve" or "derivative".
  index_t lines = 0;        ///< Of `check_rows` f64 each.
  double seconds = 0;       ///< The fastest of a few executions; 0 if it is not timed.
  double copy_seconds = 0;  ///< The time of a copy of the same words; 0 if it is not timed.
  double error = 0;         ///< The largest error of a result.
  std::string failed{};     ///< Why it has failed; empty if it has not.

  [[nodiscard]] bool works() const { return failed.empty(); }
};

inline constexpr index_t check_rows = 512;
/// A result may be wrong by this much: solutions and derivatives are of order 1.
inline constexpr double check_tolerance = 1e-9;
inline constexpr int check_repetitions = 5;
/// Arrays are not larger than this, so that all checks take some ten seconds.
inline constexpr std::size_t most_array_bytes = std::size_t{128} << 20;

/// Sets `failed` where an error is too large.
void judge(self_check& c);

/// These checks are of backends in host memory, with arrays of `array_bytes` each. The reference
/// is checked on a few lines, and not timed.
std::vector<self_check> check_host(backend where, std::size_t array_bytes);
/// These are of one GPU, as CUDA numbers them.
std::vector<self_check> check_device(int device);
/// The program, beside this one, that the ranks of `check_ranks` run.
inline constexpr const char* ranks_program = "tridia_doctor_ranks";
/// These are of two ranks of that program, started by `mpirun`; each has arrays of `array_bytes`.
/// `library` is set to the MPI library's own description.
std::vector<self_check> check_ranks(const std::string& mpirun, std::size_t array_bytes,
                                    std::string& library);

}  // namespace tridia::cli
