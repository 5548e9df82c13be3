// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause

// Lines are cut into parts. The right-hand sides that each part is given, from weights that are
// known beforehand, must make the parts' results those of the whole line, on every backend.
#include "line_operator/split_line.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <numeric>

#include "compact/assemble.hpp"
#include "compact/operator_executor.hpp"
#include "distributed/line_operator/sum_plan.hpp"
#include "line_operator/sum_groups.hpp"
#include "support/dense_lines.hpp"
#include "support/device_memory.hpp"
#include "support/lines.hpp"
#include "support/operators.hpp"
#include "tridia/compact.hpp"

namespace tridia_test {
namespace {

using namespace tridia;
using tridia::line_operator::specification;
using namespace tridia::compact;
using distributed::plan_sums;
using distributed::sum_plan;
using line_operator::end_columns;
using line_operator::group_shares;
using line_operator::inverse_rows;
using line_operator::leave_out;
using line_operator::line_cuts;
using line_operator::line_weights;
using line_operator::part_of;
using line_operator::sides_of;
using line_operator::sum_group;
using line_operator::sum_groups;
using line_operator::sum_share;
using line_operator::wide;

compact::task task_of(const line_operator::specification& line, index_t lines, bool interleaved,
                      backend where) {
  return {line, value_type::f64, dense_lines(line, lines, interleaved), {.backend = where}};
}

/// Holds values in memory of the backend.
class memory {
 public:
  memory(backend where, std::vector<double> values)
      : host_(std::move(values)), device_(nullptr, [](std::byte*) {}) {
    if (where != backend::cuda) return;
    device_ = allocate_on_device(bytes());
    copy_to_device(device_.get(), host_.data(), bytes());
  }
  void* get() { return device_ ? static_cast<void*>(device_.get()) : host_.data(); }
  const std::vector<double>& values() {
    if (device_) copy_to_host(host_.data(), device_.get(), bytes());
    return host_;
  }

 private:
  std::size_t bytes() const { return host_.size() * sizeof(double); }
  std::vector<double> host_;
  device_bytes device_;
};

double value_at(index_t i) { return std::sin(0.37 * static_cast<double>(i)) + 0.3; }

/// Returns out + s op(in), with out = 1, for lines whose prescribed right-hand sides are row after
/// row in `given`.
std::vector<double> applied(const line_operator::specification& line, index_t lines,
                            bool interleaved, backend where, const std::vector<double>& in,
                            const std::vector<double>& prescribed) {
  const auto executor = compact::make_operator_executor(task_of(line, lines, interleaved, where));
  memory from(where, in), rhs(where, prescribed.empty() ? std::vector<double>{0} : prescribed);
  memory to(where, std::vector<double>(static_cast<std::size_t>(line.rows * lines), 1));
  memory workspace(where, std::vector<double>(executor->workspace_bytes() / 8 + 1));
  executor->apply({from.get(), to.get(), -2, true, rhs.get(), workspace.get(), nullptr});
  return to.values();
}

double dot(const line_weights& w, const std::vector<double>& line) {
  long double sum = 0;
  for (std::size_t k = 0; k < w.size(); ++k) sum += w[k].re.v * line[k];
  return static_cast<double>(sum);
}

/// Compares each part of some lines, applied alone, with the whole.
void expect_parts_agree(const line_operator::specification& whole, const line_cuts& cuts,
                        index_t lines, const std::string& label) {
  const auto in_line = [&](index_t l) {
    std::vector<double> line(static_cast<std::size_t>(whole.points));
    for (index_t k = 0; k < whole.points; ++k) line[k] = value_at(k + 100 * l);
    return line;
  };
  std::vector<double> all;
  for (index_t l = 0; l < lines; ++l) {
    const auto line = in_line(l);
    all.insert(all.end(), line.begin(), line.end());
  }
  const auto expected = applied(whole, lines, false, backend::reference, all, {});
  const inverse_rows weights(whole);
  for (int part = 0; part < cuts.parts(); ++part) {
    const line_operator::specification own = part_of(whole, cuts, part);
    const auto prescribed = weights.prescribed(cuts, part);
    ASSERT_EQ(static_cast<index_t>(prescribed.size()), own.prescribed()) << label;
    std::vector<double> rhs;
    for (const line_weights& w : prescribed)
      for (index_t l = 0; l < lines; ++l) rhs.push_back(dot(w, in_line(l)));
    for (const bool interleaved : {false, true}) {
      std::vector<double> in(static_cast<std::size_t>(own.points * lines));
      for (index_t l = 0; l < lines; ++l)
        for (index_t k = 0; k < own.points; ++k)
          in[interleaved ? k * lines + l : l * own.points + k] =
              value_at(cuts.points[part] + k + 100 * l);
      for (const backend where : every_backend()) {
        const auto out = applied(own, lines, interleaved, where, in, rhs);
        double largest = 0;
        for (index_t l = 0; l < lines; ++l)
          for (index_t k = 0; k < own.rows; ++k) {
            const double error = std::abs(out[interleaved ? k * lines + l : l * own.rows + k] -
                                          expected[l * whole.rows + cuts.rows[part] + k]);
            if (!(error <= largest)) largest = error;
          }
        EXPECT_LT(largest, 2e-12) << label << " part " << part << ' ' << name(where) << ' '
                                  << interleaved;
      }
    }
  }
}

/// Returns parts of points, and of the rows beside them: if there are more or fewer rows than
/// points, the last part has the difference.
line_cuts cuts_of(const line_operator::specification& whole, const std::vector<index_t>& parts) {
  line_cuts cuts{{0}, {}};
  for (const index_t p : parts) cuts.points.push_back(cuts.points.back() + p);
  cuts.rows = cuts.points;
  cuts.rows.back() = whole.rows;
  return cuts;
}

TEST(SplitLine, PartsMakeUpTheWhole) {
  const std::vector<std::vector<index_t>> splits{
      {60}, {30, 30}, {20, 27, 13}, {1, 1, 1, 1, 54, 2}, {2, 3, 40, 5, 3, 5, 2}};
  const std::pair<end_condition, end_condition> ends[] = {
      {end_condition::closure, end_condition::closure},
      {end_condition::symmetric, end_condition::closure},
      {end_condition::antisymmetric, end_condition::symmetric}};
  for (const scheme& s : all_schemes()) {
    if (s.quantity() == quantity::filter && s.name() != "F2" && s.name() != "F10") continue;
    for (int kind = 0; kind < 4; ++kind) {
      tridia::grid g;
      g.spacing = 0.7;
      g.boundary = kind == 3 ? boundary::periodic : boundary::regular;
      g.head = ends[kind % 3].first, g.tail = ends[kind % 3].second;
      const line_operator::specification whole = compact::assemble(s, default_closure(s), g, 60);
      for (const auto& parts : splits) {
        expect_parts_agree(whole, cuts_of(whole, parts), 3,
                           s.name() + " " + std::string(name(s.staggering())) + " ends " +
                               std::to_string(kind) + ", " + std::to_string(parts.size()));
      }
    }
  }
}

/// There are enough lines for strips, a metric, and enough rows for every kernel.
TEST(SplitLine, LongLinesWithAMetric) {
  const scheme s = find_scheme(quantity::first_derivative, "C8");
  tridia::grid g;
  for (int k = 0; k < 700; ++k) g.metric.push_back(1 + 0.001 * k);
  const line_operator::specification whole = compact::assemble(s, default_closure(s), g, 700);
  expect_parts_agree(whole, cuts_of(whole, {200, 301, 199}), 75, "C8 with a metric");
}

TEST(SplitLine, WeightsAreRowsOfTheInverse) {
  line_operator::specification o;
  o.points = o.rows = 5;
  o.interior = {0, {1}};
  o.matrix.interior = {1, 4, 1};
  o.matrix.head = {{0, 2, 1}};
  for (const boundary ends : {boundary::regular, boundary::periodic}) {
    o.boundary = ends;
    const inverse_rows weights(o);
    for (index_t i = 0; i < 5; ++i) {
      const line_weights w = weights.row(i);
      // w A is row i of the identity.
      for (index_t j = 0; j < 5; ++j) {
        long double sum = 0;
        for (index_t k = 0; k < 5; ++k) {
          const auto& r = line_operator::row_of(o.matrix, 5, k);
          const bool wraps = ends == boundary::periodic;
          if (j == k) sum += w[k].re.v * r.d.real();
          if ((j + 1) % 5 == k && (wraps || k > 0)) sum += w[k].re.v * r.dl.real();
          if (j == (k + 1) % 5 && (wraps || j > 0)) sum += w[k].re.v * r.du.real();
        }
        EXPECT_NEAR(static_cast<double>(sum), i == j, 1e-17) << i << ' ' << j;
      }
    }
  }
}

TEST(SplitLine, WhatIsLeftOutIsBounded) {
  line_weights w;
  for (int k = 0; k < 40; ++k) w.push_back({core::extended(std::pow(0.5, k)), core::extended(0)});
  line_weights cut = w;
  leave_out(cut, 1e-3);
  long double sum = 0;
  for (std::size_t k = 0; k < w.size(); ++k) sum += w[k].re.v - cut[k].re.v;
  EXPECT_GT(sum, 2.5e-4L);
  EXPECT_LE(sum, 1e-3L);
  EXPECT_EQ(cut[0].re.v, 1);
  // Nothing decays, so nothing may be left out.
  line_weights even(1000, {core::extended(1), core::extended(0)});
  leave_out(even, 1e-3);
  EXPECT_EQ(std::count_if(even.begin(), even.end(), [](const wide& v) { return v.re.v == 1; }),
            1000);
  leave_out(w, 0);
  EXPECT_GT(w.back().re.v, 0);
}

/// All shares of all parts together are the sums, and every message that is sent is received.
TEST(SumPlan, SharesAddUp) {
  const std::vector<index_t> points{0, 3, 4, 10};
  const auto wanted = [](int part) {
    std::vector<line_weights> all(2, line_weights(10, wide(0)));
    all[0][3 * part] = wide(part + 1), all[0][3 * part + 2] = wide(5);
    all[1][9] = wide(7);
    return all;
  };
  std::vector<sum_plan> plans;
  for (int part = 0; part < 3; ++part) plans.push_back(plan_sums(points, part, wanted));
  for (int part = 0; part < 3; ++part) {
    for (int sum = 0; sum < 2; ++sum) {
      line_weights found(10, wide(0));
      const auto add = [&](const sum_plan::share& s, int by) {
        if (s.sum != sum) return;
        for (std::size_t k = 0; k < s.weights.size(); ++k)
          found[points[by] + s.first + k] = s.weights[k];
      };
      for (const auto& s : plans[part].own) add(s, part);
      for (int by = 0; by < 3; ++by)
        for (const auto& to : plans[by].to)
          for (const auto& s : to.shares)
            if (to.part == part) add(s, by);
      const line_weights expected = wanted(part)[sum];
      for (int k = 0; k < 10; ++k) EXPECT_EQ(found[k].re.v, expected[k].re.v) << part << sum << k;
    }
    for (const auto& from : plans[part].from) {
      const auto& to = plans[from.part].to;
      const auto sent = std::find_if(to.begin(), to.end(), [&](auto& t) { return t.part == part; });
      ASSERT_NE(sent, to.end());
      ASSERT_EQ(sent->shares.size(), from.sums.size());
      for (std::size_t k = 0; k < from.sums.size(); ++k) {
        EXPECT_EQ(sent->shares[k].sum, from.sums[k]);
      }
    }
  }
}

TEST(SumGroups, HoldEveryShareOnce) {
  std::vector<sum_plan::share> shares;
  for (const auto& [first, count] : std::vector<std::pair<int, int>>{
           {0, 30}, {0, 2}, {70, 30}, {1, 29}, {98, 2}, {99, 1}, {0, 3}, {0, 30}, {5, 1}}) {
    sum_plan::share s{0, first, {}};
    for (int k = 0; k < count; ++k) s.weights.push_back(wide(1 + first + k));
    shares.push_back(s);
  }
  const sum_groups all = group_shares(shares);
  std::vector<int> seen(shares.size());
  for (const sum_group& g : all.groups) {
    for (int j = 0; j < g.sums; ++j) {
      const auto& s = shares[g.slot[j]];
      ++seen[g.slot[j]];
      for (index_t k = 0; k < g.count; ++k) {
        const index_t i = g.first + k - s.first;
        const bool inside = i >= 0 && i < static_cast<index_t>(s.weights.size());
        EXPECT_EQ(all.weights[g.weights + sum_group::most * k + j].re.v,
                  inside ? s.weights[i].re.v : 0);
      }
    }
  }
  EXPECT_EQ(seen, std::vector<int>(shares.size(), 1));
  EXPECT_LE(all.groups.size(), 7u);
  EXPECT_EQ(all.groups[0].sums, 3);
}

}  // namespace
}  // namespace tridia_test
