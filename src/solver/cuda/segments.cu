// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause

// Systems too long for the chip, and systems of which only a part is here. Compiled once for each
// value type: TRIDIA_VALUE and TRIDIA_SEGMENTS are given.
#include "solver/cuda/segment_parts.cuh"
#include "solver/cuda/segment_passes.cuh"

namespace tridia::cuda {
namespace {

/// Whether a closed system has a finite solution: what is not finite in any row spreads to its
/// ends.
__device__ __forceinline__ bool is_sound(const typename chunk<V, pivoting::none>::equations& e,
                                         const typename chunk<V, pivoting::none>::ends& x) {
  return core::is_finite(x.last) && core::is_finite(e.first.at(x.before, x.last));
}
__device__ __forceinline__ bool is_sound(const typename chunk<V, pivoting::partial>::equations&,
                                         const typename chunk<V, pivoting::partial>::ends& x) {
  return core::is_finite(x.first) && core::is_finite(x.last);
}

/// Enters why a system has no finite solution. All threads look for a row that is not finite; if
/// there is none, one of them eliminates.
template <pivoting P, boundary B>
__device__ __noinline__ void diagnose(const geometry& g, const typed_operands<V>& o,
                                      index_t matrix) {
  __shared__ unsigned long long first_bad;
  if (!o.status) return;
  const index_t n = g.rows;
  if (threadIdx.x == 0) first_bad = static_cast<unsigned long long>(n);
  __syncthreads();
  index_t at[layout::array_count];
  g.line_offsets(matrix, 0, at);
  const solver::strided_matrix<V> a(g, n, o.in, at);
  solver::strided_rhs<V> b{o.in[layout::rhs] + at[layout::rhs], g.lines[layout::rhs].step};
  for (index_t k = threadIdx.x; k < n; k += blockDim.x) {
    if (core::is_finite(a.get(k)) && core::is_finite(b.get(k))) continue;
    atomicMin(&first_bad, static_cast<unsigned long long>(k));
    break;
  }
  __syncthreads();
  if (threadIdx.x == 0) {
    const auto bad = static_cast<index_t>(first_bad);
    solver::enter_status(g, o.status, matrix, 0,
                         bad < n ? -(bad + 1) : solver::diagnose_system<V, P, B>(g, o, matrix));
  }
  __syncthreads();
}

/// The last level: a block closes systems, and says what becomes of them.
template <stage S, boundary B>
__global__ void __launch_bounds__(most_threads)
    close_level(const __grid_constant__ geometry g, const __grid_constant__ typed_operands<V> o,
                const __grid_constant__ onchip_shape s, const nodes<pivots<S>> in,
                verdict* verdicts) {
  using C = chunk<V, pivots<S>>;
  __shared__ typename C::equations of_warps[most_threads / warp_size];
  __shared__ int unsound[most_threads];
  const node_block b(s, g.matrices.size);
  if (S == stage::pivoted && is_done<S>(b.number(0), b.systems(), verdicts)) return;
  unsound[threadIdx.x] = 0;
  __syncthreads();
  const gathered<S> level(b, s, in, of_warps);
  const chunk_place& p = level.place;
  const auto ends = C::template close<B>(level.all);
  level.spread(ends, in);
  if ((speaks_for_system(p) && !is_sound(level.all, ends)) || (p.system >= 0 && !level.watch.calm)) {
    unsound[p.system] = 1;
  }
  __syncthreads();
  const int system = static_cast<int>(threadIdx.x);
  if (system < b.systems()) {
    verdict& v = verdicts[b.number(system)];
    if (S == stage::pivoted && !is_mine<S>(v)) {
      unsound[system] = 0;
    } else if (!unsound[system]) {
      if (S != stage::pivoted) v = verdict::solved;
      if (o.status) solver::enter_status(g, o.status, b.number(system), 0, 0);
    } else {
      v = S == stage::watched ? verdict::left : verdict::failed;
    }
  }
  if constexpr (S != stage::watched) {
    __syncthreads();
    for (int i = 0; i < b.systems(); ++i) {
      if (unsound[i]) diagnose<pivots<S>, B>(g, o, b.number(i));
    }
  }
}

/// The launches of all passes of whole systems.
template <boundary B>
class passes : pass_launcher {
 public:
  using pass_launcher::pass_launcher;

  /// The first error, if any.
  template <stage S>
  cudaError_t run() {
    // What goes down the levels does not depend on whether anybody watched on the way up.
    constexpr stage down = S == stage::watched ? stage::plain : S;
    auto* const verdicts = at<verdict>(s_.verdicts);
    const int top = s_.levels - 1;

    on_rows<S>(reduce_segments<S>, verdicts, {});
    for (int k = 0; k < top; ++k) on_level<S>(k, reduce_level<S>, verdicts);
    const onchip_shape& last = s_.level[top].shape;
    launch(close_level<S, B>, blocks_for(last, g_.matrices.size), last, g_, o_, last, level<S>(top),
           verdicts);
    for (int k = top; k-- > 0;) on_level<down>(k, expand_level<down>, verdicts);
    on_rows<S>(expand_segments<S>, verdicts, {});
    return result_;
  }
};

template <pivoting P>
inline constexpr stage first_stage = P == pivoting::none ? stage::plain : stage::watched;

template <pivoting P, boundary B>
cudaError_t solve(const geometry& g, const operands& o, const segments_shape& shape,
                  std::byte* workspace, cudaStream_t stream) {
  passes<B> all(g, o, shape, workspace, stream);
  const cudaError_t result = all.template run<first_stage<P>>();
  return P == pivoting::none ? result : all.template run<stage::pivoted>();
}

template <pivoting P>
cudaError_t prepare(std::size_t bytes) {
  cudaError_t result = cudaSuccess;
  const auto allow = [&](auto kernel) {
    if (result != cudaSuccess) return;
    result = allow_shared(kernel, bytes);
  };
  allow(reduce_segments<first_stage<P>>);
  allow(expand_segments<first_stage<P>>);
  allow(reduce_segments<stage::pivoted>);
  allow(expand_segments<stage::pivoted>);
  return result;
}

}  // namespace

segments_launches TRIDIA_SEGMENTS(pivoting p, boundary b) {
  return core::with_variant(p, b, [](auto v) -> segments_launches {
    constexpr pivoting pivots = decltype(v)::pivots;
    return {&prepare<pivots>, &solve<pivots, decltype(v)::ends>, &reduce_parts<pivots>,
            &expand_parts<pivots>};
  });
}

}  // namespace tridia::cuda
