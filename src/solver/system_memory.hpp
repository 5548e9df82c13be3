// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "solver/executor.hpp"
#include "solver/system.hpp"

// This header defines where the words of system.hpp lie in a workspace and in factors. Systems of
// one length, and those of a ragged batch that the caller has interleaved, are interleaved, so that
// neighbouring threads touch neighbouring words; concatenated ones follow each other.
namespace tridia::solver {

/// Factors consist of a status for each matrix, then the words.
struct factor_block {
  index_t* status;
  std::byte* data;
};

inline std::size_t status_bytes(const geometry& g) {
  return round_up(static_cast<std::size_t>(g.matrices.size) * sizeof(index_t));
}
inline factor_block split_factors(const geometry& g, void* memory) {
  std::byte* at = align(memory);
  return {reinterpret_cast<index_t*>(at), at + status_bytes(g)};
}

/// Returns the number of rows of all matrices together.
inline index_t total_rows(const task& t) {
  return t.ragged.empty() ? t.geometry.rows * t.geometry.matrices.size : t.ragged.back();
}

/// Returns the number of rows whose words a workspace or factors have room for, where
/// `concurrent_systems` systems are interleaved.
inline index_t stored_rows(const task& t, index_t concurrent_systems) {
  return t.geometry.concatenated ? t.ragged.back() : t.geometry.rows * concurrent_systems;
}

/// Locates `count` words a row for matrix `m`, where `concurrent_systems` systems are interleaved
/// and this is slot `slot`.
template <class V>
TRIDIA_FN row_values<V> row_values_of(const geometry& g, V* base, index_t count, index_t m,
                                      index_t slot, index_t concurrent_systems) {
  if (g.concatenated) return {base + g.ragged[m] * count, count, 1};
  return {base + slot, count * concurrent_systems, concurrent_systems};
}

/// Computes the bytes for factors of all matrices, and for what `concurrent_systems` solves at a
/// time keep.
template <class V, pivoting P, boundary B>
std::size_t factors_bytes_of(const task& t) {
  return status_bytes(t.geometry) + alignment +
         static_cast<std::size_t>(stored_rows(t, t.geometry.matrices.size)) *
             value_counts<V, P, B>::factors * sizeof(V);
}
template <class V, pivoting P, boundary B>
std::size_t kept_bytes_of(const task& t, index_t concurrent_systems) {
  const index_t rows = stored_rows(t, concurrent_systems);
  return alignment + static_cast<std::size_t>(rows) * value_counts<V, P, B>::kept * sizeof(V);
}

template <class V>
typed_operands<V> typed(const operands& o) {
  typed_operands<V> t{{}, static_cast<V*>(o.x), o.status};
  for (int k = 0; k < 4; ++k) t.in[k] = static_cast<const V*>(o.in[k]);
  return t;
}

/// Enters a matrix's status for one of its systems, before any right-hand side reports.
TRIDIA_FN void enter_status(const geometry& g, index_t* statuses, index_t matrix,
                            index_t right_side, index_t status) {
  index_t at[layout::array_count], more[layout::array_count];
  g.matrices.offsets(matrix, at);
  g.right_sides.offsets(right_side, more);
  statuses[at[layout::status] + more[layout::status]] = status;
}

}  // namespace tridia::solver
