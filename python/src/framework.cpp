// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#include "framework.hpp"

#include "array_type.hpp"

#include <algorithm>

namespace tridia::python {
namespace {

bool are_of(family f, handles arrays) {
  return std::all_of(arrays.begin(), arrays.end(),
                     [&](nb::handle a) { return a.is_none() || type_of(a).family == f; });
}

/// Returns a function of this package that makes new arrays.
nb::object maker(const char* name) { return nb::module_::import_("tridia._frameworks").attr(name); }

class numpy_arrays final : public framework {
 public:
  numpy_arrays() {
    const nb::module_ numpy = nb::module_::import_("numpy");
    empty_ = numpy.attr("empty");
    empty_like_ = numpy.attr("empty_like");
  }
  /// What is written may be anything that has memory.
  bool takes(handles inputs, handles) const override { return are_of(family::numpy, inputs); }
  void* stream(int) const override { return nullptr; }
  nb::object empty(nb::handle, const std::vector<index_t>& shape, const char* type) const override {
    return empty_(tuple_of(shape), type);
  }
  nb::object empty_like(nb::handle like) const override { return empty_like_(like); }

 private:
  nb::object empty_, empty_like_;
};

/// Asks PyTorch as its own code does. What has no name in its documentation may go: then an
/// exception is thrown when the object is made, and Python code looks at every tensor.
class torch_tensors final : public framework {
 public:
  torch_tensors() {
    const nb::module_ torch = nb::module_::import_("torch");
    const nb::object inner = torch.attr("_C");
    interpreter_ = inner.attr("_functorch").attr("peek_interpreter_stack");
    is_grad_enabled_ = torch.attr("is_grad_enabled");
    forward_ad_ = torch.attr("autograd").attr("forward_ad");
    is_conj_ = torch.attr("Tensor").attr("is_conj");
    is_neg_ = torch.attr("Tensor").attr("is_neg");
    real_[0] = torch.attr("float64");
    real_[1] = torch.attr("float32");
    empty_ = maker("empty_tensor");
    empty_like_ = torch.attr("empty_like");
    current_stream_ = nb::getattr(inner, "_cuda_getCurrentRawStream", nb::none());
    requires_grad_ = nb::steal(PyUnicode_InternFromString("requires_grad"));
    dtype_ = nb::steal(PyUnicode_InternFromString("dtype"));
    level_ = nb::steal(PyUnicode_InternFromString("_current_level"));
  }

  bool takes(handles inputs, handles others) const override {
    if (!are_of(family::torch, inputs) || !are_of(family::torch, others)) return false;
    if (!interpreter_().is_none()) return false;
    if (nb::cast<int>(attribute(forward_ad_, level_)) >= 0) return false;
    const bool gradients = is_true(is_grad_enabled_());
    const nb::object type = attribute(*(inputs.end() - 1), dtype_);
    // Other arrays of a call that are not of this type are refused anyway.
    const bool real = type.is(real_[0]) || type.is(real_[1]);
    const auto is_plain = [&](nb::handle t) {
      return t.is_none() || !((gradients && is_true(attribute(t, requires_grad_))) ||
                              is_true(is_neg_(t)) || (!real && is_true(is_conj_(t))));
    };
    return std::all_of(inputs.begin(), inputs.end(), is_plain) &&
           std::all_of(others.begin(), others.end(), is_plain);
  }
  void* stream(int device) const override {
    return current_stream_.is_none() ? nullptr : address_of(current_stream_(device));
  }
  nb::object empty(nb::handle like, const std::vector<index_t>& shape,
                   const char* type) const override {
    return empty_(like, tuple_of(shape), type);
  }
  nb::object empty_like(nb::handle like) const override { return empty_like_(like); }

 private:
  static bool is_true(const nb::object& flag) { return flag.ptr() == Py_True; }
  static nb::object attribute(nb::handle of, const nb::object& name) {
    nb::object found = nb::steal(PyObject_GetAttr(of.ptr(), name.ptr()));
    if (!found.is_valid()) throw nb::python_error();
    return found;
  }

  nb::object interpreter_, is_grad_enabled_, forward_ad_, is_conj_, is_neg_, real_[2], empty_,
      empty_like_, current_stream_, requires_grad_, dtype_, level_;
};

class cupy_arrays final : public framework {
 public:
  cupy_arrays() : empty_(maker("empty_cupy")) {
    current_stream_ = nb::module_::import_("cupy").attr("cuda").attr("get_current_stream");
  }
  bool takes(handles inputs, handles others) const override {
    return are_of(family::cupy, inputs) && are_of(family::cupy, others);
  }
  void* stream(int device) const override {
    const nb::object stream = current_stream_(device);
    return address_of(stream.attr("ptr"));
  }
  nb::object empty(nb::handle like, const std::vector<index_t>& shape,
                   const char* type) const override {
    return empty_(like, tuple_of(shape), type);
  }
  nb::object empty_like(nb::handle like) const override {
    return empty_(like, like.attr("shape"), nb::none());
  }

 private:
  nb::object empty_, current_stream_;
};

/// Returns the object of a framework; null where it cannot be made. It is never destroyed, as the
/// interpreter may be gone by then. The GIL guards it: the lock of a static object's initialisation
/// would wait for an import, which may wait for the GIL.
template <class Framework>
const framework* the_only() {
  static const framework* only = nullptr;
  static bool tried = false;
  if (tried) return only;
  try {
    only = new Framework;
  } catch (const nb::python_error&) {
    only = nullptr;
  }
  tried = true;
  return only;
}

}  // namespace

const framework& numpy_framework() { return *the_only<numpy_arrays>(); }

const framework* framework_of(handles inputs, handles others) {
  const framework* found = nullptr;
  switch (type_of(*(inputs.end() - 1)).family) {
    case family::none:
      break;
    case family::numpy:
      found = the_only<numpy_arrays>();
      break;
    case family::torch:
      found = the_only<torch_tensors>();
      break;
    case family::cupy:
      found = the_only<cupy_arrays>();
      break;
  }
  return found != nullptr && found->takes(inputs, others) ? found : nullptr;
}

void* address_of(nb::handle number) {
  void* const p = PyLong_AsVoidPtr(number.ptr());
  if (p == nullptr && PyErr_Occurred() != nullptr) throw nb::python_error();
  return p;
}

nb::tuple tuple_of(const std::vector<index_t>& values) {
  nb::list list;
  for (const index_t v : values) list.append(v);
  return nb::tuple(list);
}

}  // namespace tridia::python
