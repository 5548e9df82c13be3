// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#include "commands/commands.hpp"
#include "commands/report.hpp"
#include "failure.hpp"
#include "files/cleanup.hpp"
#include "tridia/error.hpp"
#include "tridia/info.hpp"
#include "tridia/scheme.hpp"

#include <fmt/format.h>
#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstdio>
#include <new>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tridia::cli {
namespace {

constexpr const char* solve_help =
    "Solve A x = rhs for every system along an axis of arrays in NPY files.\n\n"
    "Files hold '<f4', '<f8', '<c8' or '<c16', all of one type, in C or Fortran order. The\n"
    "diagonals have the shape of the right-hand side, or 1 instead of a batch extent, or one\n"
    "dimension: one matrix for all. Off-diagonals may be one entry shorter along the axis. Row i\n"
    "reads dl[i] x[i-1] + d[i] x[i] + du[i] x[i+1] = rhs[i]; dl[0] and du[n-1] are ignored, "
    "unless\n"
    "--periodic makes them the corners. Files larger than memory are solved in slabs.\n\n"
    "--constant -1,4,-1 stands for the three diagonals: the same row everywhere, but for those "
    "that\n"
    "--constant-head and --constant-tail name. --offsets FILE ('<i8', from 0 to the number of "
    "rows)\n"
    "cuts one-dimensional files into systems of different lengths. With --ragged-layout packed "
    "they\n"
    "hold row 0 of all systems, then row 1 of those that have one, longest first; padded, files "
    "have\n"
    "two axes, and a system is the beginning of a line.\n\n"
    "Exit codes: 0 solved; 1 memory, a disk or a device failed; 2 bad input, nothing written;\n"
    "3 written, but some systems have no solution.\n";

/// Accepts, and lists, the names of an enumeration.
template <class E>
CLI::IsMember a_name_of() {
  const auto known = names<E>();
  return CLI::IsMember(std::vector<std::string>(known.begin(), known.end()));
}

void add_files(CLI::App& app, solve_arguments& a) {
  app.add_option("--dl", a.dl, "The diagonal below the main one")->type_name("FILE");
  app.add_option("--d", a.d, "The main diagonal")->type_name("FILE");
  app.add_option("--du", a.du, "The diagonal above the main one")->type_name("FILE");
  app.add_option("--constant", a.constant, "The numbers of every row, in place of these files")
      ->type_name("DL,D,DU");
  const auto add_rows = [&](const char* name, std::vector<std::string>& rows, const char* what) {
    app.add_option(name, rows, what)
        ->type_name("DL,D,DU")
        ->expected(1)
        ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  };
  add_rows("--constant-head", a.constant_head, "Row 0 of the matrix; again: row 1, ...");
  add_rows("--constant-tail", a.constant_tail, "Its last row; again: this is the last, ...");
  app.add_option("--offsets", a.offsets, "Where systems of different lengths begin, and the end")
      ->type_name("FILE");
  app.add_option("--ragged-layout", a.ragged_layout, "Where rows of such systems lie")
      ->check(a_name_of<ragged_layout>())
      ->capture_default_str();
  app.add_option("--rhs", a.rhs, "The right-hand sides")->required()->type_name("FILE");
  app.add_option("--out", a.out, "The solutions, like --rhs, which it may replace")
      ->required()
      ->type_name("FILE");
}

void add_problem(CLI::App& app, solve_arguments& a) {
  app.add_option("--axis", a.axis, "The axis of --rhs along which the systems lie")
      ->capture_default_str()
      ->type_name("K");
  app.add_flag("--periodic", a.periodic, "dl[0] and du[n-1] couple the first and the last row");
  app.add_option("--pivoting", a.pivoting, "Row interchanges: stable (partial) or fast (none)")
      ->check(a_name_of<pivoting>())
      ->capture_default_str();
  auto* transpose = app.add_flag("--transpose", a.transpose, "Solve A^T x = rhs");
  app.add_flag("--conjugate-transpose", a.conjugate_transpose, "Solve A^H x = rhs")
      ->excludes(transpose);
}

void add_execution(CLI::App& app, solve_arguments& a) {
  app.add_option("--device", a.device, "Where to solve")
      ->check(a_name_of<backend>())
      ->capture_default_str();
  app.add_option("--algorithm", a.algorithm, "How to solve")
      ->check(a_name_of<algorithm>())
      ->capture_default_str();
  app.add_option("--switch-point", a.switch_point,
                 "Rows of the intermediate system of cr_pcr, pcr_thomas, hierarchical; 0: chosen")
      ->capture_default_str()
      ->type_name("N");
  app.add_option("--packing-depth", a.packing_depth,
                 "Rows in the registers of a thread of packed_cr: 2, 4, 8, 16, 32; 0: chosen")
      ->capture_default_str()
      ->type_name("N");
  app.add_option("--transform", a.transformation, "What thomas on a GPU does with the data before")
      ->check(a_name_of<transformation>())
      ->capture_default_str();
  app.add_option("--neato-memory", a.neato_memory, "Where neato on a GPU keeps right-hand sides")
      ->check(a_name_of<neato_memory>())
      ->capture_default_str();
  app.add_option("--threads", a.threads, "CPU threads; 0 means all")
      ->check(CLI::Range(0, 65536))
      ->capture_default_str()
      ->type_name("N");
  app.add_option("--tuning", a.tuning, "What `tridia tune` measured on this GPU")
      ->type_name("FILE");
  app.add_option("--memory", a.memory, "Largest slab, as 512M or 2G; half of what is available")
      ->type_name("BYTES");
  app.add_flag("--json", a.json, "Print one JSON object");
  app.add_flag("--quiet", a.quiet, "Print no report and no progress");
}

constexpr const char* derive_help =
    "Differentiate a field along an axis by a compact finite-difference scheme.\n\n"
    "IN and OUT are NPY files ('<f4', '<f8', '<c8' or '<c16', C or Fortran order) or datasets of\n"
    "HDF5 files (FILE.h5:/DATASET, float or double, or a compound of two such, r and i, for "
    "complex\n"
    "numbers). An HDF5 file that is there is copied and the dataset added to the copy, which then\n"
    "replaces it. Files larger than memory go through in slabs.\n\n"
    "Exit codes: 0 done; 1 memory, a disk or a device failed; 2 bad input, nothing written.\n";

void add_derivative(CLI::App& app, derive_arguments& a) {
  app.add_option("IN", a.in, "The field")->required()->type_name("FILE");
  app.add_option("OUT", a.out, "Its derivative, like IN, which it may replace")
      ->required()
      ->type_name("FILE");
  app.add_option("--axis", a.axis, "The axis that is differentiated along")
      ->capture_default_str()
      ->type_name("K");
  app.add_option("--order", a.order, "Which derivative: the first to the fourth")
      ->check(CLI::IsMember({1, 2, 3, 4}))
      ->capture_default_str()
      ->type_name("1|2|3|4");
  app.add_option("--scheme", a.scheme, "The scheme in the interior; see tridia scheme")
      ->capture_default_str()
      ->type_name("NAME");
  app.add_option("--spacing", a.spacing, "The distance of neighbouring points")
      ->required()
      ->type_name("H");
  app.add_option("--closure", a.closure,
                 "The orders of the rows at the ends, the interior's in the middle, as 3-4-6-4-3")
      ->type_name("ORDERS");
  app.add_flag("--periodic", a.periodic, "The last point is followed by the first");
  app.add_flag("--transpose", a.transpose,
               "Apply the transpose (adjoint) of the derivative, as gradients need it");
  app.add_option("--device", a.device, "Where to work")
      ->check(a_name_of<backend>())
      ->capture_default_str();
  app.add_option("--threads", a.threads, "CPU threads; 0 means all")
      ->check(CLI::Range(0, 65536))
      ->capture_default_str()
      ->type_name("N");
  app.add_option("--memory", a.memory, "Largest slab, as 512M or 2G; half of what is available")
      ->type_name("BYTES");
  app.add_flag("--json", a.json, "Print one JSON object");
  app.add_flag("--quiet", a.quiet, "Print no report and no progress");
}

void add_scheme(CLI::App& app, scheme_arguments& a) {
  auto* name = app.add_option("NAME", a.name, "As C6 or F8; all are listed if not given");
  app.add_flag("--list", a.list, "List all schemes")->excludes(name);
  app.add_option("--of", a.what, "Only the scheme of this quantity")->check(a_name_of<quantity>());
  app.add_option("--alpha", a.alpha, "The parameter of filters, from -0.5 to 0.5")
      ->capture_default_str();
  app.add_option(
         "--plot", a.plot,
         "Draw the modified wavenumbers, those of explicit schemes beside them (needs Python's "
         "matplotlib)")
      ->type_name("FILE.png");
  app.add_flag("--json", a.json, "Print one JSON object");
}

constexpr const char* tune_help =
    "Measure on this GPU which parameters are best for its kernels and for the papers' algorithms\n"
    "(switch point, packing depth), by type and number of rows, and write them for\n"
    "tridia solve --tuning, and for tridia::options::tuning.";

void add_tuning(CLI::App& app, tune_arguments& a) {
  app.add_option("--device", a.device, "What is tuned")
      ->check(CLI::IsMember({"cuda"}))
      ->capture_default_str();
  app.add_option("--out", a.out, "The measurements; standard output if not given")
      ->type_name("FILE");
  app.add_option("--seconds", a.seconds, "When to stop; cases that were not reached keep the rules")
      ->check(CLI::PositiveNumber)
      ->capture_default_str()
      ->type_name("S");
  app.add_option("--type", a.types, "The types to tune for, the first ones first")
      ->check(a_name_of<value_type>())
      ->delimiter(',')
      ->type_name("TYPE,...");
  app.add_flag("--quiet", a.quiet, "Show no progress");
}

constexpr const char* doctor_help =
    "Say what was found on this machine, try each backend for a few seconds, and say what to\n"
    "install for what is missing.\n\n"
    "Exit codes: 0 all that is here works; 1 something does not.\n";

void add_diagnosis(CLI::App& app, doctor_arguments& a) {
  app.add_option("--memory", a.memory,
                 "What the checks may take, as 512M; half of what is available")
      ->type_name("BYTES");
  app.add_flag("--json", a.json, "Print one JSON object");
}

/// Holds what was asked for on the command line.
struct request {
  solve_arguments solve;
  derive_arguments derive;
  scheme_arguments scheme;
  tune_arguments tune;
  doctor_arguments doctor;
  bool json_info = false;
  CLI::App app{"tridia: many tridiagonal systems at the speed of memory", "tridia"};
  CLI::App* solve_app = nullptr;
  CLI::App* derive_app = nullptr;
  CLI::App* scheme_app = nullptr;
  CLI::App* tune_app = nullptr;
  CLI::App* doctor_app = nullptr;

  request() {
    app.set_version_flag("--version", "tridia " + version());
    app.require_subcommand(1);
    solve_app = app.add_subcommand("solve", solve_help);
    add_files(*solve_app, solve);
    add_problem(*solve_app, solve);
    add_execution(*solve_app, solve);
    derive_app = app.add_subcommand("derive", derive_help);
    add_derivative(*derive_app, derive);
    scheme_app = app.add_subcommand(
        "scheme", "Print compact schemes: coefficients, orders, closures, modified wavenumbers.");
    add_scheme(*scheme_app, scheme);
    tune_app = app.add_subcommand("tune", tune_help);
    add_tuning(*tune_app, tune);
    doctor_app = app.add_subcommand("doctor", doctor_help);
    add_diagnosis(*doctor_app, doctor);
    app.add_subcommand("bench",
                       "Time the solver, its peers and the memory; see tridia bench --help.");
    app.add_subcommand("reproduce",
                       "Repeat a paper's experiment on a GPU; see tridia reproduce --help.");
    app.add_subcommand("info", "Show the version, backends, devices, SIMD and threads.")
        ->add_flag("--json", json_info, "Print one JSON object");
  }
};

/// Returns true if the command is to be run; help and the version are printed here.
bool parse(request& r, int argc, char** argv) {
  try {
    r.app.parse(argc, argv);
    return true;
  } catch (const CLI::ParseError& e) {
    if (e.get_exit_code() == 0) {
      r.app.exit(e);
      return false;
    }
    throw bad_input("", std::string(e.what()) + " (see tridia --help, tridia solve --help)");
  }
}

/// Translates an error of the library. It names the library's arguments; some of them are options
/// here, too.
failure translated(const error& e) {
  constexpr std::pair<std::string_view, const char*> options[] = {
      {"algorithm: ", "--algorithm"},
      {"switch_point: ", "--switch-point"},
      {"packing_depth: ", "--packing-depth"},
      {"transformation: ", "--transform"},
      {"memory: ", "--neato-memory"},
      {"matrix: ", "--constant"},
      {"alpha_f: ", "--alpha"},
      {"backend: ", "--device"},
      {"closure: ", "--closure"},
      {"scheme: ", "--scheme"},
      {"spacing: ", "--spacing"}};
  const std::string_view sentence = e.what();
  const bool ours = e.code() == errc::out_of_memory || e.code() == errc::device_failure;
  const exit_code code = ours ? exit_failure : exit_bad_input;
  for (const auto& [prefix, option] : options) {
    if (sentence.starts_with(prefix))
      return {code, option, std::string(sentence.substr(prefix.size()))};
  }
  return {code, "", std::string(sentence)};
}

int run(int argc, char** argv) {
  // These two commands parse their own options.
  if (argc > 1 && std::string_view(argv[1]) == "bench") return bench_command(argv + 2);
  if (argc > 1 && std::string_view(argv[1]) == "reproduce") return reproduce_command(argv + 2);
  request r;
  if (!parse(r, argc, argv)) return exit_success;
  try {
    if (r.tune_app->parsed()) return tune_command(r.tune);
    if (r.derive_app->parsed()) return derive_command(r.derive);
    if (r.scheme_app->parsed()) return scheme_command(r.scheme);
    if (r.doctor_app->parsed()) return doctor_command(r.doctor);
    return r.solve_app->parsed() ? solve_command(r.solve) : info_command(r.json_info);
  } catch (const error& e) {
    throw translated(e);
  }
}

int report_failure(const failure& f, bool json) {
  fmt::print(stderr, "tridia: {}\n", f.what());
  if (json) print_json(to_json(f));
  return f.code();
}

}  // namespace
}  // namespace tridia::cli

int main(int argc, char** argv) {
  using namespace tridia::cli;
  handle_exhausted_memory();
  // Errors of the command line itself leave nothing parsed, and have to be reported as JSON, too.
  const bool json = std::find(argv, argv + argc, std::string_view("--json")) != argv + argc;
  try {
    return run(argc, argv);
  } catch (const failure& f) {
    return report_failure(f, json);
  } catch (const std::bad_alloc&) {
    return report_failure(failure(exit_failure, "", "memory ran out; a smaller --memory may help"),
                          json);
  } catch (const std::exception& e) {
    return report_failure(failure(exit_failure, "", e.what()), json);
  }
}
