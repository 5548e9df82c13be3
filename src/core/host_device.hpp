// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

// Marks what host and device compile alike; always inlined, so that a value of several vectors
// stays in registers.
#if defined(__CUDACC__)
#define TRIDIA_FN __host__ __device__ __forceinline__
#else
#define TRIDIA_FN inline __attribute__((always_inline))
#endif

// Before a loop: on a GPU, where its number of rounds is a constant once everything is inlined, all
// of them are laid out one after another, so that arrays indexed by the round are registers.
#if defined(__CUDACC__)
#define TRIDIA_UNROLL _Pragma("unroll")
#else
#define TRIDIA_UNROLL
#endif
