// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#include "support/layouts.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>

namespace tridia_test {
namespace {

using tridia::problem;
using extents = std::vector<index_t>;

/// Returns two factors of batch that are as near to each other as possible.
std::pair<index_t, index_t> factors(index_t batch) {
  for (index_t f = static_cast<index_t>(std::sqrt(static_cast<double>(batch))); f > 1; --f)
    if (batch % f == 0) return {f, batch / f};
  return {std::min<index_t>(batch, 1), batch};
}

/// Sets the same strides for every array.
problem with_strides(problem p, const packing& how) {
  p.dl_strides = p.d_strides = p.du_strides = p.rhs_strides = p.x_strides = strides(p.extents, how);
  return p;
}

problem contiguous(index_t n, index_t batch, rng&) { return {.extents = {batch, n}}; }

problem interleaved(index_t n, index_t batch, rng&) { return {.extents = {n, batch}, .axis = 0}; }

problem one_dimensional(index_t n, index_t, rng&) { return {.extents = {n}}; }

problem middle_axis(index_t n, index_t batch, rng&) {
  const auto [a, b] = factors(batch);
  return {.extents = {a, n, b}, .axis = 1};
}

problem padded_4d(index_t n, index_t batch, rng& random) {
  const auto [a, b] = factors(batch);
  problem p{.extents = {a, 1, n, b}, .axis = -2};
  p.dl_strides = strides(p.extents, {.order = {0, 1, 2, 3}, .gap = 1});
  p.d_strides = strides(p.extents, {.order = {0, 1, 2, 3}, .gap = 2});
  p.du_strides = strides(p.extents, {.order = {0, 1, 2, 3}, .gap = draw(random, 0, 3)});
  p.rhs_strides = strides(p.extents, {.order = {0, 1, 2, 3}, .gap = 3});
  p.x_strides = strides(p.extents, {.order = {0, 1, 2, 3}, .step = 2});
  return p;
}

problem negative_along_axis(index_t n, index_t batch, rng&) {
  return with_strides({.extents = {batch, n}}, {.order = {0, 1}, .backwards = {1}});
}

problem negative_along_batch(index_t n, index_t batch, rng&) {
  return with_strides({.extents = {n, batch}, .axis = 0},
                      {.order = {0, 1}, .gap = 2, .backwards = {1}});
}

problem fortran(index_t n, index_t batch, rng&) {
  const auto [a, b] = factors(batch);
  return with_strides({.extents = {n, a, b}, .axis = 0}, {.order = {2, 1, 0}});
}

problem fortran_middle(index_t n, index_t batch, rng&) {
  const auto [a, b] = factors(batch);
  return with_strides({.extents = {a, n, b}, .axis = -2}, {.order = {2, 1, 0}});
}

problem each_its_own(index_t n, index_t batch, rng& random) {
  const auto [a, b] = factors(batch);
  problem p{.extents = {a, b, n}, .axis = 2};
  p.d_strides = strides(p.extents, {.order = {2, 1, 0}});
  p.du_strides = strides(p.extents, {.order = {0, 1, 2}, .backwards = {0, 2}});
  p.rhs_strides = strides(p.extents, {.order = {0, 2, 1}, .gap = 1});
  p.x_strides = strides(p.extents, random_packing(3, random));
  return p;
}

problem broadcast(index_t n, index_t batch, rng&) {
  const auto [a, b] = factors(batch);
  problem p{.extents = {a, n, b}, .axis = 1};
  p.dl_strides = {0, b, 1};
  p.d_strides = {n, 1, 0};
  p.du_strides = {0, 1, 0};
  return p;
}

problem shared_contiguous(index_t n, index_t batch, rng&) {
  return {.extents = {batch, n}, .coefficients = tridia::coefficients::shared};
}

problem shared_interleaved(index_t n, index_t batch, rng&) {
  problem p{.extents = {n, batch}, .axis = 0, .coefficients = tridia::coefficients::shared};
  p.dl_strides = {2, 0};
  p.du_strides = {-1, 0};
  return p;
}

problem several_rhs(index_t n, index_t batch, rng& random) {
  return {.extents = {batch, n}, .right_hand_sides = draw(random, 2, 5)};
}

problem several_rhs_with_steps(index_t n, index_t batch, rng& random) {
  problem p{.extents = {n, batch}, .axis = 0, .right_hand_sides = draw(random, 2, 9)};
  const index_t m = p.right_hand_sides;
  // The right-hand sides of rhs interleave; those of x follow one another, backwards.
  p.rhs_strides = strides(p.extents, {.order = {1, 0}, .step = m});
  p.rhs_step = 1;
  p.x_strides = strides(p.extents, {.order = {0, 1}, .gap = 1});
  p.x_step = -((n + 1) * (batch + 1) + 5);
  return p;
}

problem shared_several_rhs(index_t n, index_t batch, rng& random) {
  problem p = several_rhs_with_steps(n, batch, random);
  p.coefficients = tridia::coefficients::shared;
  return p;
}

/// Makes a problem of constants, without a matrix yet, as that depends on the type.
problem constant(problem p) {
  p.coefficients = tridia::coefficients::constant;
  p.dl_strides = p.d_strides = p.du_strides = {};
  return p;
}

problem constant_contiguous(index_t n, index_t batch, rng& random) {
  return constant(contiguous(n, batch, random));
}

problem constant_interleaved(index_t n, index_t batch, rng& random) {
  return constant(interleaved(n, batch, random));
}

problem constant_padded(index_t n, index_t batch, rng& random) {
  return constant(padded_4d(n, batch, random));
}

problem constant_several_rhs(index_t n, index_t batch, rng& random) {
  return constant(several_rhs_with_steps(n, batch, random));
}

problem ragged(index_t n, index_t batch, rng& random) {
  problem p{.extents = {0}, .offsets = ragged_offsets(n, batch, random)};
  p.extents[0] = p.offsets.back();
  return p;
}

/// Returns many short systems, most of them of a row or none, and a long one among them.
problem ragged_with_outlier(index_t n, index_t batch, rng& random) {
  problem p{.extents = {0}, .offsets = ragged_offsets(std::min<index_t>(n, 2), 9 * batch, random)};
  for (auto k = static_cast<std::size_t>(batch) + 1; k < p.offsets.size(); ++k) p.offsets[k] += n;
  p.extents[0] = p.offsets.back();
  return p;
}

/// Gives the arrays of a ragged batch with one axis strides that differ, and several right-hand
/// sides.
problem with_strides(problem p, rng& random) {
  p.right_hand_sides = draw(random, 1, 3);
  p.dl_strides = {2};
  p.d_strides = {-1};
  p.rhs_strides = {p.right_hand_sides};
  p.rhs_step = 1;
  p.x_strides = {-3};
  p.x_step = 3 * p.extents[0] + 1;
  return p;
}

problem ragged_strided(index_t n, index_t batch, rng& random) {
  return with_strides(ragged(n, batch, random), random);
}

/// Returns systems that are the beginnings of the lines of an array.
problem padded(std::vector<index_t> shape, int axis, index_t n, index_t batch, rng& random) {
  return {.extents = std::move(shape),
          .axis = axis,
          .offsets = ragged_offsets(n, batch, random),
          .ragged_layout = tridia::ragged_layout::padded};
}

problem padded_interleaved(index_t n, index_t batch, rng& random) {
  return padded({n, batch}, 0, n, batch, random);
}

problem padded_lines(index_t n, index_t batch, rng& random) {
  return padded({batch, n + draw(random, 0, 3)}, -1, n, batch, random);
}

problem padded_strided(index_t n, index_t batch, rng& random) {
  problem p = padded({n + 2, batch}, 0, n, batch, random);
  p.right_hand_sides = draw(random, 1, 3);
  p.dl_strides = strides(p.extents, {.order = {0, 1}, .gap = 2});
  p.d_strides = strides(p.extents, {.order = {1, 0}, .backwards = {1}});
  p.x_strides = strides(p.extents, {.order = {0, 1}, .step = 2, .backwards = {0}});
  p.x_step = 2 * (n + 3) * (batch + 1);
  return p;
}

problem packed(index_t n, index_t batch, rng& random) {
  problem p = ragged(n, batch, random);
  std::vector<index_t> rows;
  for (std::size_t k = 1; k < p.offsets.size(); ++k)
    rows.push_back(p.offsets[k] - p.offsets[k - 1]);
  std::sort(rows.begin(), rows.end(), std::greater<>());
  std::partial_sum(rows.begin(), rows.end(), p.offsets.begin() + 1);
  p.ragged_layout = tridia::ragged_layout::packed;
  return p;
}

problem packed_strided(index_t n, index_t batch, rng& random) {
  return with_strides(packed(n, batch, random), random);
}

problem shortened(problem p) {
  p.short_off_diagonals = true;
  return p;
}

problem short_contiguous(index_t n, index_t batch, rng& random) {
  return shortened(contiguous(n, batch, random));
}

problem short_middle(index_t n, index_t batch, rng& random) {
  return shortened(middle_axis(n, batch, random));
}

problem short_strided(index_t n, index_t batch, rng& random) {
  return shortened(each_its_own(n, batch, random));
}

problem short_shared(index_t n, index_t batch, rng& random) {
  return shortened(flip(random) ? shared_contiguous(n, batch, random)
                                : shared_interleaved(n, batch, random));
}

problem short_ragged(index_t n, index_t batch, rng& random) {
  return shortened(flip(random) ? ragged(n, batch, random) : ragged_strided(n, batch, random));
}

problem short_padded(index_t n, index_t batch, rng& random) {
  return shortened(flip(random) ? padded_interleaved(n, batch, random)
                                : padded_lines(n, batch, random));
}

problem short_packed(index_t n, index_t batch, rng& random) {
  return shortened(flip(random) ? packed(n, batch, random) : packed_strided(n, batch, random));
}

constexpr bool kRegularOnly = true;

// A new layout joins the suite here.
const layout_case kCases[] = {
    {"contiguous", !kRegularOnly, contiguous},
    {"interleaved", !kRegularOnly, interleaved},
    {"one_dimensional", !kRegularOnly, one_dimensional},
    {"middle_axis", !kRegularOnly, middle_axis},
    {"padded_4d", !kRegularOnly, padded_4d},
    {"negative_along_axis", !kRegularOnly, negative_along_axis},
    {"negative_along_batch", !kRegularOnly, negative_along_batch},
    {"fortran", !kRegularOnly, fortran},
    {"fortran_middle", !kRegularOnly, fortran_middle},
    {"each_its_own", !kRegularOnly, each_its_own},
    {"broadcast", !kRegularOnly, broadcast},
    {"shared_contiguous", !kRegularOnly, shared_contiguous},
    {"shared_interleaved", !kRegularOnly, shared_interleaved},
    {"several_rhs", !kRegularOnly, several_rhs},
    {"several_rhs_with_steps", !kRegularOnly, several_rhs_with_steps},
    {"shared_several_rhs", !kRegularOnly, shared_several_rhs},
    {"constant_contiguous", !kRegularOnly, constant_contiguous},
    {"constant_interleaved", !kRegularOnly, constant_interleaved},
    {"constant_padded", !kRegularOnly, constant_padded},
    {"constant_several_rhs", !kRegularOnly, constant_several_rhs},
    {"ragged", !kRegularOnly, ragged},
    {"ragged_with_outlier", !kRegularOnly, ragged_with_outlier},
    {"ragged_strided", !kRegularOnly, ragged_strided},
    {"padded_interleaved", !kRegularOnly, padded_interleaved},
    {"padded_lines", !kRegularOnly, padded_lines},
    {"padded_strided", !kRegularOnly, padded_strided},
    {"packed", !kRegularOnly, packed},
    {"packed_strided", !kRegularOnly, packed_strided},
    {"short_contiguous", kRegularOnly, short_contiguous},
    {"short_middle", kRegularOnly, short_middle},
    {"short_strided", kRegularOnly, short_strided},
    {"short_shared", kRegularOnly, short_shared},
    {"short_ragged", kRegularOnly, short_ragged},
    {"short_padded", kRegularOnly, short_padded},
    {"short_packed", kRegularOnly, short_packed},
};

}  // namespace

std::span<const layout_case> layout_cases() { return kCases; }

std::vector<index_t> strides(const extents& shape, const packing& how) {
  std::vector<index_t> result(shape.size());
  index_t step = how.step;
  for (std::size_t k = how.order.size(); k-- > 0;) {
    const int axis = how.order[k];
    const auto at = static_cast<std::size_t>(axis);
    const bool back = std::count(how.backwards.begin(), how.backwards.end(), axis) > 0;
    result[at] = back ? -step : step;
    step *= std::max<index_t>(1, shape[at] + how.gap);
  }
  return result;
}

packing random_packing(std::size_t rank, rng& random) {
  packing how;
  how.order.resize(rank);
  std::iota(how.order.begin(), how.order.end(), 0);
  std::shuffle(how.order.begin(), how.order.end(), random);
  how.step = draw(random, 1, 3);
  how.gap = draw(random, 0, 2);
  for (const int axis : how.order)
    if (flip(random)) how.backwards.push_back(axis);
  return how;
}

bool allow_alias(problem& p, role r) {
  if (r == role::rhs) {
    p.x_strides = p.rhs_strides;
    p.x_step = p.rhs_step;
    return true;
  }
  if (p.right_hand_sides != 1 || p.coefficients != tridia::coefficients::per_system) return false;
  if (p.short_off_diagonals && r != role::d) return false;
  const auto& given = r == role::dl ? p.dl_strides : r == role::d ? p.d_strides : p.du_strides;
  if (std::count(given.begin(), given.end(), 0) > 0) return false;
  p.x_strides = given;
  p.x_step = 0;
  return true;
}

std::vector<index_t> ragged_offsets(index_t n, index_t batch, rng& random) {
  std::vector<index_t> offsets{0};
  for (index_t k = 0; k < batch; ++k) {
    const index_t rows = k == batch / 2 ? n : k == batch - 1 ? 0 : draw(random, 0, n);
    offsets.push_back(offsets.back() + rows);
  }
  return offsets;
}

}  // namespace tridia_test
