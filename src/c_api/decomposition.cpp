// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#include "c_api/decompositions.hpp"

#include "c_api/convert.hpp"

namespace tridia::c_api {

const distributed::decomposition& decomposition_of(const tridia_decomposition* d) {
  return *static_cast<const distributed::decomposition*>(
      find_handle(kind::decomposition, d, "decomposition"));
}

void copy_block(const distributed::decomposition& d, int of_rank, std::int64_t* begin,
                std::int64_t* extents) {
  check_member(d, of_rank);
  need(begin, "begin");
  need(extents, "extents");
  const distributed::block b = d.block(of_rank);
  std::copy(b.begin.begin(), b.begin.end(), begin);
  std::copy(b.extents.begin(), b.extents.end(), extents);
}

distributed::strategy strategy_of(int value) {
  if (value < TRIDIA_STRATEGY_AUTOMATIC || value > TRIDIA_STRATEGY_NEAREST)
    refuse("strategy: " + std::to_string(value) + " is not one of its values");
  return static_cast<distributed::strategy>(value);
}

tridia_step_times as_c(const distributed::step_times& s) {
  return {s.halo, s.right_hand_sides, s.primary, s.faces, s.reduced, s.sum};
}

void check_member(const distributed::decomposition& d, int of_rank) {
  if (of_rank >= 0 && of_rank < d.size()) return;
  refuse("of_rank: " + std::to_string(of_rank) + " is not one of the " + std::to_string(d.size()) +
         " ranks");
}

}  // namespace tridia::c_api

using namespace tridia::c_api;
using tridia::refuse;
using tridia::distributed::decomposition;

namespace {

/// Returns the rank `step` blocks away, -1 beyond the ends; `step` may be any number.
int neighbour_of(const decomposition& d, int rank, int axis, int step, bool periodic) {
  const int count = d.ranks()[static_cast<std::size_t>(axis)];
  if (!periodic && (step >= count || step <= -count)) return -1;
  return d.neighbour(rank, axis, step % count, periodic).value_or(-1);
}

}  // namespace

extern "C" {

tridia_result tridia_decomposition_create(int rank, const int64_t* extents, const int* ranks,
                                          tridia_decomposition** d) {
  return create<decomposition>(kind::decomposition, d, "decomposition", [&] {
    check_rank(rank);
    return decomposition(copied(extents, rank, "extents", "rank"),
                         copied(ranks, rank, "ranks", "rank"));
  });
}

tridia_result tridia_decomposition_of_parts(int rank, const int* ranks, const int64_t* parts,
                                            tridia_decomposition** d) {
  return create<decomposition>(kind::decomposition, d, "decomposition", [&] {
    check_rank(rank);
    need(parts, "parts");
    std::vector<std::vector<tridia::index_t>> all;
    for (const int count : copied(ranks, rank, "ranks", "rank")) {
      all.push_back(copied(parts, count, "parts", "ranks"));
      parts += count;
    }
    return decomposition::of_parts(all);
  });
}

tridia_result tridia_decomposition_destroy(tridia_decomposition* d) {
  return destroy<decomposition>(kind::decomposition, d, "decomposition");
}

tridia_result tridia_decomposition_shape(const tridia_decomposition* d, int* rank, int* size) {
  return guarded([&] {
    const decomposition& of = decomposition_of(d);
    need(rank, "rank");
    need(size, "size");
    *rank = static_cast<int>(of.ranks().size());
    *size = of.size();
  });
}

tridia_result tridia_decomposition_block(const tridia_decomposition* d, int of_rank, int64_t* begin,
                                         int64_t* extents) {
  return guarded([&] { copy_block(decomposition_of(d), of_rank, begin, extents); });
}

tridia_result tridia_decomposition_neighbour(const tridia_decomposition* d, int of_rank, int axis,
                                             int step, int periodic, int* neighbour) {
  return guarded([&] {
    const decomposition& of = decomposition_of(d);
    check_member(of, of_rank);
    if (axis < 0 || static_cast<std::size_t>(axis) >= of.ranks().size()) {
      refuse("axis: " + std::to_string(axis) + " is not one of the " +
             std::to_string(of.ranks().size()) + " axes");
    }
    set(neighbour, "neighbour", neighbour_of(of, of_rank, axis, step, periodic != 0));
  });
}

}  // extern "C"
