// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#include "transformation.hpp"

#include "captured_graph.hpp"
#include "prepared_plan.hpp"

#include <stdexcept>
#include <string>

namespace tridia_bench {

void add_transformation(suite& s, const systems_spec& spec, tridia::transformation t) {
  constexpr int repetitions = 51;
  row r = row_of(spec, "transformation");
  r.parameter = tridia::name(t);
  r.floor_bytes = 0;  // it is a part of a solve, and not held to all of its bytes
  add_case(s, r, repetitions, [=, &s](benchmark::State& state, row& out) {
    const auto data = cached_device_systems(spec);
    const device_clock clock;
    const prepared_plan p(
        s.options, spec, tridia::pivoting::none, clock.stream(),
        {.algorithm = tridia::algorithm::thomas, .parameters = {.transformation = t}});
    const device_array x(data->rhs().bytes());
    p.execute(*data, x);  // loads the kernels
    clock.wait();
    const captured_graph graph(clock.stream(), [&] { p.execute(*data, x); });
    // The kernels that interleave and put back have blocks of two dimensions, like their tiles.
    const int moving =
        graph.leave_out([](const cudaKernelNodeParams& k) { return k.blockDim.y == 1; });
    if (moving != 2) {
      throw std::runtime_error("the transformation has " + std::to_string(moving) +
                               " kernels, not 2");
    }
    graph.launch(clock.stream());  // warms up
    measure(state, out, [&] { return clock.time([&] { graph.launch(clock.stream()); }); });
    clock.wait();
    out.workspace_bytes = p.plan().workspace_bytes();
  });
}

}  // namespace tridia_bench
