// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "systems/systems.hpp"
#include "tridia/problem.hpp"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace tridia::cli {

/// Describes a box of the right-hand side that holds whole systems.
struct slab {
  std::vector<index_t> first, extents;
  index_t system = 0, systems = 0;  ///< Those of a ragged batch that it holds, from `system` on.
};

/// Cuts all systems into slabs, so that a slab is as few stretches of the file as can be: only
/// along the batch axis with the largest stride; if one entry of it is too large already, it is
/// taken entry by entry and the axis with the next stride is cut. A ragged batch is cut between
/// systems where they are concatenated, and otherwise not at all.
class slabs {
 public:
  /// Cuts so that no slab holds more than `systems_at_most` (>= 1) systems, nor, in a ragged batch,
  /// more rows than so many systems of mean length, unless it is a single system.
  slabs(const systems& all, index_t systems_at_most);

  /// Returns the number of slabs; 0 if there is nothing to solve.
  [[nodiscard]] index_t count() const noexcept { return count_; }
  [[nodiscard]] slab operator[](index_t k) const;

 private:
  void cut_ragged(const systems& all, index_t systems_at_most);

  std::vector<index_t> extents_;
  std::vector<std::size_t> outer_;  ///< Axes taken entry by entry, then the one that is cut.
  index_t cut_ = 1;                 ///< Entries of the axis that is cut in a slab.
  index_t count_ = 0;
  index_t ragged_ = 0;                  ///< Systems of a ragged batch that is one slab.
  std::vector<index_t> starts_, rows_;  ///< Of each slab of a ragged batch: first system and row.
};

/// Returns the number among all systems, in C order over the batch axes, of a system that is
/// counted in the same way within a slab.
index_t system_number(const systems& all, const slab& part, index_t within);

/// Describes the part of an array that belongs to a slab: stretches of bytes of its file's data.
struct region {
  struct level {
    index_t count;
    std::size_t step;  ///< Bytes.
  };
  std::size_t first = 0;      ///< Bytes from the start of the data.
  std::size_t run = 0;        ///< Bytes of a stretch.
  std::vector<level> levels;  ///< How stretches repeat, outermost first.

  [[nodiscard]] std::size_t bytes() const noexcept;
  [[nodiscard]] index_t runs() const noexcept;
};

region region_of(const systems& all, array_role role, const slab& part);

/// Returns the strides, in elements, of the region's packed copy: its stretches one after another.
std::vector<index_t> packed_strides(const systems& all, array_role role, const slab& part);

/// Calls `f(offset)` for every stretch in their order, with bytes from the start of the data.
template <class F>
void for_each_run(const region& r, F&& f, std::size_t level = 0, std::size_t offset = 0) {
  if (level == 0) offset += r.first;
  if (level == r.levels.size()) {
    f(offset);
    return;
  }
  for (index_t k = 0; k < r.levels[level].count; ++k) {
    for_each_run(r, f, level + 1, offset + static_cast<std::size_t>(k) * r.levels[level].step);
  }
}

/// Returns the problem of one slab. Its arrays are packed copies, or strides are those of the
/// files, and a pointer is at byte `region::first`.
problem slab_problem(const systems& all, const slab& part, bool packed);

}  // namespace tridia::cli
