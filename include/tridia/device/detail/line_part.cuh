// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tridia/device/detail/solver/cuda/partition/block_part.cuh"
#include "tridia/device/detail/thread_group.cuh"
#include "tridia/device/detail/thread_rows.cuh"
#include "tridia/device/row.cuh"

#include <type_traits>

namespace tridia::device::detail {

/// Carries up to `Words` words of every thread that has rows to the one that solves the interface,
/// and back.
template <class T, int ThreadsALine, int Lines, int Words>
struct exchange_memory {
  static constexpr int pitch = Lines | 1, plane = ThreadsALine * pitch;
  T words[Words * plane];

  template <class E>
  __device__ __forceinline__ void put(int line, int chunk, const E& e) {
    T* at = words + chunk * pitch + line;
    for_each_word(e, [&](const T& v) {
      *at = v;
      at += plane;
      return v;
    });
  }
  template <class E>
  __device__ __forceinline__ E get(int line, int chunk) const {
    const T* at = words + chunk * pitch + line;
    return for_each_word(E{}, [&](const T&) {
      const T v = *at;
      at += plane;
      return v;
    });
  }

 private:
  template <class E, class F>
  static __device__ __forceinline__ E for_each_word(const E& e, const F& f) {
    if constexpr (std::is_same_v<E, T>) {
      return f(e);
    } else {
      return e.map([&](const auto& part) { return for_each_word(part, f); });
    }
  }
};

/// Carries equations from the threads that have rows of a line to those that solve its interface,
/// one equation after the other, and unknowns back.
template <class Group, class Memory>
class carrier {
 public:
  __device__ __forceinline__ explicit carrier(Memory& memory) : memory_(memory) {}

  template <class E>
  __device__ __forceinline__ E to_interface(const E& e) const {
    if constexpr (requires { e.a; }) {
      return {carried(e.a), carried(e.b)};
    } else {
      return {carried(e.first), carried(e.last)};
    }
  }
  template <class U>
  __device__ __forceinline__ U from_interface(const U& found) const {
    memory_.put(Group::interface_line(), Group::interface_chunk(), found);
    Group::wait();
    const U u = memory_.template get<U>(Group::line(), Group::chunk());
    Group::wait();
    return u;
  }

 private:
  template <class E>
  __device__ __forceinline__ E carried(const E& mine) const {
    memory_.put(Group::line(), Group::chunk(), mine);
    Group::wait();
    const E e = memory_.template get<E>(Group::interface_line(), Group::interface_chunk());
    Group::wait();
    return e;
  }

  Memory& memory_;
};

/// The rows of each line that threads hold together, all of them or some of a longer line: reduces
/// them to equations, and expands these to x. `R` is T, or several right-hand sides.
template <class T, pivoting P, class R, class Group>
class line_part {
 public:
  using equations = typename core::chunk<T, P, R>::equations;
  using unknowns = typename core::chunk<T, P, R>::unknowns;

 private:
  template <class Part>
  static constexpr int words = static_cast<int>(sizeof(Part) / sizeof(T));
  // Equations are carried one of the two at a time.
  static constexpr int half = words<equations> / 2,
                       most_words = half > words<unknowns> ? half : words<unknowns>;
  static constexpr bool exchanges = Group::exchanges;

 public:
  using exchange_memory =
      detail::exchange_memory<T, exchanges ? Group::threads_a_line : 1,
                              exchanges ? Group::lines : 1, exchanges ? most_words : 1>;

  /// `of_warps` has room for equations of each warp. `Memory` may be that of partial pivoting in an
  /// attempt without. `place` is this thread's among the chunks that are not empty, and must
  /// outlive the part.
  template <class OfWarps, class Memory>
  __device__ __forceinline__ line_part(OfWarps* of_warps, Memory& exchange,
                                       const cuda::chunk_place& place)
      : part_(place, reinterpret_cast<equations*>(of_warps),
              carried_by(reinterpret_cast<exchange_memory&>(exchange))) {}
  line_part(const line_part&) = delete;
  line_part& operator=(const line_part&) = delete;

  /// Returns the equations of the interface's line, for the threads with `interface_chunk` 0, or,
  /// if it takes several warps, for all. What `expand` needs is kept if `Keep`.
  template <bool Keep, class Rows, class Monitor>
  __device__ __forceinline__ equations reduce(Rows& rows, int count, Monitor& of_rows,
                                              Monitor& of_interface) {
    if constexpr (exchanges && P == pivoting::none && !Rows::from_chip) {
      rows_ahead<Rows> ahead(rows);
      return part_.template reduce<Keep>(count, ahead, of_rows, of_interface);
    } else {
      return part_.template reduce<Keep>(count, rows, of_rows, of_interface);
    }
  }
  /// Puts x of a thread's rows in their places; `of_line` are unknowns of the interface's line.
  /// Returns whether they are finite.
  template <class Rows>
  __device__ __forceinline__ bool expand(Rows& rows, int count, const unknowns& of_line) {
    return part_.expand(count, rows, part_.down(of_line));
  }

 private:
  using carried =
      std::conditional_t<exchanges, carrier<Group, exchange_memory>, cuda::same_threads>;
  static __device__ __forceinline__ carried carried_by(exchange_memory& memory) {
    if constexpr (exchanges) {
      return carried(memory);
    } else {
      return {};
    }
  }

  cuda::block_part<T, P, R, carried> part_;
};

}  // namespace tridia::device::detail
