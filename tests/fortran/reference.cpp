// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
// This solves for the Fortran tests by the C++ interface.
#include <complex>
#include <cstring>
#include <vector>

#include "tridia/tridia.hpp"

namespace {

/// Describes a Fortran array: extents and strides in elements, the first axis fastest.
tridia::problem problem_of(int type, int rank, const std::int64_t* extents,
                           const std::int64_t* strides, int dim, int boundary, int pivoting) {
  tridia::problem p;
  p.type = static_cast<tridia::value_type>(type);
  p.extents.assign(std::reverse_iterator(extents + rank), std::reverse_iterator(extents));
  p.axis = rank - dim;
  p.boundary = static_cast<tridia::boundary>(boundary);
  p.pivoting = static_cast<tridia::pivoting>(pivoting);
  p.dl_strides.assign(std::reverse_iterator(strides + rank), std::reverse_iterator(strides));
  p.d_strides = p.du_strides = p.rhs_strides = p.x_strides = p.dl_strides;
  return p;
}

}  // namespace

/// Solves into a copy of `x`, of `bytes` bytes, and returns whether that is `x` bit for bit.
extern "C" int same_as_cpp(int type, int rank, const std::int64_t* extents,
                           const std::int64_t* strides, int dim, int boundary, int pivoting,
                           const void* dl, const void* d, const void* du, const void* rhs,
                           const void* x, std::int64_t bytes) {
  std::vector<std::complex<double>> copy(static_cast<std::size_t>(bytes) / 16 + 1);
  std::memcpy(copy.data(), x, static_cast<std::size_t>(bytes));
  std::vector<tridia::index_t> status(1 << 16);
  const tridia::problem p = problem_of(type, rank, extents, strides, dim, boundary, pivoting);
  tridia::solve(p, dl, d, du, rhs, copy.data(), {}, status);
  return std::memcmp(copy.data(), x, static_cast<std::size_t>(bytes)) == 0 ? 1 : 0;
}
