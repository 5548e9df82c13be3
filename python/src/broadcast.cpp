// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#include "broadcast.hpp"

#include <algorithm>

namespace tridia::python {
namespace {

/// Describes one array over the axes of the result.
class aligned {
 public:
  aligned(const array& a, int rank, int axis)
      : a_(a), shift_(a.rank() == 1 ? axis : rank - a.rank()) {}

  [[nodiscard]] const array& source() const { return a_; }
  [[nodiscard]] bool has(int k) const { return k >= shift_ && k < shift_ + a_.rank(); }
  [[nodiscard]] index_t extent(int k) const { return has(k) ? a_.extent(k - shift_) : 1; }
  [[nodiscard]] index_t stride(int k) const { return extent(k) == 1 ? 0 : a_.stride(k - shift_); }

  [[nodiscard]] std::vector<index_t> strides(int rank) const {
    std::vector<index_t> s(static_cast<std::size_t>(rank));
    for (int k = 0; k < rank; ++k) s[k] = stride(k);
    return s;
  }

 private:
  const array& a_;
  int shift_;
};

[[noreturn]] void disagree(const array& a, const array& b, const std::string& why) {
  value_failure(a.name(), "its shape " + a.shape_text() + " does not fit that of " + b.name() +
                              ", " + b.shape_text() + ": " + why);
}

/// Returns the rows of a system. An array of one row beside others is broadcast.
index_t rows_of(const aligned& b, const aligned& d, int axis) {
  const index_t nb = b.extent(axis), nd = d.extent(axis);
  if (nb != nd && nb != 1 && nd != 1) {
    disagree(d.source(), b.source(),
             std::to_string(nd) + " and " + std::to_string(nb) + " rows along the axis");
  }
  return nb == 1 ? nd : nb;
}

bool are_short(const aligned& dl, const aligned& du, index_t rows, int axis, bool periodic) {
  return !periodic && rows > 0 && dl.has(axis) && du.has(axis) && dl.extent(axis) == rows - 1 &&
         du.extent(axis) == rows - 1;
}

void check_rows(const aligned& off, const aligned& b, index_t rows, int axis, bool is_short,
                bool periodic) {
  const index_t own = off.extent(axis);
  if (is_short || own == rows || own == 1) return;
  const std::string wanted =
      periodic ? std::to_string(rows)
               : std::to_string(rows) + ", or both off-diagonals " + std::to_string(rows - 1);
  disagree(off.source(), b.source(),
           std::to_string(own) + " entries along the axis, but there must be " + wanted);
}

}  // namespace

solve_shape broadcast(const array& dl_, const array& d_, const array& du_, const array& b_,
                      index_t axis_, bool periodic) {
  const int rank = std::max({dl_.rank(), d_.rank(), du_.rank(), b_.rank()});
  if (rank == 0) value_failure("b", "has no axis, but systems lie along one");
  if (axis_ < -rank || axis_ >= rank) {
    value_failure("axis", std::to_string(axis_) + " is out of range for " + std::to_string(rank) +
                              (rank == 1 ? " axis" : " axes"));
  }
  const int axis = static_cast<int>(axis_ < 0 ? axis_ + rank : axis_);
  const aligned dl(dl_, rank, axis), d(d_, rank, axis), du(du_, rank, axis), b(b_, rank, axis);
  const index_t rows = rows_of(b, d, axis);
  solve_shape s{std::vector<index_t>(static_cast<std::size_t>(rank)),
                static_cast<std::size_t>(axis),
                are_short(dl, du, rows, axis, periodic),
                true,
                dl.strides(rank),
                d.strides(rank),
                du.strides(rank),
                b.strides(rank)};
  // The stride of a single entry along the axis is never stepped: it is not 0, as that would say
  // that rows are broadcast.
  if (rows == 1) s.dl[axis] = s.d[axis] = s.du[axis] = s.b[axis] = 1;
  if (rows == 2 && s.short_off_diagonals) s.dl[axis] = s.du[axis] = 1;
  check_rows(dl, b, rows, axis, s.short_off_diagonals, periodic);
  check_rows(du, b, rows, axis, s.short_off_diagonals, periodic);
  for (int k = 0; k < rank; ++k) {
    if (k == axis) {
      s.extents[k] = rows;
      continue;
    }
    index_t extent = b.extent(k);
    for (const aligned* a : {&dl, &d, &du}) {
      const index_t own = a->extent(k);
      if (own == 1) continue;
      if (extent != 1 && extent != own)
        disagree(a->source(), b_, "each extent must be the same, or 1");
      extent = own;
    }
    s.extents[k] = extent;
    s.shared = s.shared && s.dl[k] == 0 && s.d[k] == 0 && s.du[k] == 0;
  }
  return s;
}

std::vector<index_t> gradient_strides(const array& a, const solve_shape& s, index_t rows) {
  const int rank = static_cast<int>(s.extents.size()), axis = static_cast<int>(s.axis);
  const aligned along(a, rank, axis);
  bool fits = a.rank() <= rank;
  for (int k = 0; fits && k < rank; ++k) {
    const index_t own = along.extent(k);
    fits = own == 1 || own == (k == axis ? rows : s.extents[k]);
  }
  if (!fits) {
    value_failure(a.name(), "its shape " + a.shape_text() + " does not broadcast to " +
                                tuple_text(s.extents.data(), s.extents.size()));
  }
  std::vector<index_t> strides = along.strides(rank);
  if (rows == 1) strides[axis] = 1;  // a single entry is no sum, as in `broadcast`
  return strides;
}

}  // namespace tridia::python
