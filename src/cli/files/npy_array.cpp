// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#include "files/npy_array.hpp"

#include "failure.hpp"

#include <fmt/format.h>

namespace tridia::cli {
namespace {

/// Returns the alignment that a type needs: that of its real numbers.
std::size_t alignment_of(value_type type) {
  return type == value_type::f32 || type == value_type::c64 ? 4 : 8;
}

npy_header checked_header(const mapped_file& file, const std::string& path,
                          const std::string& argument, npy_kind kind) {
  try {
    npy_header header = parse_npy_header(file.bytes(), kind);
    check_npy_size(header, file.bytes().size());
    if (header.data_offset % alignment_of(header.type) != 0) {
      throw npy_error(fmt::format(
          "has its data at byte {}, which is no multiple of {}: save it again with NumPy",
          header.data_offset, alignment_of(header.type)));
    }
    return header;
  } catch (const npy_error& e) {
    throw bad_input(argument, fmt::format("'{}' {}", path, e.what()));
  }
}

}  // namespace

npy_array::npy_array(const std::string& path, std::string argument, npy_kind kind)
    : argument_(std::move(argument)),
      file_(path, argument_),
      header_(checked_header(file_, path, argument_, kind)) {}

void npy_array::release_pages() const noexcept {
  advise(file_.bytes().data(), file_.bytes().size(), page_advice::release);
}

}  // namespace tridia::cli
