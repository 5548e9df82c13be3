// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#include "exchange.hpp"

namespace tridia::python {
namespace {

/// Lists the functions of the interface, as DLPack 1.2 lays them out.
struct exchange_functions {
  struct {
    std::uint32_t major, minor;
  } version;
  const void* previous;
  int (*allocate)(const void*, void**, void*, void (*)(void*, const char*, const char*));
  int (*managed_from_object)(void*, void**);
  int (*managed_to_object)(void*, void**);
  tensor_reader tensor_from_object;
  int (*current_stream)(std::int32_t, std::int32_t, void**);
};

}  // namespace

tensor_reader find_tensor_reader(nanobind::handle type) {
  const nanobind::object capsule =
      nanobind::getattr(type, "__dlpack_c_exchange_api__", nanobind::none());
  if (capsule.is_none()) return nullptr;
  const void* p = PyCapsule_GetPointer(capsule.ptr(), "dlpack_exchange_api");
  if (p == nullptr) {
    PyErr_Clear();
    return nullptr;
  }
  const auto* f = static_cast<const exchange_functions*>(p);
  return f->version.major == 1 ? f->tensor_from_object : nullptr;
}

}  // namespace tridia::python
