// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#include "measured_cell.hpp"

#include "../suite.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <chrono>
#include <cstdio>

namespace tridia_bench {
namespace {

using json = nlohmann::ordered_json;
using clock = std::chrono::steady_clock;

double ms_since(clock::time_point start) {
  return std::chrono::duration<double, std::milli>(clock::now() - start).count();
}

std::string seconds(double ms) {
  char text[32];
  std::snprintf(text, sizeof text, "%.2g s", ms * 1e-3);
  return text;
}

/// Says whether a cell is of the same feature and type, with no more and no longer lines.
bool is_smaller(const cell& smaller, const cell& c) {
  const systems_spec &s = smaller.spec, &of = c.spec;
  return smaller.what == c.what && s.type == of.type && s.boundary == of.boundary &&
         s.operation == of.operation && (s.layout == of.layout || s.batch == 1) && s.n <= of.n &&
         s.batch <= of.batch;
}

double ratio_of_lengths(const cell& c, const cell& smaller) {
  return static_cast<double>(c.spec.n) / static_cast<double>(smaller.spec.n);
}

std::vector<double> repeat(arena& a, const std::function<void()>& work, const time_limits& limits) {
  const double first = a.time(work);  // warms up, unless it is too slow for that
  if (first > limits.call_ms) return {first};
  const auto start = clock::now();
  std::vector<double> ms;
  while (ms.size() < limits.least ||
         (ms.size() < limits.most && ms_since(start) < limits.cell_ms)) {
    ms.push_back(a.time(work));
    if (ms.back() > limits.call_ms) break;
  }
  return ms;
}

void run(measured_cell& m, arena& a, const tridia::options& options, const time_limits& limits) {
  const auto start = clock::now();
  const prepared_cell p(m.cell, options);
  m.algorithm = p.algorithm();
  m.note = p.note();
  m.workspace_bytes = p.workspace_bytes() + p.factors_bytes();
  const cell_memory memory = a.memory(m.cell.spec.matrix, p.workspace_bytes(), p.factors_bytes());
  a.poison(m.cell.elements());
  p.prepare(memory);
  m.setup_ms = ms_since(start);

  m.ms = repeat(
      a, [&] { p.run(memory); }, limits);
  // Of operators and constants the benchmark has no matrix in arrays.
  if (m.cell.what->work == work::apply ||
      m.cell.what->coefficients == tridia::coefficients::constant) {
    return;
  }
  row judged;
  set_residual(judged, a.residual(m.cell.spec), m.cell.spec.type);
  m.residual = judged.residual;
  m.error = judged.error.value_or("");
}

}  // namespace

std::optional<double> measured_cell::median_ms() const {
  if (estimate) return estimate->ms;
  if (ms.empty()) return {};
  row r;
  r.ms = ms;
  return r.median_ms();
}

std::optional<estimate> estimate_of(const cell& c, const std::vector<measured_cell>& before,
                                    const time_limits& limits) {
  std::optional<estimate> most;
  for (const measured_cell& m : before) {
    if (m.ms.empty() || !is_smaller(m.cell, c)) continue;
    const double took = *m.median_ms(), ms = took * ratio_of_lengths(c, m.cell);
    if (took < limits.call_ms / 4 || ms < limits.call_ms || (most && ms < most->ms)) continue;
    most = estimate{ms, m.cell.spec.n, m.cell.spec.batch, took};
  }
  return most;
}

std::optional<measured_cell> skipped(const cell& c, const std::vector<measured_cell>& before,
                                     const time_limits& limits) {
  if (const auto known = estimate_of(c, before, limits)) {
    return measured_cell{.cell = c, .ms = {}, .estimate = known};
  }
  for (const measured_cell& m : before) {
    if (m.ms.empty() || m.setup_ms < limits.setup_ms / 20 || !is_smaller(m.cell, c)) continue;
    const double ms = m.setup_ms * ratio_of_lengths(c, m.cell);
    if (ms < limits.setup_ms) continue;
    measured_cell absent{.cell = c, .ms = {}};
    absent.note = "not run: its plan would take about " + seconds(ms) + " to make, as that of " +
                  std::to_string(m.cell.spec.n) + " x " + std::to_string(m.cell.spec.batch) +
                  " took " + seconds(m.setup_ms);
    return absent;
  }
  return {};
}

measured_cell measure_cell(arena& a, const cell& c, const tridia::options& options,
                           const time_limits& limits) {
  measured_cell m{.cell = c, .ms = {}};
  try {
    run(m, a, options, limits);
  } catch (const left_out& e) {
    m.note = e.what();
  } catch (const tridia::error& e) {
    (e.code() == tridia::errc::out_of_memory ? m.note : m.error) = e.what();
  } catch (const std::exception& e) {
    m.error = e.what();
  }
  return m;
}

json to_json(const measured_cell& m, const arena& a, const map_floors& floors) {
  const systems_spec& s = m.cell.spec;
  row r;
  r.case_name = m.cell.what->name;
  r.solver = std::string("tridia ") + std::string(tridia::name(a.backend()));
  r.type = tridia::name(s.type);
  r.n = s.n;
  r.batch = s.batch;
  r.layout = name(s.layout);
  r.boundary = tridia::name(s.boundary);
  if (m.cell.what->work != work::apply) r.pivoting = tridia::name(m.cell.what->pivoting);
  r.threads = a.threads();
  r.ms = m.ms;
  r.residual = m.residual;
  r.workspace_bytes = m.workspace_bytes;
  if (!m.note.empty()) r.note = m.note;
  if (!m.error.empty()) r.error = m.error;

  const double floor = floors.floor_ms(m.cell.what->reads(), m.cell.floor_bytes());
  json j = to_json(r, floor);
  j["operation"] = tridia::name(s.operation);
  j["right_hand_sides"] = s.right_hand_sides;
  j["width"] = s.layout == layout::middle ? json(s.width) : json(nullptr);
  j["size"] = m.cell.size;
  j["shape"] = m.cell.shape;
  j["rows"] = m.cell.elements();
  j["words"] = m.cell.what->words();
  j["algorithm"] = m.algorithm.empty() ? json(nullptr) : json(m.algorithm);
  j["setup_ms"] = m.ms.empty() ? json(nullptr) : json(m.setup_ms);
  const auto ms = m.median_ms();
  j["times_floor"] = ms ? json(*ms / floor) : json(nullptr);
  j["estimate"] = nullptr;
  if (m.estimate) {
    j["estimate"] = {{"ms", m.estimate->ms},
                     {"of_n", m.estimate->n},
                     {"of_batch", m.estimate->batch},
                     {"of_ms", m.estimate->smaller_ms}};
  }
  return j;
}

}  // namespace tridia_bench
