// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "../derive.hpp"
#include "derive_kernels.hpp"
#include "device.hpp"

#include <cstddef>
#include <vector>

namespace tridia_bench {

inline device_array uploaded(const std::vector<double>& values) {
  device_array there(values.size() * sizeof(double));
  there.upload(values.data());
  return there;
}

/// Holds a field whose results along an axis are known.
class known_field {
 public:
  known_field(const std::vector<index_t>& extents, const std::vector<double>& line)
      : g_(uploaded(line)),
        field_{.extents = {extents[0], extents[1], extents[2]},
               .period = static_cast<index_t>(line.size()),
               .factors = {g_.as<double>(), g_.as<double>(), g_.as<double>()}},
        values_(bytes()) {
    check(launch_fill(field_, values_.as<double>(), nullptr), "filling a field");
    check(cudaDeviceSynchronize(), "filling a field");
  }

  [[nodiscard]] std::size_t bytes() const {
    return static_cast<std::size_t>(field_.size()) * sizeof(double);
  }
  [[nodiscard]] const double* data() const { return values_.as<double>(); }

  /// Returns the largest error of results, of which those of the line are known, over the largest
  /// of these.
  [[nodiscard]] double error(const device_array& out, int axis,
                             const std::vector<double>& line) const {
    const device_array h = uploaded(line), worst = uploaded({0});
    product_field expected = field_;
    expected.factors[axis] = h.as<double>();
    check(launch_judge(expected, out.as<double>(), worst.as<double>(), nullptr), "judging");
    double value = 0;
    worst.download(&value);
    return value / largest(line);
  }

 private:
  device_array g_;
  product_field field_;
  device_array values_;
};

/// Times `work`, which writes all of `outs`.
template <class F>
void measure_on_device(benchmark::State& state, row& r, const device_clock& clock,
                       const std::vector<const device_array*>& outs, F&& work) {
  work();  // warms up
  measure(state, r, [&] {
    for (const device_array* out : outs) out->set(0xff, clock.stream());  // NaN
    return clock.time(work);
  });
  clock.wait();
}

}  // namespace tridia_bench
