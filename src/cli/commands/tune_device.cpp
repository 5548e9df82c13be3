// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#include "commands/tune_device.hpp"

#include "device.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <random>
#include <string>
#include <vector>

namespace tridia::cli {
namespace {

/// Fills `bytes` bytes of the device with numbers of type R from U(-1, 1), moved by `away` from 0,
/// over and over.
template <class R>
void fill(std::byte* to, std::size_t bytes, R away, unsigned seed) {
  // The period is a prime, so that neighbouring systems differ.
  constexpr std::size_t period = 1000003;
  std::mt19937 bits(seed);
  std::uniform_real_distribution<R> uniform(-1, 1);
  std::vector<R> numbers(std::min(period, bytes / sizeof(R)));
  for (R& r : numbers) {
    const R u = uniform(bits);
    r = u < 0 ? u - away : u + away;
  }
  std::size_t done = numbers.size() * sizeof(R);
  check(cudaMemcpy(to, numbers.data(), done, cudaMemcpyHostToDevice), "copy");
  for (std::size_t more = 0; done < bytes; done += more) {
    more = std::min(done, bytes - done);
    check(cudaMemcpy(to + done, to, more, cudaMemcpyDeviceToDevice), "copy");
  }
}

class cuda_tune_device final : public tune_device {
 public:
  cuda_tune_device() {
    int device = 0;
    check(cudaGetDevice(&device), "find its device");
    check(cudaGetDeviceProperties(&properties_, device), "describe its device");
    memory_.reserve(arrays_.size() * array_bytes);
    for (std::byte*& a : arrays_) a = memory_.take(array_bytes);
  }

  double time(const plan& p, int repetitions) override {
    make_systems(p.problem().type);
    const std::size_t status_bytes = static_cast<std::size_t>(p.systems()) * sizeof(index_t);
    scratch_.reserve(device_arena::aligned(status_bytes) + p.workspace_bytes());
    execution e{.workspace_bytes = p.workspace_bytes(), .stream = stream_.get()};
    e.status = reinterpret_cast<index_t*>(scratch_.take(status_bytes));
    e.workspace = scratch_.take(p.workspace_bytes());
    execute(p, e);  // warms up
    std::vector<double> seconds;
    for (int k = 0; k < repetitions; ++k) seconds.push_back(execute(p, e));
    std::nth_element(seconds.begin(), seconds.begin() + repetitions / 2, seconds.end());
    return seconds[static_cast<std::size_t>(repetitions / 2)];
  }

  [[nodiscard]] int capability() const override {
    return 10 * properties_.major + properties_.minor;
  }
  [[nodiscard]] std::string name() const override { return properties_.name; }

 private:
  /// Makes dl, d, du and rhs; |d| > 2 > |dl| + |du| for real numbers, and no less dominant
  /// otherwise.
  void make_systems(value_type type) {
    if (type == made_for_) return;
    const bool single = type == value_type::f32 || type == value_type::c64;
    for (std::size_t k = 0; k + 1 < arrays_.size(); ++k) {
      const double away = k == 1 ? 3 : 0;
      const auto seed = static_cast<unsigned>(k + 1);
      if (single) {
        fill<float>(arrays_[k], array_bytes, static_cast<float>(away), seed);
      } else {
        fill<double>(arrays_[k], array_bytes, away, seed);
      }
    }
    made_for_ = type;
  }

  double execute(const plan& p, const execution& e) {
    check(cudaEventRecord(begin_.get(), stream_.get()), "record an event");
    p.execute(arrays_[0], arrays_[1], arrays_[2], arrays_[3], static_cast<void*>(arrays_[4]), e);
    check(cudaEventRecord(end_.get(), stream_.get()), "record an event");
    check(cudaEventSynchronize(end_.get()), "solve");
    return seconds_between(begin_, end_);
  }

  cudaDeviceProp properties_{};
  device_stream stream_;
  device_event begin_, end_;
  device_arena memory_, scratch_;
  std::array<std::byte*, 5> arrays_{};
  std::optional<value_type> made_for_;
};

}  // namespace

std::unique_ptr<tune_device> make_tune_device() { return std::make_unique<cuda_tune_device>(); }

}  // namespace tridia::cli
