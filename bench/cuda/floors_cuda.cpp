// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#include "cases_cuda.hpp"
#include "device.hpp"
#include "device_copy.hpp"

#include <string>
#include <utility>
#include <vector>

namespace tridia_bench {
namespace {

// The arrays are as large as those of the larger cases.
constexpr std::size_t kBytes = std::size_t{512} << 20;
static_assert(kBytes % kCopyGranule == 0);

row best_copy(const copy_arrays& arrays, int reads, const device_clock& clock) {
  int device = 0, capability = 0;
  check(cudaGetDevice(&device), "cudaGetDevice");
  check(cudaDeviceGetAttribute(&capability, cudaDevAttrComputeCapabilityMajor, device),
        "cudaDeviceGetAttribute");
  row best;
  for (const device_copy& copy : device_copies(reads)) {
    if (copy.least_capability > capability) continue;
    row r;
    r.note = copy.name;
    r.floor_reads = reads;
    r.floor_bytes = static_cast<std::size_t>(reads + 1) * kBytes;
    const auto launch = [&] { check(copy.launch(arrays, clock.stream()), copy.name); };
    launch();  // warms up
    for (int k = 0; k < 31; ++k) r.ms.push_back(clock.time(launch));
    if (best.ms.empty() || r.median_ms() < best.median_ms()) best = std::move(r);
  }
  return best;
}

}  // namespace

void measure_cuda_floors(suite& s, bool again) {
  std::vector<device_array> memory;
  for (int k = 0; k < 5; ++k) memory.emplace_back(kBytes);
  const device_clock clock;
  for (const device_array& m : memory) m.set(0x3f, clock.stream());  // 4.8e-4 everywhere
  copy_arrays arrays{};
  for (int k = 0; k < 4; ++k) arrays.in[k] = memory[k].as<double>();
  arrays.out = memory[4].as<double>();
  arrays.bytes = kBytes;

  for (const int reads : {4, 1}) {
    row best = best_copy(arrays, reads, clock);
    best.case_name = reads == 4 ? "read four arrays, write one" : "read an array, write one";
    if (again) best.case_name += ", after the cases";
    best.solver = "copy";
    s.floors.add(reads, 0, static_cast<double>(best.floor_bytes) / best.median_ms());
    s.rows.push_back(std::move(best));
  }
}

}  // namespace tridia_bench
