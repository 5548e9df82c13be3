// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tridia/device/detail/gpu/copy.cuh"
#include "tridia/device/detail/row_window.cuh"
#include "tridia/device/line_grid.cuh"
#include "tridia/inputs.hpp"

#include <type_traits>

// What the rows of a block's lines are made from comes to shared memory as it lies, all at once,
// without waiting in registers; each thread makes the rows of its own chunk from there.
namespace tridia::device::detail {

/// Returns where an array has the element of a point; of other functions of a point, the value.
template <class T, int Rank>
__device__ __forceinline__ decltype(auto) source_of(const field<T, Rank>& f, const point<Rank>& p) {
  using element = std::remove_const_t<T>;
  field<element, Rank> writable{const_cast<element*>(f.data), {}};
#pragma unroll
  for (int a = 0; a < Rank; ++a) writable.stride[a] = f.stride[a];
  return writable(p);
}
template <class T, int Rank>
__device__ __forceinline__ decltype(auto) source_of(const packed_field<T>& f,
                                                    const point<Rank>& p) {
  using element = std::remove_const_t<T>;
  return packed_field<element>{const_cast<element*>(f.data)}(p);
}
template <class Function, int Rank>
__device__ __forceinline__ auto source_of(const Function& f, const point<Rank>& p) {
  return f(p);
}

template <class Value>
struct value_type_of {
  using type = std::remove_cvref_t<Value>;
};
template <class R>
struct value_type_of<tridia::detail::complex_reference<R>> {
  using type = complex<R>;
};
template <class Field, int Rank>
using element_of =
    typename value_type_of<std::invoke_result_t<const Field&, const point<Rank>&>>::type;

/// Counts the bytes that a row takes in shared memory. Without pivoting, inputs of type T lie where
/// rows are kept.
template <class Problem, int Rank, class... Fields>
inline constexpr int row_bytes = [] {
  using T = typename Problem::value;
  constexpr bool pivoted = Problem::interchanges == pivoting::partial;
  constexpr int kept = (2 + pivoted + Problem::sides) * static_cast<int>(sizeof(T));
  const auto sum = [](bool of_t) {
    return (0 + ... +
            (std::is_same_v<element_of<Fields, Rank>, T> == of_t
                 ? static_cast<int>(sizeof(element_of<Fields, Rank>))
                 : 0));
  };
  const int of_t = sum(true), of_others = sum(false);
  return (pivoted ? kept + of_t : kept > of_t ? kept : of_t) + of_others;
}();

/// Brings an element to shared memory, asynchronously from arrays of words.
template <class E, class Source>
__device__ __forceinline__ void bring(E& to, Source&& from) {
  constexpr bool words = sizeof(E) == alignof(E) && (sizeof(E) == 4 || sizeof(E) == 8);
  if constexpr (std::is_lvalue_reference_v<Source> && words) {
    gpu::copy_word(&to, const_cast<const E*>(&from));
  } else {
    to = from;
  }
}
template <class R, class Source>
__device__ __forceinline__ void bring(complex<R>& to, Source&& from) {
  if constexpr (requires { from.parts; }) {
    gpu::copy_word(&to.re, const_cast<const R*>(from.parts));
    gpu::copy_word(&to.im, const_cast<const R*>(from.parts + 1));
  } else if constexpr (std::is_lvalue_reference_v<Source>) {
    gpu::copy_element(&to, const_cast<const complex<R>*>(&from));
  } else {
    to = from;
  }
}

/// Gives the elements of one line by its points, as a field does; those that the block does not
/// hold come from memory.
template <class Field, class E, int Axis, int Step>
struct staged_field {
  const Field& field;
  const E* rows;
  const part_of_line& part;
  template <int Rank>
  __device__ __forceinline__ E operator()(const point<Rank>& p) const {
    const int row = p.at[Axis] - part.begin;
    return row >= 0 && row < part.here ? rows[row * Step] : E(field(p));
  }
};

/// Holds what the rows of a block's lines are made from, in the order of `Rows`, a `rows_memory`:
/// if `InRows`, from word `Word` on where rows are kept later.
template <class Rows, bool InRows, int Word, int Rank, int Axis, class... Fields>
struct staged_inputs;
template <class Rows, bool InRows, int Word, int Rank, int Axis>
struct staged_inputs<Rows, InRows, Word, Rank, Axis> {
  using windows = row_windows<Axis, Rows::row_step>;

  /// Brings the elements of a point, which is row `row` of those that the block holds of a line.
  __device__ __forceinline__ void bring_row(Rows&, const line_inputs<>&, const point<Rank>&, int,
                                            int) {}
  template <class PointAt>
  __device__ __forceinline__ void load_edges(windows&, const line_inputs<>&, const PointAt&,
                                             const part_of_line&, const chunk_of_part&) const {}
  __device__ __forceinline__ void start(windows&, Rows&, int, const part_of_line&,
                                        const chunk_of_part&) {}
  /// Calls f with all fields of a line.
  template <class F, class... Before>
  __device__ __forceinline__ auto call(Rows&, const line_inputs<>&, int, const part_of_line&,
                                       const F& f, const Before&... before) {
    return f(before...);
  }
};
template <class Rows, bool InRows, int Word, int Rank, int Axis, class First, class... Rest>
struct staged_inputs<Rows, InRows, Word, Rank, Axis, First, Rest...> {
  static_assert(Rows::may_have_inputs);
  static constexpr int step = Rows::row_step;
  using element = element_of<First, Rank>;
  using windows = row_windows<Axis, step, element, element_of<Rest, Rank>...>;
  using inputs = line_inputs<First, Rest...>;
  static constexpr bool in_rows =
      InRows && Word < Rows::row_words && std::is_same_v<element, typename Rows::value>;

  staged_inputs<Rows, InRows, Word + in_rows, Rank, Axis, Rest...> rest;
  alignas(16) element elements[in_rows ? 1 : Rows::plane];

  __device__ __forceinline__ void bring_row(Rows& rows, const inputs& in, const point<Rank>& p,
                                            int line, int row) {
    bring(of_line(rows, line)[row * step], source_of(in.first, p));
    rest.bring_row(rows, in.rest, p, line, row);
  }
  template <class PointAt>
  __device__ __forceinline__ void load_edges(windows& w, const inputs& in, const PointAt& point_at,
                                             const part_of_line& part,
                                             const chunk_of_part& c) const {
    w.first.load_edges(in.first, point_at, part, c);
    rest.load_edges(w.rest, in.rest, point_at, part, c);
  }
  __device__ __forceinline__ void start(windows& w, Rows& rows, int line, const part_of_line& part,
                                        const chunk_of_part& c) {
    w.first.start(of_line(rows, line), part, c);
    rest.start(w.rest, rows, line, part, c);
  }
  template <class F, class... Before>
  __device__ __forceinline__ auto call(Rows& rows, const inputs& in, int line,
                                       const part_of_line& part, const F& f,
                                       const Before&... before) {
    return rest.call(rows, in.rest, line, part, f, before...,
                     staged_field<First, element, Axis, step>{in.first, of_line(rows, line), part});
  }

 private:
  __device__ __forceinline__ element* of_line(Rows& rows, int line) {
    if constexpr (in_rows) {
      return rows.words + Word * Rows::plane + line * Rows::line_step;
    } else {
      return elements + line * Rows::line_step;
    }
  }
};

/// Makes rows from what is on chip.
template <class Make>
struct rows_from_chip {
  static constexpr bool from_chip = true;
  Make make;
  __device__ __forceinline__ auto operator()(int k) { return make(k); }
};

/// Brings what the rows of a thread's line are made from, then calls `solve` with a function that
/// makes them. All threads of `Group` take part; `part` is empty where the line does not exist.
/// Without pivoting, rows are made once, in order, and `Staged` is where they are kept later.
template <class Problem, class Shape, class Group, class Staged, class Rows, class Inputs,
          class PointAt, class MakeRow, class Solve>
__device__ __forceinline__ void with_staged_rows(Staged& staged, Rows& rows, const Inputs& in,
                                                 const part_of_line& part, const PointAt& point_at,
                                                 const MakeRow& make_row, const Solve& solve) {
  using row_type = row<typename Problem::value, Problem::sides>;
  const int line = Group::line();
#pragma unroll 4
  for (int k = Group::chunk(); k < part.here; k += Group::threads_a_line) {
    staged.bring_row(rows, in, point_at(part.begin + k), line, k);
  }
  if constexpr (Problem::interchanges == pivoting::none) {
    const int own = Group::chunk() * Shape::rows, first = max(min(own, part.here - 1), 0);
    const chunk_of_part chunk{first, min(first + Shape::rows, part.here)};
    typename Staged::windows windows;
    if (own < part.here) staged.load_edges(windows, in, point_at, part, chunk);
    gpu::wait_for_copies();
    Group::wait();
    staged.start(windows, rows, line, part, chunk);
    Group::wait();
    const auto make = [&](int k) {
      windows.move_to(k, part, chunk);
      return row_type(windows.call(make_row, point_at(k)));
    };
    solve(rows_from_chip<decltype(make)>{make});
  } else {
    gpu::wait_for_copies();
    Group::wait();
    const auto make = [&](int k) {
      return row_type(staged.call(rows, in, line, part, make_row, point_at(k)));
    };
    solve(rows_from_chip<decltype(make)>{make});
  }
}

}  // namespace tridia::device::detail
