// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause

// These tests use several GPUs in one process, a thread for each, on a communicator that is the
// caller's: their result for a field must be that of one of them alone.
#include <cuda_runtime_api.h>
#include <gtest/gtest.h>

#include <barrier>
#include <chrono>
#include <cmath>
#include <functional>
#include <optional>
#include <random>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "support/device_memory.hpp"
#include "support/operators.hpp"
#include "tridia/nccl.hpp"
#include "tridia/tridia.hpp"

namespace tridia_test {
namespace {

using tridia::index_t;
using tridia::distributed::communicator;
using tridia::distributed::decomposition;
using tridia::distributed::strategy;
using values = std::vector<double>;

constexpr double kRounding = 1e-12;  // of numbers of the order of 1 to 100

void check(cudaError_t result) {
  if (result != cudaSuccess) throw std::runtime_error(cudaGetErrorString(result));
}
void check(ncclResult_t result) {
  if (result != ncclSuccess) throw std::runtime_error(ncclGetErrorString(result));
}

/// Holds what a thread knows of the others.
struct gpu_rank {
  communicator by;
  bool stores;  // messages into others' memory, where it is reached
  /// Waits for all threads: whoever allocates memory may wait for what other GPUs are at, and must
  /// not, while these wait for it.
  std::function<void()> meet;
};

/// Does `work` in a thread for each GPU, on communicators of one process: those that store messages
/// into each other's memory, and then those of NCCL alone.
void on_every_gpu(int count, const std::function<void(const gpu_rank&)>& work) {
  std::vector<ncclComm_t> comms(static_cast<std::size_t>(count));
  check(ncclCommInitAll(comms.data(), count, nullptr));
  std::vector<std::string> failures(comms.size());
  std::barrier all(count);
  {
    std::vector<std::jthread> threads;
    for (std::size_t rank = 0; rank < comms.size(); ++rank) {
      threads.emplace_back([&, rank] {
        try {
          check(cudaSetDevice(static_cast<int>(rank)));
          for (const bool stores : {true, false}) {
            work({tridia::distributed::nccl_communicator(comms[rank],
                                                         {.time_limit = 30, .peer_memory = stores}),
                  stores, [&] { all.arrive_and_wait(); }});
            all.arrive_and_wait();
          }
          check(ncclCommDestroy(comms[rank]));
        } catch (const std::exception& e) {
          failures[rank] = e.what();
          all.arrive_and_drop();
        }
      });
    }
  }
  for (std::size_t rank = 0; rank < failures.size(); ++rank) {
    EXPECT_EQ(failures[rank], "") << "rank " << rank;
  }
}

/// Owns an array in the memory of the current GPU.
class device_values {
 public:
  explicit device_values(const values& v)
      : memory_(allocate_on_device(v.size() * sizeof(double))), size_(v.size()) {
    copy_to_device(memory_.get(), v.data(), size_ * sizeof(double));
  }
  double* get() { return reinterpret_cast<double*>(memory_.get()); }
  values host() const {
    values v(size_);
    copy_to_host(v.data(), memory_.get(), size_ * sizeof(double));
    return v;
  }

 private:
  device_bytes memory_;
  std::size_t size_;
};

/// Visits the points of a rank's block: their places in the block and in the whole field.
template <class F>
void for_each_point(const decomposition& g, int rank, F f) {
  const auto own = g.block(rank);
  std::size_t at = 0;
  for (index_t i = 0; i < own.extents[0]; ++i) {
    for (index_t j = 0; j < own.extents[1]; ++j) {
      for (index_t k = 0; k < own.extents[2]; ++k) {
        const index_t whole =
            ((own.begin[0] + i) * g.extents()[1] + own.begin[1] + j) * g.extents()[2] +
            own.begin[2] + k;
        f(at++, static_cast<std::size_t>(whole));
      }
    }
  }
}

values block_of(const decomposition& g, int rank, const values& whole) {
  values own;
  for_each_point(g, rank, [&](std::size_t, std::size_t k) { own.push_back(whole[k]); });
  return own;
}

void expect_block(const decomposition& g, int rank, const values& own, const values& whole) {
  double largest = 0;
  for_each_point(g, rank, [&](std::size_t at, std::size_t k) {
    const double error = std::fabs(own[at] - whole[k]);
    if (!(error <= largest)) largest = error;
  });
  EXPECT_LE(largest, kRounding) << "rank " << rank;
}

values waves(std::size_t count, double step) {
  values v(count);
  for (std::size_t k = 0; k < count; ++k) v[k] = std::sin(step * static_cast<double>(k));
  return v;
}

class GpusOfAProcess : public ::testing::TestWithParam<int> {
 protected:
  void SetUp() override {
    if (!have_gpu()) GTEST_SKIP() << "no GPU";
    check(cudaGetDeviceCount(&count_));
    if (count_ < 2) GTEST_SKIP() << "one GPU has no other to work with";
  }
  /// Returns a decomposition in which all GPUs share the lines along an axis.
  [[nodiscard]] decomposition split() const {
    std::vector<index_t> extents{20, 21, 22};
    std::vector<int> ranks{1, 1, 1};
    extents[axis_] = 57 * count_ + 1;
    ranks[axis_] = count_;
    return {extents, ranks};
  }

  int axis_ = GetParam();
  int count_ = 0;
};

TEST_P(GpusOfAProcess, SolveAsOne) {
  const decomposition g = split();
  tridia::problem whole{.extents = g.extents(), .axis = axis_};
  const auto count = static_cast<std::size_t>(g.extents()[0] * g.extents()[1] * g.extents()[2]);
  const values dl = waves(count, 0.7), du = waves(count, 1.1), rhs = waves(count, 0.31);
  values d = waves(count, 0.17);
  for (double& v : d) v += v < 0 ? -2.5 : 2.5;
  for (const auto p : {tridia::pivoting::none, tridia::pivoting::partial}) {
    whole.pivoting = p;
    check(cudaSetDevice(0));
    device_values l(dl), m(d), u(du), x(rhs);
    tridia::solve(whole, l.get(), m.get(), u.get(), x.get(), x.get(),
                  {.backend = tridia::backend::cuda, .device = 0});
    const values expected = x.host();
    on_every_gpu(count_, [&](const gpu_rank& here) {
      const communicator& by = here.by;
      for (const auto s : {strategy::automatic, strategy::gather, strategy::allgather,
                           strategy::pcr, strategy::all_to_all}) {
        tridia::distributed::plan lines(g, {.axis = axis_, .pivoting = p}, by, {.strategy = s});
        const auto own = [&](const values& v) { return device_values(block_of(g, by.rank(), v)); };
        device_values a = own(dl), b = own(d), c = own(du), y = own(rhs);
        here.meet();
        lines.execute(a.get(), b.get(), c.get(), y.get(), y.get());
        by.synchronize(nullptr);
        expect_block(g, by.rank(), y.host(), expected);
      }
    });
  }
}

TEST_P(GpusOfAProcess, DeriveAsOne) {
  const decomposition g = split();
  const auto c6 = tridia::find_scheme(tridia::quantity::first_derivative, "C6");
  const auto count = static_cast<std::size_t>(g.extents()[0] * g.extents()[1] * g.extents()[2]);
  const values field = waves(count, 0.31);
  for (const auto ends : {tridia::boundary::regular, tridia::boundary::periodic}) {
    const tridia::grid whole{.extents = g.extents(), .axis = axis_, .boundary = ends};
    check(cudaSetDevice(0));
    values expected(count);
    apply_anywhere(
        tridia::compact_operator(c6, whole, {.backend = tridia::backend::cuda, .device = 0}), field,
        expected);
    on_every_gpu(count_, [&](const gpu_rank& here) {
      const communicator& by = here.by;
      for (const auto s : {strategy::automatic, strategy::gather}) {
        tridia::distributed::compact_operator op(g, c6, {.axis = axis_, .boundary = ends}, by,
                                                 {.strategy = s});
        device_values in(block_of(g, by.rank(), field)), out(values(block_of(g, by.rank(), field)));
        here.meet();
        op.apply(in.get(), out.get());
        by.synchronize(nullptr);
        expect_block(g, by.rank(), out.host(), expected);
      }
    });
  }
}

class GpusTogether : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!have_gpu()) GTEST_SKIP() << "no GPU";
    check(cudaGetDeviceCount(&count_));
    if (count_ < 2) GTEST_SKIP() << "one GPU has no other to work with";
  }
  [[nodiscard]] decomposition split() const { return {{57 * count_ + 1, 20, 21}, {count_, 1, 1}}; }
  [[nodiscard]] bool all_reach_all() const {
    for (int a = 0; a < count_; ++a) {
      for (int b = 0; b < count_; ++b) {
        int reached = 1;
        if (a != b) check(cudaDeviceCanAccessPeer(&reached, a, b));
        if (!reached) return false;
      }
    }
    return true;
  }

  int count_ = 0;
};

TEST_F(GpusTogether, SayWhatCarriesMessages) {
  on_every_gpu(count_, [&](const gpu_rank& here) {
    const int others = count_ - 1, reached = here.stores && all_reach_all() ? others : 0;
    const std::string said = here.by.reason();
    if (!here.stores || reached > 0) {
      EXPECT_TRUE(said.starts_with("messages to " + std::to_string(reached) + " of " +
                                   std::to_string(others)))
          << said;
    }
    const tridia::distributed::plan lines(split(), {.axis = 0}, here.by);
    EXPECT_NE(lines.reason().find(said), std::string::npos) << lines.reason();
    EXPECT_EQ(lines.reason().find("in one pass") != std::string::npos, reached == others)
        << lines.reason();
  });
}

/// Keeps a stream busy for a random time below a millisecond.
void delay(void* stream, std::mt19937& draw) {
  auto* const time = new std::chrono::microseconds(draw() % 1000);
  check(cudaLaunchHostFunc(
      static_cast<cudaStream_t>(stream),
      [](void* t) {
        auto* const wanted = static_cast<std::chrono::microseconds*>(t);
        std::this_thread::sleep_for(*wanted);
        delete wanted;
      },
      time));
}

/// Three operators, one of which is applied by one call, and two plans are in flight in five
/// streams, while every rank is late at random; all results are the same bit for bit, round after
/// round.
TEST_F(GpusTogether, RepeatWhateverIsLate) {
  const decomposition g = split();
  const auto c6 = tridia::find_scheme(tridia::quantity::first_derivative, "C6");
  on_every_gpu(count_, [&](const gpu_rank& here) {
    const communicator& by = here.by;
    std::mt19937 draw(static_cast<unsigned>(by.rank()));
    const auto own = g.block(by.rank()).extents;
    const auto points = static_cast<std::size_t>(own[0] * own[1] * own[2]);
    const values field = waves(points, 0.31 + by.rank()), off(points, -1), diagonal(points, 2.5);
    tridia::distributed::compact_operator first(g, c6, {.axis = 0}, by),
        second(g, c6, {.axis = 0}, by), third(g, c6, {.axis = 0}, by);
    tridia::distributed::plan lines(g, {.axis = 0}, by), same(g, {.axis = 0}, by);
    device_values in(field), a(off), d(diagonal), x(field), y(field), z(field), w(field), v(field);
    const stream_handle streams[] = {make_stream(), make_stream(), make_stream(), make_stream(),
                                     make_stream()};
    values expected[5];
    here.meet();
    for (int round = 0; round < 200; ++round) {
      for (const auto& s : streams) delay(s.get(), draw);
      if (draw() % 8 == 0) std::this_thread::sleep_for(std::chrono::microseconds(draw() % 2000));
      first.start(in.get(), x.get(), streams[0].get());
      second.start(in.get(), y.get(), streams[1].get());
      first.finish();
      third.apply(in.get(), v.get(), streams[4].get());
      lines.execute(a.get(), d.get(), a.get(), in.get(), z.get(), {.stream = streams[2].get()});
      same.execute(a.get(), d.get(), a.get(), in.get(), w.get(), {.stream = streams[3].get()});
      second.finish();
      if (round % 20 != 0) continue;
      for (const auto& s : streams) by.synchronize(s.get());
      const device_values* const results[] = {&x, &y, &z, &w, &v};
      for (int k = 0; k < 5; ++k) {
        const values now = results[k]->host();
        if (round == 0) expected[k] = now;
        ASSERT_EQ(now, expected[k]) << "result " << k << " of round " << round;
      }
      ASSERT_EQ(expected[0], expected[1]);
      ASSERT_EQ(expected[2], expected[3]);
    }
    for (const auto& s : streams) by.synchronize(s.get());
  });
}

/// What has been executed once can be captured, where messages are stored, and replayed.
TEST_F(GpusTogether, ReplayAGraph) {
  if (!all_reach_all()) GTEST_SKIP() << "NCCL carries the messages here";
  const decomposition g = split();
  const auto c6 = tridia::find_scheme(tridia::quantity::first_derivative, "C6");
  on_every_gpu(count_, [&](const gpu_rank& here) {
    const communicator& by = here.by;
    if (!here.stores) return;
    const auto own = g.block(by.rank()).extents;
    const auto points = static_cast<std::size_t>(own[0] * own[1] * own[2]);
    tridia::distributed::compact_operator op(g, c6, {.axis = 0}, by);
    tridia::distributed::plan lines(g, {.axis = 0}, by);
    device_values a(values(points, -1)), d(values(points, 2.5)), in(values(points, 0)),
        x(values(points, 0)), y(values(points, 0));
    const stream_handle stream = make_stream();
    here.meet();
    const auto step = [&] {
      op.apply(in.get(), x.get(), stream.get());
      lines.execute(a.get(), d.get(), a.get(), x.get(), y.get(), {.stream = stream.get()});
    };
    step();
    by.synchronize(stream.get());
    // No thread does anything else while one captures.
    std::optional<captured_graph> graph;
    for (int rank = 0; rank < by.size(); ++rank) {
      here.meet();
      if (rank == by.rank()) graph.emplace(stream.get(), step);
    }
    here.meet();
    for (int round = 0; round < 5; ++round) {
      const values field = waves(points, 0.2 + round + by.rank());
      copy_to_device(in.get(), field.data(), points * sizeof(double));
      graph->replay();
      by.synchronize(stream.get());
      const values replayed = y.host();
      step();
      by.synchronize(stream.get());
      EXPECT_EQ(replayed, y.host());
    }
  });
}

INSTANTIATE_TEST_SUITE_P(cuda, GpusOfAProcess, ::testing::Values(0, 1, 2));

}  // namespace
}  // namespace tridia_test
