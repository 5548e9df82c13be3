// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

// Marks what host and device compile alike; always inlined, so that a value of several vectors
// stays in registers.
#if defined(__CUDACC__)
#define TRIDIA_FN __host__ __device__ __forceinline__
#else
#define TRIDIA_FN inline __attribute__((always_inline))
#endif

// Before a loop: laid out by the device's compiler so many rounds at a time, or altogether where the
// number of rounds is a constant once everything is inlined. Arrays indexed by the round are
// registers then.
#if defined(__CUDACC__)
#define TRIDIA_UNROLL _Pragma("unroll")
#define TRIDIA_UNROLL_BY(times) TRIDIA_PRAGMA(unroll(times))
#define TRIDIA_PRAGMA(text) _Pragma(#text)
#else
#define TRIDIA_UNROLL
#define TRIDIA_UNROLL_BY(times)
#endif
