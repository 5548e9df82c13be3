// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#include "jax_make_operator.hpp"

#include "tridia/tridia.hpp"

#include <cstddef>
#include <string>
#include <utility>

namespace tridia::python {
namespace {

[[noreturn]] void refuse_argument(const std::string& sentence) {
  throw error(errc::invalid_argument, sentence);
}

/// Reads rows of a scheme from a list of numbers. A row is sub, diag, sup, first, the number of its
/// weights, and these.
class row_reader {
 public:
  explicit row_reader(numbers from) : at_(from.data()), end_(from.data() + from.size()) {}
  double next() {
    if (at_ == end_) refuse_argument("scheme: its rows are cut short");
    return *at_++;
  }
  compact_row row() {
    compact_row r;
    r.sub = next();
    r.diag = next();
    r.sup = next();
    r.first = static_cast<int>(next());
    r.weights.resize(static_cast<std::size_t>(next()));
    for (double& w : r.weights) w = next();
    return r;
  }
  std::vector<compact_row> rows(std::size_t count) {
    std::vector<compact_row> list(count);
    for (compact_row& r : list) r = row();
    return list;
  }

 private:
  const double *at_, *end_;
};

template <class E>
E parsed(const char* argument, std::string_view name) {
  const auto value = parse<E>(name);
  if (!value)
    refuse_argument(std::string(argument) + ": \"" + std::string(name) + "\" is not known");
  return *value;
}

/// Returns the end condition of this name: `tridia::parse` does not know those of `end_condition`.
end_condition end_of(const char* argument, std::string_view wanted) {
  for (const auto e :
       {end_condition::closure, end_condition::symmetric, end_condition::antisymmetric,
        end_condition::symmetric_half, end_condition::antisymmetric_half}) {
    if (name(e) == wanted) return e;
  }
  refuse_argument(std::string(argument) + ": \"" + std::string(wanted) +
                  "\" is none of closure, symmetric, antisymmetric, symmetric_half, "
                  "antisymmetric_half");
}

scheme scheme_of(const operator_attributes& o) {
  const auto quantity = parsed<tridia::quantity>("quantity", o.quantity);
  const auto staggering = parsed<tridia::staggering>("staggering", o.staggering);
  return {std::string(o.scheme), quantity, staggering, row_reader(o.scheme_rows).row()};
}

closure closure_of(const operator_attributes& o) {
  row_reader from(o.closure_rows);
  const auto head_count = static_cast<std::size_t>(from.next());
  const auto tail_count = static_cast<std::size_t>(from.next());
  auto head = from.rows(head_count);
  auto tail = from.rows(tail_count);
  return {std::string(o.closure), parsed<tridia::quantity>("quantity", o.quantity),
          parsed<tridia::staggering>("staggering", o.staggering), std::move(head), std::move(tail)};
}

grid grid_of(const operator_arrays& arrays, const operator_attributes& o) {
  grid g;
  g.type = arrays.type;
  g.extents = o.adjoint ? arrays.out : arrays.in;
  g.axis = static_cast<int>(o.axis);
  g.spacing = o.spacing;
  g.boundary = o.periodic ? boundary::periodic : boundary::regular;
  g.head = end_of("ends", o.head);
  g.tail = end_of("ends", o.tail);
  g.metric.assign(o.metric.begin(), o.metric.end());
  g.operation = o.adjoint ? operation::transpose : operation::none;
  return g;
}

}  // namespace

compact_operator make_operator(const operator_arrays& arrays, const operator_attributes& o,
                               backend backend, int device) {
  const scheme s = scheme_of(o);
  const options where{.backend = backend, .device = device};
  const grid g = grid_of(arrays, o);
  compact_operator made = o.closure_rows.empty() ? compact_operator(s, g, where)
                                                 : compact_operator(s, closure_of(o), g, where);
  if (made.in_extents() != arrays.in || made.out_extents() != arrays.out)
    refuse_argument("out: its shape is not the one that the operator writes");
  return made;
}

}  // namespace tridia::python
