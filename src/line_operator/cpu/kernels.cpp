// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause

// This file is compiled once for each instruction set and real type: the build defines TRIDIA_ISA
// and TRIDIA_VALUE.
#include "line_operator/cpu/kernels.hpp"

#include "line_operator/cpu/border_summing.hpp"
#include "line_operator/cpu/line_sweeps.hpp"

namespace tridia::line_operator::cpu::TRIDIA_ISA {
namespace {

constexpr int most_vectors = 4;

template <class R>
bool apply(const tables<R>& t, const line_group& s, R* buffer) {
  const bool finite = s.lanes % vector_block<R, most_vectors>::count == 0
                          ? line_sweeps<R, most_vectors>(t, s, buffer).run()
                          : line_sweeps<R, 1>(t, s, buffer).run();
#if defined(__x86_64__)
  // Stores that bypass the cache must be ordered before later signals to other threads.
  if (s.nontemporal) _mm_sfence();
#endif
  return finite;
}

template <class R>
void sum(const border_sums<R>& s) {
  border_summing<R>(s).run();
}

}  // namespace

kernels<TRIDIA_VALUE> TRIDIA_TABLE() {
  using R = TRIDIA_VALUE;
  return {width<R>, vector_block<R, most_vectors>::count, apply<R>, sum<R>};
}

}  // namespace tridia::line_operator::cpu::TRIDIA_ISA
