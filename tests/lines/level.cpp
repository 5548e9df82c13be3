// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#include <cstdio>
#include <cstdlib>
#include <string_view>

// Ends the program before anything else if the processor lacks what its other files are compiled
// for: ctest counts 77 as skipped.
namespace {

[[gnu::constructor]] void skip_where_not_supported() {
  __builtin_cpu_init();
  bool supported = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
  if (std::string_view(TRIDIA_TEST_LEVEL) == "x86-64-v4") {
    supported = supported && __builtin_cpu_supports("avx512f") &&
                __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512bw") &&
                __builtin_cpu_supports("avx512dq");
  }
  if (supported) return;
  std::puts("skipped: the processor has not " TRIDIA_TEST_LEVEL);
  std::_Exit(77);
}

}  // namespace
