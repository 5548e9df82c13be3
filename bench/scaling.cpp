// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause

// tridia_bench_scaling: lines that cross ranks, weak (as many points a rank) and strong (as many in
// all), with the time of each step. A row a step; the slowest rank's time counts.
#include "report.hpp"

#include "tridia/info.hpp"
#include "tridia/mpi.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <exception>
#include <stdexcept>
#include <string>
#include <vector>

namespace {

using namespace tridia_bench;
using tridia::index_t;
using tridia::distributed::communicator;
using tridia::distributed::grid;
using tridia::distributed::plan;
using tridia::distributed::strategy;

constexpr const char* kHelp =
    "mpirun -n P tridia bench scaling [OPTIONS]: own coefficients, f64, a 3-d field of N^3 points\n"
    "a rank (weak) and in all (strong), split along one axis, along the lines and across them\n"
    "  --json FILE        write the results there\n"
    "  --points N         along each axis (128)\n"
    "  --repetitions N    of every case (7)\n"
    "  --strategy NAME    this one alone (all, and automatic)\n";

struct options {
  std::string json;
  index_t points = 128;
  int repetitions = 7;
  std::vector<strategy> strategies{strategy::automatic, strategy::gather, strategy::allgather,
                                   strategy::pcr, strategy::all_to_all};
};

int positive(const std::string& option, const char* text) {
  int value = 0;
  const char* const end = text + std::strlen(text);
  if (std::from_chars(text, end, value).ptr != end || value < 1) {
    throw std::runtime_error(option + ": expected a number from 1, got \"" + text + "\"");
  }
  return value;
}

options parse(int argc, char** argv) {
  options o;
  for (int k = 1; k < argc; k += 2) {
    const std::string option = argv[k];
    if (k + 1 == argc) throw std::runtime_error(option + " takes a value");
    const char* const value = argv[k + 1];
    if (option == "--json") {
      o.json = value;
    } else if (option == "--points") {
      o.points = positive(option, value);
    } else if (option == "--repetitions") {
      o.repetitions = positive(option, value);
    } else if (option == "--strategy") {
      const auto found = tridia::distributed::parse_strategy(value);
      if (!found) throw std::runtime_error("--strategy: \"" + std::string(value) + "\" is none");
      o.strategies = {*found};
    } else {
      throw std::runtime_error(option + " is no option\n" + kHelp);
    }
  }
  return o;
}

struct scaling_case {
  const char* kind;
  std::vector<index_t> extents;
  std::vector<int> ranks;
  int axis;
  strategy how;
};

/// A block of a problem whose solution is known: x = 1 everywhere.
struct arrays {
  std::vector<double> dl, d, du, rhs, x;
  arrays(const grid& g, int rank, int axis) {
    const auto own = g.block(rank);
    std::size_t points = 1, inner = 1;
    for (std::size_t a = 0; a < 3; ++a) {
      points *= static_cast<std::size_t>(own.extents[a]);
      if (static_cast<int>(a) > axis) inner *= static_cast<std::size_t>(own.extents[a]);
    }
    dl.assign(points, -1), d.assign(points, 2.5), du.assign(points, -1);
    rhs.assign(points, 0.5), x.assign(points, 0);
    const auto rows = static_cast<std::size_t>(own.extents[axis]);
    for (std::size_t k = 0; k < points; ++k) {
      const index_t row = own.begin[axis] + static_cast<index_t>(k / inner % rows);
      if (row == 0 || row + 1 == g.extents()[axis]) rhs[k] = 1.5;
    }
  }
};

double slowest(double seconds) {
  MPI_Allreduce(MPI_IN_PLACE, &seconds, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  return seconds;
}

class measurement {
 public:
  measurement(const scaling_case& c, const communicator& by, const options& o)
      : case_(c),
        grid_(c.extents, c.ranks),
        arrays_(grid_, by.rank(), c.axis),
        plan_(grid_, {.axis = c.axis, .pivoting = tridia::pivoting::none}, by,
              {.strategy = c.how}) {
    for (int k = 0; k < o.repetitions + 1; ++k) run(k > 0);
    double error = 0;
    for (const double v : arrays_.x) error = std::max(error, std::fabs(v - 1));
    residual_ = slowest(error);
  }

  std::vector<row> rows() const {
    std::vector<row> all;
    const char* const names[] = {"sum", "reduce", "interface", "expand", "statuses"};
    for (int k = 0; k < 5; ++k) {
      row r;
      r.case_name = std::string(case_.kind) + ", " + names[k];
      r.solver = "tridia mpi " + std::string(name(case_.how));
      r.type = "f64";
      r.n = case_.extents[case_.axis];
      r.batch = case_.extents[0] * case_.extents[1] * case_.extents[2] / *r.n;
      r.layout = "axis " + std::to_string(case_.axis) + ", ranks (" + text(0) + ", " + text(1) +
                 ", " + text(2) + ")";
      r.boundary = "regular", r.pivoting = "none";
      r.ms = ms_[k];
      r.residual = residual_;
      if (!(residual_ < 1e-12)) r.error = "x is wrong by " + std::to_string(residual_);
      r.workspace_bytes = plan_.workspace_bytes();
      r.note = std::string(name(plan_.strategy())) + ": " + plan_.reason();
      all.push_back(r);
    }
    return all;
  }

 private:
  std::string text(int a) const { return std::to_string(case_.ranks[a]); }

  void run(bool counts) {
    MPI_Barrier(MPI_COMM_WORLD);
    const double began = MPI_Wtime();
    plan_.execute(arrays_.dl.data(), arrays_.d.data(), arrays_.du.data(), arrays_.rhs.data(),
                  arrays_.x.data());
    const double sum = slowest(MPI_Wtime() - began);
    const tridia::distributed::step_seconds& s = plan_.steps();
    const double steps[] = {sum, slowest(s.reduce), slowest(s.interface), slowest(s.expand),
                            slowest(s.statuses)};
    for (int k = 0; k < 5 && counts; ++k) ms_[k].push_back(steps[k] * 1e3);
  }

  scaling_case case_;
  grid grid_;
  arrays arrays_;
  plan plan_;
  std::vector<double> ms_[5];
  double residual_ = 0;
};

/// Split along axis 0: lines along it cross ranks, lines along axis 2 do not.
std::vector<scaling_case> cases(const options& o, int ranks) {
  std::vector<scaling_case> all;
  for (const bool weak : {true, false}) {
    const index_t n = o.points, split = weak ? n * ranks : n;
    if (split < ranks) continue;
    const char* const kind = weak ? "weak" : "strong";
    all.push_back({kind, {split, n, n}, {ranks, 1, 1}, 2, strategy::automatic});
    for (const strategy how : o.strategies) {
      all.push_back({kind, {split, n, n}, {ranks, 1, 1}, 0, how});
      all.push_back({kind, {n, n, split}, {1, 1, ranks}, 2, how});
    }
  }
  return all;
}

int run(int argc, char** argv) {
  const options o = parse(argc, argv);
  const communicator by = tridia::distributed::mpi_communicator(MPI_COMM_WORLD);
  suite s;
  for (const scaling_case& c : cases(o, by.size())) {
    for (const row& r : measurement(c, by, o).rows()) {
      s.rows.push_back(r);
      if (by.rank() == 0) {
        std::printf("%-20s %-28s %-22s %10.3f ms  %s\n", r.case_name.c_str(), r.layout->c_str(),
                    r.solver.c_str(), r.median_ms(), r.error.value_or("").c_str());
      }
    }
  }
  if (by.rank() != 0) return 0;
  std::string command = "mpirun -n " + std::to_string(by.size()) + " tridia bench scaling";
  for (int k = 1; k < argc; ++k) command += std::string(" ") + argv[k];
  char mpi[MPI_MAX_LIBRARY_VERSION_STRING] = "";
  int length = 0;
  MPI_Get_library_version(mpi, &length);
  if (!o.json.empty()) {
    write_json(o.json, s, cpu_machine(),
               {{"tridia", tridia::version()}, {"compiler", __VERSION__}, {"mpi", mpi}}, command);
  }
  return std::any_of(s.rows.begin(), s.rows.end(),
                     [](const row& r) { return r.error.has_value(); });
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  if (argc > 1 && std::strcmp(argv[1], "--help") == 0) {
    std::fputs(kHelp, stdout);
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
