// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

// Marks functions that both host and device compile; they are always inlined, so that a value of
// several vectors stays in registers.
#if defined(__CUDACC__)
#define TRIDIA_FN __host__ __device__ __forceinline__
#else
#define TRIDIA_FN inline __attribute__((always_inline))
#endif

// TRIDIA_UNROLL unrolls the loop that follows: on a GPU, where its number of iterations is a
// constant once everything is inlined, it is unrolled completely, so that arrays indexed by the
// iteration are registers. TRIDIA_NO_UNROLL keeps it as it is: where a kernel has many copies of a
// loop that runs once or twice, waiting for instructions takes longer than they do.
#if defined(__CUDACC__)
#define TRIDIA_UNROLL _Pragma("unroll")
#define TRIDIA_NO_UNROLL _Pragma("unroll 1")
#else
#define TRIDIA_UNROLL
#define TRIDIA_NO_UNROLL
#endif
