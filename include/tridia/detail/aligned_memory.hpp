// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tridia/error.hpp"

#include <cstddef>
#include <new>
#include <string>
#include <utility>

namespace tridia::detail {

/// Owns memory that begins a cache line, and is not written.
class aligned_memory {
 public:
  static constexpr std::size_t alignment = 128;

  aligned_memory() = default;
  explicit aligned_memory(std::size_t bytes)
      : data_(::operator new (bytes, std::align_val_t{alignment}, std::nothrow)) {
    if (data_ == nullptr) {
      throw error(errc::out_of_memory, "no host memory for " + std::to_string(bytes) + " bytes");
    }
  }
  aligned_memory(aligned_memory&& other) noexcept : data_(std::exchange(other.data_, nullptr)) {}
  aligned_memory& operator=(aligned_memory&& other) noexcept {
    std::swap(data_, other.data_);
    return *this;
  }
  ~aligned_memory() { ::operator delete (data_, std::align_val_t{alignment}); }
  [[nodiscard]] void* data() const { return data_; }

 private:
  void* data_ = nullptr;
};

/// Owns memory for each of some threads, from cache lines of its own on.
class thread_memory {
 public:
  thread_memory(int threads, std::size_t bytes)
      : pitch_((bytes / aligned_memory::alignment + 1) * aligned_memory::alignment),
        all_(static_cast<std::size_t>(threads) * pitch_) {}
  [[nodiscard]] void* of(int thread) const {
    return static_cast<std::byte*>(all_.data()) + static_cast<std::size_t>(thread) * pitch_;
  }

 private:
  std::size_t pitch_;
  aligned_memory all_;
};

inline int checked_rows(int max_rows) {
  if (max_rows >= 0) return max_rows;
  throw error(errc::invalid_argument,
              "max_rows: " + std::to_string(max_rows) + "; it must be 0 or more");
}
[[noreturn]] inline void refuse_rows(int n, int max_rows) {
  throw error(
      errc::invalid_argument,
      "n: " + std::to_string(n) + " rows; the solver has room for " + std::to_string(max_rows));
}

}  // namespace tridia::detail
