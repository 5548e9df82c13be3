// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#include "commands/commands.hpp"
#include "commands/tune_device.hpp"
#include "failure.hpp"
#include "files/output_file.hpp"
#include "progress.hpp"
#ifdef TRIDIA_HAS_CUDA
#include "device.hpp"
#endif

#include "tridia/error.hpp"
#include "tridia/info.hpp"
#include "tridia/tuning.hpp"

#include <fmt/format.h>

#include <chrono>
#include <cstdio>
#include <limits>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tridia::cli {
namespace {

using clock = std::chrono::steady_clock;

constexpr index_t lengths[] = {8,   16,   33,   64,   100,  127,  256,  500,
                               512, 1000, 1024, 2048, 4096, 8192, 16384};

/// Describes a kind of systems that is measured.
struct tuning_case {
  value_type type;
  tridia::pivoting pivoting;
  bool interleaved;
  index_t rows;

  [[nodiscard]] tridia::problem problem() const {
    const auto elements = static_cast<index_t>(tune_device::array_bytes / size_of(type));
    tridia::problem p;
    p.type = type;
    p.pivoting = pivoting;
    p.extents = {elements / rows, rows};
    if (interleaved) std::swap(p.extents[0], p.extents[1]);
    p.axis = interleaved ? 0 : 1;
    return p;
  }
};

std::vector<tuning_case> cases_of(const tune_arguments& a) {
  std::vector<tuning_case> all;
  for (const std::string& type : a.types) {
    for (const tridia::pivoting p : {pivoting::none, pivoting::partial}) {
      for (const bool interleaved : {false, true}) {
        for (const index_t n : lengths)
          all.push_back({parse<value_type>(type).value(), p, interleaved, n});
      }
    }
  }
  return all;
}

/// Returns the algorithm whose plans have the kernel: that of the kernel's name, or else whatever
/// `automatic` becomes.
algorithm algorithm_of(const tunable_kernel& k) {
  return parse<algorithm>(k.name).value_or(algorithm::automatic);
}

/// Returns whether a kernel may have a part in a case. A named algorithm has one entry for all
/// layouts, and refuses what it cannot solve.
bool may_have_part(const tunable_kernel& k, const tuning_case& c) {
  const algorithm a = algorithm_of(k);
  if (a == algorithm::automatic) return true;
  if (c.interleaved) return false;
  try {
    plan(c.problem(), {.backend = backend::cuda, .algorithm = a});
  } catch (const error& e) {
    if (e.code() != errc::unsupported) throw;
    return false;
  }
  return true;
}

/// Searches for the best parameters of one kernel for one case.
class search {
 public:
  search(tune_device& device, const tuning_case& what, const tunable_kernel& kernel)
      : device_(device), case_(what), kernel_(kernel) {}

  /// Varies each parameter in turn, with the best values so far of the others, until nothing gets
  /// better. Returns nothing if the kernel has no part in the case.
  std::optional<tuning_entry> run() {
    const tuning_entry rule = entry(std::vector<int>(kernel_.parameters.size(), 0));
    const plan by_rule = plan_with(rule);
    seen_.insert(by_rule.reason());
    tuning_entry best = rule;
    double least = device_.time(by_rule, quick);
    for (bool better = true; better;) {
      better = false;
      for (std::size_t p = 0; p < kernel_.parameters.size(); ++p) {
        for (const int value : kernel_.parameters[p].values) {
          tuning_entry candidate = best;
          candidate.values[p] = value;
          const double seconds = time_if_new(candidate);
          if (seconds >= least) continue;
          best = candidate, least = seconds, better = true;
        }
      }
    }
    if (seen_.size() == 1) return {};
    return is_worth_it(best, by_rule) ? without_idle_values(best) : rule;
  }

 private:
  static constexpr int quick = 5, thorough = 21;
  /// A relative gain below this is noise.
  static constexpr double gain = 0.02;

  [[nodiscard]] tuning_entry entry(std::vector<int> values) const {
    return {device_.capability(), std::string(kernel_.name), case_.type,
            case_.pivoting,       case_.interleaved,         case_.rows,
            std::move(values)};
  }
  [[nodiscard]] plan plan_with(const tuning_entry& e) const {
    auto table = std::make_shared<tuning_table>();
    table->add(e);
    return plan(
        case_.problem(),
        {.backend = backend::cuda, .algorithm = algorithm_of(kernel_), .tuning = std::move(table)});
  }
  /// Returns the time, or infinity if a plan with the same reason was measured before: a plan's
  /// reason says all that tuning decides.
  double time_if_new(const tuning_entry& e) {
    const plan p = plan_with(e);
    if (!seen_.insert(p.reason()).second) return std::numeric_limits<double>::infinity();
    return device_.time(p, quick);
  }
  /// Resets the values without which the plan is the same: later values have made them irrelevant.
  [[nodiscard]] tuning_entry without_idle_values(tuning_entry best) const {
    const std::string reason = plan_with(best).reason();
    for (int& value : best.values) {
      const int kept = std::exchange(value, 0);
      if (plan_with(best).reason() != reason) value = kept;
    }
    return best;
  }
  [[nodiscard]] bool is_worth_it(const tuning_entry& e, const plan& by_rule) const {
    const plan p = plan_with(e);
    if (p.reason() == by_rule.reason()) return false;
    return device_.time(p, thorough) < (1 - gain) * device_.time(by_rule, thorough);
  }

  tune_device& device_;
  const tuning_case& case_;
  const tunable_kernel& kernel_;
  std::set<std::string> seen_;
};

constexpr std::string_view gpus_alone =
    "a table is for the kernels and the named algorithms of GPUs: the CPU's kernels have no "
    "parameters, and the reference backend's switch points and packing depths are a GPU's defaults";

std::unique_ptr<tune_device> find_device() {
  const system_info machine = query_system();
  if (!machine.cuda_built) {
    throw bad_input("--device", "this tridia was built without cuda; " + std::string(gpus_alone));
  }
#ifdef TRIDIA_HAS_CUDA
  if (!machine.cuda_devices.empty()) return make_tune_device();
  check_start();
#endif
  throw bad_input("--device", "no GPU is visible here; " + std::string(gpus_alone));
}

void write(const std::string& text, const std::string& out) {
  if (out.empty()) {
    fmt::print("{}", text);
    return;
  }
  output_file file(out, "--out", text, 0);
  file.commit();
}

}  // namespace

int tune_command(const tune_arguments& arguments) {
  const auto begin = clock::now();
  const auto device = find_device();
  const std::vector<tuning_case> cases = cases_of(arguments);
  const auto count = static_cast<index_t>(cases.size());
  tuning_table table;
  index_t done = 0;
  {
    progress bar(stderr_is_terminal() && !arguments.quiet, count, "cases");
    for (const tuning_case& c : cases) {
      if (std::chrono::duration<double>(clock::now() - begin).count() > arguments.seconds) break;
      for (const tunable_kernel& k : tunable_kernels()) {
        if (!may_have_part(k, c)) continue;
        if (auto best = search(*device, c, k).run()) table.add(std::move(*best));
      }
      bar.advance();
      ++done;
    }
  }
  if (done < count) {
    fmt::print(stderr,
               "tridia: the time was up after {} of {} cases; the rules hold for the rest\n", done,
               count);
  }
  write(fmt::format("# {}, tridia {}: made by tridia tune\n{}", device->name(), version(),
                    table.text()),
        arguments.out);
  return exit_success;
}

}  // namespace tridia::cli
