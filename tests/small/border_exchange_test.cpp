// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause

// These are small cases of compact operators whose kernel exchanges shares with the other rank
// while it works. That rank is a mirror: periodic lines repeat this rank's points there, so that
// what is sent to it is what it sends. An operator on this rank's points alone, periodic as well,
// has the same results.
#include <gtest/gtest.h>

#include <algorithm>
#include <complex>
#include <memory>
#include <string>
#include <vector>

#include "distributed/cuda/wait_watch.hpp"
#include "small/kernels.hpp"
#include "small/mirror.hpp"
#include "support/buffer.hpp"
#include "support/device_memory.hpp"
#include "support/operators.hpp"
#include "support/random.hpp"
#include "support/scalar.hpp"
#include "support/targets.hpp"
#include "tridia/distributed.hpp"

namespace tridia_test {
namespace {

using namespace tridia;
using extents = std::vector<index_t>;

const std::vector<kernel> kExchange{{"border_exchange", "scan_kernel"}};
const std::vector<kernel> kSumAndExchange{{"lines", "sum_shares_kernel"},
                                          {"border_exchange", "scan_kernel"}};
const std::vector<kernel> kSumAndAdd{{"lines", "sum_shares_kernel"},
                                     {"lines", "add_shares_kernel"}};

struct lines_case {
  const char* scheme;
  quantity what;
  extents of_rank;
  int axis;
};

/// Returns lines that take every way to a tile, of one scheme or another.
std::vector<lines_case> cases() {
  constexpr auto first = quantity::first_derivative;
  return {
      {"C6", first, {9, 120}, 1},   // a line at a time, which share lanes
      {"C6", first, {300, 48}, 1},  // in boxes
      {"C6", first, {70, 64}, 0},   // neighbours, in boxes
      {"C6", first, {5, 90, 40}, 1},
      {"C6", first, {3, 101, 71}, 1},  // rows in phases
      {"C6", first, {5, 603}, 1},      // lines that begin anywhere
      {"C8", quantity::second_derivative, {100, 60}, 0},
      {"C4", first, {33, 80}, 1},
      {"F10", quantity::filter, {50, 300}, 1},
      {"F10", quantity::filter, {300, 50}, 0},
  };
}

class exchanged_lines {
 public:
  exchanged_lines(const lines_case& c, value_type type, const distributed::wait_watch& watch,
                  reflection how = reflection::direct, std::size_t misalignment = 0)
      : type_(type), points_(count_of(c.of_rank)) {
    const scheme s = find_scheme(c.what, c.scheme);
    tridia::grid g{.type = type, .axis = c.axis, .boundary = boundary::periodic};
    extents all = c.of_rank;
    const auto axis = static_cast<std::size_t>(c.axis);
    all[axis] *= 2;
    std::vector<int> split(all.size(), 1);
    split[axis] = 2;
    op_ = std::make_unique<distributed::compact_operator>(
        distributed::decomposition(all, split), s, g,
        distributed::communicator(std::make_shared<mirror>(how, watch.limits(), 2)));
    g.extents = c.of_rank;
    expected_ = std::make_unique<compact_operator>(s, g, options{.backend = backend::cpu});
    const std::size_t bytes = points_ * size_of(type);
    in_ = std::make_unique<buffer>(backend::cuda, bytes, 64, misalignment);
    out_ = std::make_unique<buffer>(backend::cuda, bytes, 64, misalignment);
  }

  void fill(rng& random) {
    for (std::size_t k = 0; k < points_; ++k) {
      store(type_, in_->host(), static_cast<index_t>(k), draw_number(random, type_));
      store(type_, out_->host(), static_cast<index_t>(k), wide(77));
    }
    in_->push(), out_->push();
  }
  void apply(void* stream) { op_->apply(in_->pointer(), out_->pointer(), stream); }
  void apply_add(void* stream) { op_->apply_add(-0.5, in_->pointer(), out_->pointer(), stream); }
  void apply_in_place(void* stream) { op_->apply(in_->pointer(), in_->pointer(), stream); }
  void start_and_finish(void* stream) {
    op_->start(in_->pointer(), out_->pointer(), stream);
    op_->finish();
  }

  /// Expects `out` (or `in`, where that was written) to be s times the operator's result, and more.
  void expect(void* stream, double s = 1, double more = 0, bool in_place = false) {
    wait_for(stream);
    std::vector<std::byte> result(points_ * size_of(type_));
    const auto* const field = in_->host();
    std::vector<std::byte> before(field, field + result.size());
    apply_anywhere(*expected_, before, result);
    buffer& written = in_place ? *in_ : *out_;
    written.pull();
    EXPECT_TRUE(written.guards_intact());
    long double largest = 0, error = 0;
    for (std::size_t k = 0; k < points_; ++k) {
      const auto at = static_cast<index_t>(k);
      const wide right = static_cast<long double>(s) * load(type_, result.data(), at) +
                         static_cast<long double>(more);
      largest = std::max(largest, std::abs(right));
      const long double distance = std::abs(right - load(type_, written.host(), at));
      if (!(distance <= error)) error = distance;
    }
    EXPECT_LE(error, 300 * epsilon(type_) * largest);
  }

 private:
  value_type type_;
  std::size_t points_;
  std::unique_ptr<distributed::compact_operator> op_;
  std::unique_ptr<const compact_operator> expected_;
  std::unique_ptr<buffer> in_, out_;
};

class SmallDistributedExchange : public ::testing::TestWithParam<value_type> {
 protected:
  /// Applies the operator so many times to new numbers, and checks each result.
  void apply_again(exchanged_lines& lines, void* stream, int times) {
    for (int k = 0; k < times; ++k) {
      lines.fill(random_);
      lines.apply(stream);
      lines.expect(stream);
    }
  }

  rng random_ = random_for("SmallDistributedExchange");
  distributed::wait_watch watch_{10};
};

std::string text(const lines_case& c) {
  std::string all = c.scheme;
  for (const index_t e : c.of_rank) all += ' ' + std::to_string(e);
  return all + " along " + std::to_string(c.axis);
}

TEST_P(SmallDistributedExchange, AppliesAgainAndAgain) {
  const stream_handle stream = make_stream();
  for (const lines_case& c : cases()) {
    SCOPED_TRACE(text(c));
    exchanged_lines lines(c, GetParam(), watch_);
    apply_again(lines, stream.get(), 3);
    lines.fill(random_);
    lines.apply_add(stream.get());
    lines.expect(stream.get(), -0.5, 77);
    // Rounds with kernels of their own for the sums go on with the same counts.
    lines.fill(random_);
    lines.start_and_finish(stream.get());
    lines.expect(stream.get());
    apply_again(lines, stream.get(), 1);
    // Real and imaginary parts of a line are two neighbours, whose rows are one piece of memory;
    // the TMA wants multiples of 16 bytes.
    const bool by_elements = GetParam() == value_type::c64 &&
                             c.axis + 1 == static_cast<int>(c.of_rank.size()) &&
                             c.of_rank.back() % 2 != 0;
    expect_kernels(stream.get(), by_elements ? kSumAndAdd : kExchange,
                   [&] { lines.apply(stream.get()); });
    expect_kernels(stream.get(), by_elements ? kSumAndAdd : kSumAndExchange,
                   [&] { lines.start_and_finish(stream.get()); });
  }
  EXPECT_FALSE(watch_.is_late());
}

TEST_P(SmallDistributedExchange, WorksInPlace) {
  const stream_handle stream = make_stream();
  for (const lines_case& c : {cases()[0], cases()[2], cases()[4]}) {
    exchanged_lines lines(c, GetParam(), watch_);
    lines.fill(random_);
    lines.apply_in_place(stream.get());
    lines.expect(stream.get(), 1, 0, true);
  }
}

TEST_P(SmallDistributedExchange, LeavesArraysThatTheTmaDoesNotReadToOtherKernels) {
  const stream_handle stream = make_stream();
  const lines_case c{"C6", quantity::first_derivative, {70, 64}, 0};
  exchanged_lines lines(c, GetParam(), watch_, reflection::direct, 8);
  apply_again(lines, stream.get(), 2);
  expect_kernels(stream.get(), kSumAndAdd, [&] { lines.apply(stream.get()); });
}

TEST_P(SmallDistributedExchange, GraphCanBeLaunchedAgain) {
  const stream_handle stream = make_stream();
  for (const lines_case& c : {cases()[1], cases()[2], cases()[6]}) {
    exchanged_lines lines(c, GetParam(), watch_);
    captured_graph graph(stream.get(), [&] { lines.apply(stream.get()); });
    for (int k = 0; k < 3; ++k) {
      lines.fill(random_);
      graph.replay();
      lines.expect(stream.get());
    }
  }
}

TEST_P(SmallDistributedExchange, GivesUpAfterTheTimeLimit) {
  const distributed::wait_watch watch(0.05);
  const stream_handle stream = make_stream();
  exchanged_lines lines(cases()[0], GetParam(), watch, reflection::none);
  lines.fill(random_);
  lines.apply(stream.get());
  wait_for(stream.get());
  EXPECT_EQ(watch.is_late(), true);
}

/// Lines of many tiles; compute-sanitizer would take long to watch these.
class DistributedExchange : public SmallDistributedExchange {};

TEST_P(DistributedExchange, TakesMoreTilesThanThereAreBlocks) {
  const stream_handle stream = make_stream();
  constexpr auto first = quantity::first_derivative;
  for (const lines_case& c : {lines_case{"C6", first, {250, 17000}, 0},
                              {"C6", first, {17000, 250}, 1},
                              {"C6", first, {40, 40000}, 0},
                              {"C6", first, {40000, 40}, 1},
                              {"C6", first, {60, 101, 303}, 1}}) {
    SCOPED_TRACE(text(c));
    exchanged_lines lines(c, GetParam(), watch_);
    apply_again(lines, stream.get(), 3);
  }
}

GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(SmallDistributedExchange);
INSTANTIATE_TEST_SUITE_P(All, SmallDistributedExchange, ::testing::ValuesIn(types_of_gpu()),
                         [](const auto& test) { return std::string(name(test.param)); });
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(DistributedExchange);
INSTANTIATE_TEST_SUITE_P(All, DistributedExchange, ::testing::ValuesIn(types_of_gpu()),
                         [](const auto& test) { return std::string(name(test.param)); });

}  // namespace
}  // namespace tridia_test
