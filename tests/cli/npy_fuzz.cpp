// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
// This runs the NPY reader on any bytes: it parses them or throws npy_error. What it accepts, it
// must be able to write and to read again. With clang, build the target npy_libfuzzer to search for
// more.
#include "files/npy_header.hpp"

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <span>
#include <string>

namespace {

using tridia::cli::npy_header;

void require(bool holds) {
  if (!holds) std::abort();
}

void check_accepted(npy_header header, std::size_t file_bytes) {
  require(header.data_offset <= file_bytes);
  require(header.shape.size() <= tridia::cli::npy_axes_limit);
  require(tridia::cli::npy_data_bytes(header) <= std::numeric_limits<std::int64_t>::max());
  for (const tridia::index_t extent : header.shape) require(extent >= 0);
  const std::string text = tridia::cli::format_npy_header(header);
  header.data_offset = text.size();
  require(tridia::cli::parse_npy_header(std::as_bytes(std::span(text))) == header);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  try {
    const npy_header header = tridia::cli::parse_npy_header(std::as_bytes(std::span(data, size)));
    check_accepted(header, size);
    tridia::cli::check_npy_size(header, size);
  } catch (const tridia::cli::npy_error& e) {
    require(e.what()[0] != '\0');
  }
  return 0;
}
