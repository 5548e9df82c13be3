// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "device.hpp"
#include "systems/slabs.hpp"

#include <cstddef>

namespace tridia::cli {

/// Copies between the stretches of a region of a file and their packed form on the device.
class region_copy {
 public:
  region_copy(const region& r, cudaStream_t stream) : outer_(r), stream_(stream) {
    // The innermost repetition is one 2-D copy, unless its pitch is more than a device can do.
    if (!outer_.levels.empty() && outer_.levels.back().step <= largest_pitch()) {
      inner_ = outer_.levels.back();
      outer_.levels.pop_back();
    }
  }

  void to_device(std::byte* packed, const std::byte* file) const {
    for_each_part([&](std::size_t in_file, std::size_t in_packed) {
      copy(packed + in_packed, outer_.run, file + in_file, inner_.step, cudaMemcpyHostToDevice);
    });
  }

  void from_device(std::byte* file, const std::byte* packed) const {
    for_each_part([&](std::size_t in_file, std::size_t in_packed) {
      copy(file + in_file, inner_.step, packed + in_packed, outer_.run, cudaMemcpyDeviceToHost);
    });
  }

 private:
  static std::size_t largest_pitch() {
    int device = 0, pitch = 0;
    check(cudaGetDevice(&device), "find its device");
    check(cudaDeviceGetAttribute(&pitch, cudaDevAttrMaxPitch, device), "tell its largest pitch");
    return static_cast<std::size_t>(pitch);
  }

  template <class F>
  void for_each_part(F&& f) const {
    std::size_t in_packed = 0;
    for_each_run(outer_, [&](std::size_t in_file) {
      f(in_file, in_packed);
      in_packed += outer_.run * static_cast<std::size_t>(inner_.count);
    });
  }

  void copy(std::byte* to, std::size_t to_pitch, const std::byte* from, std::size_t from_pitch,
            cudaMemcpyKind kind) const {
    if (inner_.count == 1) {
      check(cudaMemcpyAsync(to, from, outer_.run, kind, stream_), "copy");
    } else {
      check(cudaMemcpy2DAsync(to, to_pitch, from, from_pitch, outer_.run,
                              static_cast<std::size_t>(inner_.count), kind, stream_),
            "copy");
    }
  }

  region outer_;
  region::level inner_{1, 0};
  cudaStream_t stream_;
};

}  // namespace tridia::cli
