// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tridia/types.hpp"

#include <cstddef>
#include <memory>
#include <vector>

#include "support/device_memory.hpp"

namespace tridia_test {

/// Holds bytes that a backend can access, with a copy on the host that the test works on.
///
/// The bytes lie between two guards. Without guards they are an allocation of exactly their size,
/// so that AddressSanitizer sees the first byte beyond.
class buffer {
 public:
  buffer(tridia::backend where, std::size_t bytes, std::size_t guard = 0,
         std::size_t misalignment = 0, std::byte guard_byte = std::byte{0xA5});

  [[nodiscard]] std::size_t size() const { return size_; }
  /// Returns the pointer that the library is given.
  [[nodiscard]] void* pointer() const { return base() + before_; }
  /// Returns the copy on the host; for the backends of the CPU, the bytes themselves.
  [[nodiscard]] std::byte* host() { return host_.get() + before_; }
  [[nodiscard]] const std::byte* host() const { return host_.get() + before_; }

  /// These copy host to device and back; on the CPU, they do nothing.
  void push();
  void pull();

  /// Returns, after `pull`, whether nothing was written beside the bytes.
  [[nodiscard]] bool guards_intact() const;

 private:
  [[nodiscard]] std::byte* base() const { return device_ ? device_.get() : host_.get(); }

  std::size_t size_, before_, total_;
  std::byte guard_byte_;
  std::unique_ptr<std::byte[]> host_;
  device_bytes device_;
};

}  // namespace tridia_test
