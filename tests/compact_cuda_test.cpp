// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause

// These tests run operators on a GPU, in graphs and with memory that is not the GPU's. Their
// results are in the tests that run on every backend.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "support/device_memory.hpp"
#include "support/operators.hpp"
#include "support/raise_error.hpp"
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
    const std::size_t count = count_of(g.extents);
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

/// Holds grids whose tiles have all lines that a tile may have: several rounds of lines of one
/// chunk, rows that begin anywhere in groups of warps and in rounds, by elements where they cannot
/// be moved otherwise, and lines that begin or end anywhere.
std::vector<grid> grids_of_large_tiles() {
  const auto field = [](std::vector<index_t> extents, int axis, std::vector<index_t> in = {},
                        std::vector<index_t> out = {}) {
    grid g;
    g.extents = std::move(extents), g.axis = axis;
    g.in_strides = std::move(in), g.out_strides = std::move(out);
    return g;
  };
  return {field({118'273, 6}, 1),
          field({6, 70'001}, 0),
          field({6, 70'016}, 0),
          field({257, 16'897}, 0),
          field({301, 16'897}, 0),
          field({37, 40'001}, 0),
          field({70, 43, 257}, 1),
          field({1201, 131}, 1),
          field({1201, 80}, 1),
          field({601, 80}, 1, {81, 1}, {80, 1}),
          field({601, 203}, 1, {205, 1}, {207, 1}),
          field({9, 4999}, 1)};
}

template <class T>
void expect_as_on_cpu(const scheme& what, grid g, std::size_t skipped) {
  g.type = sizeof(T) == 4 ? value_type::f32 : value_type::f64;
  const compact_operator here(what, g), there(what, g, {.backend = backend::cuda});
  const auto count = [](const std::vector<index_t>& extents, const std::vector<index_t>& strides) {
    const std::size_t all = count_of(extents);
    const auto first = static_cast<std::size_t>(extents[0]);
    return strides.empty() ? all : std::max(all, first * static_cast<std::size_t>(strides[0]));
  };
  const std::size_t points = count(here.in_extents(), g.in_strides);
  const std::size_t rows = count(here.out_extents(), g.out_strides);
  const std::vector<double> wave = waves(points, 0.5);
  // What lies between lines stays as it is, and is no larger than the results.
  std::vector<T> in(wave.begin(), wave.end()), expected(rows, T(0.25)), found(expected);
  here.apply(in.data(), expected.data());
  here.apply_add(0.5, in.data(), expected.data());
  // Arrays may begin anywhere as well.
  const device_bytes from = allocate_on_device((points + skipped) * sizeof(T)),
                     to = allocate_on_device((rows + skipped) * sizeof(T)),
                     workspace = allocate_on_device(there.workspace_bytes());
  T* const first = static_cast<T*>(static_cast<void*>(from.get())) + skipped;
  T* const out = static_cast<T*>(static_cast<void*>(to.get())) + skipped;
  copy_to_device(first, in.data(), points * sizeof(T));
  copy_to_device(out, found.data(), rows * sizeof(T));
  const execution e{.workspace = workspace.get(), .workspace_bytes = there.workspace_bytes()};
  there.apply(first, out, e);
  there.apply_add(0.5, first, out, e);
  copy_to_host(found.data(), out, rows * sizeof(T));
  double largest = 0, error = 0;
  for (std::size_t k = 0; k < rows; ++k) {
    largest = std::max(largest, std::fabs(static_cast<double>(expected[k])));
    raise_error(error, std::fabs(static_cast<double>(found[k]) - static_cast<double>(expected[k])));
  }
  EXPECT_LE(error, 256 * std::numeric_limits<T>::epsilon() * largest)
      << what.name() << (sizeof(T) == 4 ? " f32" : " f64") << " axis " << g.axis << " of "
      << g.extents[0] << " x " << g.extents.back()
      << (g.boundary == boundary::periodic ? " periodic" : "") << ", skipped " << skipped;
}

TEST(CompactCuda, LargeTilesAreAsOnTheCpu) {
  if (!have_gpu()) GTEST_SKIP();
  std::size_t skipped = 0;
  for (grid g : grids_of_large_tiles())
    for (const auto ends : {boundary::regular, boundary::periodic})
      for (const char* const label : {"C6", "C8", "midpoints"}) {
        const std::string which = label;
        const bool staggered = which == "midpoints";
        if ((staggered || which == "C8") && g.extents[static_cast<std::size_t>(g.axis)] < 9)
          continue;
        if (staggered && !g.in_strides.empty()) continue;
        g.boundary = ends;
        const scheme what =
            staggered ? find_scheme(quantity::first_derivative, "C6", staggering::to_midpoints)
                      : find_scheme(quantity::first_derivative, which);
        expect_as_on_cpu<float>(what, g, skipped);
        expect_as_on_cpu<double>(what, g, 1 - skipped);
        skipped = 1 - skipped;
        if (HasFailure()) return;
      }
}

TEST(CompactCuda, AddsToPinnedMemory) {
  if (!have_gpu()) GTEST_SKIP();
  for (const grid& g : grids()) {
    const std::size_t count = count_of(g.extents);
    const std::size_t bytes = count * sizeof(double);
    const compact_operator op(find_scheme(quantity::first_derivative, "C6"), g,
                              {.backend = backend::cuda});
    const std::vector<double> field = waves(count, 0.5);
    std::vector<double> expected(count, 0.25);
    apply_anywhere(op, field, expected, 0.5);
    const device_bytes in = allocate_on_device(bytes), out = allocate_pinned(bytes),
                       workspace = allocate_on_device(op.workspace_bytes());
    copy_to_device(in.get(), field.data(), bytes);
    auto* const found = static_cast<double*>(static_cast<void*>(out.get()));
    std::fill_n(found, count, 0.25);
    op.apply_add(0.5, static_cast<const void*>(in.get()), out.get(),
                 {.workspace = workspace.get(), .workspace_bytes = op.workspace_bytes()});
    wait_for(nullptr);
    EXPECT_EQ(std::vector<double>(found, found + count), expected) << g.extents.back();
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
