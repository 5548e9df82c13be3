// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#include "report.hpp"

#include "tridia/info.hpp"

#include <omp.h>
#include <unistd.h>
#include <nlohmann/json.hpp>

#include <chrono>
#include <cmath>
#include <cstdio>
#include <ctime>
#include <fstream>
#include <stdexcept>

namespace tridia_bench {
namespace {

// This keeps the fields in the order in which they are named, for readers of the file.
using json = nlohmann::ordered_json;

json value_or_null(const std::string& s) { return s.empty() ? json(nullptr) : json(s); }

template <class T>
json value_or_null(const std::optional<T>& v) {
  return v ? json(*v) : json(nullptr);
}

}  // namespace

json to_json(const row& r, std::optional<double> floor) {
  const bool timed = !r.ms.empty();
  json j;
  j["case"] = r.case_name;
  j["solver"] = r.solver;
  j["parameter"] = value_or_null(r.parameter);
  j["type"] = value_or_null(r.type);
  j["n"] = value_or_null(r.n);
  j["batch"] = value_or_null(r.batch);
  j["layout"] = value_or_null(r.layout);
  j["boundary"] = value_or_null(r.boundary);
  j["pivoting"] = value_or_null(r.pivoting);
  j["threads"] = value_or_null(r.threads);
  j["ms"] = timed ? json(r.median_ms()) : json(nullptr);
  j["ms_min"] = timed ? json(r.min_ms()) : json(nullptr);
  j["repetitions"] = timed ? json(r.ms.size()) : json(nullptr);
  j["floor_ms"] = value_or_null(floor);
  j["roofline_fraction"] = timed && floor ? json(*floor / r.median_ms()) : json(nullptr);
  // JSON has no infinity; the row's error says what happened.
  j["residual"] = r.residual && std::isfinite(*r.residual) ? json(*r.residual) : json(nullptr);
  j["workspace_bytes"] = value_or_null(r.workspace_bytes);
  j["note"] = value_or_null(r.note);
  j["error"] = value_or_null(r.error);
  return j;
}

namespace {

std::string utc_now() {
  const std::time_t now = std::time(nullptr);
  std::tm parts{};
  gmtime_r(&now, &parts);
  char text[32];
  std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &parts);
  return text;
}

// Returns the value of a line "key : value" of /proc/cpuinfo, the first one.
std::string cpuinfo(const std::string& key) {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);) {
    if (!line.starts_with(key)) continue;
    const auto colon = line.find(": ");
    if (colon != line.npos) return line.substr(colon + 2);
  }
  return {};
}

}  // namespace

machine_info cpu_machine() {
  machine_info m;
  m.device = cpuinfo("model name");
  const std::string mhz = cpuinfo("cpu MHz");
  if (!mhz.empty()) m.clock = mhz + " MHz";
  m.simd = tridia::query_system().simd;
  m.cores = omp_get_num_procs();
  m.cache_bytes = sysconf(_SC_LEVEL3_CACHE_SIZE);
  return m;
}

json results_head(const machine_info& machine, const std::map<std::string, std::string>& versions,
                  const std::string& command, const std::string& remark) {
  json j;
  j["format"] = 2;  // bench/migrate.py says what 1 was
  j["machine"] = {
      {"device", value_or_null(machine.device)},
      {"driver", value_or_null(machine.driver)},
      {"cuda", value_or_null(machine.cuda)},
      {"clock", value_or_null(machine.clock)},
      {"memory_clock", value_or_null(machine.memory_clock)},
      {"cores", machine.cores},
      {"simd", value_or_null(machine.simd)},
      {"cache_bytes", machine.cache_bytes > 0 ? json(machine.cache_bytes) : json(nullptr)}};
  for (const auto& [name, version] : versions) j["versions"][name] = value_or_null(version);
  j["command"] = command;
  j["date"] = utc_now();
  if (!remark.empty()) j["remark"] = remark;
  j["rows"] = json::array();
  return j;
}

void write_json(const std::string& path, const suite& s, const machine_info& machine,
                const std::map<std::string, std::string>& versions, const std::string& command) {
  json j = results_head(machine, versions, command, s.options.remark);
  for (const row& r : s.rows) j["rows"].push_back(to_json(r, s.floors.ms_of(r)));
  write_json(path, j);
}

void write_json(const std::string& path, const json& results) {
  const std::string temporary = path + ".part";
  std::ofstream file(temporary);
  file << results.dump(1) << '\n';
  file.close();
  if (!file || std::rename(temporary.c_str(), path.c_str()) != 0) {
    std::remove(temporary.c_str());
    throw std::runtime_error("--json: " + path + " could not be written");
  }
}

}  // namespace tridia_bench
