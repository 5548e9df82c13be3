// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "fields.hpp"

// These functions do the work of fields.hpp in the memory of the current device.
namespace tridia_bench {

#if defined(TRIDIA_BENCH_NCCL)
std::shared_ptr<double> device_doubles(std::size_t count);
void device_fill(double* to, const block_shape&, const std::vector<double>& of_row);
double device_largest_error(const double* from, const block_shape&,
                            const std::vector<double>& of_row);
#else
inline std::shared_ptr<double> device_doubles(std::size_t) { return {}; }
inline void device_fill(double*, const block_shape&, const std::vector<double>&) {}
inline double device_largest_error(const double*, const block_shape&, const std::vector<double>&) {
  return 0;
}
#endif

}  // namespace tridia_bench
