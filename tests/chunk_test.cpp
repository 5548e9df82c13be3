// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause

// These tests solve with chunks of every size, and their interface in any number of levels, by the
// arithmetic of the GPU's kernels.
#include "core/chunk.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "core/complex.hpp"
#include "support/core_values.hpp"
#include "support/lapack.hpp"
#include "support/matrices.hpp"
#include "support/oracle.hpp"
#include "support/random.hpp"

namespace tridia_test {
namespace {

using tridia::boundary;
using tridia::pivoting;

/// Holds a system and its solution, in the place of the rows.
template <class V>
struct system {
  std::vector<tridia::core::row<V>> rows;
  std::vector<V> rhs;
  std::vector<V> words[3];
  std::vector<typename tridia::core::chunk<V, pivoting::partial>::pivot_row> pivots;
  std::vector<V> x;

  /// Makes room for the saved values, and for x.
  void make_room() {
    x.resize(rows.size()), pivots.resize(rows.size());
    for (auto& w : words) w.resize(rows.size());
  }
};

template <class V>
struct chunk_rows {
  system<V>& s;
  std::size_t from;

  tridia::core::row<V> get(index_t k) const { return s.rows[from + k]; }
  V rhs(index_t k) const { return s.rhs[from + k]; }
  void keep(index_t k, V a, V b, V c) {
    s.words[0][from + k] = a, s.words[1][from + k] = b, s.words[2][from + k] = c;
  }
  void kept(index_t k, V& a, V& b, V& c) const {
    a = s.words[0][from + k], b = s.words[1][from + k], c = s.words[2][from + k];
  }
  void keep_pivot(index_t k, const auto& row) { s.pivots[from + k] = row; }
  auto kept_pivot(index_t k) const { return s.pivots[from + k]; }
  void put(index_t k, V v) { s.x[from + k] = v; }
};

template <class V, pivoting P>
using equations_of = std::vector<typename tridia::core::chunk<V, P>::equations>;
template <class V, pivoting P>
using unknowns_of = std::vector<typename tridia::core::chunk<V, P>::unknowns>;

/// Solves the interface of any number of chunks; `close` has the ends of all together.
template <class V, class Close>
unknowns_of<V, pivoting::none> solve_interface(const equations_of<V, pivoting::none>& e,
                                               const Close& close, rng& random);

/// Monitors the numbers that a GPU's thread monitors.
struct growth_monitor {
  bool bounded = true;
  void operator()(double v) { bounded = bounded && tridia::core::is_bounded(v); }
  void pivot(double w) {
    lost.add(w);
    bounded = bounded && lost.is_bounded<double>();
  }

 private:
  tridia::core::cancellation lost;
};

/// Solves the interface of one group of chunks by PCR.
template <class V>
class pcr_group {
 public:
  using chunk = tridia::core::chunk<V, pivoting::none>;
  using equation = typename chunk::equation;
  explicit pcr_group(equations_of<V, pivoting::none> e)
      : pcr_group(std::move(e), [](index_t) { return ignore; }) {}
  /// Reduces the equations `e`; `monitor_of(k)` is the growth monitor of chunk k.
  template <class MonitorOf>
  pcr_group(equations_of<V, pivoting::none> e, MonitorOf monitor_of) : e_(std::move(e)) {
    const auto inner = static_cast<index_t>(e_.size()) - 1;
    for (index_t k = 0; k < inner; ++k)
      rows_.push_back(chunk::link(e_[k].last, e_[k + 1].first, monitor_of(k)));
    for (index_t d = 1; d < inner; d *= 2) {
      std::vector<equation> next;
      for (index_t k = 0; k < inner; ++k) {
        const bool left = k >= d, right = k + d < inner;
        next.push_back(chunk::combine(rows_[k], left, rows_[left ? k - d : k], right,
                                      rows_[right ? k + d : k], monitor_of(k)));
      }
      rows_ = std::move(next);
    }
  }
  typename chunk::equations together() const {
    if (rows_.empty()) return e_[0];
    return {chunk::join_first(e_[0].first, rows_.front()),
            chunk::join_last(e_.back().last, rows_.back(), ignore)};
  }
  void spread(const typename chunk::unknowns& all, unknowns_of<V, pivoting::none>& to) const {
    V before = all.before;
    for (std::size_t k = 0; k < e_.size(); ++k) {
      const bool end = k + 1 == e_.size();
      const V last = end ? all.last : rows_[k].at(all.before, all.last);
      const V beyond = k + 2 < e_.size() ? rows_[k + 1].at(all.before, all.last) : all.last;
      to.push_back({before, last, end ? all.after : e_[k + 1].first.at(last, beyond)});
      before = last;
    }
  }

 private:
  static constexpr auto ignore = [](const V&) {};
  equations_of<V, pivoting::none> e_;
  std::vector<equation> rows_;
};

template <class V, class Close>
unknowns_of<V, pivoting::none> solve_interface(const equations_of<V, pivoting::none>& e,
                                               const Close& close, rng& random) {
  if (e.size() == 1) return {close(e[0])};
  std::vector<pcr_group<V>> groups;
  equations_of<V, pivoting::none> of_groups;
  const index_t size = draw(random, 2, 5);
  for (std::size_t k = 0; k < e.size(); k += static_cast<std::size_t>(size)) {
    groups.emplace_back(equations_of<V, pivoting::none>(
        e.begin() + static_cast<index_t>(k),
        e.begin() + static_cast<index_t>(std::min(k + static_cast<std::size_t>(size), e.size()))));
    of_groups.push_back(groups.back().together());
  }
  unknowns_of<V, pivoting::none> unknowns;
  const auto outer = solve_interface<V>(of_groups, close, random);
  for (std::size_t k = 0; k < groups.size(); ++k) groups[k].spread(outer[k], unknowns);
  return unknowns;
}

template <class V, class Close>
unknowns_of<V, pivoting::partial> solve_interface(equations_of<V, pivoting::partial> e,
                                                  const Close& close, rng& random) {
  using chunk = tridia::core::chunk<V, pivoting::partial>;
  struct merge {
    index_t at;
    typename chunk::merge_record merge_record;
  };
  std::vector<merge> merges;
  while (e.size() > 1) {
    merge& m = merges.emplace_back();
    m.at = draw(random, 0, static_cast<index_t>(e.size()) - 2);
    e[m.at] = chunk::merge(e[m.at], e[m.at + 1], m.merge_record);
    e.erase(e.begin() + m.at + 1);
  }
  unknowns_of<V, pivoting::partial> unknowns = {close(e[0])};
  for (auto m = merges.rbegin(); m != merges.rend(); ++m) {
    typename chunk::unknowns left, right;
    chunk::split(m->merge_record, unknowns[m->at], left, right);
    unknowns[m->at] = left;
    unknowns.insert(unknowns.begin() + m->at + 1, right);
  }
  return unknowns;
}

/// Returns whether x is found to be finite.
template <class V, pivoting P, boundary B>
bool solve_by_chunks(system<V>& s, index_t rows, rng& random) {
  using chunk = tridia::core::chunk<V, P>;
  const auto n = static_cast<index_t>(s.rows.size());
  const auto count = [&](index_t first) { return std::min(rows, n - first); };
  equations_of<V, P> e;
  std::vector<typename chunk::middle> middles;
  for (index_t first = 0; first < n; first += rows) {
    chunk_rows<V> r{s, static_cast<std::size_t>(first)};
    [[maybe_unused]] auto& middle = middles.emplace_back();
    if constexpr (P == pivoting::none) {
      e.push_back(chunk::template reduce<true>(count(first), r, [](const V&) {}));
    } else {
      e.push_back(chunk::template reduce<true>(count(first), r, middle));
    }
  }
  const auto unknowns = solve_interface<V>(
      e, [](const auto& all) { return chunk::template close<B>(all); }, random);
  bool finite = true;
  for (index_t c = 0; c * rows < n; ++c) {
    chunk_rows<V> r{s, static_cast<std::size_t>(c * rows)};
    const auto& middle = middles[static_cast<std::size_t>(c)];
    finite = chunk::expand(count(c * rows), r, unknowns[c], middle) && finite;
  }
  return finite;
}

/// Returns the backward error of a random system of `n` rows in chunks of `rows`, its entries about
/// `size`.
template <class V, pivoting P, boundary B>
double error_of_random(index_t n, index_t rows, rng& random, const wide& size = 1) {
  constexpr auto type = type_of<V>;
  system<V> s;
  std::vector<term> a;
  std::vector<wide> b, x;
  for (index_t k = 0; k < n; ++k) {
    const auto entry = [&](index_t column, bool dominant) {
      const bool inside = column >= 0 && column < n;
      if (!inside && B == boundary::regular) return wide(0);
      const wide z = size * (dominant ? draw_dominant(random, type) : draw_number(random, type));
      a.push_back({k, (column + n) % n, z});
      return z;
    };
    const wide sub = entry(k - 1, false), diag = entry(k, P == pivoting::none),
               sup = entry(k + 1, false);
    s.rows.push_back({value_of<V>(sub), value_of<V>(diag), value_of<V>(sup)});
    b.push_back(draw_number(random, type));
    s.rhs.push_back(value_of<V>(b.back()));
  }
  s.make_room();
  solve_by_chunks<V, P, B>(s, rows, random);
  for (const V& v : s.x) x.push_back(wide_of(v));
  return static_cast<double>(backward_error(a, x, b));
}

/// Returns the backward error of a system of which some chunks are dominant, and are reduced
/// without interchanges, and some are not.
template <class V>
double error_of_mixed(index_t n, index_t rows, rng& random) {
  using plain = tridia::core::chunk<V, pivoting::none>;
  using pivoted = tridia::core::chunk<V, pivoting::partial>;
  constexpr auto type = type_of<V>;
  system<V> s;
  std::vector<term> a;
  std::vector<wide> b, x;
  std::vector<bool> calm;
  for (index_t k = 0; k < n; ++k) {
    if (k % rows == 0) calm.push_back(flip(random));
    V entry[3];
    for (int i = 0; i < 3; ++i) {
      const index_t column = k + i - 1;
      const bool inside = column >= 0 && column < n, dominant = i == 1 && calm.back();
      const wide z = dominant ? draw_dominant(random, type) : draw_number(random, type);
      if (inside) a.push_back({k, column, z});
      entry[i] = inside ? value_of<V>(z) : V(0);
    }
    s.rows.push_back({entry[0], entry[1], entry[2]});
    b.push_back(draw_number(random, type));
    s.rhs.push_back(value_of<V>(b.back()));
  }
  s.make_room();
  equations_of<V, pivoting::partial> e;
  std::vector<typename pivoted::middle> middles(calm.size());
  const auto count = [&](std::size_t c) {
    return std::min(rows, n - static_cast<index_t>(c) * rows);
  };
  for (std::size_t c = 0; c < calm.size(); ++c) {
    chunk_rows<V> r{s, c * static_cast<std::size_t>(rows)};
    e.push_back(
        calm[c] ? pivoted::from_plain(plain::template reduce<true>(count(c), r, [](const V&) {}))
                : pivoted::template reduce<true>(count(c), r, middles[c]));
  }
  const auto unknowns = solve_interface<V>(
      e, [](const auto& all) { return pivoted::template close<boundary::regular>(all); }, random);
  for (std::size_t c = 0; c < calm.size(); ++c) {
    chunk_rows<V> r{s, c * static_cast<std::size_t>(rows)};
    if (calm[c]) {
      plain::expand(count(c), r, pivoted::to_plain(unknowns[c]));
    } else {
      pivoted::expand(count(c), r, unknowns[c], middles[c]);
    }
  }
  for (const V& v : s.x) x.push_back(wide_of(v));
  return static_cast<double>(backward_error(a, x, b));
}
TEST(Chunk, SolvesWithInterchangesInSomeChunks) {
  rng random = random_for("mixed chunks");
  for (int run = 0; run < 500; ++run) {
    const index_t n = draw(random, 1, 200), rows = draw(random, 1, 17);
    EXPECT_LE(error_of_mixed<double>(n, rows, random),
              kBackwardBound * epsilon(tridia::value_type::f64))
        << n << " rows in chunks of " << rows;
    EXPECT_LE(error_of_mixed<tridia::core::complex<float>>(n, rows, random),
              kBackwardBound * epsilon(tridia::value_type::c64))
        << n << " rows in chunks of " << rows;
  }
}

template <class V, pivoting P, boundary B>
void expect_solved(std::initializer_list<index_t> sizes = {1, 2, 3, 4, 5, 7, 8, 16, 33, 100}) {
  rng random = random_for("chunk");
  for (const index_t n : sizes) {
    if (B == boundary::periodic && n < 3) continue;
    for (const index_t rows : {1, 2, 3, 4, 5, 7, 16}) {
      EXPECT_LE((error_of_random<V, P, B>(n, rows, random)), kBackwardBound * epsilon(type_of<V>))
          << n << " rows in chunks of " << rows;
    }
  }
}

TEST(Chunk, SolvesWithoutPivoting) {
  expect_solved<double, pivoting::none, boundary::regular>();
  expect_solved<tridia::core::complex<double>, pivoting::none, boundary::regular>();
}
TEST(Chunk, SolvesPeriodicWithoutPivoting) {
  expect_solved<double, pivoting::none, boundary::periodic>();
}
TEST(Chunk, SolvesWithPivoting) {
  expect_solved<double, pivoting::partial, boundary::regular>();
  expect_solved<tridia::core::complex<double>, pivoting::partial, boundary::regular>();
}
/// A last chunk of a single row has an equation beside that row which is not the matrix's.
TEST(Chunk, SolvesSystemsOfAnySize) {
  rng random = random_for("sizes");
  for (int run = 0; run < 2000; ++run) {
    const wide size = draw_size(random, 300);
    const index_t rows = draw(random, 2, 9), n = rows * draw(random, 1, 4) + 1;
    const double error =
        flip(random)
            ? error_of_random<double, pivoting::partial, boundary::regular>(n, rows, random, size)
            : error_of_random<double, pivoting::partial, boundary::periodic>(n, rows, random, size);
    EXPECT_LE(error, kBackwardBound * epsilon(tridia::value_type::f64))
        << n << " rows in chunks of " << rows;
  }
}
/// A row that is scaled a little at each step of a long chunk is soon taken for the smaller one.
TEST(Chunk, IsAsExactInLongChunks) {
  using V = tridia::core::complex<double>;
  rng random = random_for("long chunks");
  std::vector<double> errors(101);
  for (double& e : errors) {
    e = error_of_random<V, pivoting::partial, boundary::regular>(120, 120, random);
  }
  std::nth_element(errors.begin(), errors.begin() + 50, errors.end());
  EXPECT_LE(errors[50], epsilon(type_of<V>));
}
/// The coupling between the ends of that many rows is subnormal in f32, or zero.
TEST(Chunk, SolvesLongSystemsWithPivoting) {
  for (int run = 0; run < 4; ++run) {
    expect_solved<float, pivoting::partial, boundary::regular>({4000});
    expect_solved<tridia::core::complex<float>, pivoting::partial, boundary::regular>({4000});
  }
}
/// Tests complex numbers about as small as normal ones, of which one part, or both, may be
/// subnormal.
template <class R>
void expect_spared() {
  using V = tridia::core::complex<R>;
  rng random = random_for("crossing");
  for (int run = 0; run < 10'000; ++run) {
    const auto part = [&] {
      const double size = flip(random) ? 0 : std::exp2(draw(random, -4, 4));
      const double shift = static_cast<double>(draw_number(random, type_of<R>).real());
      return static_cast<R>(size * (1 + std::fabs(shift))) * std::numeric_limits<R>::min();
    };
    const V x{part(), part()}, y{part(), part()};
    const V crossed = tridia::core::cross_elimination<V>::sparing(x, y).cross(V{1, 2}, V{3, 4});
    EXPECT_TRUE(tridia::core::is_finite(crossed))
        << x.re << ' ' << x.im << ", " << y.re << ' ' << y.im;
  }
}
TEST(CrossElimination, SparesWhatIsLessThanNormal) {
  expect_spared<float>();
  expect_spared<double>();
}

TEST(Chunk, SolvesPeriodicWithPivoting) {
  expect_solved<double, pivoting::partial, boundary::periodic>();
}

/// Returns a system with each row multiplied by a different power of two.
template <class V>
system<V> with_rows_scaled(const system<V>& s, index_t most, rng& random) {
  using real = typename tridia::core::value_traits<V>::real;
  system<V> t = s;
  for (std::size_t k = 0; k < t.rows.size(); ++k) {
    const auto by = static_cast<real>(draw_size(random, most).real());
    for (V* v : {&t.rows[k].sub, &t.rows[k].diag, &t.rows[k].sup, &t.rhs[k]})
      *v = tridia::core::scaled(*v, by);
  }
  return t;
}

template <class V>
void expect_same_with_rows_scaled(index_t most) {
  rng random = random_for("rows scaled");
  const auto number = [&] { return value_of<V>(draw_number(random, type_of<V>)); };
  for (int run = 0; run < 200; ++run) {
    system<V> s;
    const index_t n = draw(random, 1, 60), rows = draw(random, 1, 20);
    for (index_t k = 0; k < n; ++k) {
      s.rows.push_back({k > 0 ? number() : V(0), number(), k + 1 < n ? number() : V(0)});
      s.rhs.push_back(number());
    }
    s.make_room();
    system<V> t = with_rows_scaled(s, most, random);
    rng merges = random;  // the same order of merges for both
    solve_by_chunks<V, pivoting::partial, boundary::regular>(s, rows, merges);
    merges = random;
    solve_by_chunks<V, pivoting::partial, boundary::regular>(t, rows, merges);
    for (std::size_t k = 0; k < s.x.size(); ++k)
      EXPECT_EQ(wide_of(s.x[k]), wide_of(t.x[k])) << n << " rows in chunks of " << rows;
  }
}
TEST(Chunk, ScalingRowsByPowersOfTwoChangesNothing) {
  expect_same_with_rows_scaled<float>(60);
  expect_same_with_rows_scaled<double>(400);
  expect_same_with_rows_scaled<tridia::core::complex<double>>(400);
}

/// Returns the largest residual of a row over the sizes of what is added up for it.
double componentwise_error(const system<double>& s) {
  double largest = 0;
  for (std::size_t k = 0; k < s.x.size(); ++k) {
    const auto& r = s.rows[k];
    long double residual = -static_cast<long double>(s.rhs[k]), sum = std::fabs(s.rhs[k]);
    const auto add = [&](double a, double x) {
      residual += static_cast<long double>(a) * x, sum += std::fabs(a * x);
    };
    if (k > 0) add(r.sub, s.x[k - 1]);
    add(r.diag, s.x[k]);
    if (k + 1 < s.x.size()) add(r.sup, s.x[k + 1]);
    if (sum > 0) largest = std::max(largest, static_cast<double>(std::fabs(residual) / sum));
  }
  return largest;
}

/// Returns a random system whose entries have the size of a row's factor times a column's factor.
system<double> graded_system(index_t n, rng& random) {
  const auto size = [&](index_t most) {
    return std::exp2(static_cast<double>(draw(random, -most, most)));
  };
  const auto number = [&] {
    return value_of<double>(draw_number(random, tridia::value_type::f64));
  };
  std::vector<double> columns;
  for (index_t k = 0; k < n; ++k) columns.push_back(size(6));
  system<double> s;
  for (index_t k = 0; k < n; ++k) {
    const double of_row = size(200);
    const auto entry = [&](index_t column) {
      if (column < 0 || column == n) return 0.0;
      return number() * of_row * columns[static_cast<std::size_t>(column)];
    };
    const double sub = entry(k - 1), diag = entry(k), sup = entry(k + 1);
    s.rows.push_back({sub, diag, sup});
    s.rhs.push_back(of_row * number());
  }
  s.make_room();
  return s;
}

TEST(Chunk, IsExactInEveryRowOfGradedSystems) {
  rng random = random_for("graded");
  std::vector<double> errors(101);
  for (double& error : errors) {
    system<double> s = graded_system(draw(random, 200, 300), random);
    EXPECT_TRUE((solve_by_chunks<double, pivoting::partial, boundary::regular>(
        s, draw(random, 1, 40), random)));
    error = componentwise_error(s);
  }
  std::nth_element(errors.begin(), errors.begin() + 50, errors.end());
  // Each error is the largest of some hundred rows; unscaled rows lose all digits in some of them.
  EXPECT_LE(errors[50], 10 * kBackwardBound * epsilon(tridia::value_type::f64));
}

/// Returns whether growth is bounded when a matrix is solved without interchanges, in chunks of 17
/// rows.
bool is_bounded(const tridiagonal& a) {
  using chunk = tridia::core::chunk<double, pivoting::none>;
  constexpr index_t rows = 17;
  system<double> s;
  for (std::size_t k = 0; k < a.d.size(); ++k) {
    s.rows.push_back(
        {value_of<double>(a.dl[k]), value_of<double>(a.d[k]), value_of<double>(a.du[k])});
    s.rhs.push_back(1);
  }
  s.make_room();
  std::vector<growth_monitor> monitors(static_cast<std::size_t>((a.rows() + rows - 1) / rows));
  const auto monitor_of = [&](index_t k) -> growth_monitor& {
    return monitors[static_cast<std::size_t>(k)];
  };
  equations_of<double, pivoting::none> e;
  for (index_t k = 0; k * rows < a.rows(); ++k) {
    chunk_rows<double> r{s, static_cast<std::size_t>(k * rows)};
    e.push_back(chunk::reduce<true>(std::min(rows, a.rows() - k * rows), r, monitor_of(k)));
  }
  const pcr_group<double> all(e, monitor_of);
  return std::all_of(monitors.begin(), monitors.end(), [](const auto& w) { return w.bounded; });
}
/// In the middle of dorr(1e-4) all but the last digit cancel where two chunks meet, though no
/// number grows: their outer couplings are as small as the pivot. Solved so, its x fit each other
/// to two digits (a componentwise backward error of 1e-2).
TEST(Chunk, CancellationBetweenChunksIsNotCalm) {
  rng random = random_for("calm");
  EXPECT_FALSE(is_bounded(klein_strzodka(13, 512, 1e15, random)));
  tridiagonal laplacian(4096);
  std::fill(laplacian.d.begin(), laplacian.d.end(), 2);
  std::fill(laplacian.dl.begin() + 1, laplacian.dl.end(), -1);
  std::fill(laplacian.du.begin(), laplacian.du.end() - 1, -1);
  EXPECT_TRUE(is_bounded(laplacian));
}

TEST(UnitScale, BringsNumbersNearOne) {
  const auto expect_near_one = [](auto a) {
    using R = decltype(a);
    using limits = std::numeric_limits<R>;
    const R scaled = a * tridia::core::unit_scale(tridia::core::exponent_of(a), R(1));
    EXPECT_GE(std::fabs(scaled), R(std::fabs(a) < limits::min() ? 0 : 1)) << a;
    EXPECT_LT(std::fabs(scaled), R(std::fabs(a) > limits::max() / 2 ? 4 : 2)) << a;
  };
  for (int e = -1074; e < 1024; ++e) expect_near_one(std::ldexp(-1.75, e));
  for (int e = -149; e < 128; ++e) expect_near_one(std::ldexp(1.75f, e));
  expect_near_one(0.0), expect_near_one(0.0f);
  const double inf = std::numeric_limits<double>::infinity();
  EXPECT_EQ(inf * tridia::core::unit_scale(tridia::core::exponent_of(inf), 1.0), inf);
}

/// Holds systems that follow each other, with zeros between them, and each of a different size.
struct concatenated_systems {
  system<double> all;
  std::vector<index_t> starts{0};
  std::vector<std::vector<term>> a;
  std::vector<std::vector<wide>> b;

  concatenated_systems(index_t count, bool dominant, rng& random) {
    constexpr auto type = tridia::value_type::f64;
    for (index_t k = 0; k < count; ++k) {
      const index_t n = draw(random, 1, 9);
      const wide size = draw_size(random, 300);
      a.emplace_back(), b.emplace_back();
      for (index_t i = 0; i < n; ++i) {
        const auto entry = [&](index_t column, bool large) {
          if (column < 0 || column == n) return 0.0;
          const wide z = size * (large ? draw_dominant(random, type) : draw_number(random, type));
          a.back().push_back({i, column, z});
          return value_of<double>(z);
        };
        const double sub = entry(i - 1, false), diag = entry(i, dominant),
                     sup = entry(i + 1, false);
        all.rows.push_back({sub, diag, sup});
        b.back().push_back(draw_number(random, type));
        all.rhs.push_back(value_of<double>(b.back().back()));
      }
      starts.push_back(starts.back() + n);
    }
    all.make_room();
  }
};

template <pivoting P>
void expect_joined_solved() {
  rng random = random_for("joined");
  for (int run = 0; run < 200; ++run) {
    concatenated_systems s(draw(random, 1, 20), P == pivoting::none, random);
    const index_t rows = draw(random, 2, 17);
    EXPECT_TRUE((solve_by_chunks<double, P, boundary::regular>(s.all, rows, random)));
    for (std::size_t k = 0; k < s.a.size(); ++k) {
      const std::vector<wide> x(s.all.x.begin() + s.starts[k], s.all.x.begin() + s.starts[k + 1]);
      EXPECT_LE(backward_error(s.a[k], x, s.b[k]),
                kBackwardBound * epsilon(tridia::value_type::f64))
          << "in chunks of " << rows;
    }
  }
}

/// A block of the GPU learns of a bad system among others by this alone.
template <pivoting P>
void expect_joined_found() {
  rng random = random_for("joined");
  for (int run = 0; run < 2000; ++run) {
    concatenated_systems s(draw(random, 1, 20), P == pivoting::none, random);
    const auto n = static_cast<index_t>(s.all.rows.size());
    const auto bad = static_cast<std::size_t>(draw(random, 0, n - 1));
    if (flip(random)) {
      s.all.rhs[bad] = std::numeric_limits<double>::quiet_NaN();
    } else {  // a column of zeros
      s.all.rows[bad].diag = 0;
      if (bad > 0) s.all.rows[bad - 1].sup = 0;
      if (bad + 1 < s.all.rows.size()) s.all.rows[bad + 1].sub = 0;
    }
    const index_t rows = draw(random, 1, 17);
    EXPECT_FALSE((solve_by_chunks<double, P, boundary::regular>(s.all, rows, random)))
        << "row " << bad << " of " << n << " in chunks of " << rows;
  }
}

TEST(Chunk, SolvesJoinedSystems) {
  expect_joined_solved<pivoting::none>();
  expect_joined_solved<pivoting::partial>();
}
TEST(Chunk, FindsBadSystemsAmongJoinedOnes) {
  expect_joined_found<pivoting::none>();
  expect_joined_found<pivoting::partial>();
}

}  // namespace
}  // namespace tridia_test
