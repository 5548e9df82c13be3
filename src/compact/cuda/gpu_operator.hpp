// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "compact/operator_executor.hpp"
#include "gpu/check.hpp"
#include "gpu/devices.hpp"

namespace tridia::compact {

inline cudaStream_t as_stream(void* stream) { return static_cast<cudaStream_t>(stream); }

/// Holds what all executors of a GPU have in common. A derived class launches on the current
/// device.
class gpu_operator : public operator_executor {
 public:
  explicit gpu_operator(const task& t, int device)
      : lines_(t.geometry.right_sides.size), device_(device) {}

  int device() const final { return device_; }
  void check_pointer(const char* name, const void* p) const final {
    gpu::check_device_pointer(name, p, device_);
  }
  void apply(const call& c) const final {
    if (lines_ == 0) return;
    const gpu::device_scope scope(device_);
    launch(c);
  }
  void clear(void* memory, std::size_t bytes, void* stream) const final {
    const gpu::device_scope scope(device_);
    gpu::check(cudaMemsetAsync(memory, 0, bytes, as_stream(stream)), "clearing a workspace");
  }

 protected:
  /// Does what frees memory, on the memory's own device; nothing can be reported from a destructor.
  template <class F>
  void on_own_device(F free) noexcept {
    int before = 0;
    if (cudaGetDevice(&before) != cudaSuccess || cudaSetDevice(device_) != cudaSuccess) return;
    free();
    cudaSetDevice(before);
  }

 private:
  virtual void launch(const call&) const = 0;

  index_t lines_;
  int device_;
};

}  // namespace tridia::compact
