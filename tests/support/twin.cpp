// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#include "support/twin.hpp"

#include <algorithm>
#include <sstream>

#include "support/oracle.hpp"
#include "support/scalar.hpp"

namespace tridia_test {
namespace {

/// x of a dominant system may be wrong by this many epsilons of the largest x.
constexpr double kForwardBound = 200;

}  // namespace

twin::twin(const tridia::problem& p, const run_options& how)
    : trial_(p, how), reference_(p, {.backend = tridia::backend::reference}) {}

void twin::fill(rng& random, index_t apart) {
  const rng same = random;
  for (experiment* e : {&trial_, &reference_}) {
    random = same;
    e->fill_matrices(random);
    e->fill_rhs(random);
  }
  dominant_.assign(static_cast<std::size_t>(trial_.where().systems()), true);
  const tridia::problem& p = trial_.problem();
  const bool own = p.coefficients == tridia::coefficients::per_system;
  if (own && p.pivoting == tridia::pivoting::partial) fill_diagonal(random, apart);
}

void twin::fill_diagonal(rng& random, index_t apart) {
  index_t next = apart > 0 ? draw(random, 0, apart) : trial_.where().systems();
  for (index_t s = 0; s < trial_.where().systems(); ++s) {
    if (s == next) {
      dominant_[static_cast<std::size_t>(s)] = false;
      next += draw(random, 1, apart);
      continue;
    }
    for (index_t row = 0; row < trial_.where().rows(s); ++row) {
      const wide v = draw_dominant(random, trial_.problem().type);
      for (experiment* e : {&trial_, &reference_}) e->set(role::d, s, row, v);
    }
  }
}

std::string twin::compare(index_t system) const {
  for (index_t c = 0; c < trial_.where().columns(role::x); ++c) {
    const std::vector<wide> x = solution_of(trial_, system, c),
                            expected = solution_of(reference_, system, c);
    long double error = 0, size = 0;
    for (std::size_t k = 0; k < x.size(); ++k) {
      const long double off = std::abs(x[k] - expected[k]);
      error = off <= error ? error : off;  // a NaN is the largest
      size = std::max(size, std::abs(expected[k]));
    }
    if (error <= kForwardBound * epsilon(trial_.problem().type) * size) continue;
    std::ostringstream out;
    out << "system " << system << " right-hand side " << c << " is off by " << error << " of "
        << size;
    return out.str();
  }
  return "";
}

std::string twin::run() {
  std::string wrong = trial_.run();
  if (wrong.empty()) wrong = reference_.run();
  if (wrong.empty()) wrong = check_solution(trial_, 0);
  for (index_t s = 0; wrong.empty() && s < trial_.where().systems(); ++s) {
    if (dominant_[static_cast<std::size_t>(s)]) wrong = compare(s);
  }
  return wrong;
}

}  // namespace tridia_test
