// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#include "compact/cpu/one_pass.hpp"
#include "compact/term_group.hpp"
#include "cpu/cache_size.hpp"
#include "solver/executor.hpp"

#include <omp.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

// Terms are done slab by slab: a thread does all terms of a slab, which stays in the caches of its
// core, before the next one.
namespace tridia::compact {
namespace {

/// Describes slabs that have some points of the fastest of the slab axes; the last of them may have
/// fewer. The other slab axes have one.
struct slab_cut {
  std::vector<index_t> extents;  // of the slab axes
  index_t points;                // of the fastest one, of a slab
  index_t blocks() const { return (extents.back() + points - 1) / points; }
};

/// Returns the arrays of a slab with so many points of the fastest slab axis.
grid_arrays arrays_of_slab(const prepared_operator& p, const slab_axes& slabs, index_t points) {
  grid_arrays a = p.arrays;
  for (const std::size_t k : slabs.axes) {
    const index_t extent = k == slabs.axes.back() ? points : 1;
    a.resolved.in[layout::rhs_in].extents[k] = a.resolved.out.extents[k] = extent;
  }
  return a;
}

std::unique_ptr<const operator_executor> executor_of_slab(const prepared_operator& p,
                                                          const slab_axes& slabs, index_t points,
                                                          const cpu::slab_use& use) {
  const grid_arrays a = arrays_of_slab(p, slabs, points);
  task t = p.make_task();
  t.geometry = layout::make_geometry(a.shape, a.resolved);
  t.options.threads = 1;
  return cpu::make_one_pass(t, use);
}

/// Does terms slab by slab.
class slab_group final : public term_group {
 public:
  slab_group(std::span<const term> terms, sharing shared, const slab_axes& slabs, slab_cut cut,
             int threads)
      : cut_(std::move(cut)), threads_(threads) {
    const index_t rest = cut_.extents.back() % cut_.points;
    for (const term& t : terms) {
      const prepared_operator& p = *t.made;
      member m{t.number, tridia::size_of(p.arrays.shape.type), {}, {}, {}, {}};
      for (const std::size_t k : slabs.axes) {
        m.in.push_back(p.arrays.resolved.in[layout::rhs_in].strides[k]);
        m.out.push_back(p.arrays.resolved.out.strides[k]);
      }
      const cpu::slab_use use{layout::product(p.arrays.resolved.out.extents),
                              shared.result && &t != &terms.back()};
      m.whole = executor_of_slab(p, slabs, cut_.points, use);
      if (rest > 0) m.last = executor_of_slab(p, slabs, rest, use);
      bytes_ = std::max({bytes_, m.whole->workspace_bytes(),
                         m.last ? m.last->workspace_bytes() : std::size_t{0}});
      members_.push_back(std::move(m));
    }
    bytes_ = layout::round_up(bytes_);
    slabs_ = slabs.count / cut_.extents.back() * cut_.blocks();
    for (const term& t : terms)
      description_ += (description_.empty() ? "" : ", with ") + t.description(1);
    description_ +=
        " (" + std::to_string(slabs_) + " slabs, " + std::to_string(threads_) + " threads)";
  }

  std::string description() const override { return description_; }
  const operator_executor& executor() const override { return *members_.front().whole; }
  int threads() const override { return threads_; }
  std::size_t workspace_bytes() const override {
    return layout::alignment + static_cast<std::size_t>(threads_) * bytes_;
  }

  void apply(std::span<const call> calls) const override {
    std::byte* const memory = layout::align(calls.front().workspace);
#pragma omp parallel for num_threads(threads_) schedule(static)
    for (index_t i = 0; i < slabs_; ++i) {
      std::byte* const own = memory + static_cast<std::size_t>(omp_get_thread_num()) * bytes_;
      for (const member& m : members_) do_slab(m, i, calls[m.number], own);
    }
  }

 private:
  /// Holds the executors of a term, and its strides along the slab axes.
  struct member {
    std::size_t number, size;
    std::vector<index_t> in, out;
    std::unique_ptr<const operator_executor> whole, last;
  };

  void do_slab(const member& m, index_t slab, call c, std::byte* memory) const {
    const index_t blocks = cut_.blocks(), block = slab % blocks;
    const std::size_t fastest = cut_.extents.size() - 1;
    const index_t first = block * cut_.points;
    index_t in = first * m.in[fastest], out = first * m.out[fastest], rest = slab / blocks;
    for (std::size_t k = fastest; k-- > 0;) {
      const index_t at = rest % cut_.extents[k];
      rest /= cut_.extents[k];
      in += at * m.in[k];
      out += at * m.out[k];
    }
    const auto size = static_cast<index_t>(m.size);
    c.in = static_cast<const std::byte*>(c.in) + in * size;
    c.out = static_cast<std::byte*>(c.out) + out * size;
    c.workspace = memory;
    const bool is_last = first + cut_.points > cut_.extents.back();
    (is_last ? m.last : m.whole)->apply(c);
  }

  slab_cut cut_;
  int threads_;
  std::vector<member> members_;
  std::size_t bytes_ = 0;
  index_t slabs_ = 0;
  std::string description_;
};

/// Returns the arrays that some terms touch.
index_t array_count(std::size_t terms, sharing shared) {
  const auto all = static_cast<index_t>(terms);
  return (shared.field ? 1 : all) + (shared.result ? 1 : all);
}

}  // namespace

std::unique_ptr<const term_group> make_cpu_group(std::span<const term> terms, sharing shared) {
  const slab_axes slabs = slabs_of(terms);
  const prepared_operator& first = *terms.front().made;
  const layout::resolved_array& out = first.arrays.resolved.out;
  const auto size = static_cast<index_t>(tridia::size_of(first.arrays.shape.type));
  const index_t bytes = layout::product(out.extents) * size * array_count(terms.size(), shared);
  const auto near = static_cast<index_t>(tridia::cpu::near_cache_bytes());
  const auto last = static_cast<index_t>(tridia::cpu::last_cache_bytes());
  const index_t threads = first.options.threads > 0 ? first.options.threads : omp_get_max_threads();
  // Measured with 256^3 and 384^3 (f64, C6) on a Xeon: a sum gains as well where slabs lie in the
  // cache that cores share, results that are written once do not.
  const index_t limit = shared.result ? std::max(near, last / threads / 2) : near;
  const index_t slab = bytes / slabs.count;
  if (bytes <= near || slab > limit || slabs.count < threads) return {};
  for (const term& t : terms) {
    // Parts of long lines are cut by the number of lines: those of a slab would be others.
    if (!cpu::takes_one_pass(t.made->make_task())) return {};
  }
  slab_cut cut{{}, 1};
  for (const std::size_t k : slabs.axes) cut.extents.push_back(out.extents[k]);
  const index_t fit = std::max<index_t>(near / 2 / slab, 1);
  const index_t for_all = std::max<index_t>(slabs.count / (4 * threads), 1);
  cut.points = std::min({fit, for_all, cut.extents.back()});
  return std::make_unique<slab_group>(terms, shared, slabs, std::move(cut),
                                      static_cast<int>(threads));
}

}  // namespace tridia::compact
