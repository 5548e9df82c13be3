// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "exchange.hpp"
#include "tridia/types.hpp"

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/string.h>

#include <optional>
#include <string>
#include <vector>

namespace tridia::python {

namespace nb = nanobind;

/// Names what an element of an array is, as far as this library takes it.
enum class element { f32, f64, c64, c128, i64, u8, other };

/// Describes memory that Python code has looked up by itself (an address, a shape, strides in
/// elements), as a framework's own attributes give it; `owner` keeps it alive.
struct described_array {
  std::uintptr_t address;
  std::string type;
  std::vector<index_t> shape, strides;
  bool cuda;
  int device;
  bool readonly;
  nb::object owner;
};

/// Borrows the memory of a Python array without a copy, by the buffer protocol, DLPack, CuPy's
/// attributes or a `described_array`, and holds it until it is destroyed (with the GIL held).
class array {
 public:
  static constexpr int max_rank = 64;

  /// Throws TypeError where `object` is no array; the sentence begins with `name`.
  array(const char* name, nb::handle object);
  ~array();
  array(const array&) = delete;
  array& operator=(const array&) = delete;

  [[nodiscard]] const char* name() const { return name_; }
  [[nodiscard]] void* data() const { return data_; }
  [[nodiscard]] int rank() const { return rank_; }
  [[nodiscard]] index_t extent(int k) const { return shape_[k]; }
  /// Counts elements.
  [[nodiscard]] index_t stride(int k) const { return strides_[k]; }
  [[nodiscard]] element type() const { return type_; }
  /// Returns whether elements are of one of the four types, and lie where they can be read.
  [[nodiscard]] bool is_number() const { return type_ <= element::c128 && defect_.empty(); }
  /// Returns why the elements cannot be read where they lie (a part of a sentence), or nothing.
  [[nodiscard]] const std::string& defect() const { return defect_; }
  [[nodiscard]] value_type number_type() const { return static_cast<value_type>(type_); }
  [[nodiscard]] const std::string& type_text() const { return type_text_; }
  [[nodiscard]] bool readonly() const { return readonly_; }
  [[nodiscard]] bool on_cuda() const { return cuda_; }
  [[nodiscard]] int device() const { return device_; }
  [[nodiscard]] std::size_t bytes() const;
  [[nodiscard]] bool is_dense() const;
  /// Returns the shape as Python writes it: (3,), (4, 7).
  [[nodiscard]] std::string shape_text() const;
  [[nodiscard]] std::string device_text() const;

 private:
  void read_described(const described_array& a);
  void read_buffer(nb::handle object);
  void read_dlpack(nb::handle object);
  void read_exchanged(const exchanged_tensor& t);
  void read_cupy(nb::handle object);
  void set_stride(int k, index_t bytes);
  void check_rank() const;
  void set_device(int type, int number);

  const char* name_;
  void* data_ = nullptr;
  int rank_ = 0;
  index_t shape_[max_rank], strides_[max_rank];
  element type_ = element::other;
  std::size_t element_bytes_ = 1;
  std::string type_text_, defect_;
  bool readonly_ = false, cuda_ = false, has_view_ = false;
  int device_ = -1;
  Py_buffer view_;
  std::optional<nb::ndarray<nb::ro>> tensor_;
  nb::object owner_;
};

/// Returns numbers as Python writes a tuple of them.
std::string tuple_text(const index_t* values, std::size_t count);
/// Returns the name of a type as NumPy has it: "float64" for `value_type::f64`.
const char* numpy_name(value_type type);

/// Throws a TypeError or a ValueError, with a sentence that begins with the argument's name.
[[noreturn]] void type_failure(const std::string& name, const std::string& sentence);
[[noreturn]] void value_failure(const std::string& name, const std::string& sentence);

/// Returns a Python integer; throws TypeError for anything else, ValueError beyond 64 bits.
index_t integer_of(const char* name, nb::handle value);
/// Returns True or False of Python or NumPy; throws TypeError for anything else.
bool flag_of(const char* name, nb::handle value);

}  // namespace tridia::python
