// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "errors.hpp"
#include "jax_cache.hpp"
#include "tridia/tridia.hpp"
#include <xla/ffi/api/ffi.h>

#include <cstddef>
#include <exception>
#include <memory>
#include <new>
#include <string>
#include <vector>

/// What all handlers of XLA's foreign function interface (FFI) share: where a call runs, its
/// workspace, errors, shapes.
namespace tridia::python {

namespace ffi = xla::ffi;

/// Says where XLA runs a call.
struct call_place {
  tridia::backend backend = tridia::backend::cpu;
  int device = -1;                           ///< The GPU; -1 on a CPU.
  void* stream = nullptr;                    ///< XLA's stream, a cudaStream_t; null on a CPU.
  ffi::ScratchAllocator* scratch = nullptr;  ///< XLA's allocator on the GPU; null on a CPU.
};

/// Returns the GPU that is current in the calling thread, to which XLA has set it.
int current_device();

inline call_place on_cpu() { return {}; }
inline call_place on_cuda(void* stream, ffi::ScratchAllocator& scratch) {
  return {tridia::backend::cuda, current_device(), stream, &scratch};
}

/// Holds the workspace of one call: memory of XLA's pool on a GPU, which XLA orders by the stream,
/// and of the heap on a CPU, for which not every jaxlib has an allocator.
class call_workspace {
 public:
  call_workspace(const call_place& at, std::size_t bytes) : bytes_(bytes) {
    if (bytes == 0) return;
    if (at.scratch == nullptr) {
      heap_ = std::make_unique_for_overwrite<std::byte[]>(bytes);
      data_ = heap_.get();
      return;
    }
    data_ = at.scratch->Allocate(bytes).value_or(nullptr);
    if (data_ == nullptr) {
      throw error(errc::out_of_memory,
                  "workspace: XLA has no " + std::to_string(bytes) + " bytes left on the GPU");
    }
  }
  [[nodiscard]] execution for_execution(const call_place& at) const {
    return {.workspace = data_, .workspace_bytes = bytes_, .stream = at.stream};
  }

 private:
  std::unique_ptr<std::byte[]> heap_;
  void* data_ = nullptr;
  std::size_t bytes_ = 0;
};

inline ffi::ErrorCode code_of(errc code) {
  switch (code) {
    case errc::invalid_argument:
    case errc::wrong_device:
    case errc::singular:
      return ffi::ErrorCode::kInvalidArgument;
    case errc::unsupported:
      return ffi::ErrorCode::kUnimplemented;
    case errc::out_of_memory:
      return ffi::ErrorCode::kResourceExhausted;
    case errc::device_failure:
    case errc::peer_failure:
      break;
  }
  return ffi::ErrorCode::kInternal;
}

/// Runs a handler's body: what it throws becomes the error that JAX raises.
template <class Body>
ffi::Error guarded(Body body) {
  try {
    body();
    return ffi::Error::Success();
  } catch (const error& e) {
    return ffi::Error(code_of(e.code()), "tridia: " + python_sentence(e.what()));
  } catch (const std::bad_alloc&) {
    return ffi::Error(ffi::ErrorCode::kResourceExhausted, "tridia: no memory is left");
  } catch (const std::exception& e) {
    return ffi::Error(ffi::ErrorCode::kInternal, std::string("tridia: ") + e.what());
  }
}

[[noreturn]] inline void refuse_argument(const std::string& sentence) {
  throw error(errc::invalid_argument, sentence);
}

inline value_type type_of(const char* name, const ffi::AnyBuffer& a) {
  switch (a.element_type()) {
    case ffi::DataType::F32:
      return value_type::f32;
    case ffi::DataType::F64:
      return value_type::f64;
    case ffi::DataType::C64:
      return value_type::c64;
    case ffi::DataType::C128:
      return value_type::c128;
    default:
      refuse_argument(std::string(name) +
                      ": its type is none of float32, float64, complex64, complex128");
  }
}

inline std::vector<index_t> extents_of(const ffi::AnyBuffer& a) {
  const auto dims = a.dimensions();
  return {dims.begin(), dims.end()};
}

}  // namespace tridia::python
