// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "core/joining.hpp"
#include "solver/cuda/partition/segment_passes.cuh"
#include "solver/part_status.hpp"

// Systems of which only a part is here: the passes of systems too long for the chip, but the last
// level hands the equations of a system's rows to whoever closes it, and gets its ends.
namespace tridia::cuda {
namespace {

/// Where the words of a system lie: systems are cut into parcels of `each`.
template <class Part>
struct part_words {
  V* base;
  index_t each, systems;

  __device__ __forceinline__ index_t begin(index_t system) const { return system / each * each; }
  __device__ __forceinline__ index_t pitch(index_t system) const {
    return min(each, systems - begin(system));
  }
  __device__ __forceinline__ V* place(index_t system) const {
    return base + begin(system) * core::words_of<Part, V>;
  }
  __device__ __forceinline__ Part load(index_t system) const {
    return core::load_words<Part>(static_cast<const V*>(place(system)), pitch(system),
                                  system - begin(system));
  }
  __device__ __forceinline__ void store(index_t system, const Part& p) const {
    core::store_words(p, place(system), pitch(system), system - begin(system));
  }
};
template <stage S>
using part_equations = part_words<typename chunk<V, pivots<S>>::equations>;
template <stage S>
using part_ends = part_words<typename chunk<V, pivots<S>>::ends>;

/// The last level's equations, to who closes the systems.
template <stage S>
__global__ void __launch_bounds__(most_threads)
    open_level(const __grid_constant__ onchip_shape s, index_t matrices, const nodes<pivots<S>> in,
               const part_equations<S> out) {
  __shared__ typename chunk<V, pivots<S>>::equations of_warps[most_threads / warp_size];
  const node_block b(s, matrices);
  const gathered<S> level(b, s, in, of_warps);
  if (speaks_for_system(level.place)) out.store(b.number(level.place.system), level.all);
}

/// The last level's ends, from who has closed the systems.
template <stage S>
__global__ void __launch_bounds__(most_threads)
    enter_level(const __grid_constant__ onchip_shape s, index_t matrices, const nodes<pivots<S>> in,
                const part_ends<S> from) {
  __shared__ typename chunk<V, pivots<S>>::equations of_warps[most_threads / warp_size];
  const node_block b(s, matrices);
  const gathered<S> level(b, s, in, of_warps);
  typename chunk<V, pivots<S>>::ends ends{};
  if (level.place.system >= 0) ends = from.load(b.number(level.place.system));
  level.spread(ends, in);
}

__device__ __forceinline__ bool part_is_sound(const typename chunk<V, pivoting::none>::equations& e,
                                              const typename chunk<V, pivoting::none>::ends& x) {
  return core::is_finite(x.before) && core::is_finite(x.last) && core::is_finite(x.after) &&
         core::is_finite(e.first.at(x.before, x.last));
}
__device__ __forceinline__ bool part_is_sound(
    const typename chunk<V, pivoting::partial>::equations&,
    const typename chunk<V, pivoting::partial>::ends& x) {
  return core::is_finite(x.before) && core::is_finite(x.first) && core::is_finite(x.last) &&
         core::is_finite(x.after);
}

/// Why a system has no finite solution, by its rows here.
template <pivoting P>
__device__ __noinline__ index_t explain_part(const geometry& g, const typed_operands<V>& o,
                                             const segment_ends& e, index_t system) {
  const index_t n = g.rows;
  index_t at[layout::array_count];
  g.line_offsets(system, 0, at);
  const auto coupling = [&](const void* given, int a, index_t k) {
    if (given != nullptr) return static_cast<const V*>(given)[system];
    return o.in[a][at[a] + g.lines[a].origin + k * g.lines[a].step];
  };
  if (e.before && !core::is_finite(coupling(e.entries_before, layout::sub, 0))) return -1;
  solver::strided_matrix<V> a(g, n, o.in, at);
  solver::strided_rhs<V> b{o.in[layout::rhs] + at[layout::rhs], g.lines[layout::rhs].step};
  index_t status = solver::failed_elsewhere;
  solver::with_elimination<V, P, boundary::regular>(n, [&](auto elimination) {
    core::diagnose_line<V, decltype(elimination)>(n, {n, n}, a, b, true,
                                                  [&](int, index_t s) { status = s; });
  });
  if (status > 0 && e.after && !core::is_finite(coupling(e.entries_after, layout::sup, n - 1))) {
    return -n;
  }
  return status;
}

/// What becomes of each system, now that its ends are known.
template <stage S>
__global__ void __launch_bounds__(block_threads)
    judge_parts(const __grid_constant__ geometry g, const __grid_constant__ typed_operands<V> o,
                const __grid_constant__ segment_ends e, const part_equations<S> equations,
                const part_ends<S> ends, verdict* verdicts) {
  constexpr verdict mine = S == stage::pivoted ? verdict::left : verdict::solved;
  for (index_t k = thread_index(); k < g.matrices.size; k += thread_count()) {
    const bool sound = part_is_sound(equations.load(k), ends.load(k));
    verdicts[k] = sound ? mine : verdict::failed;
    e.found[k] = sound ? 0 : explain_part<pivots<S>>(g, o, e, k);
  }
}

template <stage S>
class part_passes : pass_launcher {
 public:
  part_passes(const geometry& g, const operands& o, const segments_shape& shape,
              const segment_ends& e, std::byte* workspace, cudaStream_t stream)
      : pass_launcher(g, o, shape, workspace, stream),
        e_(e),
        equations_{static_cast<V*>(e.equations), e.each, g.matrices.size},
        ends_{static_cast<V*>(const_cast<void*>(e.ends)), e.each, g.matrices.size} {}

  cudaError_t reduce() {
    on_rows<S>(reduce_segments<S>, nullptr, beyond());
    for (int k = 0; k < top(); ++k) on_level<S>(k, reduce_level<S>, nullptr);
    on_top(open_level<S>, equations_);
    return result_;
  }
  cudaError_t expand() {
    auto* const verdicts = at<verdict>(s_.verdicts);
    constexpr index_t most = 8192;
    const index_t blocks = (g_.matrices.size + block_threads - 1) / block_threads;
    const onchip_shape plain{.threads = block_threads, .shared_bytes = 0};
    launch(judge_parts<S>, static_cast<unsigned>(min(blocks, most)), plain, g_, o_, e_, equations_,
           ends_, verdicts);
    on_top(enter_level<S>, ends_);
    for (int k = top(); k-- > 0;) on_level<S>(k, expand_level<S>, nullptr);
    on_rows<S>(expand_segments<S>, verdicts, beyond());
    return result_;
  }

 private:
  int top() const { return s_.levels - 1; }
  outside beyond() const {
    return {true,
            e_.before,
            e_.after,
            static_cast<const V*>(e_.entries_before),
            static_cast<const V*>(e_.entries_after),
            e_.found};
  }
  template <class Kernel, class Words>
  void on_top(Kernel kernel, const Words& words) {
    const onchip_shape& s = s_.level[top()].shape;
    launch(kernel, blocks_for(s, g_.matrices.size), s, s, g_.matrices.size, level<S>(top()), words);
  }

  const segment_ends& e_;
  part_equations<S> equations_;
  part_ends<S> ends_;
};

/// With partial pivoting all rows are pivoted at once.
template <pivoting P>
inline constexpr stage part_stage = P == pivoting::none ? stage::plain : stage::pivoted;

template <pivoting P>
cudaError_t reduce_parts(const geometry& g, const operands& o, const segments_shape& s,
                         const segment_ends& e, std::byte* workspace, cudaStream_t stream) {
  return part_passes<part_stage<P>>(g, o, s, e, workspace, stream).reduce();
}
template <pivoting P>
cudaError_t expand_parts(const geometry& g, const operands& o, const segments_shape& s,
                         const segment_ends& e, std::byte* workspace, cudaStream_t stream) {
  return part_passes<part_stage<P>>(g, o, s, e, workspace, stream).expand();
}

}  // namespace
}  // namespace tridia::cuda
