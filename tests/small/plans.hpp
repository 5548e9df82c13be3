// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <gtest/gtest.h>

#include <ostream>
#include <string>
#include <vector>

#include "small/kernels.hpp"
#include "support/experiment.hpp"

namespace tridia_test {

/// Holds a problem that is as small as possible and still takes a certain path through the kernels.
/// Such problems run under compute-sanitizer, which slows kernels down by two orders of magnitude.
struct small_case {
  std::string name;
  tridia::problem problem;
  std::vector<kernel> kernels;  ///< That it must meet.
  run_options how = {};
  std::string reason = {};  ///< Part of the plan's, which tells shapes of one kernel apart.
  bool dominant = false;    ///< With pivoting too: so that nothing is interchanged.
};

/// Returns the name, and the properties that variants differ in.
std::string label(const small_case& c);
void PrintTo(const small_case& c, std::ostream* out);

/// Describes cases for each of `types`, without and with pivoting, regular and periodic.
/// `make(type)` is the problem; ragged batches are regular.
struct variants {
  std::vector<tridia::value_type> types = {tridia::value_type::f32, tridia::value_type::f64,
                                           tridia::value_type::c64, tridia::value_type::c128};
  std::vector<tridia::pivoting> pivotings = {tridia::pivoting::none, tridia::pivoting::partial};
  std::vector<tridia::boundary> boundaries = {tridia::boundary::regular,
                                              tridia::boundary::periodic};
};
void add_variants(std::vector<small_case>& all, const small_case& c, const variants& of = {});

/// Solves a case by the kernels that it must meet, again if factors are kept, and once more with
/// systems among it that have no solution.
void expect_small_case(const small_case& c);

/// These are for INSTANTIATE_TEST_SUITE_P: the cases, if there is a GPU, and their names.
std::vector<small_case> on_gpu(std::vector<small_case> (*cases)());
std::string case_name(const ::testing::TestParamInfo<small_case>& info);

}  // namespace tridia_test
