// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#include "solver/constant.hpp"
#include "solver/cuda/check.hpp"
#include "solver/cuda/cyclic.hpp"
#include "solver/cuda/hierarchical.hpp"
#include "solver/cuda/kernels.hpp"
#include "solver/cuda/method.hpp"
#include "solver/cuda/neato.hpp"
#include "solver/cuda/packed_cr.hpp"
#include "solver/cuda/thomas_batch.hpp"
#include "solver/reduction.hpp"

// The algorithms that are asked for by their names: what each is launched by.
namespace tridia::cuda {
namespace {

/// Of the two types that these algorithms take.
template <class Launches>
Launches real_launches(const task& t, Launches (*f32)(), Launches (*f64)()) {
  return t.type == value_type::f32 ? f32() : f64();
}

/// Lines that are systems of their own, though several may be right-hand sides of one matrix and
/// share a status: the kernels only add to zeros then, or where they `add` in any case.
class line_method : public method {
 public:
  line_method(const task& t, const device_limits& d, bool add = false)
      : task_(t),
        columns_(columns_for(line_count(t), d)),
        from_zeros_(add || t.geometry.right_sides.size > 1) {}
  cudaError_t solve(const operands& o, std::byte* workspace, cudaStream_t stream) const final {
    cudaError_t result = cudaSuccess;
    for (int part = 0; part < parts() && result == cudaSuccess; ++part)
      result = solve_part(part, o, workspace, stream);
    return result;
  }
  cudaError_t solve_part(int part, const operands& o, std::byte* workspace,
                         cudaStream_t stream) const final {
    const geometry& g = task_.geometry;
    if (part == 0 && o.status != nullptr && from_zeros_) {
      const cudaError_t result = launch_enter_statuses(g, nullptr, o.status, columns_, stream);
      if (result != cudaSuccess) return result;
    }
    return solve_lines(part, o, workspace, stream);
  }

 protected:
  virtual cudaError_t solve_lines(int part, const operands&, std::byte* workspace,
                                  cudaStream_t) const = 0;
  const task& task_;

 private:
  index_t columns_;
  bool from_zeros_;
};

class cyclic_method final : public line_method {
 public:
  cyclic_method(const task& t, const device_limits& d)
      : line_method(t, d),
        shape_(plan_cyclic(t, d.shared_bytes)),
        launches_(real_launches(t, cyclic_f32, cyclic_f64)) {
    check(launches_.prepare(shape_.algorithm, d.shared_bytes), giving_memory);
  }
  std::string manner() const override {
    return "a block a system, " + std::to_string(shape_.threads) + " threads, " +
           std::to_string(shape_.shared_bytes) + " bytes of shared memory, switch point " +
           std::to_string(shape_.switch_point);
  }

 protected:
  cudaError_t solve_lines(int, const operands& o, std::byte*, cudaStream_t stream) const override {
    return launches_.solve(task_.geometry, o, shape_, stream);
  }

 private:
  cyclic_shape shape_;
  cyclic_launches launches_;
};

class packed_method final : public line_method {
 public:
  packed_method(const task& t, const device_limits& d)
      : line_method(t, d),
        shape_(plan_packed(t)),
        launches_(real_launches(t, packed_f32, packed_f64)) {
    check(launches_.prepare(shape_.depth, d.shared_bytes, &registers_), giving_memory);
  }
  std::string manner() const override {
    return "a block a system, " + std::to_string(shape_.threads) + " threads of " +
           std::to_string(registers_) + " registers, " + std::to_string(shape_.shared_bytes) +
           " bytes of shared memory, packing depth " + std::to_string(shape_.depth);
  }

 protected:
  cudaError_t solve_lines(int, const operands& o, std::byte*, cudaStream_t stream) const override {
    return launches_.solve(task_.geometry, o, shape_, stream);
  }

 private:
  packed_shape shape_;
  packed_launches launches_;
  int registers_ = 0;
};

class hierarchical_method final : public line_method {
 public:
  hierarchical_method(const task& t, const hierarchical_shape& s, const device_limits& d)
      : line_method(t, d),
        shape_(s),
        launches_(real_launches(t, hierarchical_f32, hierarchical_f64)) {
    check(launches_.prepare(d.shared_bytes), giving_memory);
  }
  std::string manner() const override {
    return std::to_string(shape_.splits) + " steps of PCR in memory, then a block for " +
           std::to_string(shape_.pitch) + " rows, " + std::to_string(shape_.threads) +
           " threads, switch point " + std::to_string(shape_.switch_point);
  }
  std::size_t workspace_bytes() const override { return shape_.workspace_bytes; }

 protected:
  cudaError_t solve_lines(int, const operands& o, std::byte* workspace,
                          cudaStream_t stream) const override {
    return launches_.solve(task_.geometry, o, shape_, workspace, stream);
  }

 private:
  hierarchical_shape shape_;
  hierarchical_launches launches_;
};

class thomas_batch_method final : public line_method {
 public:
  thomas_batch_method(const task& t, const device_limits& d)
      : line_method(t, d),
        shape_(plan_interleaving(t)),
        launches_(t.type == value_type::f32 ? thomas_f32(t.boundary) : thomas_f64(t.boundary)) {
    if (t.options.parameters.transformation != transformation::packed) return;
    const sorted_batch sorted = sort_batch(t.ragged, t.geometry.right_sides.size);
    order_ = upload(sorted.order);
    row_starts_ = upload(sorted.row_starts);
    shape_.order = order_.as<index_t>();
    shape_.row_starts = row_starts_.as<index_t>();
  }
  std::string manner() const override {
    return "a thread a system, on an interleaved copy (transformation " +
           std::string(name(task_.options.parameters.transformation)) + ")";
  }
  std::size_t workspace_bytes() const override { return interleaving_bytes(task_, shape_); }
  int parts() const override { return 3; }

 protected:
  cudaError_t solve_lines(int part, const operands& o, std::byte* workspace,
                          cudaStream_t stream) const override {
    const geometry& g = task_.geometry;
    if (part == 1) return launches_.solve(g, o, shape_, workspace, stream);
    if (shape_.rows == 0) return cudaSuccess;
    return part == 0 ? launches_.interleave(g, o, shape_, workspace, stream)
                     : launches_.put_back(g, o, shape_, workspace, stream);
  }

 private:
  interleaving shape_;
  thomas_launches launches_;
  device_memory order_, row_starts_;
};

class neato_method final : public line_method {
 public:
  neato_method(const task& t, const neato_shape& s, const device_limits& d)
      : line_method(t, d, !s.shared), shape_(s), launches_(real_launches(t, neato_f32, neato_f64)) {
    solver::factor(*t.constant, t.pivoting);  // finds out whether it is singular
    const solver::reduction r = solver::reduce(*t.constant);
    levels_ = upload(r.levels);
    factors_ = upload(solver::rounded(r.factors, t.type));
    shape_.levels = levels_.as<core::reduction_level>();
    shape_.factors = factors_.as<void>();
    check(launches_.prepare(d.shared_bytes), giving_memory);
  }
  std::string manner() const override {
    if (!shape_.shared) {
      return std::to_string(2 * shape_.stages + 1) + " passes over x in global memory";
    }
    return "a block a system, " + std::to_string(shape_.threads) + " threads, " +
           std::to_string(shape_.shared_bytes) + " bytes of shared memory";
  }

 protected:
  cudaError_t solve_lines(int, const operands& o, std::byte*, cudaStream_t stream) const override {
    return launches_.solve(task_.geometry, o, shape_, stream);
  }

 private:
  neato_shape shape_;
  neato_launches launches_;
  device_memory levels_, factors_;
};

}  // namespace

std::unique_ptr<const method> make_named_method(const task& t, const device_limits& d) {
  switch (t.options.algorithm) {
    case algorithm::thomas:
      if (t.options.parameters.transformation == transformation::none) return {};
      return std::make_unique<thomas_batch_method>(t, d);
    case algorithm::cr:
    case algorithm::crnbc:
    case algorithm::pcr:
    case algorithm::cr_pcr:
    case algorithm::pcr_thomas:
      return std::make_unique<cyclic_method>(t, d);
    case algorithm::packed_cr:
      return std::make_unique<packed_method>(t, d);
    case algorithm::hierarchical: {
      const hierarchical_shape s = plan_hierarchical(t, d.shared_bytes);
      if (s.splits == 0) return std::make_unique<cyclic_method>(t, d);
      return std::make_unique<hierarchical_method>(t, s, d);
    }
    case algorithm::neato:
      return std::make_unique<neato_method>(t, plan_neato(t, d.shared_bytes), d);
    default:
      return {};
  }
}

}  // namespace tridia::cuda
