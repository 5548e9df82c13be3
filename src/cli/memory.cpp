// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#include "memory.hpp"

#include "failure.hpp"

#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <fstream>
#include <limits>
#include <new>
#include <optional>

namespace tridia::cli {
namespace {

/// Returns the power of 1024 that a suffix means, if it is one: "", "B", "K", "KB", "KiB", …
std::optional<int> suffix_power(std::string_view suffix) {
  if (suffix.empty() || suffix == "B") return 0;
  const std::size_t power = std::string_view("KMGT").find(suffix.front());
  const std::string_view rest = suffix.substr(1);
  if (power == std::string_view::npos || (!rest.empty() && rest != "B" && rest != "iB")) return {};
  return static_cast<int>(power) + 1;
}

/// Returns the number that follows a word at the start of a line of a file of the kernel.
std::optional<std::uint64_t> read_number(const char* path, std::string_view word = {}) {
  std::ifstream in(path);
  for (std::string token; in >> token;) {
    if (!word.empty() && token != word) continue;
    if (!word.empty() && !(in >> token)) return {};
    std::uint64_t value = 0;
    const char* end = token.data() + token.size();
    if (std::from_chars(token.data(), end, value).ptr != end) return {};  // "max"
    return value;
  }
  return {};
}

}  // namespace

std::uint64_t parse_bytes(std::string_view text, std::string_view argument) {
  double number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  const auto power = suffix_power(text.substr(static_cast<std::size_t>(end - text.data())));
  if (error != std::errc() || !power) {
    throw bad_input(std::string(argument),
                    fmt::format("'{}' is no amount of memory; write for example 512M or 2G", text));
  }
  const double bytes = std::floor(std::ldexp(number, 10 * *power));
  if (!(bytes >= 1 && bytes < 0x1p63)) {
    throw bad_input(std::string(argument),
                    fmt::format("'{}' is not between 1 byte and 2^63 bytes", text));
  }
  return static_cast<std::uint64_t>(bytes);
}

std::string bytes_text(std::uint64_t bytes) {
  constexpr const char* units[] = {"bytes", "KiB", "MiB", "GiB", "TiB"};
  if (bytes < 1024) return fmt::format("{} bytes", bytes);
  auto value = static_cast<double>(bytes);
  int unit = 0;
  for (; value >= 1024 && unit < 4; ++unit) value /= 1024;
  return fmt::format("{:.2f} {}", value, units[unit]);
}

std::uint64_t available_memory() {
  constexpr std::uint64_t unknown = std::numeric_limits<std::uint64_t>::max();
  std::uint64_t machine = unknown;
  if (const auto kib = read_number("/proc/meminfo", "MemAvailable:")) {
    machine = *kib * 1024;
  } else {
    machine = static_cast<std::uint64_t>(sysconf(_SC_AVPHYS_PAGES)) *
              static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
  }
  const auto limit = read_number("/sys/fs/cgroup/memory.max");
  const auto used = read_number("/sys/fs/cgroup/memory.current");
  if (!limit || !used) return machine;
  // The page cache counts as used there but gives way, so a floor of a quarter of the limit is
  // safe.
  return std::min(machine, std::max(*limit - std::min(*limit, *used), *limit / 4));
}

void require_memory(std::uint64_t bytes) {
  // A compiler may remove an allocation that nothing uses, but not a memory map.
  void* const map = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                           MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (map == MAP_FAILED) throw std::bad_alloc();
  ::munmap(map, bytes);
}

}  // namespace tridia::cli
