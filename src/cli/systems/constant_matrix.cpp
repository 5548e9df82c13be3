// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#include "systems/constant_matrix.hpp"

#include "failure.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <complex>
#include <optional>
#include <string_view>

namespace tridia::cli {
namespace {

/// Takes a real number from the beginning of a text; a sign before it may be a plus.
std::optional<double> take_real(std::string_view& text) {
  const char* first = text.data();
  const char* const last = first + text.size();
  if (first != last && *first == '+') ++first;
  double value = 0;
  const auto [end, problem] = std::from_chars(first, last, value);
  const bool two_signs = first != text.data() && first != last && *first == '-';
  if (problem != std::errc{} || two_signs) return {};
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return value;
}

std::optional<std::complex<double>> parse_number(std::string_view text) {
  const std::optional<double> first = take_real(text);
  if (!first) return {};
  if (text.empty()) return *first;
  if (text == "j") return std::complex<double>(0, *first);
  if (text.front() != '+' && text.front() != '-') return {};
  const std::optional<double> second = take_real(text);
  if (!second || text != "j") return {};
  return std::complex<double>(*first, *second);
}

near_toeplitz::row parse_row(const std::string& text, const char* option) {
  std::vector<std::complex<double>> numbers;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    const auto number = parse_number(std::string_view(text).substr(begin, end - begin));
    if (!number) {
      throw bad_input(option, fmt::format("'{}' is no number; a row is DL,D,DU, as -1,4,-1 or "
                                          "0.5+2j,1,0",
                                          text.substr(begin, end - begin)));
    }
    numbers.push_back(*number);
    begin = end + 1;
  }
  if (numbers.size() != 3) {
    throw bad_input(
        option, fmt::format("'{}' holds {} numbers, but a row is DL,D,DU", text, numbers.size()));
  }
  return {numbers[0], numbers[1], numbers[2]};
}

}  // namespace

near_toeplitz parse_matrix(const std::string& interior, const std::vector<std::string>& head,
                           const std::vector<std::string>& tail) {
  near_toeplitz a{.interior = parse_row(interior, "--constant")};
  for (const std::string& row : head) a.head.push_back(parse_row(row, "--constant-head"));
  for (const std::string& row : tail) a.tail.push_back(parse_row(row, "--constant-tail"));
  return a;
}

const near_toeplitz::row& row_of(const near_toeplitz& a, index_t n, index_t k) {
  const auto head = static_cast<index_t>(a.head.size());
  const auto first_of_tail = n - static_cast<index_t>(a.tail.size());
  if (k < head) return a.head[static_cast<std::size_t>(k)];
  return k < first_of_tail ? a.interior : a.tail[static_cast<std::size_t>(k - first_of_tail)];
}

}  // namespace tridia::cli
