// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#include "options.hpp"

#include "tridia/scheme.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstring>
#include <iterator>
#include <set>
#include <span>
#include <stdexcept>
#include <string_view>

namespace tridia_bench {
namespace {

using tridia::distributed::strategy;
using what = scaling_case::what;

/// Compact operators know no other.
constexpr strategy kOfDerivatives[] = {strategy::automatic, strategy::gather};

bool contains(std::span<const strategy> all, strategy one) {
  return std::ranges::find(all, one) != all.end();
}

constexpr std::string_view kSuites[] = {"basic", "targets", "full", "thesis", "thesis-table"};

std::string listed(std::span<const std::string_view> names) {
  std::string all;
  for (const auto name : names) all.append(all.empty() ? "" : ", ").append(name);
  return all;
}

bool is_yes(const std::string& option, const std::string& value) {
  if (value == "yes" || value == "no") return value == "yes";
  throw std::runtime_error(option + ": \"" + value + "\" is neither yes nor no");
}

int positive(const std::string& option, const char* text) {
  int value = 0;
  const char* const end = text + std::strlen(text);
  if (std::from_chars(text, end, value).ptr != end || value < 1) {
    throw std::runtime_error(option + ": expected a number from 1, got \"" + text + "\"");
  }
  return value;
}

/// Returns grids of ranks split in one, two and three directions, the slowest axes first.
std::vector<std::vector<int>> splits(int ranks) {
  std::vector<std::vector<int>> all{{ranks, 1, 1}};
  if (ranks % 2 == 0 && ranks > 2) all.push_back({2, ranks / 2, 1});
  if (ranks % 4 == 0 && ranks > 4) all.push_back({2, 2, ranks / 4});
  return all;
}

/// Returns the largest divisor of `of` whose `power`-th power is at most `of`.
int even_part(int of, int power) {
  int best = 1;
  for (int d = 2; d <= of; ++d) {
    if (of % d == 0 && std::pow(d, power) <= of) best = d;
  }
  return best;
}

/// Returns grids of ranks that are as even as possible in one, two and three directions, of which
/// `axis` is always one, with the most ranks.
std::vector<std::vector<int>> splits_across(int ranks, int axis) {
  const int other = axis == 0 ? 1 : 0, last = 3 - axis - other;
  std::vector<std::vector<int>> all{{1, 1, 1}};
  all[0][axis] = ranks;
  if (const int two = even_part(ranks, 2); two > 1) {
    all.push_back({1, 1, 1});
    all.back()[axis] = ranks / two, all.back()[other] = two;
  }
  if (const int three = even_part(ranks, 3); three > 1) {
    const int two = even_part(ranks / three, 2);
    all.push_back({1, 1, 1});
    all.back()[axis] = ranks / three / two, all.back()[other] = two, all.back()[last] = three;
  }
  return all;
}

std::vector<index_t> cube(index_t points, const std::vector<int>& times) {
  return {points * times[0], points * times[1], points * times[2]};
}

class case_list {
 public:
  case_list(const scaling_options& o, int ranks) : options_(o), ranks_(ranks) {}

  void weak(what does, index_t points, const std::vector<int>& split, int axis, strategy how) {
    all.push_back({"weak", does, cube(points, split), split, axis, how});
  }
  void strong(what does, std::vector<index_t> extents, const std::vector<int>& split, int axis,
              strategy how) {
    all.push_back({"strong", does, std::move(extents), split, axis, how});
  }

  /// Adds solves of lines that cross ranks, slow and fast in memory, and derivatives.
  void basic() {
    const index_t n = options_.points;
    const std::vector<int> slow{ranks_, 1, 1}, fast{1, 1, ranks_};
    for (const bool grows : {true, false}) {
      const auto add = [&](what does, const std::vector<int>& split, int axis, strategy how) {
        grows ? weak(does, n, split, axis, how)
              : strong(does, cube(n, {1, 1, 1}), split, axis, how);
      };
      if (!grows && n < ranks_) continue;
      add(what::solve, slow, 2, strategy::automatic);
      for (const strategy how : options_.strategies) {
        add(what::solve, slow, 0, how), add(what::solve, fast, 2, how);
      }
      for (int axis = 0; axis < 3; ++axis) add(what::derivative, slow, axis, strategy::automatic);
      add(what::derivative, fast, 2, strategy::automatic);
    }
  }

  /// Adds solves with their own coefficients as PaScaL_TDMA 2.1 and OP-DSL report them: lines are
  /// slow in memory.
  void published() {
    const index_t n = options_.points;
    for (const strategy how : options_.strategies) {
      strong(what::solve, {32 * n, 2 * n, 2 * n}, {ranks_, 1, 1}, 0, how);
      strong(what::solve, {32 * n, n, n}, {ranks_, 1, 1}, 0, how);
      strong(what::solve, cube(4 * n, {1, 1, 1}), {ranks_, 1, 1}, 0, how);
      strong(what::solve, cube(4 * n, {1, 1, 1}), {1, 1, ranks_}, 2, how);
    }
  }

  void targets() {
    const index_t points = options_.points;
    const std::vector<int> slow{ranks_, 1, 1}, fast{1, 1, ranks_};
    for (int axis = 0; axis < 3; ++axis) weak(what::derivative, 4 * points, slow, axis, {});
    weak(what::derivative, 4 * points, fast, 2, {});
    for (const index_t n : {4 * points, 2 * points}) {
      strong(what::derivative, {n, n, n}, slow, 0, {});
      strong(what::derivative, {n, n, n}, fast, 2, {});
    }
    published();
  }

  /// Adds derivatives on grids split as a program would split all its axes, and on grids whose
  /// lines cross as many ranks.
  void full() {
    const index_t points = options_.points;
    for (int axis = 0; axis < 3; ++axis) {
      std::set<std::vector<int>> grids;
      for (const auto& some : {splits(ranks_), splits_across(ranks_, axis)}) {
        grids.insert(some.begin(), some.end());
      }
      for (const auto& split : grids) {
        for (const index_t n : {2 * points, 4 * points}) {
          weak(what::derivative, n, split, axis, {});
        }
        for (const index_t n : {2 * points, 4 * points, 8 * points}) {
          strong(what::derivative, {n, n, n}, split, axis, {});
        }
      }
    }
    published();
  }

  /// Adds the cases of figures 4.7 to 4.10 of the thesis (Srinath, 2015), where N is 256, in every
  /// direction, by its own method as well; larger grids for 4.5 and 4.6, and for table 4.2, which
  /// has the fastest direction alone.
  void thesis(bool table) {
    const index_t n = options_.points;
    for (int axis = table ? 2 : 0; axis < 3; ++axis) {
      const auto splits = splits_across(ranks_, axis);
      for (const auto& split : splits) {
        if (table) break;
        for (const strategy how : methods(split[axis])) {
          for (const index_t m : {n, 2 * n}) strong(what::derivative, {m, m, m}, split, axis, how);
          for (const index_t m : {n / 2, n}) weak(what::derivative, m, split, axis, how);
        }
      }
      for (const index_t m : {n, 2 * n, 4 * n, 8 * n}) {
        const bool in_figures = !table && m <= 2 * n;
        if (in_figures) continue;
        for (const strategy how : methods(table ? 1 : splits.back()[axis])) {
          if (fits(m, how)) strong(what::derivative, {m, m, m}, splits.back(), axis, how);
        }
      }
    }
  }

  std::vector<scaling_case> all;

 private:
  /// Returns the methods of derivatives whose lines cross so many ranks: on one there is no choice.
  [[nodiscard]] std::vector<strategy> methods(int ranks_of_line) const {
    if (ranks_of_line == 1) return {strategy::automatic};
    std::vector<strategy> some;
    for (const strategy how : kOfDerivatives) {
      if (contains(options_.strategies, how)) some.push_back(how);
    }
    return some;
  }

  /// Returns whether all arrays fit in 64 GiB of each GPU, or in 16 GiB of a machine without any:
  /// `gather` has one beside the points and the results.
  [[nodiscard]] bool fits(index_t m, strategy how) const {
    const index_t bytes = (how == strategy::gather ? 3 : 2) * index_t{sizeof(double)} * m * m * m;
    return options_.on_gpus ? bytes / ranks_ <= index_t{64} << 30 : bytes <= index_t{16} << 30;
  }

  const scaling_options& options_;
  int ranks_;
};

}  // namespace

scaling_options parse_scaling(int argc, char** argv) {
  scaling_options o;
  o.strategies = {strategy::automatic, strategy::gather,     strategy::allgather,
                  strategy::pcr,       strategy::all_to_all, strategy::nearest};
  for (int k = 1; k < argc; k += 2) {
    const std::string option = argv[k];
    if (k + 1 == argc) throw std::runtime_error(option + " takes a value");
    const std::string value = argv[k + 1];
    if (option == "--json") {
      o.json = value;
    } else if (option == "--device") {
      if (value != "cpu" && value != "cuda") {
        throw std::runtime_error("--device: \"" + value + "\" is neither cpu nor cuda");
      }
      o.on_gpus = value == "cuda";
    } else if (option == "--alone") {
      o.alone = is_yes(option, value);
    } else if (option == "--peer-memory") {
      o.peer_memory = is_yes(option, value);
    } else if (option == "--suite") {
      if (std::ranges::find(kSuites, value) == std::end(kSuites)) {
        throw std::runtime_error("--suite: \"" + value + "\" is none of " + listed(kSuites));
      }
      o.suite = value;
    } else if (option == "--points") {
      o.points = positive(option, value.c_str());
    } else if (option == "--repetitions") {
      o.repetitions = positive(option, value.c_str());
    } else if (option == "--slabs") {
      o.slabs = positive(option, value.c_str());
    } else if (option == "--scheme") {
      const auto known = tridia::scheme_names(tridia::quantity::first_derivative);
      if (std::ranges::find(known, value) == known.end()) {
        throw std::runtime_error("--scheme: \"" + value + "\" is none of " +
                                 listed(std::vector<std::string_view>(known.begin(), known.end())));
      }
      o.scheme = value;
    } else if (option == "--strategy") {
      const auto found = tridia::distributed::parse_strategy(value);
      if (!found) throw std::runtime_error("--strategy: \"" + value + "\" is none");
      o.strategies = {*found};
    } else {
      throw std::runtime_error(option + " is no option\n" + kScalingHelp);
    }
  }
  const bool only_derivatives = o.suite.starts_with("thesis");
  if (only_derivatives && std::ranges::none_of(kOfDerivatives, [&](strategy how) {
        return contains(o.strategies, how);
      })) {
    throw std::runtime_error("--strategy: \"" + std::string(name(o.strategies[0])) +
                             "\" is not for derivatives, which are all that the suite " + o.suite +
                             " has: ask for automatic or gather");
  }
  return o;
}

std::vector<scaling_case> scaling_cases(const scaling_options& o, int ranks) {
  case_list list(o, ranks);
  if (o.suite == "basic") list.basic();
  if (o.suite == "targets") list.targets();
  if (o.suite == "full") list.full();
  if (o.suite.starts_with("thesis")) list.thesis(o.suite == "thesis-table");
  for (scaling_case& c : list.all) c.slabs = o.slabs, c.scheme = o.scheme;
  return list.all;
}

}  // namespace tridia_bench
