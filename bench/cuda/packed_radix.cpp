// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#include "packed_radix.hpp"

#include "device.hpp"
#include "device_systems.hpp"
#include "packed_radix_kernels.hpp"

#include <algorithm>
#include <string>
#include <vector>

namespace tridia_bench {
namespace {

using tridia::cuda::packed_launches;
using tridia::cuda::packed_shape;

/// Describes dense systems that follow each other, as the kernel takes them. The library's own
/// function is not part of its interface, which is all that this program links.
tridia::layout::geometry contiguous_geometry(const systems_spec& spec) {
  tridia::layout::geometry g{};
  const index_t n = spec.n;
  g.rows = n;
  for (auto& line : g.lines) line = {0, 1};
  g.edges_readable = true;
  g.matrices = {1, spec.batch, {{spec.batch, {n, n, n, n, n, 1}}}};
  g.right_sides = {0, 1, {}};
  return g;
}

packed_shape shape_for(const systems_spec& spec, int depth) {
  const std::size_t bytes = size_of(spec.type);
  const index_t most = tridia::cuda::most_packed_rows(depth, bytes);
  if (spec.n > most) {
    throw left_out("packed_cr with packing depth " + std::to_string(depth) + " takes systems of " +
                   std::to_string(most) + " rows at most");
  }
  return tridia::cuda::packed_shape_of(spec.n, depth, bytes);
}

void judge(row& r, const device_systems& data, const device_array& x, const device_array& status) {
  set_residual(r, data.residual(x), data.spec().type);
  std::vector<index_t> codes(static_cast<std::size_t>(data.spec().batch));
  status.download(codes.data());
  if (std::any_of(codes.begin(), codes.end(), [](index_t c) { return c != 0; })) {
    r.error = "a system has a status that is not 0";
  }
}

void run(benchmark::State& state, row& r, const systems_spec& spec, int depth) {
  const packed_shape shape = shape_for(spec, depth);
  const packed_launches kernels = packed_radix_4_kernels(spec.type);
  int device = 0, shared_bytes = 0, registers = 0;
  check(cudaGetDevice(&device), "cudaGetDevice");
  check(cudaDeviceGetAttribute(&shared_bytes, cudaDevAttrMaxSharedMemoryPerBlockOptin, device),
        "cudaDeviceGetAttribute");
  check(kernels.prepare(depth, static_cast<std::size_t>(shared_bytes), &registers),
        "cudaFuncSetAttribute");
  const auto data = cached_device_systems(spec);
  const device_clock clock;
  const device_array x(data->rhs().bytes()),
      status(static_cast<std::size_t>(spec.batch) * sizeof(index_t));
  const tridia::layout::geometry g = contiguous_geometry(spec);
  const tridia::solver::operands o{
      {data->dl().data(), data->d().data(), data->du().data(), data->rhs().data()},
      x.data(),
      status.as<index_t>()};
  const auto solve = [&] {
    check(kernels.solve(g, o, shape, clock.stream()), "launching packed CR");
  };
  solve();  // warms up
  measure(state, r, [&] {
    x.set(0xff, clock.stream());  // NaN; the clock empties the cache after it
    return clock.time(solve);
  });
  clock.wait();
  r.note = "a block a system, " + std::to_string(shape.threads) + " threads of " +
           std::to_string(registers) + " registers, " + std::to_string(shape.shared_bytes) +
           " bytes of shared memory, packing depth " + std::to_string(depth) + ", radix 4";
  r.workspace_bytes = 0;
  judge(r, *data, x, status);
}

}  // namespace

void add_packed_radix_4(suite& s, const systems_spec& spec, int depth) {
  constexpr int repetitions = 51;
  row r = row_of(spec, "tridia cuda, packed_cr with radix 4");
  r.pivoting = tridia::name(tridia::pivoting::none);
  r.parameter = "packing depth " + std::to_string(depth);
  add_case(s, r, repetitions,
           [=](benchmark::State& state, row& out) { run(state, out, spec, depth); });
}

}  // namespace tridia_bench
