// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "solver/cuda/partition/levels.cuh"

namespace tridia::cuda {

/// Leaves what a thread has of a chunk where it is: the same threads solve the interface.
struct same_threads {
  template <class E>
  __device__ __forceinline__ E to_interface(const E& e) const {
    return e;
  }
  template <class U>
  __device__ __forceinline__ U from_interface(const U& u) const {
    return u;
  }
};

/// Reduces the rows that a block, or some warps of it, hold of each system to the equations of them
/// all, and expands them from their interface unknowns. All threads take part; those without rows
/// have n = 0 or less. `Carrier` brings the equations of a chunk to the thread that has its place
/// in the interface, and unknowns back.
template <class V, pivoting P, class R = V, class Carrier = same_threads>
class block_part {
 public:
  using equations = typename core::chunk<V, P, R>::equations;
  using unknowns = typename core::chunk<V, P, R>::unknowns;

  /// `of_warps` is shared memory for the equations of each warp. The place must outlive the part,
  /// which would not stay in registers if it referred to a member of its own.
  __device__ __forceinline__ block_part(const chunk_place& in_interface, equations* of_warps,
                                        const Carrier& carrier = {})
      : chunks_(in_interface), of_warps_(of_warps), carrier_(carrier) {}

  /// Returns the equations for the first lane of each part, or for all lanes if it takes several
  /// warps. The monitors see how numbers grow, in the rows and in the interface.
  template <bool Keep, class Rows, class Monitor>
  __device__ __forceinline__ equations reduce(int n, Rows& rows, Monitor& of_rows,
                                              Monitor& of_interface) {
    equations e{};
    if (n > 0) e = mine_.template reduce<Keep>(n, rows, of_rows);
    return chunks_.up(carrier_.to_interface(e), of_warps_, of_interface);
  }
  /// Returns the interface unknowns of this thread's chunk.
  [[nodiscard]] __device__ __forceinline__ unknowns down(const unknowns& of_part) const {
    return carrier_.from_interface(chunks_.down(of_part));
  }
  /// Finds x of this thread's chunk, and returns whether all of it is finite.
  template <class Rows>
  __device__ __forceinline__ bool expand(int n, Rows& rows, const unknowns& e) const {
    return n <= 0 || mine_.expand(n, rows, e);
  }

 private:
  thread_chunk<V, P, R> mine_;
  block_level<V, P, R> chunks_;
  equations* of_warps_;
  Carrier carrier_;
};

}  // namespace tridia::cuda
