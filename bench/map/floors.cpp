// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#include "floors.hpp"

#include <algorithm>
#include <iterator>

namespace tridia_bench {
namespace {

/// This is the size of an array of 2^14 rows of f32.
constexpr std::size_t kSmallest = std::size_t{64} << 10;

void keep_faster(copy_rate& kept, copy_rate measured) {
  if (kept.ms.empty() || measured.median_ms() < kept.median_ms()) kept = std::move(measured);
}

}  // namespace

void map_floors::measure(arena& a, std::size_t largest_array) {
  constexpr std::size_t small = std::size_t{1} << 20, large = std::size_t{16} << 20;
  for (const int reads : {1, 4}) {
    for (std::size_t bytes = kSmallest;; bytes *= 2) {
      keep_faster(copies_[reads][bytes], a.copy(reads, bytes,
                                                bytes < small   ? 101
                                                : bytes < large ? 15
                                                                : 5));
      if (bytes >= largest_array) break;
    }
  }
  empty_.resize(1);
  keep_faster(empty_.front(), {"", 0, a.empty_ms(101)});
}

double map_floors::copy_ms(int reads, std::size_t bytes) const {
  const auto& sizes = copies_.at(reads);
  const auto arrays = static_cast<std::size_t>(reads + 1);
  const auto above = sizes.lower_bound((bytes + arrays - 1) / arrays);
  const auto at_rate = [&](const copy_rate& r) {
    return static_cast<double>(bytes) / r.bytes_per_ms();
  };
  if (above == sizes.end()) return at_rate(sizes.rbegin()->second);
  if (above == sizes.begin()) return at_rate(above->second);
  const copy_rate &low = std::prev(above)->second, &high = above->second;
  const double part =
      static_cast<double>(bytes - low.bytes) / static_cast<double>(high.bytes - low.bytes);
  return low.median_ms() + part * (high.median_ms() - low.median_ms());
}

double map_floors::floor_ms(int reads, std::size_t bytes) const {
  return std::max(copy_ms(reads, bytes), empty_ms());
}

bool map_floors::is_disturbed(arena& a) const {
  constexpr int samples = 9;
  return a.empty_ms(samples)[samples / 2] > 10 * empty_ms() + 0.05;
}

std::vector<row> map_floors::rows(const arena& a) const {
  std::vector<row> all;
  const auto add = [&](std::string name, const char* solver, const copy_rate& measured) {
    row r;
    r.case_name = std::move(name);
    r.solver = solver;
    r.threads = a.threads();
    r.ms = measured.ms;
    if (!measured.kernel.empty()) r.note = measured.kernel;
    all.push_back(std::move(r));
  };
  for (const auto& [reads, sizes] : copies_) {
    for (const auto& [bytes, measured] : sizes) {
      add((reads == 4 ? "read four arrays, write one, of " : "read an array, write one, of ") +
              std::to_string(bytes >> 10) + " KiB",
          "copy", measured);
    }
  }
  const bool device = a.backend() == tridia::backend::cuda;
  add(device ? "launch" : "parallel region", device ? "empty kernel" : "empty region",
      empty_.front());
  return all;
}

}  // namespace tridia_bench
