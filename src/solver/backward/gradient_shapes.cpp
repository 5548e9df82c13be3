// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#include "solver/backward/gradient_shapes.hpp"

#include "core/refuse.hpp"
#include "layout/join_axes.hpp"

#include <algorithm>
#include <complex>
#include <cstdlib>
#include <utility>

namespace tridia::solver {
namespace {

bool is_complex(value_type t) { return t == value_type::c64 || t == value_type::c128; }

/// Returns the strides of an array without the axis of the right-hand sides.
std::vector<index_t> own_strides(const layout::resolved_array& a) {
  return {a.strides.begin() + 1, a.strides.end()};
}

std::vector<index_t> strides_or(const char* name, const std::vector<index_t>& given,
                                const layout::resolved_array& otherwise, const problem& p) {
  if (given.empty()) return own_strides(otherwise);
  if (given.size() == p.extents.size()) return given;
  refuse(std::string(name) + ": has " + std::to_string(given.size()) + " entries, but extents " +
         layout::shape_text(p.extents) + " have " + std::to_string(p.extents.size()));
}

/// Returns the step of an array from one right-hand side to the next.
index_t step_or(const char* name, const std::vector<index_t>& strides, index_t given,
                const layout::resolved_array& otherwise, const problem& p) {
  if (given != 0) return given;
  if (!strides.empty() && p.right_hand_sides > 1) {
    refuse(std::string(name) + ": is 0, but with strides given and " +
           std::to_string(p.right_hand_sides) +
           " right_hand_sides it must say how far one is from the next");
  }
  // Arrays without elements have a step of 0, which would ask for the default.
  return otherwise.strides[0] != 0 ? otherwise.strides[0] : 1;
}

/// Checks that no two elements of a gradient are one, but along the axes that it is summed over.
void check_gradient(layout::resolved_array a, bool may_be_summed) {
  for (std::size_t k = 0; k < a.extents.size(); ++k) {
    if (may_be_summed && a.strides[k] == 0) a.extents[k] = std::min<index_t>(a.extents[k], 1);
  }
  layout::check_distinct(a);
}

/// Checks the gradient of rhs on its own, for errors that name it.
void check_rhs_gradient(const problem& p, const std::vector<index_t>& strides, index_t step) {
  for (std::size_t k = 0; k < strides.size(); ++k) {
    if (strides[k] != 0 || p.extents[k] <= 1) continue;
    refuse("layout.rhs_strides: the gradient of rhs has a stride of 0 along axis " +
           std::to_string(k) + ", as a broadcast rhs has, but it is not summed: give strides of " +
           "an array of extents " + layout::shape_text(p.extents));
  }
  layout::resolved_array a{"gradients.rhs", p.extents, strides};
  a.extents.insert(a.extents.begin(), p.right_hand_sides);
  a.strides.insert(a.strides.begin(), step);
  layout::check_size(a, p.type);
  check_gradient(std::move(a), false);
}

/// Describes a problem whose coefficients are the gradients, whose rhs is g, and whose x is the
/// gradient of rhs.
problem gradient_problem(const problem& forward, const layout::resolved& r,
                         const backward_layout& given) {
  problem p = forward;
  const auto& x = r.out;
  const auto& rhs = r.in[layout::rhs_in];
  p.rhs_strides = strides_or("layout.g_strides", given.g_strides, x, forward);
  p.rhs_step = step_or("layout.g_step", given.g_strides, given.g_step, x, forward);
  p.x_strides = strides_or("layout.rhs_strides", given.rhs_strides, rhs, forward);
  p.x_step = step_or("layout.rhs_step", given.rhs_strides, given.rhs_step, rhs, forward);
  check_rhs_gradient(forward, p.x_strides, p.x_step);
  if (layout::has_constant_coefficients(forward)) return p;
  p.coefficients = coefficients::per_system;  // a gradient need not be summed where A is shared
  p.dl_strides = strides_or("layout.dl_strides", given.dl_strides, r.in[layout::dl], forward);
  p.d_strides = strides_or("layout.d_strides", given.d_strides, r.in[layout::d], forward);
  p.du_strides = strides_or("layout.du_strides", given.du_strides, r.in[layout::du], forward);
  return p;
}

/// Returns the axes along which a gradient is summed: bit k for axis k.
std::uint64_t summed_axes(const layout::resolved_array& a) {
  std::uint64_t bits = 0;
  for (std::size_t k = 0; k < a.extents.size(); ++k) {
    if (a.strides[k] == 0 && a.extents[k] != 1) bits |= std::uint64_t{1} << k;
  }
  return bits;
}

using product_axis = layout::axis_of<product_array_count>;

/// Sorts axes by their strides in u and v, the fastest one last, and joins neighbours.
product_axes sorted_axes(std::vector<product_axis> list) {
  return layout::sort_axes(std::move(list), [](const product_axis& a) {
    return std::abs(a.stride[u_array]) + std::abs(a.stride[v_array]);
  });
}

/// Holds the arrays of a pass in the order of product_array.
struct pass_arrays {
  const layout::resolved_array* at[product_array_count];
};

void set_axes(band_pass& p, const pass_arrays& arrays, int rows_axis, std::uint64_t summed) {
  const auto& extents = arrays.at[u_array]->extents;
  std::vector<product_axis> kept, sums;
  for (int k = 0; k < static_cast<int>(extents.size()); ++k) {
    if (k == rows_axis || extents[k] == 1) continue;
    product_axis a{extents[k], {}};
    for (int j = 0; j < product_array_count; ++j) {
      const bool used = j < first_band || p.wanted[j - first_band];
      a.stride[j] = used ? arrays.at[j]->strides[k] : 0;
    }
    // Coefficients have no axis of right-hand sides.
    (k == 0 || (summed >> k & 1) ? sums : kept).push_back(a);
  }
  p.kept = sorted_axes(std::move(kept));
  p.summed = sorted_axes(std::move(sums));
}

void set_ragged_axes(band_pass& p, const pass_arrays& arrays, const problem& forward) {
  const index_t systems = static_cast<index_t>(forward.offsets.size()) - 1;
  p.kept = {1, systems, {product_axis{systems, {}}}};
  product_axis sides{forward.right_hand_sides, {}};
  for (const int a : {u_array, v_array}) sides.stride[a] = arrays.at[a]->strides[0];
  p.summed = {1, forward.right_hand_sides, {sides}};
}

/// Sets which factors of a product are conjugated. A^H is the conjugate of A^T: so is its gradient,
/// and by that its factors.
void set_conjugates(band_pass& p, operation op, cotangents convention) {
  const bool linear = convention == cotangents::linear;
  const bool hermitian = op == operation::conjugate_transpose;
  p.conjugate_u = linear ? hermitian : op == operation::transpose;
  p.conjugate_v = linear ? hermitian : op != operation::transpose;
}

void set_lines(band_pass& p, const pass_arrays& arrays, const problem& forward, int axis) {
  for (int a = 0; a < product_array_count; ++a) {
    // A stride that is never stepped may be anything.
    const index_t step = arrays.at[a]->extents[axis] > 1 ? arrays.at[a]->strides[axis] : 0;
    const bool shifted = a == array_of(sub_band) && forward.short_off_diagonals;
    p.lines[a] = {shifted ? -step : 0, step};
  }
}

}  // namespace

gradient_shapes resolve_gradients(const problem& forward, const backward_layout& given) {
  gradient_shapes s{layout::resolve(forward), {}};
  if (forward.ragged_layout != ragged_layout::concatenated) {
    throw error(errc::unsupported,
                "ragged_layout: gradients are formed of ragged batches that are "
                "concatenated, but this one is " +
                    std::string(name(forward.ragged_layout)));
  }
  s.arrays = layout::resolve(gradient_problem(forward, s.forward, given));
  const char* const names[] = {"gradients.dl", "gradients.d", "gradients.du", "g"};
  for (int k = 0; k < layout::input_count; ++k) s.arrays.in[k].name = names[k];
  s.arrays.out.name = "gradients.rhs";
  if (layout::has_constant_coefficients(forward)) return s;
  for (const int k : {layout::dl, layout::d, layout::du}) {
    layout::resolved_array& a = s.arrays.in[k];
    a.extents[0] = 1;  // of the right-hand sides, over which gradients are summed
    check_gradient(a, true);
    if (!forward.offsets.empty() && summed_axes(a) != 0) {
      refuse(std::string("layout: ") + a.name +
             " has a stride of 0, but in a ragged batch gradients are not summed over systems");
    }
  }
  return s;
}

adjoint_problem make_adjoint_problem(const problem& forward, cotangents convention,
                                     const gradient_shapes& shapes) {
  adjoint_problem a{forward, false};
  problem& p = a.problem;
  const auto& g = shapes.arrays.in[layout::rhs_in];
  p.rhs_strides = own_strides(g), p.rhs_step = g.strides[0];
  p.x_strides = own_strides(shapes.arrays.out), p.x_step = shapes.arrays.out.strides[0];
  const bool linear = convention == cotangents::linear;
  if (forward.operation == operation::none) {
    p.operation = linear ? operation::transpose : operation::conjugate_transpose;
    return a;
  }
  p.operation = operation::none;
  const bool hermitian = forward.operation == operation::conjugate_transpose;
  if (linear != hermitian || !is_complex(p.type)) return a;
  if (!layout::has_constant_coefficients(p)) {
    a.conjugated = true;
    return a;
  }
  const auto conjugate = [](near_toeplitz::row& r) {
    r = {std::conj(r.dl), std::conj(r.d), std::conj(r.du)};
  };
  conjugate(p.matrix.interior);
  std::for_each(p.matrix.head.begin(), p.matrix.head.end(), conjugate);
  std::for_each(p.matrix.tail.begin(), p.matrix.tail.end(), conjugate);
  return a;
}

std::vector<band_pass> make_passes(const problem& forward, cotangents convention,
                                   const gradient_shapes& shapes) {
  if (layout::has_constant_coefficients(forward)) return {};
  const layout::resolved_array &y = shapes.arrays.out, &x = shapes.forward.out;
  const layout::resolved_array* const in = shapes.arrays.in;
  const bool rows_of_rhs = has_rows_of_rhs(forward);
  const pass_arrays arrays{{rows_of_rhs ? &y : &x, rows_of_rhs ? &x : &y, &in[layout::dl],
                            &in[layout::d], &in[layout::du]}};
  std::vector<band_pass> passes;
  bool done[band_count] = {};
  for (int b = 0; b < band_count; ++b) {
    if (done[b]) continue;
    band_pass p{};
    const std::uint64_t summed = summed_axes(*arrays.at[array_of(b)]);
    for (int k = b; k < band_count; ++k) {
      p.wanted[k] = !done[k] && summed_axes(*arrays.at[array_of(k)]) == summed;
      done[k] |= p.wanted[k];
    }
    p.rows = shapes.forward.rows;
    p.periodic = forward.boundary == boundary::periodic;
    p.edges_stored = !forward.short_off_diagonals;
    p.rows_summed = (summed >> shapes.forward.axis & 1) != 0;
    set_conjugates(p, forward.operation, convention);
    set_lines(p, arrays, forward, shapes.forward.axis);
    if (forward.offsets.empty()) {
      set_axes(p, arrays, shapes.forward.axis, summed);
    } else {
      set_ragged_axes(p, arrays, forward);
    }
    passes.push_back(p);
  }
  return passes;
}

}  // namespace tridia::solver
