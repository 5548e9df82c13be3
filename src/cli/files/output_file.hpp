// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "files/temporary_file.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace tridia::cli {

/// Writes a file through a memory map; the file appears complete or not at all (a
/// `temporary_file`).
class output_file {
 public:
  /// Makes a file of `header` and `data_bytes` bytes, whose space on the disk is taken at once.
  /// Throws `failure` about `argument`: bad input if no file can be made at `path`.
  output_file(std::string path, std::string argument, std::string_view header,
              std::uint64_t data_bytes);
  ~output_file();
  output_file(const output_file&) = delete;
  output_file& operator=(const output_file&) = delete;

  /// Returns where the data begin.
  [[nodiscard]] std::byte* data() const noexcept { return map_ + header_bytes_; }

  /// Starts to write back what was changed, and unmaps it: memory does not fill up.
  void release_pages() noexcept;

  /// Waits until the disk has everything, then gives the file its name.
  void commit();

 private:
  void reserve(std::string_view header);
  void unmap() noexcept;

  temporary_file file_;
  std::size_t header_bytes_ = 0, size_ = 0;
  std::byte* map_ = nullptr;
};

}  // namespace tridia::cli
