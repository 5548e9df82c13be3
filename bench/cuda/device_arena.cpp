// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#include "../map/arena.hpp"
#include "cases_cuda.hpp"
#include "device.hpp"
#include "device_copy.hpp"
#include "device_systems.hpp"
#include "small_kernels.hpp"

#include <algorithm>
#include <vector>

namespace tridia_bench {
namespace {

/// Holds memory that only grows; what it held is lost then.
class growing_array {
 public:
  void* at_least(std::size_t bytes) {
    if (!array_ || array_->bytes() < bytes) {
      array_.reset();  // free before there is more
      array_.emplace(bytes);
    }
    return array_->data();
  }

 private:
  std::optional<device_array> array_;
};

class device_arena final : public arena {
 public:
  [[nodiscard]] tridia::backend backend() const override { return tridia::backend::cuda; }
  [[nodiscard]] machine_info machine() const override { return cuda_machine(); }
  [[nodiscard]] std::optional<int> threads() const override { return {}; }

  void load(tridia::value_type type, index_t elements, std::uint64_t seed) override {
    dominant_.reset(), random_.reset(), x_.reset();
    systems_spec spec{.type = type, .n = 1, .batch = elements, .seed = seed};
    dominant_.emplace(spec);
    spec.matrix = matrix::random;
    random_.emplace(spec);
    x_.emplace(dominant_->rhs().bytes());
  }
  cell_memory memory(matrix m, std::size_t workspace_bytes, std::size_t factors_bytes) override {
    const device_systems& s = of(m);
    return {s.dl().data(),
            s.d().data(),
            s.du().data(),
            s.rhs().data(),
            x_->data(),
            workspace_.at_least(workspace_bytes),
            factors_.at_least(factors_bytes),
            clock_.stream()};
  }
  void poison(index_t elements) override {
    const std::size_t bytes =
        static_cast<std::size_t>(elements) * tridia::size_of(dominant_->spec().type);
    check(cudaMemsetAsync(x_->data(), 0xff, bytes, clock_.stream()), "cudaMemsetAsync");
  }
  double time(const std::function<void()>& work) override { return clock_.time(work); }
  double residual(const systems_spec& s) override {
    clock_.wait();
    return of(s.matrix).residual(s, *x_);
  }

  copy_rate copy(int reads, std::size_t array_bytes, int repetitions) override {
    const std::size_t bytes = (array_bytes + kCopyGranule - 1) / kCopyGranule * kCopyGranule;
    std::vector<device_array> memory;
    for (int k = 0; k <= reads; ++k) {
      memory.emplace_back(bytes);
      memory.back().set(0x3f, clock_.stream());  // 4.8e-4 everywhere
    }
    copy_arrays arrays{};
    for (int k = 0; k < reads; ++k) {
      arrays.in[k] = memory[static_cast<std::size_t>(k)].as<double>();
    }
    arrays.out = memory.back().as<double>();
    arrays.bytes = bytes;
    copy_rate best;
    for (const device_copy& copy : device_copies(reads)) {
      if (copy.least_capability > capability()) continue;
      copy_rate one{copy.name, bytes * static_cast<std::size_t>(reads + 1), {}};
      const auto launch = [&] { check(copy.launch(arrays, clock_.stream()), copy.name); };
      launch();  // warms up
      for (int k = 0; k < repetitions; ++k) one.ms.push_back(clock_.time(launch));
      std::sort(one.ms.begin(), one.ms.end());
      if (best.ms.empty() || one.median_ms() < best.median_ms()) best = std::move(one);
    }
    clock_.wait();
    return best;
  }
  std::vector<double> empty_ms(int repetitions) override {
    const auto launch = [&] { check(launch_empty(clock_.stream()), "launching nothing"); };
    launch();  // warms up
    std::vector<double> ms;
    for (int k = 0; k < repetitions; ++k) ms.push_back(clock_.time(launch));
    std::sort(ms.begin(), ms.end());
    return ms;
  }

 private:
  static int capability() {
    int device = 0, major = 0;
    check(cudaGetDevice(&device), "cudaGetDevice");
    check(cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, device),
          "cudaDeviceGetAttribute");
    return major;
  }
  [[nodiscard]] const device_systems& of(matrix m) const {
    return m == matrix::random ? *random_ : *dominant_;
  }
  device_clock clock_;
  std::optional<device_systems> dominant_, random_;
  std::optional<device_array> x_;
  growing_array workspace_, factors_;
};

}  // namespace

std::unique_ptr<arena> make_device_arena() { return std::make_unique<device_arena>(); }

}  // namespace tridia_bench
