// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tridia/device/detail/solver/cuda/partition/levels.cuh"
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
  /// attempt without. `place` is this thread's among the chunks that are not empty; it must outlive
  /// the part, which would not stay in registers if it referred to a member of its own.
  template <class OfWarps, class Memory>
  __device__ __forceinline__ line_part(OfWarps* of_warps, Memory& exchange,
                                       const cuda::chunk_place& place)
      : of_warps_(reinterpret_cast<equations*>(of_warps)),
        exchange_(reinterpret_cast<exchange_memory&>(exchange)),
        level_(place) {}
  line_part(const line_part&) = delete;
  line_part& operator=(const line_part&) = delete;

  /// Returns the equations of the interface's line, for the threads with `interface_chunk` 0, or,
  /// if it takes several warps, for all. What `expand` needs is kept if `Keep`.
  template <bool Keep, class Rows, class Monitor>
  __device__ __forceinline__ equations reduce(Rows& rows, int count, Monitor& of_rows,
                                              Monitor& of_interface) {
    equations e{};
    if constexpr (exchanges && P == pivoting::none) {
      rows_ahead<Rows> ahead(rows);
      if (count > 0) e = chunk_.template reduce<Keep>(count, ahead, of_rows);
    } else {
      if (count > 0) e = chunk_.template reduce<Keep>(count, rows, of_rows);
    }
    if constexpr (exchanges) e = to_interface(e);
    return level_.up(e, of_warps_, of_interface);
  }
  /// Puts x of a thread's rows in their places; `of_line` are unknowns of the interface's line.
  /// Returns whether they are finite.
  template <class Rows>
  __device__ __forceinline__ bool expand(Rows& rows, int count, const unknowns& of_line) {
    unknowns found = level_.down(of_line);
    if constexpr (exchanges) found = from_interface(found);
    return count <= 0 || chunk_.expand(count, rows, found);
  }

 private:
  /// Carry what a thread has of its rows to the thread that solves the interface, one equation
  /// after the other, and back.
  __device__ __forceinline__ equations to_interface(const equations& e) {
    if constexpr (P == pivoting::none) {
      return {carried(e.first), carried(e.last)};
    } else {
      return {carried(e.a), carried(e.b)};
    }
  }
  template <class E>
  __device__ __forceinline__ E carried(const E& mine) {
    exchange_.put(Group::line(), Group::chunk(), mine);
    Group::wait();
    const E e = exchange_.template get<E>(Group::interface_line(), Group::interface_chunk());
    Group::wait();
    return e;
  }
  __device__ __forceinline__ unknowns from_interface(const unknowns& found) {
    exchange_.put(Group::interface_line(), Group::interface_chunk(), found);
    Group::wait();
    const auto u = exchange_.template get<unknowns>(Group::line(), Group::chunk());
    Group::wait();
    return u;
  }

  equations* of_warps_;
  exchange_memory& exchange_;
  cuda::thread_chunk<T, P, R> chunk_;
  cuda::block_level<T, P, R> level_;
};

}  // namespace tridia::device::detail
