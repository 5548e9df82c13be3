// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#include "cpu/cache_size.hpp"

#include <unistd.h>

#include <fstream>
#include <string>

namespace tridia::cpu {
namespace {

/// Reads a cache size as Linux writes it: "32768K". Returns 0 if it is not there.
std::size_t cache_of_first_core(const char* index) {
  std::ifstream file(std::string("/sys/devices/system/cpu/cpu0/cache/") + index + "/size");
  std::size_t kib = 0;
  char unit = 0;
  return file >> kib >> unit && unit == 'K' ? kib * 1024 : 0;
}

/// Returns what Linux says of a cache, else what sysconf says, else `usual`. sysconf comes second:
/// for some processors glibc gives the sum of all last-level caches, 12 times what a core reaches.
std::size_t cache_bytes(const char* index, int name, std::size_t usual) {
  if (const std::size_t size = cache_of_first_core(index); size > 0) return size;
  const long size = sysconf(name);
  return size > 0 ? static_cast<std::size_t>(size) : usual;
}

}  // namespace

std::size_t near_cache_bytes() {
  static const std::size_t size =
      cache_bytes("index2", _SC_LEVEL2_CACHE_SIZE, std::size_t{1} << 20);
  return size;
}

std::size_t last_cache_bytes() {
  static const std::size_t size =
      cache_bytes("index3", _SC_LEVEL3_CACHE_SIZE, std::size_t{32} << 20);
  return size;
}

}  // namespace tridia::cpu
