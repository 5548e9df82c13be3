// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#include "compact/split_lines.hpp"

#include "tridia/error.hpp"

#include <algorithm>
#include <utility>

namespace tridia::compact {
namespace {

constexpr index_t piece = 16;  // lines that begin at multiples of it lie well in memory
/// Longer lines are left whole: their weights take much time and memory when a plan is made.
constexpr index_t most_points = index_t{1} << 17;
/// Shorter last parts are not worth a launch; closures and sums' rows have room in them.
constexpr index_t least_points = 64;

index_t part_points(index_t points, index_t most) {
  index_t part = most / piece * piece;
  const auto leaves_enough = [&] {
    const index_t last = points % part;
    return last == 0 || last >= std::max(least_points, most / 4);
  };
  while (part > least_points && !leaves_enough()) part -= piece;
  return part;
}

line_cuts cuts_of(const line_operator& whole, index_t part) {
  line_cuts cuts;
  for (index_t at = 0; at < whole.points; at += part) cuts.points.push_back(at);
  cuts.rows = cuts.points;
  cuts.points.push_back(whole.points);
  cuts.rows.push_back(whole.rows);
  return cuts;
}

/// Whether any row of A or B is one of a line's ends.
bool has_ends(const line_operator& o) {
  return !(o.matrix.head.empty() && o.matrix.tail.empty() && o.head.empty() && o.tail.empty());
}
bool are_alike(const line_operator& a, const line_operator& b) {
  return !has_ends(a) && !has_ends(b) && a.scale.empty() && b.scale.empty() &&
         a.points == b.points && a.rows == b.rows && a.given_head == b.given_head &&
         a.given_tail == b.given_tail;
}

/// Where a part lies among what is done.
struct part_place {
  std::size_t run;
  int number;  // in the run
};

/// Sums of one border, their points counted from it.
struct border {
  index_t first = 0, count = 0;
  sum_groups sums;  // share k to slot k: tail of the part before, then head of the one behind
  index_t tails = 0, heads = 0;
  bool inside = false;  // so far from a line's ends that they change no weight within rounding
};

class splitting {
 public:
  splitting(const line_operator& whole, value_type type, const split_wish& wish)
      : whole_(whole), type_(type), weights_(whole) {
    all_.part_points = part_points(whole.points, wish.most_points);
    all_.together = wish.together;
    cuts_ = cuts_of(whole, all_.part_points);
  }

  std::optional<line_split> made(index_t most_window) {
    const int parts = cuts_.parts();
    if (parts < 2) return {};
    for (int p = 0; p < parts; ++p) add_part(p);
    for (part_run& r : all_.runs) {
      r.slot = all_.slots;
      all_.slots += r.parts * r.line.given();
    }
    const bool joined = whole_.boundary == boundary::periodic;
    if (!joined && (part(0).given_head > 0 || part(parts - 1).given_tail > 0)) return {};
    for (int p = joined ? 0 : 1; p < parts; ++p) {
      const int before = (p + parts - 1) % parts;
      if (!is_known(before, p)) known_ = border_of(before, p);
      if (known_.count > most_window) return {};
      all_.window = std::max(all_.window, known_.count);
      add_border(before, p);
    }
    return std::move(all_);
  }

 private:
  void add_part(int p) {
    line_operator part = part_of(whole_, cuts_, p);
    if (all_.runs.empty() || !are_alike(all_.runs.back().line, part)) {
      (void)end_columns(part, sides_of(whole_, cuts_, p));  // refuses what is nearly singular
      all_.runs.push_back({std::move(part), 0, cuts_.points[p], cuts_.rows[p], 0});
    }
    places_.push_back({all_.runs.size() - 1, all_.runs.back().parts++});
  }
  const line_operator& part(int p) const { return all_.runs[places_[p].run].line; }

  /// `count` points all but exhaust the influence; there are twice as many between them and an end.
  bool is_inside(int p, index_t count) const {
    if (whole_.boundary == boundary::periodic) return !has_ends(whole_);
    const index_t at = cuts_.points[p];
    return at > 3 * count && whole_.points - at > 3 * count;
  }
  /// Whether the border computed last is this one's, elsewhere on the line.
  bool is_known(int before, int p) const {
    return known_.inside && is_inside(p, known_.count) && known_.tails == part(before).given_tail &&
           known_.heads == part(p).given_head;
  }

  border border_of(int before, int p) {
    border b;
    std::vector<line_weights> sums;
    b.tails = part(before).given_tail, b.heads = part(p).given_head;
    const auto add = [&](int of, index_t from, index_t count) {
      std::vector<line_weights> given = weights_.given(cuts_, of);
      for (index_t k = from; k < from + count; ++k) {
        leave_out(given[static_cast<std::size_t>(k)], least_weight(type_, 0));
        sums.push_back(std::move(given[static_cast<std::size_t>(k)]));
      }
    };
    add(before, part(before).given_head, b.tails);
    add(p, 0, b.heads);

    const index_t n = whole_.points, at = cuts_.points[p];
    const bool joined = whole_.boundary == boundary::periodic;
    const index_t least = joined ? -(n / 2) : -at;
    index_t last = least - 1;
    bool found = false;
    for (index_t k = least; k < least + n; ++k) {
      const auto point = static_cast<std::size_t>((at + k + n) % n);
      const bool matters = std::any_of(sums.begin(), sums.end(), [&](const line_weights& w) {
        return core::magnitude(w[point]).v != 0;
      });
      if (!matters) continue;
      if (!found) b.first = k, found = true;
      last = k;
    }
    b.count = found ? last + 1 - b.first : 1;

    std::vector<sum_share> shares;
    for (const line_weights& w : sums) {
      sum_share& s = shares.emplace_back(sum_share{static_cast<int>(shares.size()), 0, {}});
      for (index_t k = b.first; k < b.first + b.count; ++k)
        s.weights.push_back(w[static_cast<std::size_t>((at + k + n) % n)]);
    }
    b.sums = group_shares(shares);
    for (sum_group& g : b.sums.groups) g.weights += static_cast<index_t>(all_.sums.weights.size());
    all_.sums.weights.insert(all_.sums.weights.end(), b.sums.weights.begin(), b.sums.weights.end());
    b.inside = is_inside(p, b.count);
    return b;
  }

  void add_border(int before, int p) {
    for (sum_group g : known_.sums.groups) {
      g.first = (cuts_.points[p] + known_.first + whole_.points) % whole_.points;
      for (int j = 0; j < g.sums; ++j) {
        const index_t k = g.slot[j];
        g.slot[j] = k < known_.tails ? slot_of(before, part(before).given_head + k)
                                     : slot_of(p, k - known_.tails);
      }
      all_.sums.groups.push_back(g);
    }
  }
  index_t slot_of(int p, index_t given) const {
    const part_run& r = all_.runs[places_[p].run];
    const index_t number = places_[p].number;
    return r.slot + (all_.together ? given * r.parts + number : number * r.line.given() + given);
  }

  const line_operator& whole_;
  value_type type_;
  inverse_rows weights_;
  line_cuts cuts_;
  line_split all_{};
  std::vector<part_place> places_;
  border known_;
};

}  // namespace

std::optional<line_split> split(const line_operator& whole, value_type type,
                                const split_wish& wish) {
  if (whole.given() > 0 || whole.points < 2 * least_points || whole.points > most_points) return {};
  try {
    return splitting(whole, type, wish).made(wish.most_window);
  } catch (const error&) {
    return {};  // singular, as a whole or a part of it
  }
}

layout::geometry lines_of(const layout::geometry& whole, const line_split& s, const part_run& r) {
  layout::geometry g = whole;
  g.rows = r.line.rows;
  if (!s.together || r.parts == 1) return g;
  layout::axes& lines = g.right_sides;
  std::copy_backward(lines.at, lines.at + lines.count, lines.at + lines.count + 1);
  lines.at[0] = {r.parts, {}};
  for (const layout::array a : {layout::rhs, layout::x}) {
    lines.at[0].stride[a] = s.part_points * whole.lines[a].step;
  }
  ++lines.count;
  lines.size *= r.parts;
  return g;
}

}  // namespace tridia::compact
