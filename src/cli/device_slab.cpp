// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#include "executor.hpp"
#include "failure.hpp"

#include <cuda_runtime_api.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace tridia::cli {
namespace {

void check(cudaError_t result, const char* what) {
  if (result == cudaSuccess) return;
  throw failure(exit_failure, "--device",
                fmt::format("cuda failed to {}: {}", what, cudaGetErrorString(result)));
}

class device_stream {
 public:
  device_stream() { check(cudaStreamCreate(&stream_), "create a stream"); }
  ~device_stream() { cudaStreamDestroy(stream_); }
  device_stream(const device_stream&) = delete;
  device_stream& operator=(const device_stream&) = delete;
  [[nodiscard]] cudaStream_t get() const noexcept { return stream_; }

 private:
  cudaStream_t stream_ = nullptr;
};

class device_event {
 public:
  device_event() { check(cudaEventCreate(&event_), "create an event"); }
  ~device_event() { cudaEventDestroy(event_); }
  device_event(const device_event&) = delete;
  device_event& operator=(const device_event&) = delete;
  [[nodiscard]] cudaEvent_t get() const noexcept { return event_; }

 private:
  cudaEvent_t event_ = nullptr;
};

/// One allocation that grows when a slab needs more, cut into aligned pieces.
class device_arena {
 public:
  device_arena() = default;
  ~device_arena() { cudaFree(base_); }
  device_arena(const device_arena&) = delete;
  device_arena& operator=(const device_arena&) = delete;

  void reserve(std::size_t bytes) {
    used_ = 0;
    if (bytes <= size_) return;
    check(cudaFree(base_), "free memory");
    base_ = nullptr;
    size_ = 0;
    check(cudaMalloc(&base_, bytes), fmt::format("allocate {} bytes", bytes).c_str());
    size_ = bytes;
  }

  std::byte* take(std::size_t bytes) {
    std::byte* piece = static_cast<std::byte*>(base_) + used_;
    used_ += aligned(bytes);
    return piece;
  }

  static std::size_t aligned(std::size_t bytes) { return (bytes + 255) / 256 * 256; }

 private:
  void* base_ = nullptr;
  std::size_t size_ = 0, used_ = 0;
};

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
    return seconds();
  }

 private:
  [[nodiscard]] region_copy copy(const region& r) const {
    return {r, largest_pitch_, stream_.get()};
  }

  [[nodiscard]] double seconds() const {
    float milliseconds = 0;
    check(cudaEventElapsedTime(&milliseconds, begin_.get(), end_.get()), "tell the time");
    return milliseconds * 1e-3;
  }

  std::size_t largest_pitch_ = 0;
  device_stream stream_;
  device_event begin_, end_;
  device_arena arena_;
};

}  // namespace

std::unique_ptr<executor> make_device_executor() { return std::make_unique<device_executor>(); }

}  // namespace tridia::cli
