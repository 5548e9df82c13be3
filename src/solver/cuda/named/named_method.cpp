// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#include "core/dispatch.hpp"
#include "line_operator/constant.hpp"
#include "solver/cuda/named/cyclic.hpp"
#include "solver/cuda/named/hierarchical.hpp"
#include "solver/cuda/named/neato.hpp"
#include "solver/cuda/named/packed_cr.hpp"
#include "solver/cuda/named/thomas_batch.hpp"
#include "solver/cuda/shaped_method.hpp"
#include "solver/reduction.hpp"

// The algorithms that are asked for by their names: what each is launched by.
namespace tridia::cuda {
namespace {

/// How the algorithms go about it that solve a system in shared memory.
std::string block_a_system(int threads, std::size_t shared_bytes, int registers = 0) {
  std::string text = "a block a system, " + std::to_string(threads) + " threads";
  if (registers > 0) text += " of " + std::to_string(registers) + " registers";
  return text + ", " + std::to_string(shared_bytes) + " bytes of shared memory";
}

std::unique_ptr<const method> make_cyclic(const task& t, const device_limits& d) {
  const cyclic_shape s = plan_cyclic(t, d.shared_bytes);
  const cyclic_launches launches = core::with_real_type(
      t.type, [](auto v) { return cyclic_kernels<typename decltype(v)::type>(); });
  check(launches.prepare(s.algorithm, d.shared_bytes), giving_memory);
  return make_method(t, d, s, launches,
                     block_a_system(s.threads, s.shared_bytes) + ", switch point " +
                         std::to_string(s.switch_point));
}

std::unique_ptr<const method> make_packed(const task& t, const device_limits& d) {
  const packed_shape s = plan_packed(t);
  const packed_launches launches = core::with_real_type(
      t.type, [](auto v) { return packed_kernels<typename decltype(v)::type>(); });
  int registers = 0;
  check(launches.prepare(s.depth, d.shared_bytes, &registers), giving_memory);
  return make_method(t, d, s, launches,
                     block_a_system(s.threads, s.shared_bytes, registers) + ", packing depth " +
                         std::to_string(s.depth));
}

std::unique_ptr<const method> make_hierarchical(const task& t, const device_limits& d) {
  const hierarchical_shape s = plan_hierarchical(t, d.shared_bytes);
  if (s.splits == 0) return make_cyclic(t, d);
  const hierarchical_launches launches = core::with_real_type(
      t.type, [](auto v) { return hierarchical_kernels<typename decltype(v)::type>(); });
  check(launches.prepare(d.shared_bytes), giving_memory);
  return make_method(t, d, s, launches,
                     std::to_string(s.splits) + " steps of PCR in memory, then a block for " +
                         std::to_string(s.pitch) + " rows, " + std::to_string(s.threads) +
                         " threads, switch point " + std::to_string(s.switch_point),
                     {.workspace_bytes = s.workspace_bytes});
}

/// The three launches of cuThomasBatch, one after another.
struct thomas_steps {
  thomas_launches launches;
  cudaError_t solve(const geometry& g, const operands& o, const interleaving& s,
                    std::byte* workspace, cudaStream_t stream) const {
    const bool rows = s.rows > 0;
    cudaError_t result = cudaSuccess;
    if (rows) result = launches.interleave(g, o, s, workspace, stream);
    if (result == cudaSuccess) result = launches.solve(g, o, s, workspace, stream);
    if (rows && result == cudaSuccess) result = launches.put_back(g, o, s, workspace, stream);
    return result;
  }
};

std::unique_ptr<const method> make_thomas_batch(const task& t, const device_limits& d) {
  const transformation asked = t.options.parameters.transformation;
  interleaving s = plan_interleaving(t);
  shape_needs needs{.workspace_bytes = interleaving_bytes(t, s)};
  if (asked == transformation::packed) {
    const sorted_batch sorted = sort_batch(t.ragged, t.geometry.right_sides.size);
    needs.memory.push_back(upload(sorted.order));
    s.order = needs.memory.back().as<index_t>();
    needs.memory.push_back(upload(sorted.row_starts));
    s.row_starts = needs.memory.back().as<index_t>();
  }
  const thomas_launches launches = core::with_real_type(
      t.type, [&](auto v) { return thomas_kernels<typename decltype(v)::type>(t.boundary); });
  return make_method(
      t, d, s, thomas_steps{launches},
      "a thread a system, on an interleaved copy (transformation " + std::string(name(asked)) + ")",
      std::move(needs));
}

std::unique_ptr<const method> make_neato(const task& t, const device_limits& d) {
  neato_shape s = plan_neato(t, d.shared_bytes);
  const neato_launches launches = core::with_real_type(
      t.type, [](auto v) { return neato_kernels<typename decltype(v)::type>(); });
  check(launches.prepare(d.shared_bytes), giving_memory);
  solver::factor(*t.constant, t.pivoting);  // finds out whether it is singular
  const solver::reduction r = solver::reduce(*t.constant);
  shape_needs needs{.zero_statuses = !s.shared};
  needs.memory.push_back(upload(r.levels));
  s.levels = needs.memory.back().as<core::reduction_level>();
  needs.memory.push_back(upload(solver::rounded(r.factors, t.type)));
  s.factors = needs.memory.back().as<void>();
  return make_method(t, d, s, launches,
                     s.shared
                         ? block_a_system(s.threads, s.shared_bytes)
                         : std::to_string(2 * s.stages + 1) + " passes over x in global memory",
                     std::move(needs));
}

}  // namespace

std::unique_ptr<const method> make_named_method(const task& t, const device_limits& d) {
  switch (t.options.algorithm) {
    case algorithm::thomas:
      if (t.options.parameters.transformation == transformation::none) return {};
      return make_thomas_batch(t, d);
    case algorithm::cr:
    case algorithm::crnbc:
    case algorithm::pcr:
    case algorithm::cr_pcr:
    case algorithm::pcr_thomas:
      return make_cyclic(t, d);
    case algorithm::packed_cr:
      return make_packed(t, d);
    case algorithm::hierarchical:
      return make_hierarchical(t, d);
    case algorithm::neato:
      return make_neato(t, d);
    default:
      return {};
  }
}

}  // namespace tridia::cuda
