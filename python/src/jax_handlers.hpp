// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <xla/ffi/api/c_api.h>

/// These are the handlers of XLA's foreign function interface that `tridia.jax` registers. XLA
/// calls them without Python's global lock.
extern "C" {
XLA_FFI_Error* tridia_jax_solve_cpu(XLA_FFI_CallFrame* call_frame);
XLA_FFI_Error* tridia_jax_solve_cuda(XLA_FFI_CallFrame* call_frame);
XLA_FFI_Error* tridia_jax_constant_cpu(XLA_FFI_CallFrame* call_frame);
XLA_FFI_Error* tridia_jax_constant_cuda(XLA_FFI_CallFrame* call_frame);
XLA_FFI_Error* tridia_jax_operator_cpu(XLA_FFI_CallFrame* call_frame);
XLA_FFI_Error* tridia_jax_operator_cuda(XLA_FFI_CallFrame* call_frame);
}
