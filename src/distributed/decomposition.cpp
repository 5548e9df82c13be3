// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#include "core/refuse.hpp"
#include "tridia/distributed.hpp"

#include <limits>
#include <string>

namespace tridia::distributed {
namespace {

std::vector<std::vector<index_t>> even_parts(const std::vector<index_t>& extents,
                                             const std::vector<int>& ranks) {
  if (extents.size() != ranks.size()) {
    refuse("ranks: has " + std::to_string(ranks.size()) + " entries, but extents have " +
           std::to_string(extents.size()));
  }
  std::vector<std::vector<index_t>> parts;
  for (std::size_t a = 0; a < extents.size(); ++a) {
    const std::string axis = "axis " + std::to_string(a);
    if (ranks[a] < 1) {
      refuse("ranks: " + axis + " has " + std::to_string(ranks[a]) + ", but needs at least 1");
    }
    if (extents[a] < ranks[a]) {
      refuse("extents: " + axis + " has " + std::to_string(extents[a]) +
             " points, fewer than its " + std::to_string(ranks[a]) + " ranks");
    }
    const index_t each = extents[a] / ranks[a], larger = extents[a] % ranks[a];
    parts.emplace_back();
    for (int k = 0; k < ranks[a]; ++k) parts.back().push_back(each + (k < larger ? 1 : 0));
  }
  return parts;
}

}  // namespace

decomposition::decomposition(const std::vector<index_t>& extents, const std::vector<int>& ranks)
    : decomposition(of_parts(even_parts(extents, ranks))) {}

decomposition decomposition::of_parts(const std::vector<std::vector<index_t>>& parts) {
  decomposition g;
  if (parts.empty()) refuse("extents: is empty, but a decomposition has at least one axis");
  for (std::size_t a = 0; a < parts.size(); ++a) {
    g.cuts_.push_back({0});
    for (const index_t points : parts[a]) {
      index_t end = 0;
      if (points < 1) {
        refuse("parts: axis " + std::to_string(a) + " has a part of " + std::to_string(points) +
               " points, but every rank needs at least 1");
      }
      if (__builtin_add_overflow(g.cuts_[a].back(), points, &end)) {
        refuse("parts: axis " + std::to_string(a) + " has more points than 64 bits count");
      }
      g.cuts_[a].push_back(end);
    }
    if (parts[a].empty()) refuse("parts: axis " + std::to_string(a) + " has none");
    const auto count = static_cast<index_t>(parts[a].size());
    if (g.size_ * count > std::numeric_limits<int>::max()) {
      refuse("ranks: are more than " + std::to_string(std::numeric_limits<int>::max()));
    }
    g.size_ = static_cast<int>(g.size_ * count);
    g.ranks_.push_back(static_cast<int>(count));
    g.extents_.push_back(g.cuts_[a].back());
  }
  return g;
}

std::vector<int> decomposition::coordinates(int rank) const {
  std::vector<int> at(ranks_.size());
  for (std::size_t a = ranks_.size(); a-- > 0; rank /= ranks_[a]) at[a] = rank % ranks_[a];
  return at;
}

int decomposition::rank_of(const std::vector<int>& coordinates) const {
  int rank = 0;
  for (std::size_t a = 0; a < ranks_.size(); ++a) rank = rank * ranks_[a] + coordinates.at(a);
  return rank;
}

block decomposition::block(int rank) const {
  distributed::block b;
  const std::vector<int> at = coordinates(rank);
  for (std::size_t a = 0; a < ranks_.size(); ++a) {
    b.begin.push_back(cuts_[a][at[a]]);
    b.extents.push_back(cuts_[a][at[a] + 1] - cuts_[a][at[a]]);
  }
  return b;
}

std::optional<int> decomposition::neighbour(int rank, int axis, int step, bool periodic) const {
  std::vector<int> at = coordinates(rank);
  const int count = ranks_.at(axis), to = at[axis] + step;
  if (!periodic && (to < 0 || to >= count)) return std::nullopt;
  at[axis] = (to % count + count) % count;
  return rank_of(at);
}

std::vector<int> decomposition::line(int rank, int axis) const {
  std::vector<int> at = coordinates(rank), all;
  for (at.at(axis) = 0; at[axis] < ranks_[axis]; ++at[axis]) all.push_back(rank_of(at));
  return all;
}

}  // namespace tridia::distributed
