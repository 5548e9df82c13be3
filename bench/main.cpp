// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
//
// tridia_bench compares the library with its peers and with the speed of memory, in one run.
#include "arguments.hpp"
#include "cases_cpu.hpp"
#include "gtsv.hpp"
#include "map/run.hpp"
#include "papers/on_cpu.hpp"
#include "report.hpp"
#include "suite.hpp"

#if defined(TRIDIA_BENCH_CUDA)
#include "cuda/cases_cuda.hpp"
#include "papers/papers.hpp"
#endif

#include "tridia/info.hpp"

#include <benchmark/benchmark.h>

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <map>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace {

using namespace tridia_bench;

constexpr const char* kHelp =
    "tridia_bench [solve | derive | backward | inside | map | reproduce EXPERIMENT] [OPTIONS] "
    "[Google Benchmark's options]:\n"
    "times the library, its peers and the speed of memory, in one run\n"
    "  solve              the cases of the project's targets\n"
    "  derive             those of compact operators and constant coefficients\n"
    "  backward           gradients of solves, on a GPU\n"
    "  inside             lines that a kernel solves from coefficients that it makes, on a GPU\n"
    "  map                every feature at many shapes; it has its own options: map --help\n"
    "  reproduce hybrid|cuthomas|packing|neato   a paper's experiment, on a GPU; with --device "
    "cpu\n"
    "                     what hybrid and neato have for a CPU\n"
    "  --device cpu|cuda  what is measured (cpu)\n"
    "  --json FILE        write the results there\n"
    "  --remark TEXT      goes into the results: what else the machine was doing, say\n"
    "  --filter REGEX     the cases whose names match; -REGEX: those whose names do not\n"
    "  --mkl DIR          look for libmkl_rt.so below DIR (else: MKLROOT, VIRTUAL_ENV)\n"
    "  --repetitions N    of every case, instead of each case's own number\n"
    "  --seconds S        after so long a case is repeated no more (none; cuda: 1)\n"
    "  --seed K           other systems, on a GPU (0)\n"
    "  --tuning FILE      what `tridia tune` measured, instead of what comes with the library\n"
    "  --huge-pages       ask for huge pages for the cases' arrays, as NumPy does\n";

int positive(const std::string& option, const std::string& text) {
  int value = 0;
  const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (failure != std::errc() || end != text.data() + text.size() || value < 1) {
    throw std::runtime_error(option + ": expected a number from 1, got \"" + text + "\"");
  }
  return value;
}

double positive_seconds(const std::string& option, const std::string& text) {
  char* end = nullptr;
  const double value = std::strtod(text.c_str(), &end);
  if (text.empty() || *end != '\0' || !(value > 0)) {
    throw std::runtime_error(option + ": expected a number above 0, got \"" + text + "\"");
  }
  return value;
}

bool has_targets(std::string_view cases) { return cases == "solve" || cases == "derive"; }
bool needs_gpu(std::string_view cases) { return cases == "backward" || cases == "inside"; }

// Takes what is to be timed out of the arguments.
void take_command(suite_options& o, std::vector<char*>& arguments) {
  if (arguments.size() < 2) return;
  const std::string_view command = arguments[1];
  if (has_targets(command) || needs_gpu(command)) {
    o.cases = command;
    if (needs_gpu(command)) o.device = "cuda";
    arguments.erase(arguments.begin() + 1);
  } else if (command == "reproduce") {
    if (arguments.size() < 3 || has_targets(arguments[2])) {
      throw std::runtime_error("reproduce takes the name of an experiment");
    }
    o.cases = arguments[2];
    o.device = "cuda";
    arguments.erase(arguments.begin() + 1, arguments.begin() + 3);
  }
}

// Takes this program's own options out of the arguments; Google Benchmark gets the rest.
suite_options parse(std::vector<char*>& arguments) {
  suite_options o;
  std::vector<char*> rest;
  take_command(o, arguments);
  for (std::size_t k = 0; k < arguments.size(); ++k) {
    const std::string argument = arguments[k];
    const auto equals = argument.find('=');
    const std::string option = argument.substr(0, equals);
    const auto value = [&]() -> std::string {
      if (equals != argument.npos) return argument.substr(equals + 1);
      if (k + 1 == arguments.size()) throw std::runtime_error(option + " takes a value");
      return arguments[++k];
    };
    if (option == "--json") {
      o.json = value();
    } else if (option == "--remark") {
      o.remark = value();
    } else if (option == "--device") {
      o.device = value();
      if (o.device != "cpu" && o.device != "cuda") {
        throw std::runtime_error("--device: expected cpu or cuda, got \"" + o.device + "\"");
      }
    } else if (option == "--mkl") {
      o.mkl = value();
    } else if (option == "--repetitions") {
      o.repetitions = positive(option, value());
    } else if (option == "--seconds") {
      o.case_seconds = positive_seconds(option, value());
    } else if (option == "--seed") {
      o.seed = static_cast<std::uint64_t>(positive(option, value()));
    } else if (option == "--tuning") {
      o.tuning = read_tuning(value());
    } else if (option == "--filter") {
      benchmark::SetBenchmarkFilter(value());
    } else if (option == "--huge-pages") {
      o.huge_pages = true;
    } else if (option == "--help") {
      std::fputs(kHelp, stdout);
      std::exit(0);
    } else {
      rest.push_back(arguments[k]);
    }
  }
  arguments = rest;
  if (o.device == "cuda" && o.case_seconds == 0) o.case_seconds = 1;
  return o;
}

std::vector<gtsv_peer> find_peers(const suite_options& o,
                                  std::map<std::string, std::string>& versions) {
  std::vector<gtsv_peer> peers;
  if (const auto lapack = lapack_gtsv()) {
    versions["lapack"] = lapack->version;
    peers.push_back(*lapack);
  } else {
    std::fputs("tridia_bench: built without LAPACKE: its rows are absent\n", stderr);
  }
  if (const auto mkl = find_mkl(o.mkl)) {
    versions["mkl"] = mkl->gtsv.version;
    peers.push_back(mkl->gtsv);
    if (mkl->dtsvb.f64 != nullptr) peers.push_back(mkl->dtsvb);
  } else {
    std::fputs(
        "tridia_bench: no libmkl_rt.so (python3 -m pip install mkl, then --mkl DIR): "
        "MKL's rows are absent\n",
        stderr);
  }
  return peers;
}

std::optional<scipy_peer> find_scipy(std::map<std::string, std::string>& versions) {
  auto scipy = tridia_bench::find_scipy();
  if (scipy) {
    versions.insert(scipy->versions.begin(), scipy->versions.end());
  } else {
    std::fputs("tridia_bench: no Python with SciPy (python3-scipy): its rows are absent\n", stderr);
  }
  return scipy;
}

void say_floors(const suite& s) {
  for (const row& r : s.rows) {
    if (r.solver != "copy") continue;
    std::fprintf(stderr, "tridia_bench: copy, %s, %d threads: %.3f ms, %.2f GB/s (%s)\n",
                 r.case_name.c_str(), r.threads.value_or(0), r.median_ms(),
                 static_cast<double>(r.floor_bytes) / r.median_ms() * 1e-6,
                 r.note.value_or("").c_str());
  }
}

int run(int argc, char** argv) {
  if (argc > 1 && std::string_view(argv[1]) == "map") return run_map(argc, argv);
  std::vector<char*> arguments(argv, argv + argc);
  const bool list = std::any_of(arguments.begin(), arguments.end(), [](const char* a) {
    return std::strncmp(a, "--benchmark_list_tests", 22) == 0;
  });
  suite s;
  s.options = parse(arguments);
  int rest = static_cast<int>(arguments.size());
  benchmark::Initialize(&rest, arguments.data());
  if (benchmark::ReportUnrecognizedArguments(rest, arguments.data())) return 2;

  std::map<std::string, std::string> versions{{"tridia", tridia::version()},
                                              {"compiler", __VERSION__},
                                              {"lapack", ""},
                                              {"mkl", ""},
                                              {"cusparse", ""}};
  machine_info machine;
  if (needs_gpu(s.options.cases) && s.options.device == "cpu") {
    throw std::runtime_error(s.options.cases + ": it is timed on a GPU; pass --device cuda");
  }
  if (s.options.device == "cpu") {
    machine = cpu_machine();
    const std::vector<gtsv_peer> peers = find_peers(s.options, versions);
    const bool derives = s.options.cases == "derive";
    const auto scipy = derives ? find_scipy(versions) : std::nullopt;
    if (!list) measure_cpu_floors(s, false);
    say_floors(s);
    if (derives) {
      add_cpu_derive(s, scipy);
    } else if (s.options.cases == "solve") {
      add_cpu_cases(s, peers);
    } else {
      add_experiment_on_cpu(s, s.options.cases, peers);
    }
    benchmark::RunSpecifiedBenchmarks();
    if (!list) measure_cpu_floors(s, true);
  } else {
#if defined(TRIDIA_BENCH_CUDA)
    if (!list) {  // the names of the cases need no GPU
      machine = cuda_machine();
      versions["cusparse"] = cusparse_version();
      measure_cuda_floors(s, false);
    }
    say_floors(s);
    if (s.options.cases == "derive") {
      add_cuda_derive(s);
    } else if (s.options.cases == "backward") {
      add_cuda_backward(s);
    } else if (s.options.cases == "inside") {
      add_cuda_inside(s);
    } else if (s.options.cases == "solve") {
      add_cuda_cases(s);
    } else {
      const std::vector<gtsv_peer> peers = find_peers(s.options, versions);
      if (!list) measure_cpu_floors(s, false);
      add_experiment(s, s.options.cases, peers);
    }
    benchmark::RunSpecifiedBenchmarks();
    if (!list) measure_cuda_floors(s, true);
#else
    throw std::runtime_error("--device cuda: this build has no CUDA backend");
#endif
  }
  if (list) return 0;
  if (!s.options.json.empty()) {
    write_json(s.options.json, s, machine, versions, command_of(argc, argv));
  }
  const bool failed =
      std::any_of(s.rows.begin(), s.rows.end(), [](const row& r) { return r.error.has_value(); });
  return failed ? 1 : 0;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return run(argc, argv);
  } catch (const std::exception& e) {
    std::fprintf(stderr, "tridia_bench: %s\n", e.what());
    return 2;
  }
}
