// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#include "array.hpp"

#include "array_type.hpp"
#include "framework.hpp"

#include <cstring>

namespace tridia::python {
namespace {

/// Returns what a format of the buffer protocol describes. Bytes in the machine's order alone.
element element_of_format(const char* format, Py_ssize_t bytes) {
  if (*format == '@' || *format == '=' || *format == '<') ++format;
  const std::string_view f = format;
  if (f == "d") return element::f64;
  if (f == "f") return element::f32;
  if (f == "Zd") return element::c128;
  if (f == "Zf") return element::c64;
  if ((f == "l" || f == "q") && bytes == 8) return element::i64;
  if (f == "B") return element::u8;
  return element::other;
}

element element_of_dlpack(nb::dlpack::dtype t) {
  using code = nb::dlpack::dtype_code;
  if (t.lanes != 1) return element::other;
  const auto is = [&](code c, int bits) {
    return t.code == static_cast<std::uint8_t>(c) && t.bits == bits;
  };
  if (is(code::Float, 64)) return element::f64;
  if (is(code::Float, 32)) return element::f32;
  if (is(code::Complex, 128)) return element::c128;
  if (is(code::Complex, 64)) return element::c64;
  if (is(code::Int, 64)) return element::i64;
  if (is(code::UInt, 8)) return element::u8;
  return element::other;
}

element element_of_name(const std::string& name) {
  constexpr const char* names[] = {"float32",    "float64", "complex64",
                                   "complex128", "int64",   "uint8"};
  for (int k = 0; k < 6; ++k) {
    if (name == names[k]) return static_cast<element>(k);
  }
  return element::other;
}

std::size_t bytes_of(element e) {
  constexpr std::size_t bytes[] = {4, 8, 8, 16, 8, 1, 1};
  return bytes[static_cast<int>(e)];
}

const char* name_of(element e) {
  constexpr const char* names[] = {"float32", "float64", "complex64",   "complex128",
                                   "int64",   "uint8",   "another type"};
  return names[static_cast<int>(e)];
}

std::string class_name(nb::handle object) {
  const nb::object name = object.type().attr("__name__");
  return nb::cast<std::string>(name);
}

std::string dtype_name(nb::handle object) {
  if (!nb::hasattr(object, "dtype")) return class_name(object);
  const nb::object dtype = object.attr("dtype");
  return nb::cast<std::string>(nb::str(nb::handle(dtype)));
}

/// Returns the tensor that an object is; what the framework raises becomes a TypeError that has the
/// name.
exchanged_tensor exchanged(const char* name, nb::handle object, tensor_reader read) {
  exchanged_tensor tensor{};
  if (read(object.ptr(), &tensor) == 0) return tensor;
  const std::string sentence = nb::python_error().what();
  type_failure(name, "cannot be read: " + sentence.substr(0, sentence.find('\n')));
}

/// Returns an attribute whose name is known beforehand: a name that is made in each call takes
/// longer than the attribute.
nb::object attribute(nb::handle of, PyObject* name) {
  nb::object found = nb::steal(PyObject_GetAttr(of.ptr(), name));
  if (!found.is_valid()) throw nb::python_error();
  return found;
}

index_t integer(nb::handle number) { return static_cast<index_t>(PyLong_AsLongLong(number.ptr())); }

/// Returns what NumPy's dtype object describes: there is one for each of the types in the machine's
/// order.
element element_of_dtype(nb::handle dtype) {
  static PyObject* objects[6] = {};
  for (int k = 0; k < 6; ++k) {
    if (objects[k] == nullptr) {
      const nb::object numpy = nb::module_::import_("numpy");
      objects[k] = numpy.attr("dtype")(name_of(static_cast<element>(k))).inc_ref().ptr();
    }
    if (dtype.ptr() == objects[k]) return static_cast<element>(k);
  }
  return element_of_name(nb::cast<std::string>(nb::str(dtype)));
}

}  // namespace

void type_failure(const std::string& name, const std::string& sentence) {
  throw nb::type_error((name + ": " + sentence).c_str());
}

void value_failure(const std::string& name, const std::string& sentence) {
  throw nb::value_error((name + ": " + sentence).c_str());
}

index_t integer_of(const char* name, nb::handle value) {
  const nb::object number = nb::steal(PyNumber_Index(value.ptr()));
  if (!number.is_valid()) {
    PyErr_Clear();
    type_failure(name, "must be an integer, not " + class_name(value));
  }
  int overflow = 0;
  const long long result = PyLong_AsLongLongAndOverflow(number.ptr(), &overflow);
  if (overflow != 0) {
    value_failure(name, nb::cast<std::string>(nb::str(number)) + " does not fit 64 bits");
  }
  return result;
}

bool flag_of(const char* name, nb::handle value) {
  if (value.ptr() == Py_True) return true;
  if (value.ptr() == Py_False) return false;
  const std::string type = class_name(value);
  if (type != "bool" && type != "bool_") type_failure(name, "must be True or False, not " + type);
  return PyObject_IsTrue(value.ptr()) == 1;
}

std::string tuple_text(const index_t* values, std::size_t count) {
  std::string text = "(";
  for (std::size_t k = 0; k < count; ++k) text += (k > 0 ? ", " : "") + std::to_string(values[k]);
  return text + (count == 1 ? ",)" : ")");
}

const char* numpy_name(value_type type) { return name_of(static_cast<element>(type)); }

array::array(const char* name, nb::handle object) : name_(name) {
  const array_type& type = type_of(object);
  switch (type.by) {
    case reading::described:
      read_described(nb::cast<const described_array&>(object));
      return;
    case reading::buffer:
      read_buffer(object);
      return;
    case reading::exchange:
      read_exchanged(exchanged(name, object, type.read));
      owner_ = nb::borrow(object);
      return;
    case reading::cupy:
      read_cupy(object);
      owner_ = nb::borrow(object);
      return;
    case reading::other:
      if (nb::hasattr(object, "__dlpack__")) {
        read_dlpack(object);
        return;
      }
      break;
  }
  type_failure(name,
               "must be an array (NumPy's, or one with DLPack or __cuda_array_interface__), not " +
                   class_name(object));
}

array::~array() {
  if (has_view_) PyBuffer_Release(&view_);
}

void array::read_described(const described_array& a) {
  data_ = reinterpret_cast<void*>(a.address);
  rank_ = static_cast<int>(a.shape.size());
  for (int k = 0; k < rank_; ++k) {
    shape_[k] = a.shape[k];
    strides_[k] = a.strides[k];
  }
  type_ = element_of_name(a.type);
  type_text_ = a.type;
  element_bytes_ = bytes_of(type_);
  readonly_ = a.readonly;
  cuda_ = a.cuda;
  device_ = a.device;
  owner_ = a.owner;
}

void array::read_buffer(nb::handle object) {
  if (PyObject_GetBuffer(object.ptr(), &view_, PyBUF_RECORDS_RO) != 0) {
    // NumPy cannot describe some types so (datetime64, say).
    PyErr_Clear();
    type_ = element::other;
    type_text_ = dtype_name(object);
    return;
  }
  has_view_ = true;
  data_ = view_.buf;
  readonly_ = view_.readonly != 0;
  type_ = element_of_format(view_.format, view_.itemsize);
  type_text_ = type_ == element::other ? dtype_name(object) : name_of(type_);
  element_bytes_ = static_cast<std::size_t>(view_.itemsize);
  rank_ = view_.ndim;
  check_rank();
  for (int k = 0; k < rank_; ++k) {
    shape_[k] = view_.shape[k];
    set_stride(k, view_.strides[k]);
  }
  const std::size_t alignment = type_ == element::c64    ? 4
                                : type_ == element::c128 ? 8
                                                         : bytes_of(type_);
  if (reinterpret_cast<std::uintptr_t>(data_) % alignment != 0 && view_.len > 0) {
    defect_ = "its memory is not aligned to " + std::to_string(alignment) + " bytes";
  }
}

void array::set_stride(int k, index_t bytes) {
  const auto size = static_cast<index_t>(element_bytes_);
  // A stride that is never stepped may be anything.
  if (shape_[k] > 1 && bytes % size != 0) {
    defect_ = "its stride of " + std::to_string(bytes) + " bytes is no multiple of its elements' " +
              std::to_string(size);
  }
  strides_[k] = bytes / size;
}

/// Reads what the attributes of CuPy's array say: `__cuda_array_interface__` builds a dictionary of
/// the same, and `__dlpack__` a capsule.
void array::read_cupy(nb::handle object) {
  static PyObject* const data_key = PyUnicode_InternFromString("data");
  static PyObject* const ptr_key = PyUnicode_InternFromString("ptr");
  static PyObject* const device_key = PyUnicode_InternFromString("device_id");
  static PyObject* const dtype_key = PyUnicode_InternFromString("dtype");
  static PyObject* const itemsize_key = PyUnicode_InternFromString("itemsize");
  static PyObject* const shape_key = PyUnicode_InternFromString("shape");
  static PyObject* const strides_key = PyUnicode_InternFromString("strides");
  const nb::object memory = attribute(object, data_key);
  data_ = address_of(attribute(memory, ptr_key));
  const nb::object dtype = attribute(object, dtype_key);
  type_ = element_of_dtype(dtype);
  type_text_ = type_ == element::other ? nb::cast<std::string>(nb::str(dtype)) : name_of(type_);
  element_bytes_ = static_cast<std::size_t>(integer(attribute(object, itemsize_key)));
  const nb::object shape = attribute(object, shape_key);
  const nb::object strides = attribute(object, strides_key);
  rank_ = static_cast<int>(PyTuple_Size(shape.ptr()));
  check_rank();
  for (int k = 0; k < rank_; ++k) {
    shape_[k] = integer(PyTuple_GetItem(shape.ptr(), k));
    set_stride(k, integer(PyTuple_GetItem(strides.ptr(), k)));
  }
  cuda_ = true;
  device_ = static_cast<int>(integer(attribute(memory, device_key)));
}

void array::read_exchanged(const exchanged_tensor& t) {
  const nb::dlpack::dtype type{t.type_code, t.type_bits, t.type_lanes};
  type_ = element_of_dlpack(type);
  type_text_ = name_of(type_);
  element_bytes_ = static_cast<std::size_t>(t.type_bits) / 8;
  data_ = static_cast<char*>(t.data) + t.byte_offset;
  rank_ = t.rank;
  check_rank();
  index_t step = 1;
  for (int k = rank_; k-- > 0; step *= shape_[k]) {
    shape_[k] = t.shape[k];
    strides_[k] = t.strides != nullptr ? t.strides[k] : step;
  }
  set_device(t.device_type, t.device_id);
}

void array::check_rank() const {
  if (rank_ <= max_rank) return;
  value_failure(name_,
                "has " + std::to_string(rank_) + " axes, more than " + std::to_string(max_rank));
}

void array::set_device(int type, int number) {
  const bool host = type == nb::device::cpu::value;
  if (!host && type != nb::device::cuda::value) {
    value_failure(name_, "lies on a device of DLPack's type " + std::to_string(type) +
                             ", but must be on a CPU or a CUDA GPU");
  }
  cuda_ = !host;
  device_ = host ? -1 : number;
}

void array::read_dlpack(nb::handle object) {
  nb::ndarray<nb::ro> tensor;
  if (!nb::try_cast(object, tensor)) {
    PyErr_Clear();
    type_failure(name_,
                 "its __dlpack__ gives no array that can be read (" + class_name(object) + ")");
  }
  tensor_ = tensor;
  type_ = element_of_dlpack(tensor.dtype());
  type_text_ = type_ == element::other ? dtype_name(object) : name_of(type_);
  element_bytes_ = static_cast<std::size_t>(tensor.dtype().bits) / 8;
  data_ = const_cast<void*>(static_cast<const void*>(tensor.data()));
  rank_ = static_cast<int>(tensor.ndim());
  check_rank();
  for (int k = 0; k < rank_; ++k) {
    shape_[k] = static_cast<index_t>(tensor.shape(k));
    strides_[k] = tensor.stride(k);
  }
  set_device(tensor.device_type(), tensor.device_id());
}

std::size_t array::bytes() const {
  std::size_t count = element_bytes_;
  for (int k = 0; k < rank_; ++k) count *= static_cast<std::size_t>(shape_[k]);
  return count;
}

bool array::is_dense() const {
  index_t step = 1;
  for (int k = rank_; k-- > 0;) {
    if (shape_[k] == 0) return true;
    if (shape_[k] > 1 && strides_[k] != step) return false;
    step *= shape_[k];
  }
  return true;
}

std::string array::shape_text() const {
  return tuple_text(shape_, static_cast<std::size_t>(rank_));
}

std::string array::device_text() const {
  return cuda_ ? "cuda:" + std::to_string(device_) : "the CPU";
}

}  // namespace tridia::python
