// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "core/dispatch.hpp"
#include "distributed/line_operator/gathered_faces.hpp"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <optional>
#include <type_traits>
#include <vector>

namespace tridia::distributed {

/// Copies the first and last x of lines: of all lines the first ones, where there is a row before
/// them, and then of all lines the last ones, where there is a row after them.
template <class V>
struct face_copying {
  const V* x;
  layout::axes lines;
  layout::along along;
  index_t last;
  bool before;
  V* faces;

  TRIDIA_FN void operator()(index_t i, index_t) const {
    const index_t face = i / lines.size, line = i - face * lines.size;
    const index_t row = before && face == 0 ? 0 : last;
    index_t at[layout::array_count];
    lines.offsets(line, at);
    faces[i] = x[at[layout::rhs] + along.origin + row * along.step];
  }
};

/// Sums primary and secondary solutions: `Lanes` neighbouring lines a call, or `Team` calls a line,
/// of `piece` rows.
template <class V, int Lanes, int Team>
struct solution_summing {
  const V* primary;
  V* out;
  layout::axes lines;
  layout::along from, to;
  index_t rows, piece;
  const V *u, *l;           // the secondary solutions
  const V *before, *after;  // x beside the rows, one for each line; null where there is none
  const V* scale;           // null: 1
  V s;
  bool accumulate;

  TRIDIA_FN void operator()(index_t i, index_t) const {
    const index_t calls = (lines.size + Lanes - 1) / Lanes * Team, number = i / calls;
    i -= number * calls;
    const index_t begin = number * piece, end = begin + piece < rows ? begin + piece : rows;
    const index_t line = i / Team * Lanes, first = begin + i % Team;
    const index_t live = line + Lanes < lines.size ? Lanes : lines.size - line;
    if constexpr (Lanes > 1) {
      if (live == Lanes && lie_beside(line)) return sum<Lanes>(line, first, end);
    }
    for (index_t k = 0; k < live; ++k) sum<1>(line + k, first, end);
  }

  TRIDIA_FN bool lie_beside(index_t line) const {
    index_t at[layout::array_count], next[layout::array_count];
    lines.offsets(line, at);
    for (int k = 1; k < Lanes; ++k) {
      lines.offsets(line + k, next);
      if (next[layout::rhs] != at[layout::rhs] + k || next[layout::x] != at[layout::x] + k)
        return false;
    }
    return true;
  }

  template <int Together>
  TRIDIA_FN void sum(index_t line, index_t first, index_t end) const {
    index_t at[layout::array_count];
    lines.offsets(line, at);
    const V* const in = primary + at[layout::rhs] + from.origin;
    V* const result = out + at[layout::x] + to.origin;
    V left[Together], right[Together];
    for (int k = 0; k < Together; ++k) {
      left[k] = before == nullptr ? V(0) : before[line + k];
      right[k] = after == nullptr ? V(0) : after[line + k];
    }
    for (index_t row = first; row < end; row += Team) {
      const V above = u[row], below = l[row];
      for (int k = 0; k < Together; ++k) {
        V x = in[row * from.step + k] + above * left[k] + below * right[k];
        if (scale != nullptr) x = x * scale[row];
        V& to_row = result[row * to.step + k];
        to_row = accumulate ? to_row + s * x : x;
      }
    }
  }
};

/// Implements gathered_faces in an execution space (cpu/host_execution_space.hpp).
template <class Space, class V>
class gathered_faces_in final : public gathered_faces {
  template <class T>
  using array = typename Space::template array<T>;

 public:
  gathered_faces_in(const faces_task& t, transport& by)
      : task_(t), exchange_(by.make_exchange(static_cast<std::size_t>(t.line.size()))) {
    const std::vector<index_t>& first = t.reduced.first;
    const index_t own = first[here() + 1] - first[here()];
    values_ = array<V>(static_cast<std::size_t>((is_first() ? first.back() : own) * lines()));
    keep_solutions();
    address();
    if (is_first() && lines() > 0) make_plan();
    task_.secondary.clear(), task_.scale.clear();
  }

  void gather(const void* primary, void* stream) override {
    const face_copying<V> f{static_cast<const V*>(primary),
                            task_.lines,
                            task_.from,
                            task_.rows - 1,
                            task_.sides.before,
                            values_.data()};
    space(stream).for_each((task_.sides.before + task_.sides.after) * lines(), 1, f);
    is_first() ? exchange_->start(messages_, {}, stream) : exchange_->start({}, messages_, stream);
    exchange_->wait(stream);
  }

  void solve(void* stream) override {
    if (plan_) {
      const execution e{
          .workspace = workspace_.data(), .workspace_bytes = workspace_.size(), .stream = stream};
      void* const x = values_.data();
      plan_->solve(factors_.data(), x, x, e);
    }
    is_first() ? exchange_->start({}, messages_, stream) : exchange_->start(messages_, {}, stream);
    exchange_->wait(stream);
  }

  void sum(const void* primary, void* out, double s, bool accumulate, void* stream) const override {
    // Where a line's points lie side by side, so do a team's threads.
    std::abs(task_.from.step) == 1 ? sum_by<1, Space::team>(primary, out, s, accumulate, stream)
                                   : sum_by<Space::lanes, 1>(primary, out, s, accumulate, stream);
  }

  std::size_t bytes() const override {
    return (values_.size() + secondary_.size() + scale_.size()) * sizeof(V) + factors_.size() +
           workspace_.size();
  }

 private:
  int here() const { return task_.line.here; }
  bool is_first() const { return here() == 0; }
  index_t lines() const { return task_.lines.size; }
  Space space(void* stream) const { return Space(task_.where.threads, stream); }

  static std::vector<V> rounded(const std::vector<wide>& from, value_type type) {
    std::vector<V> to(from.size());
    const std::vector<std::byte> bytes = line_operator::rounded(from, type);
    if (!bytes.empty()) std::memcpy(static_cast<void*>(to.data()), bytes.data(), bytes.size());
    return to;
  }

  static V number(double s) {
    if constexpr (std::is_floating_point_v<V>) {
      return static_cast<V>(s);
    } else {
      return {static_cast<decltype(V::re)>(s), 0};
    }
  }

  /// Keeps both secondary solutions, one after the other; the one that a side lacks is zero.
  void keep_solutions() {
    const line_weights none(static_cast<std::size_t>(task_.rows), wide(0));
    line_weights both = task_.sides.before ? task_.secondary.front() : none;
    const line_weights& l = task_.sides.after ? task_.secondary.back() : none;
    both.insert(both.end(), l.begin(), l.end());
    secondary_ = array<V>(rounded(both, task_.type));
    line_weights scale;
    for (const double v : task_.scale) scale.push_back({core::extended(v), core::extended(0)});
    scale_ = array<V>(rounded(scale, task_.type));
    is_scaled_ = !scale.empty();
  }

  /// Finds the messages: at the first rank one for each other rank, and elsewhere one. The faces go
  /// one way, and the x of the reduced systems come back to where they were.
  void address() {
    const auto add = [&](int part, int peer, V* at) {
      const index_t count = (task_.reduced.first[part + 1] - task_.reduced.first[part]) * lines();
      if (count == 0) return;
      messages_.push_back(
          {task_.line.ranks[peer], at, static_cast<std::size_t>(count) * sizeof(V)});
    };
    if (!is_first()) return add(here(), 0, values_.data());
    for (int r = 1; r < task_.line.size(); ++r) {
      add(r, r, values_.data() + task_.reduced.first[r] * lines());
    }
  }

  /// Makes the plan for the reduced systems, whose lines lie side by side, and factors their
  /// matrix.
  void make_plan() {
    const reduced_system& r = task_.reduced;
    problem p{.type = task_.type,
              .extents = {r.first.back(), lines()},
              .axis = 0,
              .boundary = r.boundary,
              .coefficients = coefficients::shared};
    plan_.emplace(std::move(p), task_.where);
    factors_ = array<std::byte>(plan_->factors_bytes());
    workspace_ = array<std::byte>(plan_->workspace_bytes());
    const array<V> dl(rounded(r.sub, task_.type)), d(rounded(r.diag, task_.type)),
        du(rounded(r.sup, task_.type));
    const void *const sub = dl.data(), *const diag = d.data(), *const sup = du.data();
    plan_->factor(sub, diag, sup, factors_.data(),
                  {.workspace = workspace_.data(), .workspace_bytes = workspace_.size()});
  }

  template <int Lanes, int Team>
  void sum_by(const void* primary, void* out, double s, bool accumulate, void* stream) const {
    // Long lines are summed in pieces where there are few of them.
    constexpr index_t enough_calls = index_t{1} << 17, least_piece = 64;
    const index_t calls = (lines() + Lanes - 1) / Lanes * Team;
    if (calls == 0) return;
    const index_t most = (task_.rows + least_piece - 1) / least_piece;
    const index_t pieces = std::clamp<index_t>(enough_calls / calls, 1, most);
    const index_t piece = (task_.rows + pieces - 1) / pieces;
    const V* const before = task_.sides.before ? values_.data() : nullptr;
    const V* const after =
        task_.sides.after ? values_.data() + task_.sides.before * lines() : nullptr;
    const solution_summing<V, Lanes, Team> f{static_cast<const V*>(primary),
                                             static_cast<V*>(out),
                                             task_.lines,
                                             task_.from,
                                             task_.to,
                                             task_.rows,
                                             piece,
                                             secondary_.data(),
                                             secondary_.data() + task_.rows,
                                             before,
                                             after,
                                             is_scaled_ ? scale_.data() : nullptr,
                                             number(s),
                                             accumulate};
    space(stream).for_each((task_.rows + piece - 1) / piece * calls, piece * Lanes / Team, f);
  }

  faces_task task_;
  bool is_scaled_ = false;
  array<V> values_, secondary_, scale_;
  array<std::byte> factors_, workspace_;
  std::optional<tridia::plan> plan_;  // at the first rank
  std::vector<message> messages_;
  std::unique_ptr<exchange> exchange_;
};

template <class Space>
std::unique_ptr<gathered_faces> make_gathered_faces_in(const faces_task& t, transport& by) {
  return core::with_type(t.type, [&](auto type) -> std::unique_ptr<gathered_faces> {
    return std::make_unique<gathered_faces_in<Space, typename decltype(type)::type>>(t, by);
  });
}

}  // namespace tridia::distributed
