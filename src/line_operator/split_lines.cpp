// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#include "line_operator/split_lines.hpp"

#include "tridia/error.hpp"

#include <algorithm>
#include <utility>

namespace tridia::line_operator {
namespace {

constexpr index_t line_granule = 16;  // lines that begin at multiples of it lie well in memory
/// Weights are found on a line of at most about so many points, as they take time and memory for
/// each: on the shortest one first, and on longer ones where influences reach further than that.
constexpr index_t stand_ins[] = {index_t{1} << 12, index_t{1} << 14, index_t{1} << 17};
/// Shorter last parts are not worth a launch; closures and sums' rows have room in them.
constexpr index_t least_points = 64;

/// Returns the points of a part; all of the line's where no length leaves a last part that is long
/// enough.
index_t part_points(index_t points, index_t most) {
  const index_t longest = most / line_granule * line_granule;
  // Parts of one length take one launch.
  for (index_t part = longest; part >= most * 3 / 4; part -= line_granule) {
    if (points % part == 0) return part;
  }
  // The longer the last part is, the less others wait for it.
  const index_t parts = (points + longest - 1) / longest, even = (points + parts - 1) / parts;
  const index_t first = (even + line_granule - 1) / line_granule * line_granule;
  for (index_t part = first; part >= least_points; part -= line_granule) {
    const index_t last = points % part;
    if (last == 0 || last >= std::max(least_points, most / 4)) return part;
  }
  return points;
}

line_cuts cuts_of(const specification& whole, index_t part) {
  line_cuts cuts;
  for (index_t at = 0; at < whole.points; at += part) cuts.points.push_back(at);
  cuts.rows = cuts.points;
  cuts.points.push_back(whole.points);
  cuts.rows.push_back(whole.rows);
  return cuts;
}

/// Returns the points that a longer line has more than its stand-in of at least `least` points:
/// whole parts. Parts on both sides of a border near the middle lie within the stand-in.
index_t surplus_of(const specification& whole, index_t part, index_t least) {
  return std::max<index_t>(whole.points - std::max(least, 3 * part), 0) / part * part;
}
/// Returns a line with the same ends and the same rows between them, but fewer of these.
specification shortened(const specification& whole, index_t surplus) {
  specification line = whole;
  line.points -= surplus, line.rows -= surplus;
  if (surplus > 0) line.scale.clear();  // it is applied last: weights do not depend on it
  return line;
}

/// From this many parts on, sums at the ends of a line are worth it: they save a launch for its
/// first and last part.
constexpr int many_parts = 4;

/// Returns whether A or B has rows of its own at a line's ends.
bool has_ends(const specification& o) {
  return !(o.matrix.head.empty() && o.matrix.tail.empty() && o.head.empty() && o.tail.empty());
}
bool are_alike(const specification& a, const specification& b) {
  return !has_ends(a) && !has_ends(b) && a.scale.empty() && b.scale.empty() &&
         a.points == b.points && a.rows == b.rows && a.prescribed_head == b.prescribed_head &&
         a.prescribed_tail == b.prescribed_tail && a.gathered_head == b.gathered_head &&
         a.gathered_tail == b.gathered_tail;
}

/// Parts that have scales of their own are runs of their own, each with tables and a launch.
constexpr int most_scaled = 256;

/// Says which run a part belongs to.
struct part_place {
  std::size_t run;
  int number;  // in the run
};

/// Holds the sums of one border, their points counted from it.
struct border {
  index_t first = 0, count = 0;
  sum_groups sums;  // share k to slot k: tail of the part before, then head of the one after
  index_t tails = 0, heads = 0;
  bool inside = false;  // so far from a line's ends that they change no weight within rounding
};

class splitting {
 public:
  /// Weights are found on a line of at least `least` points, if the whole has as many.
  splitting(const specification& whole, value_type type, const split_wish& wish, index_t least)
      : whole_(whole),
        type_(type),
        cuts_(cuts_of(whole, part_points(whole.points, wish.most_points))),
        surplus_(surplus_of(whole, cuts_.points[1], least)),
        stand_in_(shortened(whole, surplus_)),
        weights_(stand_in_) {
    all_.part_points = cuts_.points[1];
  }
  [[nodiscard]] bool is_shortened() const { return surplus_ > 0; }

  std::optional<line_split> made(const layout::geometry& lines, const split_wish& wish) {
    const int parts = cuts_.parts();
    if (parts < 2 || (!whole_.scale.empty() && parts > most_scaled)) return {};
    make_ends_alike(wish.most_given);
    for (int p = 0; p < parts; ++p) add_part(p);
    place(lines, wish.most_axes);
    const bool wraps = whole_.boundary == boundary::periodic;
    if (!wraps && !alike_ && (heads(0) > 0 || tails(parts - 1) > 0)) return {};
    // A line begins and ends with a border as well if its end parts are like all others.
    for (int p = wraps || alike_ ? 0 : 1; p < parts + (alike_ ? 1 : 0); ++p) {
      const int before = wraps ? (p + parts - 1) % parts : p - 1;
      if (!is_known(before, p)) known_ = border_of(before, p);
      if (known_.count > wish.most_window || (is_deep(p) && !known_.inside)) return {};
      all_.window = std::max(all_.window, known_.count);
      add_border(before, p);
    }
    return std::move(all_);
  }

 private:
  /// Gives the first and the last part of a regular line the same rows as all parts have, if that
  /// takes few sums: one launch is enough for all parts then. Where only the matrix ends there,
  /// those sums are single right-hand sides.
  void make_ends_alike(index_t most_given) {
    if (whole_.boundary == boundary::periodic || !whole_.scale.empty()) return;
    if (cuts_.parts() < many_parts && !(whole_.solves && !has_ends(whole_))) return;
    given_.prescribed_head = std::ssize(whole_.matrix.head);
    given_.prescribed_tail = std::ssize(whole_.matrix.tail);
    // B gives right-hand sides, or results.
    const bool gathers = whole_.gathers;
    index_t& of_b_head = gathers ? given_.gathered_head : given_.prescribed_head;
    index_t& of_b_tail = gathers ? given_.gathered_tail : given_.prescribed_tail;
    const auto raise = [](index_t& count, index_t least) { count = std::max(count, least); };
    raise(of_b_head, std::ssize(whole_.head)), raise(of_b_tail, std::ssize(whole_.tail));
    for (int p = 0; p < cuts_.parts(); ++p) {
      const specification part = part_of(whole_, cuts_, p);
      raise(given_.prescribed_head, part.prescribed_head);
      raise(given_.prescribed_tail, part.prescribed_tail);
      raise(given_.gathered_head, part.gathered_head);
      raise(given_.gathered_tail, part.gathered_tail);
    }
    alike_ = given_.prescribed() <= most_given;
  }
  specification made_part(int p) const {
    specification part = part_of(whole_, cuts_, p);
    if (!alike_) return part;
    part.matrix = {whole_.matrix.interior, {}, {}};
    part.head.clear(), part.tail.clear();
    part.prescribed_head = given_.prescribed_head, part.prescribed_tail = given_.prescribed_tail;
    part.gathered_head = given_.gathered_head, part.gathered_tail = given_.gathered_tail;
    return part;
  }
  void add_part(int p) {
    specification part = made_part(p);
    if (all_.runs.empty() || !are_alike(all_.runs.back().line, part)) {
      // This call refuses a part that is nearly singular.
      (void)end_columns(part, alike_ ? part_sides{true, true} : sides_of(whole_, cuts_, p));
      all_.runs.push_back({std::move(part), p, 0, cuts_.points[p], cuts_.rows[p], 0});
    }
    places_.push_back({all_.runs.size() - 1, all_.runs.back().parts++});
  }
  /// Decides in which order parts are done, and with it where their prescribed right-hand sides
  /// lie.
  void place(const layout::geometry& lines, int most_axes) {
    const layout::axes& all = lines.right_sides;
    const part_run& first = all_.runs.front();
    const auto follows = [&](layout::array a) {
      return all.at[0].stride[a] == first.parts * all_.part_points * lines.lines[a].step;
    };
    const bool within = all_.runs.size() == 1 && all.count > 1 && follows(layout::rhs) &&
                        follows(layout::x) && first.line.points == first.line.rows;
    all_.order = all.count < most_axes ? part_order::before
                 : within              ? part_order::within
                                       : part_order::apart;
    all_.places = {all.size, 0};
    if (all_.order == part_order::within) {
      outer_ = all.at[0].extent;
      all_.places.block = all.size / outer_;
      all_.places.jump = all_.places.block * first.parts;
    }
    for (part_run& r : all_.runs) {
      r.slot = all_.slots;
      all_.slots += r.parts * r.line.prescribed();
    }
  }

  const specification& part(int p) const { return all_.runs[places_[p].run].line; }
  // These return the numbers that are given on both sides of border p; where a line begins or ends
  // there is one side.
  index_t tails(int before) const { return before < 0 ? 0 : part(before).tail_numbers(); }
  index_t heads(int p) const { return p == cuts_.parts() ? 0 : part(p).head_numbers(); }

  /// Returns whether a border of `count` points is far from both ends: `count` points hold all of
  /// the influence but what is below rounding, and twice as many lie between them and an end.
  bool is_inside(int p, index_t count) const {
    if (whole_.boundary == boundary::periodic && !has_ends(whole_)) {
      return surplus_ == 0 || 3 * count < stand_in_.points;
    }
    const index_t at = place_in_stand_in(p);
    return at > 3 * count && stand_in_.points - at > 3 * count;
  }
  /// Returns whether a border lies where the stand-in has no place of its own for it: its weights
  /// must be those of a border that is far from both ends.
  bool is_deep(int p) const {
    return surplus_ > 0 && place_in_stand_in(p) == middle() && cuts_.points[p] != middle();
  }
  /// Returns the border of parts that is next to the middle of the stand-in.
  index_t middle() const { return stand_in_.points / 2 / all_.part_points * all_.part_points; }
  /// Returns where border p lies in the stand-in: as far from the nearer end of the line as in the
  /// whole, but not beyond the middle.
  index_t place_in_stand_in(int p) const {
    const index_t at = cuts_.points[p];
    return std::max(std::min(at, middle()), at - surplus_);
  }
  /// Returns whether the border computed last has the same sums as this one, elsewhere on the line.
  bool is_known(int before, int p) const {
    return known_.inside && is_inside(p, known_.count) && known_.tails == tails(before) &&
           known_.heads == heads(p);
  }

  border border_of(int before, int p) {
    border b;
    std::vector<line_weights> sums;
    b.tails = tails(before), b.heads = heads(p);
    const index_t n = stand_in_.points, at = place_in_stand_in(p);
    const auto add = [&](int of, index_t from, index_t count) {
      if (count == 0) return;  // or there is no such part
      // The part before the first border of a periodic line is the last one.
      const index_t moved = of > p ? surplus_ : cuts_.points[p] - at;
      std::vector<line_weights> prescribed = weights_.prescribed(part(of), cuts_.rows[of] - moved);
      for (index_t k = from; k < from + count; ++k) {
        leave_out(prescribed[static_cast<std::size_t>(k)], least_weight(type_, 0));
        sums.push_back(std::move(prescribed[static_cast<std::size_t>(k)]));
      }
    };
    add(before, heads(std::max(before, 0)), b.tails);
    add(p, 0, b.heads);

    const bool wraps = whole_.boundary == boundary::periodic;
    const index_t least = wraps ? -(n / 2) : -at;
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
        g.slot[j] = k < known_.tails ? slot_of(before, part(before).head_numbers() + k)
                                     : slot_of(p, k - known_.tails);
      }
      all_.sums.groups.push_back(g);
    }
  }
  index_t slot_of(int p, index_t prescribed) const {
    const part_run& r = all_.runs[places_[p].run];
    const index_t number = places_[p].number;
    if (all_.order == part_order::apart) return r.slot + number * r.line.prescribed() + prescribed;
    return r.slot + prescribed * r.parts * outer_ + number;
  }

  const specification& whole_;
  value_type type_;
  line_cuts cuts_;
  index_t surplus_;
  specification stand_in_;
  inverse_rows weights_;
  line_split all_{};
  std::vector<part_place> places_;
  border known_;
  bool alike_ = false;   // all parts of a regular line
  specification given_;  // how many numbers such parts are given
  index_t outer_ = 1;    // lines of the axis within which parts lie
};

}  // namespace

std::optional<line_split> split(const specification& whole, value_type type,
                                const layout::geometry& lines, const split_wish& wish) {
  if (whole.prescribed() > 0 || whole.points < 2 * least_points) return {};
  // Sums would need the scales of their points.
  if (whole.gathers && !whole.scale.empty()) return {};
  try {
    for (const index_t least : stand_ins) {
      splitting s(whole, type, wish, least);
      auto made = s.made(lines, wish);
      if (made || !s.is_shortened()) return made;
    }
  } catch (const error&) {
    // The line is singular, as a whole or a part of it.
  }
  return {};
}

layout::geometry lines_of(const layout::geometry& whole, const line_split& s, const part_run& r) {
  layout::geometry g = whole;
  g.rows = r.line.rows;
  layout::axes& lines = g.right_sides;
  if (s.order != part_order::apart) {
    if (s.order == part_order::before) {
      std::copy_backward(lines.at, lines.at + lines.count, lines.at + lines.count + 1);
      lines.at[0].extent = 1;
      ++lines.count;
    }
    for (const layout::array a : {layout::rhs, layout::x})
      lines.at[0].stride[a] = s.part_points * whole.lines[a].step;
    lines.at[0].extent *= r.parts;
    lines.size *= r.parts;
  }
  index_t stride = 1;
  for (int k = lines.count; k-- > 0; stride *= lines.at[k].extent)
    lines.at[k].stride[layout::status] = stride;
  return g;
}

}  // namespace tridia::line_operator
