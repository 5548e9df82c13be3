// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#include "commands/report.hpp"

#include "memory.hpp"
#include "tridia/info.hpp"
#include "tridia/types.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <cmath>
#include <cstdio>

namespace tridia::cli {
namespace {

using nlohmann::ordered_json;

/// Returns the indices over the batch axes of a system that is counted in C order.
std::vector<index_t> batch_position(const systems& all, index_t system) {
  if (all.is_ragged()) return {system};
  std::vector<index_t> position;
  for (std::size_t a = all.extents.size(); a-- > 0;) {
    if (a == all.axis) continue;
    position.insert(position.begin(), system % all.extents[a]);
    system /= all.extents[a];
  }
  return position;
}

ordered_json first_failed_json(const solve_report& r) {
  if (r.failed_systems == 0) return nullptr;
  return {{"system", r.first_failed},
          {"index", batch_position(r.problem, r.first_failed)},
          {"status", r.first_status},
          {"meaning", status_meaning(r.first_status)}};
}

const char* matrix_text(operation o) {
  switch (o) {
    case operation::transpose:
      return "A^T";
    case operation::conjugate_transpose:
      return "A^H";
    default:
      return "A";
  }
}

}  // namespace

std::string status_meaning(index_t status) {
  if (status > 0) return fmt::format("the pivot of row {} is exactly zero", status);
  if (status < 0)
    return fmt::format("row {} holds or leads to a value that is not finite", -status);
  return "solved";
}

ordered_json to_json(const solve_report& r) {
  const systems& s = r.problem;
  return {{"version", version()},
          {"systems", s.count()},
          {"rows", s.rows()},
          {"right_hand_sides", 1},
          {"shape", s.extents},
          {"axis", s.axis},
          {"type", name(s.type)},
          {"boundary", name(s.boundary)},
          {"pivoting", name(s.pivoting)},
          {"operation", name(s.operation)},
          {"coefficients", name(s.coefficients)},
          {"device", r.device},
          {"algorithm", r.algorithm},
          {"reason", r.reason},
          {"threads", r.threads},
          {"slabs", r.slabs},
          {"workspace_bytes", r.workspace_bytes},
          {"bytes_moved", s.bytes_moved()},
          {"solve_seconds", r.solve_seconds},
          {"total_seconds", r.total_seconds},
          {"residual", std::isfinite(r.residual) ? ordered_json(r.residual) : ordered_json()},
          {"failed_systems", r.failed_systems},
          {"first_failed", first_failed_json(r)},
          {"out", r.out}};
}

std::string to_text(const solve_report& r) {
  const systems& s = r.problem;
  const double rate =
      r.solve_seconds > 0 ? static_cast<double>(s.bytes_moved()) / r.solve_seconds : 0;
  std::string out;
  out += fmt::format("systems    {} of {}{} rows: {} x = rhs, {}, {}, pivoting {}\n", s.count(),
                     s.is_ragged() ? "at most " : "", s.rows(), matrix_text(s.operation),
                     name(s.type), name(s.boundary), name(s.pivoting));
  out += fmt::format("algorithm  {} on {} ({} thread{}): {}\n", r.algorithm, r.device, r.threads,
                     r.threads == 1 ? "" : "s", r.reason);
  out +=
      fmt::format("time       {:.3g} s to solve ({:.3g} GB/s), {:.3g} s in all, {} slab{}\n",
                  r.solve_seconds, rate * 1e-9, r.total_seconds, r.slabs, r.slabs == 1 ? "" : "s");
  out += std::isfinite(r.residual)
             ? fmt::format("residual   {:.2e}, the largest of all systems\n", r.residual)
             : "residual   not finite\n";
  if (r.failed_systems > 0) out += fmt::format("failed     {}\n", failed_text(r));
  return out + fmt::format("written    {}\n", r.out);
}

std::string failed_text(const solve_report& r) {
  return fmt::format("{} of {} systems {} no solution; the first is system {} (index {}): {}",
                     r.failed_systems, r.problem.count(), r.failed_systems == 1 ? "has" : "have",
                     r.first_failed, shape_text(batch_position(r.problem, r.first_failed)),
                     status_meaning(r.first_status));
}

ordered_json to_json(const failure& f) {
  return {{"error",
           {{"code", static_cast<int>(f.code())},
            {"argument", f.argument().empty() ? ordered_json() : ordered_json(f.argument())},
            {"message", f.what()}}}};
}

void print_json(const ordered_json& json) {
  // Paths need not be UTF-8, but JSON must.
  fmt::print("{}\n", json.dump(2, ' ', false, ordered_json::error_handler_t::replace));
}

}  // namespace tridia::cli
