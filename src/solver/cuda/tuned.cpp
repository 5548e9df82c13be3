// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#include "solver/cuda/tuned.hpp"

#include "shipped_tuning.hpp"
#include "solver/tuning.hpp"

namespace tridia::cuda {

const tuning_table& shipped_tuning() {
  static const tuning_table table = tuning_table::parse(shipped_tuning_text);
  return table;
}

namespace {

/// So many rows, of all systems together, keep a GPU busy. The shipped table was measured with many
/// times as many; with fewer, what counts is how soon a block is done, which fewer rows a thread
/// make sooner.
constexpr index_t busy_rows = index_t{1} << 18;

}  // namespace

const tuning_entry* tuned(const solver::task& t, std::string_view kernel, int capability,
                          bool interleaved) {
  if (t.geometry.rows < 1) return nullptr;
  const tuning_entry wanted{capability,  std::string(kernel), t.type, t.pivoting,
                            interleaved, t.geometry.rows,     {}};
  if (t.options.tuning) {
    if (const tuning_entry* e = solver::nearest(*t.options.tuning, wanted)) return e;
  }
  if (t.geometry.matrices.size * t.geometry.rows < busy_rows) return nullptr;
  return solver::nearest(shipped_tuning(), wanted);
}

int tuned_parameter(const solver::task& t, int capability) {
  // A block has a whole system in it before the parameter matters.
  constexpr bool interleaved = false;
  const tuning_entry* e = tuned(t, name(t.options.algorithm), capability, interleaved);
  return e == nullptr ? 0 : e->values.front();
}

}  // namespace tridia::cuda
