// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause

// These tests solve chunks with several right-hand sides, and compare them with chunks that have
// one each.
#include "core/chunk.hpp"

#include <gtest/gtest.h>

#include <utility>
#include <vector>

#include "core/values.hpp"
#include "support/core_values.hpp"
#include "support/random.hpp"

namespace tridia_test {
namespace {

using tridia::boundary;
using tridia::pivoting;

/// Rows of one chunk, with right-hand sides R.
template <class V, class R>
struct own_rows {
  const std::vector<tridia::core::row<V>>& matrix;
  std::vector<R> b, x;
  std::vector<V> words[2];
  std::vector<R> kept_sides;
  std::vector<typename tridia::core::chunk<V, pivoting::partial, R>::pivot_row> pivots;

  own_rows(const std::vector<tridia::core::row<V>>& m, std::vector<R> rhs)
      : matrix(m), b(std::move(rhs)), x(b.size()), kept_sides(b.size()), pivots(b.size()) {
    for (auto& w : words) w.resize(b.size());
  }
  tridia::core::row<V> get(std::size_t k) const { return matrix[k]; }
  R rhs(std::size_t k) const { return b[k]; }
  void keep(std::size_t k, const V& a, const V& c, const R& r) {
    words[0][k] = a, words[1][k] = c, kept_sides[k] = r;
  }
  void kept(std::size_t k, V& a, V& c, R& r) const {
    a = words[0][k], c = words[1][k], r = kept_sides[k];
  }
  void keep_pivot(std::size_t k, const auto& row) { pivots[k] = row; }
  auto kept_pivot(std::size_t k) const { return pivots[k]; }
  void put(std::size_t k, const R& v) { x[k] = v; }

  template <pivoting P, boundary B>
  bool solve() {
    using chunk = tridia::core::chunk<V, P, R>;
    typename chunk::middle middle{};
    typename chunk::equations e;
    if constexpr (P == pivoting::none) {
      e = chunk::template reduce<true>(b.size(), *this, [](const V&) {});
    } else {
      e = chunk::template reduce<true>(b.size(), *this, middle);
    }
    return chunk::expand(b.size(), *this, chunk::template close<B>(e), middle);
  }
};

template <class V, pivoting P, boundary B>
void expect_sides_alike() {
  constexpr int sides = 3;
  using all = tridia::core::values<V, sides>;
  rng random = random_for("sides");
  for (const std::size_t n : {3, 4, 5, 6, 7, 8, 20, 41}) {
    std::vector<tridia::core::row<V>> matrix;
    std::vector<all> rhs;
    const auto draw_value = [&](bool dominant) {
      return value_of<V>(dominant ? draw_dominant(random, type_of<V>)
                                  : draw_number(random, type_of<V>));
    };
    for (std::size_t k = 0; k < n; ++k) {
      matrix.push_back({draw_value(false), draw_value(P == pivoting::none), draw_value(false)});
      rhs.push_back(all::filled([&](int) { return draw_value(false); }));
    }
    if (B == boundary::regular) matrix.front().sub = matrix.back().sup = V(0);
    own_rows<V, all> together(matrix, rhs);
    EXPECT_TRUE((together.template solve<P, B>())) << n;
    for (int side = 0; side < sides; ++side) {
      std::vector<V> one;
      for (const all& r : rhs) one.push_back(r.at[side]);
      own_rows<V, V> alone(matrix, one);
      EXPECT_TRUE((alone.template solve<P, B>())) << n;
      for (std::size_t k = 0; k < n; ++k) {
        EXPECT_EQ(wide_of(alone.x[k]), wide_of(together.x[k].at[side])) << n << " rows, row " << k;
      }
    }
  }
}

TEST(Chunk, SolvesSeveralRightHandSidesAsIfEachWereAlone) {
  expect_sides_alike<double, pivoting::none, boundary::regular>();
  expect_sides_alike<double, pivoting::partial, boundary::regular>();
  expect_sides_alike<tridia::core::complex<float>, pivoting::none, boundary::periodic>();
  expect_sides_alike<tridia::core::complex<double>, pivoting::partial, boundary::periodic>();
}

}  // namespace
}  // namespace tridia_test
