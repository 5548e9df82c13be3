// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "core/chunk.hpp"
#include "core/elimination.hpp"
#include "core/extended.hpp"
#include "tridia/problem.hpp"

#include <cstddef>
#include <optional>
#include <vector>

// This header handles constant coefficients: what depends on the matrix alone is computed when a
// plan is made, in higher precision, and rounded once.
namespace tridia::line_operator {

using wide = core::complex<core::extended>;

/// Holds the matrix that the systems are solved with: transposed, conjugated, and folded where
/// fewer than three periodic rows make entries coincide, so that its boundary is regular then.
struct constant_matrix {
  tridia::boundary boundary;
  std::vector<core::row<wide>> rows;
};

/// Returns row k of n of the input; where the matrix ends its dl and du may be anything.
const near_toeplitz::row& row_of(const near_toeplitz&, index_t n, index_t k);

/// Makes the matrix of a problem. Throws `error` (invalid_argument) for a matrix that does not fit
/// it.
constant_matrix make_constant_matrix(const problem&, index_t rows);

/// Holds the factors of a matrix, row by row: lower, then upper (core/elimination.hpp).
struct constant_factors {
  tridia::boundary boundary;
  tridia::pivoting pivoting;
  index_t rows;
  int values_a_row;
  bool finite;  // or there is no finite inverse
  std::vector<wide> at;
};

/// Holds one row of the factors of a regular matrix. With r the right-hand side, c the eliminated
/// one: c[k + 1] = r[k + 1] - below c[k], after r[k + 1] and c[k] have changed places if `swapped`;
/// x[k] = inverse c[k] - next x[k + 1] - fill x[k + 2].
struct factored_row {
  wide inverse, below, next, fill;
  bool swapped;
};
factored_row row_of(const constant_factors&, index_t k);

/// Longer lines are factored, to see whether they are singular, only where no scan of their parts
/// shows that they are not: factors take time and memory for each row.
inline constexpr index_t most_factored_rows = index_t{1} << 17;

/// Factors a matrix. This is the only elimination of matrices that are known beforehand: saved
/// factors, recurrences, and the tables of compact operators are made of what it returns. Some
/// factors are not finite where there is no finite inverse.
constant_factors eliminate(const constant_matrix&, pivoting);

/// Does what `eliminate` does, but throws `error` (singular) where there is no finite inverse, to
/// working precision.
constant_factors factor(const constant_matrix&, pivoting);

/// Returns A^-1 rhs.
std::vector<wide> solve(const constant_factors&, std::vector<wide> rhs);

/// Holds the factors without interchanges as recurrences (core/recurrence.hpp), or, if cyclic, the
/// factors c (1 + p S^-1) (1 + q S) of a circulant matrix, S the shift: lower = p, upper = q,
/// inverse = 1 / c in every row, and what leaves the last row comes in at the first.
struct recurrences {
  bool cyclic;
  std::vector<wide> lower, inverse, upper;
  /// These are used if cyclic: what a sweep that began with zero leaves at its end is to be
  /// multiplied by them.
  wide closing_down, closing_back;
};

/// Returns nothing where rounding errors would grow by more than `growth`, or a periodic matrix is
/// not circulant. `known` are factors of the matrix, if there are any: a regular matrix is
/// eliminated again only where they interchange rows.
std::optional<recurrences> make_recurrences(const constant_matrix&,
                                            int growth = core::bounded_growth,
                                            const constant_factors* known = nullptr);

/// Rounds numbers to `type`, one after another.
std::vector<std::byte> rounded(const std::vector<wide>&, value_type type);

/// Holds factors as an executor of one matrix keeps them, in a status and words of `type`; every
/// number once for each of `lanes`. They take whole cache lines, so that they begin aligned.
struct alignas(64) memory_line {
  std::byte bytes[64];
};
std::vector<memory_line> rounded(const constant_factors&, value_type type, int lanes = 1);

}  // namespace tridia::line_operator
