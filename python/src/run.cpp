// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#include "run.hpp"

#include "names.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

namespace tridia::python {
namespace {

index_t product(const std::vector<index_t>& shape) {
  index_t p = 1;
  for (const index_t s : shape) p *= s;
  return p;
}

}  // namespace

nb::object new_array(const place& where, const std::vector<index_t>& shape, const char* type) {
  if (!where.empty.is_none()) return where.empty(tuple_of(shape), type);
  return where.framework->empty(where.like, shape, type);
}

nb::object new_array_like(const place& where, nb::handle like, const array& a) {
  if (where.empty.is_none()) return where.framework->empty_like(like);
  std::vector<index_t> shape(static_cast<std::size_t>(a.rank()));
  for (int k = 0; k < a.rank(); ++k) shape[k] = a.extent(k);
  return new_array(where, shape, a.type_text().c_str());
}

place place_given(tridia::backend backend, int device, nb::handle stream, nb::object empty) {
  return {backend, device, address_of(stream), std::move(empty)};
}

namespace {

place place_at(tridia::backend backend, int device, nb::handle beside, const framework& f) {
  void* const stream = backend == backend::cuda ? f.stream(device) : nullptr;
  return {backend, device, stream, nb::none(), &f, beside};
}

}  // namespace

place place_beside(nb::handle beside, const array& a, const framework& f) {
  return place_at(a.on_cuda() ? backend::cuda : backend::cpu, a.device(), beside, f);
}

std::optional<place> place_of(tridia::backend backend, int device, nb::handle stream,
                              nb::object empty, handles inputs, handles others) {
  if (!stream.is_none()) return place_given(backend, device, stream, std::move(empty));
  const framework* const found = framework_of(inputs, others);
  if (found == nullptr) return std::nullopt;
  return place_at(backend, device, *(inputs.end() - 1), *found);
}

void check_place(const array& a, const place& where) {
  const bool cuda = where.backend == backend::cuda;
  if (a.on_cuda() == cuda &&
      (!cuda || a.device() == where.device || a.device() < 0 || where.device < 0))
    return;
  value_failure(a.name(), "lies on " + a.device_text() + ", but the work is for " +
                              (cuda ? "cuda:" + std::to_string(where.device) : "the CPU"));
}

void check_type(const array& a, value_type type, const char* of) {
  if (a.is_number() && a.number_type() == type) return;
  if (!a.defect().empty()) value_failure(a.name(), a.defect());
  type_failure(a.name(), "is of " + a.type_text() + ", but " + of + " is of " + numpy_name(type));
}

void check_writable(const array& a) {
  if (a.readonly()) value_failure(a.name(), "is read-only, but it is written");
}

workspace::workspace(const place& where, std::size_t bytes, nb::handle given) {
  if (!given.is_none()) {
    const array& a = array_.emplace("workspace", given);
    check_place(a, where);
    check_writable(a);
    if (!a.is_dense()) value_failure("workspace", "is not dense in C order");
    if (a.bytes() < bytes) {
      value_failure("workspace", "has " + std::to_string(a.bytes()) + " bytes, but needs " +
                                     std::to_string(bytes));
    }
    data_ = a.data();
    bytes_ = a.bytes();
  } else if (bytes > 0 && where.backend == backend::cuda) {
    object_ = new_array(where, {static_cast<index_t>(bytes)}, "uint8");
    data_ = array_.emplace("workspace", object_).data();
    bytes_ = bytes;
  } else if (bytes > 0) {
    own_.reset(new std::byte[bytes]);
    data_ = own_.get();
    bytes_ = bytes;
  }
}

statuses::statuses(const place& where, std::vector<index_t> shape, index_t systems,
                   nb::handle given)
    : shape_(std::move(shape)) {
  if (given.is_none()) {
    if (where.backend == backend::cuda) return;
    own_.resize(static_cast<std::size_t>(systems));
    data_ = own_.data();
    return;
  }
  const array& a = array_.emplace("status", given);
  if (!a.defect().empty()) value_failure("status", a.defect());
  if (a.type() != element::i64) type_failure("status", "is of " + a.type_text() + ", not int64");
  check_place(a, where);
  check_writable(a);
  bool same = a.rank() == static_cast<int>(shape_.size());
  for (int k = 0; same && k < a.rank(); ++k) same = a.extent(k) == shape_[k];
  if (!same) {
    value_failure("status", "its shape is " + a.shape_text() + ", but that of the batch is " +
                                tuple_text(shape_.data(), shape_.size()));
  }
  if (!a.is_dense()) value_failure("status", "is not dense in C order");
  data_ = static_cast<index_t*>(a.data());
}

void statuses::raise_if_singular() const {
  const auto first = std::find_if(own_.begin(), own_.end(), [](index_t s) { return s > 0; });
  if (first == own_.end()) return;
  const auto count = std::count_if(own_.begin(), own_.end(), [](index_t s) { return s > 0; });
  const std::string sentence = std::to_string(count) + " of " + std::to_string(own_.size()) +
                               " systems are singular; the first is system " +
                               std::to_string(first - own_.begin()) + ": the pivot of row " +
                               std::to_string(*first) + " (from 1) is exactly zero";
  const nb::object status = new_array({}, shape_, "int64");
  const array memory("status", status);
  if (product(shape_) > 0) std::memcpy(memory.data(), own_.data(), own_.size() * sizeof(index_t));
  const nb::object kind = nb::module_::import_("tridia._errors").attr("SingularError");
  const nb::object raised = kind(sentence, status);
  PyErr_SetObject(kind.ptr(), raised.ptr());
  throw nb::python_error();
}

operation operation_of(nb::handle transpose) {
  if (transpose.is_none()) return operation::none;
  std::string text;
  if (nb::try_cast(transpose, text)) {
    if (text == "T") return operation::transpose;
    if (text == "H") return operation::conjugate_transpose;
  }
  value_failure("transpose",
                "must be None, \"T\" or \"H\", not " + nb::cast<std::string>(nb::repr(transpose)));
}

algorithm algorithm_of(nb::handle name) {
  if (name.is_none()) return algorithm::automatic;
  std::string text;
  if (!nb::try_cast(name, text)) {
    type_failure("algorithm",
                 "must be None or a name, not " + nb::cast<std::string>(nb::repr(name)));
  }
  return known<tridia::algorithm>("algorithm", text);
}

}  // namespace tridia::python
