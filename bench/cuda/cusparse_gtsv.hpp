// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cuda_runtime.h>

#include <cstddef>
#include <memory>
#include <string>

namespace tridia_bench {

/// Names cuSPARSE's solvers.
enum class cusparse_method {
  single,          ///< gtsv2: one system, partial pivoting.
  single_nopivot,  ///< gtsv2_nopivot: one system, no interchanges.
  strided,         ///< gtsv2StridedBatch: contiguous systems, no interchanges.
  interleaved_0,   ///< gtsvInterleavedBatch, algorithm 0: Thomas.
  interleaved_1,   ///< gtsvInterleavedBatch, algorithm 1: LU with partial pivoting.
  interleaved_2,   ///< gtsvInterleavedBatch, algorithm 2: QR.
};
const char* name(cusparse_method method);
/// Returns whether the method is stable for every matrix.
bool pivots(cusparse_method method);

std::string cusparse_version();

/// Runs one of these solvers on systems of T = float or double. It overwrites its arrays. A single
/// system is a batch of one.
template <class T>
class cusparse_gtsv {
 public:
  cusparse_gtsv(cusparse_method method, int n, int batch, cudaStream_t stream);
  ~cusparse_gtsv();
  cusparse_gtsv(const cusparse_gtsv&) = delete;
  cusparse_gtsv& operator=(const cusparse_gtsv&) = delete;

  [[nodiscard]] std::size_t workspace_bytes() const;
  void solve(T* dl, T* d, T* du, T* x, void* workspace) const;

 private:
  struct state;
  std::unique_ptr<state> state_;
};

}  // namespace tridia_bench
