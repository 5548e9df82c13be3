// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

namespace tridia::cpu {

/// Lists the instruction sets that kernels are compiled for; `baseline` is for processors other
/// than x86-64.
enum class isa_level { x86_64_v2, x86_64_v3, x86_64_v4, baseline };

/// Returns the highest level that was built and that the processor has; throws `unsupported` if
/// there is none.
isa_level best_isa();
/// Returns the name of the instruction set of best_isa().
const char* instruction_set();

}  // namespace tridia::cpu

// Returns `expression(isa)` from the function, where `isa` is the namespace of the best level's
// kernels. Namespaces of levels that were not built hold declarations without definitions, so they
// must not be named.
#if defined(TRIDIA_X86_64_V4)
#define TRIDIA_CASE_V4(expression)          \
  case ::tridia::cpu::isa_level::x86_64_v4: \
    return expression(x86_64_v4);
#else
#define TRIDIA_CASE_V4(expression)
#endif
#if defined(TRIDIA_X86_64_V3)
#define TRIDIA_CASE_V3(expression)          \
  case ::tridia::cpu::isa_level::x86_64_v3: \
    return expression(x86_64_v3);
#else
#define TRIDIA_CASE_V3(expression)
#endif
#if defined(TRIDIA_X86_64_V2)
#define TRIDIA_CASE_V2(expression)          \
  case ::tridia::cpu::isa_level::x86_64_v2: \
    return expression(x86_64_v2);
#else
#define TRIDIA_CASE_V2(expression)
#endif
#if defined(__x86_64__)
#define TRIDIA_CASE_BASELINE(expression)
#else
#define TRIDIA_CASE_BASELINE(expression)   \
  case ::tridia::cpu::isa_level::baseline: \
    return expression(baseline);
#endif
#define TRIDIA_RETURN_BEST(expression) \
  switch (::tridia::cpu::best_isa()) { \
    TRIDIA_CASE_V4(expression)         \
    TRIDIA_CASE_V3(expression)         \
    TRIDIA_CASE_V2(expression)         \
    TRIDIA_CASE_BASELINE(expression)   \
    default:                           \
      __builtin_unreachable();         \
  }
