// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause

// These tests cover the paths by which a GPU's kernels move their arrays, each with problems that
// take it: boxes of lines and of rows, systems in rounds, concatenated systems, lines of scans. A
// plan says which path it takes; results must be the reference's, and memory between and around
// elements must not change.
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <string>
#include <vector>

#include "solver/cuda/method.hpp"
#include "support/device_memory.hpp"
#include "support/targets.hpp"
#include "support/twin.hpp"

namespace tridia_test {
namespace {

using tridia::boundary;
using tridia::operation;
using tridia::pivoting;
using tridia::problem;

/// Returns whether kernels of this build have boxes on this GPU: those for older ones have none.
bool have_boxes() { return tridia::gpu::current_device_limits().clusters; }

index_t bytes_of(tridia::value_type t) { return static_cast<index_t>(tridia::size_of(t)); }
/// Returns the number of elements that make 16 bytes.
index_t granule_of(tridia::value_type t) { return 16 / bytes_of(t); }
index_t round_up(index_t n, index_t to) { return (n + to - 1) / to * to; }

/// Gives every array the same strides.
problem with_strides(problem p, const std::vector<index_t>& strides) {
  p.dl_strides = p.d_strides = p.du_strides = p.rhs_strides = p.x_strides = strides;
  return p;
}

class KernelPaths : public testing::Test {
 protected:
  void SetUp() override {
    if (!have_gpu()) GTEST_SKIP();
  }
  /// Draws pivoting, boundary and operation; x may be rhs.
  void vary(problem& p, run_options& how) {
    p.pivoting = flip(random_) ? pivoting::none : pivoting::partial;
    if (flip(random_)) p.boundary = boundary::periodic;
    if (flip(random_) && p.x_strides == p.rhs_strides) how.alias = role::rhs;
    how.status = draw(random_, 0, 3) != 0;
  }
  /// Compares with the reference, with matrices that are dominant, except some if there is
  /// pivoting.
  void expect_as_reference(const problem& p, run_options how, const std::string& path) {
    how.backend = tridia::backend::cuda;
    twin t(p, how);
    SCOPED_TRACE(describe(p) + "; " + describe(how) + "; " + t.reason());
    if (!path.empty()) {
      EXPECT_NE(t.reason().find(path), std::string::npos);
    }
    t.fill(random_, flip(random_) ? 0 : draw(random_, 1, 40));
    EXPECT_EQ(t.run(), "");
  }
  /// Checks that a system whose right-hand side is not finite changes no bit of another's x.
  void expect_others_kept(const problem& p, run_options how) {
    how.backend = tridia::backend::cuda, how.status = true;
    experiment good(p, how), bad(p, how);
    const index_t spoilt = draw(random_, 0, good.where().systems() - 1);
    const rng same = random_;
    for (experiment* e : {&good, &bad}) {
      random_ = same;
      e->fill_matrices(random_);
      e->fill_rhs(random_);
    }
    const index_t row = draw(random_, 0, good.where().rows(spoilt) - 1);
    bad.set(role::rhs, spoilt, row, std::numeric_limits<double>::quiet_NaN());
    ASSERT_EQ(good.run(), "");
    ASSERT_EQ(bad.run(), "");
    for (index_t s = 0; s < good.where().systems(); ++s) {
      const bool is_good = bad.status()[static_cast<std::size_t>(s)] == 0;
      ASSERT_EQ(is_good, s != spoilt) << s << ' ' << describe(p);
      if (is_good) {
        ASSERT_EQ(good.solution_bytes(s), bad.solution_bytes(s)) << s << ' ' << describe(p);
      }
    }
  }

  rng random_ = random_for("KernelPaths");
};

/// Returns lines with a gap after each.
problem lines_of(tridia::value_type type, index_t batch, index_t n, index_t gap) {
  return with_strides({.type = type, .extents = {batch, n}}, {n + gap, 1});
}

TEST_F(KernelPaths, BoxesOfLines) {
  for (const auto type : kTypes) {
    const index_t granule = granule_of(type), size = bytes_of(type);
    for (int run = 0; run < 60 && !HasFailure(); ++run) {
      // Lines have 256 bytes or more, but fewer than 512.
      const index_t n = round_up(draw(random_, 256, 496) / size, granule);
      const index_t batches[] = {2, 3, 31, 32, 33, 257, draw(random_, 2, 2000)};
      const index_t batch = batches[draw(random_, 0, 6)];
      problem p = lines_of(type, batch, n, granule * draw(random_, 1, 4));
      run_options how;
      switch (draw(random_, 0, 3)) {
        case 0:  // x goes out by elements
          p.x_strides[0] = n + granule * 2 + (granule > 1 ? 1 : 0);
          break;
        case 1:  // nothing is aligned, whatever the plan says
          how.apart = true;
          break;
        default:
          break;
      }
      vary(p, how);
      expect_as_reference(p, how, have_boxes() ? "moved in boxes of systems" : "");
    }
    const index_t n = round_up(300 / size, granule);
    for (const index_t batch : {2, 100}) {
      expect_others_kept(lines_of(type, batch, n, granule), {});
    }
  }
}

TEST_F(KernelPaths, LinesThatAreNoBoxes) {
  const auto f64 = tridia::value_type::f64;
  expect_as_reference(lines_of(f64, 99, 64, 2), {}, "moved a system at a time");
  expect_as_reference(lines_of(f64, 99, 40, 1), {}, "moved one by one");
  expect_as_reference({.extents = {99, 33}, .boundary = boundary::periodic}, {},
                      "moved in one piece");
  // Boxes hold lines of one axis only.
  problem p{.extents = {9, 11, 40}};
  expect_as_reference(with_strides(p, {11 * 42 + 2, 42, 1}), {}, "moved a system at a time");
}

/// Lines whose rows begin between multiples of 16 bytes: since they have odd lengths, are
/// transposed or lie anywhere, each array otherwise.
TEST_F(KernelPaths, LinesThatBeginAnywhere) {
  for (const auto type : kTypes) {
    for (int run = 0; run < 60 && !HasFailure(); ++run) {
      const index_t lengths[] = {513, 1001, 2047, 4099, draw(random_, 1024, 9000), 20'001};
      const index_t n = lengths[draw(random_, 0, 5)];
      problem p = lines_of(type, draw(random_, 1, 40), n, draw(random_, 0, 5));
      run_options how;
      switch (draw(random_, 0, 3)) {
        case 0:  // x lies otherwise than rhs
          p.x_strides[0] += 1;
          break;
        case 1:
          how.apart = true;
          break;
        case 2:
          p.short_off_diagonals = true;
          break;
        default:
          break;
      }
      const operation operations[] = {operation::none, operation::transpose,
                                      operation::conjugate_transpose};
      p.operation = operations[draw(random_, 0, 2)];
      vary(p, how);
      if (p.boundary == boundary::periodic) p.short_off_diagonals = false;
      if (draw(random_, 0, 4) == 0) p.right_hand_sides = draw(random_, 2, 5);
      if (p.right_hand_sides > 1) p.rhs_strides = p.x_strides = {};
      expect_as_reference(p, how, "");
    }
    expect_others_kept(lines_of(type, 30, 1001, 2), {});
    // A block has several systems, of which those that need pivoting are loaded again.
    for (const int warps : {2, 4, 8}) {
      run_options how;
      how.tuning = std::make_shared<const tridia::tuning_table>(tridia::tuning_table::parse(
          "tridia-tuning 2\n9.0 onchip " + std::string(name(type)) +
          " partial contiguous 2048 warps=" + std::to_string(warps) + "\n"));
      problem p = lines_of(type, 61, 2048, 1);
      p.boundary = flip(random_) ? boundary::regular : boundary::periodic;
      p.pivoting = pivoting::partial;
      expect_as_reference(p, how, "");
    }
  }
  if (!have_boxes()) return;
  for (const auto type : {tridia::value_type::f32, tridia::value_type::f64}) {
    problem p = lines_of(type, 99, 1501, 2);
    p.boundary = boundary::periodic;
    expect_as_reference(p, {}, "moved a system at a time");
  }
}

/// Systems are interleaved, or on a middle axis, and their rows are some elements apart.
TEST_F(KernelPaths, BoxesOfRows) {
  for (const auto type : kTypes) {
    const index_t granule = granule_of(type);
    for (int run = 0; run < 40 && !HasFailure(); ++run) {
      const index_t lengths[] = {3, 8, 17, 64, 100, 129, 300, 1000};
      const index_t n = lengths[draw(random_, 0, 7)], outer = flip(random_) ? 1 : 3;
      // x goes out in boxes if its rows are whole multiples of 16 bytes, and else by threads.
      const index_t most = std::min<index_t>(2500, 150'000 / n) / outer;
      const index_t neighbours = draw(random_, 4 * granule, most);
      const index_t row = round_up(neighbours, granule) + granule * draw(random_, 0, 2);
      problem p{.type = type, .extents = {outer, n, neighbours}, .axis = 1};
      p = with_strides(p, {n * row + granule * draw(random_, 0, 1), row, 1});
      run_options how;
      vary(p, how);
      if (flip(random_)) p.operation = operation::transpose;
      expect_as_reference(p, how, have_boxes() ? "moved in boxes" : "");
    }
  }
}

TEST_F(KernelPaths, RowsThatAreNoBoxes) {
  for (const auto type : {tridia::value_type::f32, tridia::value_type::f64}) {
    for (const index_t n : {3, 64, 300}) {
      for (const auto pivots : {pivoting::none, pivoting::partial}) {
        // Rows that begin anywhere are moved an element at a time; those on three axes, 16 bytes at
        // a time.
        expect_as_reference({.type = type, .extents = {n, 611}, .axis = 0, .pivoting = pivots}, {},
                            "moved by threads");
        problem p{.type = type, .extents = {2, n, 3, 132}, .axis = 1, .pivoting = pivots};
        expect_as_reference(with_strides(p, {n * 500, 500, 140, 1}), {}, "moved by threads");
      }
    }
  }
}

// Threads take several systems each, one after another, if values have 4 bytes and the batch is
// large; they are moved by boxes, by 16 bytes or by elements.
TEST_F(KernelPaths, Rounds) {
  const struct {
    index_t n, batch;
    const char* rounds;
  } cases[] = {{2, 33'001, "in 8 rounds"}, {3, 33'004, "in 8 rounds"},  {4, 40'000, "in 4 rounds"},
               {5, 32'771, "in 4 rounds"}, {5, 33'024, "in 4 rounds"},  {2, 16'500, "in 4 rounds"},
               {8, 65'540, "in 2 rounds"}, {15, 33'333, "in 2 rounds"}, {13, 33'332, "in 2 rounds"},
               {5, 16'388, "in 4 rounds"}, {3, 16'385, "in 4 rounds"}};
  for (const auto& c : cases) {
    for (const auto pivots : {pivoting::none, pivoting::partial}) {
      for (const auto ends : {boundary::regular, boundary::periodic}) {
        if (ends == boundary::periodic && c.n < 3) continue;
        problem p{.type = tridia::value_type::f32,
                  .extents = {c.n, c.batch},
                  .axis = 0,
                  .boundary = ends,
                  .pivoting = pivots};
        run_options how;
        if (flip(random_)) how.alias = role::rhs;
        if (flip(random_)) how.apart = true;
        if (flip(random_)) p.operation = operation::transpose;
        expect_as_reference(p, how, c.rounds);
        if (HasFailure()) return;
      }
    }
  }
}

TEST_F(KernelPaths, RoundsOnSeveralAxes) {
  for (const auto pivots : {pivoting::none, pivoting::partial}) {
    for (const index_t n : {3, 5, 9}) {
      // Arrays are moved 16 bytes at a time, the last tile by elements: the TMA takes fewer axes.
      problem p{.type = tridia::value_type::f32,
                .extents = {3, n, 5, 2252},
                .axis = 1,
                .pivoting = pivots};
      p = with_strides(p, {n * 5 * 2300 + 4, 5 * 2300, 2256, 1});
      expect_as_reference(p, {}, "rounds, moved by threads");
      // Boxes move a middle axis, and rows that are apart.
      problem q{
          .type = tridia::value_type::f32, .extents = {15, n, 2252}, .axis = 1, .pivoting = pivots};
      q = with_strides(q, {n * 2256, 2256, 1});
      expect_as_reference(q, {}, have_boxes() ? "rounds, moved in boxes" : "rounds");
    }
  }
}

TEST_F(KernelPaths, RoundsKeepOthersApart) {
  for (const auto pivots : {pivoting::none, pivoting::partial}) {
    for (const index_t n : {2, 5, 12}) {
      expect_others_kept(
          {.type = tridia::value_type::f32, .extents = {n, 33'005}, .axis = 0, .pivoting = pivots},
          {});
    }
  }
}

// Systems follow each other, of lengths below and above those of chunks: their chunks reach one,
// two, three ... further, up to all of a warp.
TEST_F(KernelPaths, JoinedSystemsOfEveryReach) {
  for (const auto type : kTypes) {
    for (index_t n = 1; n <= 1100 && !HasFailure(); n += n < 40 ? 1 : draw(random_, 1, n / 6)) {
      // There are several pieces, and the last one is shorter.
      const index_t batch = 4000 / n + draw(random_, 1, 9);
      problem p{.type = type, .extents = {batch, n}};
      run_options how;
      how.guard = static_cast<std::size_t>(draw(random_, 0, 5));
      how.apart = flip(random_);
      vary(p, how);
      p.boundary = boundary::regular;
      expect_as_reference(p, how, "concatenated");
    }
  }
}

/// Returns lines with constant coefficients, `gap` elements apart.
problem constants(tridia::value_type type, index_t batch, index_t n, index_t gap, boundary ends) {
  problem p{.type = type,
            .extents = {batch, n},
            .boundary = ends,
            .coefficients = tridia::coefficients::constant};
  p.rhs_strides = p.x_strides = {n + gap, 1};
  p.matrix.interior = {0.3, 1, 0.4};
  if (is_complex(type)) p.matrix.interior.dl = {0.1, -0.25};
  if (ends == boundary::regular) p.matrix.head = {{0, 1.5, 0.25}}, p.matrix.tail = {{0.5, 1.25, 0}};
  return p;
}

TEST_F(KernelPaths, ScannedLines) {
  for (const auto type : kTypes) {
    const index_t granule = granule_of(type), size = bytes_of(type);
    for (const auto ends : {boundary::regular, boundary::periodic}) {
      const auto expect = [&](index_t n, index_t gap, const char* how_moved) {
        run_options how;
        if (flip(random_)) how.alias = role::rhs;
        const index_t batches[] = {2, 7, 600, 1201};
        expect_as_reference(constants(type, batches[draw(random_, 0, 3)], n, gap, ends), how,
                            have_boxes() ? how_moved : "");
      };
      for (int run = 0; run < 5 && !HasFailure(); ++run) {
        const index_t gap = granule * draw(random_, 1, 3);
        expect(round_up(draw(random_, 24, 640 / size), granule), gap, "moved in boxes of lines");
        expect(round_up(draw(random_, 800, 1600) / size, granule), gap, "moved a line at a time");
        if (granule == 1) continue;
        const index_t odd = 25 + granule * draw(random_, 0, 40);
        expect(odd, 0, "moved in one piece");
        expect(odd, 1, odd * size < 512 ? "moved by threads" : "moved a line at a time");
      }
    }
  }
}

/// Right-hand sides of one matrix, or several of each of many matrices, are systems of their own
/// wherever no scan solves them; saved factors are the matrices.
TEST_F(KernelPaths, MatricesOfSeveralRightHandSides) {
  const auto check = [&](problem p, const char* path) {
    run_options how;
    vary(p, how);
    p.operation = static_cast<operation>(draw(random_, 0, 2));
    p.short_off_diagonals = p.boundary == boundary::regular && flip(random_);
    // One matrix for all is dominant or not for all.
    if (p.coefficients == tridia::coefficients::shared) p.pivoting = pivoting::none;
    // One matrix of long systems without pivoting is read, or factored first.
    const auto axis = p.axis < 0 ? p.extents.size() - 1 : static_cast<std::size_t>(p.axis);
    if (p.coefficients == tridia::coefficients::shared && p.extents[axis] >= 5000) path = "";
    expect_as_reference(p, how, path);
    how.factored = true;
    expect_as_reference(p, how, "");
  };
  for (const auto type : kTypes) {
    for (const index_t n : {1, 2, 5, 33, 300, 5000, 40'000}) {
      if (HasFailure()) return;
      const index_t batch = n > 1000 ? 3 : 77;
      problem p{.type = type, .extents = {batch, n}};
      p.right_hand_sides = draw(random_, 2, 5);
      check(p, "its matrix broadcast");
      p.extents = {n, batch}, p.axis = 0;
      check(p, "its matrix broadcast");
      p.extents = {2, n, batch}, p.axis = 1;
      check(p, "its matrix broadcast");
      p.coefficients = tridia::coefficients::shared;
      check(p, n > 1024 && n < 5000 ? "its matrix broadcast" : "");
      p.right_hand_sides = 1;
      p.extents = {batch, n}, p.axis = 1;
      check(p, "");
    }
  }
}

/// Saved factors of many matrices with one right-hand side each are the matrices themselves.
TEST_F(KernelPaths, SavedMatrices) {
  for (const auto type : kTypes) {
    for (const index_t n : {1, 3, 8, 100, 1000, 20'001}) {
      if (HasFailure()) return;
      const index_t batch = n > 10'000 ? 2 : 130;
      for (const int axis : {0, 1, 2}) {
        problem p{.type = type, .extents = {3, 2, batch}, .axis = axis};
        p.extents.insert(p.extents.begin() + axis, n);
        run_options how;
        vary(p, how);
        p.operation = static_cast<operation>(draw(random_, 0, 2));
        how.factored = true;
        expect_as_reference(p, how, "");
      }
    }
  }
}

/// A constant matrix that no scan takes is broadcast as well: here it is periodic, but not
/// circulant. Long lines of it are cut into parts.
TEST_F(KernelPaths, ConstantsThatNoScanTakes) {
  for (const auto type : kTypes) {
    for (const index_t n : {30, 64, 600, 20'000, 200'000}) {
      problem p = constants(type, n > 1000 ? 2 : 5, n, 0, boundary::periodic);
      // These are moved 16 bytes at a time, and short enough.
      const bool substituted = n <= 256 && n * bytes_of(type) >= 256;
      p.matrix.head = {{0.3, 1.5, 0.25}};
      run_options how;
      if (flip(random_)) how.alias = role::rhs;
      expect_as_reference(p, how,
                          substituted ? "right-hand sides on chip"
                          : n < 1000  ? "its matrix broadcast"
                                      : "in parts of");
    }
  }
}

/// Matrices that keep a GPU busy by themselves are solved with one right-hand side after another if
/// lines are moved element by element.
TEST_F(KernelPaths, RightHandSidesOneAfterAnother) {
  problem p{.extents = {1 << 13, 131}, .pivoting = pivoting::none};
  p.right_hand_sides = 2;
  run_options how;
  expect_as_reference(p, how, "2 right-hand sides one after another");
  how.factored = true, how.status = false;
  expect_as_reference(p, how, "");
}

/// So are those of transposed matrices, off-diagonals of which are shifted by an element, unless
/// lines are long enough to go in pieces.
TEST_F(KernelPaths, RightHandSidesOfTransposedMatrices) {
  for (const index_t n : {64, 640}) {
    problem p{.extents = {(1 << 20) / n + 1, n}, .pivoting = pivoting::none};
    p.operation = tridia::operation::transpose;
    p.right_hand_sides = 2;
    expect_as_reference(p, {}, n == 64 ? "one after another" : "its matrix broadcast");
  }
}

/// Otherwise the right-hand sides of a matrix are solved at about the same time.
TEST_F(KernelPaths, RightHandSidesTogether) {
  constexpr index_t enough_rows = index_t{1} << 20;
  for (const index_t n : {66, 520, 1024, 2048}) {
    const index_t batch = enough_rows / n + draw(random_, 1, 9);
    for (const int axis : {0, 1}) {
      problem p{.extents = {batch, n}, .axis = 1};
      if (axis == 0) p.extents = {n, batch}, p.axis = 0;
      if (axis == 0 && n > 1024) continue;
      p.type = flip(random_) ? tridia::value_type::f64 : tridia::value_type::f32;
      p.pivoting = flip(random_) ? pivoting::none : pivoting::partial;
      p.boundary = flip(random_) ? boundary::regular : boundary::periodic;
      // A line of values of 4 bytes is moved in whole units of 16 bytes, too.
      if (axis == 1) p.extents[1] = round_up(n, granule_of(p.type));
      p.right_hand_sides = draw(random_, 2, 3);  // more are solved in segments
      expect_as_reference(p, {}, "its matrix broadcast");
    }
  }
}

/// Tests short lines with constant coefficients of every length; a GPU's kernels change from 24
/// rows on.
class PeriodicConstants : public KernelPaths {
 protected:
  void expect_solved(tridia::value_type type, index_t n, index_t batch, bool interleaved) {
    const index_t gap = n % 3 == 0 ? 0 : granule_of(type);
    problem p = constants(type, batch, n, gap, boundary::periodic);
    if (interleaved) {
      p.extents = {n, batch}, p.axis = 0;
      p.rhs_strides = p.x_strides = {batch + gap, 1};
    }
    expect_as_reference(p, {}, "");
  }
};

TEST_F(PeriodicConstants, OfEveryLength) {
  for (const auto type : kTypes) {
    for (index_t n = 3; n <= 200 && !HasFailure(); ++n) {
      for (const bool interleaved : {false, true}) {
        expect_solved(type, n, n % 8 == 0 ? 601 : 1 + n % 9, interleaved);
      }
    }
  }
}

// This test runs few of these cases, for compute-sanitizer's racecheck.
TEST_F(PeriodicConstants, Racecheck) {
  for (const auto type : kTypes) {
    for (const index_t n : {12, 16, 24, 25, 26, 27, 28, 29, 30, 31, 32}) {
      for (const bool interleaved : {false, true}) {
        expect_solved(type, n, n % 4 == 0 ? 601 : 5, interleaved);
      }
    }
  }
}

}  // namespace
}  // namespace tridia_test
