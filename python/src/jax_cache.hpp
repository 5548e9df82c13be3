// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <shared_mutex>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <unordered_map>
#include <utility>

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

/// Keeps what was made for a key, a plan or an operator, for all threads: XLA calls without
/// Python's lock, which guards `plan_cache`. One that is in use outlives its eviction, as the
/// callers share it.
template <class T>
class shared_cache {
 public:
  /// A cache of more than `most` entries drops all of them; 0 means that it never does.
  explicit shared_cache(std::size_t most) : most_(most) {}

  /// Returns the entry of a key, which `make` makes where there is none. Two threads may both make
  /// one; the first stays. What `make` throws is passed on.
  template <class Make>
  std::shared_ptr<const T> find(const cache_key& key, Make make) {
    if (auto found = look_up(key)) return found;
    auto made = std::make_shared<const T>(make());
    const std::unique_lock lock(mutex_);
    if (most_ != 0 && entries_.size() >= most_) entries_.clear();
    return entries_.try_emplace(key.bytes(), std::move(made)).first->second;
  }

 private:
  std::shared_ptr<const T> look_up(const cache_key& key) const {
    const std::shared_lock lock(mutex_);
    const auto at = entries_.find(key.bytes());
    return at == entries_.end() ? nullptr : at->second;
  }

  const std::size_t most_;
  mutable std::shared_mutex mutex_;
  std::unordered_map<std::string, std::shared_ptr<const T>> entries_;
};

}  // namespace tridia::python
