// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tridia/compact.hpp"

#include <array>
#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tridia {

/// Says what a `differential_operator` makes of its terms a_k D_k, each a factor times a compact
/// operator along an axis.
enum class differential {
  gradient,    ///< One field f, a result for each term: out_k = a_k D_k f.
  divergence,  ///< A field for each term, one result: out = a_0 D_0 f_0 + a_1 D_1 f_1 + …
  laplacian,   ///< One field, one result: out = a_0 D_0 f + a_1 D_1 f + …, of whatever operators.
};
std::string_view name(differential) noexcept;

/// Describes a term of a differential operator: `factor` times the compact operator of a scheme on
/// a grid, as `compact_operator` has it.
struct differential_term {
  tridia::scheme scheme;
  /// Its strides and steps are those of this term's arrays: terms that share an array describe it
  /// alike (type, shape, fields, strides, step). Each term has an axis, spacing, metric and ends of
  /// its own.
  tridia::grid grid;
  double factor = 1;
  /// Without one, `default_closure` is used.
  std::optional<tridia::closure> closure{};
};

/// Applies compact schemes along several axes in one call: a gradient, a divergence, a Laplacian,
/// or another weighted sum.
///
/// On a CPU, terms that pass through the same planes of an array are done together, plane by plane,
/// where a cache holds a plane. With three terms in three dimensions a gradient then moves 5
/// arrays, not 6, a Laplacian 5, not 8, and a divergence 6, not 8. On a GPU, terms are done one
/// after another. Results are, bit for bit, those of a `compact_operator` for each term, called one
/// after another (`apply`, then `apply_add` for the further terms of a sum), where factors are 1;
/// sums are in the order of the terms. Neighbours in that order can be done together where they are
/// the two fastest axes in memory, as in the order of the axes.
///
/// It is immutable: any number of threads may apply one operator at the same time, each with a
/// workspace of its own. Application allocates nothing and, on a GPU, does not synchronise. Results
/// must overlap neither a field nor each other, except where there is one term alone, which works
/// in place as a `compact_operator` does. An operator that was moved from can only be destroyed or
/// assigned to.
class differential_operator {
 public:
  /// This is the maximum number of terms.
  static constexpr std::size_t most_terms = 16;

  /// Makes the operator. Throws `error`: invalid_argument where there are no terms or too many,
  /// where a term's scheme, closure and grid do not fit each other, or where terms do not describe
  /// an array that they share alike; unsupported, out_of_memory, device_failure.
  differential_operator(differential kind, std::vector<differential_term> terms, options o = {});
  ~differential_operator();
  differential_operator(differential_operator&&) noexcept;
  differential_operator& operator=(differential_operator&&) noexcept;

  [[nodiscard]] differential kind() const noexcept;
  /// Returns the number of terms.
  [[nodiscard]] std::size_t terms() const noexcept;
  /// Return the number of arrays that are read (one, or for a divergence one for each term), and of
  /// those that are written (one, or for a gradient one for each term).
  [[nodiscard]] std::size_t in_count() const noexcept;
  [[nodiscard]] std::size_t out_count() const noexcept;
  /// Return the shapes of the arrays of term `k`, which is less than `terms()`.
  [[nodiscard]] const std::vector<index_t>& in_extents(std::size_t k) const noexcept;
  [[nodiscard]] const std::vector<index_t>& out_extents(std::size_t k) const noexcept;
  [[nodiscard]] tridia::backend backend() const noexcept;
  /// Returns the GPU of a CUDA operator; -1 otherwise.
  [[nodiscard]] int device() const noexcept;
  /// Returns the number of threads that a CPU operator uses; 1 otherwise.
  [[nodiscard]] int threads() const noexcept;
  /// Returns the bytes of workspace that an application needs.
  [[nodiscard]] std::size_t workspace_bytes() const noexcept;
  /// Returns the warnings of the terms' closures (see `compact_operator::warning`), one after
  /// another; or an empty string.
  [[nodiscard]] const std::string& warning() const noexcept;
  /// Returns a sentence for each term, and says which of them are done together.
  [[nodiscard]] const std::string& description() const noexcept;

  /// Computes the results. `in` has `in_count()` pointers, `out` has `out_count()`, in the order of
  /// the terms. Arrays and workspace lie where the operator runs; `e.status` is not used. Throws
  /// `error`: invalid_argument (also for overlap) or wrong_device before any work is done,
  /// device_failure.
  void apply(std::span<const void* const> in, std::span<void* const> out, const execution& e) const;
  /// Adds s times the results to `out`. Memory and errors are as for `apply`.
  void apply_add(double s, std::span<const void* const> in, std::span<void* const> out,
                 const execution& e) const;

  /// Computes the results on a CPU, with a workspace that is allocated for the call. Refuses arrays
  /// of another type than the grids' (invalid_argument).
  template <class T, std::size_t In, std::size_t Out>
  void apply(const std::array<const T*, In>& in, const std::array<T*, Out>& out) const {
    std::array<const void*, In> from;
    std::array<void*, Out> to;
    for (std::size_t k = 0; k < In; ++k) from[k] = in[k];
    for (std::size_t k = 0; k < Out; ++k) to[k] = out[k];
    apply_on_host(value_type_of<T>, from, to);
  }

  struct state;  ///< Private to the library.

 private:
  void apply_on_host(value_type type, std::span<const void* const> in,
                     std::span<void* const> out) const;
  std::unique_ptr<const state> state_;
};

}  // namespace tridia
