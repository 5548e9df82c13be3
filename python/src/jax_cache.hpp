// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "recent.hpp"

#include <cstddef>
#include <string>
#include <type_traits>

namespace tridia::python {

/// Builds the key of a cache entry: values one after another, each list behind its length, so that
/// different arguments never give the same bytes.
class cache_key {
 public:
  template <class T>
  requires std::is_trivially_copyable_v<T> cache_key& add(const T& value) {
    bytes_.append(reinterpret_cast<const char*>(&value), sizeof value);
    return *this;
  }
  template <class T>
  cache_key& add_list(const T* first, std::size_t count) {
    add(count);
    bytes_.append(reinterpret_cast<const char*>(first), count * sizeof(T));
    return *this;
  }
  /// Forgets all values and keeps the memory: a key that lives on is built without an allocation.
  void clear() noexcept { bytes_.clear(); }
  [[nodiscard]] const std::string& bytes() const noexcept { return bytes_; }

 private:
  std::string bytes_;
};

/// Keeps what was made for a key.
template <class T>
using shared_cache = recent<std::string, T>;

}  // namespace tridia::python
