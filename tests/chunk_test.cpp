// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause

// Chunks of every size, merged in trees of every shape: the arithmetic of the GPU's kernels.
#include "core/chunk.hpp"

#include <gtest/gtest.h>

#include <functional>
#include <vector>

#include "core/complex.hpp"
#include "support/lapack.hpp"
#include "support/oracle.hpp"
#include "support/random.hpp"

namespace tridia_test {
namespace {

using tridia::boundary;
using tridia::pivoting;

template <class V>
V value_of(const wide& z) {
  return V(static_cast<double>(z.real()));
}
template <>
tridia::core::complex<double> value_of(const wide& z) {
  return {static_cast<double>(z.real()), static_cast<double>(z.imag())};
}
wide wide_of(double v) { return v; }
wide wide_of(tridia::core::complex<double> v) { return {v.re, v.im}; }

/// A system and its solution, in the place of the rows.
template <class V>
struct system {
  std::vector<tridia::core::row<V>> rows;
  std::vector<V> rhs;
  std::vector<V> words[3];
  std::vector<V> x;
};

template <class V>
struct chunk_rows {
  system<V>& s;
  std::size_t from;
  tridia::core::row<V> get(index_t k) const { return s.rows[from + k]; }
  V rhs(index_t k) const { return s.rhs[from + k]; }
  void keep(index_t k, V a, V b, V c) {
    s.words[0][from + k] = a, s.words[1][from + k] = b, s.words[2][from + k] = c;
  }
  void kept(index_t k, V& a, V& b, V& c) const {
    a = s.words[0][from + k], b = s.words[1][from + k], c = s.words[2][from + k];
  }
  void put(index_t k, V v) { s.x[from + k] = v; }
};

template <class V, pivoting P, boundary B>
class chunked_solve {
 public:
  using chunk = tridia::core::chunk<V, P>;
  using equations = typename chunk::equations;
  using ends = typename chunk::ends;

  chunked_solve(system<V>& s, index_t rows_a_chunk, rng& random)
      : s_(s), rows_(rows_a_chunk), random_(random) {}

  void run() {
    const index_t n = static_cast<index_t>(s_.rows.size());
    const index_t chunks = (n + rows_ - 1) / rows_;
    visit(0, chunks, [&](const equations& e) { return chunk::template close<B>(e); });
  }

 private:
  /// Chunks c0 to c1 - 1; `solve` turns their equations into their ends.
  template <class Solve>
  void visit(index_t c0, index_t c1, const Solve& solve) {
    if (c1 - c0 == 1) return visit_one(c0, solve);
    const index_t middle = draw(random_, c0 + 1, c1 - 1);
    std::function<ends(const equations&)> left = [&](const equations& a) {
      ends of_left{};
      std::function<ends(const equations&)> right = [&](const equations& b) {
        typename chunk::seam seam;
        ends of_right;
        chunk::split(seam, solve(merge(a, b, seam)), of_left, of_right);
        return of_right;
      };
      visit(middle, c1, right);
      return of_left;
    };
    visit(c0, middle, left);
  }
  static equations merge(const equations& a, const equations& b, typename chunk::seam& seam) {
    if constexpr (P == pivoting::none) {
      return chunk::merge(a, b, seam, [](const V&) {});
    } else {
      return chunk::merge(a, b, seam);
    }
  }
  template <class Solve>
  void visit_one(index_t c, const Solve& solve) {
    const index_t n = static_cast<index_t>(s_.rows.size());
    chunk_rows<V> rows{s_, static_cast<std::size_t>(c * rows_)};
    const index_t count = std::min(rows_, n - c * rows_);
    if constexpr (P == pivoting::none) {
      const auto e = chunk::template reduce<true>(count, rows, [](const V&) {});
      chunk::expand(count, rows, solve(e));
    } else {
      const auto e = chunk::reduce(count, rows);
      chunk::expand(count, rows, solve(e));
    }
  }

  system<V>& s_;
  index_t rows_;
  rng& random_;
};

template <class V, pivoting P, boundary B>
void expect_solved() {
  rng random = random_for("chunk");
  for (const index_t n : {1, 2, 3, 4, 5, 7, 8, 16, 33, 100}) {
    if (B == boundary::periodic && n < 3) continue;
    for (const index_t rows : {1, 2, 3, 4, 5, 7, 16}) {
      system<V> s;
      std::vector<term> a;
      std::vector<wide> b, x;
      const auto type = std::is_same_v<V, double> ? tridia::value_type::f64
                                                  : tridia::value_type::c128;
      for (index_t k = 0; k < n; ++k) {
        const auto entry = [&](index_t column, bool dominant) {
          const bool inside = column >= 0 && column < n;
          if (!inside && B == boundary::regular) return wide(0);
          const wide z = dominant ? draw_dominant(random, type) : draw_number(random, type);
          a.push_back({k, (column + n) % n, z});
          return z;
        };
        const wide sub = entry(k - 1, false), diag = entry(k, P == pivoting::none),
                   sup = entry(k + 1, false);
        s.rows.push_back({value_of<V>(sub), value_of<V>(diag), value_of<V>(sup)});
        b.push_back(draw_number(random, type));
        s.rhs.push_back(value_of<V>(b.back()));
      }
      s.x.resize(s.rows.size());
      for (auto& w : s.words) w.resize(s.rows.size());
      chunked_solve<V, P, B>(s, rows, random).run();
      for (const V& v : s.x) x.push_back(wide_of(v));
      EXPECT_LE(backward_error(a, x, b), kBackwardBound * epsilon(type))
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
TEST(Chunk, SolvesPeriodicWithPivoting) {
  expect_solved<double, pivoting::partial, boundary::periodic>();
}

}  // namespace
}  // namespace tridia_test
