// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#include "transfer.hpp"

#include "device.hpp"

#include <cstring>

namespace tridia_bench {
namespace {

/// Owns page-locked memory of the host.
class pinned_array {
 public:
  explicit pinned_array(std::size_t bytes) {
    check(cudaMallocHost(&data_, bytes), "cudaMallocHost");
    std::memset(data_, 0, bytes);
  }
  pinned_array(const pinned_array&) = delete;
  pinned_array& operator=(const pinned_array&) = delete;
  ~pinned_array() { cudaFreeHost(data_); }
  [[nodiscard]] void* data() const { return data_; }

 private:
  void* data_ = nullptr;
};

}  // namespace

void add_transfer(suite& s, const systems_spec& spec) {
  constexpr int repetitions = 21;
  row r = row_of(spec, "transfer");
  r.floor_bytes = 0;  // it is not the device's memory that takes the time
  add_case(s, r, repetitions, [spec](benchmark::State& state, row& out) {
    const std::size_t bytes = static_cast<std::size_t>(spec.rows()) * tridia::size_of(spec.type);
    const pinned_array host(bytes);
    const device_array device(bytes);
    const device_clock clock;
    measure(state, out, [&] {
      return clock.time([&] {
        for (int array = 0; array < 4; ++array) {
          check(cudaMemcpyAsync(device.data(), host.data(), bytes, cudaMemcpyHostToDevice,
                                clock.stream()),
                "copy to the device");
        }
        check(cudaMemcpyAsync(host.data(), device.data(), bytes, cudaMemcpyDeviceToHost,
                              clock.stream()),
              "copy from the device");
      });
    });
  });
}

}  // namespace tridia_bench
