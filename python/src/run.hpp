// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "array.hpp"
#include "framework.hpp"
#include "tridia/plan.hpp"

#include <cstddef>
#include <memory>
#include <optional>
#include <vector>

namespace tridia::python {

/// Says where work runs, and who allocates there: Python code's `empty(shape, type's name)`, or,
/// where that is None, the framework, beside the array `like`.
struct place {
  tridia::backend backend = tridia::backend::cpu;
  int device = -1;
  void* stream = nullptr;
  nb::object empty = nb::none();
  const python::framework* framework = &numpy_framework();
  nb::handle like = {};
};

/// Returns the place of a call that Python code has prepared: `stream` is an address.
place place_given(tridia::backend backend, int device, nb::handle stream, nb::object empty);
/// Returns the place where an array lies, `beside`, which is `a`, on the current stream.
place place_beside(nb::handle beside, const array& a, const framework& f);

/// Returns the place of a call to a plan. If the stream is None, Python code has prepared nothing:
/// the framework says where the call goes, or nothing is returned where it does not take the
/// arrays.
std::optional<place> place_of(tridia::backend backend, int device, nb::handle stream,
                              nb::object empty, handles inputs, handles others);

/// Owns a plan or an operator, and destroys it without the GIL: freeing memory of a GPU waits for
/// the work there, and a callback in that work may wait for the GIL.
template <class T>
struct delete_without_gil {
  void operator()(T* p) const {
    const nb::gil_scoped_release released;
    delete p;
  }
};
template <class T>
using owner = std::unique_ptr<T, delete_without_gil<T>>;

/// Returns a new array that is dense in C order.
nb::object new_array(const place& where, const std::vector<index_t>& shape, const char* type);
/// Returns a new array of the shape and the type of `a`, which is `like`, with the layout that the
/// framework gives such arrays.
nb::object new_array_like(const place& where, nb::handle like, const array& a);

/// Holds the workspace of one execution: the caller's, checked, or one of its own.
class workspace {
 public:
  /// Throws ValueError where `given` (None for one of its own) is too small, not dense, read-only
  /// or elsewhere.
  workspace(const place& where, std::size_t bytes, nb::handle given);
  [[nodiscard]] void* data() const { return data_; }
  [[nodiscard]] std::size_t bytes() const { return bytes_; }

 private:
  void* data_ = nullptr;
  std::size_t bytes_ = 0;
  std::unique_ptr<std::byte[]> own_;
  nb::object object_;
  std::optional<array> array_;
};

/// Throws ValueError where an array lies elsewhere than `where`.
void check_place(const array& a, const place& where);
/// Throws TypeError where an array is of another type.
void check_type(const array& a, value_type type, const char* of);
/// Throws ValueError where the array may not be written.
void check_writable(const array& a);

/// Holds the statuses of one execution: the caller's array, or on a CPU one of its own.
class statuses {
 public:
  /// Makes the statuses of an execution that has none.
  statuses() = default;
  /// `shape` is that of the batch. Throws where `given` (None for none) is not of int64, not dense,
  /// read-only, elsewhere or of another shape.
  statuses(const place& where, std::vector<index_t> shape, index_t systems, nb::handle given);
  [[nodiscard]] index_t* data() { return data_; }
  /// Throws SingularError where the statuses are its own and a pivot was zero.
  void raise_if_singular() const;

 private:
  std::vector<index_t> shape_, own_;
  std::optional<array> array_;
  index_t* data_ = nullptr;
};

/// Returns an operation by its Python name: None, "T" or "H".
operation operation_of(nb::handle transpose);
/// Returns an algorithm by its name, or `automatic` for None.
algorithm algorithm_of(nb::handle name);

}  // namespace tridia::python
