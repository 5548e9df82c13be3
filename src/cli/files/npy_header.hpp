// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tridia/types.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace tridia::cli {

/// Says why a file is not an NPY file that can be solved with. The sentence lacks its subject, the
/// file: "is truncated: …".
class npy_error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Holds what an NPY file says about its data.
struct npy_header {
  value_type type = value_type::f64;
  bool fortran_order = false;
  std::vector<index_t> shape;
  std::size_t data_offset = 0;  ///< Bytes from the start of the file to the first element.

  friend bool operator==(const npy_header&, const npy_header&) = default;
};

/// This is the longest header text that is read; NumPy itself writes far less for these types.
inline constexpr std::size_t npy_header_limit = 65536;
/// This is the maximum number of axes that an array may have, as in NumPy 2.
inline constexpr std::size_t npy_axes_limit = 64;

/// Says what a file holds: numbers of the four types, or 64-bit integers ('<i8'), as offsets are.
enum class npy_kind { numbers, integers };

/// Reads the header at the start of a file (NPY 1.0, 2.0, 3.0). `bytes` may be the whole file or
/// as much of it as there is. Throws `npy_error` only. The bytes of the data are known not to
/// overflow an index_t afterwards. The `type` of integers is one of as many bytes, f64.
npy_header parse_npy_header(std::span<const std::byte> bytes, npy_kind kind = npy_kind::numbers);

/// Returns the bytes of the elements that follow a header.
std::uint64_t npy_data_bytes(const npy_header& header);

/// Throws `npy_error` unless a file of `file_bytes` holds exactly the header and its data.
void check_npy_size(const npy_header& header, std::uint64_t file_bytes);

/// Formats the start of a file for such an array (NPY 1.0), padded so that the data are aligned to
/// 64 bytes. `header.data_offset` is not used.
std::string format_npy_header(const npy_header& header);

/// Returns the name of a type in a header: "<f8" and so on.
std::string_view npy_descr(value_type type) noexcept;

/// Formats a shape as Python prints it: "(4, 7)", "(5,)", "()".
std::string shape_text(std::span<const index_t> shape);

}  // namespace tridia::cli
