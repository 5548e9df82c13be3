// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#include "line_operator/constant.hpp"

#include "core/chunk.hpp"
#include "core/chunk_tables.hpp"
#include "core/dispatch.hpp"
#include "core/refuse.hpp"
#include "layout/alignment.hpp"
#include "layout/row_values.hpp"
#include "layout/strided_lines.hpp"
#include "tridia/error.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <utility>

namespace tridia::line_operator {
namespace {

using input_row = near_toeplitz::row;

void check_entry(std::complex<double> v, const char* part, const std::string& row,
                 value_type type) {
  const bool complex = type == value_type::c64 || type == value_type::c128;
  if (!std::isfinite(v.real()) || !std::isfinite(v.imag()))
    refuse("matrix: " + std::string(part) + " of " + row + " is not finite");
  if (!complex && v.imag() != 0) {
    refuse("matrix: " + std::string(part) + " of " + row + " has the imaginary part " +
           std::to_string(v.imag()) + ", but the problem is of type " + std::string(name(type)));
  }
}

wide widened(std::complex<double> v, bool conjugate) {
  const auto part = [](double d) { return core::extended(static_cast<long double>(d)); };
  return {part(v.real()), part(conjugate ? -v.imag() : v.imag())};
}

struct constant_rows {
  const std::vector<core::row<wide>>& rows;
  void fetch(index_t, index_t) {}
  const core::row<wide>& get(index_t k) const { return rows[static_cast<std::size_t>(k)]; }
};

/// Returns the largest magnitude of an entry.
long double size_of(const constant_matrix& a) {
  long double size = 0;
  for (const auto& r : a.rows) {
    for (const wide& v : {r.sub, r.diag, r.sup}) size = std::max(size, core::magnitude(v).v);
  }
  return size;
}

/// Calls f(E{}) with the elimination that a matrix was, or is to be, factored by.
template <class F>
auto with_elimination(pivoting p, boundary b, F f) {
  return core::with_variant(p, b, [&](auto v) {
    return f(core::elimination<wide, decltype(v)::pivots, decltype(v)::boundary_kind>{});
  });
}

/// Reads the lower and upper part of a row's values.
template <class E>
std::pair<typename E::lower, typename E::upper> read_row(const wide* values) {
  std::pair<typename E::lower, typename E::upper> row{};
  row.first.get(values), row.second.get(values + E::lower_values);
  return row;
}

/// Returns the status of a matrix: 0 where it has a finite inverse, to working precision.
index_t status_of(const constant_matrix& a, const constant_factors& f) {
  if (f.rows == 0) return 0;
  index_t status = 0;
  if (!f.finite) {
    status = with_elimination(f.pivoting, f.boundary, [&](auto e) {
      constant_rows rows{a.rows};
      return layout::matrix_status<wide, decltype(e)>(f.rows, rows);
    });
  }
  // The last pivot bounds the distance to a singular matrix; exactly zero it never is.
  const long double last =
      core::magnitude(f.at[static_cast<std::size_t>((f.rows - 1) * f.values_a_row)]).v;
  const bool singular = last * size_of(a) * std::numeric_limits<double>::epsilon() > 1;
  return status == 0 && singular ? f.rows : status;
}

/// Returns a regular matrix's factors without interchanges as recurrences; nothing if there are
/// interchanges.
std::optional<recurrences> plain_recurrences(const constant_factors& f) {
  std::optional<recurrences> r = recurrences{false, {}, {}, {}, wide(0), wide(0)};
  wide below(0);
  for (index_t k = 0; k < f.rows; ++k) {
    const factored_row row = row_of(f, k);
    if (row.swapped) return {};
    r->lower.push_back(below);
    r->inverse.push_back(row.inverse);
    r->upper.push_back(row.next);
    below = row.below;
  }
  return r;
}

/// Returns how much a recurrence may amplify its input.
long double growth_of(const std::vector<wide>& factors) {
  core::largest_product<long double> all;
  for (const wide& f : factors)
    all = all.then(core::largest_product<long double>(std::hypot(f.re.v, f.im.v)));
  return all.value();
}

using number = std::complex<long double>;
number number_of(const wide& v) { return {v.re.v, v.im.v}; }
wide wide_of(const number& v) { return {core::extended(v.real()), core::extended(v.imag())}; }

bool is_circulant(const constant_matrix& a) {
  const core::row<wide>& first = a.rows.front();
  const auto same = [](const wide& u, const wide& v) { return number_of(u) == number_of(v); };
  return std::all_of(a.rows.begin(), a.rows.end(), [&](const core::row<wide>& r) {
    return same(r.sub, first.sub) && same(r.diag, first.diag) && same(r.sup, first.sup);
  });
}

std::optional<recurrences> cyclic_recurrences(const constant_matrix& a) {
  if (!is_circulant(a)) return {};
  const number sub = number_of(a.rows[0].sub), diag = number_of(a.rows[0].diag),
               sup = number_of(a.rows[0].sup);
  // c + sub sup / c = diag, of which c is the larger solution.
  const number root = std::sqrt(diag * diag - 4.0L * sub * sup);
  const number c = (diag + (std::abs(diag + root) > std::abs(diag - root) ? root : -root)) / 2.0L;
  const number p = sub / c, q = sup / c;
  const std::size_t n = a.rows.size();
  const auto closing = [&](const number& f) {
    return 1.0L / (1.0L - std::pow(-f, static_cast<long double>(n)));
  };
  recurrences r{true,
                std::vector<wide>(n, wide_of(p)),
                std::vector<wide>(n, wide_of(1.0L / c)),
                std::vector<wide>(n, wide_of(q)),
                wide_of(closing(p)),
                wide_of(closing(q))};
  const auto bounded = [](const wide& v) { return std::abs(number_of(v)) <= core::bounded_growth; };
  if (!bounded(r.closing_down) || !bounded(r.closing_back)) return {};
  return r;
}

template <class R>
void put(R* at, int lanes, const wide& v, bool complex) {
  for (int l = 0; l < lanes; ++l) at[l] = static_cast<R>(v.re.v);
  for (int l = 0; complex && l < lanes; ++l) at[lanes + l] = static_cast<R>(v.im.v);
}

/// Writes each number once for each of `lanes`, from `at` on.
void put_all(const std::vector<wide>& values, value_type type, int lanes, std::byte* at) {
  const bool complex = type == value_type::c64 || type == value_type::c128;
  for (const wide& v : values) {
    if (type == value_type::f32 || type == value_type::c64) {
      put(reinterpret_cast<float*>(at), lanes, v, complex);
    } else {
      put(reinterpret_cast<double*>(at), lanes, v, complex);
    }
    at += tridia::size_of(type) * static_cast<std::size_t>(lanes);
  }
}

}  // namespace

const near_toeplitz::row& row_of(const near_toeplitz& a, index_t n, index_t k) {
  const auto head = static_cast<index_t>(a.head.size()), tail = static_cast<index_t>(a.tail.size());
  if (k < head) return a.head[static_cast<std::size_t>(k)];
  if (k >= n - tail) return a.tail[static_cast<std::size_t>(k - (n - tail))];
  return a.interior;
}

constant_matrix make_constant_matrix(const problem& p, index_t n) {
  const near_toeplitz& a = p.matrix;
  const auto own = static_cast<index_t>(a.head.size() + a.tail.size());
  if (n > 0 && own > n) {
    refuse("matrix: has " + std::to_string(a.head.size()) + " rows of its own at the head and " +
           std::to_string(a.tail.size()) + " at the tail, but the systems have " +
           std::to_string(n) + " rows");
  }
  const bool periodic = p.boundary == boundary::periodic;
  const bool transposed = p.operation != operation::none;
  const bool conjugate = p.operation == operation::conjugate_transpose;
  constant_matrix m{periodic && n >= 3 ? boundary::periodic : boundary::regular, {}};
  // Returns entry k of an off-diagonal, wrapped around where the matrix is periodic; outside it,
  // zero.
  const auto entry = [&](std::complex<double> input_row::*part, const char* called, index_t k) {
    const index_t row = (k + n) % n;
    const bool outside =
        (part == &input_row::dl && row == 0) || (part == &input_row::du && row == n - 1);
    if (outside && !periodic) return wide(0);
    const std::complex<double> v = row_of(a, n, row).*part;
    check_entry(v, called, "row " + std::to_string(row), p.type);
    return widened(v, conjugate);
  };
  for (index_t k = 0; k < n; ++k) {
    core::row<wide> r{};
    r.sub = transposed ? entry(&input_row::du, "du", k - 1) : entry(&input_row::dl, "dl", k);
    r.diag = entry(&input_row::d, "d", k);
    r.sup = transposed ? entry(&input_row::dl, "dl", k + 1) : entry(&input_row::du, "du", k);
    m.rows.push_back(periodic && n < 3 ? core::folded(r, k, n) : r);
  }
  return m;
}

constant_factors eliminate(const constant_matrix& a, pivoting p) {
  return with_elimination(p, a.boundary, [&](auto e) {
    using E = decltype(e);
    constexpr int values_a_row = E::lower_values + E::upper_values;
    const auto n = static_cast<index_t>(a.rows.size());
    constant_factors f{a.boundary, p, n, values_a_row, true, {}};
    f.at.resize(static_cast<std::size_t>(n * values_a_row));
    if (n == 0) return f;
    constant_rows rows{a.rows};
    layout::factor_rows<wide, E> out{{f.at.data(), values_a_row, 1}};
    f.finite = core::factor_line<wide, E>(n, {n, n}, rows, out);
    return f;
  });
}

factored_row row_of(const constant_factors& f, index_t k) {
  const wide* const values = f.at.data() + k * f.values_a_row;
  if (f.pivoting == pivoting::none) {
    const auto [l, u] =
        read_row<core::elimination<wide, pivoting::none, boundary::regular>>(values);
    return {l.w, l.below, u.next, wide(0), false};
  }
  const auto [l, u] =
      read_row<core::elimination<wide, pivoting::partial, boundary::regular>>(values);
  return {l.w, l.below, u.next, u.fill, l.swapped};
}

constant_factors factor(const constant_matrix& a, pivoting p) {
  constant_factors f = eliminate(a, p);
  const index_t status = status_of(a, f);
  if (status == 0) return f;
  throw error(errc::singular, "matrix: has no finite inverse to working precision: pivot " +
                                  std::to_string(std::abs(status)) + " of " +
                                  std::to_string(f.rows) +
                                  " (from 1) is zero, or its elimination overflows");
}

std::vector<wide> solve(const constant_factors& f, std::vector<wide> x) {
  if (f.rows == 0) return x;
  with_elimination(f.pivoting, f.boundary, [&](auto e) {
    using E = decltype(e);
    layout::factor_rows<wide, E> factors{{const_cast<wide*>(f.at.data()), f.values_a_row, 1}};
    layout::strided_rhs<wide> in{x.data(), 1};
    layout::strided_solution<wide> out{x.data(), 1};
    layout::kept_in_place<wide, E> kept{factors, out};
    core::substitute_line<wide, E>(f.rows, {f.rows, f.rows}, factors, in, kept, out,
                                   [](bool, bool) {});
  });
  return x;
}

std::optional<recurrences> make_recurrences(const constant_matrix& a, int growth,
                                            const constant_factors* known) {
  std::optional<recurrences> r;
  if (a.boundary == boundary::periodic) {
    r = cyclic_recurrences(a);
  } else {
    if (known && status_of(a, *known) == 0) r = plain_recurrences(*known);
    if (!r) {
      const constant_factors f = eliminate(a, pivoting::none);
      // The matrix need not be singular where this elimination fails.
      if (status_of(a, f) == 0) r = plain_recurrences(f);
    }
  }
  if (!r || growth_of(r->lower) > growth || growth_of(r->upper) > growth) return {};
  return r;
}

std::vector<std::byte> rounded(const std::vector<wide>& values, value_type type) {
  std::vector<std::byte> memory(values.size() * tridia::size_of(type));
  put_all(values, type, 1, memory.data());
  return memory;
}

std::vector<memory_line> rounded(const constant_factors& f, value_type type, int lanes) {
  const std::size_t bytes =
      layout::alignment + f.at.size() * tridia::size_of(type) * static_cast<std::size_t>(lanes);
  std::vector<memory_line> memory((bytes + sizeof(memory_line) - 1) / sizeof(memory_line));
  put_all(f.at, type, lanes, memory.front().bytes + layout::alignment);
  return memory;
}

}  // namespace tridia::line_operator
