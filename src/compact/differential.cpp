// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#include "tridia/differential.hpp"

#include "compact/term_group.hpp"

#include <array>
#include <cmath>
#include <new>
#include <utility>

namespace tridia {

namespace compact {
namespace {

/// Knows which arrays of the terms must lie apart.
class arrays_apart {
 public:
  void add(const layout::resolved_array& array, std::size_t term, bool is_result,
           const layout::resolved_array& out, std::size_t term_of_out) {
    pair p{{}, term, term_of_out, is_result};
    p.arrays.in[layout::rhs_in] = array;
    if (is_result) p.arrays.in[layout::rhs_in].name = "another result";
    p.arrays.out = out;
    pairs_.push_back(std::move(p));
  }
  void check(const problem& shape, std::span<const call> calls) const {
    for (const pair& p : pairs_) {
      const void* const other = p.is_result ? calls[p.term].out : calls[p.term].in;
      const void* const out = calls[p.term_of_out].out;
      const layout::resolved_array& array = p.arrays.in[layout::rhs_in];
      if (other == out && !array.empty() && !p.arrays.out.empty()) {
        refuse(std::string("out: is ") + (p.is_result ? "another result" : "a field") +
               " as well, but the results of several terms must lie apart from the fields and " +
               "from each other");
      }
      const void* const inputs[] = {nullptr, nullptr, nullptr, other};
      layout::check_overlap(shape, p.arrays, inputs, out);
    }
  }

 private:
  struct pair {
    layout::resolved arrays;  // the two alone
    std::size_t term, term_of_out;
    bool is_result;
  };
  std::vector<pair> pairs_;
};

}  // namespace
}  // namespace compact

struct differential_operator::state {
  differential kind;
  compact::sharing shared;
  std::vector<compact::prepared_operator> made;
  std::vector<double> factors;
  compact::arrays_apart apart;
  compact::grouped_terms terms;
  std::string warning;
};

namespace {

using compact::prepared_operator;
using layout::resolved_array;

compact::sharing sharing_of(differential kind) {
  switch (kind) {
    case differential::gradient:
      return {.field = true, .result = false};
    case differential::divergence:
      return {.field = false, .result = true};
    case differential::laplacian:
      return {.field = true, .result = true};
  }
  refuse("kind: " + std::to_string(static_cast<int>(kind)) + " is none of its enumerators");
}

std::string term_text(std::size_t k) { return "term " + std::to_string(k); }

/// Throws if a term describes an array that it shares with the first one otherwise.
void check_shared(const char* array, const resolved_array& first, const resolved_array& other,
                  std::size_t k) {
  if (first.extents != other.extents) {
    refuse(std::string(array) + ": its shape is " + layout::shape_text(other.extents) + " in " +
           term_text(k) + ", but " + layout::shape_text(first.extents) +
           " in term 0, and both have this array (fields first)");
  }
  if (first.strides != other.strides) {
    refuse(std::string(array) + ": its strides are " + layout::shape_text(other.strides) + " in " +
           term_text(k) + ", but " + layout::shape_text(first.strides) +
           " in term 0, and both have this array (fields first)");
  }
}

void check_terms(const differential_operator::state& s) {
  const prepared_operator& first = s.made.front();
  for (std::size_t k = 1; k < s.made.size(); ++k) {
    const prepared_operator& p = s.made[k];
    if (p.grid.type != first.grid.type) {
      refuse("type: is " + std::string(name(p.grid.type)) + " in " + term_text(k) + ", but " +
             std::string(name(first.grid.type)) + " in term 0");
    }
    const layout::resolved &a = first.arrays.resolved, &b = p.arrays.resolved;
    if (s.shared.field) check_shared("in", a.in[layout::rhs_in], b.in[layout::rhs_in], k);
    if (s.shared.result) check_shared("out", a.out, b.out, k);
    if (p.grid.extents.size() != first.grid.extents.size() || p.grid.fields != first.grid.fields) {
      refuse("extents: " + term_text(k) + " has " + std::to_string(p.grid.fields) + " fields of " +
             layout::shape_text(p.grid.extents) + ", but term 0 has " +
             std::to_string(first.grid.fields) + " of " + layout::shape_text(first.grid.extents));
    }
  }
}

/// Notes which arrays must lie apart: every result from every field, and from every other result.
void keep_apart(differential_operator::state& s) {
  const std::size_t terms = s.made.size(), fields = s.shared.field ? 1 : terms;
  for (std::size_t out = 0; out < (s.shared.result ? 1 : terms); ++out) {
    const resolved_array& result = s.made[out].arrays.resolved.out;
    for (std::size_t k = 0; k < fields; ++k)
      s.apart.add(s.made[k].arrays.resolved.in[layout::rhs_in], k, false, result, out);
    for (std::size_t k = 0; k < out; ++k)
      s.apart.add(s.made[k].arrays.resolved.out, k, true, result, out);
  }
}

std::unique_ptr<differential_operator::state> make_state(differential kind,
                                                         std::vector<differential_term> terms,
                                                         const options& o) {
  auto made = std::make_unique<differential_operator::state>();
  made->kind = kind;
  made->shared = sharing_of(kind);
  if (terms.empty() || terms.size() > differential_operator::most_terms) {
    refuse("terms: has " + std::to_string(terms.size()) + ", but there must be from 1 to " +
           std::to_string(differential_operator::most_terms));
  }
  for (differential_term& t : terms) {
    if (!std::isfinite(t.factor)) {
      refuse("factor: of " + term_text(made->made.size()) + " is not finite");
    }
    const closure c = t.closure ? *t.closure : compact::usual_closure(t.scheme, t.grid);
    made->made.push_back(compact::prepare(t.scheme, c, std::move(t.grid), o));
    made->factors.push_back(t.factor);
    const std::string& warning = made->made.back().warning;
    if (made->warning.find(warning) == std::string::npos)
      made->warning += (made->warning.empty() ? "" : " ") + warning;
  }
  check_terms(*made);
  keep_apart(*made);
  made->terms = compact::group_terms(made->made, made->shared);
  return made;
}

using call_list = std::array<compact::call, differential_operator::most_terms>;

/// Throws for pointers that cannot be the operator's arrays, or whose arrays overlap.
void check_arrays(const differential_operator::state& s, std::span<const compact::call> calls) {
  for (std::size_t k = 0; k < calls.size(); ++k)
    s.made[k].arrays.check(s.terms.executor(), calls[k].in, calls[k].out);
  if (calls.size() > 1) s.apart.check(s.made.front().arrays.shape, calls);
}

void run(const differential_operator::state& s, std::span<const void* const> in,
         std::span<void* const> out, double factor, bool accumulate, const execution& e) {
  const std::size_t terms = s.made.size();
  const auto check_count = [](const char* array, std::size_t given, std::size_t needed) {
    if (given == needed) return;
    refuse(std::string(array) + ": has " + std::to_string(given) + " pointers, but " +
           std::to_string(needed) + " are needed");
  };
  check_count("in", in.size(), s.shared.field ? 1 : terms);
  check_count("out", out.size(), s.shared.result ? 1 : terms);
  call_list list;
  for (std::size_t k = 0; k < terms; ++k) {
    list[k] = {in[s.shared.field ? 0 : k],
               out[s.shared.result ? 0 : k],
               factor * s.factors[k],
               accumulate || (s.shared.result && k > 0),
               nullptr,
               e.workspace,
               e.stream};
  }
  const std::span<const compact::call> calls(list.data(), terms);
  check_arrays(s, calls);
  compact::check_workspace(s.terms.executor(), s.terms.workspace_bytes(), e);
  for (const auto& group : s.terms.groups) group->apply(calls);
}

}  // namespace

std::string_view name(differential d) noexcept {
  switch (d) {
    case differential::gradient:
      return "gradient";
    case differential::divergence:
      return "divergence";
    case differential::laplacian:
      return "laplacian";
  }
  return "invalid";
}

differential_operator::differential_operator(differential kind,
                                             std::vector<differential_term> terms, options o) try
    : state_(make_state(kind, std::move(terms), o)) {
} catch (const std::bad_alloc&) {
  throw error(errc::out_of_memory, "a differential operator: host memory ran out");
}

differential_operator::~differential_operator() = default;
differential_operator::differential_operator(differential_operator&&) noexcept = default;
differential_operator& differential_operator::operator=(differential_operator&&) noexcept = default;

differential differential_operator::kind() const noexcept { return state_->kind; }
std::size_t differential_operator::terms() const noexcept { return state_->made.size(); }
std::size_t differential_operator::in_count() const noexcept {
  return state_->shared.field ? 1 : terms();
}
std::size_t differential_operator::out_count() const noexcept {
  return state_->shared.result ? 1 : terms();
}
const std::vector<index_t>& differential_operator::in_extents(std::size_t k) const noexcept {
  return state_->made[k].in_extents;
}
const std::vector<index_t>& differential_operator::out_extents(std::size_t k) const noexcept {
  return state_->made[k].out_extents;
}
backend differential_operator::backend() const noexcept {
  return state_->made.front().options.backend;
}
int differential_operator::device() const noexcept { return state_->terms.executor().device(); }
int differential_operator::threads() const noexcept { return state_->terms.threads(); }
std::size_t differential_operator::workspace_bytes() const noexcept {
  return state_->terms.workspace_bytes();
}
const std::string& differential_operator::warning() const noexcept { return state_->warning; }
const std::string& differential_operator::description() const noexcept {
  return state_->terms.description;
}

void differential_operator::apply(std::span<const void* const> in, std::span<void* const> out,
                                  const execution& e) const {
  run(*state_, in, out, 1, false, e);
}

void differential_operator::apply_add(double s, std::span<const void* const> in,
                                      std::span<void* const> out, const execution& e) const {
  run(*state_, in, out, s, true, e);
}

void differential_operator::apply_on_host(value_type type, std::span<const void* const> in,
                                          std::span<void* const> out) const {
  compact::require_type(type, state_->made.front().grid.type);
  const std::size_t bytes = workspace_bytes();
  const auto memory = compact::host_workspace(backend(), bytes);
  apply(in, out, {.workspace = memory.get(), .workspace_bytes = bytes});
}

}  // namespace tridia
