// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tridia/types.hpp"

#include <nanobind/nanobind.h>

#include <cstddef>
#include <list>
#include <memory>
#include <unordered_map>
#include <vector>

namespace tridia::python {

/// Numbers that say all that a plan was made of.
using plan_key = std::vector<index_t>;

struct plan_key_hash {
  std::size_t operator()(const plan_key& key) const noexcept;
};

/// Keeps the plans that were used last, so that calls of one shape make a plan once. `Plan` is
/// `tridia::plan` or `tridia::backward_plan`. The GIL guards it.
template <class Plan>
class plan_cache {
 public:
  static constexpr std::size_t capacity = 128;

  /// Returns the plan of `key`, which `make` makes (without the GIL) if it is not there. A plan
  /// that is dropped lives on while it is in use.
  template <class Make>
  std::shared_ptr<const Plan> find(const plan_key& key, Make make) {
    if (!plans_.empty() && plans_.front().key == key) return plans_.front().made;
    if (const auto at = index_.find(key); at != index_.end()) {
      plans_.splice(plans_.begin(), plans_, at->second);
      return plans_.front().made;
    }
    std::shared_ptr<const Plan> made;
    {
      const nanobind::gil_scoped_release released;
      made = std::make_shared<const Plan>(make());
    }
    // Another thread may have made the same plan meanwhile.
    if (index_.contains(key)) return made;
    plans_.push_front({key, made});
    index_.emplace(key, plans_.begin());
    if (plans_.size() > capacity) {
      index_.erase(plans_.back().key);
      plans_.pop_back();
    }
    return made;
  }

  [[nodiscard]] std::size_t size() const { return plans_.size(); }
  void clear() {
    index_.clear();
    plans_.clear();
  }

 private:
  struct entry {
    plan_key key;
    std::shared_ptr<const Plan> made;
  };
  std::list<entry> plans_;  // the one that was used last comes first
  std::unordered_map<plan_key, typename std::list<entry>::iterator, plan_key_hash> index_;
};

}  // namespace tridia::python
