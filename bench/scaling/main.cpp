// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause

// tridia_bench_scaling measures fields that are spread over ranks, on CPUs or GPUs, with weak
// scaling (the same number of points per rank) and strong scaling (the same number in all), with
// the time of each step and that of one rank alone.
#include "../report.hpp"
#include "options.hpp"
#include "ranks.hpp"
#include "work.hpp"

#include "tridia/info.hpp"

#include <mpi.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <exception>
#include <map>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

namespace {

using namespace tridia_bench;
using tridia::distributed::communicator;

double slowest(double seconds) {
  MPI_Allreduce(MPI_IN_PLACE, &seconds, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  return seconds;
}

/// Returns the seconds of `count` executions, one after another, on the slowest rank of those that
/// take part.
double seconds_of(work& w, const communicator& by, int count, bool takes_part) {
  MPI_Barrier(MPI_COMM_WORLD);
  const double began = MPI_Wtime();
  for (int k = 0; takes_part && k < count; ++k) w.execute(nullptr);
  by.synchronize(nullptr);
  return slowest(MPI_Wtime() - began);
}

struct measured {
  std::vector<double> ms;                             // of each repetition
  std::vector<std::pair<std::string, double>> steps;  // and their milliseconds, in the last one
  double error;
  std::size_t workspace_bytes;
  std::string note;

  [[nodiscard]] double median() const {
    row r;
    r.ms = ms;
    return r.median_ms();
  }
};

/// Adds the times of the phases of an execution.
void add_steps(measured& m, const scaling_case& c, const communicator& by, bool takes_part) {
  const auto w = make_work(c, by, true);
  seconds_of(*w, by, 2, takes_part);
  for (const step& s : w->timings()) m.steps.emplace_back(s.name, slowest(s.seconds) * 1e3);
  // The slowest rank of each step would count the waiting of the others again. Rank 0, which writes
  // the rows, is the first of its lines, and solves their reduced systems.
  for (const step& s : w->thesis_steps()) m.steps.emplace_back(s.name, s.seconds * 1e3);
}

measured measure(const scaling_case& c, const communicator& by, const scaling_options& o,
                 bool takes_part = true) {
  measured m;
  {
    const auto w = make_work(c, by, false);
    // A repetition has so many executions that neither the clock's resolution nor the latency of
    // the device matters.
    seconds_of(*w, by, 1, takes_part);
    const double once = seconds_of(*w, by, 2, takes_part) / 2;
    const int count = by.device() < 0 ? 1 : std::clamp(static_cast<int>(0.01 / once), 2, 100);
    for (int k = 0; k < o.repetitions; ++k) {
      m.ms.push_back(seconds_of(*w, by, count, takes_part) / count * 1e3);
    }
    m.error = slowest(w->error());
    m.workspace_bytes = w->workspace_bytes();
    m.note = w->note();
  }
  add_steps(m, c, by, takes_part);
  return m;
}

std::string text(const std::vector<int>& ranks) {
  std::string all;
  for (const int r : ranks) all += (all.empty() ? "" : ", ") + std::to_string(r);
  return all;
}

row row_of(const scaling_case& c, const measured& m, const char* transport) {
  row r;
  const bool solves = c.does == scaling_case::what::solve;
  r.solver = std::string("tridia ") + transport;
  if (solves || c.how != tridia::distributed::strategy::automatic) {
    r.solver += ' ' + std::string(name(c.how));
  }
  r.type = "f64";
  r.n = c.extents[c.axis];
  r.batch = c.extents[0] * c.extents[1] * c.extents[2] / *r.n;
  r.layout = "axis " + std::to_string(c.axis) + ", ranks (" + text(c.ranks) + ")";
  r.boundary = "regular";
  if (solves) r.pivoting = "none";
  r.residual = m.error;
  if (!(m.error < 1e-10)) r.error = "the result is wrong by " + std::to_string(m.error);
  r.workspace_bytes = m.workspace_bytes;
  r.note = m.note;
  return r;
}

/// Holds the times of one rank alone, by the problem that it solves.
class alone {
 public:
  alone(const communicator& self, const scaling_options& o, bool first)
      : self_(self), options_(o), first_(first) {}

  /// Returns the time of one rank alone for what each rank has (weak) or for the whole (strong);
  /// nothing if the problem does not fit one rank, or the times are not asked for.
  std::optional<double> ms_of(scaling_case c) {
    if (!options_.alone) return std::nullopt;
    if (c.kind == "weak") {
      for (std::size_t a = 0; a < 3; ++a) c.extents[a] /= c.ranks[a];
    }
    c.ranks = {1, 1, 1};
    if (c.extents[0] * c.extents[1] * c.extents[2] > kMostAlone) return std::nullopt;
    const auto key = std::to_string(static_cast<int>(c.does)) + ' ' + std::to_string(c.axis) + ' ' +
                     std::to_string(c.extents[0]) + ' ' + std::to_string(c.extents[1]) + ' ' +
                     std::to_string(c.extents[2]);
    const auto found = known_.find(key);
    if (found != known_.end()) return found->second;
    // Cores of one machine share its memory, so the others are idle.
    const bool takes_part = self_.device() >= 0 || first_;
    return known_[key] = measure(c, self_, options_, takes_part).median();
  }

 private:
  static constexpr index_t kMostAlone = index_t{1} << 31;
  const communicator& self_;
  const scaling_options& options_;
  bool first_;
  std::map<std::string, double> known_;
};

std::string efficiency(const scaling_case& c, double ms, double one) {
  int ranks = 1;
  for (const int r : c.ranks) ranks *= r;
  char line[96];
  std::snprintf(line, sizeof line,
                c.kind == "weak" ? "efficiency %.3f of one rank's %.4g ms"
                                 : "%.3f times as fast as one rank's %.4g ms",
                one / ms, one);
  return line;
}

/// Measures a case; returns nothing if all ranks are told that a strategy is not possible, as
/// blocks are too short for `nearest`.
std::optional<measured> measure_if_possible(const scaling_case& c, const communicator& by,
                                            const scaling_options& o) {
  try {
    return measure(c, by, o);
  } catch (const tridia::error& e) {
    if (e.code() != tridia::errc::unsupported) throw;
    if (by.rank() == 0) std::fprintf(stderr, "left out: %s\n", e.what());
    return std::nullopt;
  }
}

void add_rows(suite& s, const scaling_case& c, const communicator& by, const scaling_options& o,
              alone& one_rank) {
  const auto possible = measure_if_possible(c, by, o);
  if (!possible) return;
  const measured& m = *possible;
  const char* const transport = by.device() < 0 ? "mpi" : "nccl";
  const std::string does = c.does == scaling_case::what::solve ? "solve" : c.scheme + " derivative";
  row whole = row_of(c, m, transport);
  whole.case_name = c.kind + ", " + does;
  whole.ms = m.ms;
  if (const auto one = one_rank.ms_of(c)) whole.parameter = efficiency(c, m.median(), *one);
  s.rows.push_back(whole);
  std::string steps;
  for (const auto& [step, ms] : m.steps) {
    row r = row_of(c, m, transport);
    r.case_name = whole.case_name + ", " + step;
    r.ms = {ms};
    s.rows.push_back(r);
    char part[48];
    std::snprintf(part, sizeof part, " %s %.3f", step.c_str(), ms);
    steps += part;
  }
  if (by.rank() != 0) return;
  std::printf("%-22s %5lldx%-8lld %-28s %-22s %9.3f ms  %s;%s  %s\n", whole.case_name.c_str(),
              static_cast<long long>(*whole.n), static_cast<long long>(*whole.batch),
              whole.layout->c_str(), whole.solver.c_str(), whole.median_ms(),
              whole.parameter.value_or("").c_str(), steps.c_str(),
              whole.error.value_or("").c_str());
  std::fflush(stdout);
}

void write(const scaling_options& o, const suite& s, int ranks, int argc, char** argv) {
  std::string command = "mpirun -n " + std::to_string(ranks) + " tridia bench scaling";
  for (int k = 1; k < argc; ++k) command += std::string(" ") + argv[k];
  char mpi[MPI_MAX_LIBRARY_VERSION_STRING] = "";
  int length = 0;
  MPI_Get_library_version(mpi, &length);
  std::map<std::string, std::string> versions{
      {"tridia", tridia::version()}, {"compiler", __VERSION__}, {"mpi", mpi}};
  write_json(o.json, s, scaling_machine(o.on_gpus, versions), versions, command);
}

int run(int argc, char** argv) {
  const scaling_options o = parse_scaling(argc, argv);
  if (o.on_gpus) take_gpu();
  const communicator by = all_ranks(o.on_gpus, o.peer_memory),
                     self = this_rank(o.on_gpus, o.peer_memory);
  alone one_rank(self, o, by.rank() == 0);
  suite s;
  for (const scaling_case& c : scaling_cases(o, by.size())) add_rows(s, c, by, o, one_rank);
  if (by.rank() != 0) return 0;
  if (!o.json.empty()) write(o, s, by.size(), argc, argv);
  return std::any_of(s.rows.begin(), s.rows.end(),
                     [](const row& r) { return r.error.has_value(); });
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  if (argc > 1 && std::strcmp(argv[1], "--help") == 0) {
    std::fputs(kScalingHelp, stdout);
    MPI_Finalize();
    return 0;
  }
  int code = 2;
  try {
    code = run(argc, argv);
  } catch (const std::exception& e) {
    std::fprintf(stderr, "tridia_bench_scaling: %s\n", e.what());
  }
  // Ranks that go on would wait for one that has failed.
  if (code == 2) MPI_Abort(MPI_COMM_WORLD, code);
  MPI_Finalize();
  return code;
}
