// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <complex>
#include <vector>

namespace tridia {

/// Describes a near-Toeplitz tridiagonal matrix: all interior rows are equal, and a few rows at
/// both ends may differ.
struct near_toeplitz {
  struct row {
    std::complex<double> dl, d, du;
  };
  row interior{};
  /// `head` holds rows 0, 1, …; `tail` holds the last rows, the very last one at its end. Both are
  /// empty for a Toeplitz matrix. The first row's dl and the last row's du are ignored, whatever
  /// they hold, unless the matrix is periodic.
  std::vector<row> head{}, tail{};
};

}  // namespace tridia
