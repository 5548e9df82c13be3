// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause

// These tests run forward reductions, and the algorithms built on them, with the arithmetic of the
// GPU's kernels, by teams of threads.
#include "core/cyclic_reduction.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <limits>
#include <string>
#include <vector>

#include "solver/equations.hpp"
#include "solver/reduction.hpp"
#include "support/buffer.hpp"
#include "support/oracle.hpp"
#include "support/prefix_sum.hpp"
#include "support/random.hpp"
#include "support/refusal.hpp"
#include "support/scalar.hpp"
#include "support/team.hpp"

namespace tridia_test {
namespace {

using tridia::core::row_equation;
using tridia::solver::equation_rows;
using tridia::solver::padded_places;
using tridia::solver::plain_places;

/// Holds a diagonally dominant system, and its equations.
struct dominant_system {
  std::vector<term> a;
  std::vector<wide> b;
  std::vector<row_equation<double>> equations;

  dominant_system(index_t n, rng& random) {
    constexpr auto type = tridia::value_type::f64;
    for (index_t k = 0; k < n; ++k) {
      const auto entry = [&](index_t column) {
        if (column < 0 || column >= n) return 0.0;
        a.push_back(
            {k, column, column == k ? draw_dominant(random, type) : draw_number(random, type)});
        return static_cast<double>(a.back().value.real());
      };
      const tridia::core::row<double> row{entry(k - 1), entry(k), entry(k + 1)};
      b.push_back(draw_number(random, type));
      equations.push_back(tridia::core::normalised(row, static_cast<double>(b.back().real())));
    }
  }
  template <class X>
  [[nodiscard]] bool is_solved(X x_of) const {
    std::vector<wide> x;
    for (std::size_t k = 0; k < b.size(); ++k) x.emplace_back(x_of(static_cast<int>(k)));
    return backward_error(a, x, b) <= kBackwardBound * epsilon(tridia::value_type::f64);
  }
};

/// Owns room for equations; it holds NaN where none was put.
template <class Places>
class equation_memory {
 public:
  explicit equation_memory(int n)
      : pitch_(Places::template of<double>(n)),
        words_(3 * static_cast<std::size_t>(pitch_), std::numeric_limits<double>::quiet_NaN()) {}
  equation_rows<double, Places> rows() { return {words_.data(), pitch_}; }

 private:
  int pitch_;
  std::vector<double> words_;
};

constexpr int kSizes[] = {1, 2, 3, 4, 5, 17, 31, 32, 33, 100, 127, 1000, 1024, 1025};
constexpr int kTeams[] = {1, 3};

/// Returns every power of two up to n, and n.
std::vector<int> switch_points(int n) {
  std::vector<int> all;
  for (int s = 1; s < n; s *= 2) all.push_back(s);
  all.push_back(n);
  return all;
}

template <class Places, class Solve>
void expect_solved(Solve solve) {
  rng random = random_for("CyclicReduction");
  for (const int n : kSizes)
    for (const int switch_point : switch_points(n))
      for (const int threads : kTeams) {
        const dominant_system s(n, random);
        equation_memory<Places> memory(n), spare(n), other(n);
        for (int k = 0; k < n; ++k) memory.rows().put(k, s.equations[static_cast<std::size_t>(k)]);
        equation_rows<double, Places> solved{};
        by_team(threads, [&](const team& t) {
          const auto where = solve(n, switch_point, memory.rows(), spare.rows(), other.rows(), t);
          if (t.rank() == 0) solved = where;
        });
        EXPECT_TRUE(s.is_solved([&](int k) { return solved.solution(k); }))
            << n << " rows, switch point " << switch_point << ", " << threads << " threads";
      }
}

constexpr auto kCrPcr = [](int n, int switch_point, auto rows, auto spare, auto other,
                           const team& t) {
  tridia::core::solve_cr_pcr<double>(n, switch_point, rows, spare, other, t);
  return rows;
};

TEST(CyclicReduction, CrPcr) { expect_solved<plain_places>(kCrPcr); }
TEST(CyclicReduction, CrPcrWithoutBankConflicts) { expect_solved<padded_places>(kCrPcr); }
TEST(CyclicReduction, PcrThomas) {
  expect_solved<plain_places>(
      [](int n, int switch_point, auto rows, auto spare, auto, const team& t) {
        return tridia::core::solve_pcr_thomas<double>(n, switch_point, rows, spare, t);
      });
}

// 32 rows that are a power of two apart are in as many banks of four bytes, and 16 in as many of
// eight.
TEST(CyclicReduction, PaddedPlacesAreInDifferentBanks) {
  for (int step = 1; step <= 32; step *= 2) {
    std::vector<bool> taken(32), taken_wide(16);
    for (int k = 0; k < 32; ++k) {
      const auto bank = static_cast<std::size_t>(padded_places::of<float>(step * k) % 32);
      EXPECT_FALSE(taken[bank]) << "step " << step << ", row " << k;
      taken[bank] = true;
      if (k >= 16 || step > 16) continue;
      const auto wide_bank = static_cast<std::size_t>(padded_places::of<double>(step * k) % 16);
      EXPECT_FALSE(taken_wide[wide_bank]) << "step " << step << ", row " << k;
      taken_wide[wide_bank] = true;
    }
  }
}

/// Returns sizes around those that `threads` threads hold.
std::vector<int> packed_sizes(int depth) {
  std::vector<int> all{1, 2, 3, depth - 1, depth, depth + 1};
  for (const int threads : {2, 3, 7, 18})
    for (const int more : {-1, 0, 1}) all.push_back(threads * depth + more);
  return all;
}

template <int Depth, int Radix>
void expect_packed_solved() {
  using operation = tridia::core::cyclic_reduction<double>;
  rng random = random_for("Packed");
  for (const int n : packed_sizes(Depth)) {
    const dominant_system s(n, random);
    const int parts = (n + Depth - 1) / Depth;
    equation_memory<plain_places> shown(parts), also_shown(parts);
    std::vector<double> solution(static_cast<std::size_t>(n));
    // One thread has no rows, as happens if warps are whole.
    by_team(parts + 1, [&](const team& t) {
      row_equation<double> r[Depth];
      double x[Depth] = {};
      const int first = Depth * t.rank();
      for (int i = 0; i < Depth; ++i)
        r[i] = first + i < n ? s.equations[static_cast<std::size_t>(first + i)]
                             : operation{}.nothing();
      tridia::core::reduce_packed<Depth, Radix>(parts, r, x, shown.rows(), also_shown.rows(),
                                                operation{}, t);
      for (int i = 0; i < Depth && first + i < n; ++i)
        solution[static_cast<std::size_t>(first + i)] = x[i];
    });
    EXPECT_TRUE(s.is_solved([&](int k) { return solution[static_cast<std::size_t>(k)]; }))
        << n << " rows, depth " << Depth << ", radix " << Radix;
  }
}

template <int Radix>
void expect_every_depth_solved() {
  expect_packed_solved<2, Radix>();
  expect_packed_solved<4, Radix>();
  expect_packed_solved<8, Radix>();
  expect_packed_solved<16, Radix>();
  expect_packed_solved<32, Radix>();
}
TEST(CyclicReduction, RegisterPacked) { expect_every_depth_solved<2>(); }
TEST(CyclicReduction, RegisterPackedWithRadix4) { expect_every_depth_solved<4>(); }

// Up to 70 rows, the last group of four is cut off in every way, at every stage.
TEST(CyclicReduction, StagesOfRadix4) {
  const tridia::core::cyclic_reduction<double> op;
  rng random = random_for("Radix4");
  for (int n = 1; n <= 70; ++n)
    for (const int threads : kTeams) {
      const dominant_system s(n, random);
      equation_memory<plain_places> memory(n);
      auto rows = memory.rows();
      for (int k = 0; k < n; ++k) rows.put(k, s.equations[static_cast<std::size_t>(k)]);
      const int stages = tridia::core::stages_to(n, 1);
      by_team(threads, [&](const team& t) {
        tridia::core::reduce_forward<4>(n, stages, rows, op, t);
        tridia::core::substitute_back<4>(n, stages, rows, op, t);
      });
      EXPECT_TRUE(s.is_solved([&](int k) { return rows.solution(k); }))
          << n << " rows, " << threads << " threads";
    }
}

/// Counts the barriers of a team of one thread.
struct counted_team {
  int* barriers;
  [[nodiscard]] int rank() const { return 0; }
  [[nodiscard]] int size() const { return 1; }
  void wait() const { ++*barriers; }
};

// This is what the paper asks of a larger radix: a stage still moves one element a thread, and
// there are half as many stages.
TEST(CyclicReduction, Radix4MeetsHalfAsOften) {
  const tridia::core::cyclic_reduction<double> op;
  const auto exchanges = [&]<int Depth, int Radix>() {
    row_equation<double> r[Depth] = {};
    int count = 0;
    tridia::core::reduce_forward_packed<Radix>(r, op, [&](const auto&) {
      ++count;
      return op.nothing();
    });
    return count;
  };
  EXPECT_EQ((exchanges.operator()<16, 2>()), 4);
  EXPECT_EQ((exchanges.operator()<16, 4>()), 2);
  EXPECT_EQ((exchanges.operator()<8, 4>()), 2);
  const auto barriers = [&]<int Radix>(int n) {
    equation_memory<plain_places> memory(n);
    auto rows = memory.rows();
    for (int k = 0; k < n; ++k) rows.put(k, op.nothing());
    int count = 0;
    tridia::core::reduce_forward<Radix>(n, tridia::core::stages_to(n, 1), rows, op,
                                        counted_team{&count});
    return count;
  };
  EXPECT_EQ(barriers.operator()<2>(64), 6);
  EXPECT_EQ(barriers.operator()<4>(64), 3);
  EXPECT_EQ(barriers.operator()<4>(128), 4);
}

/// Returns a diagonally dominant problem, with `head` and `tail` separate rows at its ends.
tridia::problem near_toeplitz_problem(index_t n, index_t head, index_t tail, rng& random) {
  const auto row = [&]() -> tridia::near_toeplitz::row {
    constexpr auto type = tridia::value_type::f64;
    const auto number = [&] { return static_cast<double>(draw_number(random, type).real()); };
    return {number(), static_cast<double>(draw_dominant(random, type).real()), number()};
  };
  tridia::problem p{.extents = {n}, .pivoting = tridia::pivoting::none};
  p.coefficients = tridia::coefficients::constant;
  p.matrix.interior = row();
  for (index_t k = 0; k < head; ++k) p.matrix.head.push_back(row());
  for (index_t k = 0; k < tail; ++k) p.matrix.tail.push_back(row());
  p.operation = flip(random) ? tridia::operation::none : tridia::operation::transpose;
  return p;
}

std::vector<term> terms_of(const tridia::line_operator::constant_matrix& a) {
  std::vector<term> all;
  const auto n = static_cast<index_t>(a.rows.size());
  for (index_t k = 0; k < n; ++k) {
    const auto& r = a.rows[static_cast<std::size_t>(k)];
    if (k > 0) all.push_back({k, k - 1, r.sub.re.v});
    all.push_back({k, k, r.diag.re.v});
    if (k < n - 1) all.push_back({k, k + 1, r.sup.re.v});
  }
  return all;
}

/// Holds right-hand sides, which x overwrites.
struct shared_values {
  double* base;
  [[nodiscard]] double get(int k) const { return base[k]; }
  void put(int k, double v) const { base[k] = v; }
  [[nodiscard]] double solution(int k) const { return base[k]; }
  void solve(int k, double x) const { base[k] = x; }
};

// The test solves in place, as a block of a GPU does.
TEST(NearToeplitzReduction, Solves) {
  rng random = random_for("NearToeplitzReduction");
  for (const int n : kSizes)
    for (const int own : {0, 1, 2, 5})
      for (const int threads : kTeams) {
        const index_t head = std::min(own, n / 2), tail = std::min(draw(random, 0, 5), n - head);
        const auto a = tridia::line_operator::make_constant_matrix(
            near_toeplitz_problem(n, head, tail, random), n);
        const auto made = tridia::solver::reduce(a);
        const auto bytes = tridia::line_operator::rounded(made.factors, tridia::value_type::f64);
        std::vector<tridia::core::reduction_factors<double>> factors(
            bytes.size() / sizeof(tridia::core::reduction_factors<double>));
        std::memcpy(factors.data(), bytes.data(), bytes.size());
        const tridia::core::near_toeplitz_reduction<double> op{made.levels.data(), factors.data()};
        std::vector<wide> b;
        std::vector<double> x;
        for (int k = 0; k < n; ++k) {
          b.push_back(draw_number(random, tridia::value_type::f64));
          x.push_back(static_cast<double>(b.back().real()));
        }
        std::vector<double> shared(static_cast<std::size_t>(n / 2),
                                   std::numeric_limits<double>::quiet_NaN());
        by_team(threads, [&](const team& t) {
          tridia::core::solve_near_toeplitz(
              n, op, [&](int k) { return x.at(static_cast<std::size_t>(k)); },
              shared_values{shared.data()},
              [&](int k, double v) { x.at(static_cast<std::size_t>(k)) = v; }, t);
        });
        EXPECT_LE(backward_error(terms_of(a), std::vector<wide>(x.begin(), x.end()), b),
                  kBackwardBound * epsilon(tridia::value_type::f64))
            << n << " rows, " << head << " and " << tail << " of their own, " << threads
            << " threads";
      }
}

TEST(NearToeplitzReduction, HasAFewRowsALevel) {
  rng random = random_for("FewRows");
  for (const int n : {100'003, 1 << 17}) {
    tridia::problem p = near_toeplitz_problem(n, 7, 6, random);
    p.operation = tridia::operation::none;
    const auto made = tridia::solver::reduce(tridia::line_operator::make_constant_matrix(p, n));
    index_t rows = n, head = 7, tail = 6;
    for (const auto& level : made.levels) {
      EXPECT_EQ(level.rows, rows);
      EXPECT_LE(level.head, head) << rows << " rows";
      EXPECT_LE(level.tail, tail) << rows << " rows";
      rows /= 2, head = (head + 1) / 2, tail = tail / 2 + 1;
    }
    EXPECT_EQ(rows, 0);
  }
}

// Cyclic reduction meets these pivots, though the matrix is not singular: 0 at once, or after a
// stage.
TEST(NearToeplitzReduction, RefusesZeroPivots) {
  tridia::problem p{.extents = {6}};
  for (const tridia::near_toeplitz& a :
       {tridia::near_toeplitz{.interior = {1, 0, 1}},
        tridia::near_toeplitz{.interior = {1, 1, 0.5}, .head = {{0, 1, 1}}}}) {
    p.matrix = a;
    expect_refusal(tridia::errc::unsupported, {"neato", "zero", "automatic"}, [&] {
      tridia::solver::reduce(tridia::line_operator::make_constant_matrix(p, 6));
    });
  }
}

TEST(NearToeplitzReduction, IsCalmWhereRoundingErrorsDoNotGrow) {
  const auto bounded = [](const tridia::near_toeplitz& a) {
    tridia::problem p{.extents = {50}};
    p.matrix = a;
    return tridia::solver::reduces_stably(tridia::line_operator::make_constant_matrix(p, 50));
  };
  EXPECT_TRUE(bounded({.interior = {0, 1, 0}}));
  EXPECT_TRUE(bounded({.interior = {-1, 2, -1}}));
  EXPECT_TRUE(bounded({.interior = {1, 4, 1}}));
  EXPECT_TRUE(
      bounded({.interior = {1.0 / 3, 1, 1.0 / 3}, .head = {{0, 1, 2}}, .tail = {{2, 1, 0}}}));
  EXPECT_FALSE(bounded({.interior = {1.0 / 3, 1, 1.0 / 3}, .head = {{0, 1, 9}}}));
  EXPECT_FALSE(bounded({.interior = {1, 1, 1}}));
  EXPECT_FALSE(bounded({.interior = {1, 1.4, 1}}));
  EXPECT_FALSE(bounded({.interior = {1, 0, 1}}));
  EXPECT_FALSE(bounded({.interior = {1, 0, 0}}));
}

std::vector<index_t> draw_numbers(int n, rng& random) {
  std::vector<index_t> all;
  for (int k = 0; k < n; ++k) all.push_back(draw(random, -1'000'000, 1'000'000));
  return all;
}
std::vector<index_t> sums_of(const std::vector<index_t>& numbers) {
  std::vector<index_t> all;
  for (const index_t v : numbers) all.push_back(v + (all.empty() ? 0 : all.back()));
  return all;
}

template <int Depth, int Radix = 2>
void expect_summed() {
  rng random = random_for("PrefixSum");
  for (const int n : packed_sizes(Depth)) {
    const std::vector<index_t> numbers = draw_numbers(n, random);
    const int parts = (n + Depth - 1) / Depth;
    std::vector<index_t> sums(numbers.size()), shown(static_cast<std::size_t>(parts)),
        also_shown(static_cast<std::size_t>(parts));
    by_team(parts, [&](const team& t) {
      index_t r[Depth] = {}, sum[Depth] = {};
      const int first = Depth * t.rank();
      for (int i = 0; i < Depth && first + i < n; ++i)
        r[i] = numbers[static_cast<std::size_t>(first + i)];
      tridia::core::reduce_packed<Depth, Radix>(parts, r, sum, shared_numbers{shown.data()},
                                                shared_numbers{also_shown.data()}, prefix_sum{}, t);
      for (int i = 0; i < Depth && first + i < n; ++i)
        sums[static_cast<std::size_t>(first + i)] = sum[i];
    });
    EXPECT_EQ(sums, sums_of(numbers)) << n << " numbers, depth " << Depth;
  }
}

TEST(PrefixSum, RegisterPacked) {
  expect_summed<2>();
  expect_summed<4>();
  expect_summed<8>();
  expect_summed<16>();
  expect_summed<32>();
}
TEST(PrefixSum, RegisterPackedWithRadix4) {
  expect_summed<2, 4>();
  expect_summed<4, 4>();
  expect_summed<8, 4>();
  expect_summed<16, 4>();
  expect_summed<32, 4>();
}

TEST(PrefixSum, OnAGpu) {
  if (!have_gpu()) GTEST_SKIP() << "no GPU";
#if defined(TRIDIA_TEST_CUDA)
  rng random = random_for("DevicePrefixSum");
  for (const int depth : kPackingDepths)
    for (const int n : {1, 2, 31, 32, 33, 100, 1000, 1024, depth * 33 - 1, depth * 1024}) {
      if (n > depth * 1024) continue;
      const std::vector<index_t> numbers = draw_numbers(n, random);
      buffer memory(tridia::backend::cuda, numbers.size() * sizeof(index_t));
      auto* const host = reinterpret_cast<index_t*>(memory.host());
      std::copy(numbers.begin(), numbers.end(), host);
      memory.push();
      ASSERT_EQ(device_prefix_sum(depth, n, static_cast<index_t*>(memory.pointer())), 0);
      memory.pull();
      EXPECT_EQ(std::vector<index_t>(host, host + n), sums_of(numbers))
          << n << " numbers, depth " << depth;
    }
#endif
}

}  // namespace
}  // namespace tridia_test
