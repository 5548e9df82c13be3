// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tridia/types.hpp"

#include <complex>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

namespace tridia {

/// Names the quantity that a compact scheme computes from a field f.
enum class quantity {
  first_derivative,
  second_derivative,
  third_derivative,
  fourth_derivative,
  interpolation,  ///< f itself, half a cell off.
  filter,         ///< f without its shortest waves.
};

/// Says where the results lie. Point i of a line is at i h, midpoint i at (i + 1/2) h.
enum class staggering {
  none,          ///< In and out at the points.
  to_midpoints,  ///< From n points to the n - 1 midpoints between them (periodic: n).
  to_points,     ///< From n midpoints to the n + 1 points around them (periodic: n).
};

/// Returns the name of an enumerator ("first_derivative", "to_midpoints", …), as for the
/// enumerations of types.hpp, whose `names` and `parse` know these too.
std::string_view name(quantity) noexcept;
std::string_view name(staggering) noexcept;

/// Holds one row of a compact scheme, in units of the spacing h. With f the values, g the results,
/// and q the order of the derivative (0 for none), the row reads
///   sub g[i-1] + diag g[i] + sup g[i+1] = h^-q (weights[0] f[i+first] + weights[1] f[i+first+1] …)
struct compact_row {
  double sub = 0, diag = 1, sup = 0;
  int first = 0;
  std::vector<double> weights{};
};

/// This is the order of a row that holds for every polynomial: one that does not change the values.
inline constexpr int exact_order = std::numeric_limits<int>::max();

/// Returns the order of accuracy of a row, found by Taylor expansion: its error falls as h^order.
/// Throws `error` (invalid_argument) if the row is not even consistent. The sentence says what is
/// wrong: the first polynomial that the row does not hold for, or weights or diagonals that are not
/// finite or all zero.
int order_of(const compact_row& row, tridia::quantity quantity,
             tridia::staggering staggering = tridia::staggering::none);

/// Describes a compact scheme away from the ends of lines. It is immutable and consistent.
class scheme {
 public:
  /// Makes a scheme from its coefficients; `name` is for messages. Throws as `order_of` does.
  scheme(std::string name, tridia::quantity quantity, tridia::staggering staggering,
         compact_row interior);

  [[nodiscard]] const std::string& name() const noexcept { return name_; }
  [[nodiscard]] tridia::quantity quantity() const noexcept { return quantity_; }
  [[nodiscard]] tridia::staggering staggering() const noexcept { return staggering_; }
  [[nodiscard]] const compact_row& interior() const noexcept { return interior_; }
  /// Returns the order of accuracy of the interior row, as `order_of` does.
  [[nodiscard]] int order() const noexcept { return order_; }

  /// Returns the symbol of the scheme: it turns exp(i w x / h) into h^-q times the symbol times
  /// exp(i w x / h). `w` is in radians per cell.
  [[nodiscard]] std::complex<double> symbol(double w) const;
  /// Returns the symbol as a modified wavenumber, the one that the scheme has in place of `w` (Lele
  /// 1992, section 3.1): w' for a first derivative, w'' (to be compared with w^2) for a second one,
  /// likewise for a third and a fourth one, and the transfer function for an interpolation or a
  /// filter. It is real for a symmetric scheme.
  [[nodiscard]] std::complex<double> modified_wavenumber(double w) const;

 private:
  std::string name_;
  tridia::quantity quantity_;
  tridia::staggering staggering_;
  compact_row interior_;
  int order_;
};

/// Returns the names of the schemes that come with the library: C4, C6 and C8 (S. K. Lele, J.
/// Comput. Phys. 103 (1992) 16), as first and second derivatives at points, and staggered; C6 of a
/// third derivative, C4 and C6 of a fourth; filters F2, F4, …, F10 (D. V. Gaitonde and M. R.
/// Visbal, AFRL-VA-WP-TR-1998-3060).
std::vector<std::string> scheme_names(tridia::quantity quantity,
                                      tridia::staggering staggering = tridia::staggering::none);

/// Returns the scheme with one of the names of `scheme_names`. `alpha_f`, for filters alone, is
/// from -1/2 to 1/2: the larger it is, the fewer waves are damped. Throws `error`
/// (invalid_argument), which lists the known names, for any other name. An interpolation is always
/// staggered; filters and derivatives above the first are not.
scheme find_scheme(tridia::quantity quantity, std::string_view name,
                   tridia::staggering staggering = tridia::staggering::none, double alpha_f = 0.45);

/// Holds the rows at the ends of lines, where the interior's stencil does not fit. It is immutable,
/// and every row is consistent.
class closure {
 public:
  /// Makes a closure from the coefficients of rows 0, 1, …. The last rows are their mirror images,
  /// unless they are given too: the last row of `tail` is the line's last row. Throws as `order_of`
  /// does, and where a row needs values beyond the end of the line.
  closure(std::string name, tridia::quantity quantity, tridia::staggering staggering,
          std::vector<compact_row> head);
  closure(std::string name, tridia::quantity quantity, tridia::staggering staggering,
          std::vector<compact_row> head, std::vector<compact_row> tail);

  [[nodiscard]] const std::string& name() const noexcept { return name_; }
  [[nodiscard]] tridia::quantity quantity() const noexcept { return quantity_; }
  [[nodiscard]] tridia::staggering staggering() const noexcept { return staggering_; }
  [[nodiscard]] const std::vector<compact_row>& head() const noexcept { return head_; }
  [[nodiscard]] const std::vector<compact_row>& tail() const noexcept { return tail_; }
  /// Returns the orders of accuracy of the rows of the head, as `order_of` finds them.
  [[nodiscard]] std::vector<int> orders() const;

 private:
  std::string name_;
  tridia::quantity quantity_;
  tridia::staggering staggering_;
  std::vector<compact_row> head_, tail_;
};

/// Returns the closure of a scheme that has this name. A closure is named by the orders of its
/// rows, with the interior's in the middle: "3-4-6-4-3" is row 0 of third order, row 1 of fourth,
/// and a sixth-order interior. Row 0 is one-sided (compact for first and second derivatives at
/// points, explicit otherwise); later rows are lower-order schemes that fit, or one-sided (row 1 of
/// order 5, and row 1 of third and fourth derivatives). A filter has 0 for a row that is not
/// filtered.
///
/// Throws `error` (invalid_argument), which lists the possible orders, if the name does not fit the
/// scheme.
closure find_closure(const scheme& s, std::string_view name);
/// Returns the orders that `find_closure` knows for rows 0, 1, … of a scheme: one list for each row
/// that the scheme needs.
std::vector<std::vector<int>> closure_choices(const scheme& s);
/// Returns the default closure of a scheme. Row 0 is of third order (for an interpolation fourth;
/// in a filter it is not filtered); each later row is the highest-order scheme that fits: 3-4-3 for
/// C4, 3-4-6-4-3 for C6, 3-4-6-8-6-4-3 for C8, 0-2-4-2-0 for F4; 3-4-4-4-3 for C4 of a fourth
/// derivative, 3-4-4-6-4-4-3 for C6 of a third or fourth one.
closure default_closure(const scheme& s);

/// Returns a sentence that warns of an unstable closure, or an empty string. With a first
/// derivative at points and the boundary value given at the inflow, solutions of u_t + u_x = 0 grow
/// without bound under some closures (M. H. Carpenter, D. Gottlieb, S. Abarbanel, J. Comput. Phys.
/// 108 (1993) 272). For the closures of `find_closure` the spectrum shows whether they are stable;
/// for any other closure the sentence says that its stability is not known.
std::string closure_warning(const scheme& s, const closure& c);

}  // namespace tridia
