// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "support/experiment.hpp"
#include "support/oracle.hpp"

// These functions make and check systems without a finite solution in a batch of others.
namespace tridia_test {

/// Names an entry of a matrix, where the library is given it.
struct entry {
  role array;
  index_t row;
};

/// Returns the entries of a column of op(A), which has n rows.
std::vector<entry> column_of(const tridia::problem& p, index_t n, index_t column);

/// Makes one to five systems of an experiment fail, where there are any, each for a random reason:
/// a number of a matrix or of a right-hand side that is not finite, or a column of zeros. All
/// systems that share a matrix fail with it. Constant ones are left as they are. X starts from a
/// number, so that what was never stored is not taken for NaN.
void make_some_fail(experiment& e, rng& random);

/// Returns whether a system, as the library was given it, has to fail: its numbers are not all
/// finite, or its matrix has a column of zeros.
bool has_to_fail(const experiment& e, index_t system);

/// Returns what is wrong with an experiment in which some systems have to fail, in addition to what
/// check_solution finds, or "". Those systems must have failed. All systems that are the same in
/// `without`, where none fails, must have the same solution there, bit for bit, unless they round
/// by their company.
std::string check_failures(const experiment& e, const experiment& without);

/// Returns whether the rounding of a system depends on the systems beside it: if a GPU solves
/// systems that follow each other as one, rounding depends on where they lie, and if one of them
/// fails, they are solved one by one.
bool rounds_by_company(const tridia::plan& p);

}  // namespace tridia_test
