// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#include "support/failing_systems.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace tridia_test {
namespace {

bool is_constant(const experiment& e) {
  return e.problem().coefficients == tridia::coefficients::constant;
}

bool is_finite(const wide& v) { return std::isfinite(v.real()) && std::isfinite(v.imag()); }

/// Returns `bad` in the number's real part, its imaginary part, or both.
wide not_finite(tridia::value_type type, long double bad, rng& random) {
  if (!is_complex(type)) return bad;
  const wide parts[] = {{bad, 1}, {1, bad}, {bad, bad}};
  return parts[draw(random, 0, 2)];
}

void make_rhs_fail(experiment& e, index_t system, rng& random) {
  const index_t column = draw(random, 0, e.where().columns(role::rhs) - 1);
  const index_t row = draw(random, 0, e.where().rows(system) - 1);
  using limits = std::numeric_limits<long double>;
  const long double bad = flip(random) ? limits::quiet_NaN() : -limits::infinity();
  e.set(role::rhs, system, row, not_finite(e.problem().type, bad, random), column);
}

/// Returns whether systems share entries of their matrices, and perhaps not all of them: an entry
/// that becomes zero may leave another system ill-conditioned without pivoting.
bool broadcasts_entries(const tridia::problem& p) {
  if (p.coefficients != tridia::coefficients::per_system) return false;
  for (const auto* strides : {&p.dl_strides, &p.d_strides, &p.du_strides})
    if (std::find(strides->begin(), strides->end(), 0) != strides->end()) return true;
  return false;
}

/// Makes a system fail by its matrix. An infinite number will not do: the solution may be finite,
/// as 1 / infinity is 0.
void make_matrix_fail(experiment& e, index_t system, rng& random) {
  const index_t n = e.where().rows(system);
  const std::vector<entry> column = column_of(e.problem(), n, draw(random, 0, n - 1));
  if (!broadcasts_entries(e.problem()) && flip(random)) {
    for (const entry& at : column) e.set(at.array, system, at.row, 0);
    return;
  }
  const entry at =
      column[static_cast<std::size_t>(draw(random, 0, static_cast<index_t>(column.size()) - 1))];
  const long double nan = std::numeric_limits<long double>::quiet_NaN();
  e.set(at.array, system, at.row, not_finite(e.problem().type, nan, random));
}

/// Compares the numbers of a system; a number that is not finite equals no other.
bool same_numbers(const experiment& a, const experiment& b, index_t system) {
  const auto same = [](const term& s, const term& t) { return s.value == t.value; };
  const std::vector<term> first = matrix_of(a, system), second = matrix_of(b, system);
  if (!std::equal(first.begin(), first.end(), second.begin(), second.end(), same)) return false;
  for (index_t c = 0; c < a.where().columns(role::rhs); ++c)
    if (rhs_of(a, system, c) != rhs_of(b, system, c)) return false;
  return true;
}

}  // namespace

std::vector<entry> column_of(const tridia::problem& p, index_t n, index_t column) {
  const bool transposed = p.operation != tridia::operation::none;
  const bool regular = p.boundary == tridia::boundary::regular;
  const index_t below = transposed ? column : column + 1;
  const index_t above = transposed ? column : column - 1;
  std::vector<entry> all{{role::d, column}};
  if (!regular || below % n != 0) all.push_back({role::dl, below % n});
  if (!regular || (above + n) % n != n - 1) all.push_back({role::du, (above + n) % n});
  return all;
}

void make_some_fail(experiment& e, rng& random) {
  e.start_from(1234);
  std::vector<index_t> systems;
  for (index_t s = 0; s < e.where().systems(); ++s)
    if (e.where().rows(s) > 0) systems.push_back(s);
  if (systems.empty() || e.where().columns(role::rhs) == 0) return;
  std::shuffle(systems.begin(), systems.end(), random);
  const index_t most = std::min<index_t>(static_cast<index_t>(systems.size()), 5);
  systems.resize(static_cast<std::size_t>(draw(random, 1, most)));
  for (const index_t s : systems)
    is_constant(e) || flip(random) ? make_rhs_fail(e, s, random) : make_matrix_fail(e, s, random);
}

bool has_to_fail(const experiment& e, index_t system) {
  std::vector<bool> zero(static_cast<std::size_t>(e.where().rows(system)), true);
  for (const term& t : matrix_of(e, system)) {
    if (!is_finite(t.value)) return true;
    if (t.value != wide(0)) zero[static_cast<std::size_t>(t.column)] = false;
  }
  if (std::find(zero.begin(), zero.end(), true) != zero.end()) return true;
  for (index_t c = 0; c < e.where().columns(role::rhs); ++c)
    for (const wide& v : rhs_of(e, system, c))
      if (!is_finite(v)) return true;
  return false;
}

std::string check_failures(const experiment& e, const experiment& without) {
  const bool by_company = rounds_by_company(e.plan());
  for (index_t s = 0; s < e.where().systems(); ++s) {
    const std::string name = "system " + std::to_string(s) + ' ';
    if (has_to_fail(e, s)) {
      const bool exempt = is_constant(e) && e.status().empty();
      if (!exempt && !has_failed(e, s)) return name + "has no finite solution, but has not failed";
    } else if (!by_company && e.solution_bytes(s) != without.solution_bytes(s) &&
               same_numbers(e, without, s)) {
      return name + "is not bit for bit what it is where none fails";
    }
  }
  return "";
}

bool rounds_by_company(const tridia::plan& p) {
  return p.reason().find("concatenated systems") != std::string::npos;
}

}  // namespace tridia_test
