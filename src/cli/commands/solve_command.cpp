// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#include "commands/commands.hpp"

#include "backend_choice.hpp"
#include "commands/report.hpp"
#include "failure.hpp"
#include "files/npy_array.hpp"
#include "files/output_file.hpp"
#include "memory.hpp"
#include "progress.hpp"
#include "systems/constant_matrix.hpp"
#include "systems/slab_executor.hpp"
#include "systems/slab_plans.hpp"
#include "tridia/error.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <cerrno>
#include <chrono>
#include <cstring>
#include <fstream>
#include <memory>
#include <optional>
#include <span>
#include <sstream>
#include <string>
#include <vector>

namespace tridia::cli {
namespace {

using clock = std::chrono::steady_clock;

std::vector<index_t> read_offsets(const std::string& path) {
  const npy_array file(path, "--offsets", npy_kind::integers);
  if (file.header().shape.size() != 1 || file.header().shape[0] == 0) {
    throw bad_input("--offsets", fmt::format("shape {} is not that of a list, which has one number "
                                             "more than systems",
                                             shape_text(file.header().shape)));
  }
  const auto* const first = reinterpret_cast<const index_t*>(file.data());
  return {first, first + file.header().shape[0]};
}

// The names need no check: the command line's parser has refused those of no enumerator.
system_options system_options_of(const solve_arguments& a) {
  return {a.axis,
          a.periodic ? boundary::periodic : boundary::regular,
          parse<pivoting>(a.pivoting).value(),
          a.conjugate_transpose ? operation::conjugate_transpose
          : a.transpose         ? operation::transpose
                                : operation::none,
          a.offsets.empty() ? std::vector<index_t>{} : read_offsets(a.offsets),
          parse<ragged_layout>(a.ragged_layout).value()};
}

std::shared_ptr<const tuning_table> read_tuning(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::stringstream text;
  if (file) text << file.rdbuf();
  if (!file || text.bad()) {  // A stream keeps to itself that memory ran out.
    throw failure(code_of(errno), "--tuning",
                  fmt::format("{} cannot be read: {}", path, std::strerror(errno)));
  }
  try {
    return std::make_shared<const tuning_table>(tuning_table::parse(text.str()));
  } catch (const error& e) {
    throw bad_input("--tuning", fmt::format("{}: {}", path, e.what()));
  }
}

options plan_options(const solve_arguments& a) {
  options o;
  if (!a.tuning.empty()) o.tuning = read_tuning(a.tuning);
  o.backend = parse<backend>(a.device).value();
  o.algorithm = parse<algorithm>(a.algorithm).value();
  o.threads = a.threads;
  o.parameters = {a.switch_point, a.packing_depth, parse<transformation>(a.transformation).value(),
                  parse<neato_memory>(a.neato_memory).value()};
  return o;
}

std::unique_ptr<slab_executor> make_executor(backend where) {
  require_backend(where);
  if (where != backend::cuda) return make_host_slab_executor();
#ifdef TRIDIA_HAS_CUDA
  return make_device_slab_executor();
#else
  return make_host_slab_executor();
#endif
}

/// Gives hints for the stretches of one array that belong to a slab, if they are worth a system
/// call.
void advise_region(const region& r, const std::byte* data, page_advice advice) {
  constexpr std::size_t page = 4096;
  constexpr index_t calls = 65536;
  if (!r.levels.empty() && (r.run < page || r.runs() > calls)) return;
  for_each_run(r, [&](std::size_t offset) { advise(data + offset, r.run, advice); });
}

/// Holds the files of dl, d, du and the right-hand sides; the first three may be absent.
class input_files {
 public:
  explicit input_files(const solve_arguments& a) {
    const std::string* paths[] = {&a.dl, &a.d, &a.du, &a.rhs};
    check(a, paths);
    for (const array_role role : {role_dl, role_d, role_du, role_rhs}) {
      if (!paths[role]->empty()) files_[role].emplace(*paths[role], argument_of(role));
    }
  }

  [[nodiscard]] const npy_header& header(array_role role) const { return files_[role]->header(); }
  /// Returns null where there is no file.
  [[nodiscard]] const std::byte* data(array_role role) const {
    return files_[role] ? files_[role]->data() : nullptr;
  }
  void release_pages() const {
    for (const auto& file : files_) {
      if (file) file->release_pages();
    }
  }

 private:
  /// Refuses files of coefficients beside a constant matrix, and their absence without one.
  static void check(const solve_arguments& a, const std::string* const (&paths)[4]) {
    for (const array_role role : {role_dl, role_d, role_du}) {
      if (a.constant.empty() && paths[role]->empty()) {
        throw bad_input(argument_of(role), "is required, unless --constant stands for the matrix");
      }
      if (!a.constant.empty() && !paths[role]->empty()) {
        throw bad_input(argument_of(role), "is not possible with --constant");
      }
    }
    if (!a.constant.empty() && !a.offsets.empty()) {
      throw bad_input("--offsets", "is not possible with --constant: all systems have one length");
    }
    if (a.offsets.empty() && a.ragged_layout != name(ragged_layout::concatenated)) {
      throw bad_input("--ragged-layout",
                      fmt::format("{} needs --offsets, which has the lengths", a.ragged_layout));
    }
    if (a.constant.empty() && !(a.constant_head.empty() && a.constant_tail.empty())) {
      throw bad_input(a.constant_head.empty() ? "--constant-tail" : "--constant-head",
                      "needs --constant, which has all other rows");
    }
  }

  std::optional<npy_array> files_[4];
};

/// Does one run of the command, from mapped inputs to the written file.
class solve_job {
 public:
  solve_job(const solve_arguments& arguments, const input_files& inputs, const systems& all)
      : arguments_(arguments),
        inputs_(inputs),
        all_(all),
        where_(make_executor(parse<backend>(arguments.device).value())),
        plans_(all_, *where_, memory_budget(), plan_options(arguments)),
        out_(arguments.out, argument_of(role_x), format_npy_header(inputs.header(role_rhs)),
             npy_data_bytes(inputs.header(role_rhs))) {
    for (const array_role role : {role_dl, role_d, role_du, role_rhs})
      pointers_[role] = inputs.data(role);
    pointers_[role_x] = out_.data();
    report_.problem = all_;
  }

  solve_report run() {
    const index_t count = plans_.parts().count();
    progress bar(stderr_is_terminal() && !arguments_.quiet && !arguments_.json, count);
    for (index_t k = 0; k < count; ++k) {
      if (k + 1 < count) advise_inputs(plans_.parts()[k + 1], page_advice::read_ahead);
      solve_slab(plans_.parts()[k]);
      if (count > 1) release_pages();
      bar.advance();
    }
    out_.commit();
    describe_plan();
    return report_;
  }

 private:
  [[nodiscard]] std::uint64_t memory_budget() const {
    return where_->memory(arguments_.memory.empty() ? available_memory() / 2
                                                    : parse_bytes(arguments_.memory, "--memory"));
  }

  void solve_slab(const slab& part) {
    const plan& p = plans_.of(part);
    status_.assign(static_cast<std::size_t>(p.systems()), 0);
    advise_inputs(part, page_advice::populate_read);
    advise_region(region_of(all_, role_x, part), out_.data(), page_advice::populate_write);
    report_.solve_seconds += where_->execute(p, all_, part, pointers_, out_.data(), status_);
    note_failures(part);
    report_.residual = larger(report_.residual,
                              largest_residual(all_, part, pointers_, status_, arguments_.threads));
  }

  void advise_inputs(const slab& part, page_advice advice) const {
    for (const array_role role : {role_dl, role_d, role_du, role_rhs}) {
      if (pointers_[role] != nullptr)
        advise_region(region_of(all_, role, part), pointers_[role], advice);
    }
  }

  void release_pages() {
    inputs_.release_pages();
    out_.release_pages();
  }

  void note_failures(const slab& part) {
    for (std::size_t k = 0; k < status_.size(); ++k) {
      if (status_[k] == 0) continue;
      ++report_.failed_systems;
      const index_t system = system_number(all_, part, static_cast<index_t>(k));
      if (report_.first_failed >= 0 && report_.first_failed < system) continue;
      report_.first_failed = system;
      report_.first_status = status_[k];
    }
  }

  void describe_plan() {
    const plan& p = plans_.largest();
    report_.device = name(p.backend());
    report_.algorithm = name(p.algorithm());
    report_.reason = p.reason();
    report_.threads = p.threads();
    report_.workspace_bytes = p.workspace_bytes();
    report_.slabs = plans_.parts().count();
    report_.out = arguments_.out;
  }

  const solve_arguments& arguments_;
  const input_files& inputs_;
  const systems& all_;
  std::unique_ptr<slab_executor> where_;
  slab_plans plans_;
  output_file out_;
  array_pointers pointers_{};
  std::vector<index_t> status_;
  solve_report report_;
};

systems match(const input_files& inputs, const solve_arguments& a) {
  if (!a.constant.empty()) {
    return match_constant(inputs.header(role_rhs),
                          parse_matrix(a.constant, a.constant_head, a.constant_tail),
                          system_options_of(a));
  }
  return match_arrays({inputs.header(role_dl), inputs.header(role_d), inputs.header(role_du),
                       inputs.header(role_rhs)},
                      system_options_of(a));
}

void print(const solve_report& report, const solve_arguments& arguments) {
  if (arguments.json) {
    print_json(to_json(report));
  } else if (!arguments.quiet) {
    fmt::print("{}", to_text(report));
  }
  if (report.failed_systems > 0) fmt::print(stderr, "tridia: {}\n", failed_text(report));
}

}  // namespace

int solve_command(const solve_arguments& arguments) {
  const auto begin = clock::now();
  const input_files inputs(arguments);
  const systems all = match(inputs, arguments);
  solve_report report = solve_job(arguments, inputs, all).run();
  report.total_seconds = std::chrono::duration<double>(clock::now() - begin).count();
  print(report, arguments);
  return report.failed_systems > 0 ? exit_singular : exit_success;
}

}  // namespace tridia::cli
