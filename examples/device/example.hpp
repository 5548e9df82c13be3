// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

// What the examples share: arrays of the machine that they run on, a GPU if nvcc compiles them and
// else a CPU, times, and a file for a picture (plot.py).
#include <cstdio>
#include <cstdlib>
#include <initializer_list>
#include <vector>

#if defined(__CUDACC__)
#include "on_gpu.hpp"
#else
#include "on_cpu.hpp"
#endif

namespace example {

/// Returns argument `at`, or `otherwise` if there are fewer; ends the program where it is below 1.
inline int number(int count, char** arguments, int at, int otherwise) {
  const int value = count > at ? std::atoi(arguments[at]) : otherwise;
  if (value >= 1) return value;
  std::fprintf(stderr, "argument %d must be a number from 1 on\n", at);
  std::exit(2);
}

/// Writes columns of numbers to argument `at`, if there is one, for plot.py.
inline void write_columns(int count, char** arguments, int at,
                          std::initializer_list<std::vector<double>> columns) {
  if (count <= at) return;
  std::FILE* const file = std::fopen(arguments[at], "w");
  if (file == nullptr) {
    std::perror(arguments[at]);
    std::exit(1);
  }
  for (std::size_t k = 0; k < columns.begin()->size(); ++k) {
    for (const auto& column : columns) std::fprintf(file, "%.10g ", column[k]);
    std::fprintf(file, "\n");
  }
  std::fclose(file);
}

}  // namespace example
