// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "gpu/launch.cuh"
#include "solver/cuda/partition/segments/segment_passes.cuh"
#include "solver/system_memory.hpp"

#include <type_traits>

// Passes over segments and over the levels above them are launched from here.
namespace tridia::cuda::segments {

inline unsigned blocks_for(const onchip_shape& s, index_t systems) {
  return static_cast<unsigned>((systems + s.systems - 1) / s.systems * s.blocks);
}

/// Launches passes, in a workspace, one after another until one fails. Their kernels call
/// begin_in_chain.
template <class V, int Sides = 1>
struct pass_launcher {
  const geometry& g;
  const operands& untyped;
  const segments_shape& shape;
  const side_groups& groups;
  std::byte* workspace;
  cudaStream_t stream;
  const side_arrays<V, Sides> systems{untyped, groups, shape};
  cudaError_t result = cudaSuccess;
  // Kernels begin early after kernels alone, for whose end they wait: nothing says that they would
  // wait for a memset.
  bool follows_kernel = false;

  template <class... Parameters, class... Arguments>
  void launch(void (*kernel)(Parameters...), const dim3& blocks, int threads,
              std::size_t shared_bytes, const Arguments&... arguments) {
    if (result != cudaSuccess) return;
    result = launch_dependent(kernel, shape.in_chain && follows_kernel, blocks, threads,
                              shared_bytes, stream, arguments...);
    follows_kernel = true;
  }
  template <class... Parameters, class... Arguments>
  void launch(void (*kernel)(Parameters...), unsigned blocks, const onchip_shape& s,
              const Arguments&... arguments) {
    launch(kernel, blocks, s.threads, s.shared_bytes, arguments...);
  }
  /// Sets bytes of the workspace.
  void clear(std::size_t at, std::size_t bytes, int to) {
    if (result == cudaSuccess) result = cudaMemsetAsync(workspace + at, to, bytes, stream);
    follows_kernel = false;
  }
  [[nodiscard]] int top() const { return shape.levels - 1; }
  [[nodiscard]] const onchip_shape& level_shape(int k) const { return shape.level[k].shape; }
  [[nodiscard]] index_t system_count() const { return systems.g.matrices.size; }
  [[nodiscard]] system_state* system_states() const {
    return reinterpret_cast<system_state*>(workspace + shape.system_states);
  }
  [[nodiscard]] index_t* overflows() const {
    return reinterpret_cast<index_t*>(workspace + shape.overflows);
  }
  [[nodiscard]] segment_state* segment_states() const {
    return reinterpret_cast<segment_state*>(workspace + shape.segment_states);
  }
  [[nodiscard]] pass_findings* found() const {
    return reinterpret_cast<pass_findings*>(workspace + shape.found);
  }
  [[nodiscard]] edge_entries<V>* edges() const {
    return reinterpret_cast<edge_entries<V>*>(workspace + shape.edges);
  }
};

template <pivoting P, class V, int Sides>
nodes<V, P, Sides> level_nodes(const pass_launcher<V, Sides>& p, int k) {
  using C = chunk<V, P, side_values<V, Sides>>;
  const segments_level& l = p.shape.level[k];
  return {reinterpret_cast<typename C::equations*>(p.workspace + l.equations),
          reinterpret_cast<typename C::unknowns*>(p.workspace + l.unknowns)};
}

/// Launches a pass over the nodes of level k.
template <pivoting P, class V, int Sides, class Kernel>
void on_level(pass_launcher<V, Sides>& p, int k, Kernel kernel, const pass_findings* found) {
  const onchip_shape& s = p.level_shape(k);
  const index_t systems = p.system_count();
  p.launch(kernel, blocks_for(s, systems), s, s, systems, level_nodes<P>(p, k),
           level_nodes<P>(p, k + 1), found);
}

/// Launches a pass over the rows. `kernel_for` returns the kernel for segments of a type, which
/// takes `last` in the end.
template <pivoting P, class V, int Sides, class KernelFor, class Last>
void on_rows(pass_launcher<V, Sides>& p, KernelFor kernel_for, const Last& last) {
  const auto launch = [&]<class Segment>(std::type_identity<Segment> of,
                                         const typename Segment::maps& maps,
                                         const typename Segment::shape& s) {
    p.launch(kernel_for(of), Segment::count(s, p.system_count()), Segment::threads(s),
             s.shared_bytes, p.systems.g, p.systems.o, maps, s, level_nodes<P>(p, 0),
             p.segment_states(), p.edges(), last);
  };
  if (p.shape.in_boxes) {
    launch(std::type_identity<row_segment<V, P, Sides>>{}, p.systems.maps, p.shape.of_rows);
  } else {
    launch(std::type_identity<line_segment<V, P, Sides>>{}, no_maps{}, p.shape.of_lines);
  }
}
template <pivoting P, class V, int Sides>
void launch_reduction(pass_launcher<V, Sides>& p, const outside<V>& beyond) {
  on_rows<P>(
      p,
      []<class Segment>(std::type_identity<Segment>) {
        return reduce_segments<V, P, Segment, Sides>;
      },
      beyond);
}
template <pivoting P, class V, int Sides>
void launch_expansion(pass_launcher<V, Sides>& p, const last_pass<Sides>& pass) {
  on_rows<P>(
      p,
      []<class Segment>(std::type_identity<Segment>) {
        return expand_segments<V, P, Segment, Sides>;
      },
      pass);
}

}  // namespace tridia::cuda::segments
