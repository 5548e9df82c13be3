// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause

// This file adds lines that a kernel solves from coefficients that it makes (tridia/device), beside
// the copy of the words that it reads and writes, and beside the plain way: a kernel writes the
// matrix and the right-hand sides, and a plan solves.
#include "cases_cuda.hpp"
#include "inside_kernels.hpp"
#include "prepared_plan.hpp"

#include <array>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace tridia_bench {
namespace {

using tridia::pivoting;

/// Holds the arrays of implicit steps, and the solution by a plan.
class prepared_steps {
 public:
  prepared_steps(const suite_options& options, const diffusion_lines& l, int fields, bool profile,
                 cudaStream_t stream)
      : l_(l),
        rows_(static_cast<std::size_t>(l.n) * static_cast<std::size_t>(l.batch)),
        fields_(fields),
        plan_(problem(l), {.backend = tridia::backend::cuda, .tuning = options.tuning}),
        workspace_(plan_.workspace_bytes()),
        u_(bytes() * static_cast<std::size_t>(fields)),
        k_(bytes()),
        x_(u_.bytes()),
        expected_(bytes()),
        worst_(sizeof(double)),
        matrix_{device_array(bytes()), device_array(bytes()), device_array(bytes()),
                device_array(bytes())},
        stream_(stream) {
    check(launch_diffusivities(rows_ * static_cast<std::size_t>(fields), 17, u(), stream), "u");
    check(launch_diffusivities(rows_, 3 + options.seed, k(), stream), "K");
    if (profile) repeat_profile();
  }

  [[nodiscard]] double* u() const { return u_.as<double>(); }
  [[nodiscard]] double* k() const { return k_.as<double>(); }
  [[nodiscard]] double* x() const { return x_.as<double>(); }
  /// Returns the K of every line, if all have the same.
  [[nodiscard]] const double* profile() const { return profile_->as<double>(); }
  [[nodiscard]] const double* matrix(std::size_t a) const { return matrix_[a].as<double>(); }
  [[nodiscard]] std::string algorithm() const {
    return std::string(tridia::name(plan_.algorithm())) + ": " + plan_.reason();
  }

  /// Writes the rows of a field, for `solve`.
  void write_rows(int field) const {
    check(launch_write_rows(l_, u() + static_cast<std::size_t>(field) * rows_, k(),
                            matrix_[0].as<double>(), matrix_[1].as<double>(),
                            matrix_[2].as<double>(), matrix_[3].as<double>(), stream_),
          "writing rows");
  }
  void solve(double* x) const {
    plan_.execute(matrix_[0].data(), matrix_[1].data(), matrix_[2].data(), matrix_[3].data(), x,
                  {.workspace = workspace_.data(),
                   .workspace_bytes = plan_.workspace_bytes(),
                   .stream = stream_});
  }
  void poison() const { x_.set(0xff, stream_); }
  /// Returns the largest difference of x from what the plan finds.
  [[nodiscard]] double error() const {
    worst_.set(0, stream_);
    for (int f = 0; f < fields_; ++f) {
      write_rows(f);
      solve(expected_.as<double>());
      check(launch_compare(rows_, x() + static_cast<std::size_t>(f) * rows_, expected_.as<double>(),
                           worst_.as<double>(), stream_),
            "comparing");
    }
    double worst = 0;
    check(cudaStreamSynchronize(stream_), "cudaStreamSynchronize");
    worst_.download(&worst);
    return worst;
  }

 private:
  static tridia::problem problem(const diffusion_lines& l) {
    tridia::problem p;
    p.extents = l.layout == layout::contiguous ? std::vector<index_t>{l.batch, l.n}
                                               : std::vector<index_t>{l.n, l.batch};
    p.axis = l.layout == layout::contiguous ? 1 : 0;
    p.pivoting = pivoting::none;
    return p;
  }
  [[nodiscard]] std::size_t bytes() const { return rows_ * sizeof(double); }
  /// Gives all lines one K, and keeps it as `profile()` too.
  void repeat_profile() {
    std::vector<double> profile(static_cast<std::size_t>(l_.n)), all(rows_);
    check(cudaStreamSynchronize(stream_), "cudaStreamSynchronize");
    check(cudaMemcpy(profile.data(), k(), profile.size() * sizeof(double), cudaMemcpyDefault),
          "copy from the device");
    const auto n = static_cast<std::size_t>(l_.n), batch = static_cast<std::size_t>(l_.batch);
    for (std::size_t i = 0; i < rows_; ++i) {
      all[i] = profile[l_.layout == layout::contiguous ? i % n : i / batch];
    }
    k_.upload(all.data());
    profile_ = std::make_unique<device_array>(n * sizeof(double));
    profile_->upload(profile.data());
  }

  diffusion_lines l_;
  std::size_t rows_;
  int fields_;
  tridia::plan plan_;
  device_array workspace_, u_, k_, x_, expected_, worst_;
  std::array<device_array, 4> matrix_;
  std::unique_ptr<device_array> profile_;
  cudaStream_t stream_;
};

/// A way to take a step, and the words a row that it must move.
struct way {
  const char* what;
  const char* solver;
  std::size_t words;
  int reads;  // arrays for each that is written, of the floor
  int fields;
  bool profile;
  std::function<void(const diffusion_lines&, const prepared_steps&, cudaStream_t)> run;
};

void add_step(suite& s, const diffusion_lines& l, const way& w) {
  row r;
  r.case_name = w.what;
  r.solver = w.solver;
  r.type = "f64";
  r.n = l.n;
  r.batch = l.batch;
  r.layout = l.layout == layout::contiguous ? "contiguous" : "interleaved";
  r.boundary = "regular";
  r.pivoting = "none";
  const auto rows = static_cast<std::size_t>(l.n) * static_cast<std::size_t>(l.batch);
  r.floor_bytes = w.words * rows * sizeof(double);
  r.floor_reads = w.reads;
  add_case(s, r, 21, [=, &s](benchmark::State& state, row& out) {
    const device_clock clock;
    const prepared_steps steps(s.options, l, w.fields, w.profile, clock.stream());
    out.note = steps.algorithm();
    steps.write_rows(0);
    steps.poison();
    w.run(l, steps, clock.stream());  // warms up
    set_residual(out, steps.error(), tridia::value_type::f64);
    measure(state, out, [&] { return clock.time([&] { w.run(l, steps, clock.stream()); }); });
  });
}

}  // namespace

void add_cuda_inside(suite& s) {
  const auto loaded = [](const diffusion_lines& l, const prepared_steps& p, cudaStream_t stream) {
    check(launch_loaded(l, p.matrix(0), p.matrix(1), p.matrix(2), p.matrix(3), p.x(), stream),
          "launch_loaded");
  };
  const auto step = [](const diffusion_lines& l, const prepared_steps& p, cudaStream_t stream) {
    check(launch_step(l, p.u(), p.k(), p.x(), stream), "launch_step");
  };
  const auto from_memory = [](const diffusion_lines& l, const prepared_steps& p,
                              cudaStream_t stream) {
    check(launch_step_from_memory(l, p.u(), p.k(), p.x(), stream), "launch_step_from_memory");
  };
  const auto profile = [](const diffusion_lines& l, const prepared_steps& p, cudaStream_t stream) {
    check(launch_profile_step(l, p.u(), p.profile(), p.x(), stream), "launch_profile_step");
  };
  const auto of_tracers = [](const diffusion_lines& l, const prepared_steps& p,
                             cudaStream_t stream) {
    check(launch_tracer_step(l, p.u(), p.k(), p.x(), stream), "launch_tracer_step");
  };
  const auto plain = [](const diffusion_lines&, const prepared_steps& p, cudaStream_t) {
    p.write_rows(0);
    p.solve(p.x());
  };
  const auto plan = [](const diffusion_lines&, const prepared_steps& p, cudaStream_t) {
    p.solve(p.x());
  };
  const way ways[] = {
      {"implicit step", "solve_lines", 3, 1, 1, false, step},
      {"implicit step", "solve_lines, no inputs", 3, 1, 1, false, from_memory},
      {"implicit step", "rows written, plan", 3, 1, 1, false, plain},
      {"implicit step, one K for all lines", "solve_lines", 2, 1, 1, true, profile},
      {"implicit step, 4 tracers", "solve_lines", 9, 1, tracers, false, of_tracers},
      {"rows in memory", "solve_lines", 5, 4, 1, false, loaded},
      {"rows in memory", "plan", 5, 4, 1, false, plan},
  };
  for (const layout l : {layout::contiguous, layout::interleaved}) {
    for (const auto& [n, batch] : {std::pair{64, 1 << 20},
                                   {128, 1 << 19},
                                   {256, 1 << 18},
                                   {512, 1 << 17},
                                   {1024, 1 << 16},
                                   {257, 257 * 257},
                                   {1000, 67108},
                                   {4096, 1 << 14},
                                   {1 << 20, 64}}) {
      for (const way& w : ways) {
        add_step(s, {.layout = l, .n = n, .batch = batch}, w);
      }
    }
  }
}

}  // namespace tridia_bench
