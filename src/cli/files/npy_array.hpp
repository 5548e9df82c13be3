// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "files/mapped_file.hpp"
#include "files/npy_header.hpp"

#include <cstddef>
#include <string>

namespace tridia::cli {

/// Holds an NPY file that is mapped and has been checked.
class npy_array {
 public:
  /// Throws `failure` (bad input) about `argument`, the option that names the file.
  npy_array(const std::string& path, std::string argument, npy_kind kind = npy_kind::numbers);

  [[nodiscard]] const std::string& argument() const noexcept { return argument_; }
  [[nodiscard]] const npy_header& header() const noexcept { return header_; }
  /// Points to the element (0, …, 0), aligned to its type.
  [[nodiscard]] const std::byte* data() const noexcept {
    return file_.bytes().data() + header_.data_offset;
  }
  /// Gives back the memory of pages that are mapped.
  void release_pages() const noexcept;

 private:
  std::string argument_;
  mapped_file file_;
  npy_header header_;
};

}  // namespace tridia::cli
