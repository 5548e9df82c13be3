// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause

// These are small cases of fields that are spread over ranks; they test what a rank's GPU does,
// whatever carries the messages. The suites of tests/mpi and nccl_test.cpp need as many GPUs as
// ranks; here all ranks share one.
#include "tridia/distributed.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <string>
#include <vector>

#include "distributed/backend.hpp"
#include "small/kernels.hpp"
#include "small/thread_ranks.hpp"
#include "support/buffer.hpp"
#include "support/device_memory.hpp"
#include "support/layout.hpp"
#include "support/scalar.hpp"
#include "support/targets.hpp"
#include "support/task.hpp"
#include "tridia/plan.hpp"

namespace tridia_test {
namespace {

using tridia::boundary;
using tridia::coefficients;
using tridia::operation;
using tridia::pivoting;
using tridia::problem;
using tridia::value_type;
using tridia::distributed::communicator;
using tridia::distributed::strategy;
using bytes = std::vector<std::byte>;
namespace distributed = tridia::distributed;

constexpr int kRanks = 3;
/// Values of well-conditioned systems may differ by this many epsilons, as ranks compute them in
/// another order than one plan does.
constexpr long double kRounding = 1000;

index_t points(const std::vector<index_t>& extents) {
  index_t all = 1;
  for (const index_t e : extents) all *= e;
  return all;
}

/// Holds a dense array, whole on all ranks.
struct whole_array {
  value_type type;
  std::vector<index_t> extents;
  bytes data;

  whole_array(value_type t, std::vector<index_t> e)
      : type(t),
        extents(std::move(e)),
        data(size_of(t) * static_cast<std::size_t>(points(extents))) {}

  /// Calls f(element of a rank's dense block, element here).
  template <class F>
  void for_each_point(const distributed::block& own, F f) const {
    for (index_t k = 0; k < points(own.extents); ++k) {
      index_t rest = k, here = 0, step = 1;
      for (std::size_t a = extents.size(); a-- > 0; rest /= own.extents[a]) {
        here += (own.begin[a] + rest % own.extents[a]) * step;
        step *= extents[a];
      }
      f(k, here);
    }
  }
  wide get(index_t at) const { return load(type, data.data(), at); }
  void set(index_t at, wide v) { store(type, data.data(), at, v); }
};

/// Holds a rank's block of an array, where plans need it.
class block_array {
 public:
  block_array(const whole_array& whole, const distributed::block& own)
      : whole_(whole),
        own_(own),
        memory_(tridia::backend::cuda,
                size_of(whole.type) * static_cast<std::size_t>(points(own.extents)), 0) {
    whole.for_each_point(
        own, [&](index_t k, index_t at) { store(whole.type, memory_.host(), k, whole.get(at)); });
    memory_.push();
  }
  void* pointer() { return memory_.pointer(); }

  /// Returns the largest difference from the block of `expected`, over the largest value, in
  /// epsilons.
  long double difference(const whole_array& expected) {
    memory_.pull();
    long double largest = 0, error = 0;
    expected.for_each_point(own_, [&](index_t k, index_t at) {
      const long double d = std::abs(load(whole_.type, memory_.host(), k) - expected.get(at));
      if (!(d <= error)) error = d;
      largest = std::max(largest, std::abs(expected.get(at)));
    });
    return error / largest / epsilon(whole_.type);
  }

 private:
  const whole_array& whole_;
  distributed::block own_;
  buffer memory_;
};

/// Returns a decomposition with all ranks along one axis.
distributed::decomposition split(const std::vector<index_t>& extents, int axis) {
  std::vector<int> ranks(extents.size(), 1);
  ranks[static_cast<std::size_t>(axis)] = kRanks;
  return {extents, ranks};
}

/// Holds a field's systems, and x and the statuses that the CPU finds.
struct field_systems {
  problem p;
  whole_array dl, d, du, rhs, x;
  std::vector<index_t> status;

  explicit field_systems(const problem& given)
      : p(given),
        dl(p.type, matrix_extents()),
        d(dl),
        du(dl),
        rhs(p.type, p.extents),
        x(p.type, p.extents) {}

  void fill(rng& random) {
    for (index_t k = 0; k < points(dl.extents); ++k) {
      dl.set(k, draw_number(random, p.type));
      d.set(k, draw_dominant(random, p.type));
      du.set(k, draw_number(random, p.type));
    }
    for (index_t k = 0; k < points(p.extents); ++k) rhs.set(k, draw_number(random, p.type));
  }

  void solve_on_cpu() {
    const tridia::plan plan(p, {.backend = tridia::backend::cpu});
    bytes workspace(plan.workspace_bytes());
    status.assign(static_cast<std::size_t>(plan.systems()), 77);
    const tridia::execution e{.workspace = workspace.data(),
                              .workspace_bytes = workspace.size(),
                              .status = status.data()};
    const void* const right = rhs.data.data();
    void* const left = x.data.data();
    if (p.coefficients == coefficients::constant) return plan.execute(right, left, e);
    const void *const a = dl.data.data(), *const b = d.data.data(), *const c = du.data.data();
    plan.execute(a, b, c, right, left, e);
  }

 private:
  [[nodiscard]] std::vector<index_t> matrix_extents() const {
    if (p.coefficients != coefficients::shared) return p.extents;
    return {p.extents[static_cast<std::size_t>(p.axis)]};
  }
};

/// Solves on every rank by a strategy, and compares its block and statuses.
void solve_on_rank(const field_systems& s, const communicator& by, strategy how) {
  const distributed::decomposition g = split(s.p.extents, s.p.axis);
  problem own = s.p;
  own.extents.clear();
  distributed::plan plan(g, own, by, {.strategy = how, .threads = 1});
  const distributed::block here = g.block(by.rank());
  distributed::block matrix = here;
  if (s.p.coefficients == coefficients::shared) {
    const auto axis = static_cast<std::size_t>(s.p.axis);
    matrix = {{here.begin[axis]}, {here.extents[axis]}};
  }
  block_array dl(s.dl, matrix), d(s.d, matrix), du(s.du, matrix), rhs(s.rhs, here), x(s.rhs, here);
  buffer status(tridia::backend::cuda, s.status.size() * sizeof(index_t), 0);
  const bool constant = s.p.coefficients == coefficients::constant;
  const auto coefficient = [&](block_array& a) { return constant ? nullptr : a.pointer(); };
  plan.execute(coefficient(dl), coefficient(d), coefficient(du), rhs.pointer(), x.pointer(),
               {.status = static_cast<index_t*>(status.pointer())});
  by.synchronize(nullptr);
  status.pull();
  const auto* const found = reinterpret_cast<const index_t*>(status.host());
  EXPECT_EQ(std::vector<index_t>(found, found + s.status.size()), s.status)
      << "of rank " << by.rank();
  const bool solved =
      std::all_of(s.status.begin(), s.status.end(), [](index_t i) { return i == 0; });
  if (solved) {
    EXPECT_LE(x.difference(s.x), kRounding) << "of rank " << by.rank();
  }
}

void expect_solved(const problem& p, strategy how, bool with_bad_line = false) {
  SCOPED_TRACE(describe(p) + " by " + std::string(name(how)));
  rng random = random_for("SmallDistributed");
  field_systems s(p);
  s.fill(random);
  if (with_bad_line)
    s.rhs.set(points(p.extents) / 2, std::numeric_limits<long double>::quiet_NaN());
  s.solve_on_cpu();
  on_thread_ranks(kRanks, true, [&](const communicator& by) { solve_on_rank(s, by, how); });
}

std::vector<problem> fields(value_type type) {
  std::vector<problem> all;
  for (const int axis : {0, 2})
    for (const pivoting pivots : {pivoting::none, pivoting::partial})
      for (const boundary ends : {boundary::regular, boundary::periodic}) {
        problem p{.type = type, .extents = {4, 5, 3}, .axis = axis, .boundary = ends};
        p.extents[static_cast<std::size_t>(axis)] = 61;
        p.pivoting = pivots;
        all.push_back(p);
      }
  return all;
}

class SmallDistributed : public ::testing::TestWithParam<value_type> {};

TEST_P(SmallDistributed, SolvesByEveryStrategy) {
  for (const problem& p : fields(GetParam()))
    for (const strategy how :
         {strategy::gather, strategy::allgather, strategy::pcr, strategy::all_to_all})
      expect_solved(p, how);
}

TEST_P(SmallDistributed, SolvesTransposedLines) {
  for (problem p : fields(GetParam())) {
    p.operation = operation::conjugate_transpose;
    expect_solved(p, strategy::all_to_all);
  }
}

TEST_P(SmallDistributed, SolvesWithOneMatrix) {
  for (problem p : fields(GetParam())) {
    p.coefficients = coefficients::shared;
    expect_solved(p, strategy::allgather);
  }
}

TEST_P(SmallDistributed, SolvesConstantLines) {
  for (problem p : fields(GetParam())) {
    p.coefficients = coefficients::constant;
    p.matrix = {.interior = {0.3, 1, 0.3}};
    for (const strategy how : {strategy::automatic, strategy::gather}) expect_solved(p, how);
  }
}

TEST_P(SmallDistributed, NamesRowsThatAreNotFinite) {
  for (const problem& p : fields(GetParam())) expect_solved(p, strategy::pcr, true);
}

GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(SmallDistributed);
INSTANTIATE_TEST_SUITE_P(All, SmallDistributed, ::testing::ValuesIn(types_of_gpu()),
                         [](const auto& test) { return std::string(name(test.param)); });

whole_array some_field(value_type type, const std::vector<index_t>& extents) {
  whole_array all(type, extents);
  rng random = random_for("field");
  for (index_t k = 0; k < points(extents); ++k) all.set(k, draw_number(random, type));
  return all;
}

TEST(SmallDistributedFields, Derive) {
  if (!have_gpu()) GTEST_SKIP() << "no GPU";
  const auto c6 = tridia::find_scheme(tridia::quantity::first_derivative, "C6");
  for (const value_type type : {value_type::f32, value_type::f64})
    for (const int axis : {0, 2})
      for (const boundary ends : {boundary::regular, boundary::periodic}) {
        tridia::grid lines{.type = type, .extents = {6, 5, 4}, .axis = axis, .boundary = ends};
        lines.extents[static_cast<std::size_t>(axis)] = 90;
        const whole_array in = some_field(type, lines.extents);
        whole_array expected(type, lines.extents);
        const tridia::compact_operator one(c6, lines);
        bytes workspace(one.workspace_bytes());
        const void* const from = in.data.data();
        void* const to = expected.data.data();
        one.apply(from, to, {.workspace = workspace.data(), .workspace_bytes = workspace.size()});
        const distributed::decomposition g = split(lines.extents, axis);
        lines.extents.clear();
        for (const strategy how : {strategy::automatic, strategy::gather})
          on_thread_ranks(kRanks, true, [&](const communicator& by) {
            distributed::compact_operator op(g, c6, lines, by, {.threads = 1, .strategy = how});
            block_array field(in, g.block(by.rank())), out(in, g.block(by.rank()));
            op.apply(field.pointer(), out.pointer());
            by.synchronize(nullptr);
            EXPECT_LE(out.difference(expected), kRounding)
                << "of rank " << by.rank() << " by " << name(how);
          });
      }
}

/// Every block has a halo of one point: points between ranks hold the neighbour's values.
TEST(SmallDistributedFields, ExchangeHalos) {
  if (!have_gpu()) GTEST_SKIP() << "no GPU";
  const std::vector<index_t> extents{12, 5, 4};
  const distributed::decomposition g = split(extents, 0);
  on_thread_ranks(kRanks, true, [&](const communicator& by) {
    distributed::halo h;
    h.before = h.after = {1, 0, 0};
    h.periodic = {true, false, false};
    distributed::halo_exchange exchange(g, h, by);
    const index_t layer = extents[1] * extents[2], own = g.block(by.rank()).extents[0];
    const auto count = static_cast<std::size_t>((own + 2) * layer);
    buffer memory(tridia::backend::cuda, count * sizeof(double), 0);
    auto* const values = reinterpret_cast<double*>(memory.host());
    std::fill_n(values, count, static_cast<double>(by.rank()));
    memory.push();
    exchange.start(static_cast<double*>(memory.pointer()) + layer);
    exchange.finish();
    by.synchronize(nullptr);
    memory.pull();
    EXPECT_EQ(values[0], (by.rank() + kRanks - 1) % kRanks);
    EXPECT_EQ(values[layer], by.rank());
    EXPECT_EQ(values[count - 1], (by.rank() + 1) % kRanks);
  });
}

/// Tests a rank's rows alone, given the x of others. compute-sanitizer's racecheck runs these
/// tests, since it loses track of what several threads launch, and never ends.
class SmallDistributedRows : public ::testing::TestWithParam<value_type> {};

TEST_P(SmallDistributedRows, SolveBetweenNeighbours) {
  constexpr index_t lines = 6, rows = 50, before = 4;
  const value_type type = GetParam();
  rng random = random_for("SmallDistributedRows");
  const auto backend = distributed::make_cuda_backend(0);
  for (const pivoting pivots : {pivoting::none, pivoting::partial}) {
    field_systems s({.type = type, .extents = {lines, before + rows + 3}, .axis = 1});
    s.fill(random);
    s.solve_on_cpu();
    const distributed::block own{{0, before}, {lines, rows}};
    block_array dl(s.dl, own), d(s.d, own), du(s.du, own), rhs(s.rhs, own), x(s.rhs, own);

    problem here{.type = type, .extents = {lines, rows}, .axis = 1};
    here.pivoting = pivots;
    const auto part = backend->make_local_rows(
        {type, pivots, task_of(here).geometry, true, true, 1, nullptr, nullptr});
    // These are rows of x, as core::chunk orders them: before, first (with pivoting), last, after.
    std::vector<index_t> known{before - 1, before + rows - 1, before + rows};
    if (pivots == pivoting::partial) known.insert(known.begin() + 1, before);
    const auto count = static_cast<std::size_t>(lines) * size_of(type);
    buffer ends(tridia::backend::cuda, known.size() * count, 0),
        equations(tridia::backend::cuda, 16 * count, 0),
        found(tridia::backend::cuda, lines * sizeof(index_t), 0);
    for (std::size_t word = 0; word < known.size(); ++word)
      for (index_t line = 0; line < lines; ++line)
        store(type, ends.host(), static_cast<index_t>(word) * lines + line,
              s.x.get(line * s.p.extents[1] + known[word]));
    ends.push();

    const tridia::solver::operands o{
        {dl.pointer(), d.pointer(), du.pointer(), rhs.pointer()}, x.pointer(), nullptr};
    const distributed::line_batches all{lines, lines};
    const stream_handle stream = make_stream();
    auto* const statuses = static_cast<index_t*>(found.pointer());
    part->reduce(o, all, 0, 1, equations.pointer(), stream.get());
    part->expand(o, all, 0, 1, ends.pointer(), statuses, stream.get());
    wait_for(stream.get());
    EXPECT_LE(x.difference(s.x), kRounding);
    found.pull();
    for (index_t line = 0; line < lines; ++line) {
      EXPECT_EQ(reinterpret_cast<const index_t*>(found.host())[line], 0);
    }
  }
}

GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(SmallDistributedRows);
INSTANTIATE_TEST_SUITE_P(All, SmallDistributedRows, ::testing::ValuesIn(types_of_gpu()),
                         [](const auto& test) { return std::string(name(test.param)); });

/// This test meets the kernels of a rank's rows, which ranks that wait for each other cannot show
/// in a graph.
TEST(SmallDistributedFields, MeetTheKernelsOfParts) {
  if (!have_gpu()) GTEST_SKIP() << "no GPU";
  constexpr index_t lines = 6, rows = 50;
  const auto backend = distributed::make_cuda_backend(0);
  for (const pivoting pivots : {pivoting::none, pivoting::partial}) {
    problem p{.extents = {lines, rows}};
    p.pivoting = pivots;
    const auto part = backend->make_local_rows(
        {p.type, pivots, task_of(p).geometry, true, true, 1, nullptr, nullptr});
    constexpr std::size_t count = lines * rows * sizeof(double);
    device_bytes arrays[5] = {allocate_on_device(count), allocate_on_device(count),
                              allocate_on_device(count), allocate_on_device(count),
                              allocate_on_device(count)};
    const device_bytes equations = allocate_on_device(lines * 16 * sizeof(double)),
                       ends = allocate_on_device(lines * 16 * sizeof(double)),
                       found = allocate_on_device(lines * sizeof(index_t));
    const tridia::solver::operands o{
        {arrays[0].get(), arrays[1].get(), arrays[2].get(), arrays[3].get()},
        arrays[4].get(),
        nullptr};
    const stream_handle stream = make_stream();
    const distributed::line_batches all{lines, lines};
    expect_kernels(stream.get(),
                   {{"segments", "reduce_segments"},
                    {"segments", "open_level"},
                    {"segments", "judge_local"},
                    {"segments", "enter_level"},
                    {"segments", "expand_segments"}},
                   [&] {
                     part->reduce(o, all, 0, 1, equations.get(), stream.get());
                     part->expand(o, all, 0, 1, ends.get(), reinterpret_cast<index_t*>(found.get()),
                                  stream.get());
                   });
  }
}

}  // namespace
}  // namespace tridia_test
