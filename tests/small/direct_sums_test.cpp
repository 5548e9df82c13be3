// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause

// These are small cases of sums over lines that two ranks share, whose kernels write the shares
// right to where they are received. The other rank is a mirror: what is sent to it comes back from
// it.
#include <gtest/gtest.h>

#include <complex>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "distributed/cuda/lines.hpp"
#include "distributed/cuda/wait_watch.hpp"
#include "small/kernels.hpp"
#include "small/mirror.hpp"
#include "support/buffer.hpp"
#include "support/device_memory.hpp"
#include "support/random.hpp"
#include "support/scalar.hpp"
#include "support/targets.hpp"
#include "support/task.hpp"

namespace tridia_test {
namespace {

namespace distributed = tridia::distributed;
using tridia::index_t;
using tridia::value_type;
using bytes = std::vector<std::byte>;

constexpr index_t kLines = 70, kRows = 150;

double weight(std::size_t k) { return 1.0 / static_cast<double>(1 << k % 8); }

/// Returns weights of `count` points from `first` on, for sum `sum`.
distributed::sum_plan::share share(int sum, index_t first, std::size_t count) {
  distributed::sum_plan::share s{sum, first, {}};
  for (std::size_t k = 0; k < count; ++k)
    s.weights.push_back({tridia::core::extended(weight(k)), tridia::core::extended(0)});
  return s;
}

/// Returns two sums to which both ranks contribute: of so many own points, and of few.
distributed::sum_plan sums(std::size_t own) {
  distributed::sum_plan p;
  p.wanted = 2;
  p.own = {share(0, 10, own), share(1, 147, 3)};
  p.to = {{1, {share(0, 111, 39), share(1, 0, 1)}}};
  p.from = {{1, {0, 1}}};
  return p;
}

class field {
 public:
  field(value_type type, int axis, std::size_t own)
      : own_(own), p_{.type = type, .extents = {kLines, kRows}, .axis = axis} {
    if (axis == 0) p_.extents = {kRows, kLines};
    memory_ = std::make_unique<buffer>(tridia::backend::cuda,
                                       static_cast<std::size_t>(kLines * kRows) * size_of(type), 0);
  }
  void fill(rng& random) {
    for (index_t k = 0; k < kLines * kRows; ++k) {
      store(p_.type, memory_->host(), k, draw_number(random, p_.type));
    }
    memory_->push();
  }
  [[nodiscard]] const void* pointer() const { return memory_->pointer(); }
  [[nodiscard]] distributed::sums_task task() const {
    const auto g = task_of(p_).geometry;
    return {p_.type,
            sums(own_),
            {{0, 1}, 0},
            g.matrices,
            g.lines[tridia::layout::rhs],
            g.lines[tridia::layout::x],
            {},
            1};
  }
  /// Returns a sum of a line, as the host adds it up.
  [[nodiscard]] wide expected(int sum, index_t line) const {
    wide all(0);
    const distributed::sum_plan p = sums(own_);
    for (const auto* shares : {&p.own, &p.to[0].shares}) {
      const auto& s = (*shares)[static_cast<std::size_t>(sum)];
      for (std::size_t k = 0; k < s.weights.size(); ++k) {
        const index_t row = s.first + static_cast<index_t>(k);
        const index_t at = p_.axis == 0 ? row * kLines + line : line * kRows + row;
        all += static_cast<long double>(weight(k)) * load(p_.type, memory_->host(), at);
      }
    }
    return all;
  }

 private:
  std::size_t own_;
  tridia::problem p_;
  std::unique_ptr<buffer> memory_;
};

class SmallDistributedSums : public ::testing::TestWithParam<value_type> {
 protected:
  static bytes values_of(const distributed::line_sums& s, value_type type) {
    bytes all(2 * static_cast<std::size_t>(kLines) * size_of(type));
    copy_to_host(all.data(), s.values(), all.size());
    return all;
  }
  static void expect_sums(const field& f, value_type type, const bytes& values) {
    for (int sum = 0; sum < 2; ++sum) {
      for (index_t line = 0; line < kLines; ++line) {
        const wide error = load(type, values.data(), sum * kLines + line) - f.expected(sum, line);
        EXPECT_LE(std::abs(error), 200 * epsilon(type)) << "sum " << sum << ", line " << line;
      }
    }
  }
};

TEST_P(SmallDistributedSums, GoTheDirectWayAsByMessages) {
  const value_type type = GetParam();
  rng random = random_for("SmallDistributedSums");
  const distributed::wait_watch watch(10);
  // The weights of many points stay in device memory; those of few fill what a block keeps.
  for (const auto& [axis, own] : {std::pair{0, 130}, {1, 130}, {0, 9}, {1, 9}}) {
    field f(type, axis, static_cast<std::size_t>(own));
    mirror direct(reflection::direct, watch.limits()),
        by_messages(reflection::copies, watch.limits());
    const auto a = distributed::make_device_sums(f.task(), direct);
    const auto b = distributed::make_device_sums(f.task(), by_messages);
    const stream_handle stream = make_stream();
    const auto round = [&](distributed::line_sums& s) {
      s.sum(f.pointer(), stream.get());
      s.send(stream.get());
      s.add(stream.get());
    };
    for (int k = 0; k < 3; ++k) {
      f.fill(random);
      round(*a), round(*b);
      wait_for(stream.get());
      const bytes values = values_of(*a, type);
      expect_sums(f, type, values);
      EXPECT_EQ(values, values_of(*b, type));
    }
    expect_kernels(stream.get(), {{"lines", "sum_shares_kernel"}, {"lines", "add_shares_kernel"}},
                   [&] { round(*a); });
    captured_graph graph(stream.get(), [&] { round(*a); });
    for (int k = 0; k < 3; ++k) {
      f.fill(random);
      graph.replay();
      wait_for(stream.get());
      expect_sums(f, type, values_of(*a, type));
    }
  }
  EXPECT_FALSE(watch.is_late());
}

GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(SmallDistributedSums);
INSTANTIATE_TEST_SUITE_P(All, SmallDistributedSums, ::testing::ValuesIn(types_of_gpu()),
                         [](const auto& test) { return std::string(name(test.param)); });

}  // namespace
}  // namespace tridia_test
