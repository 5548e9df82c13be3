// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "row.hpp"
#include "systems.hpp"

#include "tridia/tuning.hpp"

#include <benchmark/benchmark.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace tridia_bench {

/// Holds the options of the command line.
struct suite_options {
  /// This names the cases of the targets, "solve", "derive", "backward" or "inside", or a paper's
  /// experiment.
  std::string cases = "solve";
  std::string device = "cpu";
  std::string json;     ///< Where the results go; empty: nowhere.
  std::string remark;   ///< What a reader of the results should know; empty: nothing.
  std::string mkl;      ///< A directory below which libmkl_rt.so is looked for.
  int repetitions = 0;  ///< In every case; 0: each case's own number.
  /// A case is repeated for at most this long, but three times at least; 0 means no limit.
  double case_seconds = 0;
  std::uint64_t seed = 0;  ///< For the systems on a GPU.
  /// This table replaces the measurements that come with the library.
  std::shared_ptr<const tridia::tuning_table> tuning;
  bool huge_pages = false;
};

/// Holds the rows of a run and its floors: cases are added, and Google Benchmark runs them.
struct suite {
  suite_options options;
  copy_floors floors;
  std::vector<row> rows;
};

/// Runs what is to be timed once and returns its milliseconds.
using timed_call = std::function<double()>;

/// Registers a case. `body` gets the case's Google Benchmark state and a row in which everything
/// but the times is known; it prepares, calls `measure`, checks, and fills in the rest.
void add_case(suite& s, row prototype, int repetitions,
              std::function<void(benchmark::State&, row&)> body);

/// Calls as often as the case asks for, or as its time allows; the times go into the row.
void measure(benchmark::State& state, row& r, const timed_call& call);

/// Checks the residual; a bad one makes an error of the row.
void set_residual(row& r, double residual, tridia::value_type type);

/// Returns a row with the fields that a spec gives: type, n, batch, layout, boundary, case, floor.
row row_of(const systems_spec& spec, std::string solver);

}  // namespace tridia_bench
