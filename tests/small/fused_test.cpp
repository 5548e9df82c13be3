// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause

// These are small cases of lines across ranks that are solved in one pass. The other ranks are
// mirrors of this one: their rows are those here, and so are the equations that they send.
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "distributed/cuda/lines.hpp"
#include "distributed/cuda/wait_watch.hpp"
#include "small/kernels.hpp"
#include "small/mirror.hpp"
#include "support/buffer.hpp"
#include "support/device_memory.hpp"
#include "support/layout.hpp"
#include "support/random.hpp"
#include "support/scalar.hpp"
#include "support/targets.hpp"
#include "support/task.hpp"
#include "tridia/plan.hpp"

namespace tridia_test {
namespace {

using tridia::boundary;
using tridia::pivoting;
using tridia::problem;
using tridia::value_type;
namespace distributed = tridia::distributed;

enum class entries { dominant, any };

/// Holds lines whose rows are this rank's, once for each rank.
class repeated_lines {
 public:
  repeated_lines(const problem& of_rank, int ranks) : own_(of_rank), whole_(of_rank) {
    own_.boundary = boundary::regular;
    rows_ = own_.extents[axis()];
    whole_.extents[axis()] *= ranks;
    const auto bytes = static_cast<std::size_t>(points(own_)) * size_of(own_.type);
    for (int a = 0; a < 5; ++a) {
      arrays_.emplace_back(tridia::backend::cuda, bytes);
      all_[a].resize(static_cast<std::size_t>(ranks) * bytes);
    }
    found_.emplace_back(tridia::backend::cuda, static_cast<std::size_t>(lines()) * sizeof(index_t));
  }

  void fill(rng& random, entries e) {
    for (index_t k = 0; k < points(own_); ++k) {
      for (int a = 0; a < 4; ++a) {
        const bool large = a == 1 && e == entries::dominant;
        set(a, k, large ? draw_dominant(random, own_.type) : draw_number(random, own_.type));
      }
      set(4, k, wide(77));
    }
  }
  /// Makes a right-hand side of a line something else than a number.
  void spoil(index_t line, index_t row) {
    set(3, place(line, row), std::numeric_limits<long double>::quiet_NaN());
  }
  void push() {
    for (buffer& b : arrays_) b.push();
    std::fill_n(reinterpret_cast<index_t*>(found_[0].host()), lines(), index_t{-99});
    found_[0].push();
  }
  void pull() { arrays_[4].pull(), found_[0].pull(); }

  void solve(distributed::fused_lines& f, void* stream) {
    tridia::solver::operands o{};
    for (int a = 0; a < 4; ++a) o.in[a] = arrays_[static_cast<std::size_t>(a)].pointer();
    o.x = arrays_[4].pointer();
    f.solve(o, static_cast<index_t*>(found_[0].pointer()), stream);
  }

  /// Expects x of all lines but `failed`, and what was found.
  void expect(int here, index_t failed = -1, index_t status = 0) {
    const tridia::plan plan(whole_, {.backend = tridia::backend::reference});
    std::vector<std::byte> workspace(plan.workspace_bytes());
    const void* in[4];
    for (int a = 0; a < 4; ++a) in[a] = all_[a].data();
    void* const solution = all_[4].data();
    plan.execute(in[0], in[1], in[2], in[3], solution,
                 {.workspace = workspace.data(), .workspace_bytes = workspace.size()});
    const auto* const found = reinterpret_cast<const index_t*>(found_[0].host());
    for (index_t line = 0; line < lines(); ++line) {
      EXPECT_EQ(found[line], line == failed ? status : 0) << "line " << line;
      if (line == failed) continue;
      long double error = 0, largest = 0;
      for (index_t row = 0; row < rows_; ++row) {
        const wide x = load(own_.type, all_[4].data(), place_in_all(line, here * rows_ + row));
        const wide got = load(own_.type, arrays_[4].host(), place(line, row));
        largest = std::max(largest, std::abs(x));
        if (!(std::abs(x - got) <= error)) error = std::abs(x - got);
      }
      EXPECT_LE(error, bound() * largest * std::max(largest, 1.0L)) << "line " << line;
    }
  }

  [[nodiscard]] distributed::local_rows_task rows() const {
    return {own_.type, own_.pivoting, task_of(own_).geometry, true, true, 1, nullptr, nullptr};
  }
  [[nodiscard]] distributed::interface_task systems(int ranks, int here) const {
    distributed::line_of_ranks line{{}, here};
    for (int r = 0; r < ranks; ++r) line.ranks.push_back(r);
    return {own_.type, own_.pivoting, whole_.boundary, line, lines(), std::size_t{1} << 26, 1};
  }
  [[nodiscard]] index_t lines() const { return points(own_) / rows_; }

 private:
  [[nodiscard]] std::size_t axis() const { return static_cast<std::size_t>(own_.axis); }
  static index_t points(const problem& p) { return p.extents[0] * p.extents[1]; }
  /// Bounds the error over x and over the condition, which the largest x shows, as entries and
  /// right-hand sides are about 1. Lines of systems that need interchanges may have any.
  [[nodiscard]] long double bound() const { return 1e4 * epsilon(own_.type); }
  [[nodiscard]] index_t place(index_t line, index_t row) const {
    return own_.axis == 0 ? row * lines() + line : line * rows_ + row;
  }
  [[nodiscard]] index_t place_in_all(index_t line, index_t row) const {
    return own_.axis == 0 ? row * lines() + line : line * whole_.extents[axis()] + row;
  }
  void set(int a, index_t at, wide v) {
    const index_t line = own_.axis == 0 ? at % lines() : at / rows_;
    const index_t row = own_.axis == 0 ? at / lines() : at % rows_;
    store(own_.type, arrays_[static_cast<std::size_t>(a)].host(), at, v);
    for (index_t r = row; r < whole_.extents[axis()]; r += rows_) {
      store(own_.type, all_[a].data(), place_in_all(line, r), v);
    }
  }

  problem own_, whole_;
  index_t rows_;
  std::vector<buffer> arrays_, found_;
  std::vector<std::byte> all_[5];
};

class SmallDistributedFused : public ::testing::TestWithParam<value_type> {
 protected:
  /// Calls f(lines of a rank, ranks, here) for lines along, and across: in boxes, in boxes of
  /// several blocks, and element by element; of every kind.
  template <class F>
  void for_each_problem(F f) {
    for (const pivoting pivots : {pivoting::none, pivoting::partial}) {
      for (const boundary ends : {boundary::regular, boundary::periodic}) {
        for (const auto& [lines, rows, axis] :
             {std::tuple{37, 61, 1}, {72, 61, 0}, {64, 700, 0}, {71, 61, 0}}) {
          problem p{.type = GetParam(), .extents = {lines, rows}, .axis = axis, .boundary = ends};
          if (axis == 0) std::swap(p.extents[0], p.extents[1]);
          p.pivoting = pivots;
          SCOPED_TRACE(describe(p));
          if (rows > 100 && !have_clusters()) continue;
          for (const auto& [ranks, here] : {std::pair{2, 0}, std::pair{2, 1}, std::pair{3, 1}}) {
            f(p, ranks, here);
          }
        }
      }
    }
  }
  std::unique_ptr<distributed::fused_lines> make(const repeated_lines& l, int ranks, int here,
                                                 reflection how = reflection::direct) {
    mirror by(how, watch_.limits());
    return distributed::make_device_fused_lines(l.rows(), l.systems(ranks, here), by);
  }

  rng random_ = random_for("SmallDistributedFused");
  distributed::wait_watch watch_{10};
};

TEST_P(SmallDistributedFused, SolvesAgainAndAgain) {
  const stream_handle stream = make_stream();
  for_each_problem([&](const problem& p, int ranks, int here) {
    repeated_lines lines(p, ranks);
    const auto fused = make(lines, ranks, here);
    ASSERT_NE(fused, nullptr);
    for (int k = 0; k < 3; ++k) {
      const bool any = p.pivoting == pivoting::partial && k > 0;
      lines.fill(random_, any ? entries::any : entries::dominant);
      lines.push();
      lines.solve(*fused, stream.get());
      wait_for(stream.get());
      lines.pull();
      lines.expect(here);
    }
  });
  EXPECT_FALSE(watch_.is_late());
}

TEST_P(SmallDistributedFused, NamesTheRowThatIsNotFinite) {
  const stream_handle stream = make_stream();
  for_each_problem([&](const problem& p, int ranks, int here) {
    repeated_lines lines(p, ranks);
    const auto fused = make(lines, ranks, here);
    ASSERT_NE(fused, nullptr);
    lines.fill(random_, entries::dominant);
    lines.spoil(5, 40);
    lines.push();
    lines.solve(*fused, stream.get());
    wait_for(stream.get());
    lines.pull();
    lines.expect(here, 5, -41);
  });
}

TEST_P(SmallDistributedFused, SolvesInClustersOfManyBlocks) {
  if (!have_clusters()) GTEST_SKIP() << "no clusters";
  const stream_handle stream = make_stream();
  problem p{.type = GetParam(), .extents = {5000, 32}, .axis = 0};
  p.pivoting = pivoting::none;
  repeated_lines lines(p, 2);
  const auto fused = make(lines, 2, 1);
  ASSERT_NE(fused, nullptr);
  lines.fill(random_, entries::dominant);
  lines.push();
  lines.solve(*fused, stream.get());
  wait_for(stream.get());
  lines.pull();
  lines.expect(1);
}

TEST_P(SmallDistributedFused, GraphCanBeLaunchedAgain) {
  const stream_handle stream = make_stream();
  for (const int axis : {0, 1}) {
    problem p{.type = GetParam(), .extents = {64, 64}, .axis = axis};
    repeated_lines lines(p, 2);
    const auto fused = make(lines, 2, 1);
    ASSERT_NE(fused, nullptr);
    const auto work = [&] { lines.solve(*fused, stream.get()); };
    expect_kernels(stream.get(), {{"fused_kernels", "solve_fused"}, {"fused_kernels", "end_fused"}},
                   work);
    captured_graph graph(stream.get(), work);
    for (int k = 0; k < 3; ++k) {
      lines.fill(random_, entries::dominant);
      lines.push();
      graph.replay();
      wait_for(stream.get());
      lines.pull();
      lines.expect(1);
    }
  }
}

TEST_P(SmallDistributedFused, GivesUpAfterTheTimeLimit) {
  const distributed::wait_watch watch(0.05);
  const stream_handle stream = make_stream();
  repeated_lines lines({.type = GetParam(), .extents = {40, 30}, .axis = 1}, 2);
  mirror by(reflection::none, watch.limits());
  const auto fused = distributed::make_device_fused_lines(lines.rows(), lines.systems(2, 0), by);
  ASSERT_NE(fused, nullptr);
  lines.fill(random_, entries::dominant);
  lines.push();
  lines.solve(*fused, stream.get());
  wait_for(stream.get());
  EXPECT_TRUE(watch.is_late());
}

TEST_P(SmallDistributedFused, IsLeftToOthersWhereItCannotBe) {
  const repeated_lines lines({.type = GetParam(), .extents = {40, 30}, .axis = 1}, 2);
  EXPECT_EQ(make(lines, 2, 0, reflection::copies), nullptr);
  distributed::interface_task little = lines.systems(2, 0);
  little.most_bytes = 1000;
  mirror by(reflection::direct, watch_.limits());
  EXPECT_EQ(distributed::make_device_fused_lines(lines.rows(), little, by), nullptr);
  const repeated_lines long_ones({.type = GetParam(), .extents = {2, 20000}, .axis = 1}, 2);
  EXPECT_EQ(make(long_ones, 2, 0), nullptr);
}

GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(SmallDistributedFused);
INSTANTIATE_TEST_SUITE_P(All, SmallDistributedFused, ::testing::ValuesIn(types_of_gpu()),
                         [](const auto& test) { return std::string(name(test.param)); });

}  // namespace
}  // namespace tridia_test
