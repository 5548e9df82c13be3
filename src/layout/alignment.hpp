// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>

namespace tridia::layout {

/// Parts of workspaces begin at multiples of this many bytes, wherever the caller's memory begins.
inline constexpr std::size_t alignment = 64;

inline std::byte* align(void* p) {
  const auto at = reinterpret_cast<std::uintptr_t>(p);
  return reinterpret_cast<std::byte*>((at + alignment - 1) / alignment * alignment);
}
inline const std::byte* align(const void* p) { return align(const_cast<void*>(p)); }

constexpr std::size_t round_up(std::size_t bytes) {
  return (bytes + alignment - 1) / alignment * alignment;
}

}  // namespace tridia::layout
