// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#include "commands/commands.hpp"
#include "commands/report.hpp"
#include "doctor/machine.hpp"
#include "doctor/self_check.hpp"
#include "failure.hpp"
#include "memory.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <iterator>

namespace tridia::cli {
namespace {

using nlohmann::ordered_json;

/// Returns the size of an array of the checks: five are beyond most caches, as far as the memory
/// allows.
std::size_t array_bytes(const machine& m, const std::string& limit) {
  const std::uint64_t most = limit.empty() ? m.memory / 2 : parse_bytes(limit, "--memory");
  const std::uint64_t line = check_rows * sizeof(double);
  // Five arrays are held at a time, and as many by the copy that they are compared with.
  return std::clamp<std::uint64_t>(most / 10 / line * line, line, most_array_bytes);
}

std::vector<self_check> run_checks(machine& m, std::size_t bytes) {
  std::vector<self_check> all;
  const auto add = [&](std::vector<self_check> some) {
    std::move(some.begin(), some.end(), std::back_inserter(all));
  };
  add(check_host(backend::cpu, bytes));
  add(check_host(backend::reference, bytes));
#ifdef TRIDIA_HAS_CUDA
  for (const cuda_device& device : m.system.cuda_devices) add(check_device(device.ordinal));
#endif
  if (m.mpi_built && !m.mpirun.empty()) add(check_ranks(m.mpirun, bytes / 2, m.mpi_library));
  return all;
}

ordered_json or_null(const std::string& text) {
  return text.empty() ? ordered_json() : ordered_json(text);
}

ordered_json to_json(const machine& m) {
  ordered_json gpus = ordered_json::array();
  for (const cuda_device& device : m.system.cuda_devices) gpus.push_back(device.name);
  return {{"cpu", or_null(m.cpu)},
          {"processors", m.processors},
          {"threads", m.system.threads},
          {"simd", m.system.simd},
          {"available_memory_bytes", m.memory},
          {"page_size_bytes", m.page_size},
          {"transparent_huge_pages", or_null(m.huge_pages)},
          {"gpus", gpus},
          {"gpu_on_bus", m.gpu_on_bus},
          {"driver", or_null(m.driver)},
          {"driver_cuda", or_null(m.driver_cuda)},
          {"cuda_runtime", or_null(m.system.cuda_runtime)},
          {"mpi_built", m.mpi_built},
          {"mpirun", or_null(m.mpirun)},
          {"mpi_library", or_null(m.mpi_library)},
          {"nccl", or_null(m.nccl)},
          {"hdf5", m.hdf5_built}};
}

ordered_json to_json(const self_check& c) {
  const bool timed = c.works() && c.seconds > 0 && c.copy_seconds > 0;
  return {{"backend", c.backend},
          {"what", c.what},
          {"lines", c.lines},
          {"rows", check_rows},
          {"seconds", timed ? ordered_json(c.seconds) : ordered_json()},
          {"copy_seconds", timed ? ordered_json(c.copy_seconds) : ordered_json()},
          {"roofline_fraction", timed ? ordered_json(c.copy_seconds / c.seconds) : ordered_json()},
          {"error", c.error},
          {"failed", or_null(c.failed)}};
}

void print_found(const machine& m) {
  const system_info& s = m.system;
  const auto line = [](const char* name, const std::string& text) {
    fmt::print("  {:<10} {}\n", name, text);
  };
  const auto or_none = [](const std::string& text) { return text.empty() ? "none" : text; };
  line("cpu", fmt::format("{}, {} processors, {} threads", m.cpu.empty() ? "unknown" : m.cpu,
                          m.processors, s.threads));
  line("simd", s.simd);
  line("memory", bytes_text(m.memory) + " available");
  line("pages", bytes_text(m.page_size) +
                    (m.huge_pages.empty() ? "" : ", transparent huge ones: ") + m.huge_pages);
  if (s.cuda_devices.empty())
    line("gpu", m.gpu_on_bus ? "one on the PCI bus, which cannot be used" : "none");
  for (const cuda_device& d : s.cuda_devices) {
    line("gpu", fmt::format("{}: {}, compute capability {}.{}, {}", d.ordinal, d.name,
                            d.compute_capability_major, d.compute_capability_minor,
                            bytes_text(d.memory_bytes)));
  }
  line("driver",
       or_none(m.driver) + (m.driver_cuda.empty() ? "" : ", up to CUDA " + m.driver_cuda));
  line("cuda", s.cuda_built ? "runtime " + s.cuda_runtime : "not in this build");
  line("mpi", fmt::format("{}, mpirun: {}", m.mpi_built ? "in this build" : "not in this build",
                          or_none(m.mpirun)));
  line("nccl", m.nccl.empty() ? "not in this build" : m.nccl);
  line("hdf5", m.hdf5_built ? "in this build" : "not in this build");
}

void print_check(const self_check& c) {
  fmt::print("  {:<10} {:<11}", c.backend, c.what);
  if (!c.works()) {
    fmt::print(" FAILED: {}\n", c.failed);
    return;
  }
  fmt::print(" {:>7} lines of {} f64   right to {:.0e}", c.lines, check_rows, c.error);
  if (c.seconds > 0)
    fmt::print("   {:9.3f} ms, {:3.0f} % of the roofline", c.seconds * 1e3,
               100 * c.copy_seconds / c.seconds);
  fmt::print("\n");
}

}  // namespace

int doctor_command(const doctor_arguments& a) {
  machine m = find_machine();
  const std::size_t bytes = array_bytes(m, a.memory);
  if (!a.json) {
    fmt::print("tridia {}\n\nwhat was found\n", version());
    print_found(m);
    fmt::print("\nwhat was tried (the roofline is a copy of the same words)\n");
    std::fflush(stdout);
  }
  const std::vector<self_check> checks = run_checks(m, bytes);
  const std::vector<std::string> missing = advice(m);
  const bool works =
      std::all_of(checks.begin(), checks.end(), [](const self_check& c) { return c.works(); });
  if (a.json) {
    ordered_json all{{"version", version()}, {"found", to_json(m)}};
    all["checks"] = ordered_json::array();
    for (const self_check& c : checks) all["checks"].push_back(to_json(c));
    all["missing"] = missing;
    all["works"] = works;
    print_json(all);
  } else {
    for (const self_check& c : checks) print_check(c);
    fmt::print("\nwhat is missing\n");
    for (const std::string& sentence : missing) fmt::print("  {}\n", sentence);
    if (missing.empty()) fmt::print("  nothing\n");
    fmt::print("\n{}\n", works ? "All that is here works." : "Something here does not work.");
  }
  return works ? exit_success : exit_failure;
}

}  // namespace tridia::cli
