// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause

// These tests are for adjoints of operators on lines that a CPU cuts into parts: they take one
// pass, whose results are those of the reference however lines lie.
#include <gtest/gtest.h>

#include <cmath>
#include <complex>
#include <optional>
#include <string>
#include <vector>

#include "support/operators.hpp"
#include "support/random.hpp"
#include "support/scalar.hpp"
#include "tridia/compact.hpp"

namespace tridia_test {
namespace {

using namespace tridia;

/// Returns schemes whose adjoints need two results of the part beside it, or four or five; their
/// closures differ as well.
std::vector<scheme> some_schemes() {
  return {find_scheme(quantity::first_derivative, "C6"),
          find_scheme(quantity::first_derivative, "C8"), find_scheme(quantity::filter, "F10")};
}

/// Says how lines lie: along the last axis, a single one, along the first axis or a middle one.
enum class lying { along, alone, across, middle };
constexpr lying kLyings[] = {lying::along, lying::alone, lying::across, lying::middle};
constexpr const char* kNames[] = {"along", "alone", "across", "middle"};

void set_extents(grid& g, lying how, index_t points) {
  switch (how) {
    case lying::along:
      g.extents = {5, points};
      break;
    case lying::alone:
      g.extents = {points};
      break;
    case lying::across:
      g.extents = {points, 19};
      break;
    case lying::middle:
      g.extents = {2, points, 3};
      break;
  }
  g.axis = how == lying::across ? 0 : how == lying::middle ? 1 : -1;
}

grid adjoint_grid(lying how, index_t points, boundary ends, value_type type) {
  grid g;
  set_extents(g, how, points);
  g.type = type;
  g.boundary = ends;
  g.operation = operation::transpose;
  return g;
}

/// Returns the elements of an array from its first to its last value.
std::size_t size_of(const grid& g) {
  if (g.in_strides.empty()) return count_of(g.extents);
  index_t last = 0;
  for (std::size_t k = 0; k < g.extents.size(); ++k) last += (g.extents[k] - 1) * g.in_strides[k];
  return static_cast<std::size_t>(last + 1);
}

template <class T>
double difference(const std::vector<T>& a, const std::vector<T>& b) {
  double largest = 0;
  for (std::size_t k = 0; k < a.size(); ++k) {
    // This is not std::max, which would lose a NaN.
    const double d = std::abs(a[k] - b[k]);
    if (!(d <= largest)) largest = d;
  }
  return largest;
}

template <class T>
class CompactPartsOfType : public testing::Test {};
using value_types = testing::Types<float, double, std::complex<float>, std::complex<double>>;
TYPED_TEST_SUITE(CompactPartsOfType, value_types);

/// Compares an adjoint with the reference: overwriting, in place, adding, and both.
template <class T>
void expect_reference(rng& random, const scheme& s, const grid& g, const std::string& what) {
  const compact_operator parts(s, g, {.backend = backend::cpu, .threads = 2});
  const compact_operator reference(s, g, {.backend = backend::reference});
  EXPECT_EQ(parts.description().find("step"), std::string::npos) << parts.description();
  const bool is_narrow = g.type == value_type::f32 || g.type == value_type::c64;
  const double bound = is_narrow ? 2e-5 : 5e-14;
  const std::vector<T> in = random_values<T>(random, size_of(g));
  for (const bool in_place : {false, true}) {
    for (const std::optional<double> add : {std::optional<double>(), std::optional(-0.75)}) {
      std::vector<T> out = in_place ? in : random_values<T>(random, in.size());
      std::vector<T> expected = out;
      apply_anywhere(reference, in, expected, add);
      apply_anywhere(parts, in_place ? out : in, out, add);
      EXPECT_LE(difference(out, expected), bound)
          << what << (in_place ? ", in place" : "") << (add ? ", added" : "");
    }
  }
}

/// These are lines of parts that are all alike, and of lengths that leave a shorter last part.
TYPED_TEST(CompactPartsOfType, AdjointsAreTheReference) {
  rng random = random_for("CompactPartsOfType.AdjointsAreTheReference");
  constexpr index_t lengths[] = {4097, 8192, 10007};
  std::size_t turn = sizeof(TypeParam) / sizeof(float);
  for (const scheme& s : some_schemes()) {
    for (const boundary ends : {boundary::regular, boundary::periodic}) {
      for (const lying how : kLyings) {
        const index_t points = lengths[turn++ % std::size(lengths)];
        expect_reference<TypeParam>(
            random, s, adjoint_grid(how, points, ends, value_type_of<TypeParam>),
            s.name() + ", " + std::string(name(ends)) + ", " + kNames[static_cast<int>(how)] +
                ", " + std::to_string(points));
      }
    }
  }
}

/// Lines of more points in all have end parts of their own.
TYPED_TEST(CompactPartsOfType, AdjointsOfLongerLines) {
  rng random = random_for("CompactPartsOfType.AdjointsOfLongerLines");
  for (const scheme& s : some_schemes()) {
    expect_reference<TypeParam>(
        random, s, adjoint_grid(lying::along, 60001, boundary::regular, value_type_of<TypeParam>),
        s.name() + ", longer");
  }
}

/// Lines among so many axes that parts cannot be one more are done part by part.
TEST(CompactParts, OfAdjointsAmongManyAxes) {
  rng random = random_for("CompactParts.OfAdjointsAmongManyAxes");
  for (const boundary ends : {boundary::regular, boundary::periodic}) {
    grid g = adjoint_grid(lying::alone, 16400, ends, value_type::f64);
    g.in_strides = {1};
    // No stride is a multiple of the next one, with which its axis would be joined.
    for (index_t stride = 16401; g.extents.size() < 9; stride = 2 * stride + 1) {
      g.extents.insert(g.extents.begin(), 2);
      g.in_strides.insert(g.in_strides.begin(), stride);
    }
    g.out_strides = g.in_strides;
    expect_reference<double>(random, some_schemes().front(), g, std::string(name(ends)));
  }
}

/// Other ends than closures are rows of A and B of their own as well.
TYPED_TEST(CompactPartsOfType, AdjointsWithReflectingEnds) {
  rng random = random_for("CompactPartsOfType.AdjointsWithReflectingEnds");
  for (const scheme& s : some_schemes()) {
    for (const lying how : {lying::along, lying::across}) {
      grid g = adjoint_grid(how, 5000, boundary::regular, value_type_of<TypeParam>);
      g.head = end_condition::symmetric, g.tail = end_condition::antisymmetric_half;
      expect_reference<TypeParam>(random, s, g, s.name());
    }
  }
}

TEST(CompactParts, OfAdjointsDoNotDependOnThreads) {
  rng random = random_for("CompactParts.OfAdjointsDoNotDependOnThreads");
  for (const scheme& s : some_schemes()) {
    for (const boundary ends : {boundary::regular, boundary::periodic}) {
      for (const lying how : kLyings) {
        const grid g = adjoint_grid(how, 9000, ends, value_type::f64);
        const compact_operator one(s, g, {.threads = 1}), three(s, g, {.threads = 3});
        const auto in = random_values<double>(random, count_of(g.extents));
        std::vector<double> a(in.size()), b(in.size());
        one.apply(in.data(), a.data());
        three.apply(in.data(), b.data());
        EXPECT_EQ(a, b) << s.name() << ' ' << kNames[static_cast<int>(how)];
      }
    }
  }
}

/// A field between steps would lie in the workspace.
TEST(CompactParts, OfAdjointsNeedNoField) {
  for (const scheme& s : some_schemes()) {
    const grid g = adjoint_grid(lying::alone, index_t{1} << 20, boundary::regular, value_type::f64);
    EXPECT_LT(compact_operator(s, g, {.threads = 1}).workspace_bytes(), std::size_t{1} << 20);
  }
}

/// A number that is not finite spoils its own line alone.
TEST(CompactParts, OfAdjointsDoNotTouchOtherLines) {
  rng random = random_for("CompactParts.OfAdjointsDoNotTouchOtherLines");
  for (const lying how : {lying::along, lying::across}) {
    const grid g = adjoint_grid(how, 6000, boundary::regular, value_type::f64);
    const index_t lines = how == lying::across ? 19 : 5, spoilt = 3;
    const compact_operator op(find_scheme(quantity::filter, "F10"), g);
    auto in = random_values<double>(random, count_of(g.extents));
    std::vector<double> clean(in.size()), out(in.size());
    op.apply(in.data(), clean.data());
    const auto line_of = [&](std::size_t k) {
      const auto at = static_cast<index_t>(k);
      return how == lying::across ? at % lines : at / 6000;
    };
    in[static_cast<std::size_t>(how == lying::across ? 2047 * lines + spoilt
                                                     : spoilt * 6000 + 2047)] = std::nan("");
    op.apply(in.data(), out.data());
    for (std::size_t k = 0; k < out.size(); ++k) {
      if (line_of(k) == spoilt) continue;
      ASSERT_EQ(out[k], clean[k]) << k;
    }
  }
}

}  // namespace
}  // namespace tridia_test
