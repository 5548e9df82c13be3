// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#include "compact/adjoint.hpp"

#include "layout/alignment.hpp"

#include <algorithm>
#include <cstdlib>
#include <utility>

// This adjoint is composed of executors of the same backend. Each of them reads and writes its
// arrays once, so that it takes two passes (with a metric three) where the operator takes one. In
// return there is no kernel that is the adjoint's alone, and whatever is done for operators (scans,
// parts of long lines) is done for their adjoints as well. One pass is taken instead where `in` and
// `out` have as many points, also of parts if there is no metric; on a CPU wherever lines are not
// cut into parts.
namespace tridia::compact {
namespace {

const near_toeplitz identity{{0, 1, 0}, {}, {}};

/// Returns a line operator that solves with the identity, for lines that keep their number of
/// points.
line_operator::specification plain_line(index_t rows) {
  line_operator::specification o;
  o.points = o.rows = rows;
  o.matrix = identity;
  o.interior = {0, {1}};
  return o;
}

/// Holds column j of B as row j of B^T.
class gathered_row {
 public:
  /// Adds an entry; rows of B come in ascending order.
  void add(index_t j, index_t row, double weight) {
    if (row_.weights.empty()) row_.first = static_cast<int>(row - j);
    row_.weights.resize(static_cast<std::size_t>(row - j - row_.first), 0);
    row_.weights.push_back(weight);
  }
  /// A point that no row reads still has a row, which reads an entry of its own line.
  stencil made(index_t j, index_t rows) && {
    if (row_.weights.empty()) return {static_cast<int>(std::min(j, rows - 1) - j), {0}};
    return std::move(row_);
  }

 private:
  stencil row_{};
};

/// Holds the range of points, `first` to `end` - 1, that only rows of B's interior read.
struct inner_points {
  index_t first, end;
};

inner_points inner_points_of(const line_operator::specification& o) {
  const auto width = [](const stencil& s) { return static_cast<index_t>(s.weights.size()); };
  const auto heads = std::ssize(o.head), first_of_tail = o.rows - std::ssize(o.tail);
  inner_points in{heads + o.interior.first + width(o.interior) - 1,
                  first_of_tail + o.interior.first};
  for (index_t i = 0; i < heads; ++i)
    in.first = std::max(in.first, i + o.stencil_of(i).first + width(o.stencil_of(i)));
  for (index_t i = first_of_tail; i < o.rows; ++i)
    in.end = std::min(in.end, i + o.stencil_of(i).first);
  in.first = std::clamp<index_t>(in.first, 0, o.points);
  in.end = std::clamp<index_t>(in.end, 0, o.points);
  return in;
}

/// Returns how many more rows an operator has than matter to the ends of its adjoint, and to what
/// lies between them.
index_t surplus_of(const line_operator::specification& o) {
  const inner_points inner = inner_points_of(o);
  if (inner.first >= inner.end) return 0;
  const index_t of_ends =
      std::max({inner.first, o.points - inner.end, std::ssize(o.head), std::ssize(o.tail),
                std::ssize(o.matrix.head), std::ssize(o.matrix.tail)});
  const index_t least = 2 * (of_ends + std::ssize(o.interior.weights)) + 8;
  return std::max<index_t>(o.rows - least, 0);
}

/// Returns B^T. Its rows at an end are those of all points that the rows of B at this end read, and
/// of those that lack a row of the interior.
line_operator::specification transposed_stencil(const line_operator::specification& o) {
  line_operator::specification t = plain_line(o.rows);
  t.rows = o.points;
  t.boundary = o.boundary;
  const auto width = static_cast<int>(o.interior.weights.size());
  const stencil mirrored{-(o.interior.first + width - 1),
                         {o.interior.weights.rbegin(), o.interior.weights.rend()}};
  if (o.boundary == boundary::periodic) {
    t.interior = mirrored;
    return t;
  }
  inner_points inner = inner_points_of(o);
  if (inner.first < inner.end) {
    t.interior = mirrored;
  } else {
    inner.first = inner.end = o.points;  // a short line: every row is one of its own
  }
  std::vector<gathered_row> head(static_cast<std::size_t>(inner.first)),
      tail(static_cast<std::size_t>(o.points - inner.end));
  for (index_t i = 0; i < o.rows; ++i) {
    const stencil& s = o.stencil_of(i);
    for (std::size_t k = 0; k < s.weights.size(); ++k) {
      const index_t j = i + s.first + static_cast<index_t>(k);
      if (j < inner.first) head[static_cast<std::size_t>(j)].add(j, i, s.weights[k]);
      if (j >= inner.end) tail[static_cast<std::size_t>(j - inner.end)].add(j, i, s.weights[k]);
    }
  }
  for (index_t j = 0; j < inner.first; ++j)
    t.head.push_back(std::move(head[static_cast<std::size_t>(j)]).made(j, o.rows));
  for (index_t j = inner.end; j < o.points; ++j)
    t.tail.push_back(std::move(tail[static_cast<std::size_t>(j - inner.end)]).made(j, o.rows));
  return t;
}

/// Returns the operator itself or, where lines have no results, one with a single result that reads
/// nothing: its adjoint makes zeros of a field of zeros.
line_operator::specification with_a_row(const line_operator::specification& o) {
  if (o.rows > 0) return o;
  line_operator::specification one = plain_line(1);
  one.points = o.points;
  one.head = {{0, {}}};
  return one;
}

class adjoint final : public operator_executor {
 public:
  explicit adjoint(const task& t) : reads_(t.line.rows > 0) {
    const line_operator::specification line = with_a_row(t.line);
    adjoint_steps steps = adjoint_of(line);
    const index_t rows = line.rows;
    const auto values = static_cast<std::size_t>(t.geometry.right_sides.size * rows);
    field_bytes_ = layout::round_up(values * size_of(t.type));
    const field_strides f = strides_of(t.geometry, rows);
    const layout::geometry to_field = with_field(t.geometry, rows, layout::x, f);
    const layout::geometry in_field = with_field(to_field, rows, layout::rhs, f);
    const auto make = [&](line_operator::specification step, const layout::geometry& g) {
      return make_operator_executor({std::move(step), t.type, g, t.options});
    };
    if (steps.scaling) scaling_ = make(*std::move(steps.scaling), to_field);
    solve_ = make(std::move(steps.solve), scaling_ ? in_field : to_field);
    gather_ = make(std::move(steps.gather), with_field(t.geometry, line.points, layout::rhs, f));
  }

  int threads() const override {
    const int most = std::max(solve_->threads(), gather_->threads());
    return scaling_ ? std::max(most, scaling_->threads()) : most;
  }
  int device() const override { return gather_->device(); }
  int step_count() const override { return scaling_ ? 3 : 2; }
  std::size_t workspace_bytes() const override {
    std::size_t step = std::max(solve_->workspace_bytes(), gather_->workspace_bytes());
    if (scaling_) step = std::max(step, scaling_->workspace_bytes());
    return layout::alignment + field_bytes_ + step;
  }
  void check_pointer(const char* name, const void* p) const override {
    gather_->check_pointer(name, p);
  }

  /// All of `in` has been read before anything is written, so that it works in place.
  void apply(const call& c) const override {
    std::byte* const field = layout::align(c.workspace);
    std::byte* const memory = field + field_bytes_;  // of one step after another
    reads_ ? solve(c, field, memory) : clear(field, field_bytes_, c.stream);
    gather_->apply({field, c.out, c.s, c.accumulate, nullptr, memory, c.stream});
  }
  void clear(void* memory, std::size_t bytes, void* stream) const override {
    gather_->clear(memory, bytes, stream);
  }

 private:
  /// Writes A^-T scale in to the field.
  void solve(const call& c, std::byte* field, std::byte* memory) const {
    const void* from = c.in;
    if (scaling_) {
      scaling_->apply({from, field, 1, false, nullptr, memory, c.stream});
      from = field;
    }
    solve_->apply({from, field, 1, false, nullptr, memory, c.stream});
  }

  bool reads_;  // or `in` is empty
  std::size_t field_bytes_ = 0;
  std::unique_ptr<const operator_executor> scaling_, solve_, gather_;
};

}  // namespace

field_strides strides_of(const layout::geometry& g, index_t rows) {
  const layout::axes& lines = g.right_sides;
  const auto reach = [](index_t in, index_t out) { return std::abs(in) + std::abs(out); };
  const index_t along = reach(g.lines[layout::rhs].step, g.lines[layout::x].step);
  field_strides f{0, {}};
  index_t next = 1;
  for (int k = lines.count; k-- > 0;) {
    const layout::axis& a = lines.at[k];
    if (f.step == 0 && reach(a.stride[layout::rhs], a.stride[layout::x]) > along) {
      f.step = next;
      next *= rows;
    }
    f.of[k] = next;
    next *= a.extent;
  }
  if (f.step == 0) f.step = next;
  return f;
}

layout::geometry with_field(layout::geometry g, index_t rows, layout::array which,
                            const field_strides& f) {
  g.rows = rows;
  g.lines[which] = {0, f.step};
  for (int k = 0; k < g.right_sides.count; ++k) g.right_sides.at[k].stride[which] = f.of[k];
  return g;
}

adjoint_steps adjoint_of(const line_operator::specification& o) {
  adjoint_steps steps;
  if (!o.scale.empty()) {
    steps.scaling = plain_line(o.rows);
    steps.scaling->scale = o.scale;
  }
  // Rows between the ends are alike: both steps are those of a shorter line.
  const index_t surplus = surplus_of(o);
  line_operator::specification few = o;
  few.scale.clear();
  few.points -= surplus, few.rows -= surplus;
  steps.solve = line_operator::solving_with(line_operator::matrix_of(few, operation::transpose));
  // This is an ordinary operator; backends allow its elimination to grow as that of a closure does.
  steps.solve.solves = false;
  steps.gather = transposed_stencil(few);
  for (line_operator::specification* step : {&steps.solve, &steps.gather})
    step->points += surplus, step->rows += surplus;
  return steps;
}

std::optional<line_operator::specification> adjoint_at_once(const line_operator::specification& o) {
  constexpr index_t least_rows = 3;  // that line_operator::solving_with takes
  if (o.points != o.rows || o.prescribed() > 0 || o.rows < least_rows) return {};
  adjoint_steps steps = adjoint_of(o);
  line_operator::specification at_once = std::move(steps.solve);
  at_once.interior = std::move(steps.gather.interior);
  at_once.head = std::move(steps.gather.head), at_once.tail = std::move(steps.gather.tail);
  at_once.scale = o.scale;
  at_once.gathers = true;
  return at_once;
}

std::unique_ptr<const operator_executor> make_adjoint(const task& t) {
  return std::make_unique<adjoint>(t);
}

}  // namespace tridia::compact
