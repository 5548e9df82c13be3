// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tridia/types.hpp"

#include <complex>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

namespace tridia {

/// What a compact scheme gives of a field f.
enum class quantity {
  first_derivative,
  second_derivative,
  interpolation,  ///< f itself, half a cell off.
  filter,         ///< f without its shortest waves.
};

/// Where the results lie. Point i of a line is at i h, midpoint i at (i + 1/2) h.
enum class staggering {
  none,          ///< In and out at the points.
  to_midpoints,  ///< From n points to the n - 1 midpoints between them (periodic: n).
  to_points,     ///< From n midpoints to the n + 1 points around them (periodic: n).
};

/// Names as for the enumerations of types.hpp ("first_derivative", "to_midpoints", …), whose
/// `names` and `parse` know them too.
std::string_view name(quantity) noexcept;
std::string_view name(staggering) noexcept;

/// One row of a compact scheme in units of the spacing h: with f the values, g the results, and q
/// the order of the derivative (0 for none),
///   sub g[i-1] + diag g[i] + sup g[i+1] = h^-q (weights[0] f[i+first] + weights[1] f[i+first+1] …)
struct compact_row {
  double sub = 0, diag = 1, sup = 0;
  int first = 0;
  std::vector<double> weights{};
};

/// The order of a row that holds for every polynomial: one that leaves the values as they are.
inline constexpr int exact_order = std::numeric_limits<int>::max();

/// The order of accuracy of a row, found by Taylor expansion: its error falls as h^order. Throws
/// `error` (invalid_argument) if the row is not even consistent, with what is wrong: the first
/// polynomial that it does not hold for, weights or diagonals that are not finite or all zero.
int order_of(const compact_row& row, tridia::quantity quantity,
             tridia::staggering staggering = tridia::staggering::none);

/// A compact scheme away from the ends of lines. Immutable, and consistent.
class scheme {
 public:
  /// A scheme by its coefficients; `name` is for messages. Throws as `order_of` does.
  scheme(std::string name, tridia::quantity quantity, tridia::staggering staggering,
         compact_row interior);

  [[nodiscard]] const std::string& name() const noexcept { return name_; }
  [[nodiscard]] tridia::quantity quantity() const noexcept { return quantity_; }
  [[nodiscard]] tridia::staggering staggering() const noexcept { return staggering_; }
  [[nodiscard]] const compact_row& interior() const noexcept { return interior_; }
  /// As `order_of`.
  [[nodiscard]] int order() const noexcept { return order_; }

  /// What the scheme makes of exp(i w x / h): that times h^-q times this. `w` in radians a cell.
  [[nodiscard]] std::complex<double> symbol(double w) const;
  /// The same as the wavenumber that the scheme sees in place of `w` (Lele 1992, section 3.1): w'
  /// of a first derivative, w'' (to be held against w^2) of a second one, the transfer function of
  /// an interpolation or a filter. Real for a symmetric scheme.
  [[nodiscard]] std::complex<double> modified_wavenumber(double w) const;

 private:
  std::string name_;
  tridia::quantity quantity_;
  tridia::staggering staggering_;
  compact_row interior_;
  int order_;
};

/// The schemes that come with the library: C4, C6 and C8 (S. K. Lele, J. Comput. Phys. 103 (1992)
/// 16), as derivatives of points, and staggered; filters F2, F4, …, F10 (D. V. Gaitonde and M. R.
/// Visbal, AFRL-VA-WP-TR-1998-3060).
std::vector<std::string> scheme_names(tridia::quantity quantity,
                                      tridia::staggering staggering = tridia::staggering::none);

/// One of them. `alpha_f`, for filters alone, from -1/2 to 1/2: the larger, the fewer waves are
/// damped. Throws `error` (invalid_argument), which lists the known ones, for any other name; an
/// interpolation is always staggered, second derivatives and filters are not.
scheme find_scheme(tridia::quantity quantity, std::string_view name,
                   tridia::staggering staggering = tridia::staggering::none, double alpha_f = 0.45);

/// The rows at the ends of lines, where the interior's stencil does not fit. Immutable, and every
/// row is consistent.
class closure {
 public:
  /// Rows 0, 1, … by their coefficients; the last rows are their mirror images, unless they are
  /// given too: the last row of `tail` is the line's last row. Throws as `order_of` does, and where
  /// a row needs what is beyond the end.
  closure(std::string name, tridia::quantity quantity, tridia::staggering staggering,
          std::vector<compact_row> head);
  closure(std::string name, tridia::quantity quantity, tridia::staggering staggering,
          std::vector<compact_row> head, std::vector<compact_row> tail);

  [[nodiscard]] const std::string& name() const noexcept { return name_; }
  [[nodiscard]] tridia::quantity quantity() const noexcept { return quantity_; }
  [[nodiscard]] tridia::staggering staggering() const noexcept { return staggering_; }
  [[nodiscard]] const std::vector<compact_row>& head() const noexcept { return head_; }
  [[nodiscard]] const std::vector<compact_row>& tail() const noexcept { return tail_; }
  /// Of the rows of the head, as `order_of`.
  [[nodiscard]] std::vector<int> orders() const;

 private:
  std::string name_;
  tridia::quantity quantity_;
  tridia::staggering staggering_;
  std::vector<compact_row> head_, tail_;
};

/// A closure is named by the orders of its rows, with the interior's in the middle: "3-4-6-4-3" is
/// row 0 of third order, row 1 of fourth, and a sixth-order interior. Row 0 is one-sided (compact
/// for derivatives of points, explicit where staggered); later rows are lower-order schemes that
/// fit, or one-sided (row 1 of order 5). A filter has 0 for a row that is left as it is.
///
/// Throws `error` (invalid_argument), which lists what there is, if the name does not fit the
/// scheme.
closure find_closure(const scheme& s, std::string_view name);
/// The orders that `find_closure` knows for rows 0, 1, … of a scheme, as many as it needs.
std::vector<std::vector<int>> closure_choices(const scheme& s);
/// Third order in row 0 (an interpolation: fourth; a filter: as it is), then the highest-order
/// scheme that fits: 3-4-3 for C4, 3-4-6-4-3 for C6, 3-4-6-8-6-4-3 for C8, 0-2-4-2-0 for F4.
closure default_closure(const scheme& s);

/// Empty, or a sentence that warns of a closure: with a first derivative at points and the boundary
/// value given at the inflow, u_t + u_x = 0 grows without bound under some (M. H. Carpenter, D.
/// Gottlieb, S. Abarbanel, J. Comput. Phys. 108 (1993) 272). The closures of `find_closure` are
/// known to be stable or not by their spectrum; of any other it is said that it is not known.
std::string closure_warning(const scheme& s, const closure& c);

}  // namespace tridia
