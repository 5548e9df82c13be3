// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
// Lines that the CPU cuts into parts: which they are, that the cuts depend on nothing but the
// shape, and what becomes of parts that are singular, alone or with the whole line.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "support/experiment.hpp"
#include "support/failing_systems.hpp"
#include "support/oracle.hpp"
#include "support/targets.hpp"

namespace tridia_test {
namespace {

using tridia::algorithm;
using tridia::backend;
using tridia::boundary;
using tridia::coefficients;
using tridia::pivoting;
using tridia::problem;
using tridia::value_type;

const run_options kParts{.backend = backend::cpu, .algorithm = algorithm::partition};

experiment filled(const problem& p, const run_options& m, rng& random) {
  experiment e(p, m);
  e.fill_matrices(random);
  e.fill_rhs(random);
  return e;
}

TEST(CpuParts, AreChosenByShape) {
  const auto are_cut = [](const problem& p) {
    return tridia::plan(p, {.backend = backend::cpu}).algorithm() == algorithm::partition;
  };
  EXPECT_FALSE(are_cut({.extents = {1023}}));
  EXPECT_TRUE(are_cut({.extents = {1024}}));
  EXPECT_TRUE(are_cut({.extents = {8, 1024}}));
  EXPECT_TRUE(are_cut({.extents = {1024, 8}, .axis = 0}));
  EXPECT_TRUE(are_cut({.extents = {2, 1024}, .right_hand_sides = 4}));
  EXPECT_FALSE(are_cut({.extents = {9, 1024}}));
  EXPECT_FALSE(are_cut({.extents = {3, 1024}, .right_hand_sides = 4}));
  EXPECT_FALSE(are_cut({.extents = {32, 32767}}));
  EXPECT_TRUE(are_cut({.extents = {32, 32768}}));
  EXPECT_TRUE(are_cut({.extents = {32768, 32}, .axis = 0}));
  EXPECT_TRUE(are_cut({.extents = {33, 32768}}));
  EXPECT_TRUE(are_cut({.extents = {32768, 33}, .axis = 0}));
  EXPECT_FALSE(are_cut({.extents = {32767, 33}, .axis = 0}));
  EXPECT_TRUE(are_cut({.type = value_type::f32, .extents = {32768, 33}, .axis = 0}));
  EXPECT_TRUE(are_cut({.extents = {64, 131072}, .coefficients = coefficients::shared}));
  EXPECT_FALSE(are_cut({.extents = {65, 131072}, .coefficients = coefficients::shared}));
  EXPECT_TRUE(are_cut({.extents = {32768, 65}, .axis = 0, .coefficients = coefficients::shared}));
  EXPECT_FALSE(
      are_cut({.extents = {20, 32768, 3}, .axis = 1, .coefficients = coefficients::shared}));
  EXPECT_FALSE(are_cut({.extents = {33, 32768}, .coefficients = coefficients::shared}));
  EXPECT_FALSE(are_cut({.extents = {4096}, .offsets = {0, 1000, 4096}}));
  const tridia::plan one({.extents = {1 << 20}}, {.backend = backend::cpu});
  EXPECT_NE(one.reason().find("parts of 1056 rows"), std::string::npos) << one.reason();
  const tridia::plan ragged({.extents = {96}, .offsets = {0, 40, 96}},
                            {.backend = backend::cpu, .algorithm = algorithm::partition});
  EXPECT_NE(ragged.reason().find("no line is cut"), std::string::npos) << ragged.reason();
}

// These lengths lie around the shortest line that is cut, and leave over no row of a line, one, or
// all but one of a part.
TEST(CpuParts, OfAnyLengthAreSolved) {
  rng random = random_for("OfAnyLengthAreSolved");
  for (const index_t n :
       {31, 32, 33, 47, 48, 2047, 2048, 4095, 4096, 4097, 67583, 67584, 67585, 68111})
    for (const auto p : {pivoting::none, pivoting::partial})
      for (const auto b : {boundary::regular, boundary::periodic})
        for (const index_t lines : {1, 3}) {
          if (n > 5000 && lines > 1) continue;  // to save time
          problem of{.extents = {n, lines}, .axis = 0, .boundary = b, .pivoting = p};
          run_options m = kParts;
          m.factored = n % 2 == 0, m.threads = 2;
          experiment e = filled(of, m, random);
          EXPECT_EQ(e.run(), "");
          EXPECT_EQ(check_solution(e, 48), "") << n << ' ' << lines << ' ' << tridia::name(p);
        }
}

TEST(CpuParts, DoNotDependOnThreads) {
  rng random = random_for("DoNotDependOnThreads");
  const tridia::near_toeplitz matrix{.interior = {1, -4, 1.5}};
  for (problem p :
       {problem{.extents = {40000}}, problem{.extents = {40000}, .pivoting = pivoting::none},
        problem{.extents = {5000, 7}, .axis = 0}, problem{.extents = {3, 3001}},
        problem{.extents = {40, 2000}, .boundary = boundary::periodic},
        problem{.extents = {2000, 20}, .axis = 0, .right_hand_sides = 3},
        problem{.extents = {20, 2000}, .coefficients = coefficients::shared},
        problem{.extents = {3, 9000}, .coefficients = coefficients::constant}}) {
    if (p.coefficients == coefficients::constant) p.matrix = matrix;
    for (const bool factored : {false, true}) {
      if (factored && p.coefficients == coefficients::constant) continue;
      run_options m = kParts;
      m.factored = factored;
      experiment one = filled(p, m, random);
      EXPECT_EQ(one.run(), "");
      EXPECT_EQ(check_solution(one, 0), "");
      for (const int threads : {2, 3, 8}) {
        m.threads = threads;
        experiment other(p, m);
        copy_inputs(one, other);
        EXPECT_EQ(other.run(), "");
        for (index_t s = 0; s < one.where().systems(); ++s) {
          EXPECT_EQ(one.solution_bytes(s), other.solution_bytes(s)) << threads << " threads";
        }
      }
    }
  }
}

/// Lets rows dominate from `from` to `to`, so that parts of them need no interchanges.
void let_dominate(experiment& e, index_t system, index_t from, index_t to) {
  for (index_t k = from; k < to; ++k) e.set(role::d, system, k, k % 2 == 0 ? 5 : -5);
}

// Lanes of a group, which are parts of one line or of neighbouring lines, need interchanges or do
// not. What is done of one does not depend on the others.
TEST(CpuParts, InterchangeRowsWhereNumbersGrow) {
  rng random = random_for("InterchangeRowsWhereNumbersGrow");
  for (const value_type type :
       {value_type::f32, value_type::f64, value_type::c64, value_type::c128})
    for (const auto b : {boundary::regular, boundary::periodic})
      for (const int axis : {0, 1})
        for (const bool in_place : {false, true}) {
          problem p{.type = type, .extents = {7, 2100}, .axis = axis, .boundary = b};
          if (axis == 0) std::swap(p.extents[0], p.extents[1]);
          run_options m = kParts;
          if (in_place) m.alias = role::rhs;
          experiment e = filled(p, m, random);
          for (index_t s = 1; s < 7; s += 2) let_dominate(e, s, 0, 2100);
          for (const index_t begin : {0, 500, 1700}) let_dominate(e, 4, begin, begin + 200);
          EXPECT_EQ(e.run(), "");
          experiment other(p, m);
          copy_inputs(e, other);
          for (const index_t s : {0, 2, 3}) let_dominate(other, s, 100, 1900);
          EXPECT_EQ(other.run(), "");
          EXPECT_EQ(check_solution(e, 48), "") << tridia::name(type) << ' ' << axis;
          EXPECT_EQ(check_solution(other, 48), "") << tridia::name(type) << ' ' << axis;
          for (const index_t s : {1, 4, 5, 6}) {
            EXPECT_EQ(e.solution_bytes(s), other.solution_bytes(s)) << s;
          }
        }
}

/// Parts of a line of this length have 16 rows.
constexpr index_t kRows = 200;

// A column of zeros makes one line singular, and leaves the others of its groups as they are.
TEST(CpuParts, NameTheColumnOfZeros) {
  rng random = random_for("NameTheColumnOfZeros");
  for (const problem& p :
       {problem{.extents = {5, kRows}}, problem{.extents = {kRows, 5}, .axis = 0},
        problem{.extents = {5, kRows}, .pivoting = pivoting::none},
        problem{.extents = {5, kRows}, .boundary = boundary::periodic}})
    for (const bool in_place : {false, true})
      for (index_t row = 0; row < kRows; row += 3) {
        run_options m = kParts;
        if (in_place) m.alias = role::rhs;
        const experiment good = [&] {
          experiment e = filled(p, m, random);
          EXPECT_EQ(e.run(), "");
          return e;
        }();
        experiment bad(p, m);
        copy_inputs(good, bad);
        for (const entry& e : column_of(p, kRows, row)) bad.set(e.array, 2, e.row, 0);
        EXPECT_EQ(bad.run(), "");
        EXPECT_EQ(bad.status()[2], row + 1);
        EXPECT_EQ(check_all_nan(bad, 2), "");
        for (const index_t s : {0, 1, 3, 4}) {
          EXPECT_EQ(bad.status()[static_cast<std::size_t>(s)], 0);
          EXPECT_EQ(bad.solution_bytes(s), good.solution_bytes(s));
        }
      }
}

// Some rows of the middle are [0 1; 1 0]: without pivoting, a part that begins there has a pivot of
// zero, and the whole line has none.
TEST(CpuParts, MayBeSingularWhereTheLineIsNot) {
  rng random = random_for("MayBeSingularWhereTheLineIsNot");
  for (const auto p : {pivoting::none, pivoting::partial})
    for (const index_t row : {16, 32, 96, 176}) {
      experiment e = filled({.extents = {3, kRows}, .pivoting = p}, kParts, random);
      e.set(role::d, 1, row, 0);
      for (const index_t k : {row - 1, row, row + 1}) {
        e.set(role::dl, 1, k, 1), e.set(role::du, 1, k, 1);
        if (k != row) e.set(role::d, 1, k, 3);
      }
      EXPECT_EQ(e.run(), "");
      EXPECT_EQ(e.status()[1], 0);
      EXPECT_EQ(check_solution(e, 0), "");
    }
}

TEST(CpuParts, NameTheRowThatIsNotFinite) {
  rng random = random_for("NameTheRowThatIsNotFinite");
  const long double nan = std::numeric_limits<long double>::quiet_NaN();
  for (const bool factored : {false, true})
    for (const role r : {role::rhs, role::d, role::dl, role::du})
      for (index_t row = 1; row < kRows - 1; row += 7) {
        run_options m = kParts;
        m.factored = factored;
        experiment e = filled({.extents = {kRows, 4}, .axis = 0}, m, random);
        e.set(r, 3, row, nan);
        EXPECT_EQ(e.run(), "");
        EXPECT_EQ(e.status(), (std::vector<index_t>{0, 0, 0, -row - 1}));
        EXPECT_EQ(check_solution(e, 0), "");
      }
}

/// Parts of a line of this length have 528 rows, and the last one 105.
constexpr index_t kLongRows = 17001;

/// Lets all of a line's rows be (-1, diag, -1).
void let_all_be(experiment& e, index_t system, long double diag) {
  for (index_t k = 0; k < kLongRows; ++k) {
    e.set(role::d, system, k, diag);
    e.set(role::dl, system, k, -1), e.set(role::du, system, k, -1);
  }
}

/// Lets all of a line's rows be random ones, some of which are interchanged.
void let_be_random(experiment& e, index_t system, rng& random) {
  for (index_t k = 0; k < kLongRows; ++k)
    for (const role r : {role::d, role::dl, role::du})
      e.set(r, system, k, draw_number(random, e.problem().type));
}

/// Checks lines of which one decays like the others, or reaches further than the ends of parts, or
/// needs interchanges: what is done of the others does not depend on it.
void check_from_ends(const problem& p, index_t systems, bool in_place, rng& random) {
  run_options m = kParts;
  if (in_place) m.alias = role::rhs;
  m.threads = 2;
  experiment decays = filled(p, m, random);
  for (index_t s = 0; s < systems; ++s) let_dominate(decays, s, 0, kLongRows);
  EXPECT_EQ(decays.run(), "");
  EXPECT_EQ(check_solution(decays, 48), "") << tridia::name(p.type) << ' ' << p.axis;
  const auto expect_same_beside = [&](const auto& fill) {
    experiment other(p, m);
    copy_inputs(decays, other);
    fill(other);
    EXPECT_EQ(other.run(), "");
    EXPECT_EQ(check_solution(other, 48), "") << tridia::name(p.type) << ' ' << p.axis;
    for (index_t s = 0; s < systems; ++s) {
      if (s == 1) continue;
      EXPECT_EQ(decays.solution_bytes(s), other.solution_bytes(s)) << s;
    }
  };
  expect_same_beside([](experiment& e) { let_all_be(e, 1, 2.0001L); });
  if (p.pivoting == pivoting::none) return;
  expect_same_beside([&](experiment& e) { let_be_random(e, 1, random); });
  // Chunks of such a line are nearly singular by themselves: among 33 lines, x has a backward error
  // of 2 to 36 roundings, by the right-hand side, and about one among few.
  constexpr index_t few = 5;
  if (systems <= few) expect_same_beside([](experiment& e) { let_all_be(e, 1, 0.3L); });
}

// x beside a border of parts comes from the rows next to it, if all else decays until there.
TEST(CpuParts, AreSolvedFromTheirEndsWhereAllElseDecays) {
  rng random = random_for("AreSolvedFromTheirEndsWhereAllElseDecays");
  for (const auto pivots : {pivoting::none, pivoting::partial})
    for (const auto b : {boundary::regular, boundary::periodic}) {
      const bool in_place = b == boundary::periodic;
      const bool complex = (b == boundary::periodic) != (pivots == pivoting::none);
      for (const value_type type : {complex ? value_type::c64 : value_type::f32,
                                    complex ? value_type::c128 : value_type::f64}) {
        for (const index_t lines : {3, 33}) {
          if (lines > 3 && type != value_type::f64) continue;  // to save time
          check_from_ends(
              {.type = type, .extents = {lines, kLongRows}, .boundary = b, .pivoting = pivots},
              lines, in_place, random);
        }
      }
      for (const index_t neighbours : {5, 33}) {
        check_from_ends(
            {.extents = {kLongRows, neighbours}, .axis = 0, .boundary = b, .pivoting = pivots},
            neighbours, in_place, random);
      }
      check_from_ends(
          {.extents = {2, kLongRows}, .right_hand_sides = 3, .boundary = b, .pivoting = pivots}, 2,
          in_place, random);
    }
}

TEST(CpuParts, OfOneMatrixAreSolvedFromTheirEnds) {
  rng random = random_for("OfOneMatrixAreSolvedFromTheirEnds");
  for (const auto pivots : {pivoting::none, pivoting::partial})
    for (const auto op : {tridia::operation::none, tridia::operation::transpose})
      for (const int axis : {0, 1})
        for (const bool factored : {false, true}) {
          problem p{.extents = {20, kLongRows},
                    .axis = axis,
                    .pivoting = pivots,
                    .operation = op,
                    .coefficients = coefficients::shared};
          if (axis == 0) std::swap(p.extents[0], p.extents[1]);
          run_options m = kParts;
          m.factored = factored, m.threads = 2;
          experiment e = filled(p, m, random);
          let_dominate(e, 0, 0, kLongRows);
          EXPECT_EQ(e.run(), "");
          EXPECT_EQ(check_solution(e, 48), "") << axis;
        }
}

// These rows are the first ones of a line, and lie in the middle of a part and beside a border.
TEST(CpuParts, NameRowsOfLinesThatAreSolvedFromEnds) {
  rng random = random_for("NameRowsOfLinesThatAreSolvedFromEnds");
  const long double nan = std::numeric_limits<long double>::quiet_NaN();
  for (const auto pivots : {pivoting::none, pivoting::partial})
    for (const bool factored : {false, true})
      for (const bool in_place : {false, true})
        for (const index_t row : {index_t{0}, index_t{1}, index_t{300}, index_t{527}, index_t{528},
                                  index_t{9000}, kLongRows - 1}) {
          const problem p{.extents = {4, kLongRows}, .pivoting = pivots};
          run_options m = kParts;
          m.factored = factored, m.threads = 2;
          if (in_place) m.alias = role::rhs;
          experiment e = filled(p, m, random);
          for (index_t s = 0; s < 4; ++s) let_dominate(e, s, 0, kLongRows);
          e.set(role::rhs, 1, row, nan), e.set(role::rhs, 1, kLongRows - 1, nan);
          e.set(role::d, 2, row, nan);
          for (const entry& c : column_of(p, kLongRows, row)) e.set(c.array, 3, c.row, 0);
          EXPECT_EQ(e.run(), "");
          EXPECT_EQ(e.status(), (std::vector<index_t>{0, -row - 1, -row - 1, row + 1}));
          for (const index_t s : {1, 2, 3}) EXPECT_EQ(check_all_nan(e, s), "");
          EXPECT_EQ(check_solution(e, 48), "");
        }
}

// Whatever is wrong first with a line counts, also where x overwrites its matrix.
TEST(CpuParts, NameTheFirstRowOfSeveral) {
  rng random = random_for("NameTheFirstRowOfSeveral");
  const long double nan = std::numeric_limits<long double>::quiet_NaN();
  for (const role alias : {role::x, role::rhs, role::d, role::du}) {
    const problem p{.extents = {4, kLongRows}, .pivoting = pivoting::none};
    run_options m = kParts;
    if (alias != role::x) m.alias = alias;
    experiment e = filled(p, m, random);
    for (index_t s = 0; s < 4; ++s) let_dominate(e, s, 0, kLongRows);
    e.set(role::rhs, 1, 300, nan), e.set(role::d, 1, 900, nan);
    e.set(role::d, 2, 300, nan);
    e.set(role::rhs, 3, 5000, nan);
    for (const entry& c : column_of(p, kLongRows, 900)) e.set(c.array, 3, c.row, 0);
    EXPECT_EQ(e.run(), "");
    EXPECT_EQ(e.status(), (std::vector<index_t>{0, -301, -301, -5001}));
    for (const index_t s : {1, 2, 3}) EXPECT_EQ(check_all_nan(e, s), "");
  }
}

// Columns of (-1, 2, -1) are scaled, so that x grows by 4 from row to row after a border: its ends
// decay in one direction alone. All of x is accurate, as it is a sum of positive numbers.
TEST(CpuParts, AreNotSolvedFromEndsWhereXGrows) {
  constexpr index_t begin = 528, end = begin + 133;
  const problem p{.extents = {1, kLongRows}, .pivoting = pivoting::none};
  experiment parts(p, kParts), whole(p, {.backend = backend::cpu, .algorithm = algorithm::thomas});
  for (experiment* const e : {&parts, &whole}) {
    for (index_t k = 0; k < kLongRows; ++k) {
      const bool grows = k > begin && k < end;
      e->set(role::dl, 0, k, grows ? -4 : -1);
      e->set(role::d, 0, k, grows ? 2 : k == begin ? 3 : 4);
      e->set(role::du, 0, k, grows || k == begin ? -0.25L : -1);
      e->set(role::rhs, 0, k, k >= begin && k < end ? std::pow(4.0L, k - begin) : 1);
    }
    EXPECT_EQ(e->run(), "");
  }
  for (index_t k = 0; k < kLongRows; ++k) {
    const auto ratio = parts.solution(0, k).real() / whole.solution(0, k).real();
    EXPECT_NEAR(static_cast<double>(ratio), 1, 1e-10) << k;
  }
}

}  // namespace
}  // namespace tridia_test
