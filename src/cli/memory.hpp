// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace tridia::cli {

/// Parses a size: "1000", "64K", "2G", "1.5GiB"; K, M, G and T are powers of 1024. Throws `failure`
/// about `argument` if it is not a size, 0, or more than 2^63 - 1.
std::uint64_t parse_bytes(std::string_view text, std::string_view argument);

/// Formats a size as "1.50 GiB".
std::string bytes_text(std::uint64_t bytes);

/// Returns the bytes of physical memory that this process may still use: the machine's, or what a
/// control group leaves of it.
std::uint64_t available_memory();

/// Throws std::bad_alloc unless the address space of this process has room for so many more bytes.
/// `ulimit -v` limits it, which `available_memory` does not see.
void require_memory(std::uint64_t bytes);

}  // namespace tridia::cli
