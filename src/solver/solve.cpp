// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#include "tridia/solve.hpp"

#include "core/refuse.hpp"
#include "layout/resolve.hpp"
#include "solver/one_call.hpp"

#include <algorithm>
#include <utility>

namespace tridia {
namespace {

void throw_if_singular(std::span<const index_t> status) {
  const auto failed = std::find_if(status.begin(), status.end(), [](index_t s) { return s != 0; });
  if (failed == status.end()) return;
  const auto count = status.size() - std::count(status.begin(), status.end(), 0);
  const std::string row = "row " + std::to_string(std::abs(*failed));
  throw error(errc::singular,
              std::to_string(count) + " of " + std::to_string(status.size()) +
                  " systems have no finite solution; the first is system " +
                  std::to_string(failed - status.begin()) + ": " +
                  (*failed > 0 ? "the pivot of " + row + " (from 1) is exactly zero"
                               : row + " (from 1) holds or leads to a value that is not finite"));
}

using detail::shape;

std::size_t axis_of(const shape& rhs, int axis) {
  const int rank = static_cast<int>(rhs.extents.size());
  if (axis < -rank || axis >= rank) {
    refuse("axis: " + std::to_string(axis) + " is out of range for rhs's shape " +
           layout::shape_text(rhs.extents));
  }
  return static_cast<std::size_t>(axis < 0 ? axis + rank : axis);
}

void check_type(const char* name, const shape& a, const shape& rhs) {
  if (a.type == rhs.type) return;
  refuse(std::string(name) + ": is of type " + std::string(tridia::name(a.type)) +
         ", but rhs is of " + std::string(tridia::name(rhs.type)));
}

[[noreturn]] void disagree(const char* name, const shape& a, const shape& rhs, const char* why) {
  refuse(std::string(name) + ": its shape " + layout::shape_text(a.extents) +
         " does not fit that of rhs, " + layout::shape_text(rhs.extents) + ": " + why);
}

/// Returns the strides of a coefficient over the axes of rhs, 0 where it is broadcast.
std::vector<index_t> broadcast(const char* name, const shape& a, const shape& rhs, std::size_t axis,
                               index_t rows) {
  check_type(name, a, rhs);
  std::vector<index_t> strides(rhs.extents.size(), 0);
  if (a.extents.size() == 1) {
    if (a.extents[0] != rows)
      disagree(name, a, rhs, "one-dimensional, but not of the axis' length");
    strides[axis] = a.strides[0];
    return strides;
  }
  if (a.extents.size() != rhs.extents.size()) disagree(name, a, rhs, "the ranks differ");
  for (std::size_t k = 0; k < strides.size(); ++k) {
    const index_t wanted = k == axis ? rows : rhs.extents[k];
    if (a.extents[k] == wanted) {
      strides[k] = a.strides[k];
    } else if (k == axis || a.extents[k] != 1) {
      disagree(name, a, rhs, "each extent must be the same, or 1 to be broadcast");
    }
  }
  return strides;
}

index_t rows_along(const shape& a, std::size_t axis) {
  return a.extents.size() == 1 ? a.extents[0] : axis < a.extents.size() ? a.extents[axis] : -1;
}

}  // namespace

namespace detail {

problem problem_of(const shape& dl, const shape& d, const shape& du, const shape& rhs,
                   const shape& x, const solve_options& o) {
  const std::size_t axis = axis_of(rhs, o.axis);
  check_type("x", x, rhs);
  if (x.extents != rhs.extents) disagree("x", x, rhs, "they must be the same");
  const index_t n = rhs.extents[axis];
  problem p{.type = rhs.type,
            .extents = rhs.extents,
            .axis = o.axis,
            .boundary = o.boundary,
            .pivoting = o.pivoting,
            .operation = o.operation};
  p.short_off_diagonals = n > 0 && rows_along(dl, axis) == n - 1 && rows_along(du, axis) == n - 1;
  const index_t off = p.short_off_diagonals ? n - 1 : n;
  p.dl_strides = broadcast("dl", dl, rhs, axis, off);
  p.d_strides = broadcast("d", d, rhs, axis, n);
  p.du_strides = broadcast("du", du, rhs, axis, off);
  p.rhs_strides = rhs.strides;
  p.x_strides = x.strides;
  return p;
}

}  // namespace detail

namespace {

void solve_with(const plan& made, const void* dl, const void* d, const void* du, const void* rhs,
                void* x, std::span<index_t> status, void* stream) {
  const auto systems = static_cast<std::size_t>(made.systems());
  if (!status.empty() && status.size() < systems) {
    refuse("status: has " + std::to_string(status.size()) + " entries, but there are " +
           std::to_string(systems) + " systems");
  }
  std::vector<index_t> own;
  const bool throws = status.empty();
  if (throws) {
    own = solver::host_statuses(systems);
    status = own;
  }
  solver::execute_and_wait(made, dl, d, du, rhs, x, status.first(systems), stream);
  if (throws) throw_if_singular(status);
}

void check_kind(const problem& p, bool constant) {
  if (constant == layout::has_constant_coefficients(p)) return;
  refuse("coefficients: are " + std::string(name(p.coefficients)) +
         (constant ? ", so dl, d and du are needed" : ", so neither dl, d nor du are taken"));
}

}  // namespace

void solve(const problem& p, const void* dl, const void* d, const void* du, const void* rhs,
           void* x, const options& o, std::span<index_t> status, void* stream) {
  check_kind(p, false);
  solve_with(plan(p, o), dl, d, du, rhs, x, status, stream);
}

void solve(const problem& p, const void* rhs, void* x, const options& o, std::span<index_t> status,
           void* stream) {
  check_kind(p, true);
  solve_with(plan(p, o), nullptr, nullptr, nullptr, rhs, x, status, stream);
}

}  // namespace tridia
