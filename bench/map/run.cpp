// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#include "run.hpp"

#include "../arguments.hpp"
#include "../python.hpp"
#include "measured_cell.hpp"
#include "options.hpp"

#include "tridia/info.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <map>
#include <stdexcept>

namespace tridia_bench {
namespace {

/// A GPU that takes four minutes has 0.1 s a cell; two cores of a CPU have 0.25 s.
constexpr time_limits kDeviceLimits{
    .call_ms = 200, .cell_ms = 20, .least = 3, .most = 21, .setup_ms = 3000};
constexpr time_limits kHostLimits{
    .call_ms = 500, .cell_ms = 40, .least = 2, .most = 15, .setup_ms = 20000};
constexpr time_limits kQuickLimits{
    .call_ms = 100, .cell_ms = 0, .least = 1, .most = 1, .setup_ms = 20000};

time_limits limits_of(const map_options& o) {
  time_limits limits = o.cells.quick ? kQuickLimits : o.cuda ? kDeviceLimits : kHostLimits;
  if (o.limit_ms > 0) limits.call_ms = o.limit_ms;
  if (o.setup_limit_ms > 0) limits.setup_ms = o.setup_limit_ms;
  return limits;
}

std::unique_ptr<arena> make_arena(const map_options& o) {
  if (!o.cuda) return make_host_arena();
#if defined(TRIDIA_BENCH_CUDA)
  return make_device_arena();
#else
  throw std::runtime_error("--device cuda: this build has no CUDA backend");
#endif
}

/// Counts the cells of a feature by how far they are from the floor.
struct counts {
  int all = 0, near = 0, further = 0, beyond = 0, estimated = 0, absent = 0;
  double worst = 0;
  std::string where;

  void add(const measured_cell& m, const map_floors& floors) {
    ++all;
    const auto ms = m.median_ms();
    if (!ms) {
      ++absent;
      return;
    }
    const double times = *ms / floors.floor_ms(m.cell.what->reads(), m.cell.floor_bytes());
    ++(times <= 1.5 ? near : times <= 3 ? further : beyond);
    if (m.estimate) ++estimated;
    if (times <= worst) return;
    worst = times;
    where = m.cell.place();
  }
};

void print_head() {
  std::printf("%-4s %-40s %5s %6s %6s %6s %6s %6s  %s\n", "type", "feature", "cells", "<= 1.5",
              "<= 3", "beyond", "est.", "absent", "worst, times the floor");
}

void print_feature(tridia::value_type type, const std::string& feature, const counts& c) {
  std::printf("%-4s %-40s %5d %6d %6d %6d %6d %6d  %.3g (%s)\n",
              std::string(tridia::name(type)).c_str(), feature.c_str(), c.all, c.near, c.further,
              c.beyond, c.estimated, c.absent, c.worst, c.where.c_str());
  std::fflush(stdout);
}

/// Measures all cells of a type, feature after feature. Returns at how many of these other programs
/// had the machine.
int measure_type(arena& a, const map_options& o, tridia::value_type type,
                 const std::vector<cell>& cells, const map_floors& floors,
                 std::vector<measured_cell>& all) {
  const time_limits limits = limits_of(o);
  const tridia::options options{.backend = a.backend(), .tuning = o.tuning};
  index_t most = 0;
  for (const cell& c : cells) most = std::max(most, c.elements());
  a.load(type, most, o.cells.seed);
  counts counted;
  int disturbed = 0;
  for (std::size_t k = 0; k < cells.size(); ++k) {
    auto not_run = skipped(cells[k], all, limits);
    all.push_back(not_run ? *std::move(not_run) : measure_cell(a, cells[k], options, limits));
    counted.add(all.back(), floors);
    const std::string feature = cells[k].feature_name();
    if (k + 1 < cells.size() && cells[k + 1].feature_name() == feature) continue;
    print_feature(type, feature, counted);
    counted = {};
    if (floors.is_disturbed(a)) ++disturbed;
  }
  return disturbed;
}

void list_features(const map_options& o) {
  int all = 0;
  for (const tridia::value_type type : o.types) {
    std::vector<std::pair<std::string, int>> numbers;
    for (const cell& c : cells_of(type, o.cells)) {
      if (numbers.empty() || numbers.back().first != c.feature_name()) {
        numbers.emplace_back(c.feature_name(), 0);
      }
      ++numbers.back().second;
    }
    for (const auto& [feature, number] : numbers) {
      std::printf("%-4s %-40s %5d\n", std::string(tridia::name(type)).c_str(), feature.c_str(),
                  number);
      all += number;
    }
  }
  std::printf("%d cells\n", all);
}

std::size_t largest_array(const std::vector<std::vector<cell>>& cells) {
  std::size_t bytes = 0;
  for (const auto& of_type : cells) {
    for (const cell& c : of_type) {
      bytes = std::max(bytes, static_cast<std::size_t>(c.elements()) * size_of(c.spec.type));
    }
  }
  return std::min(bytes, std::size_t{512} << 20);
}

/// Draws the results by a script, which reads them.
void plot(const nlohmann::ordered_json& results, const std::string& path) {
  run_script("plot_map.py", quoted(path), results.dump());
}

}  // namespace

int run_map(int argc, char** argv) {
  const map_options o = parse_map_options(argc, argv);
  if (o.help) {
    std::fputs(map_help, stdout);
    return 0;
  }
  if (o.list) {
    list_features(o);
    return 0;
  }
  std::vector<std::vector<cell>> cells;
  for (const tridia::value_type type : o.types) cells.push_back(cells_of(type, o.cells));
  if (std::all_of(cells.begin(), cells.end(),
                  [](const auto& of_type) { return of_type.empty(); })) {
    throw std::runtime_error("--only \"" + o.cells.only + "\", --shapes \"" + o.cells.shapes +
                             "\": no cell matches both: --list names the features");
  }
  if (!o.plot.empty()) run_script("plot_map.py", "--check", "");

  const auto begin = std::chrono::steady_clock::now();
  const std::unique_ptr<arena> a = make_arena(o);
  map_floors floors;
  floors.measure(*a, largest_array(cells));
  std::vector<measured_cell> all;
  print_head();
  int disturbed = 0;
  for (std::size_t k = 0; k < o.types.size(); ++k) {
    if (cells[k].empty()) continue;
    disturbed += measure_type(*a, o, o.types[k], cells[k], floors, all);
  }
  if (disturbed > 0) {
    std::fprintf(
        stderr,
        "tridia_bench: other programs ran after %d of the features: their cells are slower "
        "than they need be, so measure again\n",
        disturbed);
  }
  if (!o.cells.quick) floors.measure(*a, largest_array(cells));  // the faster ones count

  const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - begin;
  std::printf("%zu cells in %.0f s\n", all.size(), taken.count());
  nlohmann::ordered_json results =
      results_head(a->machine(), {{"tridia", tridia::version()}, {"compiler", __VERSION__}},
                   command_of(argc, argv), o.remark);
  if (disturbed > 0) results["disturbed"] = disturbed;
  for (const row& r : floors.rows(*a)) results["rows"].push_back(to_json(r, std::nullopt));
  for (const measured_cell& m : all) results["rows"].push_back(to_json(m, *a, floors));
  if (!o.json.empty()) write_json(o.json, results);
  if (!o.plot.empty()) plot(results, o.plot);

  bool failed = false;
  for (const measured_cell& m : all) {
    if (m.error.empty()) continue;
    failed = true;
    std::fprintf(stderr, "tridia_bench: %s, %s, %s: %s\n", m.cell.feature_name().c_str(),
                 std::string(tridia::name(m.cell.spec.type)).c_str(), m.cell.place().c_str(),
                 m.error.c_str());
  }
  return failed ? 1 : 0;
}

}  // namespace tridia_bench
