// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause

// These tests compare gradients, divergences and Laplacians with an operator for each of their
// terms, bit for bit, on every backend.
#include "tridia/differential.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstdint>
#include <cstring>
#include <limits>
#include <random>
#include <type_traits>

#include "support/allocations.hpp"
#include "support/device_memory.hpp"
#include "support/operators.hpp"
#include "support/refusal.hpp"

namespace tridia_test {
namespace {

using namespace tridia;

/// Holds arrays as bytes, in memory of a backend.
class arrays_of_backend {
 public:
  arrays_of_backend(backend where, std::size_t bytes) : where_(where), bytes_(bytes) {
    if (where == backend::cuda) {
      there_ = allocate_on_device(bytes);
    } else {
      here_.resize(bytes);
    }
  }
  [[nodiscard]] void* data() {
    return where_ == backend::cuda ? static_cast<void*>(there_.get()) : here_.data();
  }
  void set(const void* from) {
    if (bytes_ == 0) return;
    where_ == backend::cuda ? copy_to_device(there_.get(), from, bytes_)
                            : static_cast<void>(std::memcpy(here_.data(), from, bytes_));
  }
  void get(void* to) const {
    if (bytes_ == 0) return;
    where_ == backend::cuda ? copy_to_host(to, there_.get(), bytes_)
                            : static_cast<void>(std::memcpy(to, here_.data(), bytes_));
  }

 private:
  backend where_;
  std::size_t bytes_;
  device_bytes there_{nullptr, nullptr};
  std::vector<std::byte> here_;
};

struct experiment {
  differential kind;
  std::vector<differential_term> terms;
  options how;
};

std::size_t elements_of(const std::vector<index_t>& extents, const std::vector<index_t>& strides,
                        index_t fields, index_t step) {
  if (strides.empty()) return count_of(extents, fields);
  std::size_t last = static_cast<std::size_t>((fields - 1) * step);
  for (std::size_t k = 0; k < extents.size(); ++k)
    last += static_cast<std::size_t>((extents[k] - 1) * strides[k]);
  return last + 1;
}

/// Returns values from -1 to 1, others in every run.
template <class T>
std::vector<T> random_values(std::size_t count, std::uint64_t& state) {
  const auto next = [&] {
    state = state * 6364136223846793005U + 1442695040888963407U;
    return static_cast<double>(state >> 11) * 0x1p-52 - 1;
  };
  std::vector<T> all(count);
  for (T& v : all) {
    if constexpr (std::is_floating_point_v<T>) {
      v = static_cast<T>(next());
    } else {
      using part = typename T::value_type;
      const auto real = static_cast<part>(next());
      v = {real, static_cast<part>(next())};
    }
  }
  return all;
}

/// Returns values that are no numbers.
template <class T>
std::vector<T> no_numbers(std::size_t count) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  if constexpr (std::is_floating_point_v<T>) return std::vector<T>(count, static_cast<T>(nan));
  if constexpr (!std::is_floating_point_v<T>) {
    const auto part = static_cast<typename T::value_type>(nan);
    return std::vector<T>(count, {part, part});
  }
}

/// Applies an operator and, one after another, the operators of its terms; expects the same bits.
template <class T>
void expect_as_separate(const experiment& x, std::optional<double> add = {}) {
  std::uint64_t random = std::random_device{}();
  const differential_operator op(x.kind, x.terms, x.how);
  const std::size_t terms = x.terms.size();
  const auto in_size = [&](std::size_t k) {
    const grid& g = x.terms[k].grid;
    return elements_of(op.in_extents(k), g.in_strides, g.fields, g.in_step);
  };
  const auto out_size = [&](std::size_t k) {
    const grid& g = x.terms[k].grid;
    return elements_of(op.out_extents(k), g.out_strides, g.fields, g.out_step);
  };
  std::vector<arrays_of_backend> in, out;
  for (std::size_t k = 0; k < op.in_count(); ++k) {
    in.emplace_back(x.how.backend, in_size(k) * sizeof(T));
    in.back().set(random_values<T>(in_size(k), random).data());
  }
  std::vector<std::vector<T>> begun, found, expected;
  for (std::size_t k = 0; k < op.out_count(); ++k) {
    out.emplace_back(x.how.backend, out_size(k) * sizeof(T));
    begun.push_back(add ? random_values<T>(out_size(k), random) : no_numbers<T>(out_size(k)));
    expected.push_back(begun.back()), found.push_back(begun.back());
    out.back().set(begun.back().data());
  }
  for (std::size_t k = 0; k < terms; ++k) {
    const differential_term& t = x.terms[k];
    const compact_operator one = t.closure ? compact_operator(t.scheme, *t.closure, t.grid, x.how)
                                           : compact_operator(t.scheme, t.grid, x.how);
    arrays_of_backend memory(x.how.backend, one.workspace_bytes());
    const execution e{.workspace = memory.data(), .workspace_bytes = one.workspace_bytes()};
    const void* const from = in[op.in_count() == 1 ? 0 : k].data();
    void* const to = out[op.out_count() == 1 ? 0 : k].data();
    if (add || (k > 0 && op.out_count() == 1)) {
      one.apply_add(add.value_or(1) * t.factor, from, to, e);
    } else {
      ASSERT_EQ(t.factor, 1) << "an operator alone has no factor";
      one.apply(from, to, e);
    }
  }
  for (std::size_t k = 0; k < out.size(); ++k) {
    out[k].get(expected[k].data());
    out[k].set(begun[k].data());
  }
  arrays_of_backend memory(x.how.backend, op.workspace_bytes());
  std::vector<const void*> from;
  std::vector<void*> to;
  for (auto& a : in) from.push_back(a.data());
  for (auto& a : out) to.push_back(a.data());
  for (int repeated = 0; repeated < 2; ++repeated) {
    for (std::size_t k = 0; k < out.size(); ++k) out[k].set(begun[k].data());
    const execution e{.workspace = memory.data(), .workspace_bytes = op.workspace_bytes()};
    add ? op.apply_add(*add, from, to, e) : op.apply(from, to, e);
    for (std::size_t k = 0; k < out.size(); ++k) {
      out[k].get(found[k].data());
      const std::size_t bytes = found[k].size() * sizeof(T);
      EXPECT_TRUE(bytes == 0 || std::memcmp(found[k].data(), expected[k].data(), bytes) == 0)
          << name(x.kind) << " on " << name(x.how.backend) << ", result " << k << ", extents "
          << testing::PrintToString(x.terms[0].grid.extents) << ": " << op.description();
    }
  }
}

/// Returns terms along all axes of a grid of such a shape, each with a spacing of its own.
template <class T>
std::vector<differential_term> terms_of(const std::vector<index_t>& extents, quantity what,
                                        const char* scheme = "C6",
                                        boundary ends = boundary::regular) {
  std::vector<differential_term> terms;
  grid g;
  g.type = value_type_of<T>;
  g.extents = extents;
  g.boundary = ends;
  for (g.axis = 0; g.axis < static_cast<int>(extents.size()); ++g.axis) {
    g.spacing = 0.5 + 0.25 * g.axis;
    terms.push_back({find_scheme(what, scheme), g});
  }
  return terms;
}

/// Returns shapes that are done in slabs on a CPU, and others that are too small, narrow or odd for
/// that.
std::vector<std::vector<index_t>> shapes() {
  return {{9, 10, 11}, {67, 129, 110}, {6, 20, 101, 70}, {300, 400}, {129, 65, 33}};
}

template <class T>
void expect_all_as_separate(backend where, int threads) {
  const options how{.backend = where, .threads = threads};
  for (const auto& extents : shapes()) {
    for (const boundary ends : {boundary::regular, boundary::periodic}) {
      const auto first = terms_of<T>(extents, quantity::first_derivative, "C6", ends);
      const auto second = terms_of<T>(extents, quantity::second_derivative, "C6", ends);
      expect_as_separate<T>({differential::gradient, first, how});
      expect_as_separate<T>({differential::divergence, first, how});
      expect_as_separate<T>({differential::laplacian, second, how});
      expect_as_separate<T>({differential::gradient, first, how}, -0.75);
      expect_as_separate<T>({differential::divergence, first, how}, 1.5);
      auto weighted = second;
      for (std::size_t k = 0; k < weighted.size(); ++k) weighted[k].factor = 0.3 + double(k);
      expect_as_separate<T>({differential::laplacian, weighted, how}, 0.5);
      // The sum is in another order.
      std::reverse(weighted.begin(), weighted.end());
      expect_as_separate<T>({differential::laplacian, weighted, how}, 0.5);
    }
  }
}

TEST(Differential, TermsAreAsSeparateOperators) {
  for (const backend where : every_backend()) {
    if (where == backend::reference) continue;
    expect_all_as_separate<double>(where, 0);
    expect_all_as_separate<float>(where, 0);
  }
}

TEST(Differential, AsManyThreadsAsAreAskedFor) {
  const auto second = terms_of<double>({67, 129, 110}, quantity::second_derivative);
  for (const int threads : {1, 2, 3, 5}) {
    for (const auto kind : {differential::laplacian, differential::gradient})
      expect_as_separate<double>({kind, second, {.threads = threads}});
  }
}

TEST(Differential, TheReferenceAddsUp) {
  const options how{.backend = backend::reference};
  const auto second = terms_of<double>({9, 12, 10}, quantity::second_derivative);
  expect_as_separate<double>({differential::laplacian, second, how});
  expect_as_separate<double>({differential::gradient, second, how});
}

/// Components of a vector field may lie beside each other, in one array, and arrays be padded.
TEST(Differential, ArraysOfAnyLayout) {
  for (const backend where : every_backend()) {
    const options how{.backend = where};
    const std::vector<index_t> extents{40, 90, 83};
    auto terms = terms_of<double>(extents, quantity::first_derivative);
    for (differential_term& t : terms) t.grid.in_strides = {90 * 85, 85, 1};
    expect_as_separate<double>({differential::gradient, terms, how});
    for (differential_term& t : terms) {
      t.grid.fields = 2;
      t.grid.in_step = 40 * 90 * 85;
      t.grid.out_strides = {1, 40, 40 * 90};
      t.grid.out_step = 40 * 90 * 83 + 7;
    }
    expect_as_separate<double>({differential::laplacian, terms, how}, 1.0);
    expect_as_separate<double>({differential::divergence, terms, how}, 1.0);
  }
}

TEST(Differential, StaggeredDivergence) {
  for (const backend where : every_backend()) {
    std::vector<differential_term> terms;
    const scheme c6 = find_scheme(quantity::first_derivative, "C6", staggering::to_midpoints);
    for (std::size_t axis = 0; axis < 3; ++axis) {
      grid g;
      g.extents = {30, 100, 120};
      ++g.extents[axis];  // a field is on the faces of its axis
      g.axis = static_cast<int>(axis);
      terms.push_back({c6, g});
    }
    expect_as_separate<double>({differential::divergence, terms, {.backend = where}});
  }
}

/// A complex number is two more values of a line's neighbours.
template <class T>
void expect_complex_as_separate() {
  for (const backend where : every_backend()) {
    for (const auto& extents : {std::vector<index_t>{5, 6, 7}, {40, 67, 51}, {129, 9, 40}}) {
      const auto first = terms_of<T>(extents, quantity::first_derivative);
      const auto second =
          terms_of<T>(extents, quantity::second_derivative, "C6", boundary::periodic);
      expect_as_separate<T>({differential::gradient, first, {.backend = where}});
      expect_as_separate<T>({differential::divergence, first, {.backend = where}}, 0.5);
      expect_as_separate<T>({differential::laplacian, second, {.backend = where}});
    }
  }
}
TEST(Differential, ComplexFields) {
  expect_complex_as_separate<std::complex<float>>();
  expect_complex_as_separate<std::complex<double>>();
}

/// A CPU does the terms of slabs in one pass, adjoints among them, which gather their results.
TEST(Differential, Adjoints) {
  for (const backend where : every_backend()) {
    for (const auto& extents : {std::vector<index_t>{12, 30, 25}, {67, 129, 110}}) {
      for (const boundary ends : {boundary::regular, boundary::periodic}) {
        auto terms = terms_of<double>(extents, quantity::first_derivative, "C6", ends);
        for (differential_term& t : terms) t.grid.operation = operation::transpose;
        expect_as_separate<double>({differential::gradient, terms, {.backend = where}});
        expect_as_separate<double>({differential::divergence, terms, {.backend = where}});
        terms[1].grid.operation = operation::none;
        terms[2].grid.metric.assign(static_cast<std::size_t>(extents[2]), 1.25);
        terms[2].grid.metric[3] = 0.75;
        expect_as_separate<double>({differential::laplacian, terms, {.backend = where}}, 0.25);
      }
    }
  }
}

TEST(Differential, DescriptionNamesSlabsAndSteps) {
  auto terms = terms_of<double>({200, 64, 64}, quantity::first_derivative);
  const auto described = [&](backend where) {
    return differential_operator(differential::gradient, terms, {.backend = where, .threads = 2})
        .description();
  };
  // The slowest axis by itself, and the other two, which share its planes.
  EXPECT_EQ(described(backend::cpu).find("term 0, C6 first_derivative"), 0U);
  EXPECT_NE(described(backend::cpu).find("; then term 1, "), std::string::npos);
  EXPECT_NE(described(backend::cpu).find(", with term 2, "), std::string::npos);
  EXPECT_NE(described(backend::cpu).find(" slabs, 2 threads)"), std::string::npos);
  for (differential_term& t : terms) t.grid.operation = operation::transpose;
  EXPECT_NE(described(backend::cpu).find(" slabs, 2 threads)"), std::string::npos);
  EXPECT_EQ(described(backend::cpu).find("steps"), std::string::npos) << "adjoints take one";
  EXPECT_EQ(described(backend::reference).find("slabs"), std::string::npos);
}

TEST(Differential, FieldsWithoutValues) {
  for (const backend where : every_backend()) {
    for (const auto& extents : {std::vector<index_t>{0, 10, 12}, {10, 12, 0}}) {
      std::vector<differential_term> terms;
      for (const int axis : {0, 1, 2}) {
        if (extents[static_cast<std::size_t>(axis)] == 0) continue;
        grid g;
        g.extents = extents;
        g.axis = axis;
        terms.push_back({find_scheme(quantity::first_derivative, "C6"), g});
      }
      expect_as_separate<double>({differential::gradient, terms, {.backend = where}});
      expect_as_separate<double>({differential::laplacian, terms, {.backend = where}});
    }
    auto terms = terms_of<double>({9, 10, 12}, quantity::first_derivative);
    for (differential_term& t : terms) t.grid.fields = 0;
    expect_as_separate<double>({differential::divergence, terms, {.backend = where}});
  }
}

TEST(Differential, SeveralOperatorsOfAnAxis) {
  for (const backend where : every_backend()) {
    const auto terms = terms_of<double>({12, 30, 25}, quantity::first_derivative);
    auto several = terms_of<double>({12, 30, 25}, quantity::second_derivative);
    several.push_back(several[2]);
    several.back().factor = -2;
    several.push_back(terms[1]);
    expect_as_separate<double>({differential::laplacian, several, {.backend = where}});
  }
}

TEST(DifferentialCuda, IsCapturedInAGraph) {
  if (!have_gpu()) GTEST_SKIP();
  const stream_handle stream = make_stream();
  const auto terms = terms_of<double>({48, 512, 320}, quantity::second_derivative);
  const differential_operator op(differential::laplacian, terms, {.backend = backend::cuda});
  const std::size_t count = 48 * 512 * 320, bytes = count * sizeof(double);
  const device_bytes in = allocate_on_device(bytes), out = allocate_on_device(bytes),
                     memory = allocate_on_device(op.workspace_bytes());
  const void* const from[] = {in.get()};
  void* const to[] = {out.get()};
  const auto work = [&] {
    op.apply(from, to,
             {.workspace = memory.get(),
              .workspace_bytes = op.workspace_bytes(),
              .stream = stream.get()});
  };
  captured_graph graph(stream.get(), work);
  std::uint64_t random = std::random_device{}();
  for (int k = 0; k < 3; ++k) {  // other data at the same addresses
    const std::vector<double> field = random_values<double>(count, random);
    std::vector<double> expected(count), found(count);
    copy_to_device(in.get(), field.data(), bytes);
    work();
    wait_for(stream.get());
    copy_to_host(expected.data(), out.get(), bytes);
    copy_to_device(out.get(), std::vector<double>(count, std::nan("")).data(), bytes);
    graph.replay();
    copy_to_host(found.data(), out.get(), bytes);
    EXPECT_EQ(std::memcmp(found.data(), expected.data(), bytes), 0);
  }
}

TEST(Differential, AllocatesNothingAndNamesItsTerms) {
  const auto terms = terms_of<double>({40, 130, 140}, quantity::second_derivative);
  const differential_operator op(differential::laplacian, terms);
  EXPECT_EQ(op.terms(), 3U);
  EXPECT_EQ(op.in_count(), 1U);
  EXPECT_EQ(op.out_count(), 1U);
  EXPECT_NE(op.description().find("second_derivative"), std::string::npos);
  std::vector<double> f(40 * 130 * 140, 1.0), out(f.size());
  std::vector<std::byte> memory(op.workspace_bytes());
  const void* const in[] = {f.data()};
  void* const to[] = {out.data()};
  const execution e{.workspace = memory.data(), .workspace_bytes = memory.size()};
  op.apply(in, to, e);  // starts the threads
  const long before = allocations();
  op.apply(in, to, e);
  EXPECT_EQ(allocations(), before);
  op.apply(std::array<const double*, 1>{f.data()}, std::array<double*, 1>{out.data()});
  for (const double v : out) ASSERT_NEAR(v, 0, 1e-12);
}

TEST(Differential, RefusesBadInput) {
  const auto terms = terms_of<double>({9, 10, 12}, quantity::first_derivative);
  const auto refuses = [](const std::vector<std::string>& words, auto&& work) {
    expect_refusal(errc::invalid_argument, words, work);
  };
  const auto make = [](differential kind, std::vector<differential_term> all) {
    return differential_operator(kind, std::move(all));
  };
  refuses({"terms", "0"}, [&] { make(differential::gradient, {}); });
  refuses({"terms", "17"},
          [&] { make(differential::gradient, std::vector<differential_term>(17, terms[0])); });
  refuses({"kind"}, [&] { make(static_cast<differential>(7), terms); });
  auto wrong = terms;
  wrong[1].factor = std::numeric_limits<double>::infinity();
  refuses({"factor", "term 1"}, [&] { make(differential::gradient, wrong); });
  wrong = terms;
  wrong[2].grid.type = value_type::f32;
  refuses({"type", "term 2", "f32"}, [&] { make(differential::gradient, wrong); });
  wrong = terms;
  wrong[2].grid.extents = {9, 10, 13};
  refuses({"in", "term 2", "13"}, [&] { make(differential::gradient, wrong); });
  wrong = terms;
  wrong[1].grid.out_strides = {1, 9, 90};
  refuses({"out", "strides", "term 1"}, [&] { make(differential::divergence, wrong); });
  wrong = terms;
  wrong[1].grid.extents = {9, 3, 12};
  refuses({"3"}, [&] { make(differential::divergence, wrong); });

  const differential_operator op(differential::gradient, terms);
  const std::size_t count = 9 * 10 * 12;
  std::vector<double> f(count, 1.0), all(3 * count, 5.0);
  std::vector<std::byte> memory(op.workspace_bytes());
  const execution e{.workspace = memory.data(), .workspace_bytes = memory.size()};
  const void* const in[] = {f.data()};
  void* to[] = {&all[0], &all[count], &all[2 * count]};
  refuses({"out", "2 pointers", "3"}, [&] { op.apply(in, std::span(to).first(2), e); });
  refuses({"in", "0 pointers", "1"}, [&] { op.apply({}, to, e); });
  refuses({"workspace", "bytes"}, [&] { op.apply(in, to, {}); });
  void* const null[] = {&all[0], nullptr, &all[count]};
  refuses({"out", "null"}, [&] { op.apply(in, null, e); });
  void* const same[] = {&all[0], &all[count], &all[0]};
  refuses({"out", "another result"}, [&] { op.apply(in, same, e); });
  void* const close[] = {&all[0], &all[count], &all[count / 2]};
  refuses({"out", "overlap", "another result"}, [&] { op.apply(in, close, e); });
  void* const in_place[] = {&all[0], &all[count], f.data()};
  refuses({"out", "field"}, [&] { op.apply(in, in_place, e); });
  refuses({"arrays", "f32"}, [&] {
    float a = 0;
    op.apply(std::array<const float*, 1>{&a}, std::array<float*, 1>{&a});
  });
  for (const double v : all) ASSERT_EQ(v, 5.0) << "something was written";
}

}  // namespace
}  // namespace tridia_test
