// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause

// These tests do on the host what the kernels of scan.hpp are told to do with parts of adjoints:
// which numbers are right-hand sides, which are results, and which rows have weights of their own.
#include "line_operator/cuda/line_task.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "compact/adjoint.hpp"
#include "compact/assemble.hpp"
#include "compact/operator_executor.hpp"
#include "line_operator/share_summing.hpp"
#include "line_operator/split_lines.hpp"
#include "support/dense_lines.hpp"
#include "support/lines.hpp"
#include "support/operators.hpp"
#include "support/raise_error.hpp"
#include "tridia/compact.hpp"

namespace tridia_test {
namespace {

using namespace tridia;
using namespace tridia::line_operator;

/// Solves with the matrix of a part, whose diagonal dominates.
std::vector<double> solved(const specification& part, std::vector<double> v) {
  const index_t n = part.rows;
  std::vector<double> above(v.size());
  const auto at = [](auto& of, index_t k) -> double& { return of[static_cast<std::size_t>(k)]; };
  for (index_t k = 0; k < n; ++k) {
    const near_toeplitz::row& r = row_of(part.matrix, n, k);
    const double below = k > 0 ? r.dl.real() : 0;
    const double pivot = r.d.real() - (k > 0 ? below * at(above, k - 1) : 0);
    at(above, k) = r.du.real() / pivot;
    at(v, k) = (at(v, k) - (k > 0 ? below * at(v, k - 1) : 0)) / pivot;
  }
  for (index_t k = n - 1; k-- > 0;) at(v, k) -= at(above, k) * at(v, k + 1);
  return v;
}

/// Returns what a kernel makes of a part: it solves, with the right-hand sides that are given, and
/// multiplies with B, but for results that are given.
std::vector<double> gathered(const specification& part, const scan_task& t, const double* in,
                             const double* prescribed) {
  const index_t n = t.rows;
  const kernel_stencil<double>& b = t.b;
  std::vector<double> r(in, in + n), out(r.size());
  for (int i = 0; i < b.given.count(); ++i) {
    const int row = b.given.row(i, static_cast<int>(n));
    r[static_cast<std::size_t>(row)] = prescribed[b.given.number(i)];
  }
  const std::vector<double> x = solved(part, std::move(r));
  const auto sum = [&](index_t first, const double* weights, int count) {
    double all = 0;
    for (int w = 0; w < count; ++w) all += weights[w] * x.at(static_cast<std::size_t>(first + w));
    return all;
  };
  for (index_t k = 0; k < n; ++k) {
    double& to = out[static_cast<std::size_t>(k)];
    const index_t from_tail = k - (n - b.tails);
    if (k >= b.heads && from_tail < 0) {
      to = sum(k + b.first, b.weights, t.width);
      continue;
    }
    const auto& own = b.rows[k < b.heads ? k : b.heads + from_tail];
    to = own.count == 0 ? prescribed[own.first] : sum(own.first, own.weights, own.count);
  }
  return out;
}

TEST(ScanTask, PartsOfAdjointsMakeUpTheWhole) {
  for (const scheme& s : all_schemes()) {
    if (s.name() != "C6" && s.name() != "C8" && s.name() != "F10") continue;
    for (const boundary ends : {boundary::regular, boundary::periodic}) {
      for (const index_t most_given : {4, 32}) {
        tridia::grid g;
        g.boundary = ends;
        const index_t n = 2100;
        const specification line = compact::assemble(s, default_closure(s), g, n);
        const auto whole = compact::adjoint_at_once(line);
        if (!whole) continue;  // it has another number of results
        const std::string label = s.name() + " " + std::string(name(s.quantity()));
        const layout::geometry lines = dense_lines(line, 1, false);
        const auto cut = split(*whole, value_type::f64, lines, {512, 512, 4, most_given});
        ASSERT_TRUE(cut) << label;
        std::vector<double> in(static_cast<std::size_t>(n)), expected(in), out(in), weights;
        for (std::size_t i = 0; i < in.size(); ++i)
          in[i] = std::sin(0.37 * static_cast<double>(i * i));
        const auto reference = compact::make_reference(
            {line, value_type::f64, lines, {.backend = backend::reference}, operation::transpose});
        std::vector<std::byte> workspace(reference->workspace_bytes());
        reference->apply(
            {in.data(), expected.data(), 1, false, nullptr, workspace.data(), nullptr});

        for (const wide& w : cut->sums.weights) weights.push_back(static_cast<double>(w.re.v));
        std::vector<double> given(static_cast<std::size_t>(cut->slots), std::nan(""));
        const share_summing<double, 1, 1> sums{in.data(),
                                               lines.right_sides,
                                               lines.lines[layout::rhs],
                                               n,
                                               cut->sums.groups.data(),
                                               static_cast<int>(cut->sums.groups.size()),
                                               weights.data(),
                                               given.data(),
                                               cut->places};
        sums(0, 0);
        for (const part_run& run : cut->runs) {
          const auto task = line_task(run.line, value_type::f64, lines_of(lines, *cut, run));
          ASSERT_TRUE(task) << label;
          const index_t numbers = run.line.prescribed();
          for (int p = 0; p < run.parts; ++p) {
            // Parts that are done together are lines, whose numbers follow each other.
            std::vector<double> of_part;
            for (index_t k = 0; k < numbers; ++k)
              of_part.push_back(given[static_cast<std::size_t>(run.slot + k * run.parts + p)]);
            const index_t at = run.row + p * cut->part_points;
            const auto rows = gathered(run.line, *task, in.data() + at, of_part.data());
            std::copy(rows.begin(), rows.end(), out.begin() + at);
          }
        }
        double largest = 1, error = 0;
        for (std::size_t i = 0; i < out.size(); ++i) {
          largest = std::max(largest, std::abs(expected[i]));
          raise_error(error, std::abs(out[i] - expected[i]));
        }
        EXPECT_LT(error, 1e-13 * largest) << label;
      }
    }
  }
}

}  // namespace
}  // namespace tridia_test
