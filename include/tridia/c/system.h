/* Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause */
#ifndef TRIDIA_C_SYSTEM_H
#define TRIDIA_C_SYSTEM_H

#include "tridia/c/types.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Returns the version of the library, as "1.2.3"; that of the headers is TRIDIA_VERSION_MAJOR ...
 */
TRIDIA_API const char* tridia_version(void);

/* Describes what this build can do on this machine, as `tridia::system_info` does. */
typedef struct tridia_system {
  size_t struct_size;
  int cuda_built;        /* 1: the CUDA backend was compiled in. */
  int device_count;      /* The number of GPUs that this process can use. */
  int threads;           /* The threads that CPU plans use by default. */
  char cuda_runtime[20]; /* As "13.0", or empty. */
  char simd[32];         /* The instruction set that CPU plans use. */
} tridia_system;

#define TRIDIA_SYSTEM_INIT                     \
  {                                            \
    sizeof(tridia_system), 0, 0, 0, {0}, { 0 } \
  }

/* Describes a GPU. */
typedef struct tridia_device {
  size_t struct_size;
  size_t memory_bytes;
  int ordinal; /* CUDA's number of the GPU, for tridia_options::device. */
  int compute_capability_major, compute_capability_minor;
  int multiprocessors;
  char name[256];
} tridia_device;

#define TRIDIA_DEVICE_INIT                      \
  {                                             \
    sizeof(tridia_device), 0, 0, 0, 0, 0, { 0 } \
  }

/* A missing GPU or driver is no error: there are then no GPUs. */
TRIDIA_API tridia_result tridia_query_system(tridia_system* system);
/* Describes GPU `k` of those that tridia_query_system counts, from 0. */
TRIDIA_API tridia_result tridia_query_device(int k, tridia_device* device);

#ifdef __cplusplus
}
#endif

#endif
