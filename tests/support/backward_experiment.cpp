// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#include "support/backward_experiment.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <map>
#include <set>
#include <sstream>

#include "support/oracle.hpp"
#include "support/scalar.hpp"

namespace tridia_test {
namespace {

using tridia::boundary;
using tridia::coefficients;
using tridia::cotangents;
using tridia::operation;

constexpr role kBands[] = {role::dl, role::d, role::du};

std::vector<index_t> either(const std::vector<index_t>& given, const std::vector<index_t>& other) {
  return given.empty() ? other : given;
}

/// Returns the strides of a gradient; `own` are those of the coefficient.
std::vector<index_t> strides_of_gradient(const tridia::problem& p,
                                         const std::vector<index_t>& given,
                                         const std::vector<index_t>& own) {
  if (!given.empty() || !own.empty() || p.coefficients != coefficients::shared)
    return either(given, own);
  std::vector<index_t> shared(p.extents.size());
  shared[p.axis < 0 ? shared.size() - 1 : static_cast<std::size_t>(p.axis)] = 1;
  return shared;
}

/// Returns the solution of a dense system, by elimination with partial pivoting.
std::vector<wide> solve_wide(index_t n, const std::vector<term>& terms, std::vector<wide> b) {
  const auto size = static_cast<std::size_t>(n);
  std::vector<std::vector<wide>> a(size, std::vector<wide>(size));
  for (const term& t : terms)
    a[static_cast<std::size_t>(t.row)][static_cast<std::size_t>(t.column)] += t.value;
  for (std::size_t k = 0; k < size; ++k) {
    std::size_t pivot = k;
    for (std::size_t i = k; i < size; ++i)
      if (std::abs(a[i][k]) > std::abs(a[pivot][k])) pivot = i;
    std::swap(a[k], a[pivot]), std::swap(b[k], b[pivot]);
    for (std::size_t i = k + 1; i < size; ++i) {
      const wide m = a[i][k] / a[k][k];
      for (std::size_t j = k; j < size; ++j) a[i][j] -= m * a[k][j];
      b[i] -= m * b[k];
    }
  }
  for (std::size_t k = size; k-- > 0;) {
    for (std::size_t j = k + 1; j < size; ++j) b[k] -= a[k][j] * b[j];
    b[k] /= a[k][k];
  }
  return b;
}

}  // namespace

tridia::problem gradient_places(const tridia::problem& p, const tridia::backward_layout& l) {
  tridia::problem q = p;
  const bool own = !l.dl_strides.empty() || !l.d_strides.empty() || !l.du_strides.empty();
  if (own && p.coefficients == coefficients::shared) q.coefficients = coefficients::per_system;
  if (own) q.dl_strides = strides_of_gradient(p, l.dl_strides, p.dl_strides);
  if (own) q.d_strides = strides_of_gradient(p, l.d_strides, p.d_strides);
  if (own) q.du_strides = strides_of_gradient(p, l.du_strides, p.du_strides);
  q.x_strides = either(l.rhs_strides, p.rhs_strides);
  q.x_step = l.rhs_strides.empty() && l.rhs_step == 0 ? p.rhs_step : l.rhs_step;
  q.rhs_strides = either(l.g_strides, p.x_strides);
  q.rhs_step = l.g_strides.empty() && l.g_step == 0 ? p.x_step : l.g_step;
  return q;
}

backward_experiment::backward_experiment(const tridia::problem& p, cotangents convention,
                                         const run_options& how, const tridia::backward_layout& l)
    : forward_(p, how),
      convention_(convention),
      how_(how),
      plan_(p,
            {.backend = how.backend,
             .algorithm = how.algorithm,
             .threads = how.threads,
             .tuning = how.tuning,
             .parameters = how.parameters},
            convention, l),
      places_(gradient_places(p, l)),
      workspace_(how.backend, plan_.workspace_bytes(), 64 * how.guard, how.misalignment),
      status_bytes_(how.backend, static_cast<std::size_t>(plan_.systems()) * sizeof(index_t)) {
  for (const role r : kRoles) {
    const bool absent = p.coefficients == coefficients::constant && r != role::rhs && r != role::x;
    arrays_[static_cast<std::size_t>(r)] =
        std::make_unique<array>(how.backend, p.type, absent ? layout::span{} : places_.extent(r),
                                how.guard, std::byte{0xFF});
  }
}

std::string backward_experiment::start(rng& random) {
  forward_.fill_matrices(random);
  forward_.fill_rhs(random);
  for (index_t s = 0; s < places_.systems(); ++s) {
    for (index_t c = 0; c < places_.columns(role::rhs); ++c) {
      const line l = places_.of(role::rhs, s, c);
      for (index_t k = l.first; k < l.last; ++k)
        of(role::rhs).set(l.at(k), draw_number(random, forward_.problem().type));
    }
  }
  return forward_.run();
}

void backward_experiment::give() {
  for (const auto& a : arrays_) a->give();
  workspace_.push();
  status_bytes_.push();
}

void backward_experiment::enqueue(void* stream) {
  const tridia::execution e{.workspace = workspace_.pointer(),
                            .workspace_bytes = workspace_.size(),
                            .status = static_cast<index_t*>(status_bytes_.pointer()),
                            .stream = stream};
  if (forward_.problem().coefficients == coefficients::constant)
    return plan_.execute(of(role::rhs).pointer(), of(role::x).pointer(), e);
  tridia::gradients to{.rhs = of(role::x).pointer()};
  void** const bands[] = {&to.dl, &to.d, &to.du};
  for (int b = 0; b < 3; ++b)
    if (wanted_[b]) *bands[b] = of(kBands[b]).pointer();
  plan_.execute(forward_.of(role::dl).pointer(), forward_.of(role::d).pointer(),
                forward_.of(role::du).pointer(), forward_.of(role::x).pointer(),
                of(role::rhs).pointer(), to, e);
}

std::string backward_experiment::take() {
  for (const auto& a : arrays_) a->take();
  workspace_.pull();
  status_bytes_.pull();
  status_.resize(static_cast<std::size_t>(plan_.systems()));
  if (!status_.empty()) std::memcpy(status_.data(), status_bytes_.host(), status_bytes_.size());
  if (!workspace_.guards_intact()) return "something was written beside the workspace";
  for (const role r : kRoles) {
    std::vector<line> written;
    const bool wanted = r == role::x || (r != role::rhs && wanted_[static_cast<std::size_t>(r)]);
    for (index_t s = 0; wanted && s < places_.systems(); ++s)
      for (index_t c = 0; c < places_.columns(r); ++c) written.push_back(places_.of(r, s, c));
    if (forward_.problem().coefficients == coefficients::constant && r != role::x) written.clear();
    if (!arrays_[static_cast<std::size_t>(r)]->unchanged(written))
      return "something was written that is no element of the gradient of " + name(r);
  }
  return "";
}

std::string backward_experiment::run() {
  give();
  enqueue(how_.stream);
  if (how_.backend == tridia::backend::cuda) wait_for(how_.stream);
  return take();
}

wide backward_experiment::at(role r, index_t system, index_t row, index_t column) const {
  return arrays_[static_cast<std::size_t>(r)]->get(places_.of(r, system, column).at(row));
}

bool backward_experiment::is_outside(role r, index_t system, index_t row) const {
  if (forward_.problem().boundary == boundary::periodic) return false;
  return (r == role::dl && row == 0) || (r == role::du && row == forward_.where().rows(system) - 1);
}

std::string backward_experiment::check_side(index_t system, index_t column) const {
  std::vector<term> a = matrix_of(forward_, system);
  for (term& t : a) {
    std::swap(t.row, t.column);
    if (convention_ == cotangents::conjugate) t.value = std::conj(t.value);
  }
  std::vector<wide> y, g;
  for (index_t k = 0; k < forward_.where().rows(system); ++k) {
    y.push_back(at(role::x, system, k, column));
    g.push_back(at(role::rhs, system, k, column));
  }
  if (y.empty()) return "";
  const long double error = backward_error(a, y, g);
  if (error <= kBackwardBound * epsilon(forward_.problem().type)) return "";
  return "the gradient of rhs of system " + std::to_string(system) + " has the backward error " +
         std::to_string(static_cast<double>(error));
}

void backward_experiment::each_product(
    role r, const std::function<void(index_t, wide, index_t, index_t)>& f) const {
  const operation op = forward_.problem().operation;
  const int shift = r == role::dl ? -1 : r == role::du ? 1 : 0;
  for (index_t s = 0; s < places_.systems(); ++s) {
    const index_t n = places_.rows(s);
    const line l = places_.of(r, s);
    for (index_t k = l.first; k < l.last; ++k) {
      if (places_.columns(role::x) == 0 || is_outside(r, s, k)) f(l.at(k), 0, s, k);
      for (index_t c = 0; !is_outside(r, s, k) && c < places_.columns(role::x); ++c) {
        const index_t j = (k + shift + n) % n;
        // B is op(A): the gradient of B(i, j) is -y[i] x[j], or -y[i] conj(x[j]).
        const index_t i = op == operation::none ? k : j, m = op == operation::none ? j : k;
        const wide y = at(role::x, s, i, c), x = forward_.solution(s, m, c);
        const wide of_b = -y * (convention_ == cotangents::linear ? x : std::conj(x));
        f(l.at(k), op == operation::conjugate_transpose ? std::conj(of_b) : of_b, s, k);
      }
    }
  }
}

std::string backward_experiment::check_band(role r) const {
  struct sum {
    wide value;
    long double size = 0;
    index_t count = 0;
  };
  std::map<index_t, sum> sums;
  each_product(r, [&](index_t at, wide product, index_t, index_t) {
    sum& s = sums[at];
    s.value += product, s.size += std::abs(product), ++s.count;
  });
  for (const auto& [at, s] : sums) {
    const wide found = arrays_[static_cast<std::size_t>(r)]->get(at);
    const long double allowed = epsilon(forward_.problem().type) * s.size * (s.count + 4);
    if (std::abs(found - s.value) <= allowed) continue;
    std::ostringstream out;
    out << "the gradient of " << name(r) << " at element " << at << " is " << found << ", not "
        << s.value;
    return out.str();
  }
  return "";
}

std::string backward_experiment::check() const {
  for (index_t s = 0; s < places_.systems(); ++s) {
    for (index_t c = 0; c < places_.columns(role::x); ++c) {
      const std::string wrong = check_side(s, c);
      if (!wrong.empty()) return wrong;
    }
  }
  if (forward_.problem().coefficients == coefficients::constant) return "";
  for (int b = 0; b < 3; ++b) {
    const std::string wrong = wanted_[b] ? check_band(kBands[b]) : "";
    if (!wrong.empty()) return wrong;
  }
  return "";
}

std::string backward_experiment::check_derivative(rng& random) const {
  experiment change(forward_.problem(), {});
  change.fill_matrices(random);
  change.fill_rhs(random);
  change.give();
  const bool linear = convention_ == cotangents::linear;
  wide of_x = 0, of_gradients = 0;
  long double size = 0;
  const auto add = [&](wide& to, wide gradient, wide by) {
    to += (linear ? gradient : std::conj(gradient)) * by;
    size += std::abs(gradient * by);
  };
  for (index_t s = 0; s < places_.systems(); ++s) {
    const index_t n = places_.rows(s);
    for (index_t c = 0; n > 0 && c < places_.columns(role::x); ++c) {
      std::vector<wide> b = rhs_of(change, s, c);
      for (index_t k = 0; k < n; ++k) add(of_gradients, at(role::x, s, k, c), b[k]);
      for (const term& t : matrix_of(change, s))
        b[static_cast<std::size_t>(t.row)] -= t.value * forward_.solution(s, t.column, c);
      const std::vector<wide> dx = solve_wide(n, matrix_of(forward_, s), b);
      for (index_t k = 0; k < n; ++k) add(of_x, at(role::rhs, s, k, c), dx[k]);
    }
  }
  for (const role r : kBands) {
    std::set<index_t> seen;
    each_product(r, [&](index_t element, wide, index_t s, index_t k) {
      if (is_outside(r, s, k) || !seen.insert(element).second) return;
      add(of_gradients, arrays_[static_cast<std::size_t>(r)]->get(element), change.given(r, s, k));
    });
  }
  const long double error = std::abs(of_x.real() - of_gradients.real());
  if (error <= 200 * epsilon(forward_.problem().type) * size) return "";
  std::ostringstream out;
  out << "the loss changes by " << of_x.real() << ", but by " << of_gradients.real()
      << " according to the gradients";
  return out.str();
}

std::vector<std::byte> backward_experiment::bytes() const {
  std::vector<std::byte> all;
  for (const role r : {role::dl, role::d, role::du, role::x}) {
    for (index_t s = 0; s < places_.systems(); ++s) {
      for (index_t c = 0; c < places_.columns(r); ++c) {
        const line l = places_.of(r, s, c);
        for (index_t k = l.first; k < l.last; ++k) {
          const std::byte* const p = arrays_[static_cast<std::size_t>(r)]->element(l.at(k));
          all.insert(all.end(), p, p + size_of(forward_.problem().type));
        }
      }
    }
  }
  return all;
}

}  // namespace tridia_test
