// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#include "solver/cpu/ragged/packed_batch.hpp"

#include "solver/cpu/parallel_for.hpp"
#include "solver/scalar_executor.hpp"

#include <algorithm>

namespace tridia::cpu {
namespace {

/// Fewer rows than this are solved sooner by one thread.
constexpr index_t fewest_rows = 8192;

/// Divides systems among threads, a piece of neighbours each: the cache lines that one reads are
/// then there for the next.
struct pieces_of_neighbours {
  int count;

  [[nodiscard]] int threads() const { return count; }
  [[nodiscard]] std::string description() const {
    return "a system at a time: a packed batch, whose rows are not evenly spaced";
  }
  template <class F>
  void for_each(index_t systems, F f) const {
    constexpr index_t piece = 16;
    parallel_for(
        count, (systems + piece - 1) / piece,
        [&](index_t i, int thread) {
          for (index_t m = i * piece; m < std::min(systems, (i + 1) * piece); ++m) f(m, thread);
        },
        sharing::dynamic);
  }
};

}  // namespace

std::unique_ptr<const solver::executor> make_packed_batch(const solver::task& t) {
  const index_t rows = solver::total_rows(t) * std::max<index_t>(t.geometry.right_sides.size, 1);
  const int asked = t.options.threads > 0 ? t.options.threads : omp_get_max_threads();
  return solver::make_scalar_executor(t, pieces_of_neighbours{rows < fewest_rows ? 1 : asked});
}

}  // namespace tridia::cpu
