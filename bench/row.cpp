// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#include "row.hpp"

#include <algorithm>

namespace tridia_bench {

double row::median_ms() const {
  std::vector<double> sorted = ms;
  std::sort(sorted.begin(), sorted.end());
  const std::size_t middle = sorted.size() / 2;
  return sorted.size() % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}

double row::min_ms() const { return *std::min_element(ms.begin(), ms.end()); }

void copy_floors::add(int reads, int threads, double bytes_per_ms) {
  for (entry& e : entries_) {
    if (e.reads == reads && e.threads == threads) {
      e.bytes_per_ms = std::max(e.bytes_per_ms, bytes_per_ms);
      return;
    }
  }
  entries_.push_back({reads, threads, bytes_per_ms});
}

std::optional<double> copy_floors::ms_of(const row& r) const {
  for (const entry& e : entries_) {
    if (r.floor_bytes > 0 && e.reads == r.floor_reads && e.threads == r.threads.value_or(0)) {
      return static_cast<double>(r.floor_bytes) / e.bytes_per_ms;
    }
  }
  return std::nullopt;
}

}  // namespace tridia_bench
