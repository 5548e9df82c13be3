// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tridia/plan.hpp"

#include <algorithm>
#include <cstddef>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

namespace tridia::c_api {

/// Keeps the plans that were made last, for all threads. One that is in use outlives its place. Its
/// GPU work may outlive both: these are plans of arrays of coefficients, not ragged, which own no
/// memory of a GPU.
template <class Key>
class recent_plans {
 public:
  static constexpr std::size_t capacity = 64;

  /// Returns the plan of a key, which `make` makes where there is none. Two threads may both make
  /// one. What `make` throws is passed on.
  template <class Make>
  std::shared_ptr<const plan> find(const Key& key, Make make) {
    if (auto found = look_up(key)) return found;
    auto made = std::make_shared<const plan>(make());
    const std::lock_guard lock(mutex_);
    if (plans_.size() == capacity) plans_.erase(plans_.begin());
    plans_.emplace_back(key, made);
    return made;
  }

 private:
  std::shared_ptr<const plan> look_up(const Key& key) {
    const std::lock_guard lock(mutex_);
    // Most calls are like one that came not long ago.
    const auto at = std::find_if(plans_.rbegin(), plans_.rend(),
                                 [&](const auto& entry) { return entry.first == key; });
    return at == plans_.rend() ? nullptr : at->second;
  }

  std::mutex mutex_;
  std::vector<std::pair<Key, std::shared_ptr<const plan>>> plans_;
};

}  // namespace tridia::c_api
