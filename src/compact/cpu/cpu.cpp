// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#include "compact/cpu/owned_tables.hpp"
#include "compact/executor.hpp"
#include "solver/executor.hpp"
#include "solver/host_pointer.hpp"

#include <omp.h>
#include <unistd.h>
#include <cstdlib>

#include <algorithm>

// Lines are grouped into strips, which go through a buffer in the cache, and strips are shared out
// among threads.
namespace tridia::compact::cpu {
namespace {

/// Below this many values in all, starting threads costs more than it gains.
constexpr index_t serial_values = 8192;

std::size_t cache_bytes(int name, std::size_t otherwise) {
  const long bytes = sysconf(name);
  return bytes > 0 ? static_cast<std::size_t>(bytes) : otherwise;
}

/// Where a strip's lines begin.
struct line_starts {
  index_t in[most_lanes], out[most_lanes];
};

template <class R>
class executor final : public compact::executor {
 public:
  explicit executor(const task& t)
      : geometry_(t.geometry), kernels_(find_kernels<R>()), tables_(t.line) {
    const index_t lines = geometry_.right_sides.size;
    const index_t values = lines * t.line.rows;
    streams_ = static_cast<std::size_t>(values) * 2 * sizeof(R) >
               cache_bytes(_SC_LEVEL3_CACHE_SIZE, std::size_t{32} << 20);
    lanes_ = choose_lanes(lines);
    const index_t threads = t.options.threads > 0 ? t.options.threads : omp_get_max_threads();
    threads_ =
        values < serial_values
            ? 1
            : static_cast<int>(std::clamp<index_t>((lines + lanes_ - 1) / lanes_, 1, threads));
  }

  int threads() const override { return threads_; }
  std::size_t workspace_bytes() const override {
    return solver::alignment + threads_ * buffer_bytes();
  }
  void check_pointer(const char* name, const void* p) const override {
    solver::check_host_pointer(name, p);
  }

  void apply(const call& c) const override {
    std::byte* const memory = solver::align(c.workspace);
    const index_t first = unaligned_head(c.out), lines = geometry_.right_sides.size;
    // Lines before the first at a whole cache line are a strip of their own.
    const index_t heads = first > 0 ? 1 : 0;
    const index_t count = heads + (lines - first + lanes_ - 1) / lanes_;
    const auto one = [&](index_t i, int thread) {
      const index_t from = i < heads ? 0 : first + (i - heads) * lanes_;
      const index_t to = i < heads ? first : std::min<index_t>(from + lanes_, lines);
      run(c, from, to, reinterpret_cast<R*>(memory + thread * buffer_bytes()));
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
  std::size_t buffer_bytes() const {
    return solver::round_up(static_cast<std::size_t>(table().buffer_rows) * lanes_ * sizeof(R));
  }

  /// As many as keep the buffer well within a core's cache; measured on 256^3.
  int choose_lanes(index_t lines) const {
    const std::size_t cache = cache_bytes(_SC_LEVEL2_CACHE_SIZE, std::size_t{1} << 20);
    const std::size_t row = static_cast<std::size_t>(table().buffer_rows) * sizeof(R);
    const index_t useful = std::min(static_cast<index_t>(cache / (contiguous() ? 16 : 6) / row),
                                    std::max<index_t>(lines, 1));
    const index_t units =
        std::clamp<index_t>(useful / kernels_.unit, 1, most_lanes / kernels_.unit);
    return static_cast<int>(units * kernels_.unit);
  }

  bool contiguous() const { return geometry_.lines[layout::rhs].step == 1; }

  /// Lines before the one whose result begins a cache line, where lines lie side by side.
  index_t unaligned_head(const void* out) const {
    const layout::axes& lines = geometry_.right_sides;
    if (!streams_ || lines.count == 0 || lines.at[lines.count - 1].stride[layout::x] != 1) return 0;
    constexpr auto whole = static_cast<index_t>(solver::alignment / sizeof(R));
    const auto past =
        static_cast<index_t>(reinterpret_cast<std::uintptr_t>(out) / sizeof(R) % whole);
    return past == 0 ? 0 : std::min<index_t>(whole - past, lines.size);
  }

  void run(const call& c, index_t from, index_t to, R* buffer) const {
    line_starts at;
    const int live = static_cast<int>(to - from);
    for (int l = 0; l < live; ++l) {
      index_t offsets[layout::array_count];
      geometry_.right_sides.offsets(from + l, offsets);
      at.in[l] = offsets[layout::rhs];
      at.out[l] = offsets[layout::x];
    }
    const int lanes = (live + kernels_.unit - 1) / kernels_.unit * kernels_.unit;
    const R* const given = table().given > 0 ? static_cast<const R*>(c.given) + from : nullptr;
    kernels_.apply(
        table(),
        {c.in, c.out, at.in, at.out, geometry_.lines[layout::rhs].step,
         geometry_.lines[layout::x].step, live, lanes, contiguous() ? 64 : 32,
         streams_ && c.in != c.out, given, geometry_.right_sides.size, c.s, c.accumulate},
        buffer);
  }

  layout::geometry geometry_;
  kernels<R> kernels_;
  owned_tables<R> tables_;
  bool streams_;
  int lanes_, threads_;
};

}  // namespace
}  // namespace tridia::compact::cpu

namespace tridia::compact {

std::unique_ptr<const executor> make_cpu(const task& t) {
  if (t.type == value_type::f32) return std::make_unique<cpu::executor<float>>(t);
  return std::make_unique<cpu::executor<double>>(t);
}

}  // namespace tridia::compact
