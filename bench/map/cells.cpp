// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#include "cells.hpp"

#include <algorithm>
#include <cmath>
#include <regex>

namespace tridia_bench {
namespace {

/// Says how many rows the cells of a line below have in all.
enum class size { small, medium, large };

/// Describes cells of one layout and size: as many systems of each of `lengths` as there is room
/// for, and the lengths of which each of `batches` makes as many rows.
struct shapes {
  tridia_bench::size size;
  tridia_bench::layout layout;
  std::vector<index_t> lengths, batches;
};

/// Describes fields with extents that are no powers of two: cubes along each axis, and planes.
struct odd_fields {
  std::vector<index_t> edges;
  bool planes;
};

// clang-format off: a table
// This is the choice of cells. The product of all features and shapes has some 7000 cells a type,
// too many for a few minutes. So every feature is met at lines that are short, of a few warps,
// beyond a block and as long as the arrays, in each layout; the features that most programs use
// (`coverage::full` in features.cpp) also in between. Periodic and transposed variants get
// `coverage::few`.
//
// coverage  rows in all        rows of a line  batches            axes         odd extents
// full      2^14, 2^20, large  2 to 16384      1, 2, 7, 64, 1000  all          cubes, planes
// coarse    2^14, 2^20, large  4 to 1000       1, 64              all          257^3
// few       2^20, large        64, 1000        1, 64              first, last  257^3, first axis
//
// Large is 2^26 on a GPU, where one line of 2^27 rows is added, and 2^24 on a CPU, which leaves out
// what is larger.
// clang-format on

/// Returns the cells of a coverage whose extents are not odd.
const std::vector<shapes>& shapes_of(coverage c) {
  constexpr auto small = size::small, medium = size::medium, large = size::large;
  constexpr auto contiguous = layout::contiguous, interleaved = layout::interleaved,
                 middle = layout::middle;
  static const std::vector<shapes> full{
      {small, contiguous, {4, 64, 1000}, {2, 1}},
      {small, interleaved, {4, 64}, {7}},
      {medium, contiguous, {4, 16, 37, 64, 256, 1000, 16384}, {7, 1}},
      {medium, interleaved, {4, 37, 64, 1000}, {64, 7}},
      {medium, middle, {64}, {}},
      {large,
       contiguous,
       {2, 4, 8, 16, 24, 37, 64, 100, 256, 1000, 4096, 16384},
       {1000, 64, 7, 2, 1}},
      {large, interleaved, {2, 4, 8, 16, 37, 64, 256, 1000, 4096, 16384}, {1000, 64, 7}},
      {large, middle, {8, 64, 1000}, {}},
  };
  static const std::vector<shapes> coarse{
      {small, contiguous, {64}, {1}},
      {medium, contiguous, {8, 64, 1000}, {1}},
      {medium, interleaved, {64, 1000}, {}},
      {large, contiguous, {4, 37, 64, 1000}, {64, 1}},
      {large, interleaved, {4, 64, 1000}, {64}},
      {large, middle, {64}, {}},
  };
  static const std::vector<shapes> few{
      {medium, contiguous, {64}, {1}},
      {large, contiguous, {64, 1000}, {64}},
      {large, interleaved, {64}, {}},
  };
  return c == coverage::full ? full : c == coverage::coarse ? coarse : few;
}

odd_fields odd_fields_of(coverage c) {
  if (c == coverage::full) return {{257, 301, 513}, true};
  return {{257}, false};
}

/// Collects the cells of one feature and variant.
class collection {
 public:
  collection(std::vector<cell>& to, const cell_choice& choice, cell prototype)
      : to_(to), choice_(choice), prototype_(std::move(prototype)), begin_(to.size()) {}

  void add_all(coverage c) {
    const bool cubes_of_middle = c != coverage::few;
    for (const shapes& s : shapes_of(c)) {
      if (choice_.quick && s.size == size::large) continue;
      add(s);
    }
    if (choice_.quick) return sort();
    const odd_fields odd = odd_fields_of(c);
    for (const index_t edge : odd.edges) add_cube(edge, cubes_of_middle);
    if (c == coverage::full) add_cube(100, true);
    if (odd.planes) {
      for (const index_t n : {index_t{33001}, index_t{16777}}) add_plane(n);
      // The longest line of all.
      if (choice_.largest == 26) add("2^27", "1 line", layout::contiguous, index_t{1} << 27, 1);
    }
    sort();
  }

 private:
  [[nodiscard]] int log_rows(size s) const {
    if (choice_.quick) return s == size::small ? 10 : 12;
    return s == size::small ? 14 : s == size::medium ? 20 : choice_.largest;
  }
  void add(const shapes& s) {
    const std::string in_all = "2^" + std::to_string(log_rows(s.size));
    const index_t rows = (index_t{1} << log_rows(s.size)) / prototype_.spec.right_hand_sides;
    for (const index_t n : s.lengths) {
      add(in_all, std::to_string(n) + " rows", s.layout, n, rows / n);
    }
    for (const index_t batch : s.batches) {
      add(in_all, std::to_string(batch) + (batch == 1 ? " line" : " lines"), s.layout, rows / batch,
          batch);
    }
  }
  void add(std::string in_all, std::string shape, layout l, index_t n, index_t batch,
           index_t width = 0) {
    if (n < 2 || batch < 1) return;
    cell c = prototype_;
    c.size = std::move(in_all), c.shape = std::move(shape);
    c.spec.layout = l, c.spec.n = n, c.spec.batch = batch;
    if (l == layout::middle) {
      if (width == 0) {
        width = c.spec.inner();  // a power of two near the square root
        c.spec.batch = batch / width * width;
      }
      c.spec.width = width;
    }
    // One field of 513^3 points is the largest, a little more than 2^27.
    const double most = choice_.largest == 26 ? 0x1.04p27 : 1.02 * std::ldexp(1.0, choice_.largest);
    if (c.spec.batch < 1 || static_cast<double>(c.elements()) > most) return;
    const auto same = [&](const cell& other) { return other.spec == c.spec; };
    if (std::none_of(to_.begin() + static_cast<std::ptrdiff_t>(begin_), to_.end(), same)) {
      to_.push_back(c);
    }
  }
  /// Adds the axes of a cube, smaller where there are several right-hand sides, as large in all.
  void add_cube(index_t edge, bool every_axis) {
    const std::string shape = std::to_string(edge) + "^3";
    const double scale = std::cbrt(static_cast<double>(prototype_.spec.right_hand_sides));
    if (scale > 1) edge = static_cast<index_t>(static_cast<double>(edge) / scale) / 2 * 2 - 1;
    add(kOdd, shape, layout::interleaved, edge, edge * edge);
    if (!every_axis) return;
    add(kOdd, shape, layout::middle, edge, edge * edge, edge);
    add(kOdd, shape, layout::contiguous, edge, edge * edge);
  }
  /// Adds both axes of a field of 1000 x m points.
  void add_plane(index_t m) {
    const std::string shape = "1000 x " + std::to_string(m);
    m /= prototype_.spec.right_hand_sides;
    add(kOdd, shape, layout::interleaved, 1000, m);
    add(kOdd, shape, layout::contiguous, m, 1000);
  }
  static constexpr const char* kOdd = "odd extents";

  /// Orders the cells so that what is slow is seen first where it is small.
  void sort() {
    const auto key = [](const cell& c) { return std::pair(c.elements() >> 12, c.spec.n); };
    std::stable_sort(to_.begin() + static_cast<std::ptrdiff_t>(begin_), to_.end(),
                     [&](const cell& a, const cell& b) { return key(a) < key(b); });
  }

  std::vector<cell>& to_;
  const cell_choice& choice_;
  cell prototype_;
  std::size_t begin_;
};

struct variant {
  tridia::boundary boundary;
  tridia::operation operation;
};
constexpr variant kVariants[] = {
    {tridia::boundary::regular, tridia::operation::none},
    {tridia::boundary::periodic, tridia::operation::none},
    {tridia::boundary::regular, tridia::operation::transpose},
};

}  // namespace

std::vector<cell> cells_of(tridia::value_type type, const cell_choice& choice) {
  const std::regex only(choice.only);
  std::vector<cell> all;
  for (const feature& f : features()) {
    for (const variant& v : kVariants) {
      if (!std::regex_search(name(f, v.boundary, v.operation), only)) continue;
      const bool plain =
          v.boundary == tridia::boundary::regular && v.operation == tridia::operation::none;
      const coverage c = !plain                            ? coverage::few
                         : type == tridia::value_type::f64 ? f.in_f64
                                                           : f.in_others;
      const cell prototype{&f,
                           {.matrix = f.matrix,
                            .type = type,
                            .boundary = v.boundary,
                            .coefficients = f.coefficients,
                            .operation = v.operation,
                            .right_hand_sides = f.right_hand_sides,
                            .seed = choice.seed},
                           {},
                           {}};
      collection(all, choice, prototype).add_all(c);
    }
  }
  const std::regex shapes(choice.shapes);
  std::erase_if(all, [&](const cell& c) { return !std::regex_search(c.place(), shapes); });
  return all;
}

}  // namespace tridia_bench
