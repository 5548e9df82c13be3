// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#include "cusparse_gtsv.hpp"

#include <cusparse.h>

#include <stdexcept>

namespace tridia_bench {
namespace {

void check(cusparseStatus_t status, const char* what) {
  if (status != CUSPARSE_STATUS_SUCCESS) {
    throw std::runtime_error(std::string(what) + ": " + cusparseGetErrorString(status));
  }
}

// Holds cuSPARSE's functions for one type.
template <class T>
struct functions;
template <>
struct functions<float> {
  static constexpr auto single_size = cusparseSgtsv2_bufferSizeExt;
  static constexpr auto single = cusparseSgtsv2;
  static constexpr auto nopivot_size = cusparseSgtsv2_nopivot_bufferSizeExt;
  static constexpr auto nopivot = cusparseSgtsv2_nopivot;
  static constexpr auto strided_size = cusparseSgtsv2StridedBatch_bufferSizeExt;
  static constexpr auto strided = cusparseSgtsv2StridedBatch;
  static constexpr auto interleaved_size = cusparseSgtsvInterleavedBatch_bufferSizeExt;
  static constexpr auto interleaved = cusparseSgtsvInterleavedBatch;
};
template <>
struct functions<double> {
  static constexpr auto single_size = cusparseDgtsv2_bufferSizeExt;
  static constexpr auto single = cusparseDgtsv2;
  static constexpr auto nopivot_size = cusparseDgtsv2_nopivot_bufferSizeExt;
  static constexpr auto nopivot = cusparseDgtsv2_nopivot;
  static constexpr auto strided_size = cusparseDgtsv2StridedBatch_bufferSizeExt;
  static constexpr auto strided = cusparseDgtsv2StridedBatch;
  static constexpr auto interleaved_size = cusparseDgtsvInterleavedBatch_bufferSizeExt;
  static constexpr auto interleaved = cusparseDgtsvInterleavedBatch;
};

}  // namespace

const char* name(cusparse_method method) {
  switch (method) {
    case cusparse_method::single:
      return "cuSPARSE gtsv2";
    case cusparse_method::single_nopivot:
      return "cuSPARSE gtsv2_nopivot";
    case cusparse_method::strided:
      return "cuSPARSE gtsv2StridedBatch";
    case cusparse_method::interleaved_0:
      return "cuSPARSE gtsvInterleavedBatch 0";
    case cusparse_method::interleaved_1:
      return "cuSPARSE gtsvInterleavedBatch 1";
    case cusparse_method::interleaved_2:
      return "cuSPARSE gtsvInterleavedBatch 2";
  }
  return "";
}

bool pivots(cusparse_method method) {
  return method == cusparse_method::single || method == cusparse_method::interleaved_1 ||
         method == cusparse_method::interleaved_2;
}

std::string cusparse_version() {
  int major = 0, minor = 0, patch = 0;
  check(cusparseGetProperty(MAJOR_VERSION, &major), "cusparseGetProperty");
  check(cusparseGetProperty(MINOR_VERSION, &minor), "cusparseGetProperty");
  check(cusparseGetProperty(PATCH_LEVEL, &patch), "cusparseGetProperty");
  return std::to_string(major) + "." + std::to_string(minor) + "." + std::to_string(patch);
}

template <class T>
struct cusparse_gtsv<T>::state {
  cusparse_method method;
  int n, batch;
  cusparseHandle_t handle = nullptr;
  std::size_t workspace_bytes = 0;

  [[nodiscard]] int algorithm() const {
    return method == cusparse_method::interleaved_2   ? 2
           : method == cusparse_method::interleaved_1 ? 1
                                                      : 0;
  }
  ~state() { cusparseDestroy(handle); }
};

template <class T>
cusparse_gtsv<T>::cusparse_gtsv(cusparse_method method, int n, int batch, cudaStream_t stream)
    : state_(new state{.method = method, .n = n, .batch = batch}) {
  state& s = *state_;
  check(cusparseCreate(&s.handle), "cusparseCreate");
  check(cusparseSetStream(s.handle, stream), "cusparseSetStream");
  // The sizes do not depend on the arrays.
  const T* none = nullptr;
  std::size_t* const bytes = &s.workspace_bytes;
  using f = functions<T>;
  switch (method) {
    case cusparse_method::single:
      check(f::single_size(s.handle, n, batch, none, none, none, none, n, bytes),
            "gtsv2_bufferSizeExt");
      break;
    case cusparse_method::single_nopivot:
      check(f::nopivot_size(s.handle, n, batch, none, none, none, none, n, bytes),
            "gtsv2_nopivot_bufferSizeExt");
      break;
    case cusparse_method::strided:
      check(f::strided_size(s.handle, n, none, none, none, none, batch, n, bytes),
            "gtsv2StridedBatch_bufferSizeExt");
      break;
    default:
      check(f::interleaved_size(s.handle, s.algorithm(), n, none, none, none, none, batch, bytes),
            "gtsvInterleavedBatch_bufferSizeExt");
  }
}

template <class T>
cusparse_gtsv<T>::~cusparse_gtsv() = default;

template <class T>
std::size_t cusparse_gtsv<T>::workspace_bytes() const {
  return state_->workspace_bytes;
}

template <class T>
void cusparse_gtsv<T>::solve(T* dl, T* d, T* du, T* x, void* workspace) const {
  const state& s = *state_;
  using f = functions<T>;
  switch (s.method) {
    case cusparse_method::single:
      check(f::single(s.handle, s.n, s.batch, dl, d, du, x, s.n, workspace), "gtsv2");
      break;
    case cusparse_method::single_nopivot:
      check(f::nopivot(s.handle, s.n, s.batch, dl, d, du, x, s.n, workspace), "gtsv2_nopivot");
      break;
    case cusparse_method::strided:
      check(f::strided(s.handle, s.n, dl, d, du, x, s.batch, s.n, workspace), "gtsv2StridedBatch");
      break;
    default:
      check(f::interleaved(s.handle, s.algorithm(), s.n, dl, d, du, x, s.batch, workspace),
            "gtsvInterleavedBatch");
  }
}

template class cusparse_gtsv<float>;
template class cusparse_gtsv<double>;

}  // namespace tridia_bench
