// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "layout/status.hpp"
#include "solver/cpu/part_kernels.hpp"
#include "solver/cpu/parts/interface_tree.hpp"
#include "solver/cpu/parts/part_choice.hpp"
#include "solver/cpu/parts/part_ends.hpp"
#include "solver/cpu/parts/part_lanes.hpp"
#include "solver/cpu/parts/part_split.hpp"
#include "solver/cpu/parts/parts_as_lines.hpp"
#include "solver/cpu/parts/row_copies.hpp"
#include "solver/cpu/parts/single_lines.hpp"
#include "solver/system_memory.hpp"

namespace tridia::cpu {

using solver::operands;

/// Solves lines by the partition method: every part of a line becomes interface equations
/// (core/chunk.hpp), a tree of merges gives the interface unknowns, and every part is expanded to x
/// by itself. Where the ends of parts say what is outside of them (part_ends.hpp), these are lines
/// of their own instead, and rows are read once. Where lines are many, the others stay whole.
///
/// A line some of whose unknowns are not finite is eliminated as a whole instead: that says what
/// its status is, and solves it where only a part is singular, as without pivoting it may be.
template <class V, pivoting P>
class part_solver {
 public:
  /// Each of `lines.matrices` is a line with one right-hand side. Rows of all matrices are the same
  /// from `equal.begin` to `equal.end`.
  part_solver(const solver::task& t, const layout::geometry& lines, int threads, bool streams,
              const equal_rows& equal, bool only_checks = false)
      : lines_(lines),
        part_lines_(lines),
        equal_(equal),
        boundary_(t.boundary),
        single_(lines, t.boundary),
        threads_(threads),
        streams_(streams),
        kernels_(find_part_kernels(t.type, P)),
        split_(lines, kernels_.wide.lanes),
        tree_(split_.lines(), split_.parts()),
        ends_(lines, split_, t.boundary, kernels_.wide.lanes),
        copies_(lines, split_) {
    part_lines_.corners = layout::edge::absent;
    // The tree comes first.
    bytes_ = solver::round_up(tree_.bytes());
    couplings_at_ = place(split_.lines() * split_.parts(), sizeof(couplings));
    interchanged_at_ = place(split_.lines() * split_.parts(), sizeof(bool));
    flags_at_ = place(split_.lines(), 1);
    found_at_ = place(split_.lines() * split_.parts(), sizeof(index_t));
    ends_at_ = place(static_cast<index_t>(ends_.bytes()), 1);
    thread_at_ = place(threads, thread_bytes());
    copies_at_ = place(threads, copies_.bytes());
    single_at_ = place(single_.values(), sizeof(V));
    outer_at_ = place(split_.lines() * split_.parts(), sizeof(outer_x<V>));
    if (only_checks || !ends_.pays()) return;
    if (!t.constant && !are_narrow(lines) && lines.matrices.count < layout::max_axes) {
      as_lines_ = std::make_unique<parts_as_lines>(t, lines, split_);
      one_as_lines_ = std::make_unique<parts_as_lines>(t, line_of(lines), split_);
      if (!are_few_lines(t.geometry)) whole_line_ = executor_of_line(t);
    }
    // Elsewhere parts are expanded, and with pivoting all rows say how.
    uses_ends_ = P == pivoting::none || as_lines_ != nullptr;
    if (as_lines_ == nullptr) return;
    first_at_ = place(as_lines_->systems(), sizeof(V));
    last_at_ = place(as_lines_->systems(), sizeof(V));
    statuses_at_ = place(as_lines_->systems(), sizeof(index_t));
    lines_at_ = place(static_cast<index_t>(
                          std::max(as_lines_->workspace_bytes(), one_as_lines_->workspace_bytes())),
                      1);
    if (whole_line_ == nullptr) return;
    whole_bytes_ = solver::round_up(whole_line_->workspace_bytes());
    whole_lines_at_ = place(threads, whole_bytes_);
  }

  [[nodiscard]] std::size_t workspace_bytes() const { return bytes_; }
  [[nodiscard]] index_t part_rows() const { return split_.part_rows(); }

  /// Solves, and enters a status for each line, if there are any. Returns false, and does nothing,
  /// where it is faster to eliminate all lines as wholes: they are many, and the ends of parts say
  /// nothing of any.
  bool solve(const operands& o, std::byte* memory) const {
    if (whole_line_ != nullptr) {
      look_at_ends(o, memory);
      if (are_all(to_do, memory)) return false;
    }
    if (o.status != nullptr) clear(o);
    if (whole_line_ == nullptr) {
      find_unknowns(o, memory, uses_ends_);
      for_each_flagged(memory, unsolved,
                       [&](index_t line) { single_.solve(o, line, memory + single_at_); });
    }
    if (as_lines_ != nullptr && are_all(known, memory)) {
      solve_as_lines(o, memory);
    } else {
      whole_line_ != nullptr ? solve_whole_lines(o, memory) : expand(o, memory);
      for_each_flagged(memory, known, [&](index_t line) { solve_as_lines(o, line, memory); });
    }
    for_each_flagged(memory, overflown, [&](index_t line) {
      solver::fill_with_nan(lines_, static_cast<V*>(o.x), line, 0);
      if (o.status == nullptr) return;
      const index_t status = status_of_parts(line, memory);
      *status_of(o, line) = status != 0 ? status : -1;
    });
    return true;
  }

  /// Enters only whether matrices are singular. There may be any right-hand sides.
  void check(const operands& o, std::byte* memory) const {
    clear(o);
    find_unknowns(o, memory, false);
    const auto say = [&](index_t i) { *status_of(o, i) = single_.status_of_matrix(o, i); };
    for_each_flagged(memory, unsolved, say);
  }

 private:
  /// Holds the entries of a part's first and last row in columns of other parts. They are read
  /// once, as x may overwrite them: those of a transposed matrix lie in other parts' rows.
  struct couplings {
    V before, after;
  };
  /// Flags of lines: some interface unknown is not finite; x is not; all unknowns are known.
  static constexpr char to_do = 0, unsolved = 1, overflown = 2, known = 3;

  // ---- memory ----

  std::size_t place(index_t count, std::size_t size) {
    const std::size_t begin = bytes_;
    bytes_ += solver::round_up(static_cast<std::size_t>(count) * size);
    return begin;
  }
  [[nodiscard]] std::size_t thread_bytes() const {
    return solver::round_up(static_cast<std::size_t>(split_.part_rows()) *
                            std::max(kernels_.wide.kept_bytes, kernels_.single.kept_bytes));
  }
  /// Returns whether lines are neighbours in memory, but fewer than fill the lanes of a group: then
  /// these are parts of them, whose rows are copied.
  [[nodiscard]] bool are_narrow(const layout::geometry& lines) const {
    return layout::is_interleaved(lines) &&
           lines.matrices.at[lines.matrices.count - 1].extent < kernels_.wide.lanes;
  }
  static layout::geometry line_of(layout::geometry lines) {
    lines.matrices = {0, 1, {}};
    return lines;
  }
  couplings* couplings_in(std::byte* memory) const {
    return reinterpret_cast<couplings*>(memory + couplings_at_);
  }
  /// Returns where it says of every part whether its rows are interchanged.
  bool* interchanged_in(std::byte* memory) const {
    return reinterpret_cast<bool*>(memory + interchanged_at_);
  }
  /// Returns where it says of every part why its rows have no finite x.
  index_t* found_in(std::byte* memory) const {
    return reinterpret_cast<index_t*>(memory + found_at_);
  }
  char* flags_in(std::byte* memory) const { return reinterpret_cast<char*>(memory + flags_at_); }
  std::byte* thread_memory(std::byte* memory, int thread) const {
    return memory + thread_at_ + static_cast<std::size_t>(thread) * thread_bytes();
  }
  std::byte* copies_of(std::byte* memory, int thread) const {
    return memory + copies_at_ + static_cast<std::size_t>(thread) * copies_.bytes();
  }

  // ---- statuses ----

  index_t* status_of(const operands& o, index_t line) const {
    index_t at[layout::array_count];
    lines_.line_offsets(line, 0, at);
    return o.status + at[layout::status];
  }
  void clear(const operands& o) const {
    for (index_t line = 0; line < split_.lines(); ++line) *status_of(o, line) = 0;
  }
  void flag(std::byte* memory, index_t line, char how) const {
    __atomic_store_n(flags_in(memory) + line, how, __ATOMIC_RELAXED);
  }
  void flag_all(std::byte* memory, char how) const {
    std::fill_n(flags_in(memory), split_.lines(), how);
  }
  template <class F>
  void for_each_flagged(std::byte* memory, char how, F f) const {
    const char* const flags = flags_in(memory);
    for (index_t line = 0; line < split_.lines(); ++line) {
      if (flags[line] == how) f(line);
    }
  }

  // ---- whole lines ----

  std::unique_ptr<const line_executor> executor_of_line(solver::task t) const {
    t.geometry = line_of(lines_);
    t.coefficients = coefficients::per_system;
    t.options.algorithm = algorithm::thomas;
    t.options.threads = 1;
    return make_line_executor(t);
  }
  /// Returns the arrays as a line sees them.
  operands arrays_of(operands o, index_t line) const {
    index_t at[layout::array_count];
    lines_.line_offsets(line, 0, at);
    for (int a = 0; a < layout::x; ++a) o.in[a] = static_cast<const V*>(o.in[a]) + at[a];
    o.x = static_cast<V*>(o.x) + at[layout::x];
    if (o.status != nullptr) o.status += at[layout::status];
    return o;
  }
  /// Eliminates the lines that are not known.
  void solve_whole_lines(const operands& o, std::byte* memory) const {
    parallel_for(
        threads_, split_.lines(),
        [&](index_t line, int thread) {
          if (flags_in(memory)[line] != to_do) return;
          const std::size_t at = whole_lines_at_ + static_cast<std::size_t>(thread) * whole_bytes_;
          whole_line_->execute(arrays_of(o, line), memory + at, nullptr);
        },
        sharing::dynamic);
  }
  /// Returns the status that the parts of a line have found: of the first row that is not finite,
  /// or else of the first pivot that is zero; 0 where none knows. (Only where a line begins -1 is a
  /// row.)
  index_t status_of_parts(index_t line, std::byte* memory) const {
    index_t pivot = 0;
    for (index_t p = 0; p < split_.parts(); ++p) {
      const index_t found = found_in(memory)[number_of({line, p})], before = p * split_.part_rows();
      if (found < (p == 0 ? 0 : -1)) return found - before;
      if (found > 0 && found != solver::failed_elsewhere && pivot == 0) pivot = found + before;
    }
    return pivot;
  }

  // ---- parts ----

  [[nodiscard]] bool are_all(char how, std::byte* memory) const {
    return std::count(flags_in(memory), flags_in(memory) + split_.lines(), how) == split_.lines();
  }
  outer_x<V>* outer_in(std::byte* memory) const {
    return reinterpret_cast<outer_x<V>*>(memory + outer_at_);
  }
  /// Computes the interface unknowns of all lines: what is outside of parts from their ends where
  /// that does (`by_ends`), which makes a line known; else all of them from all rows.
  void find_unknowns(const operands& o, std::byte* memory, bool by_ends) const {
    by_ends ? look_at_ends(o, memory) : flag_all(memory, to_do);
    if (!are_all(known, memory)) {
      reduce(o, memory);
      tree_.solve(boundary_, memory, threads_, flags_in(memory));
    }
    if constexpr (P == pivoting::none) {
      if (as_lines_ == nullptr) expand_known(memory);
    }
  }
  /// Lets known lines be expanded like all others.
  void expand_known(std::byte* memory) const {
    for_each_flagged(memory, known, [&](index_t line) {
      for (index_t i = line * split_.parts(); i < (line + 1) * split_.parts(); ++i) {
        const outer_x<V>& outer = outer_in(memory)[i];
        tree_.unknowns_in(memory)[i] = {outer.before, V(0), outer.after};
      }
      flag(memory, line, to_do);
    });
  }

  void look_at_ends(const operands& o, std::byte* memory) const {
    using side = typename part_ends<V, P>::side;
    parallel_for(threads_, split_.batches(),
                 [&](index_t i, int) { read_couplings(o, split_.batch(i), memory); });
    auto* const equations =
        reinterpret_cast<typename part_ends<V, P>::equations*>(memory + ends_at_);
    const auto is_known = [&](index_t line) {
      return __atomic_load_n(flags_in(memory) + line, __ATOMIC_RELAXED) == known;
    };
    flag_all(memory, known);
    parallel_for(threads_, ends_.batches(), [&](index_t i, int thread) {
      const part_kernels& with = ends_.is_single(i) ? kernels_.single : kernels_.wide;
      for (const side s : {side::before, side::after}) {
        part_lanes<V> batch;
        ends_.fill(batch, part_lines_, o, i, s, equal_, with.lanes, is_known);
        if (batch.lines.live == 0) return;
        copies_.take(batch.lines, with.lanes, copies_of(memory, thread));
        with.reduce(batch, equations, thread_memory(memory, thread));
        for (int l = 0; l < batch.lines.live && P == pivoting::partial; ++l) {
          if (batch.interchanged[l]) flag(memory, batch.line_of[l], to_do);
        }
      }
    });
    parallel_for(threads_, ends_.count(), [&](index_t border, int) {
      const index_t line = ends_.line_of(border);
      if (is_known(line) && !ends_.close(border, equations, outer_in(memory))) {
        flag(memory, line, to_do);
      }
    });
  }
  void reduce(const operands& o, std::byte* memory) const {
    using equations = typename interface_tree<V, P>::equations;
    parallel_for(threads_, split_.batches(), [&](index_t i, int thread) {
      const part_split::part_range parts = split_.batch(i);
      read_couplings(o, parts, memory);
      part_lanes<V> batch;
      fill(batch, o, parts, core::value_count<equations, V>, memory);
      if (batch.lines.live == 0) return;
      copies_.take(batch.lines, kernels_at(parts).lanes, copies_of(memory, thread));
      kernels_at(parts).reduce(batch, tree_.equations_in(memory), thread_memory(memory, thread));
      for (int l = 0; l < batch.lines.live && P == pivoting::partial; ++l) {
        interchanged_in(memory)[batch.number_of[l]] = batch.interchanged[l];
      }
    });
  }

  void expand(const operands& o, std::byte* memory) const {
    using unknowns = typename interface_tree<V, P>::unknowns;
    parallel_for(threads_, split_.batches(), [&](index_t i, int thread) {
      const part_split::part_range parts = split_.batch(i);
      part_lanes<V> batch;
      fill(batch, o, parts, core::value_count<unknowns, V>, memory);
      if (batch.lines.live == 0) return;
      for (int l = 0; l < batch.lines.live && P == pivoting::partial; ++l) {
        batch.interchanged[l] = interchanged_in(memory)[batch.number_of[l]];
      }
      copies_.take(batch.lines, kernels_at(parts).lanes, copies_of(memory, thread));
      batch.lines.nontemporal = streams_ && o.x != o.in[layout::rhs];
      index_t found[max_systems];
      kernels_at(parts).expand(batch, tree_.unknowns_in(memory), thread_memory(memory, thread),
                               found);
      for (int l = 0; l < batch.lines.live; ++l) {
        found_in(memory)[batch.number_of[l]] = found[l];
        if (found[l] != 0) flag(memory, batch.line_of[l], overflown);
      }
    });
  }

  const part_kernels& kernels_at(const part_split::part_range& parts) const {
    return parts.range.single ? kernels_.single : kernels_.wide;
  }

  void read_couplings(const operands& o, const part_split::part_range& parts,
                      std::byte* memory) const {
    for (int i = 0; i < parts.range.count; ++i) {
      const part_split::part_place p = split_.place(parts, i);
      const index_t first = p.part * split_.part_rows(), last = first + parts.rows - 1;
      index_t at[layout::array_count];
      lines_.line_offsets(p.line, 0, at);
      layout::strided_matrix<V> a(lines_, lines_.rows, solver::typed<V>(o).in, at);
      couplings_in(memory)[number_of(p)] = {a.get(first).sub, a.get(last).sup};
    }
  }

  // ---- parts of known lines ----

  V* first_in(std::byte* memory) const { return reinterpret_cast<V*>(memory + first_at_); }
  V* last_in(std::byte* memory) const { return reinterpret_cast<V*>(memory + last_at_); }
  index_t* statuses_in(std::byte* memory) const {
    return reinterpret_cast<index_t*>(memory + statuses_at_);
  }

  /// Enters the first and the last right-hand side of a part, without what is outside of it, as
  /// those of a system.
  void enter_ends(const operands& o, const part_split::part_place& p, index_t system,
                  std::byte* memory) const {
    index_t at[layout::array_count];
    lines_.line_offsets(p.line, 0, at);
    const auto [origin, step] = lines_.lines[layout::rhs];
    const V* const b = static_cast<const V*>(o.in[layout::rhs]) + origin + at[layout::rhs];
    const couplings& c = couplings_in(memory)[number_of(p)];
    const outer_x<V>& outer = outer_in(memory)[number_of(p)];
    const index_t first = p.part * split_.part_rows(), last = split_.end_of(p.part) - 1;
    first_in(memory)[system] = core::sub_mul(b[first * step], c.before, outer.before);
    last_in(memory)[system] = core::sub_mul(b[last * step], c.after, outer.after);
  }
  void enter_found(const part_split::part_place& p, index_t status, std::byte* memory) const {
    found_in(memory)[number_of(p)] = status;
    if (status != 0) flag(memory, p.line, overflown);
  }
  void solve_as_lines(const operands& o, std::byte* memory) const {
    const index_t parts = split_.parts(), all = split_.lines() * parts;
    flag_all(memory, to_do);
    parallel_for(threads_, all, [&](index_t i, int) {
      const part_split::part_place p{i / parts, i % parts};
      enter_ends(o, p, as_lines_->system_of(p.line, p.part), memory);
    });
    as_lines_->solve(o, {first_in(memory), last_in(memory)}, statuses_in(memory),
                     memory + lines_at_);
    for (index_t i = 0; i < all; ++i) {
      const part_split::part_place p{i / parts, i % parts};
      enter_found(p, statuses_in(memory)[as_lines_->system_of(p.line, p.part)], memory);
    }
  }
  /// Does the same for one line, beside others that are not known.
  void solve_as_lines(const operands& o, index_t line, std::byte* memory) const {
    flag(memory, line, to_do);
    for (index_t p = 0; p < split_.parts(); ++p) {
      enter_ends(o, {line, p}, one_as_lines_->system_of(0, p), memory);
    }
    one_as_lines_->solve(arrays_of(o, line), {first_in(memory), last_in(memory)},
                         statuses_in(memory), memory + lines_at_);
    for (index_t p = 0; p < split_.parts(); ++p) {
      enter_found({line, p}, statuses_in(memory)[one_as_lines_->system_of(0, p)], memory);
    }
  }

  // ---- batches of parts ----

  /// Returns the number of a part among those of all lines.
  index_t number_of(const part_split::part_place& p) const {
    return p.line * split_.parts() + p.part;
  }

  /// Fills a batch with those parts whose lines are still to be done; all of a line that overflows,
  /// so that its first row that does is found. A part has `values` values, as equations or as
  /// unknowns.
  void fill(part_lanes<V>& batch, const operands& o, const part_split::part_range& parts,
            int values, std::byte* memory) const {
    batch.start(part_lines_, o, parts.rows);
    for (int i = 0; i < parts.range.count; ++i) {
      const part_split::part_place p = split_.place(parts, i);
      const char f = __atomic_load_n(flags_in(memory) + p.line, __ATOMIC_RELAXED);
      if (f == to_do || f == overflown) add(batch, p, values, memory);
    }
    batch.finish(kernels_at(parts).lanes);
  }
  void add(part_lanes<V>& batch, const part_split::part_place& p, int values,
           std::byte* memory) const {
    const index_t first = p.part * split_.part_rows(), number = number_of(p);
    const couplings& c = couplings_in(memory)[number];
    batch.line_of[batch.lines.live] = p.line, batch.number_of[batch.lines.live] = number;
    batch.add(lines_, p.line, first, equal_.instead_of(first, batch.lines.rows), c.before, c.after,
              {number * values, 1});
  }

  layout::geometry lines_, part_lines_;
  equal_rows equal_;
  boundary boundary_;
  single_lines<V, P> single_;
  int threads_;
  bool streams_;
  part_kernel_pair kernels_;
  part_split split_;
  interface_tree<V, P> tree_;
  part_ends<V, P> ends_;
  row_copies<V> copies_;
  std::unique_ptr<const parts_as_lines> as_lines_, one_as_lines_;  // or null
  std::unique_ptr<const line_executor> whole_line_;                // or null
  std::size_t whole_bytes_ = 0, whole_lines_at_ = 0;
  bool uses_ends_ = false;
  std::size_t first_at_ = 0, last_at_ = 0, statuses_at_ = 0, lines_at_ = 0, outer_at_ = 0;
  std::size_t couplings_at_, interchanged_at_, flags_at_, found_at_, ends_at_, thread_at_,
      copies_at_, single_at_, bytes_ = 0;
};

}  // namespace tridia::cpu
