// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#include "array_type.hpp"

#include "array.hpp"

#include <unordered_map>

namespace tridia::python {
namespace {

/// Programs that make array types without end are unusual, and may lose time with them, not memory.
constexpr std::size_t most_types = 1000;

/// Returns whether a type is the one of this name in a module, or `derived` from it.
bool is_of(nb::handle type, const char* module, const char* name, bool derived) {
  const nb::object found = imported(module);
  if (!found.is_valid()) return false;
  const nb::object base = nb::getattr(found, name, nb::none());
  if (type.is(base)) return true;
  return derived && PyType_Check(base.ptr()) != 0 &&
         PyObject_IsSubclass(type.ptr(), base.ptr()) == 1;
}

array_type describe(nb::handle type, nb::handle object) {
  if (type.is(nb::type<described_array>())) return {reading::described};
  // These have the buffer protocol as well, for memory that a CPU reaches.
  if (is_of(type, "cupy", "ndarray", true)) return {reading::cupy, family::cupy};
  if (PyObject_CheckBuffer(object.ptr()) != 0) {
    const bool numpy = is_of(type, "numpy", "ndarray", false);
    return {reading::buffer, numpy ? family::numpy : family::none};
  }
  if (const tensor_reader read = find_tensor_reader(type)) {
    const bool torch =
        is_of(type, "torch", "Tensor", false) || is_of(type, "torch.nn", "Parameter", false);
    return {reading::exchange, torch ? family::torch : family::none, read};
  }
  return {};
}

}  // namespace

nb::object imported(const char* module) {
  return nb::borrow(PyDict_GetItemString(PyImport_GetModuleDict(), module));
}

const array_type& type_of(nb::handle object) {
  // It is never destroyed: the interpreter may be gone when static objects are. What is in it is
  // kept alive, so that no other type comes to lie at its address.
  static auto* const known = new std::unordered_map<PyObject*, array_type>;
  static PyObject* last = nullptr;
  static const array_type* last_found = nullptr;
  PyObject* const type = object.type().ptr();
  if (type == last) return *last_found;
  auto at = known->find(type);
  if (at == known->end()) {
    if (known->size() == most_types) known->clear();
    const array_type found = describe(object.type(), object);
    at = known->emplace(object.type().inc_ref().ptr(), found).first;
  }
  last = type;
  last_found = &at->second;
  return *last_found;
}

}  // namespace tridia::python
