// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#include "device.hpp"
#include "executor.hpp"

#include <algorithm>
#include <array>

namespace tridia::cli {
namespace {

/// Copies between the stretches of a region of a file and their packed form on the device.
class region_copy {
 public:
  region_copy(const region& r, std::size_t largest_pitch, cudaStream_t stream)
      : outer_(r), stream_(stream) {
    // The innermost repetition is one 2-D copy, unless its pitch is more than a device can do.
    if (!outer_.levels.empty() && outer_.levels.back().step <= largest_pitch) {
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

class device_executor final : public executor {
 public:
  device_executor() {
    int device = 0, pitch = 0;
    check(cudaGetDevice(&device), "find its device");
    check(cudaDeviceGetAttribute(&pitch, cudaDevAttrMaxPitch, device), "tell its largest pitch");
    largest_pitch_ = static_cast<std::size_t>(pitch);
  }

  [[nodiscard]] bool packed() const noexcept override { return true; }

  [[nodiscard]] std::uint64_t memory(std::uint64_t host_bytes) const override {
    std::size_t free = 0, total = 0;
    check(cudaMemGetInfo(&free, &total), "tell its free memory");
    return std::min<std::uint64_t>(host_bytes, free / 10 * 9);
  }

  double execute(const plan& p, const systems& all, const slab& part, const array_pointers& inputs,
                 std::byte* x, std::span<index_t> status) override {
    std::array<region, roles> regions;
    std::size_t bytes =
        device_arena::aligned(p.workspace_bytes()) + device_arena::aligned(status.size_bytes());
    for (std::size_t role = 0; role < roles; ++role) {
      regions[role] = region_of(all, static_cast<array_role>(role), part);
      bytes += device_arena::aligned(regions[role].bytes());
    }
    arena_.reserve(bytes);
    std::array<std::byte*, roles> on_device;
    for (std::size_t role = 0; role < roles; ++role) {
      on_device[role] = arena_.take(regions[role].bytes());
      if (role != role_x) copy(regions[role]).to_device(on_device[role], inputs[role]);
    }
    std::byte* status_on_device = arena_.take(status.size_bytes());
    check(cudaEventRecord(begin_.get(), stream_.get()), "record an event");
    p.execute(on_device[role_dl], on_device[role_d], on_device[role_du], on_device[role_rhs],
              static_cast<void*>(on_device[role_x]),
              {.workspace = arena_.take(p.workspace_bytes()),
               .workspace_bytes = p.workspace_bytes(),
               .status = reinterpret_cast<index_t*>(status_on_device),
               .stream = stream_.get()});
    check(cudaEventRecord(end_.get(), stream_.get()), "record an event");
    copy(regions[role_x]).from_device(x, on_device[role_x]);
    check(cudaMemcpyAsync(status.data(), status_on_device, status.size_bytes(),
                          cudaMemcpyDeviceToHost, stream_.get()),
          "copy the status");
    check(cudaStreamSynchronize(stream_.get()), "solve");
    return seconds_between(begin_, end_);
  }

 private:
  [[nodiscard]] region_copy copy(const region& r) const {
    return {r, largest_pitch_, stream_.get()};
  }

  std::size_t largest_pitch_ = 0;
  device_stream stream_;
  device_event begin_, end_;
  device_arena arena_;
};

}  // namespace

std::unique_ptr<executor> make_device_executor() { return std::make_unique<device_executor>(); }

}  // namespace tridia::cli
