// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause

// These tests run register-packed CR with stages of radix 4 on a GPU, as benchmarks do, and compare
// it with the reference backend.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "layout/resolve.hpp"
#include "support/buffer.hpp"
#include "support/device_memory.hpp"
#include "support/packed_radix.hpp"
#include "support/prefix_sum.hpp"
#include "support/random.hpp"
#include "tridia/plan.hpp"

namespace tridia_test {
namespace {

using tridia::algorithm;
using tridia::backend;
using tridia::pivoting;
using tridia::problem;

template <class T>
struct host_systems {
  std::vector<T> in[4], x;
  std::vector<index_t> status;

  host_systems(index_t batch, index_t n, rng& random)
      : x(static_cast<std::size_t>(batch * n)), status(static_cast<std::size_t>(batch), -7) {
    constexpr auto type = tridia::value_type_of<T>;
    for (std::size_t a = 0; a < 4; ++a)
      for (std::size_t k = 0; k < x.size(); ++k) {
        const auto v = a == 1 ? draw_dominant(random, type) : draw_number(random, type);
        in[a].push_back(static_cast<T>(v.real()));
      }
  }
};

/// Solves on the GPU with the kernels of radix 4.
template <class T>
void solve_by_four(const problem& p, int depth, host_systems<T>& s) {
  const tridia::layout::geometry g = tridia::layout::make_geometry(p, tridia::layout::resolve(p));
  std::vector<buffer> arrays;
  for (int a = 0; a < 5; ++a) {
    arrays.emplace_back(backend::cuda, s.x.size() * sizeof(T));
    if (a == 4) break;
    std::copy(s.in[a].begin(), s.in[a].end(), reinterpret_cast<T*>(arrays.back().host()));
    arrays.back().push();
  }
  buffer status(backend::cuda, s.status.size() * sizeof(index_t));
  const tridia::solver::operands o{
      {arrays[0].pointer(), arrays[1].pointer(), arrays[2].pointer(), arrays[3].pointer()},
      arrays[4].pointer(),
      static_cast<index_t*>(status.pointer())};
  const auto shape = tridia::cuda::packed_shape_of(p.extents.back(), depth, sizeof(T));
  const auto kernels = packed_radix_4(p.type);
  int registers = 0;
  ASSERT_EQ(kernels.prepare(depth, shape.shared_bytes, &registers), cudaSuccess);
  ASSERT_EQ(kernels.solve(g, o, shape, nullptr), cudaSuccess);
  arrays[4].pull(), status.pull();
  const auto* const x = reinterpret_cast<const T*>(arrays[4].host());
  s.x.assign(x, x + s.x.size());
  const auto* const codes = reinterpret_cast<const index_t*>(status.host());
  s.status.assign(codes, codes + s.status.size());
}

template <class T>
void expect_same(index_t n, int depth, rng& random) {
  constexpr index_t batch = 5;
  const problem p{
      .type = tridia::value_type_of<T>, .extents = {batch, n}, .pivoting = pivoting::none};
  host_systems<T> s(batch, n, random);
  // The second system has no solution.
  s.in[1][static_cast<std::size_t>(n + n / 2)] = std::numeric_limits<T>::quiet_NaN();
  const tridia::plan reference(p, {.backend = backend::reference,
                                   .algorithm = algorithm::packed_cr,
                                   .parameters = {.packing_depth = depth}});
  std::vector<T> x(s.x.size());
  std::vector<index_t> status(s.status.size());
  std::vector<std::byte> workspace(reference.workspace_bytes());
  reference.execute(s.in[0].data(), s.in[1].data(), s.in[2].data(), s.in[3].data(), x.data(),
                    {.workspace = workspace.data(),
                     .workspace_bytes = workspace.size(),
                     .status = status.data()});
  solve_by_four(p, depth, s);
  if (testing::Test::HasFatalFailure()) return;
  EXPECT_EQ(s.status, status);
  EXPECT_NE(status[1], 0);
  for (std::size_t k = 0; k < x.size(); ++k) {
    if (std::isnan(x[k])) {
      EXPECT_TRUE(std::isnan(s.x[k])) << k;
    } else {
      // Systems are diagonally dominant: errors are not enlarged.
      ASSERT_NEAR(s.x[k], x[k], 64 * std::numeric_limits<T>::epsilon() * (1 + std::abs(x[k])))
          << "row " << k << " of all";
    }
  }
}

TEST(PackedRadix4AlgorithmOnGpu, AgreesWithTheReferenceBackend) {
  if (!have_gpu()) GTEST_SKIP() << "no GPU";
  rng random = random_for("PackedRadix4");
  for (const int depth : kPackingDepths)
    for (const index_t n : {1, 2, 3, 5, 17, 31, 32, 33, 100, 127, 1000, 1024, 2048, 128 * depth}) {
      SCOPED_TRACE(std::to_string(n) + " rows, depth " + std::to_string(depth));
      expect_same<float>(n, depth, random);
      expect_same<double>(n, depth, random);
      if (HasFatalFailure()) return;
    }
}

}  // namespace
}  // namespace tridia_test
