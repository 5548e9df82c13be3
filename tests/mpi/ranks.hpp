// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <vector>

#include "tridia/distributed.hpp"

namespace tridia_test {

int world_rank();
int world_size();

/// With the option --device cuda, arrays are in the memory of GPUs, one for each rank, and NCCL
/// moves data; otherwise MPI does everything.
void use_gpus();
bool on_gpus();

/// Returns a communicator of all ranks. A rank may keep others waiting for `limit` seconds; with
/// another limit than this one, the communicator belongs to the test alone.
inline constexpr double kLastingLimit = 30;
tridia::distributed::communicator ranks(double limit = kLastingLimit);

/// Holds bytes in host memory, and where plans need them: the same memory, or a copy on a GPU.
class ranks_memory {
 public:
  explicit ranks_memory(std::size_t bytes);
  ~ranks_memory();
  ranks_memory(const ranks_memory& other);
  ranks_memory(ranks_memory&& other) noexcept;
  ranks_memory& operator=(ranks_memory other) noexcept;

  std::byte* host() { return host_.data(); }
  [[nodiscard]] const std::byte* host() const { return host_.data(); }
  /// Returns the memory for plans.
  [[nodiscard]] std::byte* there() { return device_ != nullptr ? device_ : host_.data(); }
  void push();
  void pull();

 private:
  std::vector<std::byte> host_;
  std::byte* device_ = nullptr;
};

/// Holds an array that a plan reads or writes.
template <class T>
class ranks_array {
 public:
  explicit ranks_array(std::vector<T> values) : memory_(values.size() * sizeof(T)) {
    set(values);
    size_ = values.size();
  }
  T* there() { return reinterpret_cast<T*>(memory_.there()); }
  void set(const std::vector<T>& values) {
    auto* const to = reinterpret_cast<T*>(memory_.host());
    for (std::size_t k = 0; k < values.size(); ++k) to[k] = values[k];
    memory_.push();
  }
  std::vector<T> get() {
    memory_.pull();
    const auto* const from = reinterpret_cast<const T*>(memory_.host());
    return {from, from + size_};
  }

 private:
  ranks_memory memory_;
  std::size_t size_ = 0;
};

}  // namespace tridia_test
