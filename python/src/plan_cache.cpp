// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#include "plan_cache.hpp"

#include <nanobind/nanobind.h>

namespace tridia::python {

std::size_t plan_key_hash::operator()(const plan_key& key) const noexcept {
  std::uint64_t h = 0x9e3779b97f4a7c15U;
  for (const index_t v : key) {
    h = (h ^ static_cast<std::uint64_t>(v)) * 0xff51afd7ed558ccdU;
    h ^= h >> 32;
  }
  return h;
}

std::shared_ptr<const plan> plan_cache::find(const plan_key& key,
                                             const std::function<plan()>& make) {
  if (!plans_.empty() && plans_.front().key == key) return plans_.front().made;
  if (const auto at = index_.find(key); at != index_.end()) {
    plans_.splice(plans_.begin(), plans_, at->second);
    return plans_.front().made;
  }
  std::shared_ptr<const plan> made;
  {
    const nanobind::gil_scoped_release released;
    made = std::make_shared<const plan>(make());
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

void plan_cache::clear() {
  index_.clear();
  plans_.clear();
}

}  // namespace tridia::python
