// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#include "solver/cuda/named/cyclic_reduction.hpp"

#include "core/dispatch.hpp"
#include "core/forward_reduction.hpp"
#include "gpu/check.hpp"
#include "solver/cuda/planning.hpp"
#include "solver/cuda/shaped_method.hpp"
#include "solver/cuda/tuned.hpp"
#include "solver/equations.hpp"

#include <algorithm>

namespace tridia::cuda {

using namespace gpu;

namespace {

/// Systems of more rows than this fit no block.
constexpr index_t chip_rows = index_t{1} << 16;

[[noreturn]] void refuse_length(const task& t, const cyclic_shape& s, std::size_t limit) {
  throw error(errc::unsupported,
              "algorithm: " + std::string(name(t.options.algorithm)) + " with " +
                  std::to_string(t.geometry.rows) + " rows of " + std::string(name(t.type)) +
                  " needs " + std::to_string(s.shared_bytes) +
                  " bytes of shared memory, but a block has " + std::to_string(limit) +
                  ": ask for hierarchical or automatic, which take any length");
}

cyclic_shape shape_of(const task& t, cyclic_variant variant, index_t switch_point,
                      std::size_t shared_bytes) {
  const index_t rows = std::max<index_t>(t.geometry.rows, 1);
  // No device has room for more rows than this, and the sizes computed below would not fit their
  // types.
  const int n = static_cast<int>(std::min<index_t>(rows, chip_rows));
  cyclic_shape s{};
  s.variant = variant;
  s.switch_point = static_cast<int>(std::clamp<index_t>(switch_point, 1, n));
  const bool by_cr = variant != cyclic_variant::pcr_thomas;
  const int size = static_cast<int>(size_of(t.type));
  const auto places = [&](int count) {
    if (variant != cyclic_variant::padded_cr_pcr) return count;
    return (size == 4 ? solver::padded_places::of<float>(count - 1)
                      : solver::padded_places::of<double>(count - 1)) +
           1;
  };
  s.pitch = places(n);
  // PCR alternates between two places, one of which may be where the equations are.
  const bool no_pcr = s.switch_point == (by_cr ? 1 : n);
  s.spare_pitch = no_pcr ? 0 : places(by_cr ? s.switch_point : n);
  const int spares = !by_cr || s.switch_point == n ? 1 : 2;
  s.shared_bytes =
      std::size_t{3} * static_cast<std::size_t>(s.pitch + spares * s.spare_pitch) * size_of(t.type);
  s.threads = line_threads(n, s.shared_bytes, shared_bytes);
  return s;
}

bool fits(const task& t, const cyclic_shape& s, std::size_t shared_bytes) {
  return t.geometry.rows <= chip_rows && s.shared_bytes <= shared_bytes;
}

}  // namespace

int line_threads(index_t rows) {
  const index_t whole = (rows + warp_size - 1) / warp_size * warp_size;
  return static_cast<int>(std::clamp<index_t>(whole, warp_size, most_line_threads));
}

int line_threads(index_t rows, std::size_t block_bytes, std::size_t shared_bytes) {
  constexpr std::size_t of_system = 1024;  // of every block's shared memory
  const auto blocks = static_cast<int>(shared_bytes / (block_bytes + of_system));
  int threads = warp_size;
  while (threads < most_line_threads && threads * blocks < most_line_threads) threads *= 2;
  return std::min(threads, line_threads(rows));
}

std::string block_a_system(int threads, std::size_t shared_bytes, int registers) {
  std::string text = "a block a system, " + std::to_string(threads) + " threads";
  if (registers > 0) text += " of " + std::to_string(registers) + " registers";
  return text + ", " + std::to_string(shared_bytes) + " bytes of shared memory";
}

cyclic_shape plan_cyclic(const task& t, cyclic_variant variant, index_t switch_point,
                         std::size_t shared_bytes) {
  const cyclic_shape s = shape_of(t, variant, switch_point, shared_bytes);
  if (!fits(t, s, shared_bytes)) refuse_length(t, s, shared_bytes);
  return s;
}

index_t chosen_switch_point(const task& t, index_t rule, const device_limits& d) {
  const int asked = t.options.parameters.switch_point;
  if (asked > 0) return asked;
  const int measured = tuned_parameter(t, d.capability);
  return measured > 0 ? measured : rule;
}

cyclic_shape plan_hybrid(const task& t, cyclic_variant variant, index_t rule,
                         const device_limits& d) {
  index_t switch_point = chosen_switch_point(t, rule, d);
  // PCR takes twice the room of the rows that it is left; CR alone needs the least.
  while (t.options.parameters.switch_point == 0 && switch_point > 1 &&
         !fits(t, shape_of(t, variant, switch_point, d.shared_bytes), d.shared_bytes)) {
    switch_point /= 2;
  }
  return plan_cyclic(t, variant, switch_point, d.shared_bytes);
}

std::unique_ptr<const method> make_cyclic(const task& t, const cyclic_shape& s,
                                          const device_limits& d) {
  const cyclic_launches launches = core::with_real_type(
      t.type, [](auto v) { return cyclic_kernels<typename decltype(v)::type>(); });
  check(launches.prepare(s.variant, d.shared_bytes), giving_memory);
  return make_method(t, d, s, launches,
                     block_a_system(s.threads, s.shared_bytes) + ", switch point " +
                         std::to_string(s.switch_point));
}

}  // namespace tridia::cuda
