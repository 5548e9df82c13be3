// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#include "mpi/field.hpp"

#include <gtest/gtest.h>
#include <mpi.h>

#include <algorithm>
#include <limits>
#include <set>

#include "support/oracle.hpp"
#include "tridia/solve.hpp"

namespace tridia_test {

using tridia::boundary;
using tridia::pivoting;

std::vector<std::vector<int>> process_grids() {
  const int n = world_size();
  std::set<std::vector<int>> all{{n, 1, 1}, {1, n, 1}, {1, 1, n}};
  if (n % 2 == 0) all.insert({{n / 2, 2, 1}, {1, 2, n / 2}, {2, 1, n / 2}});
  if (n == 8) all.insert({2, 2, 2});
  return {all.begin(), all.end()};
}

tridia::distributed::decomposition uneven_grid(const std::vector<int>& process_grid) {
  std::vector<std::vector<index_t>> parts;
  for (const int count : process_grid) {
    parts.emplace_back();
    for (int k = 0; k < count; ++k) parts.back().push_back(count == 1 ? 7 : 1 + (3 * k) % 5);
  }
  return tridia::distributed::decomposition::of_parts(parts);
}

namespace {

index_t points(const std::vector<index_t>& extents) {
  index_t all = 1;
  for (const index_t e : extents) all *= e;
  return all;
}

constexpr auto kNaN = std::numeric_limits<long double>::quiet_NaN();

}  // namespace

field::field(tridia::value_type type, const tridia::distributed::decomposition& g, bool reversed)
    : type_(type), grid_(g), own_(g.block(world_rank())) {
  const std::size_t axes = own_.extents.size();
  strides_.resize(axes);
  // The array has one element more than needed along each axis, and goes backwards along the first.
  index_t step = 1;
  for (std::size_t k = 0; k < axes; ++k) {
    const std::size_t a = reversed ? k : axes - 1 - k;
    strides_[a] = step;
    step *= own_.extents[a] + 1;
  }
  origin_ = (own_.extents[0] - 1) * strides_[0];
  strides_[0] = -strides_[0];
  local_ = ranks_memory(static_cast<std::size_t>(step) * tridia::size_of(type));
  whole_.resize(static_cast<std::size_t>(points(g.extents())) * tridia::size_of(type));
  for (index_t k = 0; k < step; ++k) store(type_, local_.host(), k, kNaN);
  for (index_t k = 0; k < points(g.extents()); ++k) set(k, kNaN);
}

/// Calls f(element of the whole, element of the block).
template <class F>
void field::for_each_point(F f) const {
  for (index_t k = 0; k < points(own_.extents); ++k) {
    index_t rest = k, whole = 0, local = origin_, step = 1;
    for (std::size_t a = own_.extents.size(); a-- > 0; rest /= own_.extents[a]) {
      const index_t i = rest % own_.extents[a];
      whole += (own_.begin[a] + i) * step;
      local += i * strides_[a];
      step *= grid_.extents()[a];
    }
    f(whole, local);
  }
}

void field::scatter() {
  for_each_point(
      [&](index_t whole, index_t local) { store(type_, local_.host(), local, get(whole)); });
  local_.push();
}

void field::collect() {
  local_.pull();
  std::fill(whole_.begin(), whole_.end(), std::byte{0});
  for_each_point(
      [&](index_t whole, index_t local) { set(whole, load(type_, local_.host(), local)); });
  // All other ranks have zeros there, so a bitwise or keeps this rank's block.
  MPI_Allreduce(MPI_IN_PLACE, whole_.data(), static_cast<int>(whole_.size()), MPI_UNSIGNED_CHAR,
                MPI_BOR, MPI_COMM_WORLD);
}

split_problem::split_problem(const tridia::distributed::decomposition& g, const tridia::problem& p)
    : blocks(g),
      whole(p),
      short_off_diagonals(p.short_off_diagonals),
      dl(p.type, g, false),
      d(p.type, g, true),
      du(p.type, g, false),
      rhs(p.type, g, true),
      x(p.type, g, false) {
  whole.extents = g.extents();
  whole.short_off_diagonals = false;
}

void split_problem::fill(rng& random) {
  for (index_t line = 0; line < lines(); ++line) {
    for (index_t k = 0; k < rows(); ++k) {
      const index_t i = at(line, k);
      const bool regular = whole.boundary == boundary::regular;
      const auto entry = [&](bool inside) {
        return inside || !regular ? draw_number(random, whole.type) : wide(kNaN);
      };
      dl.set(i, entry(k > 0));
      du.set(i, entry(k + 1 < rows()));
      d.set(i, whole.pivoting == pivoting::none ? draw_dominant(random, whole.type)
                                                : draw_number(random, whole.type));
      rhs.set(i, draw_number(random, whole.type));
    }
  }
}

tridia::problem split_problem::local() const {
  tridia::problem p = whole;
  p.extents.clear();
  p.short_off_diagonals = short_off_diagonals;
  p.dl_strides = dl.strides(), p.d_strides = d.strides(), p.du_strides = du.strides();
  p.rhs_strides = rhs.strides(), p.x_strides = x.strides();
  return p;
}

const void* split_problem::dl_block() {
  const bool head = blocks.coordinates(world_rank())[whole.axis] == 0;
  const auto step = static_cast<std::ptrdiff_t>(tridia::size_of(whole.type)) *
                    dl.strides()[static_cast<std::size_t>(whole.axis)];
  return static_cast<const std::byte*>(dl.block()) + (short_off_diagonals && head ? step : 0);
}

std::vector<index_t> split_problem::run(tridia::distributed::plan& plan, bool ask) {
  for (field* f : {&dl, &d, &du, &rhs, &x}) f->scatter();
  ranks_array<index_t> status(std::vector<index_t>(static_cast<std::size_t>(plan.systems()), 99));
  plan.execute(dl_block(), d.block(), du.block(), rhs.block(), x.block(),
               {.status = ask ? status.there() : nullptr});
  x.collect();
  return status.get();
}

index_t split_problem::rows() const { return whole.extents[whole.axis]; }
index_t split_problem::lines() const { return points(whole.extents) / rows(); }

index_t split_problem::at(index_t line, index_t row) const {
  index_t inner = 1;
  for (std::size_t a = whole.axis + 1; a < whole.extents.size(); ++a) inner *= whole.extents[a];
  return (line / inner * rows() + row) * inner + line % inner;
}

long double split_problem::worst(const std::vector<index_t>& but) const {
  long double most = 0;
  for (index_t line = 0; line < lines(); ++line) {
    if (std::find(but.begin(), but.end(), line) != but.end()) continue;
    std::vector<term> a;
    const auto add = [&](index_t row, index_t column, wide v) {
      using tridia::operation;
      if (whole.operation == operation::conjugate_transpose) v = std::conj(v);
      const bool transposed = whole.operation != operation::none;
      a.push_back({transposed ? column : row, transposed ? row : column, v});
    };
    std::vector<wide> solution, b;
    const index_t n = rows();
    for (index_t k = 0; k < n; ++k) {
      const index_t i = at(line, k);
      const bool periodic = whole.boundary == boundary::periodic;
      if (k > 0 || periodic) add(k, (k + n - 1) % n, dl.get(i));
      add(k, k, d.get(i));
      if (k + 1 < n || periodic) add(k, (k + 1) % n, du.get(i));
      solution.push_back(x.get(i)), b.push_back(rhs.get(i));
    }
    const long double e = backward_error(a, solution, b) / epsilon(whole.type);
    if (!(e <= most)) most = e;
  }
  return most;
}

std::pair<std::vector<std::byte>, std::vector<index_t>> split_problem::solved() const {
  std::vector<std::byte> solution(static_cast<std::size_t>(lines() * rows()) *
                                  tridia::size_of(whole.type));
  std::vector<index_t> status(static_cast<std::size_t>(lines()));
  tridia::solve(whole, dl.whole(), d.whole(), du.whole(), rhs.whole(), solution.data(), {}, status);
  return {solution, status};
}

long double split_problem::difference() const {
  const auto solution = solved().first;
  long double most = 0, largest = 0;
  for (index_t k = 0; k < lines() * rows(); ++k) {
    const wide expected = load(whole.type, solution.data(), k);
    largest = std::max(largest, std::abs(expected));
    const long double e = std::abs(x.get(k) - expected);
    if (!(e <= most)) most = e;
  }
  return most / largest / epsilon(whole.type);
}

std::vector<index_t> split_problem::statuses() const { return solved().second; }

std::string describe(const tridia::problem& p, const std::vector<int>& process_grid,
                     const tridia::distributed::plan_options& o) {
  std::string text = std::string(name(p.type)) + ' ' + std::string(name(p.operation)) + ' ' +
                     std::string(name(p.pivoting)) + ' ' + std::string(name(p.boundary)) +
                     " axis " + std::to_string(p.axis) + ' ' + std::string(name(o.strategy)) +
                     " ranks";
  for (const int r : process_grid) text += ' ' + std::to_string(r);
  return text;
}

void expect_solved(split_problem& s, const tridia::distributed::communicator& by,
                   const tridia::distributed::plan_options& o) {
  using tridia::distributed::strategy;
  tridia::distributed::plan lines(s.blocks, s.local(), by, o);
  if (o.strategy != strategy::automatic) {
    EXPECT_EQ(lines.strategy(), o.strategy);
  }
  EXPECT_NE(lines.strategy(), strategy::automatic);
  EXPECT_FALSE(lines.reason().empty());
  const std::vector<index_t> status = s.run(lines);
  EXPECT_LE(s.worst(), kBackwardBound);
  if (s.whole.pivoting == pivoting::none) {
    EXPECT_LE(s.difference(), 200);
  }
  EXPECT_EQ(status, std::vector<index_t>(status.size(), 0));
}

}  // namespace tridia_test
