// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#include "solver/cpu/ragged/packed_batch.hpp"

#include "solver/cpu/parallel_for.hpp"
#include "solver/scalar_executor.hpp"
#include "solver/system_memory.hpp"

#include <algorithm>

namespace tridia::cpu {
namespace {

/// Fewer rows than this are solved sooner by one thread.
constexpr index_t fewest_rows = 8192;

/// Divides systems among threads, a piece of neighbours each: the cache lines that one reads are
/// then there for the next.
class pieces_of_neighbours final : public solver::system_loop {
 public:
  explicit pieces_of_neighbours(int threads) : threads_(threads) {}

  int threads() const override { return threads_; }
  std::string description() const override {
    return "a system at a time: a packed batch, whose rows are not evenly spaced";
  }
  void for_each(index_t systems, const std::function<void(index_t, int)>& f) const override {
    constexpr index_t piece = 16;
    parallel_for(
        threads_, (systems + piece - 1) / piece,
        [&](index_t i, int thread) {
          for (index_t m = i * piece; m < std::min(systems, (i + 1) * piece); ++m) f(m, thread);
        },
        sharing::dynamic);
  }

 private:
  int threads_;
};

}  // namespace

std::unique_ptr<const solver::executor> make_packed_batch(const solver::task& t) {
  const index_t rows = solver::total_rows(t) * std::max<index_t>(t.geometry.right_sides.size, 1);
  const int asked = t.options.threads > 0 ? t.options.threads : omp_get_max_threads();
  const int threads = rows < fewest_rows ? 1 : asked;
  return solver::make_scalar_executor(t, std::make_unique<pieces_of_neighbours>(threads));
}

}  // namespace tridia::cpu
