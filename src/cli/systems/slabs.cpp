// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#include "systems/slabs.hpp"

#include <algorithm>
#include <cstdlib>

namespace tridia::cli {
namespace {

/// Sorts the axes of an array, the largest stride first.
void sort_by_stride(std::vector<std::size_t>& axes, const std::vector<index_t>& strides) {
  std::ranges::stable_sort(axes,
                           [&](std::size_t a, std::size_t b) { return strides[a] > strides[b]; });
}

/// Returns the number of an array's entries along an axis that belong to a slab.
index_t entries(const systems& all, const operand& array, const slab& part, std::size_t axis) {
  if (axis == all.axis) return array.extents[axis];
  return array.strides[axis] == 0 ? 1 : part.extents[axis];
}

/// Returns the axes along which an array has more than one entry in the slab, the largest stride
/// first.
std::vector<std::size_t> walked_axes(const systems& all, const operand& array, const slab& part) {
  std::vector<std::size_t> axes;
  for (std::size_t a = 0; a < all.extents.size(); ++a) {
    if (entries(all, array, part, a) != 1) axes.push_back(a);
  }
  sort_by_stride(axes, array.strides);
  return axes;
}

}  // namespace

slabs::slabs(const systems& all, index_t systems_at_most) : extents_(all.extents) {
  if (all.is_concatenated()) {
    cut_ragged(all, systems_at_most);
    return;
  }
  if (all.is_ragged()) {
    ragged_ = all.count();
    count_ = all.rows() > 0 ? 1 : 0;
    return;
  }
  index_t inner = all.count();
  count_ = inner > 0 && all.rows() > 0 ? 1 : 0;
  if (count_ == 0) return;
  for (std::size_t a = 0; a < extents_.size(); ++a) {
    if (a != all.axis) outer_.push_back(a);
  }
  sort_by_stride(outer_, all.arrays[role_rhs].strides);
  for (std::size_t k = 0; k < outer_.size(); ++k) {
    const index_t extent = extents_[outer_[k]];
    inner /= extent;
    cut_ = std::clamp<index_t>(systems_at_most / inner, 1, extent);
    count_ *= (extent + cut_ - 1) / cut_;
    if (inner <= systems_at_most) {
      outer_.resize(k + 1);
      return;
    }
  }
}

void slabs::cut_ragged(const systems& all, index_t systems_at_most) {
  const index_t count = all.count();
  if (count == 0 || all.offsets.back() == 0) return;
  const auto at = [&](index_t system) { return all.offsets[static_cast<std::size_t>(system)]; };
  const index_t mean = (all.offsets.back() + count - 1) / count;
  const index_t most_rows =
      systems_at_most > all.offsets.back() / mean ? all.offsets.back() : systems_at_most * mean;
  for (index_t begin = 0, end = 0; begin < count; begin = end) {
    for (end = begin + 1;
         end < count && end - begin < systems_at_most && at(end + 1) - at(begin) <= most_rows;)
      ++end;
    starts_.push_back(begin), rows_.push_back(at(begin));
  }
  count_ = static_cast<index_t>(starts_.size());
  starts_.push_back(count), rows_.push_back(all.offsets.back());
}

slab slabs::operator[](index_t k) const {
  if (!starts_.empty()) {
    const auto i = static_cast<std::size_t>(k);
    return {{rows_[i]}, {rows_[i + 1] - rows_[i]}, starts_[i], starts_[i + 1] - starts_[i]};
  }
  slab part{std::vector<index_t>(extents_.size(), 0), extents_, 0, ragged_};
  for (std::size_t level = outer_.size(); level-- > 0;) {
    const std::size_t axis = outer_[level];
    const index_t step = level + 1 == outer_.size() ? cut_ : 1;
    const index_t parts = (extents_[axis] + step - 1) / step;
    part.first[axis] = k % parts * step;
    part.extents[axis] = std::min(step, extents_[axis] - part.first[axis]);
    k /= parts;
  }
  return part;
}

index_t system_number(const systems& all, const slab& part, index_t within) {
  if (all.is_ragged()) return part.system + within;
  index_t number = 0, step = 1;
  for (std::size_t a = all.extents.size(); a-- > 0;) {
    if (a == all.axis) continue;
    number += (part.first[a] + within % part.extents[a]) * step;
    within /= part.extents[a];
    step *= all.extents[a];
  }
  return number;
}

std::size_t region::bytes() const noexcept { return run * static_cast<std::size_t>(runs()); }

index_t region::runs() const noexcept {
  index_t product = 1;
  for (const level& l : levels) product *= l.count;
  return product;
}

region region_of(const systems& all, array_role role, const slab& part) {
  const operand& array = all.arrays[role];
  const std::size_t size = size_of(all.type);
  const auto in_bytes = [&](index_t elements) { return static_cast<std::size_t>(elements) * size; };
  const bool coefficient = role != role_rhs && role != role_x;
  if (coefficient && all.is_constant()) return {};
  if (all.is_ragged() && !all.is_padded()) {
    const auto& starts = coefficient && role != role_d ? all.off_diagonal : all.offsets;
    const auto system = static_cast<std::size_t>(part.system);
    const index_t begin = starts[system];
    return {in_bytes(begin),
            in_bytes(starts[system + static_cast<std::size_t>(part.systems)] - begin),
            {}};
  }
  index_t first = array.first;
  for (std::size_t a = 0; a < part.first.size(); ++a) first += part.first[a] * array.strides[a];

  region out{in_bytes(first), size, {}};
  const std::vector<std::size_t> axes = walked_axes(all, array, part);
  for (std::size_t k = axes.size(); k-- > 0;) {
    const index_t count = entries(all, array, part, axes[k]);
    const std::size_t step = in_bytes(array.strides[axes[k]]);
    if (out.levels.empty() && step == out.run) {
      out.run *= static_cast<std::size_t>(count);
    } else if (!out.levels.empty() &&
               step ==
                   out.levels.front().step * static_cast<std::size_t>(out.levels.front().count)) {
      out.levels.front().count *= count;
    } else {
      out.levels.insert(out.levels.begin(), {count, step});
    }
  }
  return out;
}

std::vector<index_t> packed_strides(const systems& all, array_role role, const slab& part) {
  if (all.is_ragged() && !all.is_padded()) return {1};
  const operand& array = all.arrays[role];
  std::vector<index_t> strides(all.extents.size(), 0);
  const std::vector<std::size_t> axes = walked_axes(all, array, part);
  index_t step = 1;
  for (std::size_t k = axes.size(); k-- > 0;) {
    strides[axes[k]] = step;
    step *= entries(all, array, part, axes[k]);
  }
  return strides;
}

problem slab_problem(const systems& all, const slab& part, bool packed) {
  problem p;
  p.type = all.type;
  p.extents = part.extents;
  p.axis = static_cast<int>(all.axis);
  p.boundary = all.boundary;
  p.pivoting = all.pivoting;
  p.operation = all.operation;
  p.coefficients = all.coefficients;
  p.short_off_diagonals = all.short_off_diagonals;
  const auto strides = [&](array_role role) {
    return packed ? packed_strides(all, role, part) : all.arrays[role].strides;
  };
  p.matrix = all.matrix;
  if (all.is_ragged()) {
    const auto first = all.offsets.begin() + part.system;
    for (auto at = first; at <= first + part.systems; ++at) p.offsets.push_back(*at - *first);
    p.ragged_layout = all.ragged_layout;
  }
  if (!all.is_constant()) {
    p.dl_strides = strides(role_dl);
    p.d_strides = strides(role_d);
    p.du_strides = strides(role_du);
  }
  p.rhs_strides = strides(role_rhs);
  p.x_strides = strides(role_x);
  return p;
}

}  // namespace tridia::cli
