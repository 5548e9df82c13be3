// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause

// These tests run operators on a GPU, in graphs and with memory that is not the GPU's. Their
// results are in the tests that run on every backend.
#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "support/device_memory.hpp"
#include "support/operators.hpp"
#include "support/refusal.hpp"

namespace tridia_test {
namespace {

using namespace tridia;

std::vector<double> waves(std::size_t count, double phase) {
  std::vector<double> all(count);
  for (std::size_t i = 0; i < count; ++i) all[i] = std::sin(0.37 * static_cast<double>(i) + phase);
  return all;
}

/// Returns a grid for each path of the GPU: lines in blocks, contiguous and interleaved, with a
/// metric; and lines that are too short or too long for that. Their adjoints are tested as well.
std::vector<grid> grids() {
  std::vector<grid> all(6);
  all[0].extents = {33, 70};
  all[1].extents = {70, 33}, all[1].axis = 0;
  all[2].extents = {5, 70, 9}, all[2].axis = 1, all[2].boundary = boundary::periodic;
  all[3].extents = {7, 50}, all[3].metric.assign(50, 0.25);
  all[4].extents = {300, 11};
  all[5].extents = {3, 30011};
  const std::size_t count = all.size();
  for (std::size_t k = 0; k < count; ++k) {
    all.push_back(all[k]);
    all.back().operation = operation::transpose;
  }
  return all;
}

TEST(CompactCuda, IsCapturedInAGraph) {
  if (!have_gpu()) GTEST_SKIP();
  const stream_handle stream = make_stream();
  for (const grid& g : grids()) {
    std::size_t count = 1;
    for (const index_t e : g.extents) count *= static_cast<std::size_t>(e);
    const std::size_t bytes = count * sizeof(double);
    const compact_operator op(find_scheme(quantity::first_derivative, "C6"), g,
                              {.backend = backend::cuda});
    const device_bytes in = allocate_on_device(bytes), out = allocate_on_device(bytes),
                       workspace = allocate_on_device(op.workspace_bytes());
    captured_graph graph(stream.get(), [&] {
      const execution e{.workspace = workspace.get(),
                        .workspace_bytes = op.workspace_bytes(),
                        .stream = stream.get()};
      op.apply(static_cast<const void*>(in.get()), out.get(), e);
      op.apply_add(0.5, static_cast<const void*>(in.get()), out.get(), e);
    });
    for (const double phase : {0.0, 1.0}) {  // other data at the same addresses
      const std::vector<double> field = waves(count, phase);
      std::vector<double> expected(count), result(count);
      apply_anywhere(op, field, expected);
      apply_anywhere(op, field, expected, 0.5);
      copy_to_device(in.get(), field.data(), bytes);
      copy_to_device(out.get(), std::vector<double>(count, std::nan("")).data(), bytes);
      graph.replay();
      copy_to_host(result.data(), out.get(), bytes);
      EXPECT_EQ(result, expected) << op.grid().extents.back();
    }
  }
}

TEST(CompactCuda, RefusesMemoryOfTheHost) {
  if (!have_gpu()) GTEST_SKIP();
  for (const grid& g : grids()) {
    const compact_operator op(find_scheme(quantity::first_derivative, "C6"), g,
                              {.backend = backend::cuda});
    std::vector<double> a(100000), b(100000);
    const device_bytes there = allocate_on_device(100000 * sizeof(double));
    const execution none;
    const void* const on_host = a.data();
    expect_refusal(errc::wrong_device, {"in"},
                   [&] { op.apply(on_host, static_cast<void*>(there.get()), none); });
    expect_refusal(errc::wrong_device, {"out"}, [&] {
      op.apply(static_cast<const void*>(there.get()), static_cast<void*>(b.data()), none);
    });
    expect_refusal(errc::invalid_argument, {"workspace", "GPU"}, [&] { op.apply(&a[0], &b[0]); });
  }
}

TEST(CompactCuda, IsRefusedWithoutAGpu) {
  if (have_gpu()) GTEST_SKIP();
  expect_refusal(errc::unsupported, {"backend", "cuda"}, [] {
    compact_operator(find_scheme(quantity::first_derivative, "C6"), grids()[0],
                     {.backend = backend::cuda});
  });
}

}  // namespace
}  // namespace tridia_test
