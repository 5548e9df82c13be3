// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#include "compact/tables.hpp"

#include "compact/taylor.hpp"

namespace tridia::compact {
namespace {

/// Returns a row that is its own mirror image: `alpha` on both sides of the diagonal, and the
/// weight of the value itself (not where staggered), of its two neighbours, of those after them, …;
/// those in front of it have the other sign in an odd row.
compact_row centred(double alpha, tridia::staggering staggering, bool odd,
                    const std::vector<double>& weights) {
  compact_row row{alpha, 1, alpha, 0, {}};
  const bool own = staggering == tridia::staggering::none;
  for (std::size_t k = weights.size(); k-- > (own ? 1U : 0U);) {
    row.weights.push_back(odd ? -weights[k] : weights[k]);
  }
  row.weights.insert(row.weights.end(), weights.begin(), weights.end());
  const int pairs = static_cast<int>(weights.size()) - (own ? 1 : 0);
  row.first = staggering == tridia::staggering::to_midpoints ? 1 - pairs : -pairs;
  return row;
}

/// Lele's (2.1): a, b, c over 2, 4, 6.
compact_row first(double alpha, double a, double b = 0, double c = 0) {
  std::vector<double> weights{0, a / 2};
  if (b != 0) weights.push_back(b / 4);
  if (c != 0) weights.push_back(c / 6);
  return centred(alpha, tridia::staggering::none, true, weights);
}

/// Lele's (2.2): a, b, c over 1, 4, 9.
compact_row second(double alpha, double a, double b = 0, double c = 0) {
  std::vector<double> weights{-2 * (a + b / 4 + c / 9), a};
  if (b != 0) weights.push_back(b / 4);
  if (c != 0) weights.push_back(c / 9);
  return centred(alpha, tridia::staggering::none, false, weights);
}

/// Lele's third derivative: a over 2, b over 8.
compact_row third(double alpha, double a, double b = 0) {
  std::vector<double> weights{0, -a - 3 * b / 8, a / 2};
  if (b != 0) weights.push_back(b / 8);
  return centred(alpha, tridia::staggering::none, true, weights);
}

/// Lele's fourth derivative: a over 1, b over 6.
compact_row fourth(double alpha, double a, double b = 0) {
  std::vector<double> weights{6 * a + 8 * b / 3, -4 * a - 3 * b / 2, a};
  if (b != 0) weights.push_back(b / 6);
  return centred(alpha, tridia::staggering::none, false, weights);
}

/// Lele's (B.1): differences over 1, 3, 5 cells.
compact_row staggered(tridia::staggering staggering, double alpha, double a, double b = 0,
                      double c = 0) {
  std::vector<double> weights{a};
  if (b != 0) weights.push_back(b / 3);
  if (c != 0) weights.push_back(c / 5);
  return centred(alpha, staggering, true, weights);
}

/// Lele's (C.1): sums, halved.
compact_row midpoint(tridia::staggering staggering, double alpha, double a, double b = 0,
                     double c = 0) {
  std::vector<double> weights{a / 2};
  if (b != 0) weights.push_back(b / 2);
  if (c != 0) weights.push_back(c / 2);
  return centred(alpha, staggering, false, weights);
}

/// Gaitonde and Visbal's table: a0, a1, … of the pairs, halved.
compact_row filtering(double al, std::vector<double> a) {
  for (std::size_t k = 1; k < a.size(); ++k) a[k] /= 2;
  return centred(al, tridia::staggering::none, false, a);
}

std::vector<named_row> filters(double al) {
  return {
      {"F2", filtering(al, {0.5 + al, 0.5 + al})},
      {"F4", filtering(al, {0.625 + 0.75 * al, 0.5 + al, -0.125 + 0.25 * al})},
      {"F6", filtering(al, {(11 + 10 * al) / 16, (15 + 34 * al) / 32, (-3 + 6 * al) / 16,
                            (1 - 2 * al) / 32})},
      {"F8", filtering(al, {(93 + 70 * al) / 128, (7 + 18 * al) / 16, (-7 + 14 * al) / 32,
                            (1 - 2 * al) / 16, (-1 + 2 * al) / 128})},
      {"F10",
       filtering(al, {(193 + 126 * al) / 256, (105 + 302 * al) / 256, 15 * (-1 + 2 * al) / 64,
                      45 * (1 - 2 * al) / 512, 5 * (-1 + 2 * al) / 256, (1 - 2 * al) / 512})},
  };
}

compact_row explicit_row(int from, std::vector<double> weights) {
  return {0, 1, 0, from, std::move(weights)};
}

}  // namespace

std::vector<named_row> interior_rows(tridia::quantity quantity, tridia::staggering staggering,
                                     double alpha_f) {
  const bool points = staggering == tridia::staggering::none;
  switch (quantity) {
    case tridia::quantity::first_derivative:
      if (points) {
        return {{"C4", first(0.25, 1.5)},
                {"C6", first(1.0 / 3, 14.0 / 9, 1.0 / 9)},
                {"C8", first(0.375, 25.0 / 16, 0.2, -1.0 / 80)}};
      }
      return {{"C4", staggered(staggering, 1.0 / 22, 12.0 / 11)},
              {"C6", staggered(staggering, 9.0 / 62, 63.0 / 62, 17.0 / 62)},
              {"C8", staggered(staggering, 25.0 / 118, 2675.0 / 2832, 925.0 / 1888, -61.0 / 5664)}};
    case tridia::quantity::second_derivative:
      if (!points) return {};
      return {{"C4", second(0.1, 1.2)},
              {"C6", second(2.0 / 11, 12.0 / 11, 3.0 / 11)},
              {"C8", second(9.0 / 38, 147.0 / 152, 51.0 / 95, -23.0 / 760)}};
    case tridia::quantity::third_derivative:
      if (!points) return {};
      return {{"C6", third(7.0 / 16, 2, -1.0 / 8)}};
    case tridia::quantity::fourth_derivative:
      if (!points) return {};
      return {{"C4", fourth(0.25, 1.5)}, {"C6", fourth(7.0 / 26, 19.0 / 13, 1.0 / 13)}};
    case tridia::quantity::interpolation:
      if (points) return {};
      return {{"C4", midpoint(staggering, 1.0 / 6, 4.0 / 3)},
              {"C6", midpoint(staggering, 0.3, 1.5, 0.1)},
              {"C8", midpoint(staggering, 5.0 / 14, 25.0 / 16, 5.0 / 32, -1.0 / 224)}};
    case tridia::quantity::filter:
      return points ? filters(alpha_f) : std::vector<named_row>{};
  }
  return {};
}

std::vector<end_row> end_rows(tridia::quantity quantity, tridia::staggering staggering) {
  switch (quantity) {
    case tridia::quantity::first_derivative:
      if (staggering == tridia::staggering::to_midpoints) {
        return {{0, explicit_row(0, {-23.0 / 24, 7.0 / 8, 1.0 / 8, -1.0 / 24})},
                {0, explicit_row(0, {-11.0 / 12, 17.0 / 24, 3.0 / 8, -5.0 / 24, 1.0 / 24})}};
      }
      if (staggering == tridia::staggering::to_points) {
        return {{0, explicit_row(0, {-71.0 / 24, 47.0 / 8, -31.0 / 8, 23.0 / 24})},
                {0, explicit_row(0, {-31.0 / 8, 229.0 / 24, -75.0 / 8, 37.0 / 8, -11.0 / 12})}};
      }
      return {{0, {0, 1, 2, 0, {-2.5, 2, 0.5}}},
              {0, {0, 1, 3, 0, {-17.0 / 6, 1.5, 1.5, -1.0 / 6}}},
              {0, {0, 1, 4, 0, {-37.0 / 12, 2.0 / 3, 3, -2.0 / 3, 1.0 / 12}}},
              {0, {0, 1, 5, 0, {-197.0 / 60, -5.0 / 12, 5, -5.0 / 3, 5.0 / 12, -0.05}}},
              {1, {1.0 / 6, 1, 0.5, -1, {-5.0 / 9, -0.5, 1, 1.0 / 18}}}};
    case tridia::quantity::second_derivative:
      return {{0, {0, 1, 11, 0, {13, -27, 15, -1}}},
              {0, {0, 1, 10, 0, {145.0 / 12, -76.0 / 3, 14.5, -4.0 / 3, 1.0 / 12}}}};
    // Rows 0 and 1 of third and fourth derivatives are explicit; they follow from Taylor expansion.
    // Compact rows 0 of third order would have -7 and -17/5 beside a diagonal of 1: half the error,
    // but twice the amplification of rounding, and a matrix that lacks dominance.
    case tridia::quantity::third_derivative:
      return {{0, explicit_row(0, {-17.0 / 4, 71.0 / 4, -59.0 / 2, 49.0 / 2, -41.0 / 4, 7.0 / 4})},
              {0, explicit_row(0, {-49.0 / 8, 29, -461.0 / 8, 62, -307.0 / 8, 13, -15.0 / 8})},
              {1, explicit_row(-1, {-15.0 / 8, 7, -83.0 / 8, 8, -29.0 / 8, 1, -1.0 / 8})},
              // This is Lele's scheme on five points. With it in every row a periodic matrix of
              // even size is singular.
              {2, third(0.5, 2)}};
    case tridia::quantity::fourth_derivative:
      return {
          {0, explicit_row(0, {35.0 / 6, -31, 137.0 / 2, -242.0 / 3, 107.0 / 2, -19, 17.0 / 6})},
          {0, explicit_row(
                  0, {28.0 / 3, -111.0 / 2, 142, -1219.0 / 6, 176, -185.0 / 2, 82.0 / 3, -3.5})},
          {1, explicit_row(-1, {3.5, -56.0 / 3, 85.0 / 2, -54, 251.0 / 6, -20, 5.5, -2.0 / 3})}};
    case tridia::quantity::interpolation:
      if (staggering == tridia::staggering::to_midpoints) {
        return {{0, explicit_row(0, {0.375, 0.75, -0.125})},
                {0, explicit_row(0, {5.0 / 16, 15.0 / 16, -5.0 / 16, 1.0 / 16})}};
      }
      return {{0, explicit_row(0, {15.0 / 8, -1.25, 0.375})},
              {0, explicit_row(0, {35.0 / 16, -35.0 / 16, 21.0 / 16, -5.0 / 16})}};
    case tridia::quantity::filter:
      return {{0, explicit_row(0, {1})}};
  }
  return {};
}

}  // namespace tridia::compact
