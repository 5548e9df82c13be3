// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tridia/near_toeplitz.hpp"
#include "tridia/types.hpp"

#include <string>
#include <vector>

namespace tridia::cli {

/// Reads a matrix from the texts of its interior row, of the rows at its head and of those at its
/// tail: three numbers "DL,D,DU" each, complex ones as Python writes them ("0.5-2j"). Throws
/// `failure` (bad input) about the option of the text that is none.
near_toeplitz parse_matrix(const std::string& interior, const std::vector<std::string>& head,
                           const std::vector<std::string>& tail);

/// Returns row k of n of a matrix. Where the matrix ends its dl and du may be anything.
const near_toeplitz::row& row_of(const near_toeplitz& a, index_t n, index_t k);

}  // namespace tridia::cli
