// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "solver/backward/band_products.hpp"

#include <algorithm>
#include <cstddef>
#include <memory>
#include <vector>

namespace tridia::solver {

/// Says along which axis neighbours in memory lie: rows of a line, lines that have gradients of
/// their own, or lines that are summed over.
enum class product_direction { rows, kept, summed };
product_direction direction_of(const band_pass& pass);

/// Holds what a backend needs to form the gradients of a matrix.
struct product_task {
  value_type type;
  std::vector<band_pass> passes;  // `ragged` and `off_diagonal` null: the backend places them
  std::vector<index_t> ragged;    // empty if uniform
  std::vector<index_t> off_diagonal;
  int threads, device;
};

/// Holds the arrays of one execution; bands that are not wanted are null.
struct product_operands {
  const void* u;
  const void* v;
  void* to[band_count];
};

/// Forms the gradients of a matrix; a backend's half of a backward plan's second launch.
class products {
 public:
  virtual ~products() = default;
  [[nodiscard]] virtual std::size_t workspace_bytes() const = 0;
  virtual void execute(const product_operands&, void* workspace, void* stream) const = 0;
};

std::unique_ptr<const products> make_host_products(const product_task&);
std::unique_ptr<const products> make_cuda_products(const product_task&);

/// Returns whether the sums of a pass go through partial sums in the workspace.
inline bool has_partial_sums(const band_pass& p, const sum_blocks& b) {
  return b.count > 1 || p.rows_summed;
}
/// Returns the number of values that the partial sums of a pass take.
inline index_t partial_values(const band_pass& p, const sum_blocks& b) {
  return has_partial_sums(p, b) ? band_count * b.count * p.cells() : 0;
}
/// Cuts `points` into about `count` blocks.
sum_blocks cut_into_blocks(index_t points, index_t count);

/// Returns the pass with partial sums in the place of gradients: of each block one for every cell.
band_pass to_partial_sums(const band_pass& p);

/// Returns where a pass writes: partial sums where it has some, or else the gradients.
template <class V>
band_targets<V> targets_of(const band_pass& p, const sum_blocks& b, const product_operands& o,
                           V* partial) {
  band_targets<V> t{{}, 0};
  const bool sums = has_partial_sums(p, b);
  if (sums) t.block_stride = p.cells();
  for (int k = 0; k < band_count; ++k) {
    if (!p.wanted[k] || o.to[k] == nullptr) continue;
    t.to[k] = sums ? partial + k * b.count * p.cells() : static_cast<V*>(o.to[k]);
  }
  return t;
}

/// Returns what adds up the partial sums of a pass.
template <class V>
partial_sums<V> sums_of(const band_pass& p, const sum_blocks& b, const product_operands& o,
                        const V* partial) {
  partial_sums<V> s{p, partial, b.count, {}};
  for (int k = 0; k < band_count; ++k) s.to[k] = p.wanted[k] ? static_cast<V*>(o.to[k]) : nullptr;
  return s;
}

/// Returns whether any band of a pass is asked for.
inline bool is_asked_for(const band_pass& p, const product_operands& o) {
  for (int k = 0; k < band_count; ++k)
    if (p.wanted[k] && o.to[k] != nullptr) return true;
  return false;
}

}  // namespace tridia::solver
