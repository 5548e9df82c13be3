// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "c_api/handles.hpp"
#include "core/refuse.hpp"
#include "tridia/c/types.h"
#include "tridia/types.hpp"

#include <concepts>
#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

namespace tridia::c_api {

/// Returns the result of the exception that is being handled, whose sentence becomes that of
/// `tridia_last_error`.
tridia_result result_of_exception() noexcept;

/// Calls a function and returns its result: no exception crosses the C interface.
template <class F>
tridia_result guarded(F&& call) noexcept {
  try {
    call();
    return TRIDIA_SUCCESS;
  } catch (...) {
    return result_of_exception();
  }
}

/// Refuses a null argument.
inline void need(const void* p, const char* name) {
  if (p == nullptr) refuse(std::string(name) + ": is null");
}

/// Sets `*to`, unless it is null, which is refused.
template <class To, class From>
void set(To* to, const char* name, const From& from) {
  need(to, name);
  *to = static_cast<To>(from);
}

/// Returns an enumerator, and refuses a number that is none.
template <class E>
E enumerator(int value, const char* name) {
  if (value < 0 || static_cast<std::size_t>(value) >= names<E>().size())
    refuse(std::string(name) + ": " + std::to_string(value) + " is not one of its values");
  return static_cast<E>(value);
}

/// Refuses a struct that is null, or of another size than this library's.
template <class S>
void check_struct(const S* s, const char* name) {
  need(s, name);
  if (s->struct_size == sizeof(S)) return;
  refuse(std::string(name) + ": struct_size is " + std::to_string(s->struct_size) +
         ", but this library's struct has " + std::to_string(sizeof(S)) +
         " bytes; begin with the macro TRIDIA_..._INIT of the same version");
}

/// Refuses a count below 0, and a null array that has entries.
template <class Count>
void check_array(const void* array, Count count, const char* name, const char* count_name) {
  if (count < 0) refuse(std::string(count_name) + ": " + std::to_string(count) + " is below 0");
  if (count > 0 && array == nullptr)
    refuse(std::string(name) + ": is null, but " + count_name + " is " + std::to_string(count));
}

/// Copies a text for the caller; what `tridia.h` says of `text`, `size` and `needed`.
void copy_text(std::string_view from, char* text, std::size_t size, std::size_t* needed);

/// Makes an object and sets `*handle` to its handle.
template <class T, class Handle, class Make>
tridia_result create(kind k, Handle** handle, const char* name, Make&& make) noexcept {
  return guarded([&] {
    need(handle, name);
    auto object = std::unique_ptr<T>(new T(make()));
    *handle = reinterpret_cast<Handle*>(add_handle(k, object.get()));
    object.release();
  });
}

template <class T>
tridia_result destroy(kind k, const void* handle, const char* name) noexcept {
  return guarded([&] {
    if (handle != nullptr) delete static_cast<T*>(remove_handle(k, handle, name));
  });
}

}  // namespace tridia::c_api
