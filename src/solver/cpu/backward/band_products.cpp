// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#include "core/dispatch.hpp"
#include "layout/alignment.hpp"
#include "solver/backward/products.hpp"
#include "solver/cpu/backward/band_strip.hpp"
#include "solver/cpu/parallel_for.hpp"

#include <algorithm>

// Gradients of a matrix on a CPU. The innermost loop runs along the axis along which neighbours lie
// beside each other in memory: rows, lines, or lines that are summed over.
namespace tridia::cpu {
namespace {

using solver::array_of;
using solver::band_targets;
using solver::product_array_count;
using solver::product_direction;
using solver::product_task;
using solver::sum_blocks;
using solver::u_array;
using solver::v_array;

/// A thread works on as many rows and as many neighbouring lines at a time; three rows of v, and
/// those of u, stay in the second-level cache, and what is written goes on for long enough.
constexpr index_t chunk_rows = 64, chunk_lines = 2048, chunk_of_line = 4096;

index_t ceil_div(index_t a, index_t b) { return (a + b - 1) / b; }

/// Divides a pass among threads: chunks of rows, of neighbouring lines, and blocks of points that
/// are summed over. Every chunk writes its own elements.
struct pass_split {
  product_direction direction;
  sum_blocks blocks;
  index_t rows, row_chunks;    // of a chunk; and chunks of a line
  index_t lines, line_chunks;  // of a chunk, along the fastest kept axis; and chunks of that
  index_t outer;               // points of the kept axes without that one

  [[nodiscard]] index_t chunks() const { return outer * line_chunks * row_chunks; }
};

/// If chunks are few, so many blocks a thread sum their own part of the points.
constexpr index_t blocks_of_thread = 4;

pass_split split(const band_pass& p, int threads) {
  pass_split s{solver::direction_of(p), {1, p.summed.size}, p.rows, 1, 1, 1, p.kept.size};
  if (s.direction == product_direction::kept) {
    const index_t extent = p.kept.at[p.kept.count - 1].extent;
    s.outer = extent > 0 ? p.kept.size / extent : 0;
    s.lines = std::min(extent, chunk_lines);
    s.line_chunks = s.lines > 0 ? ceil_div(extent, s.lines) : 0;
  }
  const bool rows = s.direction == product_direction::rows;
  s.rows = std::clamp<index_t>(p.rows, 1, rows ? chunk_of_line : chunk_rows);
  s.row_chunks = ceil_div(p.rows, s.rows);
  if (p.ragged == nullptr && p.summed.size > 1 && s.chunks() > 0) {
    const index_t wanted = ceil_div(threads > 1 ? threads * blocks_of_thread : 1, s.chunks());
    s.blocks = solver::cut_into_blocks(p.summed.size, wanted);
  }
  return s;
}

/// Forms the gradients of one pass.
template <class V>
class pass_work {
 public:
  pass_work(const band_pass& p, const pass_split& s, const V* u, const V* v,
            const band_targets<V>& t)
      : p_(p), s_(s), u_(u), v_(v), t_(t) {}

  /// Does chunk `i` of those of all blocks.
  void run(index_t i) const {
    const index_t block = i / s_.chunks();
    i -= block * s_.chunks();
    const index_t rows = i % s_.row_chunks, lines = i / s_.row_chunks % s_.line_chunks;
    index_t point = i / s_.row_chunks / s_.line_chunks;
    index_t count = 1;
    if (s_.direction == product_direction::kept) {
      const index_t extent = p_.kept.at[p_.kept.count - 1].extent;
      count = std::min(s_.lines, extent - lines * s_.lines);
      point = point * extent + lines * s_.lines;
    }
    const index_t n = p_.rows_of(point);
    const part x{point, count, rows * s_.rows, std::min((rows + 1) * s_.rows, n), n, block};
    if (x.first < x.last) run(x);
  }

 private:
  /// Describes some rows of some neighbouring lines, and a block of points that is summed over.
  struct part {
    index_t point, lines, first, last, n, block;
  };

  void run(const part& x) const {
    index_t at[product_array_count];
    p_.begin(x.point, at);
    const index_t first = s_.blocks.first(x.block);
    const index_t last = s_.blocks.last(x.block, p_.summed.size);
    for (int b = 0; b < band_count; ++b) {
      if (t_.to[b] == nullptr) continue;
      put_edges(b, x, at);
      if (first == last) put_zeros(b, x, at);
    }
    if (s_.direction == product_direction::summed) return sum_points(x, at, first, last);
    for (index_t point = first; point < last; ++point) {
      index_t more[product_array_count];
      p_.summed.offsets(point, more);
      if (s_.direction == product_direction::rows) {
        put_row_strips(x, at, more, point > first);
      } else {
        put_line_strips(x, at, more, point > first);
      }
    }
  }

  [[nodiscard]] V* target(int b, const part& x, const index_t (&at)[product_array_count],
                          index_t k) const {
    const int a = array_of(b);
    return t_.to[b] + at[a] + k * p_.lines[a].step + x.block * t_.block_stride;
  }
  [[nodiscard]] index_t fastest_stride(int array) const {
    return s_.direction == product_direction::kept ? p_.kept.at[p_.kept.count - 1].stride[array]
                                                   : 0;
  }
  void put(int b, const part& x, const index_t (&at)[product_array_count], index_t k) const {
    V* const to = target(b, x, at, k);
    for (index_t i = 0; i < x.lines; ++i) to[i * fastest_stride(array_of(b))] = V(0);
  }
  /// Sets the gradients of entries outside the matrix to 0.
  void put_edges(int b, const part& x, const index_t (&at)[product_array_count]) const {
    for (const index_t k : {index_t{0}, x.n - 1}) {
      if (k < x.first || k >= x.last || p_.column(b, k, x.n) >= 0) continue;
      if (p_.is_stored(b, k, x.n)) put(b, x, at, k);
    }
  }
  /// Sets sums over no points to 0.
  void put_zeros(int b, const part& x, const index_t (&at)[product_array_count]) const {
    for (index_t k = x.first; k < x.last; ++k)
      if (p_.is_stored(b, k, x.n)) put(b, x, at, k);
  }

  /// Returns `count` products of a band from row k on; `along_rows`, or else along lines.
  [[nodiscard]] strip<V> products(int b, index_t k, index_t n, index_t count,
                                  const index_t (&at)[product_array_count],
                                  const index_t (&more)[product_array_count], index_t u_step,
                                  index_t v_step) const {
    return {
        count,
        p_.conjugate_u,
        p_.conjugate_v,
        {u_ + at[u_array] + more[u_array] + k * p_.lines[u_array].step, u_step},
        {v_ + at[v_array] + more[v_array] + p_.column(b, k, n) * p_.lines[v_array].step, v_step}};
  }

  void put_row_strips(const part& x, const index_t (&at)[product_array_count],
                      const index_t (&more)[product_array_count], bool add) const {
    for (int b = 0; b < band_count; ++b) {
      if (t_.to[b] == nullptr) continue;
      const auto put_some = [&](index_t k, index_t count) {
        if (count <= 0 || p_.column(b, k, x.n) < 0) return;
        put_products(
            products(b, k, x.n, count, at, more, p_.lines[u_array].step, p_.lines[v_array].step),
            {target(b, x, at, k), p_.lines[array_of(b)].step}, add);
      };
      // The first and the last row may have a column elsewhere.
      const index_t inner = std::max<index_t>(x.first, 1), end = std::min(x.last, x.n - 1);
      if (x.first == 0) put_some(0, 1);
      put_some(inner, end - inner);
      if (x.last == x.n && x.n > 1) put_some(x.n - 1, 1);
    }
  }

  void put_line_strips(const part& x, const index_t (&at)[product_array_count],
                       const index_t (&more)[product_array_count], bool add) const {
    for (index_t k = x.first; k < x.last; ++k) {
      for (int b = 0; b < band_count; ++b) {
        if (t_.to[b] == nullptr || p_.column(b, k, x.n) < 0) continue;
        put_products(products(b, k, x.n, x.lines, at, more, fastest_stride(u_array),
                              fastest_stride(v_array)),
                     {target(b, x, at, k), fastest_stride(array_of(b))}, add);
      }
    }
  }

  /// Sums over points that are neighbours in memory, some of them at a time: rows of v stay in the
  /// cache.
  void sum_points(const part& x, const index_t (&at)[product_array_count], index_t first,
                  index_t last) const {
    const auto& fastest = p_.summed.at[p_.summed.count - 1];
    for (index_t point = first; point < last;) {
      index_t more[product_array_count];
      p_.summed.offsets(point, more);
      const index_t count =
          std::min({fastest.extent - point % fastest.extent, last - point, chunk_lines});
      for (index_t k = x.first; k < x.last; ++k) {
        for (int b = 0; b < band_count; ++b) {
          if (t_.to[b] == nullptr || p_.column(b, k, x.n) < 0) continue;
          const V sum = sum_products(products(b, k, x.n, count, at, more, fastest.stride[u_array],
                                              fastest.stride[v_array]));
          V* const to = target(b, x, at, k);
          *to = point > first ? *to + sum : sum;
        }
      }
      point += count;
    }
  }

  const band_pass& p_;
  const pass_split& s_;
  const V* u_;
  const V* v_;
  const band_targets<V>& t_;
};

class host_products final : public solver::products {
 public:
  explicit host_products(const product_task& t) : task_(t) {
    for (band_pass& p : task_.passes) {
      if (!task_.ragged.empty()) {
        p.ragged = task_.ragged.data();
        p.off_diagonal = task_.off_diagonal.data();
      }
      splits_.push_back(split(p, task_.threads));
      values_ = std::max(values_, solver::partial_values(p, splits_.back().blocks));
    }
  }
  host_products(const host_products&) = delete;  // passes refer to the task
  host_products& operator=(const host_products&) = delete;

  std::size_t workspace_bytes() const override {
    const std::size_t bytes = static_cast<std::size_t>(values_) * size_of(task_.type);
    return bytes > 0 ? bytes + layout::alignment : 0;
  }

  void execute(const solver::product_operands& o, void* workspace, void*) const override {
    core::with_type(task_.type, [&](auto tag) {
      using V = typename decltype(tag)::type;
      for (std::size_t k = 0; k < task_.passes.size(); ++k)
        run(task_.passes[k], splits_[k], o, reinterpret_cast<V*>(layout::align(workspace)));
    });
  }

 private:
  template <class V>
  void run(const band_pass& p, const pass_split& s, const solver::product_operands& o,
           V* partial) const {
    if (!solver::is_asked_for(p, o) || s.chunks() == 0) return;
    const bool sums = solver::has_partial_sums(p, s.blocks);
    const band_pass written = sums ? solver::to_partial_sums(p) : p;
    const auto targets = solver::targets_of(p, s.blocks, o, partial);
    const pass_work<V> work(written, s, static_cast<const V*>(o.u), static_cast<const V*>(o.v),
                            targets);
    parallel_for(task_.threads, s.chunks() * s.blocks.count, [&](index_t i, int) { work.run(i); });
    if (!sums) return;
    const auto total = solver::sums_of(p, s.blocks, o, partial);
    parallel_for(task_.threads, total.count(), [&](index_t i, int) {
      for (int b = 0; b < band_count; ++b)
        if (total.to[b] != nullptr) total.put(b, i, total.some(b, i, 0, 1));
    });
  }

  product_task task_;
  std::vector<pass_split> splits_;
  index_t values_ = 0;
};

}  // namespace
}  // namespace tridia::cpu

namespace tridia::solver {

std::unique_ptr<const products> make_host_products(const product_task& t) {
  return std::make_unique<cpu::host_products>(t);
}

}  // namespace tridia::solver
