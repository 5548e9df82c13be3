// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <complex>
#include <vector>

namespace tridia {

/// A tridiagonal matrix of constants, with rows of its own at both ends.
struct near_toeplitz {
  struct row {
    std::complex<double> dl, d, du;
  };
  row interior{};
  /// Rows 0, 1, … and the last rows, the very last one at the end; none for a Toeplitz matrix. The
  /// first row's dl and the last row's du are ignored, whatever they hold, unless the matrix is
  /// periodic.
  std::vector<row> head{}, tail{};
};

}  // namespace tridia
