// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause

// x of a system without a finite solution is NaN on every path of a GPU, whatever it held before:
// also where other blocks have stored their rows, other launches their parts, or other threads
// their right-hand sides before it is known that the system fails. The other systems of a batch are
// compared with a batch in which nothing fails.
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "solver/cuda/method.hpp"
#include "support/arrangements.hpp"
#include "support/experiment.hpp"
#include "support/failing_systems.hpp"
#include "support/oracle.hpp"
#include "support/targets.hpp"

namespace tridia_test {
namespace {

using tridia::boundary;
using tridia::pivoting;
using tridia::problem;
using tridia::value_type;

/// x holds this before a run.
constexpr wide kHeld{123, -4};

/// Says why a system has no finite solution: a right-hand side that is not finite, a column of
/// zeros, or an x that overflows in the back substitution only.
enum class failure { rhs, column, overflow };

struct casualty {
  index_t system, row;
  failure by;
};

/// Sets the entries of row k beside the diagonal, where the matrix has them.
void set_beside(experiment& e, index_t s, index_t k, wide sub, wide sup) {
  const bool regular = e.problem().boundary == boundary::regular;
  if (!regular || k > 0) e.set(role::dl, s, k, sub);
  if (!regular || k < e.where().rows(s) - 1) e.set(role::du, s, k, sup);
}

/// Makes x of `row` 1 - large^2, and couples the rows around it to nothing.
void make_overflow(experiment& e, index_t s, index_t row) {
  const index_t n = e.where().rows(s);
  const long double large = is_double(e.problem().type) ? 1e200L : 1e25L;
  for (const index_t k : {row, row + 1}) {
    e.set(role::d, s, k, 1);
    e.set(role::rhs, s, k, k == row ? 1 : large);
  }
  set_beside(e, s, row, 0, large);
  for (const index_t k : {(row + n - 1) % n, row + 1, (row + 2) % n}) set_beside(e, s, k, 0, 0);
}

void make_fail(experiment& e, const casualty& c) {
  switch (c.by) {
    case failure::rhs:
      return e.set(role::rhs, c.system, c.row, std::numeric_limits<long double>::quiet_NaN());
    case failure::column:
      for (const entry& at : column_of(e.problem(), e.where().rows(c.system), c.row))
        e.set(at.array, c.system, at.row, 0);
      return;
    case failure::overflow:
      return make_overflow(e, c.system, c.row);
  }
}

class NanCuda : public testing::Test {
 protected:
  void SetUp() override {
    if (!have_gpu()) GTEST_SKIP();
  }

  static bool have_clusters() { return tridia::gpu::current_device_limits().clusters; }

  /// Solves a batch in which nothing fails, and one in which `spoil(e)` makes `failing` systems
  /// fail, with statuses and without. `fill(e)`: all numbers.
  template <class Fill, class Spoil>
  void expect_nan(const problem& p, run_options how, const std::string& path,
                  const std::vector<index_t>& failing, Fill fill, Spoil spoil) {
    how.backend = tridia::backend::cuda;
    for (const bool ask : {true, false}) {
      experiment good(p, how), bad(p, how);
      SCOPED_TRACE(describe(p) + "; " + describe(how) + (ask ? "" : " (none asked for)") + "; " +
                   good.plan().reason());
      if (!path.empty()) {
        EXPECT_NE(good.plan().reason().find(path), std::string::npos);
      }
      const rng same = random_;
      for (experiment* e : {&good, &bad}) {
        random_ = same;
        fill(*e);
        e->start_from(kHeld);
      }
      spoil(bad);
      bad.ask_for_statuses(ask);
      ASSERT_EQ(good.run(), "");
      ASSERT_EQ(bad.run(), "");
      ASSERT_EQ(good.status(), std::vector<index_t>(good.status().size()));
      compare(good, bad, failing);
      if (HasFailure()) return;
    }
  }

  /// Does the same with random numbers.
  void expect_nan(const problem& p, const run_options& how, const std::string& path,
                  const std::vector<casualty>& casualties) {
    std::vector<index_t> failing;
    for (const casualty& c : casualties) failing.push_back(c.system);
    expect_nan(
        p, how, path, failing,
        [&](experiment& e) {
          e.fill_matrices(random_);
          e.fill_rhs(random_);
        },
        [&](experiment& e) {
          for (const casualty& c : casualties) make_fail(e, c);
        });
  }

  rng random_ = random_for(testing::UnitTest::GetInstance()->current_test_info()->name());

 private:
  static void compare(const experiment& good, const experiment& bad,
                      const std::vector<index_t>& failing) {
    for (index_t s = 0; s < bad.where().systems(); ++s) {
      const bool fails = std::find(failing.begin(), failing.end(), s) != failing.end();
      if (!bad.status().empty()) {
        ASSERT_EQ(bad.status()[static_cast<std::size_t>(s)] != 0, fails) << "system " << s;
      }
      if (fails) {
        ASSERT_EQ(check_all_nan(bad, s), "") << "system " << s;
      } else if (rounds_by_company(bad.plan())) {
        ASSERT_LE(backward_error(matrix_of(bad, s), solution_of(bad, s, 0), rhs_of(bad, s, 0)),
                  kBackwardBound * epsilon(bad.problem().type))
            << "system " << s;
      } else {
        ASSERT_TRUE(bad.solution_bytes(s) == good.solution_bytes(s))
            << "system " << s << " is not bit for bit what it is where none fails";
      }
    }
  }
};

// Systems are solved on chip, concatenated, interleaved, by clusters, in segments, and ragged, out
// of place and in place.
TEST_F(NanCuda, EveryArrangement) {
  for (const value_type type : kTypes)
    for (const arrangement& a : arrangements())
      for (const pivoting pivots : {pivoting::partial, pivoting::none}) {
        const index_t n = a.rows(type);
        problem p = a.make(type, n, 9);
        p.pivoting = pivots;
        run_options how{.tuning = tuning_of(a, type, n)};
        constexpr role inputs[] = {role::dl, role::d, role::du, role::rhs};
        if (flip(random_)) how.alias = inputs[draw(random_, 0, 3)];
        const layout where(p);
        const index_t last = where.systems() - 1, middle = last / 2;
        const auto any_row = [&](index_t s) { return draw(random_, 0, where.rows(s) - 1); };
        const bool named = pivots == pivoting::partial && !is_complex(type) && have_clusters();
        expect_nan(p, how, named ? a.kernel : "",
                   {{0, where.rows(0) / 2, failure::overflow},
                    {middle, any_row(middle), failure::rhs},
                    {last - 1, any_row(last - 1), failure::column},
                    {last, where.rows(last) - 2, failure::overflow}});
        if (HasFailure()) return;
      }
}

// One block of eight finds that x overflows, when the other blocks may have stored their rows.
TEST_F(NanCuda, AnyBlockOfACluster) {
  constexpr index_t eighths = 8;
  for (const value_type type : {value_type::f32, value_type::f64, value_type::c64})
    for (const pivoting pivots : {pivoting::partial, pivoting::none})
      for (const boundary ends : {boundary::regular, boundary::periodic})
        for (problem p : {problem{.extents = {5, 9000}}, problem{.extents = {3000, 9}, .axis = 0}})
          for (const index_t first : {0, 4}) {
            p.type = type, p.pivoting = pivots, p.boundary = ends;
            const index_t n = layout(p).rows(0), part = n / eighths;
            run_options how;
            if (flip(random_)) how.alias = role::rhs;
            std::vector<casualty> casualties;
            for (const index_t s : {0, 1, 3, 4}) {
              const index_t eighth = first + static_cast<index_t>(casualties.size());
              const index_t row = n * eighth / eighths + draw(random_, 0, part - 2);
              casualties.push_back({s, row, failure::overflow});
            }
            expect_nan(p, how, have_clusters() ? "a cluster of" : "", casualties);
            if (HasFailure()) return;
          }
}

// Clusters take several tiles: what they find in one tile must not affect the next.
TEST_F(NanCuda, ClustersThatStay) {
  constexpr index_t n = 200, batch = 6000;
  auto table = std::make_shared<tridia::tuning_table>();
  table->add({.compute_capability = tridia::gpu::current_device_limits().capability,
              .kernel = "interleaved",
              .type = value_type::f64,
              .pivoting = pivoting::none,
              .interleaved = true,
              .rows = n,
              .values = {8, 8}});
  const problem p{.extents = {n, batch}, .axis = 0, .pivoting = pivoting::none};
  for (const bool in_place : {false, true}) {
    run_options how{.tuning = table};
    if (in_place) how.alias = role::rhs;
    std::vector<casualty> casualties;
    for (index_t s = 0; s < batch; s += draw(random_, 1, 60)) {
      constexpr failure ways[] = {failure::overflow, failure::rhs, failure::column};
      casualties.push_back({s, draw(random_, 0, n - 2), ways[draw(random_, 0, 2)]});
    }
    expect_nan(p, how, have_clusters() ? "times one after another" : "", casualties);
  }
}

// Systems are solved in segments with two levels above them; there are also many systems side by
// side.
TEST_F(NanCuda, VeryLongSystems) {
  constexpr index_t n = 1'200'007;
  for (const pivoting pivots : {pivoting::partial, pivoting::none}) {
    const problem p{.extents = {4, n}, .pivoting = pivots};
    const std::vector<casualty> casualties{
        {0, n - 2, failure::overflow}, {1, n / 3, failure::column}, {3, n - 1, failure::rhs}};
    expect_nan(p, {}, "2 levels above them", casualties);
  }
}
TEST_F(NanCuda, ManySystemsInSegments) {
  constexpr index_t n = 20'011, batch = 150;
  for (const pivoting pivots : {pivoting::partial, pivoting::none}) {
    const problem p{.extents = {n, batch}, .axis = 0, .pivoting = pivots};
    expect_nan(
        p, {.alias = role::rhs}, "in segments of",
        {{0, 0, failure::overflow}, {7, n / 2, failure::rhs}, {149, n - 2, failure::column}});
  }
}

/// Sets right-hand sides to the largest numbers, with signs by which x is larger still if the
/// matrix has `beside` next to ones.
void make_large(experiment& e, index_t system, index_t first, index_t count, index_t column = 0) {
  const long double large = is_double(e.problem().type) ? 1e308L : 2e38L;
  for (index_t k = first; k < first + count; ++k)
    e.set(role::rhs, system, k, k % 2 == 0 ? large : -large, column);
}
constexpr double kBeside = 0.45;

/// Tests matrices of ones, with kBeside on both sides.
class NanCudaOfOneMatrix : public NanCuda {
 protected:
  void fill(experiment& e) {
    e.fill_matrices(random_);
    const index_t n = e.where().rows(0);
    if (e.problem().coefficients == tridia::coefficients::shared) {
      for (index_t k = 0; k < n; ++k) {
        e.set(role::d, 0, k, 1);
        set_beside(e, 0, k, kBeside, kBeside);
      }
    }
    e.fill_rhs(random_);
  }
  template <class Spoil>
  void expect_others_kept(const problem& p, const run_options& how, const std::string& path,
                          const std::vector<index_t>& failing, Spoil spoil) {
    expect_nan(
        p, how, path, failing, [&](experiment& e) { fill(e); }, spoil);
  }
  /// Makes some rows of the last right-hand side of a system in the middle overflow.
  void expect_overflow(const problem& p, const run_options& how, const std::string& path) {
    const layout where(p);
    const index_t n = where.rows(0), s = where.systems() / 2;
    const index_t count = std::min<index_t>(n, 40), first = draw(random_, 0, n - count);
    expect_others_kept(p, how, path, {s}, [&](experiment& e) {
      make_large(e, s, first, count, p.right_hand_sides - 1);
    });
  }
  static tridia::near_toeplitz matrix() { return {.interior = {kBeside, 1, kBeside}}; }
};

std::vector<problem> lines_of(index_t n, index_t lines) {
  return {{.extents = {lines, n}}, {.extents = {n, lines}, .axis = 0}};
}

// Systems are solved by scans and by substitution, executed and with factors.
TEST_F(NanCudaOfOneMatrix, Shared) {
  constexpr long double infinity = std::numeric_limits<long double>::infinity();
  for (const value_type type : kTypes)
    for (const index_t n : {30, 250, 1000})
      for (problem p : lines_of(n, 40))
        for (const index_t columns : {1, 3})
          for (const bool factored : {false, true}) {
            p.type = type, p.right_hand_sides = columns;
            p.coefficients = tridia::coefficients::shared;
            p.pivoting = flip(random_) ? pivoting::none : pivoting::partial;
            run_options how{.factored = factored, .apart = draw(random_, 0, 3) == 0};
            if (flip(random_)) how.alias = role::rhs;
            const index_t column = columns - 1;
            expect_others_kept(p, how, "", {3, 11, 39}, [&](experiment& e) {
              make_large(e, 3, 0, n, column);
              e.set(role::rhs, 11, n - 1, infinity, column);
              e.set(role::rhs, 39, draw(random_, 0, n - 1), infinity, 0);
            });
            if (HasFailure()) return;
          }
}

// There are so many lines that blocks of a scan take their tiles from a tile counter.
TEST_F(NanCudaOfOneMatrix, ManyLines) {
  constexpr index_t n = 24, lines = 200'000;
  problem p{.extents = {n, lines}, .axis = 0};
  p.coefficients = tridia::coefficients::shared;
  std::vector<index_t> failing;
  for (index_t s = 0; s < lines; s += draw(random_, 1, 1000)) failing.push_back(s);
  expect_others_kept(p, {}, have_clusters() ? "scan" : "", failing, [&](experiment& e) {
    for (const index_t s : failing) make_large(e, s, 0, n);
  });
}

// One right-hand side in many makes all of them fail.
TEST_F(NanCudaOfOneMatrix, ManyRightHandSides) {
  for (const bool factored : {false, true}) {
    problem p{.extents = {5, 100}, .right_hand_sides = 700};
    p.coefficients = tridia::coefficients::shared;
    expect_others_kept(p, {.factored = factored}, "", {2}, [&](experiment& e) {
      e.set(role::rhs, 2, 50, std::numeric_limits<long double>::quiet_NaN(), 333);
    });
  }
}

// Right-hand sides are finite, but x is not: for whole lines, and for lines in parts, most of which
// do not know it.
TEST_F(NanCudaOfOneMatrix, Constants) {
  for (const value_type type : kTypes)
    for (const index_t n : {30, 250, 4100, 20'000})
      for (const boundary ends : {boundary::regular, boundary::periodic})
        for (problem p : lines_of(n, 32))
          for (const index_t columns : {1, 3}) {
            p.type = type, p.boundary = ends, p.right_hand_sides = columns;
            p.coefficients = tridia::coefficients::constant;
            p.matrix = matrix();
            run_options how;
            if (flip(random_)) how.alias = role::rhs;
            const bool in_parts = have_clusters() && p.axis == 0 && columns == 1 &&
                                  (n == 4100 || (n > 4100 && !is_complex(type)));
            expect_overflow(p, how, in_parts ? "in parts of" : "");
            if (HasFailure()) return;
          }
}

TEST_F(NanCudaOfOneMatrix, Neato) {
  for (const value_type type : {value_type::f32, value_type::f64})
    for (const tridia::neato_memory memory :
         {tridia::neato_memory::shared, tridia::neato_memory::global})
      for (const index_t n : {2, 3, 100, 1000})
        for (problem p : lines_of(n, 19))
          for (const index_t columns : {1, 3}) {
            p.type = type, p.pivoting = pivoting::none, p.right_hand_sides = columns;
            p.coefficients = tridia::coefficients::constant;
            p.matrix = matrix();
            run_options how{.algorithm = tridia::algorithm::neato,
                            .parameters = {.memory = memory}};
            if (flip(random_)) how.alias = role::rhs;
            expect_overflow(p, how, "");
            if (HasFailure()) return;
          }
}

}  // namespace
}  // namespace tridia_test
