// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#include "layout/resolve.hpp"

#include "core/refuse.hpp"

#include <algorithm>
#include <cstdlib>
#include <limits>
#include <numeric>

namespace tridia::layout {
namespace {

std::string text(index_t v) { return std::to_string(v); }

}  // namespace

/// Checks that every byte address of an array fits into 63 bits, whatever the strides.
void check_size(const resolved_array& a, value_type type) {
  constexpr auto most = std::numeric_limits<index_t>::max() / 64;
  index_t points = static_cast<index_t>(size_of(type)), reach = 1;
  for (std::size_t k = 0; k < a.extents.size(); ++k) {
    index_t span = 0;
    // A stride that is never stepped may be anything: NumPy and DLPack do not say.
    const index_t stride = a.extents[k] > 1 ? a.strides[k] : 0;
    if (stride <= -most || stride >= most ||
        __builtin_mul_overflow(a.extents[k], stride < 0 ? -stride : stride, &span) ||
        __builtin_add_overflow(reach, span, &reach) || reach > most ||
        __builtin_mul_overflow(points, std::max<index_t>(a.extents[k], 1), &points) ||
        points > most) {
      refuse(std::string(a.name) + ": extents " + shape_text(a.extents) + " with strides " +
             shape_text(a.strides) + " reach beyond 64-bit addresses");
    }
  }
}

std::vector<index_t> dense_strides(const std::vector<index_t>& extents) {
  std::vector<index_t> strides(extents.size());
  index_t step = 1;
  for (std::size_t k = extents.size(); k-- > 0;) {
    strides[k] = step;
    // Saturates instead of overflowing: check_size refuses the array.
    if (__builtin_mul_overflow(step, std::max<index_t>(extents[k], 1), &step)) {
      step = std::numeric_limits<index_t>::max() / 4;
    }
  }
  return strides;
}

index_t product(const std::vector<index_t>& extents) {
  index_t p = 1;
  for (const index_t e : extents) {
    if (e == 0) return 0;
    if (__builtin_mul_overflow(p, e, &p)) return std::numeric_limits<index_t>::max();
  }
  return p;
}

namespace {

int positive_axis(const problem& p) {
  const int rank = static_cast<int>(p.extents.size());
  if (rank == 0) refuse("extents: is empty, but a problem has at least one axis");
  for (const index_t e : p.extents) {
    if (e < 0) refuse("extents: " + shape_text(p.extents) + " holds " + text(e) + ", below 0");
  }
  if (p.axis < -rank || p.axis >= rank) {
    refuse("axis: " + text(p.axis) + " is out of range for extents " + shape_text(p.extents) +
           ": it must be from " + text(-rank) + " to " + text(rank - 1));
  }
  return p.axis < 0 ? p.axis + rank : p.axis;
}

index_t longest(const std::vector<index_t>& offsets) {
  index_t n = 0;
  for (std::size_t k = 1; k < offsets.size(); ++k) n = std::max(n, offsets[k] - offsets[k - 1]);
  return n;
}

/// Checks the extents of a padded batch, which has an axis of systems.
void check_padded(const problem& p, std::size_t axis) {
  const auto systems = static_cast<index_t>(p.offsets.size()) - 1;
  if (p.extents[1 - axis] != systems) {
    refuse("offsets: are those of " + text(systems) + " systems, but a padded batch of extents " +
           shape_text(p.extents) + " has " + text(p.extents[1 - axis]) + " along axis " +
           text(static_cast<index_t>(1 - axis)));
  }
  if (longest(p.offsets) > p.extents[axis]) {
    refuse("extents: " + shape_text(p.extents) + " have " + text(p.extents[axis]) +
           " rows along axis " + text(static_cast<index_t>(axis)) +
           ", but the longest system of offsets has " + text(longest(p.offsets)));
  }
}

/// Checks the order of a packed batch.
void check_packed(const std::vector<index_t>& offsets) {
  for (std::size_t k = 2; k < offsets.size(); ++k) {
    const index_t before = offsets[k - 1] - offsets[k - 2], rows = offsets[k] - offsets[k - 1];
    if (rows > before) {
      refuse("offsets: system " + text(static_cast<index_t>(k) - 1) + " has " + text(rows) +
             " rows, more than the " + text(before) +
             " of the system before it, but a packed batch has the longest first");
    }
  }
}

void check_offsets(const problem& p, std::size_t axis) {
  const bool padded = p.ragged_layout == ragged_layout::padded;
  if (p.extents.size() != (padded ? 2 : 1)) {
    const bool plain = p.ragged_layout == ragged_layout::concatenated;
    refuse("offsets: a " + std::string(plain ? "ragged" : name(p.ragged_layout)) + " batch has " +
           (padded ? "two axes" : "one axis") + ", but extents " + shape_text(p.extents) +
           " have " + text(static_cast<index_t>(p.extents.size())));
  }
  if (p.coefficients != coefficients::per_system) {
    refuse("coefficients: " + std::string(name(p.coefficients)) +
           " is not possible with offsets: the systems differ in length");
  }
  if (p.offsets.front() != 0) {
    refuse("offsets: offsets[0] is " + text(p.offsets.front()) + ", but must be 0");
  }
  for (std::size_t k = 1; k < p.offsets.size(); ++k) {
    if (p.offsets[k] < p.offsets[k - 1]) {
      refuse("offsets: offsets[" + text(static_cast<index_t>(k)) + "] = " + text(p.offsets[k]) +
             " is below offsets[" + text(static_cast<index_t>(k) - 1) +
             "] = " + text(p.offsets[k - 1]));
    }
  }
  if (padded) return check_padded(p, axis);
  if (p.offsets.back() != p.extents[0]) {
    refuse("offsets: the last is " + text(p.offsets.back()) + ", but extents[0] is " +
           text(p.extents[0]));
  }
  if (p.ragged_layout == ragged_layout::packed) check_packed(p.offsets);
}

template <class E>
void check_known(const char* argument, E value) {
  if (name(value) != "invalid") return;
  refuse(std::string(argument) + ": " + text(static_cast<index_t>(value)) +
         " is none of its enumerators");
}

void check_enumerators(const problem& p) {
  check_known("type", p.type);
  check_known("boundary", p.boundary);
  check_known("pivoting", p.pivoting);
  check_known("operation", p.operation);
  check_known("coefficients", p.coefficients);
  check_known("ragged_layout", p.ragged_layout);
}

void check_combination(const problem& p, std::size_t axis) {
  if (p.right_hand_sides < 0) {
    refuse("right_hand_sides: " + text(p.right_hand_sides) + " is below 0");
  }
  if (p.short_off_diagonals && p.boundary == boundary::periodic) {
    refuse(
        "short_off_diagonals: a periodic problem needs dl[0] and du[n-1], so its off-diagonals "
        "have n entries, not n - 1");
  }
  if (!p.offsets.empty()) {
    check_offsets(p, axis);
  } else if (p.ragged_layout != ragged_layout::concatenated) {
    refuse("ragged_layout: " + std::string(name(p.ragged_layout)) +
           " is for systems of different lengths, but offsets is empty");
  }
  const bool strides = !p.dl_strides.empty() || !p.d_strides.empty() || !p.du_strides.empty();
  if (has_constant_coefficients(p) && (strides || p.short_off_diagonals)) {
    refuse(std::string(strides ? "dl_strides, d_strides, du_strides" : "short_off_diagonals") +
           ": constant coefficients come as `matrix`, not in arrays");
  }
}

void check_rank(const char* name, const std::vector<index_t>& strides, const problem& p) {
  if (!strides.empty() && strides.size() != p.extents.size()) {
    refuse(std::string(name) + ": has " + text(static_cast<index_t>(strides.size())) +
           " entries, but extents " + shape_text(p.extents) + " have " +
           text(static_cast<index_t>(p.extents.size())));
  }
}

std::vector<index_t> coefficient_strides(const problem& p, int axis, const char* name,
                                         const std::vector<index_t>& given,
                                         const std::vector<index_t>& extents) {
  check_rank(name, given, p);
  const bool shared = p.coefficients != coefficients::per_system;
  if (given.empty()) {
    if (!shared) return dense_strides(extents);
    std::vector<index_t> strides(extents.size(), 0);
    strides[axis] = 1;
    return strides;
  }
  for (std::size_t k = 0; shared && k < given.size(); ++k) {
    if (static_cast<int>(k) != axis && given[k] != 0 && extents[k] > 1) {
      refuse(std::string(name) + ": the stride along axis " + text(static_cast<index_t>(k)) +
             " is " + text(given[k]) + ", but shared coefficients have 0 there");
    }
  }
  return given;
}

/// Returns the number of entries of a packed off-diagonal before each system.
std::vector<index_t> off_diagonal_starts(const problem& p) {
  if (!p.short_off_diagonals) return p.offsets;
  std::vector<index_t> starts{0};
  for (std::size_t k = 1; k < p.offsets.size(); ++k) {
    starts.push_back(starts.back() + std::max<index_t>(p.offsets[k] - p.offsets[k - 1] - 1, 0));
  }
  return starts;
}

resolved_array coefficient(const problem& p, const resolved& r, const char* name,
                           const char* strides_name, const std::vector<index_t>& given,
                           bool off_diagonal) {
  const int axis = r.axis - 1;
  resolved_array a{name, p.extents, {}};
  if (off_diagonal && p.short_off_diagonals) {
    const bool lines = p.offsets.empty() || p.ragged_layout == ragged_layout::padded;
    a.extents[axis] = lines ? std::max<index_t>(p.extents[axis] - 1, 0) : r.off_diagonal.back();
  }
  a.strides = coefficient_strides(p, axis, strides_name, given, a.extents);
  a.extents.insert(a.extents.begin(), std::max<index_t>(p.right_hand_sides, 1));
  a.strides.insert(a.strides.begin(), 0);
  check_size(a, p.type);
  return a;
}

resolved_array side(const problem& p, const char* name, const char* strides_name,
                    const char* step_name, const std::vector<index_t>& given, index_t step) {
  check_rank(strides_name, given, p);
  if (p.right_hand_sides > 1 && step == 0 && !given.empty()) {
    refuse(std::string(step_name) + ": is 0, but with " + strides_name + " given and " +
           text(p.right_hand_sides) + " right_hand_sides it must say how far one is from the next");
  }
  resolved_array a{name, p.extents, given.empty() ? dense_strides(p.extents) : given};
  a.extents.insert(a.extents.begin(), p.right_hand_sides);
  a.strides.insert(a.strides.begin(), step != 0 ? step : product(p.extents));
  check_size(a, p.type);
  return a;
}

}  // namespace

std::string shape_text(const std::vector<index_t>& shape) {
  std::string s = "(";
  for (std::size_t k = 0; k < shape.size(); ++k) s += (k ? ", " : "") + text(shape[k]);
  return s + (shape.size() == 1 ? ",)" : ")");
}

index_t resolved_array::elements_before() const {
  index_t before = 0;
  for (std::size_t k = 0; k < extents.size(); ++k) {
    before += std::max<index_t>((extents[k] - 1) * -strides[k], 0);
  }
  return before;
}

index_t resolved_array::elements_after() const {
  index_t after = 1;
  for (std::size_t k = 0; k < extents.size(); ++k) {
    after += std::max<index_t>((extents[k] - 1) * strides[k], 0);
  }
  return after;
}

bool resolved_array::empty() const { return product(extents) == 0; }

/// Two elements of x at one address would be written by two systems at once. Axes sorted by stride
/// must each step over all that the faster ones span.
void check_distinct(const resolved_array& a) {
  if (a.empty()) return;
  std::vector<std::pair<index_t, index_t>> by_stride;
  for (std::size_t k = 0; k < a.extents.size(); ++k) {
    if (a.extents[k] > 1) by_stride.emplace_back(std::abs(a.strides[k]), a.extents[k]);
  }
  std::sort(by_stride.begin(), by_stride.end());
  index_t span = 1;
  for (const auto& [stride, extent] : by_stride) {
    if (stride < span) {
      refuse(std::string(a.name) + ": with extents " + shape_text(a.extents) + " and strides " +
             shape_text(a.strides) + " (right-hand sides first) its elements overlap: stride " +
             text(stride) + " is below the " + text(span) + " elements that faster axes span");
    }
    span += (extent - 1) * stride;
  }
}

resolved resolve(const problem& p) {
  resolved r{};
  check_enumerators(p);
  r.axis = positive_axis(p) + 1;
  check_combination(p, static_cast<std::size_t>(r.axis - 1));
  if (p.offsets.empty()) {
    r.rows = p.extents[r.axis - 1];
    auto batch = p.extents;
    batch.erase(batch.begin() + (r.axis - 1));
    r.systems = product(batch);
  } else {
    r.rows = longest(p.offsets);
    r.systems = static_cast<index_t>(p.offsets.size()) - 1;
    r.off_diagonal = off_diagonal_starts(p);
    if (p.ragged_layout == ragged_layout::packed) {
      r.row_starts = packed_row_starts(r.systems, [&](index_t k) {
        const auto at = static_cast<std::size_t>(k);
        return p.offsets[at + 1] - p.offsets[at];
      });
    }
  }
  r.in[dl] = coefficient(p, r, "dl", "dl_strides", p.dl_strides, true);
  r.in[d] = coefficient(p, r, "d", "d_strides", p.d_strides, false);
  r.in[du] = coefficient(p, r, "du", "du_strides", p.du_strides, true);
  r.in[rhs_in] = side(p, "rhs", "rhs_strides", "rhs_step", p.rhs_strides, p.rhs_step);
  r.out = side(p, "x", "x_strides", "x_step", p.x_strides, p.x_step);
  check_distinct(r.out);
  return r;
}

}  // namespace tridia::layout
