// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "layout/status.hpp"
#include "solver/cpu/part_kernels.hpp"
#include "solver/cpu/parts/interface_tree.hpp"
#include "solver/cpu/parts/part_split.hpp"
#include "solver/cpu/parts/row_copies.hpp"
#include "solver/system_memory.hpp"

namespace tridia::cpu {

using solver::operands;

/// Holds rows of a matrix that are all the same.
struct equal_rows {
  index_t begin, end;
  /// Returns the row from which on `rows` rows are read instead of those from `first` on.
  [[nodiscard]] index_t instead_of(index_t first, index_t rows) const {
    return first >= begin && first + rows <= end ? begin : first;
  }
};

/// Solves lines by the partition method: every part of a line becomes interface equations
/// (core/chunk.hpp), a tree of merges gives the interface unknowns, and every part is expanded to x
/// by itself. Rows are read twice and written once, which is less than a forward and a backward
/// sweep move where what lies between them does not stay in the cache.
///
/// A line some of whose unknowns are not finite is eliminated as a whole instead: that says what
/// its status is, and solves it where only a part is singular, as without pivoting it may be.
template <class V, pivoting P>
class part_solver {
 public:
  /// Each of `lines.matrices` is a line with one right-hand side. Rows of all matrices are the same
  /// from `equal.begin` to `equal.end`.
  part_solver(const layout::geometry& lines, value_type type, boundary b, int threads, bool streams,
              const equal_rows& equal)
      : lines_(lines),
        part_lines_(lines),
        equal_(equal),
        boundary_(b),
        threads_(threads),
        streams_(streams),
        kernels_(find_part_kernels(type, P)),
        split_(lines, kernels_.wide.lanes),
        tree_(split_.lines(), split_.parts()),
        copies_(lines, split_) {
    part_lines_.corners = layout::edge::absent;
    // The tree comes first.
    bytes_ = solver::round_up(tree_.bytes());
    couplings_at_ = place(split_.lines() * split_.parts(), sizeof(couplings));
    interchanged_at_ = place(split_.lines() * split_.parts(), sizeof(bool));
    flags_at_ = place(split_.lines(), 1);
    thread_at_ = place(threads, thread_bytes());
    copies_at_ = place(threads, copies_.bytes());
    whole_at_ = place(lines.rows * whole_values(), sizeof(V));
  }

  [[nodiscard]] std::size_t workspace_bytes() const { return bytes_; }
  [[nodiscard]] index_t part_rows() const { return split_.part_rows(); }

  /// Solves, and enters a status for each line, if there are any.
  void solve(const operands& o, std::byte* memory) const {
    if (o.status != nullptr) clear(o);
    reduce(o, memory);
    for_each_failed(memory, unsolved, [&](index_t line) { solve_whole(o, line, memory); });
    expand(o, memory);
    for_each_failed(memory, overflown, [&](index_t line) {
      solver::fill_with_nan(lines_, static_cast<V*>(o.x), line, 0);
      const index_t status = status_of_matrix(o, line);
      if (o.status != nullptr) *status_of(o, line) = status != 0 ? status : -1;
    });
  }

  /// Enters only whether matrices are singular. There may be any right-hand sides.
  void check(const operands& o, std::byte* memory) const {
    clear(o);
    reduce(o, memory);
    for_each_failed(memory, unsolved,
                    [&](index_t line) { *status_of(o, line) = status_of_matrix(o, line); });
  }

 private:
  /// Holds the entries of a part's first and last row in columns of other parts. They are read
  /// once, as x may overwrite them: those of a transposed matrix lie in other parts' rows.
  struct couplings {
    V before, after;
  };
  /// Flags of lines that failed: some interface unknown is not finite, or x is not.
  static constexpr char unsolved = 1, overflown = 2;

  /// Holds a batch, and what its lanes are.
  struct part_lanes : part_batch {
    V entries_of_before[max_systems], entries_of_after[max_systems];
    index_t line_of[max_systems], number_of[max_systems];
    bool interchanged_of[max_systems];
  };

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
  [[nodiscard]] index_t whole_values() const {
    return boundary_ == boundary::periodic ? layout::value_counts<V, P, boundary::periodic>::kept
                                           : layout::value_counts<V, P, boundary::regular>::kept;
  }
  couplings* couplings_in(std::byte* memory) const {
    return reinterpret_cast<couplings*>(memory + couplings_at_);
  }
  /// Returns where it says of every part whether its rows are interchanged.
  bool* interchanged_in(std::byte* memory) const {
    return reinterpret_cast<bool*>(memory + interchanged_at_);
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
  template <class F>
  void for_each_failed(std::byte* memory, char how, F f) const {
    const char* const flags = flags_in(memory);
    for (index_t line = 0; line < split_.lines(); ++line) {
      if (flags[line] == how) f(line);
    }
  }

  // ---- whole lines ----

  template <class F>
  void with_boundary(F f) const {
    core::with_variant(P, boundary_, [&](auto v) {
      if constexpr (decltype(v)::pivots == P) f(v);
    });
  }
  void solve_whole(const operands& o, index_t line, std::byte* memory) const {
    auto* const values = reinterpret_cast<V*>(memory + whole_at_);
    with_boundary([&](auto v) {
      solver::solve_system<V, P, decltype(v)::boundary_kind>(lines_, solver::typed<V>(o), line,
                                                             {values, whole_values(), 1});
    });
  }
  /// Returns why a matrix has no finite factors; 0 if it has.
  index_t status_of_matrix(const operands& o, index_t line) const {
    index_t at[layout::array_count], status = 0;
    lines_.line_offsets(line, 0, at);
    const index_t n = lines_.rows;
    layout::strided_matrix<V> a(lines_, n, solver::typed<V>(o).in, at);
    core::zero_rhs<V> zero;
    with_boundary([&](auto v) {
      using E = core::elimination<V, P, decltype(v)::boundary_kind>;
      core::diagnose_line<V, E>(n, {n, n}, a, zero, true, [&](int, index_t s) { status = s; });
    });
    return status;
  }

  // ---- parts ----

  void reduce(const operands& o, std::byte* memory) const {
    std::fill_n(flags_in(memory), split_.lines(), char{0});
    using equations = typename interface_tree<V, P>::equations;
    parallel_for(threads_, split_.batches(), [&](index_t i, int thread) {
      const part_split::part_range parts = split_.batch(i);
      read_couplings(o, parts, memory);
      part_lanes batch;
      fill(batch, o, parts, core::value_count<equations, V>, memory);
      copies_.take(batch.lines, kernels_at(parts).lanes, copies_of(memory, thread));
      kernels_at(parts).reduce(batch, tree_.equations_in(memory), thread_memory(memory, thread));
      for (int l = 0; l < batch.lines.live && P == pivoting::partial; ++l) {
        interchanged_in(memory)[batch.number_of[l]] = batch.interchanged[l];
      }
    });
    tree_.solve(boundary_, memory, threads_, flags_in(memory));
  }

  void expand(const operands& o, std::byte* memory) const {
    using unknowns = typename interface_tree<V, P>::unknowns;
    parallel_for(threads_, split_.batches(), [&](index_t i, int thread) {
      const part_split::part_range parts = split_.batch(i);
      part_lanes batch;
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

  /// Returns the number of a part among those of all lines.
  index_t number_of(const part_split::part_place& p) const {
    return p.line * split_.parts() + p.part;
  }

  /// Fills a batch with those parts whose lines have not failed. A part has `values` values, as
  /// equations or as unknowns.
  void fill(part_lanes& batch, const operands& o, const part_split::part_range& parts, int values,
            std::byte* memory) const {
    group_batch& lines = batch.lines;
    lines.g = &part_lines_;
    for (int a = 0; a < 4; ++a) lines.in[a] = o.in[a];
    lines.x = o.x;
    lines.status = nullptr;
    lines.rows = parts.rows;
    lines.reversed = lines.nontemporal = lines.prefetch_for_write = lines.by_rows = false;
    lines.longest_pad = 0;
    lines.live = 0;
    batch.before = batch.after = true;
    batch.entries_before = batch.entries_of_before;
    batch.entries_after = batch.entries_of_after;
    batch.interchanged = batch.interchanged_of;
    for (int i = 0; i < parts.range.count; ++i) {
      const part_split::part_place p = split_.place(parts, i);
      if (flags_in(memory)[p.line] == 0) add(batch, p, values, memory);
    }
    const int lanes = kernels_at(parts).lanes;
    lines.groups = lines.room = (lines.live + lanes - 1) / lanes;
    for (int l = lines.live; l < lines.groups * lanes; ++l) {
      for (auto& line : lines.line) line[l] = line[(lines.groups - 1) * lanes];
      lines.first[l] = 0;
    }
  }
  void add(part_lanes& batch, const part_split::part_place& p, int values,
           std::byte* memory) const {
    const int l = batch.lines.live++;
    index_t at[layout::array_count];
    lines_.line_offsets(p.line, 0, at);
    const index_t first = p.part * split_.part_rows();
    const index_t of_matrix = equal_.instead_of(first, batch.lines.rows);
    for (int a = 0; a <= layout::x; ++a) {
      batch.lines.line[a][l] = at[a] + (a < layout::rhs ? of_matrix : first) * lines_.lines[a].step;
    }
    batch.lines.first[l] = 0;
    const index_t number = number_of(p);
    batch.line_of[l] = p.line, batch.number_of[l] = number;
    batch.place[l] = {number * values, 1};
    const couplings& c = couplings_in(memory)[number];
    batch.entries_of_before[l] = c.before, batch.entries_of_after[l] = c.after;
  }

  layout::geometry lines_, part_lines_;
  equal_rows equal_;
  boundary boundary_;
  int threads_;
  bool streams_;
  part_kernel_pair kernels_;
  part_split split_;
  interface_tree<V, P> tree_;
  row_copies<V> copies_;
  std::size_t couplings_at_, interchanged_at_, flags_at_, thread_at_, copies_at_, whole_at_,
      bytes_ = 0;
};

}  // namespace tridia::cpu
