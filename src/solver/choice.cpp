// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#include "solver/choice.hpp"

#include "solver/cpu/parts/part_choice.hpp"
#include "solver/default_parameters.hpp"
#include "solver/reduction.hpp"
#include "solver/registry.hpp"

#include <algorithm>

namespace tridia::solver {
namespace {

using layout::has_constant_coefficients;

[[noreturn]] void refuse(const algorithm_entry& a, const std::string& why) {
  throw error(errc::unsupported, "algorithm: " + std::string(name(a.algorithm)) + ' ' + why);
}

bool is_available(const algorithm_entry& a, backend where) {
  if (a.backends == availability::everywhere || where == backend::cuda) return true;
  return where == (a.backends == availability::cpu_and_cuda ? backend::cpu : backend::reference);
}

/// Checks the algorithms that read the rows of a line at one distance from each other.
void check_layout(const algorithm_entry& a, const problem& p, transformation t) {
  if (p.ragged_layout != ragged_layout::packed) return;
  if (!a.every_problem) {
    refuse(a,
           "takes ragged batches that are concatenated or padded, but ragged_layout is packed: ask "
           "for automatic, thomas or lu");
  }
  if (t != transformation::none) {
    throw error(errc::unsupported,
                "transformation: " + std::string(name(t)) +
                    " interleaves systems, but ragged_layout is packed, which is "
                    "interleaved: ask for none");
  }
}

void check_problem(const algorithm_entry& a, const problem& p, backend where) {
  if (!is_available(a, where)) {
    refuse(a, std::string("is for the backends ") +
                  (a.backends == availability::cpu_and_cuda ? "cpu" : "reference") +
                  " and cuda, but " + std::string(name(where)) +
                  " was asked for: ask for one of those, or for automatic");
  }
  if (!a.pivots && p.pivoting == pivoting::partial) {
    refuse(a,
           "does not pivot, but the problem asks for pivoting partial: ask for pivoting none, "
           "or for the algorithm lu");
  }
  if (!a.factors && !a.constant_only && has_constant_coefficients(p)) {
    refuse(a, "takes coefficients from arrays, but the problem's are constant: ask for automatic");
  }
  if (a.every_problem) return;
  const bool is_real = p.type == value_type::f32 || p.type == value_type::f64;
  if (where == backend::cuda && !is_real) {
    refuse(a, "takes the types f32 and f64, but the problem's is " + std::string(name(p.type)) +
                  ": ask for automatic");
  }
  if (p.boundary != boundary::regular) {
    refuse(a, "takes the boundary regular, but the problem's is " + std::string(name(p.boundary)) +
                  ": ask for automatic, or thomas");
  }
  if (a.constant_only && !has_constant_coefficients(p)) {
    refuse(a, "takes the coefficients constant, but the problem's are " +
                  std::string(name(p.coefficients)) + ": ask for automatic, or cr");
  }
}

[[noreturn]] void refuse_parameter(const char* which, const std::string& why) {
  throw error(errc::invalid_argument, std::string(which) + ": " + why);
}

void check_parameter(const algorithm_entry* a, const char* which, bool given, bool has) {
  if (!given || has) return;
  refuse_parameter(which, "was given, but the algorithm " +
                              std::string(a ? name(a->algorithm) : name(algorithm::automatic)) +
                              " has no such parameter");
}

void check_transformation(transformation t, const problem& p, backend where) {
  const std::string asked(name(t));
  if (t == transformation::none) return;
  if (asked == "invalid") {
    refuse_parameter("transformation",
                     std::to_string(static_cast<int>(t)) + " is not a transformation");
  }
  if (where != backend::cuda) {
    refuse_parameter("transformation", asked + " is for the backend cuda, but " +
                                           std::string(name(where)) + " was asked for");
  }
  if (p.type != value_type::f32 && p.type != value_type::f64) {
    throw error(errc::unsupported, "transformation: " + asked +
                                       " takes the types f32 and f64, but the problem's is " +
                                       std::string(name(p.type)) + ": ask for none");
  }
  if (has_constant_coefficients(p)) {
    throw error(errc::unsupported, "transformation: " + asked +
                                       " moves coefficients, but the problem's are constant: ask "
                                       "for none");
  }
  const bool ragged = !p.offsets.empty();
  if (t == transformation::packed && !ragged) {
    refuse_parameter("transformation",
                     "packed is for a ragged batch, but offsets is empty: ask for full");
  }
  if (t == transformation::blocks && ragged) {
    refuse_parameter("transformation",
                     "blocks is for systems of one length, but offsets is given: ask for packed");
  }
}

/// Checks the options that are parameters of an algorithm. `a` is null for automatic.
void check_parameters(const algorithm_entry* a, const problem& p, const options& o) {
  const algorithm_parameters& given = o.parameters;
  if (given.switch_point < 0) {
    refuse_parameter("switch_point", std::to_string(given.switch_point) + " is below 0");
  }
  if (given.packing_depth != 0 && std::find(std::begin(packing_depths), std::end(packing_depths),
                                            given.packing_depth) == std::end(packing_depths)) {
    refuse_parameter("packing_depth", std::to_string(given.packing_depth) +
                                          " is none of 2, 4, 8, 16 and 32, nor 0 for the default");
  }
  check_parameter(a, "switch_point", given.switch_point != 0, a && a->switch_point);
  check_parameter(a, "packing_depth", given.packing_depth != 0, a && a->packing_depth);
  check_parameter(a, "transformation", given.transformation != transformation::none,
                  a && a->transformation);
  check_parameter(a, "memory", given.memory != neato_memory::automatic, a && a->memory);
  if (name(given.memory) == "invalid") {
    refuse_parameter("memory", std::to_string(static_cast<int>(given.memory)) +
                                   " is none of automatic, shared and global");
  }
  if (given.memory != neato_memory::automatic && o.backend != backend::cuda) {
    refuse_parameter("memory", std::string(name(given.memory)) + " is for the backend cuda, but " +
                                   std::string(name(o.backend)) + " was asked for");
  }
  check_transformation(given.transformation, p, o.backend);
}

/// Returns whether systems of constants are so short and so few that NEATO is faster than a scan.
/// On an H200 (f64, in memory order: nothing else was measured) it takes 0.95 of its time at 32
/// rows, in five stages, for 32 and for 1024 systems, but 1.05 at 64 rows, in six, and 1.2 for 4096
/// of them.
bool is_quick_by_neato(const problem& p, const layout::resolved& r) {
  constexpr index_t shortest = 32, longest = 63, most_lines = 1024;
  const bool taken = has_constant_coefficients(p) && p.pivoting == pivoting::none &&
                     p.boundary == boundary::regular && p.type == value_type::f64;
  if (!taken || r.rows < shortest || r.rows > longest) return false;
  const auto axis = static_cast<std::size_t>(r.axis);
  if (r.in[layout::rhs_in].strides[axis] != 1 || r.out.strides[axis] != 1) return false;
  if (r.systems * p.right_hand_sides > most_lines) return false;
  return reduces_stably(line_operator::make_constant_matrix(p, r.rows));
}

choice automatic_choice(const problem& p, const layout::resolved& r, backend where) {
  const bool pivots = p.pivoting == pivoting::partial;
  if (where == backend::cuda) {
    if (is_quick_by_neato(p, r)) {
      return {algorithm::neato,
              "a few short systems of constants: its stages take less than a scan"};
    }
    if (p.ragged_layout != ragged_layout::concatenated) {
      return {pivots ? algorithm::lu : algorithm::thomas,
              "systems of different lengths do not follow each other in memory"};
    }
    return {algorithm::partition, pivots ? "partial pivoting is asked for; most systems need none"
                                         : "no pivoting: every row is moved once where it fits"};
  }
  if (where == backend::cpu && p.offsets.empty() &&
      cpu::parts_are_faster(layout::make_geometry(p, r), p.coefficients, p.type)) {
    return {algorithm::partition, "lines are long, or few: their parts fill lanes and threads"};
  }
  return pivots ? choice{algorithm::lu, "partial pivoting is asked for"}
                : choice{algorithm::thomas, "no pivoting: the fewest operations a row"};
}

}  // namespace

choice choose(const problem& p, const layout::resolved& r, const options& o) {
  if (o.algorithm == algorithm::automatic) {
    check_parameters(nullptr, p, o);
    return automatic_choice(p, r, o.backend);
  }
  const algorithm_entry* const a = find_algorithm(o.algorithm);
  if (a == nullptr) {
    throw error(
        errc::invalid_argument,
        "algorithm: " + std::to_string(static_cast<int>(o.algorithm)) + " is not an algorithm");
  }
  check_problem(*a, p, o.backend);
  check_parameters(a, p, o);
  check_layout(*a, p, o.parameters.transformation);
  const bool idle = a->algorithm == algorithm::lu && p.pivoting == pivoting::none;
  return {a->algorithm, idle ? "asked for, though no pivoting would do" : "asked for"};
}

pivoting pivoting_of(algorithm a, pivoting asked) {
  const algorithm_entry& can = *find_algorithm(a);
  // lu always pivots; partition pivots if the problem asks for it.
  return !can.pivots ? pivoting::none : a == algorithm::lu ? pivoting::partial : asked;
}

bool saves_factors(algorithm a) { return find_algorithm(a)->factors; }

}  // namespace tridia::solver
