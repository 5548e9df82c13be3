// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#include "systems/slab_plans.hpp"

#include <algorithm>
#include <limits>

namespace tridia::cli {
namespace {

index_t systems_that_fit(const systems& all, std::uint64_t memory) {
  const auto count = static_cast<std::uint64_t>(std::max<index_t>(all.count(), 1));
  const std::uint64_t bytes_each = all.bytes_moved() / count + sizeof(index_t);
  return static_cast<index_t>(std::clamp<std::uint64_t>(memory / bytes_each, 1, count));
}

slab everything(const systems& all) {
  return {std::vector<index_t>(all.extents.size(), 0), all.extents, 0,
          all.is_ragged() ? all.count() : 0};
}

}  // namespace

slab_plans::slab_plans(const systems& all, const slab_executor& where, std::uint64_t memory,
                       const options& how)
    : all_(all),
      packed_(where.packed()),
      how_(how),
      at_most_(systems_that_fit(all, memory)),
      parts_(all, at_most_) {
  if (parts_.count() == 0) {
    plans_.push_back(make(everything(all)));
  } else {
    plans_.push_back(make(parts_[0]));
    shrink_to(memory);
  }
}

/// Makes slabs smaller until their arrays and workspace fit into `memory`. Only a plan knows its
/// workspace, so plans are made.
void slab_plans::shrink_to(std::uint64_t memory) {
  while (at_most_ > 1) {
    const std::uint64_t arrays = array_bytes();
    const std::uint64_t workspace = plans_.front().workspace_bytes();
    if (arrays + workspace <= memory) return;
    const slabs smaller(all_, std::max<index_t>(at_most_ / 2, 1));
    plan candidate = make(smaller[0]);
    // A workspace that does not shrink with the slab is no reason for smaller slabs.
    if (arrays <= memory && candidate.workspace_bytes() == workspace) return;
    at_most_ = std::max<index_t>(at_most_ / 2, 1);
    parts_ = smaller;
    plans_.front() = std::move(candidate);
  }
}

std::uint64_t slab_plans::array_bytes() const {
  const slab part = parts_[0];
  std::uint64_t bytes = sizeof(index_t) * static_cast<std::uint64_t>(plans_.front().systems());
  for (std::size_t role = 0; role < roles; ++role) {
    bytes += region_of(all_, static_cast<array_role>(role), part).bytes();
  }
  return bytes;
}

const plan& slab_plans::of(const slab& part) {
  if (all_.is_ragged()) return of_ragged(part);
  for (const plan& p : plans_) {
    if (p.problem().extents == part.extents) return p;
  }
  plans_.push_back(make(part));
  return plans_.back();
}

/// Each slab of a ragged batch has offsets of its own; the first one's plan and the last that was
/// asked for are kept.
const plan& slab_plans::of_ragged(const slab& part) {
  const std::vector<index_t> offsets = slab_problem(all_, part, packed_).offsets;
  for (const plan& p : plans_) {
    if (p.problem().offsets == offsets) return p;
  }
  if (plans_.size() > 1) plans_.pop_back();
  plans_.push_back(make(part));
  return plans_.back();
}

plan slab_plans::make(const slab& part) const {
  return plan(slab_problem(all_, part, packed_), how_);
}

}  // namespace tridia::cli
