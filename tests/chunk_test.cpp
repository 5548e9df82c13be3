// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause

// These tests solve with chunks of every size, and their interface in any number of levels, by the
// arithmetic of the GPU's kernels.
#include "support/chunked_system.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <vector>

#include "core/complex.hpp"
#include "support/core_values.hpp"
#include "support/oracle.hpp"

namespace tridia_test {
namespace {

/// Returns the backward error of a random system of `n` rows in chunks of `rows`, its entries about
/// `size`.
template <class V, pivoting P, boundary B>
double error_of_random(index_t n, index_t rows, rng& random, const wide& size = 1) {
  constexpr auto type = type_of<V>;
  chunked_system<V> s;
  std::vector<term> a;
  std::vector<wide> b, x;
  for (index_t k = 0; k < n; ++k) {
    const auto entry = [&](index_t column, bool dominant) {
      const bool inside = column >= 0 && column < n;
      if (!inside && B == boundary::regular) return wide(0);
      const wide z = size * (dominant ? draw_dominant(random, type) : draw_number(random, type));
      a.push_back({k, (column + n) % n, z});
      return z;
    };
    const wide sub = entry(k - 1, false), diag = entry(k, P == pivoting::none),
               sup = entry(k + 1, false);
    s.rows.push_back({value_of<V>(sub), value_of<V>(diag), value_of<V>(sup)});
    b.push_back(draw_number(random, type));
    s.rhs.push_back(value_of<V>(b.back()));
  }
  s.make_room();
  solve_by_chunks<V, P, B>(s, rows, random);
  for (const V& v : s.x) x.push_back(wide_of(v));
  return static_cast<double>(backward_error(a, x, b));
}

/// Returns the backward error of a system of which some chunks are dominant, and are reduced
/// without interchanges, and some are not.
template <class V>
double error_of_mixed(index_t n, index_t rows, rng& random) {
  using plain = tridia::core::chunk<V, pivoting::none>;
  using pivoted = tridia::core::chunk<V, pivoting::partial>;
  constexpr auto type = type_of<V>;
  chunked_system<V> s;
  std::vector<term> a;
  std::vector<wide> b, x;
  std::vector<bool> calm;
  for (index_t k = 0; k < n; ++k) {
    if (k % rows == 0) calm.push_back(flip(random));
    V entry[3];
    for (int i = 0; i < 3; ++i) {
      const index_t column = k + i - 1;
      const bool inside = column >= 0 && column < n, dominant = i == 1 && calm.back();
      const wide z = dominant ? draw_dominant(random, type) : draw_number(random, type);
      if (inside) a.push_back({k, column, z});
      entry[i] = inside ? value_of<V>(z) : V(0);
    }
    s.rows.push_back({entry[0], entry[1], entry[2]});
    b.push_back(draw_number(random, type));
    s.rhs.push_back(value_of<V>(b.back()));
  }
  s.make_room();
  equations_of<V, pivoting::partial> e;
  std::vector<typename pivoted::middle> middles(calm.size());
  const auto count = [&](std::size_t c) {
    return std::min(rows, n - static_cast<index_t>(c) * rows);
  };
  for (std::size_t c = 0; c < calm.size(); ++c) {
    chunk_rows<V> r{s, c * static_cast<std::size_t>(rows)};
    e.push_back(
        calm[c] ? pivoted::from_plain(plain::template reduce<true>(count(c), r, [](const V&) {}))
                : pivoted::template reduce<true>(count(c), r, middles[c]));
  }
  const auto unknowns = solve_interface<V>(
      e, [](const auto& all) { return pivoted::template close<boundary::regular>(all); }, random);
  for (std::size_t c = 0; c < calm.size(); ++c) {
    chunk_rows<V> r{s, c * static_cast<std::size_t>(rows)};
    if (calm[c]) {
      plain::expand(count(c), r, pivoted::to_plain(unknowns[c]));
    } else {
      pivoted::expand(count(c), r, unknowns[c], middles[c]);
    }
  }
  for (const V& v : s.x) x.push_back(wide_of(v));
  return static_cast<double>(backward_error(a, x, b));
}

TEST(Chunk, SolvesWithInterchangesInSomeChunks) {
  rng random = random_for("mixed chunks");
  for (int run = 0; run < 500; ++run) {
    const index_t n = draw(random, 1, 200), rows = draw(random, 1, 17);
    EXPECT_LE(error_of_mixed<double>(n, rows, random),
              kBackwardBound * epsilon(tridia::value_type::f64))
        << n << " rows in chunks of " << rows;
    EXPECT_LE(error_of_mixed<tridia::core::complex<float>>(n, rows, random),
              kBackwardBound * epsilon(tridia::value_type::c64))
        << n << " rows in chunks of " << rows;
  }
}

template <class V, pivoting P, boundary B>
void expect_solved(std::initializer_list<index_t> sizes = {1, 2, 3, 4, 5, 7, 8, 16, 33, 100}) {
  rng random = random_for("chunk");
  for (const index_t n : sizes) {
    if (B == boundary::periodic && n < 3) continue;
    for (const index_t rows : {1, 2, 3, 4, 5, 7, 16}) {
      EXPECT_LE((error_of_random<V, P, B>(n, rows, random)), kBackwardBound * epsilon(type_of<V>))
          << n << " rows in chunks of " << rows;
    }
  }
}

TEST(Chunk, SolvesWithoutPivoting) {
  expect_solved<double, pivoting::none, boundary::regular>();
  expect_solved<tridia::core::complex<double>, pivoting::none, boundary::regular>();
}
TEST(Chunk, SolvesPeriodicWithoutPivoting) {
  expect_solved<double, pivoting::none, boundary::periodic>();
}
TEST(Chunk, SolvesWithPivoting) {
  expect_solved<double, pivoting::partial, boundary::regular>();
  expect_solved<tridia::core::complex<double>, pivoting::partial, boundary::regular>();
}
/// A last chunk of a single row has an equation beside that row which is not the matrix's.
TEST(Chunk, SolvesSystemsOfAnySize) {
  rng random = random_for("sizes");
  for (int run = 0; run < 2000; ++run) {
    const wide size = draw_size(random, 300);
    const index_t rows = draw(random, 2, 9), n = rows * draw(random, 1, 4) + 1;
    const double error =
        flip(random)
            ? error_of_random<double, pivoting::partial, boundary::regular>(n, rows, random, size)
            : error_of_random<double, pivoting::partial, boundary::periodic>(n, rows, random, size);
    EXPECT_LE(error, kBackwardBound * epsilon(tridia::value_type::f64))
        << n << " rows in chunks of " << rows;
  }
}
/// A row that is scaled a little at each step of a long chunk is soon taken for the smaller one.
TEST(Chunk, IsAsExactInLongChunks) {
  using V = tridia::core::complex<double>;
  rng random = random_for("long chunks");
  std::vector<double> errors(101);
  for (double& e : errors) {
    e = error_of_random<V, pivoting::partial, boundary::regular>(120, 120, random);
  }
  std::nth_element(errors.begin(), errors.begin() + 50, errors.end());
  EXPECT_LE(errors[50], epsilon(type_of<V>));
}
/// The coupling between the ends of that many rows is subnormal in f32, or zero.
TEST(Chunk, SolvesLongSystemsWithPivoting) {
  for (int run = 0; run < 4; ++run) {
    expect_solved<float, pivoting::partial, boundary::regular>({4000});
    expect_solved<tridia::core::complex<float>, pivoting::partial, boundary::regular>({4000});
  }
}

TEST(Chunk, SolvesPeriodicWithPivoting) {
  expect_solved<double, pivoting::partial, boundary::periodic>();
}

/// Holds systems that follow each other, with zeros between them, and each of a different size.
struct concatenated_systems {
  chunked_system<double> all;
  std::vector<index_t> starts{0};
  std::vector<std::vector<term>> a;
  std::vector<std::vector<wide>> b;

  concatenated_systems(index_t count, bool dominant, rng& random) {
    constexpr auto type = tridia::value_type::f64;
    for (index_t k = 0; k < count; ++k) {
      const index_t n = draw(random, 1, 9);
      const wide size = draw_size(random, 300);
      a.emplace_back(), b.emplace_back();
      for (index_t i = 0; i < n; ++i) {
        const auto entry = [&](index_t column, bool large) {
          if (column < 0 || column == n) return 0.0;
          const wide z = size * (large ? draw_dominant(random, type) : draw_number(random, type));
          a.back().push_back({i, column, z});
          return value_of<double>(z);
        };
        const double sub = entry(i - 1, false), diag = entry(i, dominant),
                     sup = entry(i + 1, false);
        all.rows.push_back({sub, diag, sup});
        b.back().push_back(draw_number(random, type));
        all.rhs.push_back(value_of<double>(b.back().back()));
      }
      starts.push_back(starts.back() + n);
    }
    all.make_room();
  }
};

template <pivoting P>
void expect_joined_solved() {
  rng random = random_for("joined");
  for (int run = 0; run < 200; ++run) {
    concatenated_systems s(draw(random, 1, 20), P == pivoting::none, random);
    const index_t rows = draw(random, 2, 17);
    EXPECT_TRUE((solve_by_chunks<double, P, boundary::regular>(s.all, rows, random)));
    for (std::size_t k = 0; k < s.a.size(); ++k) {
      const std::vector<wide> x(s.all.x.begin() + s.starts[k], s.all.x.begin() + s.starts[k + 1]);
      EXPECT_LE(backward_error(s.a[k], x, s.b[k]),
                kBackwardBound * epsilon(tridia::value_type::f64))
          << "in chunks of " << rows;
    }
  }
}

/// A block of the GPU learns of a bad system among others by this alone.
template <pivoting P>
void expect_joined_found() {
  rng random = random_for("joined");
  for (int run = 0; run < 2000; ++run) {
    concatenated_systems s(draw(random, 1, 20), P == pivoting::none, random);
    const auto n = static_cast<index_t>(s.all.rows.size());
    const auto bad = static_cast<std::size_t>(draw(random, 0, n - 1));
    if (flip(random)) {
      s.all.rhs[bad] = std::numeric_limits<double>::quiet_NaN();
    } else {  // a column of zeros
      s.all.rows[bad].diag = 0;
      if (bad > 0) s.all.rows[bad - 1].sup = 0;
      if (bad + 1 < s.all.rows.size()) s.all.rows[bad + 1].sub = 0;
    }
    const index_t rows = draw(random, 1, 17);
    EXPECT_FALSE((solve_by_chunks<double, P, boundary::regular>(s.all, rows, random)))
        << "row " << bad << " of " << n << " in chunks of " << rows;
  }
}

TEST(Chunk, SolvesJoinedSystems) {
  expect_joined_solved<pivoting::none>();
  expect_joined_solved<pivoting::partial>();
}
TEST(Chunk, FindsBadSystemsAmongJoinedOnes) {
  expect_joined_found<pivoting::none>();
  expect_joined_found<pivoting::partial>();
}

}  // namespace
}  // namespace tridia_test
