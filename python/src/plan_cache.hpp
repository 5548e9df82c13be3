// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tridia/plan.hpp"

#include <cstdint>
#include <functional>
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

/// Keeps the plans that were used last, so that calls of one shape make a plan once. The GIL
/// guards it.
class plan_cache {
 public:
  static constexpr std::size_t capacity = 128;

  /// Returns the plan of `key`, which `make` makes (without the GIL) if it is not there. A plan
  /// that is dropped lives on while it is in use.
  std::shared_ptr<const plan> find(const plan_key& key, const std::function<plan()>& make);
  [[nodiscard]] std::size_t size() const { return plans_.size(); }
  void clear();

 private:
  struct entry {
    plan_key key;
    std::shared_ptr<const plan> made;
  };
  std::list<entry> plans_;  // the one that was used last comes first
  std::unordered_map<plan_key, std::list<entry>::iterator, plan_key_hash> index_;
};

}  // namespace tridia::python
