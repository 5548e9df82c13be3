// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "core/chunk.hpp"

#include <bit>

// A merge makes one chunk of two neighbouring ones, with or without pivoting: the interface of any
// number of chunks is solved by merging them two by two, closing the last, and substituting back.
namespace tridia::core {

/// This is the number of values V in a part of a chunk, which is stored and sent as an array of V.
template <class Part, class V>
inline constexpr int value_count = static_cast<int>(sizeof(Part) / sizeof(V));

/// Loads the part of line `line`, whose value w is at base[w * pitch + line].
template <class Part, class V>
TRIDIA_FN Part load_values(const V* base, index_t pitch, index_t line) {
  struct {
    V word[value_count<Part, V>];
  } w;
  for (int i = 0; i < value_count<Part, V>; ++i) w.word[i] = base[i * pitch + line];
  return std::bit_cast<Part>(w);
}
template <class Part, class V>
TRIDIA_FN void store_values(const Part& part, V* base, index_t pitch, index_t line) {
  struct words {
    V word[value_count<Part, V>];
  };
  const auto w = std::bit_cast<words>(part);
  for (int i = 0; i < value_count<Part, V>; ++i) base[i * pitch + line] = w.word[i];
}

template <class V, pivoting P>
struct chunk_merge;

template <class V>
struct chunk_merge<V, pivoting::none> : chunk<V, pivoting::none> {
  using base = chunk<V, pivoting::none>;
  using typename base::unknowns, typename base::equation, typename base::equations;

  /// Holds the equations of the left chunk's last x, from x outside both chunks, and of the right
  /// chunk's first x.
  struct merge_record {
    equation last, first;
  };

  static TRIDIA_FN equations merge(const equations& a, const equations& b, merge_record& s) {
    const auto ignore = [](const V&) {};
    s = {base::link(a.last, b.first, ignore), b.first};
    return {base::join_first(a.first, s.last), base::join_last(b.last, s.last, ignore)};
  }
  static TRIDIA_FN void split(const merge_record& s, const unknowns& both, unknowns& left,
                              unknowns& right) {
    const V last = s.last.at(both.before, both.last);
    left = {both.before, last, s.first.at(last, both.last)};
    right = {last, both.last, both.after};
  }
};

/// With pivoting, a chunk itself has the operations of a merge.
template <class V>
struct chunk_merge<V, pivoting::partial> : chunk<V, pivoting::partial> {};

}  // namespace tridia::core
