// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <functional>
#include <list>
#include <memory>
#include <mutex>
#include <unordered_map>
#include <utility>

namespace tridia::python {

/// Keeps what was made for a key, a plan or an operator, so that calls of one shape make it once.
/// Any thread may use it, with Python's lock or without: a thread that holds the lock of a `recent`
/// neither waits for Python's nor makes or destroys anything. One that is in use outlives its
/// eviction, as the callers share it.
template <class Key, class T, class Hash = std::hash<Key>>
class recent {
 public:
  /// The `most` that were used last stay; 0 means that all do.
  explicit recent(std::size_t most) : most_(most) {}

  /// Returns what was made for a key; `make` makes it where there is nothing. Two threads may both
  /// make one; the first stays. What `make` throws is passed on.
  template <class Make>
  std::shared_ptr<const T> find(const Key& key, Make make) {
    if (auto found = look_up(key)) return found;
    auto made = std::make_shared<const T>(make());
    std::list<entry> dropped;
    const std::lock_guard lock(mutex_);
    if (const auto at = index_.find(key); at != index_.end()) return at->second->made;
    entries_.push_front({key, made});
    index_.emplace(key, entries_.begin());
    if (most_ != 0 && entries_.size() > most_) {
      index_.erase(entries_.back().key);
      dropped.splice(dropped.begin(), entries_, std::prev(entries_.end()));
    }
    return made;
  }

  [[nodiscard]] std::size_t size() const {
    const std::lock_guard lock(mutex_);
    return entries_.size();
  }
  void clear() {
    std::list<entry> dropped;
    const std::lock_guard lock(mutex_);
    index_.clear();
    dropped.swap(entries_);
  }

 private:
  struct entry {
    Key key;
    std::shared_ptr<const T> made;
  };

  std::shared_ptr<const T> look_up(const Key& key) {
    const std::lock_guard lock(mutex_);
    // Most calls are like the one before.
    if (!entries_.empty() && entries_.front().key == key) return entries_.front().made;
    const auto at = index_.find(key);
    if (at == index_.end()) return nullptr;
    entries_.splice(entries_.begin(), entries_, at->second);
    return at->second->made;
  }

  const std::size_t most_;
  mutable std::mutex mutex_;
  std::list<entry> entries_;  // the one that was used last comes first
  std::unordered_map<Key, typename std::list<entry>::iterator, Hash> index_;
};

}  // namespace tridia::python
