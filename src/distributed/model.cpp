// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#include "distributed/model.hpp"

#include <array>
#include <bit>
#include <cmath>
#include <cstdio>

namespace tridia::distributed {
namespace {

constexpr auto strategy_names = std::to_array<std::string_view>(
    {"automatic", "gather", "allgather", "pcr", "all_to_all", "nearest"});

/// Formats a number as "3.1e-14".
std::string text(double v) {
  char buffer[32];
  std::snprintf(buffer, sizeof buffer, "%.2g", v);
  return buffer;
}

void check_name(strategy s) {
  if (name(s) != "invalid") return;
  throw error(errc::invalid_argument,
              "strategy: " + std::to_string(static_cast<int>(s)) + " is not a strategy");
}

/// Returns why `nearest` may not be used; empty if what it neglects is allowed.
std::string objection_to_nearest(const plan_options& o, pivoting p) {
  if (p != pivoting::none) return "the problem asks for pivoting partial: it needs pivoting none";
  if (!o.neglected_coupling) {
    return "neglected_coupling is not given: plan::neglected_coupling finds it, from the "
           "coefficients";
  }
  if (!(*o.neglected_coupling <= o.tolerance)) {
    return "it would neglect " + text(*o.neglected_coupling) +
           " of the largest |x|, above the tolerance of " + text(o.tolerance);
  }
  return {};
}

}  // namespace

std::string_view name(strategy s) noexcept {
  const auto k = static_cast<std::size_t>(s);
  return k < strategy_names.size() ? strategy_names[k] : "invalid";
}

std::optional<strategy> parse_strategy(std::string_view name) noexcept {
  for (std::size_t k = 0; k < strategy_names.size(); ++k) {
    if (strategy_names[k] == name) return static_cast<strategy>(k);
  }
  return std::nullopt;
}

traffic traffic_of(strategy s, int ranks, double lines, const interface_size& size) {
  const double others = ranks - 1, steps = std::bit_width(static_cast<unsigned>(ranks - 1));
  const double equations = lines * size.equations * size.bytes,
               unknowns = lines * size.unknowns * size.bytes;
  switch (s) {
    case strategy::gather:
      return {2, 2 * others, others * std::max(equations, unknowns), lines * 2 * others};
    case strategy::allgather:
      return {1, 2 * others, others * equations, lines * 2 * others};
    case strategy::pcr:
      return {steps, 2 * steps, steps * equations, lines * 2 * steps};
    case strategy::all_to_all:
      return {2, 4 * others, (equations + unknowns) * others / ranks, lines * 2 * others / ranks};
    case strategy::nearest:
      return {1, ranks > 2 ? 4.0 : 2.0, lines * 4 * size.bytes, lines * 2};
    case strategy::automatic:
      break;
  }
  return {};
}

double seconds(const traffic& t, const network& n) {
  return t.rounds * n.round_seconds + t.messages * n.message_seconds +
         t.bytes / n.bytes_per_second + t.joins / n.joins_per_second;
}

bool one_pass_pays(strategy s, int ranks, double lines, double rows, const interface_size& size,
                   const network& n) {
  constexpr double inputs = 4;
  const double again = lines * rows * inputs * size.bytes / n.memory_bytes_per_second;
  const double sent = lines * (ranks - 1) * size.equations * size.bytes;
  return sent / n.bytes_per_second <= again + seconds(traffic_of(s, ranks, lines, size), n);
}

void check_known_matrix(strategy s) {
  check_name(s);
  if (s == strategy::automatic || s == strategy::gather) return;
  throw error(errc::unsupported, "strategy: " + std::string(name(s)) +
                                     " is for coefficients in arrays; constant ones and compact "
                                     "operators can have automatic or gather");
}

strategy_choice choose_strategy(const plan_options& o, pivoting p, int ranks, double lines,
                                const interface_size& size, const network& n) {
  check_name(o.strategy);
  const bool chooses = o.strategy == strategy::automatic;
  if (ranks == 1) {
    return {chooses ? strategy::allgather : o.strategy, "lines are not split: nothing is sent"};
  }
  const std::string objection = objection_to_nearest(o, p);
  if (o.strategy == strategy::nearest && !objection.empty()) {
    throw error(errc::unsupported, "strategy: nearest cannot be had: " + objection);
  }
  if (!chooses) return {o.strategy, "asked for"};
  strategy best = strategy::pcr;
  double least = HUGE_VAL;
  std::string times;
  for (int k = 1; k < static_cast<int>(strategy_names.size()); ++k) {
    const auto s = static_cast<strategy>(k);
    if (s == strategy::nearest && !objection.empty()) continue;
    const double t = seconds(traffic_of(s, ranks, lines, size), n);
    times += (times.empty() ? "" : ", ") + std::string(name(s)) + " " + text(t * 1e6);
    if (t < least) least = t, best = s;
  }
  return {best, "the least time for " + std::to_string(ranks) +
                    " ranks by the model (microseconds: " + times + ")"};
}

}  // namespace tridia::distributed
