// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#include "line_operator/cpu/whole_lines.hpp"

#include "cpu/cache_size.hpp"
#include "layout/alignment.hpp"
#include "line_operator/cpu/kernels.hpp"
#include "line_operator/cpu/owned_tables.hpp"

#include <omp.h>

#include <algorithm>

// Lines go through a buffer in the cache in groups, which are shared out among threads.
namespace tridia::line_operator::cpu {
namespace {

/// Below this many values in all, starting threads costs more than it gains.
constexpr index_t serial_values = 8192;

/// Cuts pieces of lines that are neighbours into groups, so that a row of a group is contiguous.
/// Groups of whole vectors are worked on where they lie, so that the lines of a piece from `wide`
/// on, which do not fill as many vectors as are best worked on at once, are a group of their own,
/// and so are those from `whole` on, which do not fill a cache line. A piece that is all lines is
/// not cut so.
struct line_split {
  index_t lines, piece, lanes;
  index_t wide, whole;
  index_t head;  // lines of the first piece that are a group of their own

  index_t count() const {
    return head == 0 ? lines / piece * each() : 1 + (lines - head + lanes - 1) / lanes;
  }
  /// Returns the first line of a group; that of group `count()` would be `lines`.
  index_t begin(index_t i) const {
    if (head > 0) return i == 0 ? 0 : std::min(head + (i - 1) * lanes, lines);
    const index_t r = i / each(), k = i - r * each();
    return r * piece + (k < full() ? k * lanes : k == full() ? wide : whole);
  }

 private:
  index_t full() const { return (wide + lanes - 1) / lanes; }
  index_t each() const { return full() + (whole > wide ? 1 : 0) + (piece > whole ? 1 : 0); }
};

/// Holds where a group's lines begin, and how far they are apart: 0 where not all are alike.
struct line_starts {
  index_t in[most_lanes], out[most_lanes];
  index_t in_apart, out_apart;
};

index_t apart(const index_t* at, int lines) {
  const index_t first = lines > 1 ? at[1] - at[0] : 0;
  for (int l = 2; l < lines; ++l) {
    if (at[l] - at[l - 1] != first) return 0;
  }
  return first;
}

template <class R>
class whole_lines final : public line_operation {
 public:
  whole_lines(const operation_task& t, const specification* gather, const slab_use& slab,
              const std::vector<double>& dense)
      : geometry_(t.geometry), kernels_(find_kernels<R>()), tables_(t.line, gather, dense) {
    const index_t lines = geometry_.right_sides.size;
    const index_t values = lines * t.line.rows;
    const auto bytes = static_cast<std::size_t>(std::max(values, slab.values)) * 2 * sizeof(R);
    far_ = bytes > tridia::cpu::near_cache_bytes();
    streams_ = bytes > tridia::cpu::last_cache_bytes() / 4 && !slab.is_kept;
    choose_groups(lines, values < serial_values ? 1 : t.threads);
    whole_cache_lines_ = writes_whole_cache_lines();
    threads_ = values < serial_values
                   ? 1
                   : static_cast<int>(std::clamp<index_t>(groups_.count(), 1, t.threads));
  }

  int threads() const override { return threads_; }
  std::size_t workspace_bytes() const override {
    return layout::alignment + threads_ * buffer_bytes();
  }

  void apply(const operation_call& c) const override {
    std::byte* const memory = layout::align(c.workspace);
    const tables<R> t = table_of(c);
    line_split groups = groups_;
    if (groups.piece == groups.lines) groups.head = unaligned_head(c.out);
    const index_t count = groups.count();
    const auto one = [&](index_t i, int thread) {
      run(c, t, groups.begin(i), groups.begin(i + 1),
          reinterpret_cast<R*>(memory + thread * buffer_bytes()));
    };
    if (threads_ == 1) {
      for (index_t i = 0; i < count; ++i) one(i, 0);
    } else {
#pragma omp parallel for num_threads(threads_) schedule(static)
      for (index_t i = 0; i < count; ++i) one(i, omp_get_thread_num());
    }
  }

 private:
  const tables<R>& table() const { return tables_.view(); }
  tables<R> table_of(const operation_call& c) const {
    tables<R> t = table();
    if (c.numbers == nullptr) return t;
    t.numbers = static_cast<const row_numbers<R>*>(c.numbers);
    t.same = t.eliminated, t.repeated = 0;
    find_plain_rows(t.numbers, t);
    if (t.periodic) t.corner = t.numbers[t.eliminated].pivot;
    return t;
  }
  std::size_t buffer_bytes() const {
    return layout::round_up(static_cast<std::size_t>(table().buffer_rows * pitch()) * sizeof(R));
  }

  /// Chooses groups of as many lines as keep the buffer well within a cache (measured on 256^3),
  /// and leave work for all threads. Contiguous lines need only the nearest cache: more of them
  /// would be loaded in one burst, and worked on in another. Rows of neighbouring lines are the
  /// longer pieces of memory the more there are.
  void choose_groups(index_t lines, index_t threads) {
    const std::size_t cache =
        contiguous() ? std::size_t{1} << 14 : tridia::cpu::near_cache_bytes() / 2;
    const auto line = static_cast<std::size_t>(std::max(table().points, table().rows)) * sizeof(R);
    const auto fit = static_cast<index_t>(cache / std::max(line, sizeof(R)));
    const index_t most = std::clamp<index_t>(std::min(fit, lines / threads), 1, most_lanes);
    const index_t piece = neighbours(), unit = kernels_.wide;
    const bool alone = piece == lines;
    const index_t wide = alone ? piece : piece / unit * unit, parts = (wide + most - 1) / most;
    const index_t units = alone ? most / unit : (wide / unit + parts - 1) / parts;
    const index_t cache_line =
        std::max<index_t>(kernels_.unit, static_cast<index_t>(layout::alignment / sizeof(R)));
    groups_.lines = lines, groups_.piece = piece, groups_.head = 0;
    groups_.wide = wide, groups_.whole = std::max(wide, piece / cache_line * cache_line);
    groups_.lanes = std::clamp<index_t>(units, 1, most_lanes / unit) * unit;
  }
  /// Returns the number of lines that follow each other side by side; all where that is of no use.
  index_t neighbours() const {
    const layout::axes& lines = geometry_.right_sides;
    if (lines.count == 0) return lines.size;
    const layout::axis& last = lines.at[lines.count - 1];
    const bool side_by_side = last.stride[layout::rhs] == 1 && last.stride[layout::x] == 1;
    return side_by_side && last.extent >= kernels_.wide ? last.extent : lines.size;
  }
  /// Returns the distance of the buffer's rows: those a page apart would push each other out of the
  /// cache.
  index_t pitch() const {
    return groups_.lanes + (contiguous() ? 0 : static_cast<index_t>(layout::alignment / sizeof(R)));
  }

  bool contiguous() const { return geometry_.lines[layout::rhs].step == 1; }

  /// Returns the number of lines before the one whose result begins a cache line, where lines lie
  /// side by side and all rows of results are then aligned.
  index_t unaligned_head(const void* out) const {
    const layout::axes& lines = geometry_.right_sides;
    if (!far_ || !whole_cache_lines_ || lines.count == 0 ||
        lines.at[lines.count - 1].stride[layout::x] != 1) {
      return 0;
    }
    constexpr auto whole = static_cast<index_t>(layout::alignment / sizeof(R));
    const auto past =
        static_cast<index_t>(reinterpret_cast<std::uintptr_t>(out) / sizeof(R) % whole);
    return past == 0 ? 0 : std::min<index_t>(whole - past, lines.size);
  }

  /// Returns whether results can be written past the cache. Stores that find their cache lines
  /// neither whole nor prefetched are slow, so that they must begin where cache lines do.
  bool writes_whole_cache_lines() const {
    constexpr auto whole = static_cast<index_t>(layout::alignment / sizeof(R));
    const auto keeps_place = [](index_t stride) { return stride == 1 || stride % whole == 0; };
    const layout::axes& lines = geometry_.right_sides;
    bool all = keeps_place(geometry_.lines[layout::x].step);
    for (int k = 0; k < lines.count; ++k) all = all && keeps_place(lines.at[k].stride[layout::x]);
    return all;
  }
  /// Returns whether the first value of a group's results can begin a cache line.
  bool can_align(const void* out) const {
    return geometry_.lines[layout::x].step == 1 || groups_.piece == groups_.lines ||
           reinterpret_cast<std::uintptr_t>(out) % layout::alignment == 0;
  }

  /// Finds where lines `from` to `to` - 1 begin.
  void place_lines(index_t from, index_t to, line_starts& at) const {
    const layout::axes& lines = geometry_.right_sides;
    const layout::axis alone{1, {}};
    const layout::axis& fastest = lines.count > 0 ? lines.at[lines.count - 1] : alone;
    for (index_t l = from, end; l < to; l = end) {
      index_t offsets[layout::array_count];
      lines.offsets(l, offsets);
      end = std::min(to, l - l % fastest.extent + fastest.extent);
      const index_t in = fastest.stride[layout::rhs], out = fastest.stride[layout::x];
      for (index_t k = l; k < end; ++k) at.in[k - from] = offsets[layout::rhs] + (k - l) * in;
      for (index_t k = l; k < end; ++k) at.out[k - from] = offsets[layout::x] + (k - l) * out;
      at.in_apart = in, at.out_apart = out;
      if (l == from && end == to) return;
    }
    at.in_apart = apart(at.in, static_cast<int>(to - from));
    at.out_apart = apart(at.out, static_cast<int>(to - from));
  }

  void run(const operation_call& c, const tables<R>& t, index_t from, index_t to, R* buffer) const {
    line_starts at;
    const int live = static_cast<int>(to - from);
    place_lines(from, to, at);
    line_group s{};
    s.in = c.in;
    s.out = c.out;
    s.in_at = at.in;
    s.out_at = at.out;
    s.in_apart = at.in_apart;
    s.out_apart = at.out_apart;
    s.in_step = geometry_.lines[layout::rhs].step;
    s.out_step = geometry_.lines[layout::x].step;
    s.live = live;
    s.lanes = (live + kernels_.unit - 1) / kernels_.unit * kernels_.unit;
    s.pitch = pitch();
    s.chunk = contiguous() ? most_chunk : 32;
    s.visit = contiguous() ? s.chunk : 8;
    s.ahead = 8;
    s.ahead_in_lines = std::min(table().points, most_chunk);
    s.far = far_;
    // A result so large would not stay in a cache that other fields and cores use as well.
    const bool streams = streams_ && c.in != c.out && !c.accumulate;
    s.in_one_piece = streams && contiguous() && geometry_.lines[layout::x].step == 1 &&
                     at.out_apart == table().results &&
                     std::max(table().rows, table().results) <= most_chunk;
    s.nontemporal = s.in_one_piece || (streams && whole_cache_lines_ && can_align(c.out));
    s.has_next = far_ && to < geometry_.right_sides.size;
    if (s.has_next) {
      index_t offsets[layout::array_count];
      geometry_.right_sides.offsets(to, offsets);
      s.to_next_in = offsets[layout::rhs] - at.in[0];
      s.to_next_out = offsets[layout::x] - at.out[0];
    }
    s.prescribed = table().prescribed > 0 ? static_cast<const R*>(c.prescribed) + from : nullptr;
    s.prescribed_step = geometry_.right_sides.size;
    s.s = c.s;
    s.accumulate = c.accumulate;
    line_failure failures[most_lanes];
    s.failures = c.failures != nullptr ? failures : nullptr;
    if (kernels_.apply(t, s, buffer)) return;
    for (int l = 0; l < live; ++l) {
      const line_failure& f = failures[l];
      if (f.row >= 0) c.failures->enter(from + l, f.row, f.overflows);
    }
  }

  layout::geometry geometry_;
  kernels<R> kernels_;
  owned_tables<R> tables_;
  // The arrays, of which a slab is a part, are larger than the cache of a core,
  bool far_;
  bool streams_;  // and than the share of the last cache that a result would stay in
  bool whole_cache_lines_;
  line_split groups_{};
  int threads_;
};

template <class R>
std::unique_ptr<const line_operation> make(const operation_task& t, const specification* gather,
                                           const slab_use& slab, const std::vector<double>& dense) {
  return std::make_unique<whole_lines<R>>(t, gather, slab, dense);
}

}  // namespace

std::unique_ptr<const line_operation> make_whole_lines(const operation_task& t,
                                                       const specification* gather,
                                                       const slab_use& slab,
                                                       const std::vector<double>& dense) {
  return t.type == value_type::f32 ? make<float>(t, gather, slab, dense)
                                   : make<double>(t, gather, slab, dense);
}

std::vector<double> dense_matrix(const operation_task& t, const specification* gather) {
  const index_t points = t.line.points, results = gather != nullptr ? gather->rows : t.line.rows;
  if (t.line.prescribed() > 0 || std::min(points, results) < 1) return {};
  if (std::max(points, results) > longest_dense) return {};
  operation_task units = t;
  units.type = value_type::f64;
  units.geometry = {};
  units.geometry.rows = results;
  units.geometry.lines[layout::rhs] = units.geometry.lines[layout::x] = {0, 1};
  layout::axes& lines = units.geometry.right_sides;
  lines.count = 1, lines.size = lines.at[0].extent = points;
  lines.at[0].stride[layout::rhs] = points, lines.at[0].stride[layout::x] = results;
  const auto apply = make_whole_lines(units, gather);
  const auto p = static_cast<std::size_t>(points), r = static_cast<std::size_t>(results);
  std::vector<std::byte> workspace(apply->workspace_bytes());
  std::vector<double> in(p * p), columns(p * r), matrix(p * r);
  for (std::size_t k = 0; k < p; ++k) in[k * p + k] = 1;
  apply->apply({.in = in.data(), .out = columns.data(), .workspace = workspace.data()});
  for (std::size_t k = 0; k < p; ++k) {
    for (std::size_t i = 0; i < r; ++i) matrix[i * p + k] = columns[k * r + i];
  }
  return matrix;
}

}  // namespace tridia::line_operator::cpu
