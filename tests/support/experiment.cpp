// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#include "support/experiment.hpp"

#include <algorithm>
#include <limits>
#include <sstream>

namespace tridia_test {
namespace {

constexpr std::byte kNan{0xFF}, kPattern{0xA5}, kNoStatus{0x77};

tridia::options options_of(const run_options& m) {
  return {.backend = m.backend,
          .algorithm = m.algorithm,
          .threads = m.threads,
          .tuning = m.tuning,
          .parameters = m.parameters};
}

}  // namespace

std::string describe(const run_options& m) {
  std::ostringstream out;
  out << name(m.backend) << ' ' << name(m.algorithm) << " threads " << m.threads
      << (m.factored ? " factor+solve" : " execute") << (m.status ? "" : " no status") << " guard "
      << m.guard << " switch point " << m.parameters.switch_point << " depth "
      << m.parameters.packing_depth << " transformation " << name(m.parameters.transformation)
      << " memory " << name(m.parameters.memory) << " misalignment " << m.misalignment
      << (m.apart ? " arrays apart" : "");
  if (m.alias) out << " x is " << name(*m.alias);
  return out.str();
}

experiment::experiment(const tridia::problem& p, const run_options& m)
    : layout_(p),
      run_options_(m),
      plan_(p, options_of(m)),
      workspace_(m.backend, plan_.workspace_bytes(), 16 * m.guard, m.misalignment),
      factors_(m.backend, m.factored ? plan_.factors_bytes() : 0, 16 * m.guard, m.misalignment),
      status_bytes_(m.backend, static_cast<std::size_t>(layout_.systems()) * sizeof(index_t),
                    16 * m.guard),
      held_(std::numeric_limits<long double>::quiet_NaN(),
            std::numeric_limits<long double>::quiet_NaN()) {
  const std::size_t part = size_of(p.type) / (is_complex(p.type) ? 2 : 1);
  for (const role r : kRoles)
    arrays_[index(r)] = r == role::x && m.alias
                            ? arrays_[index(*m.alias)]
                            : std::make_shared<array>(m.backend, p.type, layout_.extent(r), m.guard,
                                                      r == role::x ? kPattern : kNan,
                                                      m.apart ? (index(r) + 1) * part : 0);
}

void experiment::fill_matrices(rng& random, const wide& size) {
  const tridia::problem& p = problem();
  const bool regular = p.boundary == tridia::boundary::regular;
  if (p.coefficients == tridia::coefficients::constant) return fill_constant();
  const bool shared = p.coefficients == tridia::coefficients::shared;
  const index_t matrices = shared ? std::min<index_t>(1, layout_.systems()) : layout_.systems();
  for (const role r : {role::dl, role::d, role::du}) {
    const bool dominant = r == role::d && p.pivoting == tridia::pivoting::none;
    for (index_t s = 0; s < matrices; ++s) {
      const line l = layout_.of(r, s);
      for (index_t row = l.first; row < l.last; ++row) {
        // The unused ends stay NaN.
        if (regular && r == role::dl && row == 0) continue;
        if (regular && r == role::du && row == layout_.rows(s) - 1) continue;
        of(r).set(l.at(row),
                  size * (dominant ? draw_dominant(random, p.type) : draw_number(random, p.type)));
      }
    }
  }
}

/// Fills the arrays with the constants; they exist for the oracle alone.
void experiment::fill_constant() {
  const tridia::near_toeplitz& a = problem().matrix;
  const index_t n = layout_.systems() > 0 ? layout_.rows(0) : 0;
  const auto head = static_cast<index_t>(a.head.size()), tail = static_cast<index_t>(a.tail.size());
  for (index_t k = 0; k < n; ++k) {
    const auto& row = k < head        ? a.head[static_cast<std::size_t>(k)]
                      : k >= n - tail ? a.tail[static_cast<std::size_t>(k - n + tail)]
                                      : a.interior;
    set(role::dl, 0, k, wide(row.dl));
    set(role::d, 0, k, wide(row.d));
    set(role::du, 0, k, wide(row.du));
  }
}

void experiment::fill_rhs(rng& random) {
  for (index_t s = 0; s < layout_.systems(); ++s)
    for (index_t c = 0; c < layout_.columns(role::rhs); ++c) {
      const line l = layout_.of(role::rhs, s, c);
      for (index_t row = l.first; row < l.last; ++row)
        of(role::rhs).set(l.at(row), draw_number(random, problem().type));
    }
}

void experiment::set(role r, index_t system, index_t row, wide value, index_t column) {
  of(r).set(layout_.of(r, system, column).at(row), value);
}

wide experiment::given(role r, index_t system, index_t row, index_t column) const {
  return of(r).get_given(layout_.of(r, system, column).at(row));
}

wide experiment::solution(index_t system, index_t row, index_t column) const {
  return of(role::x).get(layout_.of(role::x, system, column).at(row));
}

std::vector<std::byte> experiment::solution_bytes(index_t system) const {
  std::vector<std::byte> bytes;
  for (index_t c = 0; c < layout_.columns(role::x); ++c) {
    const line l = layout_.of(role::x, system, c);
    for (index_t row = l.first; row < l.last; ++row) {
      const std::byte* element = of(role::x).element(l.at(row));
      bytes.insert(bytes.end(), element, element + size_of(problem().type));
    }
  }
  return bytes;
}

void experiment::give_solution() {
  if (run_options_.alias) return;
  for (index_t s = 0; s < layout_.systems(); ++s)
    for (index_t c = 0; c < layout_.columns(role::x); ++c) {
      const line l = layout_.of(role::x, s, c);
      for (index_t row = l.first; row < l.last; ++row) of(role::x).set(l.at(row), held_);
    }
  of(role::x).give();
}

void experiment::give() {
  for (const role r : {role::dl, role::d, role::du, role::rhs}) of(r).give();
  give_solution();
  std::fill_n(status_bytes_.host(), status_bytes_.size(), kNoStatus);
  status_bytes_.push();
}

tridia::execution experiment::execution() {
  return {.workspace = workspace_.pointer(),
          .workspace_bytes = workspace_.size(),
          .status = run_options_.status ? static_cast<index_t*>(status_bytes_.pointer()) : nullptr,
          .stream = run_options_.stream};
}

void experiment::enqueue() {
  void* const dl = of(role::dl).pointer();
  void* const d = of(role::d).pointer();
  void* const du = of(role::du).pointer();
  void* const rhs = of(role::rhs).pointer();
  void* const x = of(role::x).pointer();
  if (problem().coefficients == tridia::coefficients::constant)
    return plan_.execute(static_cast<const void*>(rhs), x, execution());
  const void *const_dl = dl, *const_d = d, *const_du = du, *const_rhs = rhs;
  if (!run_options_.factored)
    return plan_.execute(const_dl, const_d, const_du, const_rhs, x, execution());
  plan_.factor(dl, d, du, factors_.pointer(), execution());
  plan_.solve(factors_.pointer(), rhs, x, execution());
}

std::string experiment::take() {
  for (const auto& a : arrays_) a->take();
  for (buffer* b : {&workspace_, &factors_, &status_bytes_}) b->pull();
  status_.clear();
  if (run_options_.status) {
    const auto* first = reinterpret_cast<const index_t*>(status_bytes_.host());
    status_.assign(first, first + layout_.systems());
  }
  return complaint();
}

std::string experiment::run() {
  give();
  enqueue();
  return take();
}

std::string experiment::solve_again() {
  of(role::rhs).give();
  give_solution();
  plan_.solve(factors_.pointer(), of(role::rhs).pointer(), of(role::x).pointer(), execution());
  return take();
}

std::string experiment::complaint() const {
  std::vector<line> solution;
  for (index_t s = 0; s < layout_.systems(); ++s)
    for (index_t c = 0; c < layout_.columns(role::x); ++c)
      solution.push_back(layout_.of(role::x, s, c));
  for (const role r : kRoles) {
    const bool output = arrays_[index(r)] == arrays_[index(role::x)];
    if (!of(r).unchanged(output ? solution : std::vector<line>{}))
      return "memory of " + name(r) + " that is no element of x was written";
  }
  if (!workspace_.guards_intact()) return "memory beside the workspace was written";
  if (!factors_.guards_intact()) return "memory beside the factors was written";
  if (!status_bytes_.guards_intact()) return "memory beside the status was written";
  return "";
}

void copy_array(role r, const experiment& from, experiment& to) {
  for (index_t s = 0; s < from.where().systems(); ++s)
    for (index_t c = 0; c < from.where().columns(r); ++c) {
      const line l = from.where().of(r, s, c);
      for (index_t row = l.first; row < l.last; ++row)
        to.set(r, s, row, from.given(r, s, row, c), c);
    }
}

void copy_inputs(const experiment& from, experiment& to) {
  for (const role r : {role::dl, role::d, role::du, role::rhs}) copy_array(r, from, to);
}

}  // namespace tridia_test
