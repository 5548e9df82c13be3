// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <nanobind/nanobind.h>

#include <cstdint>

// DLPack's interface in C, which a framework's array type has as `__dlpack_c_exchange_api__`: a
// tensor takes a tenth of a microsecond by it, and three by `__dlpack__`.
namespace tridia::python {

/// Describes a tensor as DLPack 1 does (its DLTensor).
struct exchanged_tensor {
  void* data;
  std::int32_t device_type, device_id;
  std::int32_t rank;
  std::uint8_t type_code, type_bits;
  std::uint16_t type_lanes;
  const std::int64_t* shape;
  const std::int64_t* strides;  ///< Null where the tensor is dense.
  std::uint64_t byte_offset;
};

/// Describes a tensor that a Python object owns; what it points to lives as long as the object.
/// Returns 0, or something else with an error of Python.
using tensor_reader = int (*)(void* object, exchanged_tensor* tensor);

/// Returns the function for objects of a type; null where the type has no such interface.
tensor_reader find_tensor_reader(nanobind::handle type);

}  // namespace tridia::python
