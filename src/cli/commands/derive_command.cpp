// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#include "commands/commands.hpp"

#include "backend_choice.hpp"
#include "commands/report.hpp"
#include "failure.hpp"
#include "fields/field_executor.hpp"
#include "memory.hpp"
#include "progress.hpp"
#include "systems/systems.hpp"
#include "tridia/compact.hpp"
#include "tridia/error.hpp"
#include "tridia/info.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <chrono>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace tridia::cli {
namespace {

using clock = std::chrono::steady_clock;
using nlohmann::ordered_json;

double seconds_since(clock::time_point begin) {
  return std::chrono::duration<double>(clock::now() - begin).count();
}

scheme scheme_of(const derive_arguments& a) {
  const quantity what[] = {quantity::first_derivative, quantity::second_derivative,
                           quantity::third_derivative, quantity::fourth_derivative};
  return find_scheme(what[a.order - 1], a.scheme);
}

/// Returns the name of a quantity in words, as "third derivative".
std::string spelled(quantity what) {
  std::string words(name(what));
  std::ranges::replace(words, '_', ' ');
  return words;
}

closure closure_of(const derive_arguments& a, const scheme& s) {
  if (!a.closure.empty() && a.periodic) {
    throw bad_input("--closure", fmt::format("{} is given, but --periodic lines have no ends to "
                                             "be closed",
                                             a.closure));
  }
  return a.closure.empty() ? default_closure(s) : find_closure(s, a.closure);
}

operation operation_of(const derive_arguments& a) {
  return a.transpose ? operation::transpose : operation::none;
}

/// Describes the lines of a field, for cutting it into slabs.
systems lines_of(const npy_header& header, int axis) {
  systems lines;
  const int rank = static_cast<int>(header.shape.size());
  if (axis < -rank || axis >= rank) {
    throw bad_input("--axis", fmt::format("{} is out of range for a field of shape {}", axis,
                                          shape_text(header.shape)));
  }
  lines.type = header.type;
  lines.extents = header.shape;
  lines.axis = static_cast<std::size_t>(axis < 0 ? axis + rank : axis);
  lines.arrays[role_rhs] = {header.shape, dense_strides(header.shape, header.fortran_order)};
  return lines;
}

std::unique_ptr<field_executor> make_executor(backend where) {
  require_backend(where);
#ifdef TRIDIA_HAS_CUDA
  if (where == backend::cuda) return make_device_fields();
#endif
  return make_host_fields();
}

/// Does one run of the command.
class derive_job {
 public:
  explicit derive_job(const derive_arguments& arguments)
      : arguments_(arguments),
        scheme_(scheme_of(arguments)),
        closure_(closure_of(arguments, scheme_)),
        in_(open_field(arguments.in, "IN")),
        lines_(lines_of(in_->header(), arguments.axis)),
        where_(make_executor(parse<backend>(arguments.device).value())),
        parts_(lines_, 1) {
    // The library must refuse what it refuses before there is a file.
    cut(make_whole());
    out_ = create_field(arguments.out, "OUT", in_->header());
  }

  void run() {
    progress bar(stderr_is_terminal() && !arguments_.quiet && !arguments_.json, parts_.count());
    for (index_t k = 0; k < parts_.count(); ++k) {
      derive(parts_[k]);
      bar.advance();
    }
    out_->commit();
  }

  [[nodiscard]] ordered_json report(double total_seconds) const {
    return {{"version", version()},
            {"shape", lines_.extents},
            {"axis", lines_.axis},
            {"type", name(lines_.type)},
            {"order", arguments_.order},
            {"scheme", scheme_.name()},
            {"order_of_accuracy", scheme_.order()},
            {"boundary", arguments_.periodic ? "periodic" : "regular"},
            {"closure", arguments_.periodic ? ordered_json() : ordered_json(closure_.name())},
            {"spacing", arguments_.spacing},
            {"operation", name(operation_of(arguments_))},
            {"warning", warning_.empty() ? ordered_json() : ordered_json(warning_)},
            {"device", arguments_.device},
            {"threads", threads_},
            {"slabs", parts_.count()},
            {"workspace_bytes", workspace_bytes_},
            {"bytes_moved", bytes()},
            {"derive_seconds", derive_seconds_},
            {"total_seconds", total_seconds},
            {"out", arguments_.out}};
  }
  [[nodiscard]] std::string text(double total_seconds) const {
    return fmt::format(
        "field      {} of type {}, lines along axis {}\n"
        "scheme     {} of order {}, {}{}, {}\n"
        "time       {:.3g} s to derive ({:.3g} GB/s), {:.3g} s in all, {} slab{}\n"
        "written    {}\n",
        shape_text(lines_.extents), name(lines_.type), lines_.axis, scheme_.name(), scheme_.order(),
        spelled(scheme_.quantity()), arguments_.transpose ? " (its transpose)" : "",
        arguments_.periodic ? "periodic" : "closure " + closure_.name(), derive_seconds_,
        derive_seconds_ > 0 ? static_cast<double>(bytes()) / derive_seconds_ * 1e-9 : 0,
        total_seconds, parts_.count(), parts_.count() == 1 ? "" : "s", arguments_.out);
  }
  [[nodiscard]] const std::string& warning() const noexcept { return warning_; }

 private:
  [[nodiscard]] std::uint64_t bytes() const {
    return 2 * static_cast<std::uint64_t>(lines_.count() * lines_.rows()) * size_of(lines_.type);
  }

  [[nodiscard]] compact_operator make(std::vector<index_t> extents, std::vector<index_t> in,
                                      std::vector<index_t> out) const {
    grid g;
    g.type = lines_.type;
    g.extents = std::move(extents);
    g.axis = static_cast<int>(lines_.axis);
    g.spacing = arguments_.spacing;
    g.boundary = arguments_.periodic ? boundary::periodic : boundary::regular;
    g.operation = operation_of(arguments_);
    g.in_strides = std::move(in);
    g.out_strides = std::move(out);
    options o;
    o.backend = parse<backend>(arguments_.device).value();
    o.threads = arguments_.threads;
    return {scheme_, closure_, std::move(g), o};
  }

  [[nodiscard]] compact_operator make_whole() const try {
    return make(lines_.extents, {}, {});
  } catch (const error& e) {
    // This is the library's name for what is the shape of a file here.
    const std::string_view sentence = e.what(), prefix = "extents: ";
    if (!sentence.starts_with(prefix)) throw;
    throw bad_input("IN", std::string(sentence.substr(prefix.size())));
  }

  /// Cuts the lines into slabs for which there is memory, with what the whole field's operator
  /// says.
  void cut(const compact_operator& whole) {
    warning_ = whole.warning();
    threads_ = whole.threads();
    const std::uint64_t memory =
        where_->memory(arguments_.memory.empty() ? available_memory() / 2
                                                 : parse_bytes(arguments_.memory, "--memory"));
    // The workspace of a GPU, if it needs one, holds lines as well, and so does that of an adjoint;
    // otherwise it is small.
    const bool holds_lines = whole.backend() == backend::cuda || arguments_.transpose;
    const std::uint64_t workspace = holds_lines ? whole.workspace_bytes() : 0;
    const auto count = static_cast<std::uint64_t>(std::max<index_t>(lines_.count(), 1));
    const std::uint64_t a_line = std::max<std::uint64_t>((bytes() + workspace) / count, 1);
    parts_ =
        slabs(lines_, static_cast<index_t>(std::clamp<std::uint64_t>(memory / a_line, 1, count)));
  }

  void derive(const slab& part) {
    const field_part in = in_->open(part), out = out_->open(part);
    const compact_operator op =
        make(part.extents, where_->strides(part.extents, in), where_->strides(part.extents, out));
    workspace_bytes_ = std::max(workspace_bytes_, op.workspace_bytes());
    derive_seconds_ += where_->apply(op, in, out);
    out_->close(part);
    if (parts_.count() > 1) in_->release();
  }

  const derive_arguments& arguments_;
  scheme scheme_;
  closure closure_;
  std::unique_ptr<field_input> in_;
  systems lines_;
  std::unique_ptr<field_executor> where_;
  slabs parts_;
  std::unique_ptr<field_output> out_;
  std::size_t workspace_bytes_ = 0;
  std::string warning_;
  int threads_ = 1;
  double derive_seconds_ = 0;
};

}  // namespace

int derive_command(const derive_arguments& arguments) {
  const auto begin = clock::now();
  derive_job job(arguments);
  job.run();
  if (arguments.json) {
    print_json(job.report(seconds_since(begin)));
  } else if (!arguments.quiet) {
    fmt::print("{}", job.text(seconds_since(begin)));
  }
  if (!job.warning().empty()) fmt::print(stderr, "tridia: warning: {}\n", job.warning());
  return exit_success;
}

}  // namespace tridia::cli
