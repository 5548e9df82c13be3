// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "systems/slab_executor.hpp"
#include "systems/slabs.hpp"
#include "tridia/plan.hpp"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace tridia::cli {

/// Holds all systems, cut into slabs that fit into memory, with a plan for each shape of slab.
class slab_plans {
 public:
  /// Cuts the systems; `memory` is what the arrays and the workspace of a slab may take. If a
  /// single system needs more, slabs are single systems.
  slab_plans(const systems& all, const slab_executor& where, std::uint64_t memory,
             const options& how);

  [[nodiscard]] const slabs& parts() const noexcept { return parts_; }
  /// Returns the plan of the largest slab (of a ragged batch: of the first one); of the whole
  /// problem if there are no slabs.
  [[nodiscard]] const plan& largest() const noexcept { return plans_.front(); }
  /// Returns the plan for a slab, which is made when it is first asked for.
  const plan& of(const slab& part);

 private:
  [[nodiscard]] plan make(const slab& part) const;
  const plan& of_ragged(const slab& part);
  void shrink_to(std::uint64_t memory);
  [[nodiscard]] std::uint64_t array_bytes() const;

  const systems& all_;
  bool packed_;
  options how_;
  index_t at_most_;  ///< Systems in a slab.
  slabs parts_;
  std::vector<plan> plans_;  ///< Slabs have few shapes: those that are whole, and the rest.
};

}  // namespace tridia::cli
