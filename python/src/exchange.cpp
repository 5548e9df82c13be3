// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#include "exchange.hpp"

#include <unordered_map>

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
  int (*tensor_from_object)(void*, exchanged_tensor*);
  int (*current_stream)(std::int32_t, std::int32_t, void**);
};

const exchange_functions* functions_of_new(nanobind::handle type) {
  const nanobind::object capsule =
      nanobind::getattr(type, "__dlpack_c_exchange_api__", nanobind::none());
  if (capsule.is_none()) return nullptr;
  const void* p = PyCapsule_GetPointer(capsule.ptr(), "dlpack_exchange_api");
  if (p == nullptr) {
    PyErr_Clear();
    return nullptr;
  }
  const auto* f = static_cast<const exchange_functions*>(p);
  return f->version.major == 1 ? f : nullptr;
}

/// Types are few; those that were met are kept alive. The GIL guards the table.
const exchange_functions* functions_of(PyObject* type) {
  static auto* const known = new std::unordered_map<PyObject*, const exchange_functions*>;
  if (const auto at = known->find(type); at != known->end()) return at->second;
  const exchange_functions* f = functions_of_new(type);
  // A type is kept alive so that no other comes to lie at its address.
  if (known->size() < 1000) known->emplace(nanobind::borrow(type).release().ptr(), f);
  return f;
}

}  // namespace

bool exchange(nanobind::handle object, exchanged_tensor& tensor) {
  const exchange_functions* f = functions_of(object.type().ptr());
  if (f == nullptr || f->tensor_from_object == nullptr) return false;
  if (f->tensor_from_object(object.ptr(), &tensor) != 0) throw nanobind::python_error();
  return true;
}

}  // namespace tridia::python
