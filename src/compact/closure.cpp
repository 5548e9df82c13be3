// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#include "compact/closure.hpp"

#include "compact/tables.hpp"
#include "compact/taylor.hpp"
#include "core/refuse.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <utility>

namespace tridia {
namespace {

using compact::extra_points;
using compact::last_of;

[[noreturn]] void refuse_closure(const std::string& why) { refuse("closure: " + why); }

std::vector<compact_row> mirror_images(const std::vector<compact_row>& head,
                                       tridia::quantity quantity, tridia::staggering staggering) {
  std::vector<compact_row> tail;
  for (auto row = head.rbegin(); row != head.rend(); ++row) {
    tail.push_back(compact::mirrored(*row, quantity, staggering));
  }
  return tail;
}

/// Returns whether a row, as row `position`, needs nothing from before the start of a line.
bool fits(const compact_row& row, int position) {
  return position + row.first >= 0 && (position > 0 || row.sub == 0);
}

/// A filter's row that leaves its value alone is called 0.
int label_of(int order) { return order == exact_order ? 0 : order; }

/// Returns the parameter of a filter.
double alpha_of(const scheme& s) { return s.interior().sup / s.interior().diag; }

/// Returns the rows that a named closure may have at a position, in rising order.
std::vector<std::pair<int, compact_row>> rows_for(const scheme& s, int position) {
  std::vector<std::pair<int, compact_row>> rows;
  for (auto& known : compact::interior_rows(s.quantity(), s.staggering(), alpha_of(s))) {
    const int order = order_of(known.row, s.quantity(), s.staggering());
    if (fits(known.row, position)) rows.emplace_back(order, known.row);
  }
  for (auto& known : compact::end_rows(s.quantity(), s.staggering())) {
    if (known.position != position) continue;
    rows.emplace_back(label_of(order_of(known.row, s.quantity(), s.staggering())), known.row);
  }
  std::ranges::sort(rows, {}, [](const auto& r) { return r.first; });
  return rows;
}

compact_row row_of_order(const scheme& s, int position, int order) {
  std::string known;
  for (auto& [label, row] : rows_for(s, position)) {
    if (label == order) return std::move(row);
    known += (known.empty() ? "" : ", ") + std::to_string(label);
  }
  refuse_closure("row " + std::to_string(position) + " of " + s.name() +
                 " has no closure of order " + std::to_string(order) +
                 (known.empty() ? "" : ", but of " + known));
}

/// Returns a list such as "3-4-6-4-3" as numbers; empty if it is no such list.
std::vector<int> parse_orders(std::string_view text) {
  std::vector<int> orders;
  for (const char *at = text.data(), *end = at + text.size();; ++at) {
    int order = 0;
    const auto [next, failed] = std::from_chars(at, end, order);
    if (failed != std::errc{} || order < 0 || (next != end && *next != '-')) return {};
    orders.push_back(order);
    if (next == end) return orders;
    at = next;
  }
}

std::string name_of(const std::vector<int>& head, int interior) {
  std::vector<int> orders = head;
  orders.push_back(interior);
  orders.insert(orders.end(), head.rbegin(), head.rend());
  std::string name;
  for (const int order : orders) {
    if (!name.empty()) name += '-';
    name += std::to_string(order);
  }
  return name;
}

closure closure_of(const scheme& s, const std::vector<int>& orders) {
  std::vector<compact_row> head;
  for (std::size_t k = 0; k < orders.size(); ++k) {
    head.push_back(row_of_order(s, static_cast<int>(k), orders[k]));
  }
  return {name_of(orders, s.order()), s.quantity(), s.staggering(), std::move(head)};
}

std::vector<int> default_orders(const scheme& s) {
  std::vector<int> orders;
  for (const std::vector<int>& choices : closure_choices(s)) {
    if (choices.empty()) break;
    const int wanted = s.quantity() == tridia::quantity::interpolation ? 4 : choices.front();
    orders.push_back(orders.empty() ? wanted : choices.back());
  }
  // The one-sided row 1 is a choice, but not the first.
  if (s.quantity() == tridia::quantity::first_derivative && orders.size() > 1 && orders[1] == 5)
    orders[1] = 4;
  return orders;
}

}  // namespace

int compact::rows_needed(const compact_row& interior) {
  int rows = 0;
  while (!fits(interior, rows)) ++rows;
  return rows;
}

bool compact::is_known(const scheme& s, const closure& c) {
  const auto same = [](const compact_row& a, const compact_row& b) {
    return a.sub == b.sub && a.diag == b.diag && a.sup == b.sup && a.first == b.first &&
           a.weights == b.weights;
  };
  try {
    const closure known = find_closure(s, c.name());
    return same(find_scheme(s.quantity(), s.name(), s.staggering()).interior(), s.interior()) &&
           std::ranges::equal(known.head(), c.head(), same) &&
           std::ranges::equal(known.tail(), c.tail(), same);
  } catch (const error&) {
    return false;
  }
}

closure::closure(std::string name, tridia::quantity quantity, tridia::staggering staggering,
                 std::vector<compact_row> head)
    : closure(std::move(name), quantity, staggering, head,
              mirror_images(head, quantity, staggering)) {}

closure::closure(std::string name, tridia::quantity quantity, tridia::staggering staggering,
                 std::vector<compact_row> head, std::vector<compact_row> tail)
    : name_(std::move(name)),
      quantity_(quantity),
      staggering_(staggering),
      head_(std::move(head)),
      tail_(std::move(tail)) {
  const auto check = [&](const char* list, std::size_t k, const compact_row& row,
                         const compact_row& inwards, std::size_t position) {
    const std::string which = std::string(list) + "[" + std::to_string(k) + "] ";
    try {
      (void)order_of(row, quantity_, staggering_);
    } catch (const error& e) {
      refuse_closure(which + std::string(e.what()).substr(5));
    }
    if (fits(inwards, static_cast<int>(position))) return;
    refuse_closure(which + "needs what is beyond the end of the line: row " +
                   std::to_string(position) +
                   " from it has sub or sup that leads there, or reaches " +
                   std::to_string(-inwards.first) + " values towards it");
  };
  for (std::size_t k = 0; k < head_.size(); ++k) check("head", k, head_[k], head_[k], k);
  for (std::size_t k = 0; k < tail_.size(); ++k) {
    check("tail", k, tail_[k], compact::mirrored(tail_[k], quantity_, staggering_),
          tail_.size() - 1 - k);
  }
}

std::vector<int> closure::orders() const {
  std::vector<int> orders;
  for (const compact_row& row : head_) orders.push_back(order_of(row, quantity_, staggering_));
  return orders;
}

closure find_closure(const scheme& s, std::string_view name) {
  const std::vector<int> orders = parse_orders(name);
  const std::size_t rows = orders.size() / 2;
  const std::string text = std::string("'").append(name) + "' ";
  const std::string usual = default_closure(s).name();
  if (orders.empty()) refuse_closure(text + "is not a list of orders such as " + usual);
  if (orders.size() % 2 == 0 || !std::equal(orders.begin(), orders.end(), orders.rbegin())) {
    refuse_closure(text + "does not read the same from both ends, as " + usual + " does");
  }
  if (orders[rows] != s.order()) {
    refuse_closure(text + "has " + std::to_string(orders[rows]) +
                   " in the middle, but the order of " + s.name() + " is " +
                   std::to_string(s.order()) + ": " + usual);
  }
  const auto needed = static_cast<std::size_t>(compact::rows_needed(s.interior()));
  if (rows < needed) {
    refuse_closure(text + "has " + std::to_string(rows) + " rows at an end, but the stencil of " +
                   s.name() + " needs " + std::to_string(needed) + ": " + usual);
  }
  return closure_of(s, {orders.begin(), orders.begin() + static_cast<std::ptrdiff_t>(rows)});
}

std::vector<std::vector<int>> closure_choices(const scheme& s) {
  std::vector<std::vector<int>> choices(
      static_cast<std::size_t>(compact::rows_needed(s.interior())));
  for (std::size_t k = 0; k < choices.size(); ++k) {
    for (const auto& row : rows_for(s, static_cast<int>(k))) choices[k].push_back(row.first);
  }
  return choices;
}

closure default_closure(const scheme& s) { return closure_of(s, default_orders(s)); }

std::string closure_warning(const scheme& s, const closure& c) {
  if (s.quantity() != tridia::quantity::first_derivative ||
      s.staggering() != tridia::staggering::none)
    return {};
  constexpr auto stable = std::to_array<std::string_view>(
      {"3-4-3", "3-4-6-4-3", "3-5-6-5-3", "3-4-6-8-6-4-3", "3-4-4-8-4-4-3", "3-5-4-8-4-5-3",
       "3-5-6-8-6-5-3", "4-4-4-8-4-4-4", "4-5-4-8-4-5-4", "5-5-4-8-4-5-5"});
  if (!compact::is_known(s, c)) {
    return "closure: " + c.name() + " is not among those whose stability is known; look at the " +
           "spectrum of u_t + u_x = 0 before a long run";
  }
  if (std::ranges::find(stable, c.name()) != stable.end()) return {};
  return "closure: with " + c.name() + " the solution of u_t + u_x = 0 may grow without bound; " +
         default_closure(s).name() + " is stable";
}

}  // namespace tridia
