// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
// These tests are for the one-call forms: plain pointers, array views, and what they refuse.
#include "tridia/solve.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <complex>
#include <vector>

#include "support/buffer.hpp"
#include "support/refusal.hpp"
#include "support/targets.hpp"

namespace tridia_test {
namespace {

using tridia::errc;
using tridia::index_t;
using tridia::solve_options;
using tridia::view;

/// Holds numbers where a backend can access them.
template <class T>
class numbers {
 public:
  numbers(tridia::backend where, const std::vector<T>& values)
      : bytes_(where, values.size() * sizeof(T)) {
    std::copy(values.begin(), values.end(), host());
    bytes_.push();
  }
  T* get() { return static_cast<T*>(bytes_.pointer()); }
  std::vector<T> values() {
    bytes_.pull();
    return {host(), host() + bytes_.size() / sizeof(T)};
  }

 private:
  T* host() { return reinterpret_cast<T*>(bytes_.host()); }
  buffer bytes_;
};

template <class T>
void expect_near(const std::vector<T>& x, const std::vector<T>& expected) {
  ASSERT_EQ(x.size(), expected.size());
  for (std::size_t k = 0; k < x.size(); ++k)
    EXPECT_LT(std::abs(x[k] - expected[k]), 1e-5) << "element " << k;
}

class Solve : public ::testing::TestWithParam<tridia::backend> {
 protected:
  [[nodiscard]] solve_options options() const {
    solve_options o;
    o.backend = GetParam();
    return o;
  }

  // Solves two systems of three rows, -x[i-1] + 4 x[i] - x[i+1], for x = 1, 2, 3 and x = 1, 1, 1.
  template <class T>
  void expect_plain() {
    const std::vector<T> off(6, T(-1)), four(6, T(4));
    numbers<T> dl(GetParam(), off), d(GetParam(), four), du(GetParam(), off);
    numbers<T> b(GetParam(), {T(2), T(4), T(10), T(3), T(2), T(3)});
    numbers<T> x(GetParam(), std::vector<T>(6));
    tridia::solve<T>(3, 2, dl.get(), d.get(), du.get(), b.get(), x.get(), options());
    expect_near(x.values(), {T(1), T(2), T(3), T(1), T(1), T(1)});
  }
};

TEST_P(Solve, PlainPointers) {
  expect_plain<float>();
  expect_plain<double>();
  expect_plain<std::complex<float>>();
  expect_plain<std::complex<double>>();
}

TEST_P(Solve, InPlace) {
  numbers<double> off(GetParam(), {-1, -1, -1}), d(GetParam(), {4, 4, 4});
  numbers<double> x(GetParam(), {2, 4, 10});
  tridia::solve<double>(3, 1, off.get(), d.get(), off.get(), x.get(), x.get(), options());
  expect_near<double>(x.values(), {1, 2, 3});
}

TEST_P(Solve, Options) {
  // The matrix is A = (4 1 0; 2 4 1; 0 2 4), with corners 3 and 1 if periodic; x = 1, 2, 3.
  numbers<double> dl(GetParam(), {3, 2, 2}), d(GetParam(), {4, 4, 4}), du(GetParam(), {1, 1, 1});
  numbers<double> x(GetParam(), {0, 0, 0});
  const auto expect_solves = [&](const std::vector<double>& rhs, const solve_options& o) {
    numbers<double> b(GetParam(), rhs);
    tridia::solve<double>(3, 1, dl.get(), d.get(), du.get(), b.get(), x.get(), o);
    expect_near<double>(x.values(), {1, 2, 3});
  };
  solve_options o = options();
  expect_solves({6, 13, 16}, o);
  o.pivoting = tridia::pivoting::none;
  expect_solves({6, 13, 16}, o);
  o.operation = tridia::operation::transpose;
  expect_solves({8, 15, 14}, o);
  o.operation = tridia::operation::none;
  o.boundary = tridia::boundary::periodic;
  expect_solves({15, 13, 17}, o);
}

// The options are passed to the plan, which refuses them.
TEST_P(Solve, OptionsOfThePlan) {
  numbers<double> a(GetParam(), {4, 4, 4}), x(GetParam(), {7, 7, 7});
  const auto run = [&](const solve_options& o) {
    tridia::solve<double>(3, 1, a.get(), a.get(), a.get(), a.get(), x.get(), o);
  };
  expect_refusal(errc::unsupported, {"thomas", "partial"},
                 [&] { run({.backend = GetParam(), .algorithm = tridia::algorithm::thomas}); });
  expect_refusal(errc::invalid_argument, {"threads", "-2"},
                 [&] { run({.backend = GetParam(), .threads = -2}); });
  if (GetParam() == tridia::backend::cuda) {
    expect_refusal(errc::invalid_argument, {"device", "-3"},
                   [&] { run({.backend = GetParam(), .device = -3}); });
  }
  EXPECT_EQ(x.values(), (std::vector<double>{7, 7, 7}));
}

TEST_P(Solve, ViewsAlongEitherAxis) {
  // Two systems lie along axis 0 of a 3 x 2 array; the diagonals have different shapes.
  numbers<double> off(GetParam(), {-1, -1}), d(GetParam(), {4, 4, 4});
  numbers<double> b(GetParam(), {2, 3, 4, 2, 10, 3}), x(GetParam(), std::vector<double>(6));
  solve_options o = options();
  o.axis = 0;
  // There is one matrix for all, with off-diagonals one entry short.
  tridia::solve(view<const double, 1>(off.get(), {2}), view<const double, 1>(d.get(), {3}),
                view<const double, 1>(off.get(), {2}), view<const double, 2>(b.get(), {3, 2}),
                view<double, 2>(x.get(), {3, 2}), o);
  expect_near<double>(x.values(), {1, 1, 2, 1, 3, 1});
  // The diagonal is broadcast by an extent of 1; x is in Fortran order.
  numbers<double> full(GetParam(), std::vector<double>(6, -1));
  tridia::solve(view<double, 2>(full.get(), {3, 2}), view<double, 2>(d.get(), {3, 1}),
                view<double, 2>(full.get(), {3, 2}), view<double, 2>(b.get(), {3, 2}),
                view<double, 2>(x.get(), {3, 2}, {1, 3}), o);
  expect_near<double>(x.values(), {1, 2, 3, 1, 1, 1});
}

TEST_P(Solve, StatusOrException) {
  numbers<double> off(GetParam(), {0, 0, 0, 0, 0, 0}), d(GetParam(), {1, 1, 1, 1, 0, 1});
  numbers<double> b(GetParam(), {1, 2, 3, 4, 5, 6}), x(GetParam(), std::vector<double>(6));
  const auto run = [&](const solve_options& o) {
    tridia::solve<double>(3, 2, off.get(), d.get(), off.get(), b.get(), x.get(), o);
  };
  expect_refusal(errc::singular, {"system 1", "row 2"}, [&] { run(options()); });
  const std::vector<double> solved = x.values();
  expect_near<double>({solved[0], solved[1], solved[2]}, {1, 2, 3});
  for (const std::size_t k : {3, 4, 5}) EXPECT_TRUE(std::isnan(solved[k]));
  std::vector<index_t> status(2, -77);
  solve_options o = options();
  o.status = status;
  EXPECT_NO_THROW(run(o));
  EXPECT_EQ(status, (std::vector<index_t>{0, 2}));
  o.status = std::span(status).first(1);
  expect_refusal(errc::invalid_argument, {"status", "1", "2"}, [&] { run(o); });
}

TEST_P(Solve, NothingToDo) {
  const double* const none = nullptr;
  EXPECT_NO_THROW(tridia::solve<double>(0, 5, none, none, none, none, static_cast<double*>(nullptr),
                                        options()));
  EXPECT_NO_THROW(tridia::solve<double>(5, 0, none, none, none, none, static_cast<double*>(nullptr),
                                        options()));
}

TEST_P(Solve, NullPointer) {
  numbers<double> a(GetParam(), {4, 4, 4}), x(GetParam(), {7, 7, 7});
  expect_refusal(errc::invalid_argument, {"du", "null"}, [&] {
    tridia::solve<double>(3, 1, a.get(), a.get(), nullptr, a.get(), x.get(), options());
  });
  EXPECT_EQ(x.values(), (std::vector<double>{7, 7, 7}));
}

TEST_P(Solve, NegativeSizes) {
  double value = 1;
  expect_refusal(errc::invalid_argument, {"extents", "-3"}, [&] {
    tridia::solve<double>(-3, 1, &value, &value, &value, &value, &value, options());
  });
  expect_refusal(errc::invalid_argument, {"extents", "-2"}, [&] {
    tridia::solve<double>(3, -2, &value, &value, &value, &value, &value, options());
  });
}

/// Tests views of any extents on the same memory; all except one fit a 3 x 4 array solved along
/// axis 1.
class ShapeMismatch : public Solve {
 protected:
  using matrix = view<double, 2>;
  matrix good() { return {memory_.get(), {3, 4}}; }
  template <class Dl, class D, class Du, class B, class X>
  void expect_refused(const std::vector<std::string>& words, const Dl& dl, const D& d, const Du& du,
                      const B& b, const X& x, solve_options o) {
    expect_refusal(errc::invalid_argument, words, [&] { tridia::solve(dl, d, du, b, x, o); });
    EXPECT_EQ(memory_.values(), std::vector<double>(64, 4.0));
  }
  numbers<double> memory_{GetParam(), std::vector<double>(64, 4.0)};
};

TEST_P(ShapeMismatch, IsRefused) {
  const matrix a = good(), broad(memory_.get(), {3, 5}), tall(memory_.get(), {4, 4});
  const view<double, 1> line(memory_.get(), {5});
  const view<double, 3> cube(memory_.get(), {1, 3, 4});
  const solve_options o = options();
  expect_refused({"dl", "(3, 5)", "(3, 4)"}, broad, a, a, a, a, o);
  expect_refused({"d:", "(4, 4)", "(3, 4)"}, a, tall, a, a, a, o);
  expect_refused({"du", "(3, 5)", "(3, 4)"}, a, a, broad, a, a, o);
  expect_refused({"d:", "(5,)", "(3, 4)"}, a, line, a, a, a, o);
  expect_refused({"d:", "(1, 3, 4)", "(3, 4)"}, a, cube, a, a, a, o);
  expect_refused({"x", "(3, 5)", "(3, 4)"}, a, a, a, a, broad, o);
  expect_refused({"x", "(1, 3, 4)", "(3, 4)"}, a, a, a, a, cube, o);
}

// n - 1 entries are possible for both off-diagonals or for none, and not if periodic.
TEST_P(ShapeMismatch, ShortOffDiagonals) {
  const matrix a = good(), less(memory_.get(), {3, 3});
  expect_refused({"dl", "(3, 3)", "(3, 4)"}, less, a, a, a, a, options());
  expect_refused({"du", "(3, 3)", "(3, 4)"}, a, a, less, a, a, options());
  expect_refused({"d:", "(3, 3)", "(3, 4)"}, less, less, less, a, a, options());
  solve_options o = options();
  o.boundary = tridia::boundary::periodic;
  expect_refused({"short_off_diagonals", "periodic"}, less, a, less, a, a, o);
}

TEST_P(ShapeMismatch, Axis) {
  solve_options o = options();
  o.axis = 2;
  expect_refused({"axis", "2", "(3, 4)"}, good(), good(), good(), good(), good(), o);
  o.axis = -3;
  expect_refused({"axis", "-3", "(3, 4)"}, good(), good(), good(), good(), good(), o);
}

TEST_P(ShapeMismatch, Type) {
  const view<float, 2> single(static_cast<float*>(static_cast<void*>(memory_.get())), {3, 4});
  expect_refused({"d:", "f32", "f64"}, good(), single, good(), good(), good(), options());
  expect_refused({"x:", "f32", "f64"}, good(), good(), good(), good(), single, options());
}

#if !defined(__SANITIZE_ADDRESS__)  // Its allocator ends the process instead of throwing.
// The arrays do not exist either, but they are never accessed.
TEST(OutOfMemory, IsAnError) {
  double value = 1;
  constexpr index_t kRows = index_t{1} << 43;
  for (const tridia::backend b : {tridia::backend::reference, tridia::backend::cpu}) {
    solve_options o;
    o.backend = b;
    expect_refusal(errc::out_of_memory, {"bytes"}, [&] {
      tridia::solve<double>(kRows, 1, &value, &value, &value, &value, &value, o);
    });
  }
  EXPECT_EQ(value, 1);
}
#endif

std::string test_name(const ::testing::TestParamInfo<tridia::backend>& info) {
  return std::string(tridia::name(info.param));
}
INSTANTIATE_TEST_SUITE_P(All, Solve, ::testing::ValuesIn(backends()), test_name);
INSTANTIATE_TEST_SUITE_P(All, ShapeMismatch, ::testing::ValuesIn(backends()), test_name);

}  // namespace
}  // namespace tridia_test
