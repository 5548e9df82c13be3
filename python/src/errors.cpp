// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#include "errors.hpp"

#include "bind.hpp"
#include "tridia/error.hpp"

#include <exception>
#include <string>
#include <string_view>
#include <utility>

namespace tridia::python {
std::string python_sentence(const std::string& sentence) {
  constexpr std::pair<std::string_view, std::string_view> names[] = {
      {"rhs: ", "b: "},
      {"x: ", "out: "},
      {"in: ", "f: "},
      {"extents: ", "shape: "},
      {"rhs_strides: ", "strides of b: "},
      {"x_strides: ", "strides of out: "},
      {"in_strides: ", "strides of f: "},
      {"out_strides: ", "strides of out: "},
      {"rhs_step: ", "steps of b: "},
      {"x_step: ", "steps of out: "},
      {"in_step: ", "steps of f: "},
      {"out_step: ", "steps of out: "},
      {"head: ", "ends: "},
      {"tail: ", "ends: "},
      {"boundary: ", "periodic: "},
      {"operation: ", "transpose: "}};
  for (const auto& [theirs, ours] : names) {
    if (sentence.starts_with(theirs)) return std::string(ours) + sentence.substr(theirs.size());
  }
  return sentence;
}

namespace {

namespace nb = nanobind;

void set_python_error(const error& e) {
  const std::string sentence = python_sentence(e.what());
  switch (e.code()) {
    case errc::invalid_argument:
    case errc::wrong_device:
      PyErr_SetString(PyExc_ValueError, sentence.c_str());
      return;
    case errc::out_of_memory:
      PyErr_SetString(PyExc_MemoryError, sentence.c_str());
      return;
    default:
      break;
  }
  const nb::module_ classes = nb::module_::import_("tridia._errors");
  const char* kind = e.code() == errc::singular ? "SingularError" : "Error";
  PyErr_SetString(nb::object(classes.attr(kind)).ptr(), sentence.c_str());
}

}  // namespace

void bind_errors(nb::module_&) {
  nb::register_exception_translator(
      [](const std::exception_ptr& p, void*) {
        try {
          std::rethrow_exception(p);
        } catch (const error& e) {
          set_python_error(e);
        }
      },
      nullptr);
}

}  // namespace tridia::python
