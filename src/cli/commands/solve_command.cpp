// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#include "commands/commands.hpp"

#include "backend_choice.hpp"
#include "commands/report.hpp"
#include "failure.hpp"
#include "files/npy_array.hpp"
#include "files/output_file.hpp"
#include "memory.hpp"
#include "progress.hpp"
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
#include <span>
#include <sstream>
#include <string>
#include <vector>

namespace tridia::cli {
namespace {

using clock = std::chrono::steady_clock;

// The names need no check: the command line's parser has refused those of no enumerator.
system_options system_options_of(const solve_arguments& a) {
  return {a.axis, a.periodic ? boundary::periodic : boundary::regular,
          parse<pivoting>(a.pivoting).value(),
          a.conjugate_transpose ? operation::conjugate_transpose
          : a.transpose         ? operation::transpose
                                : operation::none};
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
  o.parameters = {a.switch_point, a.packing_depth, parse<transformation>(a.transformation).value()};
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

/// Does one run of the command, from mapped inputs to the written file.
class solve_job {
 public:
  solve_job(const solve_arguments& arguments, std::span<const npy_array, 4> inputs,
            const systems& all)
      : arguments_(arguments),
        inputs_(inputs),
        all_(all),
        where_(make_executor(parse<backend>(arguments.device).value())),
        plans_(all_, *where_, memory_budget(), plan_options(arguments)),
        out_(arguments.out, argument_of(role_x), format_npy_header(inputs[role_rhs].header()),
             npy_data_bytes(inputs[role_rhs].header())) {
    for (std::size_t k = 0; k < inputs.size(); ++k) pointers_[k] = inputs[k].data();
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
      advise_region(region_of(all_, role, part), pointers_[role], advice);
    }
  }

  void release_pages() {
    for (const npy_array& array : inputs_) array.release_pages();
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
  std::span<const npy_array, 4> inputs_;
  const systems& all_;
  std::unique_ptr<slab_executor> where_;
  slab_plans plans_;
  output_file out_;
  array_pointers pointers_{};
  std::vector<index_t> status_;
  solve_report report_;
};

systems match(std::span<const npy_array, 4> inputs, const solve_arguments& arguments) {
  return match_arrays({inputs[role_dl].header(), inputs[role_d].header(), inputs[role_du].header(),
                       inputs[role_rhs].header()},
                      system_options_of(arguments));
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
  const npy_array inputs[] = {{arguments.dl, argument_of(role_dl)},
                              {arguments.d, argument_of(role_d)},
                              {arguments.du, argument_of(role_du)},
                              {arguments.rhs, argument_of(role_rhs)}};
  const systems all = match(inputs, arguments);
  solve_report report = solve_job(arguments, inputs, all).run();
  report.total_seconds = std::chrono::duration<double>(clock::now() - begin).count();
  print(report, arguments);
  return report.failed_systems > 0 ? exit_singular : exit_success;
}

}  // namespace tridia::cli
