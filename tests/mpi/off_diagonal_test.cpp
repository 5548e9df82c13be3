// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause

// These tests are for off-diagonals that are not where a rank's rows need them: those of A^T and
// A^H, whose rows have entries of other ranks, and arrays of n - 1 entries.
#include <gtest/gtest.h>

#include <limits>

#include "mpi/field.hpp"
#include "support/oracle.hpp"
#include "tridia/solve.hpp"

namespace tridia_test {
namespace {

using tridia::boundary;
using tridia::operation;
using tridia::pivoting;
using tridia::problem;
using tridia::value_type;
using tridia::distributed::communicator;
using tridia::distributed::decomposition;
using tridia::distributed::plan;
using tridia::distributed::plan_options;
using tridia::distributed::strategy;

constexpr strategy kTurns[] = {strategy::gather, strategy::allgather, strategy::pcr,
                               strategy::all_to_all};
constexpr operation kTransposes[] = {operation::transpose, operation::conjugate_transpose};

class OffDiagonals : public ::testing::TestWithParam<value_type> {};

TEST_P(OffDiagonals, OfOtherRanksMakeTransposes) {
  rng random = random_for("Transposes");
  const communicator by = ranks();
  int turn = 0;
  for (const auto& process_grid : process_grids())
    for (int axis = 0; axis < 3; ++axis)
      for (const pivoting pivots : {pivoting::none, pivoting::partial})
        for (const boundary b : {boundary::regular, boundary::periodic})
          for (const operation of_matrix : kTransposes) {
            problem p{.type = GetParam(), .axis = axis, .boundary = b, .pivoting = pivots};
            p.operation = of_matrix;
            split_problem s(uneven_grid(process_grid), p);
            s.fill(random);
            const plan_options o{.strategy = kTurns[turn++ % std::size(kTurns)]};
            SCOPED_TRACE(describe(p, process_grid, o));
            expect_solved(s, by, o);
          }
}

TEST_P(OffDiagonals, MayBeShort) {
  rng random = random_for("Short");
  const communicator by = ranks();
  int turn = 0;
  for (const auto& process_grid : process_grids())
    for (int axis = 0; axis < 3; ++axis)
      for (const pivoting pivots : {pivoting::none, pivoting::partial})
        for (const operation of_matrix : {operation::none, operation::conjugate_transpose}) {
          problem p{.type = GetParam(), .axis = axis, .pivoting = pivots};
          p.operation = of_matrix, p.short_off_diagonals = true;
          split_problem s(uneven_grid(process_grid), p);
          s.fill(random);
          const plan_options o{.strategy = kTurns[turn++ % std::size(kTurns)]};
          SCOPED_TRACE(describe(p, process_grid, o));
          expect_solved(s, by, o);
        }
}

INSTANTIATE_TEST_SUITE_P(All, OffDiagonals,
                         ::testing::Values(value_type::f32, value_type::f64, value_type::c64,
                                           value_type::c128),
                         [](const auto& test) { return std::string(name(test.param)); });

/// Long lines are cut into even parts, with several groups of lines and several threads, in slabs.
TEST(OffDiagonalsInSlabs, MakeTransposes) {
  rng random = random_for("Slabs");
  const communicator by = ranks();
  for (const int axis : {0, 2})
    for (const pivoting pivots : {pivoting::none, pivoting::partial}) {
      problem p{.axis = axis, .boundary = boundary::periodic, .pivoting = pivots};
      p.operation = operation::transpose;
      std::vector<int> process_grid{1, 1, 1};
      process_grid[axis] = world_size();
      split_problem s(decomposition({70, 11, 130}, process_grid), p);
      s.fill(random);
      plan lines(s.blocks, s.local(), by, {.interface_bytes = 3000, .threads = 2});
      s.run(lines);
      EXPECT_LE(s.worst(), kBackwardBound);
    }
}

/// x takes the place of any array, since neighbours' entries are in several.
TEST(TransposeOfRanks, IsSolvedInPlace) {
  rng random = random_for("InPlace");
  const communicator by = ranks();
  for (const boundary b : {boundary::regular, boundary::periodic})
    for (const pivoting pivots : {pivoting::none, pivoting::partial})
      for (field split_problem::*const place :
           {&split_problem::dl, &split_problem::d, &split_problem::du, &split_problem::rhs}) {
        problem whole{.axis = 0, .boundary = b, .pivoting = pivots};
        whole.operation = operation::transpose;
        split_problem s(decomposition({40, 6}, {world_size(), 1}), whole);
        s.fill(random);
        for (field* f : {&s.dl, &s.d, &s.du, &s.rhs}) f->scatter();
        problem p = s.local();
        p.x_strides = (s.*place).strides();
        plan lines(s.blocks, p, by);
        lines.execute(s.dl.block(), s.d.block(), s.du.block(), s.rhs.block(), (s.*place).block());
        field given = s.*place;
        (s.*place).collect();
        std::swap(s.x, s.*place);
        std::swap(s.*place, given);
        EXPECT_LE(s.worst(), kBackwardBound);
      }
}

/// An entry of a rank's array may be one of a row of its neighbour.
TEST(TransposeOfRanks, NamesItsRowsThatAreNotFinite) {
  rng random = random_for("TransposedStatus");
  const communicator by = ranks();
  constexpr index_t rows = 5;
  constexpr auto nan = std::numeric_limits<long double>::quiet_NaN();
  const index_t count = 2 * world_size() + 1;
  for (const boundary b : {boundary::regular, boundary::periodic})
    for (const pivoting pivots : {pivoting::none, pivoting::partial}) {
      problem p{.axis = 0, .boundary = b, .pivoting = pivots};
      p.operation = operation::transpose;
      split_problem s(decomposition({rows * world_size(), count}, {world_size(), 1}), p);
      s.fill(random);
      std::vector<index_t> bad;
      for (index_t rank = b == boundary::regular ? 1 : 0; rank < world_size(); ++rank) {
        const index_t first = rows * rank, last = (first + s.rows() - 1) % s.rows();
        bad.insert(bad.end(), {2 * rank, 2 * rank + 1});
        s.dl.set(s.at(2 * rank, first), nan);
        s.du.set(s.at(2 * rank + 1, last), nan);
      }
      plan lines(s.blocks, s.local(), by);
      EXPECT_EQ(s.run(lines), s.statuses());
      EXPECT_LE(s.worst(bad), kBackwardBound);
    }
}

/// Returns rows `begin` to `end` - 1 along an axis of a dense array of two axes.
std::vector<double> cut(const std::vector<double>& whole, int axis, index_t rows, index_t begin,
                        index_t end) {
  std::vector<double> part;
  const auto lines = static_cast<index_t>(whole.size()) / rows;
  const index_t outer = axis == 0 ? end - begin : lines, inner = axis == 0 ? lines : end - begin;
  for (index_t i = 0; i < outer; ++i)
    for (index_t j = 0; j < inner; ++j)
      part.push_back(whole[axis == 0 ? (begin + i) * lines + j : i * rows + begin + j]);
  return part;
}

/// The first rank and the last have one row, so that their dl and du have no entry.
TEST(ShortOffDiagonals, AreDenseByDefault) {
  rng random = random_for("Dense");
  const communicator by = ranks();
  constexpr index_t lines = 3;
  std::vector<index_t> parts(static_cast<std::size_t>(world_size()), 4);
  if (world_size() > 1) parts.front() = 1;
  if (world_size() > 2) parts.back() = 1;
  for (int axis = 0; axis < 2; ++axis)
    for (const operation of_matrix : {operation::none, operation::transpose}) {
      std::vector<std::vector<index_t>> all{{lines}, {lines}};
      all[static_cast<std::size_t>(axis)] = parts;
      const decomposition g = decomposition::of_parts(all);
      const index_t n = g.extents()[static_cast<std::size_t>(axis)];
      const auto drawn = [&](index_t rows, auto draw) {
        std::vector<double> a(static_cast<std::size_t>(rows * lines));
        for (double& v : a) v = static_cast<double>(draw(random, value_type::f64).real());
        return a;
      };
      const auto dl = drawn(n - 1, draw_number), du = drawn(n - 1, draw_number);
      const auto d = drawn(n, draw_dominant), rhs = drawn(n, draw_number);
      problem p{.axis = axis, .pivoting = pivoting::none};
      p.operation = of_matrix, p.short_off_diagonals = true;
      problem whole = p;
      whole.extents = g.extents();
      std::vector<double> x(rhs.size());
      tridia::solve(whole, dl.data(), d.data(), du.data(), rhs.data(), x.data());

      const auto own = g.block(world_rank());
      const index_t begin = own.begin[static_cast<std::size_t>(axis)];
      const index_t end = begin + own.extents[static_cast<std::size_t>(axis)];
      // Entry k of dl is that of row k + 1.
      ranks_array dl_here(cut(dl, axis, n - 1, std::max<index_t>(begin - 1, 0), end - 1));
      ranks_array d_here(cut(d, axis, n, begin, end));
      ranks_array du_here(cut(du, axis, n - 1, begin, std::min(end, n - 1)));
      ranks_array rhs_here(cut(rhs, axis, n, begin, end));
      plan rows(g, p, by);
      rows.execute(dl_here.there(), d_here.there(), du_here.there(), rhs_here.there(),
                   rhs_here.there());
      const auto found = rhs_here.get(), expected = cut(x, axis, n, begin, end);
      for (std::size_t k = 0; k < found.size(); ++k) EXPECT_NEAR(found[k], expected[k], 1e-14);
    }
}

}  // namespace
}  // namespace tridia_test
