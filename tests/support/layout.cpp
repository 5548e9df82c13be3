// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#include "support/layout.hpp"

#include <algorithm>
#include <sstream>

namespace tridia_test {

std::string name(role r) {
  const char* names[] = {"dl", "d", "du", "rhs", "x"};
  return names[static_cast<int>(r)];
}

layout::layout(tridia::problem problem)
    : p_(std::move(problem)),
      axis_(static_cast<std::size_t>(p_.axis < 0 ? p_.axis + static_cast<int>(p_.extents.size())
                                                 : p_.axis)) {
  for (const role r : kRoles) strides_[static_cast<std::size_t>(r)] = strides_of(r);
  index_t entries = 0;
  for (index_t k = 0; !p_.offsets.empty() && k < systems(); ++k) {
    short_offsets_.push_back(entries);
    entries += std::max<index_t>(0, rows(k) - 1);
  }
  if (p_.ragged_layout != tridia::ragged_layout::packed) return;
  for (const index_t missing : {0, 1})
    row_starts_[missing] = std::make_shared<std::vector<index_t>>(packed_starts(missing));
}

std::vector<index_t> layout::packed_starts(index_t missing) const {
  std::vector<index_t> starts{0};
  for (index_t row = 0;; ++row) {
    index_t with_row = 0;
    for (index_t s = 0; s < systems(); ++s) with_row += rows(s) - missing > row ? 1 : 0;
    if (with_row == 0) return starts;
    starts.push_back(starts.back() + with_row);
  }
}

index_t layout::systems() const {
  if (!p_.offsets.empty()) return static_cast<index_t>(p_.offsets.size()) - 1;
  index_t count = 1;
  for (std::size_t k = 0; k < p_.extents.size(); ++k)
    if (k != axis_) count *= p_.extents[k];
  return count;
}

index_t layout::rows(index_t system) const {
  if (p_.offsets.empty()) return p_.extents[axis_];
  const auto k = static_cast<std::size_t>(system);
  return p_.offsets[k + 1] - p_.offsets[k];
}

bool layout::is_short(role r) const {
  return p_.short_off_diagonals && (r == role::dl || r == role::du);
}

index_t layout::columns(role r) const {
  return r == role::rhs || r == role::x ? p_.right_hand_sides : 1;
}

const std::vector<index_t>& layout::given_strides(role r) const {
  const std::vector<index_t>* all[] = {&p_.dl_strides, &p_.d_strides, &p_.du_strides,
                                       &p_.rhs_strides, &p_.x_strides};
  return *all[static_cast<int>(r)];
}

std::vector<index_t> layout::strides_of(role r) const {
  if (!given_strides(r).empty()) return given_strides(r);
  std::vector<index_t> result(p_.extents.size(), 0);
  const bool coefficient = r != role::rhs && r != role::x;
  if (coefficient && p_.coefficients != tridia::coefficients::per_system) {
    result[axis_] = 1;
    return result;
  }
  index_t step = 1;
  for (std::size_t k = p_.extents.size(); k-- > 0;) {
    result[k] = step;
    step *= p_.extents[k] - (is_short(r) && k == axis_ ? 1 : 0);
  }
  return result;
}

index_t layout::start_of_system(role r, index_t system) const {
  const std::vector<index_t>& step = strides(r);
  if (p_.ragged_layout == tridia::ragged_layout::packed) return system * step[0];
  if (!p_.offsets.empty() && p_.ragged_layout == tridia::ragged_layout::concatenated) {
    const auto k = static_cast<std::size_t>(system);
    return (is_short(r) ? short_offsets_[k] : p_.offsets[k]) * step[0];
  }
  index_t start = 0;
  for (std::size_t k = p_.extents.size(); k-- > 0;) {
    if (k == axis_) continue;
    start += system % p_.extents[k] * step[k];
    system /= p_.extents[k];
  }
  return start;
}

index_t layout::column_step(role r) const {
  const index_t given = r == role::rhs ? p_.rhs_step : r == role::x ? p_.x_step : 0;
  if (given != 0) return given;
  index_t elements = 1;
  for (const index_t e : p_.extents) elements *= e;
  return elements;
}

line layout::of(role r, index_t system, index_t column) const {
  const index_t n = rows(system);
  line result;
  result.stride = strides(r)[axis_];
  result.base = start_of_system(r, system) + column * column_step(r);
  result.first = is_short(r) && r == role::dl ? std::min<index_t>(1, n) : 0;
  result.last = is_short(r) && r == role::du ? std::max<index_t>(0, n - 1) : n;
  result.row_starts = row_starts_[is_short(r) ? 1 : 0];
  // The first entry of a short dl is that of row 1.
  if (result.row_starts == nullptr && is_short(r) && r == role::dl) result.base -= result.stride;
  return result;
}

layout::span layout::extent(role r) const {
  span result;
  bool any = false;
  const auto include = [&](index_t at) {
    result.first = any ? std::min(result.first, at) : at;
    result.last = any ? std::max(result.last, at) : at;
    any = true;
  };
  for (index_t s = 0; s < systems(); ++s) {
    for (index_t c = 0; c < columns(r); ++c) {
      line l = of(r, s, c);
      // The array of a padded batch has what is beyond its systems as well.
      if (p_.ragged_layout == tridia::ragged_layout::padded) {
        l.first = is_short(r) && r == role::dl ? 1 : 0;
        l.last = p_.extents[axis_] - (is_short(r) && r == role::du ? 1 : 0);
      }
      if (l.first >= l.last) continue;
      include(l.at(l.first));
      include(l.at(l.last - 1));
    }
  }
  return result;
}

namespace {

void list(std::ostream& out, const char* what, const std::vector<index_t>& values) {
  if (values.empty()) return;
  out << ' ' << what << '(';
  for (std::size_t k = 0; k < values.size(); ++k) out << (k == 0 ? "" : ",") << values[k];
  out << ')';
}

}  // namespace

std::string describe(const tridia::problem& p) {
  std::ostringstream out;
  out << name(p.type) << ' ' << name(p.boundary) << " pivoting-" << name(p.pivoting) << " op-"
      << name(p.operation) << ' ' << name(p.coefficients);
  list(out, "extents", p.extents);
  out << " axis " << p.axis << (p.short_off_diagonals ? " short" : "");
  if (p.right_hand_sides != 1) out << " right-hand sides " << p.right_hand_sides;
  list(out, "dl", p.dl_strides);
  list(out, "d", p.d_strides);
  list(out, "du", p.du_strides);
  list(out, "rhs", p.rhs_strides);
  list(out, "x", p.x_strides);
  if (p.rhs_step != 0) out << " rhs_step " << p.rhs_step;
  if (p.x_step != 0) out << " x_step " << p.x_step;
  list(out, "offsets", p.offsets);
  if (!p.offsets.empty()) out << ' ' << name(p.ragged_layout);
  return out.str();
}

}  // namespace tridia_test
