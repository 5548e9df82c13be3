// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause

// This file adds the gradients of solves, beside the time that copying their fewest words takes: 9
// a row with own coefficients (dl, d, du, g and x are read, four gradients are written), 5 where
// only the gradient of rhs is wanted, 3 with one matrix for all.
#include "cases_cuda.hpp"
#include "prepared_plan.hpp"

#include "tridia/backward.hpp"

#include <string>

namespace tridia_bench {
namespace {

using tridia::coefficients;
using tridia::pivoting;
using tridia::value_type;

/// Says which gradients are formed.
enum class wanted { all, rhs };

std::size_t floor_words(const systems_spec& spec, wanted w) {
  if (spec.has_one_matrix()) return w == wanted::all ? 3 : 2;
  return w == wanted::all ? 9 : 5;
}

/// Holds a backward plan with all that its execution needs.
class prepared_backward {
 public:
  prepared_backward(const suite_options& options, const systems_spec& spec, pivoting p, wanted w,
                    cudaStream_t stream)
      : plan_(spec.problem(p), {.backend = tridia::backend::cuda, .tuning = options.tuning}),
        workspace_(plan_.workspace_bytes()),
        dl_(bytes_of(spec, w)),
        d_(bytes_of(spec, w)),
        du_(bytes_of(spec, w)),
        y_(static_cast<std::size_t>(spec.rows()) * tridia::size_of(spec.type)),
        execution_{.workspace = workspace_.data(),
                   .workspace_bytes = plan_.workspace_bytes(),
                   .stream = stream} {
    to_.rhs = y_.data();
    if (w == wanted::all) to_.dl = dl_.data(), to_.d = d_.data(), to_.du = du_.data();
  }

  /// The right-hand sides of the forward solve are the cotangent as well.
  void execute(const device_systems& s, const device_array& x) const {
    plan_.execute(s.dl().data(), s.d().data(), s.du().data(), x.data(), s.rhs().data(), to_,
                  execution_);
  }
  void judge(row& r, const device_systems& systems) const {
    r.note = std::string(tridia::name(plan_.algorithm())) + ": " + plan_.reason();
    r.workspace_bytes = plan_.workspace_bytes();
    systems_spec transposed = systems.spec();
    transposed.operation = tridia::operation::transpose;
    set_residual(r, systems.residual(transposed, y_), transposed.type);
  }

 private:
  static std::size_t bytes_of(const systems_spec& spec, wanted w) {
    const auto entries = static_cast<std::size_t>(w == wanted::all ? spec.entries() : 0);
    return entries * tridia::size_of(spec.type);
  }

  tridia::backward_plan plan_;
  device_array workspace_, dl_, d_, du_, y_;
  tridia::gradients to_;
  tridia::execution execution_;
};

void add_gradients(suite& s, const systems_spec& spec, pivoting p, wanted w) {
  row r = row_of(spec, "tridia cuda");
  r.case_name += w == wanted::all ? ", all gradients" : ", gradient of rhs";
  r.pivoting = tridia::name(p);
  r.floor_bytes =
      floor_words(spec, w) * static_cast<std::size_t>(spec.rows()) * tridia::size_of(spec.type);
  // About as many arrays are written as read, unless only the gradient of rhs is.
  r.floor_reads = w == wanted::rhs && !spec.has_one_matrix() ? 4 : 1;
  add_case(s, r, 31, [=, &s](benchmark::State& state, row& out) {
    const auto data = cached_device_systems(spec);
    const device_clock clock;
    const device_array x(data->rhs().bytes());
    prepared_plan(s.options, spec, p, clock.stream()).execute(*data, x);
    const prepared_backward backward(s.options, spec, p, w, clock.stream());
    backward.execute(*data, x);  // warms up
    measure(state, out, [&] { return clock.time([&] { backward.execute(*data, x); }); });
    clock.wait();
    backward.judge(out, *data);
  });
}

}  // namespace

void add_cuda_backward(suite& s) {
  for (const value_type type : {value_type::f64, value_type::f32}) {
    for (const layout l : {layout::contiguous, layout::interleaved}) {
      systems_spec spec{
          .layout = l, .type = type, .n = 512, .batch = 131072, .seed = s.options.seed};
      add_gradients(s, spec, pivoting::none, wanted::all);
      add_gradients(s, spec, pivoting::none, wanted::rhs);
      add_gradients(s, spec, pivoting::partial, wanted::all);
      spec.matrix = matrix::random;
      add_gradients(s, spec, pivoting::partial, wanted::all);
      spec.matrix = matrix::dominant;
      spec.coefficients = coefficients::shared;
      add_gradients(s, spec, pivoting::none, wanted::all);
    }
  }
}

}  // namespace tridia_bench
