// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "cpu/lanes.hpp"

// This header defines the value type of TRIDIA_VALUE as vectors of systems: as many as pay, or one.
namespace tridia::cpu::TRIDIA_ISA {

template <class R>
using wide_lanes = lanes<stdx::native_simd<R>, TRIDIA_VECTORS>;
template <class R>
using single_lane = lanes<stdx::simd<R, stdx::simd_abi::scalar>, 1>;

template <class R>
struct values_of {
  using wide = wide_lanes<R>;
  using single = single_lane<R>;
};
template <class R>
struct values_of<core::complex<R>> {
  using wide = core::complex<wide_lanes<R>>;
  using single = core::complex<single_lane<R>>;
};
using values = values_of<TRIDIA_VALUE>;

}  // namespace tridia::cpu::TRIDIA_ISA
