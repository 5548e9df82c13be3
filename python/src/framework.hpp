// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "array.hpp"

#include <initializer_list>
#include <vector>

namespace tridia::python {

using handles = std::initializer_list<nb::handle>;

/// Knows what the extension needs of a framework, besides its arrays' memory, to do without help of
/// Python code: a call from Python code that describes every array takes some microseconds.
class framework {
 public:
  framework() = default;
  virtual ~framework() = default;
  framework(const framework&) = delete;
  framework& operator=(const framework&) = delete;

  /// Returns whether a call may read and write these arrays where they lie: they are of this
  /// framework, and no derivative, transformation or pending conjugation asks for more.
  [[nodiscard]] virtual bool takes(handles inputs, handles others) const = 0;
  /// Returns the stream that the framework's own work would go to now.
  [[nodiscard]] virtual void* stream(int device) const = 0;
  /// Returns a new array that is dense in C order, where `like` lies.
  [[nodiscard]] virtual nb::object empty(nb::handle like, const std::vector<index_t>& shape,
                                         const char* type) const = 0;
  /// Returns a new array of the shape and the type of `like`, with the layout that the framework
  /// gives such arrays: dense ones have that of `like`.
  [[nodiscard]] virtual nb::object empty_like(nb::handle like) const = 0;
};

/// Returns NumPy.
const framework& numpy_framework();

/// Returns the framework of the last input, if it takes all of these arrays (None: there is none);
/// null where Python code has to look at them.
const framework* framework_of(handles inputs, handles others);

/// Returns the address that a Python integer is; throws what Python raises for anything else.
void* address_of(nb::handle number);

nb::tuple tuple_of(const std::vector<index_t>& values);

}  // namespace tridia::python
