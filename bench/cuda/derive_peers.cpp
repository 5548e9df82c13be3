// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#include "derive_peers.hpp"

#include "cusparse_gtsv.hpp"
#include "known_field.hpp"

#include <string>
#include <utility>
#include <vector>

namespace tridia_bench {
namespace {

using tridia::neato_memory;

constexpr int kRepetitions = 21;

/// Says where the lines lie that a solver gets.
enum class lines_are { in_place, permuted };

/// Times right-hand sides and `solve(x)` after them, which puts the solutions where they were.
/// `solver_bytes` is the solver's own workspace.
template <class F>
void measure_pipeline(benchmark::State& state, row& r, const derive_case& c, lines_are where,
                      const device_clock& clock, std::size_t solver_bytes, F&& solve) {
  const std::vector<double> line = random_line(c.points);
  const known_field f(c.grid().extents, line);
  const stencil_rows rows(c);
  const bool permuted = where == lines_are::permuted;
  const device_array out(f.bytes()), ordered(permuted ? f.bytes() : 0),
      sides(permuted ? f.bytes() : 0);
  const cudaStream_t stream = clock.stream();
  const auto make_sides = [&](index_t step, const double* from, double* to) {
    check(launch_right_sides(rows, c.lines(), step, from, to, stream), "making right-hand sides");
  };
  // The field consists of matrices of points x step, one after another.
  const index_t step = c.step(), count = c.lines() / step;
  measure_on_device(state, r, clock, {&out}, [&] {
    if (!permuted) {
      make_sides(step, f.data(), out.as<double>());
      return solve(out.as<double>());
    }
    check(launch_transpose(count, c.points, step, f.data(), ordered.as<double>(), stream),
          "permuting");
    make_sides(1, ordered.as<double>(), sides.as<double>());
    solve(sides.as<double>());
    check(launch_transpose(count, step, c.points, sides.as<double>(), out.as<double>(), stream),
          "permuting back");
  });
  r.workspace_bytes = solver_bytes + ordered.bytes() + sides.bytes();
  set_residual(r, f.error(out, c.axis, reference_line(c, line)), tridia::value_type::f64);
}

void run_cusparse(benchmark::State& state, row& r, const derive_case& c, lines_are where) {
  const std::size_t bytes = static_cast<std::size_t>(c.lines() * c.points) * sizeof(double);
  const device_array dl(bytes), d(bytes), du(bytes);
  const device_clock clock;
  const cusparse_gtsv<double> gtsv(cusparse_method::strided, static_cast<int>(c.points),
                                   static_cast<int>(c.lines()), clock.stream());
  const device_array workspace(gtsv.workspace_bytes());
  check(launch_matrices(stencil_rows(c), c.lines(), dl.as<double>(), d.as<double>(),
                        du.as<double>(), clock.stream()),
        "making matrices");
  measure_pipeline(state, r, c, where, clock, workspace.bytes(), [&](double* x) {
    gtsv.solve(dl.as<double>(), d.as<double>(), du.as<double>(), x, workspace.data());
  });
}

void run_neato(benchmark::State& state, row& r, const derive_case& c, lines_are where,
               neato_memory memory) {
  tridia::problem p;
  p.extents = c.grid().extents;
  p.axis = where == lines_are::permuted ? 2 : c.axis;
  p.pivoting = tridia::pivoting::none;
  p.coefficients = tridia::coefficients::constant;
  p.matrix = stencil_rows(c).matrix();
  const tridia::plan plan(p, {.backend = tridia::backend::cuda,
                              .algorithm = tridia::algorithm::neato,
                              .parameters = {.memory = memory}});
  const device_clock clock;
  const device_array workspace(plan.workspace_bytes());
  r.note = plan.reason();
  measure_pipeline(state, r, c, where, clock, plan.workspace_bytes(), [&](double* x) {
    plan.execute(x, x,
                 {.workspace = workspace.data(),
                  .workspace_bytes = plan.workspace_bytes(),
                  .stream = clock.stream()});
  });
}

}  // namespace

void add_derive_peers(suite& s, const derive_case& c) {
  const bool contiguous = c.axis == 2;
  row gtsv = row_of(c, name(cusparse_method::strided));
  if (!contiguous) gtsv.parameter = "permuted";
  add_case(s, gtsv, kRepetitions, [=](benchmark::State& state, row& r) {
    run_cusparse(state, r, c, contiguous ? lines_are::in_place : lines_are::permuted);
  });
  for (const neato_memory memory : {neato_memory::shared, neato_memory::global}) {
    for (const lines_are where : {lines_are::in_place, lines_are::permuted}) {
      const bool permuted = where == lines_are::permuted;
      if (permuted && contiguous) continue;
      row neato = row_of(c, "tridia cuda, neato");
      neato.parameter = "memory " + std::string(tridia::name(memory));
      if (permuted) *neato.parameter += ", permuted";
      add_case(s, neato, kRepetitions,
               [=](benchmark::State& state, row& r) { run_neato(state, r, c, where, memory); });
    }
  }
}

}  // namespace tridia_bench
