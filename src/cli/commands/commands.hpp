// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

namespace tridia::cli {

/// Holds the options of `tridia solve`, as they are written.
struct solve_arguments {
  std::string dl, d, du, rhs, out;
  std::string constant;  ///< "DL,D,DU", in place of dl, d and du; empty: those files.
  std::vector<std::string> constant_head, constant_tail;  ///< Rows of their own at both ends.
  std::string offsets;                                    ///< A file; empty: no ragged batch.
  std::string ragged_layout = "concatenated";
  int axis = -1;
  bool periodic = false, transpose = false, conjugate_transpose = false;
  std::string pivoting = "partial", device = "cpu", algorithm = "automatic";
  int switch_point = 0, packing_depth = 0;
  std::string transformation = "none", neato_memory = "automatic";
  int threads = 0;
  std::string tuning;  ///< A file; empty: what comes with the library.
  std::string memory;  ///< Empty: half of what is available.
  bool json = false, quiet = false;
};

/// Holds the options of `tridia derive`.
struct derive_arguments {
  std::string in, out;  ///< NPY files, or FILE.h5:/DATASET.
  int axis = -1, order = 1;
  std::string scheme = "C6", closure;  ///< No closure: the scheme's default.
  double spacing = 1;
  bool periodic = false, transpose = false;
  std::string device = "cpu", memory;
  int threads = 0;
  bool json = false, quiet = false;
};

/// Holds the options of `tridia scheme`.
struct scheme_arguments {
  std::string name;  ///< Empty: all are listed.
  std::string what;  ///< A quantity; empty: whatever has a scheme of that name.
  double alpha = 0.45;
  std::string plot;  ///< A PNG file.
  bool list = false, json = false;
};

/// Holds the options of `tridia tune`.
struct tune_arguments {
  std::string device = "cuda";
  std::vector<std::string> types{"f64", "f32", "c128", "c64"};
  std::string out;  ///< Empty: standard output.
  double seconds = 120;
  bool quiet = false;
};

/// Holds the options of `tridia doctor`.
struct doctor_arguments {
  std::string memory;  ///< Empty: half of what is available.
  bool json = false;
};

/// These functions return the exit code, and throw `failure` or `tridia::error`.
int solve_command(const solve_arguments& arguments);
int derive_command(const derive_arguments& arguments);
int scheme_command(const scheme_arguments& arguments);
int info_command(bool json);
int doctor_command(const doctor_arguments& arguments);
int tune_command(const tune_arguments& arguments);

/// Replaces this process by the benchmark, with these arguments, the last one null. Throws if it is
/// not there.
int bench_command(char* const* arguments);
/// Does the same with the program that repeats the papers' experiments with the benchmark.
int reproduce_command(char* const* arguments);

}  // namespace tridia::cli
