// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "recent.hpp"
#include "tridia/types.hpp"

#include <cstddef>
#include <vector>

namespace tridia::python {

/// Numbers that say all that a plan was made of.
using plan_key = std::vector<index_t>;

struct plan_key_hash {
  std::size_t operator()(const plan_key& key) const noexcept;
};

/// Keeps the plans of the one-call forms: `Plan` is `tridia::plan` or `tridia::backward_plan`.
template <class Plan>
using plan_cache = recent<plan_key, Plan, plan_key_hash>;

constexpr std::size_t most_plans = 128;

}  // namespace tridia::python
