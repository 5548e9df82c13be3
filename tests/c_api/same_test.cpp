// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
// A C call gives what the C++ call gives, bit for bit, and getters give the same.
#include <gtest/gtest.h>
#include <tridia.h>

#include <cstddef>
#include <cstring>
#include <span>
#include <string>
#include <vector>

#include "tridia/tridia.hpp"

namespace {

using tridia::index_t;

const std::vector<index_t> kExtents = {5, 33, 6};

/// Holds arrays for all systems of a field, filled with numbers of one type.
template <class T>
struct arrays {
  std::vector<T> dl, d, du, rhs, x, y;

  explicit arrays(std::size_t count) : x(count), y(count) {
    std::uint32_t state = 12345;
    const auto next = [&] {
      state = state * 1664525U + 1013904223U;
      return T(static_cast<float>(state >> 8) / 16777216.0F - 0.5F);
    };
    for (std::vector<T>* v : {&dl, &d, &du, &rhs}) {
      v->resize(count);
      for (T& value : *v) value = next();
    }
  }
};

template <class T>
bool same(const std::vector<T>& a, const std::vector<T>& b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(T)) == 0;
}

struct shape {
  tridia::problem cpp;
  tridia_problem c = TRIDIA_PROBLEM_INIT;
};

shape make_shape(tridia::value_type type, int axis, int boundary, int pivoting, int operation) {
  shape s;
  s.cpp.type = type;
  s.cpp.extents = kExtents;
  s.cpp.axis = axis;
  s.cpp.boundary = static_cast<tridia::boundary>(boundary);
  s.cpp.pivoting = static_cast<tridia::pivoting>(pivoting);
  s.cpp.operation = static_cast<tridia::operation>(operation);
  s.c.type = static_cast<int>(type);
  s.c.rank = 3;
  s.c.extents = kExtents.data();
  s.c.axis = axis;
  s.c.boundary = boundary;
  s.c.pivoting = pivoting;
  s.c.operation = operation;
  return s;
}

std::string text_of(const tridia_plan* p) {
  const char* text = nullptr;
  EXPECT_EQ(tridia_plan_reason(p, &text), TRIDIA_SUCCESS);
  return text;
}

void compare_getters(const tridia::plan& cpp, const tridia_plan* c) {
  int number = -7;
  std::int64_t systems = -7;
  std::size_t bytes = 7;
  EXPECT_EQ(text_of(c), cpp.reason());
  ASSERT_EQ(tridia_plan_backend(c, &number), TRIDIA_SUCCESS);
  EXPECT_EQ(number, static_cast<int>(cpp.backend()));
  ASSERT_EQ(tridia_plan_algorithm(c, &number), TRIDIA_SUCCESS);
  EXPECT_EQ(number, static_cast<int>(cpp.algorithm()));
  ASSERT_EQ(tridia_plan_device(c, &number), TRIDIA_SUCCESS);
  EXPECT_EQ(number, cpp.device());
  ASSERT_EQ(tridia_plan_threads(c, &number), TRIDIA_SUCCESS);
  EXPECT_EQ(number, cpp.threads());
  ASSERT_EQ(tridia_plan_systems(c, &systems), TRIDIA_SUCCESS);
  EXPECT_EQ(systems, cpp.systems());
  ASSERT_EQ(tridia_plan_factors_bytes(c, &bytes), TRIDIA_SUCCESS);
  EXPECT_EQ(bytes, cpp.factors_bytes());
  ASSERT_EQ(tridia_plan_workspace_bytes(c, &bytes), TRIDIA_SUCCESS);
  EXPECT_EQ(bytes, cpp.workspace_bytes());
  tridia_problem as_given = TRIDIA_PROBLEM_INIT;
  ASSERT_EQ(tridia_plan_problem(c, &as_given), TRIDIA_SUCCESS);
  EXPECT_EQ(std::vector<index_t>(as_given.extents, as_given.extents + as_given.rank), kExtents);
  EXPECT_EQ(as_given.axis, cpp.problem().axis);
  EXPECT_EQ(as_given.d_strides, nullptr);
}

template <class T>
void compare_plans(const shape& s) {
  arrays<T> a(5 * 33 * 6);
  const tridia::plan cpp(s.cpp);
  tridia_plan* c = nullptr;
  ASSERT_EQ(tridia_plan_create(&s.c, nullptr, &c), TRIDIA_SUCCESS) << tridia_last_error();
  compare_getters(cpp, c);
  std::vector<char> workspace(cpp.workspace_bytes()), factors(cpp.factors_bytes());
  std::vector<index_t> status(cpp.systems()), c_status(cpp.systems(), -1);
  const tridia::execution e{workspace.data(), workspace.size(), status.data()};
  const tridia_execution c_e = {sizeof(tridia_execution), workspace.data(), workspace.size(),
                                c_status.data(), nullptr};
  cpp.execute(a.dl.data(), a.d.data(), a.du.data(), a.rhs.data(), a.x.data(), e);
  ASSERT_EQ(
      tridia_plan_execute(c, a.dl.data(), a.d.data(), a.du.data(), a.rhs.data(), a.y.data(), &c_e),
      TRIDIA_SUCCESS);
  EXPECT_TRUE(same(a.x, a.y));
  EXPECT_EQ(status, c_status);
  a.y.assign(a.y.size(), T{});
  ASSERT_EQ(tridia_plan_factor(c, a.dl.data(), a.d.data(), a.du.data(), factors.data(), &c_e),
            TRIDIA_SUCCESS);
  ASSERT_EQ(tridia_plan_solve(c, factors.data(), a.rhs.data(), a.y.data(), &c_e), TRIDIA_SUCCESS);
  cpp.factor(a.dl.data(), a.d.data(), a.du.data(), factors.data(), e);
  cpp.solve(factors.data(), a.rhs.data(), a.x.data(), e);
  EXPECT_TRUE(same(a.x, a.y));
  a.y.assign(a.y.size(), T{});
  tridia::solve(s.cpp, a.dl.data(), a.d.data(), a.du.data(), a.rhs.data(), a.x.data());
  ASSERT_EQ(tridia_solve(&s.c, nullptr, a.dl.data(), a.d.data(), a.du.data(), a.rhs.data(),
                         a.y.data(), nullptr, 0, nullptr),
            TRIDIA_SUCCESS);
  EXPECT_TRUE(same(a.x, a.y));
  EXPECT_EQ(tridia_plan_destroy(c), TRIDIA_SUCCESS);
}

TEST(CInterface, PlansAreThoseOfCpp) {
  for (int axis = 0; axis < 3; ++axis) {
    for (int kind = 0; kind < 12; ++kind) {
      const int boundary = kind % 2, pivoting = kind / 2 % 2, operation = kind / 4;
      const auto of = [&](tridia::value_type type) {
        return make_shape(type, axis, boundary, pivoting, operation);
      };
      compare_plans<float>(of(tridia::value_type::f32));
      compare_plans<double>(of(tridia::value_type::f64));
      compare_plans<std::complex<float>>(of(tridia::value_type::c64));
      compare_plans<std::complex<double>>(of(tridia::value_type::c128));
    }
  }
}

TEST(CInterface, ConstantCoefficientsAreThoseOfCpp) {
  shape s = make_shape(tridia::value_type::f64, 1, 0, 1, 0);
  s.cpp.coefficients = tridia::coefficients::constant;
  s.cpp.matrix = {{-1.0, 3.0, -0.5}, {{0.0, 2.0, 1.0}}, {{1.0, 2.5, 0.0}}};
  const tridia_matrix_row head = {{0, 0}, {2, 0}, {1, 0}}, tail = {{1, 0}, {2.5, 0}, {0, 0}};
  s.c.coefficients = TRIDIA_CONSTANT;
  s.c.interior = {{-1, 0}, {3, 0}, {-0.5, 0}};
  s.c.head = &head;
  s.c.tail = &tail;
  s.c.head_count = s.c.tail_count = 1;
  arrays<double> a(5 * 33 * 6);
  tridia::solve(s.cpp, a.rhs.data(), a.x.data());
  ASSERT_EQ(tridia_solve(&s.c, nullptr, nullptr, nullptr, nullptr, a.rhs.data(), a.y.data(),
                         nullptr, 0, nullptr),
            TRIDIA_SUCCESS)
      << tridia_last_error();
  EXPECT_TRUE(same(a.x, a.y));
  tridia_plan* plan = nullptr;
  ASSERT_EQ(tridia_plan_create(&s.c, nullptr, &plan), TRIDIA_SUCCESS);
  tridia_problem back = TRIDIA_PROBLEM_INIT;
  ASSERT_EQ(tridia_plan_problem(plan, &back), TRIDIA_SUCCESS);
  EXPECT_EQ(back.head[0].du[0], 1);
  EXPECT_EQ(back.tail[0].d[0], 2.5);
  EXPECT_EQ(back.interior.dl[0], -1);
  EXPECT_EQ(tridia_plan_destroy(plan), TRIDIA_SUCCESS);
}

TEST(CInterface, OperatorsAreThoseOfCpp) {
  for (int axis = 0; axis < 3; ++axis) {
    if (axis != 1) continue;  // the others are shorter than the closures
    tridia::grid g;
    g.extents = kExtents;
    g.axis = axis;
    g.spacing = 0.1;
    tridia_grid c_g = TRIDIA_GRID_INIT;
    c_g.rank = 3;
    c_g.extents = kExtents.data();
    c_g.axis = axis;
    c_g.spacing = 0.1;
    const auto c6 = tridia::find_scheme(tridia::quantity::first_derivative, "C6");
    const tridia::compact_operator cpp(c6, tridia::find_closure(c6, "3-4-6-4-3"), g);
    tridia_scheme* s = nullptr;
    tridia_closure* closure = nullptr;
    tridia_operator* op = nullptr;
    ASSERT_EQ(tridia_scheme_find(0, "C6", 0, 0.45, &s), TRIDIA_SUCCESS);
    ASSERT_EQ(tridia_closure_find(s, "3-4-6-4-3", &closure), TRIDIA_SUCCESS);
    ASSERT_EQ(tridia_operator_create(s, closure, &c_g, nullptr, &op), TRIDIA_SUCCESS);
    arrays<double> a(5 * 33 * 6);
    cpp.apply(a.rhs.data(), a.x.data());
    ASSERT_EQ(tridia_operator_apply(op, a.rhs.data(), a.y.data(), nullptr), TRIDIA_SUCCESS);
    EXPECT_TRUE(same(a.x, a.y));
    cpp.apply_add(0.5, a.rhs.data(), a.x.data());
    ASSERT_EQ(tridia_operator_apply_add(op, 0.5, a.rhs.data(), a.y.data(), nullptr),
              TRIDIA_SUCCESS);
    EXPECT_TRUE(same(a.x, a.y));
    const char* text = nullptr;
    ASSERT_EQ(tridia_operator_description(op, &text), TRIDIA_SUCCESS);
    EXPECT_EQ(text, cpp.description());
    EXPECT_EQ(tridia_operator_destroy(op), TRIDIA_SUCCESS);
    EXPECT_EQ(tridia_closure_destroy(closure), TRIDIA_SUCCESS);
    EXPECT_EQ(tridia_scheme_destroy(s), TRIDIA_SUCCESS);
  }
}

TEST(CInterface, DifferentialOperatorsAreThoseOfCpp) {
  const std::vector<tridia::index_t> extents{20, 33, 16};
  constexpr std::size_t size = 20 * 33 * 16;
  const auto c6 = tridia::find_scheme(tridia::quantity::second_derivative, "C6");
  tridia_scheme* s = nullptr;
  ASSERT_EQ(
      tridia_scheme_find(static_cast<int>(tridia::quantity::second_derivative), "C6", 0, 0.45, &s),
      TRIDIA_SUCCESS);
  std::vector<tridia::differential_term> terms;
  tridia_grid grids[3];
  std::vector<tridia_differential_term> c_terms;
  for (int axis = 0; axis < 3; ++axis) {
    tridia::grid g;
    g.extents = extents;
    g.axis = axis;
    terms.push_back({c6, g, 1.0 + axis});
    grids[axis] = TRIDIA_GRID_INIT;
    grids[axis].rank = 3;
    grids[axis].extents = extents.data();
    grids[axis].axis = axis;
    c_terms.push_back(TRIDIA_DIFFERENTIAL_TERM_INIT);
    c_terms.back().scheme = s;
    c_terms.back().grid = &grids[axis];
    c_terms.back().factor = 1.0 + axis;
  }
  arrays<double> a[3] = {arrays<double>(size), arrays<double>(size), arrays<double>(size)};
  for (const int kind : {TRIDIA_GRADIENT, TRIDIA_DIVERGENCE, TRIDIA_LAPLACIAN}) {
    const tridia::differential_operator cpp(static_cast<tridia::differential>(kind), terms);
    tridia_differential_operator* op = nullptr;
    ASSERT_EQ(tridia_differential_operator_create(kind, c_terms.data(), 3, nullptr, &op),
              TRIDIA_SUCCESS);
    int number = 0;
    ASSERT_EQ(tridia_differential_operator_in_count(op, &number), TRIDIA_SUCCESS);
    EXPECT_EQ(number, static_cast<int>(cpp.in_count()));
    ASSERT_EQ(tridia_differential_operator_out_count(op, &number), TRIDIA_SUCCESS);
    EXPECT_EQ(number, static_cast<int>(cpp.out_count()));
    const void* in[3] = {a[0].rhs.data(), a[1].rhs.data(), a[2].rhs.data()};
    void *x[3] = {a[0].x.data(), a[1].x.data(), a[2].x.data()},
         *y[3] = {a[0].y.data(), a[1].y.data(), a[2].y.data()};
    std::vector<std::byte> workspace(cpp.workspace_bytes());
    const tridia::execution e{.workspace = workspace.data(), .workspace_bytes = workspace.size()};
    const std::span<const void* const> from(in, cpp.in_count());
    const std::span<void* const> to(x, cpp.out_count());
    cpp.apply(from, to, e);
    ASSERT_EQ(tridia_differential_operator_apply(op, in, y, nullptr), TRIDIA_SUCCESS);
    for (std::size_t k = 0; k < cpp.out_count(); ++k) EXPECT_TRUE(same(a[k].x, a[k].y)) << kind;
    cpp.apply_add(0.5, from, to, e);
    ASSERT_EQ(tridia_differential_operator_apply_add(op, 0.5, in, y, nullptr), TRIDIA_SUCCESS);
    for (std::size_t k = 0; k < cpp.out_count(); ++k) EXPECT_TRUE(same(a[k].x, a[k].y)) << kind;
    const char* text = nullptr;
    ASSERT_EQ(tridia_differential_operator_description(op, &text), TRIDIA_SUCCESS);
    EXPECT_EQ(text, cpp.description());
    EXPECT_EQ(tridia_differential_operator_destroy(op), TRIDIA_SUCCESS);
  }
  EXPECT_EQ(tridia_scheme_destroy(s), TRIDIA_SUCCESS);
}

TEST(CInterface, SchemesAreThoseOfCpp) {
  const auto c6 = tridia::find_scheme(tridia::quantity::first_derivative, "C6");
  tridia_scheme *s = nullptr, *made = nullptr;
  ASSERT_EQ(tridia_scheme_find(0, "C6", 0, 0.45, &s), TRIDIA_SUCCESS);
  double w[2];
  ASSERT_EQ(tridia_scheme_modified_wavenumber(s, 1.5, w), TRIDIA_SUCCESS);
  EXPECT_EQ(std::complex<double>(w[0], w[1]), c6.modified_wavenumber(1.5));
  tridia_compact_row row;
  ASSERT_EQ(tridia_scheme_interior(s, &row), TRIDIA_SUCCESS);
  ASSERT_EQ(tridia_scheme_create("mine", 0, 0, &row, &made), TRIDIA_SUCCESS);
  int order = 0;
  ASSERT_EQ(tridia_scheme_order(made, &order), TRIDIA_SUCCESS);
  EXPECT_EQ(order, c6.order());
  std::size_t needed = 0;
  ASSERT_EQ(tridia_scheme_names(0, 0, nullptr, 0, &needed), TRIDIA_SUCCESS);
  std::string names(needed, ' ');
  ASSERT_EQ(tridia_scheme_names(0, 0, names.data(), names.size(), nullptr), TRIDIA_SUCCESS);
  EXPECT_NE(names.find("C6\n"), std::string::npos);
  EXPECT_EQ(tridia_scheme_destroy(made), TRIDIA_SUCCESS);
  EXPECT_EQ(tridia_scheme_destroy(s), TRIDIA_SUCCESS);
}

TEST(CInterface, TuningTablesAreThoseOfCpp) {
  const std::string text = "tridia-tuning 2\n9.0 onchip f64 none contiguous 512 chunk_rows=17\n";
  tridia_tuning* t = nullptr;
  ASSERT_EQ(tridia_tuning_parse(text.c_str(), &t), TRIDIA_SUCCESS) << tridia_last_error();
  tridia_tuning_entry e = TRIDIA_TUNING_ENTRY_INIT;
  ASSERT_EQ(tridia_tuning_get(t, 0, &e), TRIDIA_SUCCESS);
  EXPECT_STREQ(e.kernel, "onchip");
  const std::string kernel = e.kernel;
  const std::vector<int> values(e.values, e.values + e.value_count);
  e.kernel = kernel.c_str();
  e.values = values.data();
  e.rows = 1024;
  ASSERT_EQ(tridia_tuning_add(t, &e), TRIDIA_SUCCESS);
  auto table = tridia::tuning_table::parse(text);
  auto more = table.entries()[0];
  more.rows = 1024;
  table.add(more);
  std::string got(table.text().size() + 1, ' ');
  ASSERT_EQ(tridia_tuning_text(t, got.data(), got.size(), nullptr), TRIDIA_SUCCESS);
  EXPECT_EQ(got.substr(0, got.size() - 1), table.text());
  EXPECT_EQ(tridia_tuning_destroy(t), TRIDIA_SUCCESS);
}

TEST(CInterface, ResultsAreThoseOfErrc) {
  EXPECT_EQ(TRIDIA_INVALID_ARGUMENT, static_cast<int>(tridia::errc::invalid_argument));
  EXPECT_EQ(TRIDIA_UNSUPPORTED, static_cast<int>(tridia::errc::unsupported));
  EXPECT_EQ(TRIDIA_OUT_OF_MEMORY, static_cast<int>(tridia::errc::out_of_memory));
  EXPECT_EQ(TRIDIA_WRONG_DEVICE, static_cast<int>(tridia::errc::wrong_device));
  EXPECT_EQ(TRIDIA_DEVICE_FAILURE, static_cast<int>(tridia::errc::device_failure));
  EXPECT_EQ(TRIDIA_SINGULAR, static_cast<int>(tridia::errc::singular));
  EXPECT_EQ(TRIDIA_PEER_FAILURE, static_cast<int>(tridia::errc::peer_failure));
  EXPECT_EQ(TRIDIA_SECOND_DERIVATIVE, static_cast<int>(tridia::quantity::second_derivative));
  EXPECT_EQ(TRIDIA_THIRD_DERIVATIVE, static_cast<int>(tridia::quantity::third_derivative));
  EXPECT_EQ(TRIDIA_FOURTH_DERIVATIVE, static_cast<int>(tridia::quantity::fourth_derivative));
  EXPECT_EQ(TRIDIA_INTERPOLATION, static_cast<int>(tridia::quantity::interpolation));
  EXPECT_EQ(TRIDIA_FILTER, static_cast<int>(tridia::quantity::filter));
  EXPECT_EQ(TRIDIA_ALGORITHM_NEATO, static_cast<int>(tridia::algorithm::neato));
  EXPECT_EQ(TRIDIA_END_ANTISYMMETRIC_HALF,
            static_cast<int>(tridia::end_condition::antisymmetric_half));
}

}  // namespace
