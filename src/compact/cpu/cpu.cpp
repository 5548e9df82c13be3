// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#include "compact/adjoint.hpp"
#include "compact/cpu/one_pass.hpp"
#include "compact/factors.hpp"
#include "compact/operator_executor.hpp"
#include "gpu/devices.hpp"
#include "line_operator/cpu/parts_of_lines.hpp"

#include <omp.h>

#include <cstring>
#include <utility>

// The kernels are those of line operators (line_operator/cpu), which solves share.
namespace tridia::compact::cpu {
namespace {

using line_operator::cpu::line_operation;
using line_operator::cpu::operation_task;

/// Executes a line operation as an operator.
class cpu_executor final : public operator_executor {
 public:
  explicit cpu_executor(std::unique_ptr<const line_operation> done) : done_(std::move(done)) {}

  int threads() const override { return done_->threads(); }
  std::size_t workspace_bytes() const override { return done_->workspace_bytes(); }
  void check_pointer(const char* name, const void* p) const override {
    gpu::check_host_pointer(name, p);
  }
  void apply(const call& c) const override {
    done_->apply({c.in, c.out, c.s, c.accumulate, c.prescribed, c.workspace});
  }
  void clear(void* memory, std::size_t bytes, void*) const override {
    std::memset(memory, 0, bytes);
  }

 private:
  std::unique_ptr<const line_operation> done_;
};

std::unique_ptr<const operator_executor> executor_of(std::unique_ptr<const line_operation> done) {
  if (done == nullptr) return {};
  return std::make_unique<cpu_executor>(std::move(done));
}

operation_task lines_of(const task& t) {
  const int threads = t.options.threads > 0 ? t.options.threads : omp_get_max_threads();
  return {t.line, t.type, t.geometry, threads};
}

std::unique_ptr<const operator_executor> make_parts(const task& t) {
  return executor_of(line_operator::cpu::make_parts_of_lines(lines_of(t)));
}

std::unique_ptr<const operator_executor> make_parts_of_adjoint(task t) {
  auto at_once = adjoint_at_once(t.line);
  if (!at_once) return {};
  t.line = *std::move(at_once);
  return make_parts(t);
}

std::unique_ptr<const operator_executor> make_whole(const task& t,
                                                    const line_operator::specification* gather,
                                                    const slab_use& slab) {
  // This refuses a singular matrix as that of a scheme.
  (void)factor(t.line.matrix, t.line.rows, t.line.boundary);
  const operation_task lines = lines_of(t);
  return executor_of(line_operator::cpu::make_whole_lines(
      lines, gather, slab, line_operator::cpu::dense_matrix(lines, gather)));
}

}  // namespace

std::unique_ptr<const operator_executor> make_one_pass(const task& t, const slab_use& slab) {
  if (t.operation == operation::none) return make_whole(t, nullptr, slab);
  adjoint_steps steps = adjoint_of(t.line);
  task solve = t;
  solve.line = std::move(steps.solve);
  if (steps.scaling) solve.line.scale = std::move(steps.scaling->scale);
  solve.operation = operation::none;
  return make_whole(solve, &steps.gather, slab);
}

bool takes_one_pass(const task& t) {
  if (t.operation == operation::none) return make_parts(t) == nullptr;
  // A periodic line of one row has no backward sweep, in which results are gathered.
  const index_t least = t.line.boundary == boundary::periodic ? 2 : 1;
  return t.line.rows >= least &&
         !line_operator::cpu::are_long(t.line.points, t.geometry.right_sides.size, t.type);
}

}  // namespace tridia::compact::cpu

namespace tridia::compact {

std::unique_ptr<const operator_executor> make_cpu(const task& t) {
  if (auto parts = cpu::make_parts(t)) return parts;
  return cpu::make_one_pass(t, {});
}

std::unique_ptr<const operator_executor> make_cpu_adjoint(const task& t) {
  if (cpu::takes_one_pass(t)) return cpu::make_one_pass(t, {});
  return cpu::make_parts_of_adjoint(t);
}

}  // namespace tridia::compact
