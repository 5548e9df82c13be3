// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#include "commands/commands.hpp"
#include "commands/report.hpp"
#include "failure.hpp"
#include "memory.hpp"
#include "tridia/info.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace tridia::cli {
namespace {

using nlohmann::ordered_json;

std::string capability(const cuda_device& device) {
  return fmt::format("{}.{}", device.compute_capability_major, device.compute_capability_minor);
}

ordered_json to_json(const cuda_device& device) {
  return {{"ordinal", device.ordinal},
          {"name", device.name},
          {"compute_capability", capability(device)},
          {"memory_bytes", device.memory_bytes},
          {"multiprocessors", device.multiprocessors}};
}

ordered_json to_json(const system_info& machine) {
  ordered_json backends = {"cpu"};
  if (machine.cuda_built) backends.push_back("cuda");
  backends.push_back("reference");
  ordered_json devices = ordered_json::array();
  for (const cuda_device& device : machine.cuda_devices) devices.push_back(to_json(device));
  return {
      {"version", version()},
      {"backends", backends},
      {"cuda_runtime", machine.cuda_built ? ordered_json(machine.cuda_runtime) : ordered_json()},
      {"cuda_devices", devices},
      {"simd", machine.simd},
      {"threads", machine.threads},
      {"available_memory_bytes", available_memory()}};
}

void print_text(const system_info& machine) {
  fmt::print("tridia     {}\n", version());
  fmt::print("backends   cpu, {}reference\n", machine.cuda_built ? "cuda, " : "");
  fmt::print("simd       {}\n", machine.simd);
  fmt::print("threads    {}\n", machine.threads);
  fmt::print("memory     {} available\n", bytes_text(available_memory()));
  if (!machine.cuda_built) {
    fmt::print("cuda       not in this build\n");
    return;
  }
  fmt::print("cuda       runtime {}, {} device{}\n", machine.cuda_runtime,
             machine.cuda_devices.size(), machine.cuda_devices.size() == 1 ? "" : "s");
  for (const cuda_device& device : machine.cuda_devices) {
    fmt::print("device {:<3} {}, compute capability {}, {}, {} multiprocessors\n", device.ordinal,
               device.name, capability(device), bytes_text(device.memory_bytes),
               device.multiprocessors);
  }
}

}  // namespace

int info_command(bool json) {
  const system_info machine = query_system();
  if (json) {
    print_json(to_json(machine));
  } else {
    print_text(machine);
  }
  return exit_success;
}

}  // namespace tridia::cli
