// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "entries.hpp"

#include "tridia/near_toeplitz.hpp"
#include "tridia/problem.hpp"

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace tridia_bench {

enum class matrix {
  dominant,  ///< Diagonally dominant by rows: no elimination needs an interchange.
  random,    ///< Every entry from U(-1, 1): about a third of the rows are interchanged.
};
std::string_view name(matrix m) noexcept;

enum class layout {
  contiguous,   ///< (batch, n): the rows of a system are neighbours.
  interleaved,  ///< (n, batch): row i of all systems, then row i + 1.
  middle,       ///< (outer, n, inner): a 3-D field solved along its middle axis.
};
std::string_view name(layout l) noexcept;

/// Says how memory for the arrays is allocated.
enum class placement {
  plain,    ///< malloc, as NumPy and std::vector get it: 16-byte aligned.
  aligned,  ///< 64-byte aligned.
};

/// Describes the systems that a case solves.
struct systems_spec {
  tridia_bench::matrix matrix = matrix::dominant;
  tridia_bench::layout layout = layout::contiguous;
  tridia_bench::placement placement = placement::plain;
  tridia::value_type type = tridia::value_type::f64;
  tridia::boundary boundary = tridia::boundary::regular;
  tridia::coefficients coefficients = tridia::coefficients::per_system;
  tridia::operation operation = tridia::operation::none;
  index_t n = 0, batch = 0;
  /// Systems side by side in the middle layout, of which `batch` is a multiple; 0: about the square
  /// root of a batch that is a power of two.
  index_t width = 0;
  index_t right_hand_sides = 1;
  /// A ragged batch has lengths from U(shortest, n); 0: all have n rows. On a GPU only.
  index_t shortest = 0;
  /// Says how a ragged batch lies; a packed one is sorted.
  tridia::ragged_layout ragged_layout = tridia::ragged_layout::concatenated;
  std::uint64_t seed = 0;  ///< Other numbers for another one.

  /// Returns the elements from a row of a system to the next. Row i of system s lies at (s / inner)
  /// n inner + s % inner + i inner, whatever the layout.
  [[nodiscard]] index_t inner() const;
  /// Returns the number of rows of all systems: the elements of one right-hand side.
  [[nodiscard]] index_t rows() const { return shortest > 0 ? offsets().back() : n * batch; }
  /// Returns the elements of the array of one right-hand side: its rows, and what is padding.
  [[nodiscard]] index_t elements() const {
    return ragged_layout == tridia::ragged_layout::padded ? n * batch : rows();
  }
  /// Returns the shape of a right-hand side, unless the batch is ragged, and the axis of the
  /// systems.
  [[nodiscard]] std::vector<index_t> extents() const;
  [[nodiscard]] int axis() const { return layout == layout::interleaved ? 0 : 1; }
  /// Returns where the systems of a ragged batch begin, and where the last one ends.
  [[nodiscard]] std::vector<index_t> offsets() const;
  /// Returns the number of entries in each coefficient's array. Constants are given to the library
  /// by `problem`, and lie in arrays of one system for judging solutions.
  [[nodiscard]] index_t entries() const { return has_one_matrix() ? n : elements(); }
  [[nodiscard]] bool has_one_matrix() const {
    return coefficients != tridia::coefficients::per_system;
  }
  /// Returns the matrix of constants: a fourth-order compact derivative closed to third order (A.
  /// T. Srinath, thesis, Clemson University, 2015, equations 1.2 to 1.4).
  [[nodiscard]] static tridia::near_toeplitz constants() {
    return {.interior = {0.25, 1.0, 0.25}, .head = {{0.0, 1.0, 2.0}}, .tail = {{2.0, 1.0, 0.0}}};
  }
  /// Returns the problem as the library takes it.
  [[nodiscard]] tridia::problem problem(tridia::pivoting pivoting) const;
  /// Returns the fewest arrays that must be read, 4, or 1 with one matrix for all; one more is
  /// written.
  [[nodiscard]] int reads() const { return has_one_matrix() ? 1 : 4; }
  friend bool operator==(const systems_spec&, const systems_spec&) = default;
};

/// Asks the system for huge pages for all arrays made later (Linux; NumPy does so too).
void advise_huge_pages(bool on);

/// Owns an array that nothing has touched yet.
template <class T>
class host_array {
 public:
  host_array() = default;
  explicit host_array(index_t size, placement where = placement::plain);
  [[nodiscard]] T* data() const { return data_.get(); }
  [[nodiscard]] index_t size() const { return size_; }
  /// Fills all elements, with all threads. (Filling an array first places its pages.)
  void fill(T value) const;
  void copy_from(const host_array& other) const;

 private:
  struct deleter {
    void operator()(T* p) const;
  };
  std::unique_ptr<T, deleter> data_;
  index_t size_ = 0;
};

/// Holds random systems and their right-hand sides; they are the same for the same spec on every
/// machine.
template <class T>
struct systems {
  systems_spec spec;
  host_array<T> dl, d, du, rhs;

  explicit systems(const systems_spec& spec);
  /// Returns the maximum over all systems of |A x - rhs| / (|A| |x| + |rhs|), in infinity norms. A
  /// value that is not finite gives infinity.
  [[nodiscard]] double residual(const T* x) const { return residual(spec, x); }
  /// Returns the same where the arrays are read as those of other systems, `s`, which are no
  /// larger. Of several right-hand sides the first and the last one are judged.
  [[nodiscard]] double residual(const systems_spec& s, const T* x) const;
};

/// Returns the largest `residual` that a stable solution may have.
double residual_limit(tridia::value_type type);

/// Returns the systems of the previous case, if they are the same, so that they are made once.
template <class T>
std::shared_ptr<const systems<T>> cached_systems(const systems_spec& spec);

/// Returns a value that is NaN in every part, so that an element that a solver forgets to write is
/// noticed.
template <class T>
T poison();

}  // namespace tridia_bench
