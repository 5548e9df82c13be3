// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <span>
#include <string>

namespace tridia::cli {

/// Gives read-only access to a file's bytes through a memory map.
class mapped_file {
 public:
  /// Throws `failure` about `argument`, with the path: bad input if it is not a file that can be
  /// read, else what the machine lacks (memory, address space).
  mapped_file(const std::string& path, const std::string& argument);
  ~mapped_file();
  mapped_file(mapped_file&& other) noexcept;
  mapped_file& operator=(mapped_file&&) = delete;

  [[nodiscard]] std::span<const std::byte> bytes() const noexcept { return {data_, size_}; }

 private:
  const std::byte* data_ = nullptr;
  std::size_t size_ = 0;
};

/// This is advice to the kernel about pages of a map; failures do not matter.
enum class page_advice {
  read_ahead,      ///< Start to read them from the disk.
  populate_read,   ///< Map them now, so that a solver does not fault on each.
  populate_write,  ///< Map them now, for writing.
  release,         ///< Give the pages back; the file keeps their contents.
};

void advise(const std::byte* first, std::size_t bytes, page_advice advice) noexcept;

}  // namespace tridia::cli
