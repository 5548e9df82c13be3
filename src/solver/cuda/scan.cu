// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause

// Lines through recurrences known beforehand. Compiled once for each value type: TRIDIA_VALUE and
// TRIDIA_SCAN are given.
#include "core/recurrence.hpp"
#include "solver/cuda/carry.cuh"
#include "solver/cuda/launch.cuh"
#include "solver/cuda/scan_behind.cuh"
#include "solver/cuda/scan_tile.cuh"
#include "solver/line_status.hpp"

#include <climits>
#include <type_traits>

namespace tridia::cuda {
namespace {

using V = TRIDIA_VALUE;
using R = typename core::value_traits<V>::real;
constexpr bool real = std::is_same_v<V, R>;

/// Factors of a chunk in shared memory.
struct chunk_factors {
  static constexpr int rows = scan_chunk(sizeof(V));
  const V* at;
  TRIDIA_FN V lower(int i) const { return at[i]; }
  TRIDIA_FN V inverse(int i) const { return at[rows + i]; }
  TRIDIA_FN V upper(int i) const { return at[2 * rows + i]; }
};

struct call {
  const V *values, *minus_products;
  const int *number, *sound;  // as in scan_tables
  bool cyclic;
  V closing_down, closing_back;
  const R* scales;  // of the rows of a line; null: 1
  R scale;
  index_t* status;
  const V* given;
  bool tells_solution;
  unsigned* tickets;
};

/// A block's shared memory.
struct scan_memory {
  std::uint64_t *arrived, *ready, *solved;  // of each stage
  index_t* number;                          // of the tile in it; beyond the last: there is none
  V *tiles, *factors, *products, *around, *closing, *closure;
  R* scales;
  carry_memory<V> down, back;
  int* found;  // of each line of each stage: the first row that is not finite

  __device__ __forceinline__ scan_memory(const scan_shape& s, int closure_rows,
                                         unsigned char* memory) {
    const int lanes = s.across ? s.lines : 1, exchanged = s.threads / warp_size * lanes;
    arrived = reinterpret_cast<std::uint64_t*>(memory);
    ready = arrived + s.stages;
    solved = ready + s.stages;
    number = reinterpret_cast<index_t*>(solved + s.stages);
    tiles = reinterpret_cast<V*>(memory + cache_line);
    V* at = tiles + s.stages * (s.stage_bytes / sizeof(V));
    const auto take = [&](int count) {
      V* const taken = at;
      at += count;
      return taken;
    };
    factors = take(3 * s.distinct * s.chunk_rows);
    products = take(2 * scan_steps(s.across) * s.chunks);
    down = {take(exchanged), take(exchanged)};
    back = {take(exchanged), take(exchanged)};
    closing = take(s.lines);
    around = take(2 * s.chunks);
    closure = take(s.stages * s.lines * closure_rows);
    scales = reinterpret_cast<R*>(take(s.scaled ? s.chunks * s.chunk_rows : 0));
    found = reinterpret_cast<int*>(at);
  }
};

/// Rows of the tile into registers, through B. What lies beyond the rows that there are is read,
/// but not used.
template <int Width, int Rows>
__device__ __forceinline__ void read_rows(const V* line, int step, int k0, int n,
                                          const stencil<R>& b, V (&value)[Rows]) {
  if constexpr (Width == 1) {
#pragma unroll
    for (int i = 0; i < Rows; ++i) value[i] = line[(k0 + i) * step];
  } else {
    V window[Rows + Width - 1];
    const V* const from = line + (k0 + b.first) * step;
#pragma unroll
    for (int i = 0; i < Rows + Width - 1; ++i) window[i] = from[i * step];
#pragma unroll
    for (int i = 0; i < Rows; ++i) {
      value[i] = window[i] * b.weights[0];
#pragma unroll
      for (int w = 1; w < Width; ++w) {
        value[i] = core::add_mul(value[i], window[i + w], b.weights[w]);
      }
    }
  }
#pragma unroll
  for (int i = 0; i < Rows; ++i) value[i] = core::select(i < n, value[i], V(0));
}

/// Right-hand sides of the rows at both ends of a line instead of what its tile has.
template <int Rows>
__device__ __forceinline__ void read_ends(int k0, int n, const scan_shape& s, const stencil<R>& b,
                                          const V* closure, V (&value)[Rows]) {
  if (k0 < b.heads) {
#pragma unroll
    for (int i = 0; i < Rows; ++i) {
      if (k0 + i < b.heads && i < n) value[i] = closure[k0 + i];
    }
  }
  const int tail = s.rows - b.tails;
  if (k0 + Rows > tail) {
#pragma unroll
    for (int i = 0; i < Rows; ++i) {
      if (k0 + i >= tail && i < n) value[i] = closure[b.heads + k0 + i - tail];
    }
  }
}

/// Right-hand sides of a tile's lines that are given, which are there once this thread has waited
/// for its copies. By `threads` threads.
template <class T>
__device__ __forceinline__ void ask_given(const line_tile<T>& t, index_t number,
                                          const stencil<R>& b, const T* given, T* closure,
                                          int thread, int threads) {
  if (given == nullptr) return;
  const int rows = b.heads + b.tails, lines = t.count(number);
  for (int i = thread; i < lines * rows; i += threads) {
    const int row = i / lines, line = i - row * lines;
    const auto& r = b.rows[row];
    if (r.count > 0) continue;
    copy_element(closure + line * rows + row, given + r.first * t.lines() + t.number(number, line));
  }
}

/// B at the ends of all lines of the tile: where it goes around, the points beyond that it reads;
/// otherwise rows of their own, but for those that are given. By `threads` threads; a barrier must
/// follow.
template <class T>
__device__ __forceinline__ void prepare_ends(const line_tile<T>& t, index_t number, T* tile,
                                             const scan_shape& s, const stencil<R>& b, bool cyclic,
                                             T* closure, int thread, int threads) {
  if constexpr (std::is_same_v<T, R>) {
    const int rows = b.heads + b.tails, beyond = s.before + s.behind, lines = t.count(number);
    const int items = lines * (cyclic ? beyond : rows);
    for (int i = thread; i < items; i += threads) {
      const int row = i / lines, line = i - row * lines;
      if (cyclic) {
        const periodic_copy copy = periodic_copy_of(s, row);
        tile[t.place(line, copy.to)] = tile[t.place(line, copy.from)];
        continue;
      }
      const auto& r = b.rows[row];
      if (r.count == 0) continue;
      T sum(0);
#pragma unroll 4
      for (int w = 0; w < r.count; ++w) {
        sum = core::add_mul(sum, tile[t.place(line, r.first + w)], r.weights[w]);
      }
      closure[line * rows + row] = sum;
    }
  }
}

/// By `scale`, unless rows have scales of their own.
template <int Rows>
__device__ __forceinline__ void scale_rows(const R* scales, R scale, V (&value)[Rows]) {
  if constexpr (real) {
    if (scales != nullptr) {
#pragma unroll
      for (int i = 0; i < Rows; ++i) value[i] = value[i] * scales[i];
    } else {
#pragma unroll
      for (int i = 0; i < Rows; ++i) value[i] = value[i] * scale;
    }
  }
}

/// Enters the first row that is not finite; those of the solution after all of the right-hand side.
template <int Rows>
__device__ __forceinline__ void find_row(const V (&value)[Rows], int k0, int* found, int behind) {
  int first = INT_MAX;
#pragma unroll
  for (int i = Rows - 1; i >= 0; --i) {
    if (!core::is_finite(value[i])) first = k0 + i + behind;
  }
  atomicMin(found, first);
}

/// What the warp that copies goes by.
struct copying {
  bool asks, gives;  // by the copy engine; if it does not ask, a stage is only said to be free
  bool prepares, cyclic;
  bool solves;  // what is not finite is looked for, and x of such a line NaN
  index_t* status;
  bool shares_status;  // among lines
  bool tells_solution;
  const V* given;
  unsigned* tickets;
};

/// The tiles of a block, one after another. Multiprocessors are not equally fast at memory: with
/// tickets, a block takes another tile whenever it has room for one.
class tile_queue {
 public:
  __device__ __forceinline__ explicit tile_queue(unsigned* tickets)
      : tickets_(tickets), next_(blockIdx.x) {}

  /// By one warp.
  __device__ __forceinline__ index_t take() {
    const index_t now = drawn_ ? index_t{gridDim.x} + __shfl_sync(whole_warp, ticket_, 0) : next_;
    next_ += gridDim.x;
    return now;
  }
  /// By the same warp, once after each `take`: the next ticket is on its way then.
  __device__ __forceinline__ void draw_ahead() {
    if (tickets_ == nullptr) return;
    if (!drawn_) wait_for_launch_before();  // which may have cleared them
    drawn_ = true;
    if (threadIdx.x % warp_size == 0) ticket_ = draw(tickets_);
  }

 private:
  /// Not by addition, which is made one for all threads of a warp, and waited for at once.
  static __device__ __forceinline__ unsigned draw(unsigned* tickets) {
    unsigned ticket;
    asm volatile("atom.relaxed.gpu.global.inc.u32 %0, [%1], 0xfffffffe;"
                 : "=r"(ticket)
                 : "l"(tickets)
                 : "memory");
    return ticket;
  }

  unsigned* tickets_;
  unsigned ticket_ = 0;
  index_t next_;
  bool drawn_ = false;
};

/// The warp that copies: asks for tiles ahead, prepares the ends of their lines while others are
/// solved, and gives back those that are.
__device__ __forceinline__ void copy_tiles(const line_tile<V>& tiles, const scan_shape& s,
                                           const scan_memory& m, const stencil<R>& b,
                                           const copying& c) {
  const int lane = static_cast<int>(threadIdx.x) % warp_size;
  const auto stage_at = [&](int stage) { return m.tiles + stage * (s.stage_bytes / sizeof(V)); };
  tile_queue queue(c.tickets);
  const auto ask = [&](int stage) {
    const index_t tile = queue.take();
    if (lane == 0) m.number[stage] = tile;
    if (c.asks && tile < s.tiles) {
      tiles.ask(tile, stage_at(stage), m.arrived + stage);
    } else if (lane == 0) {
      bulk::arrive(m.arrived + stage);
    }
    queue.draw_ahead();
    __syncwarp();
  };
  const int closure = s.lines * (b.heads + b.tails), ahead = max(s.stages - 1, 1);
  for (int stage = 0; stage < ahead; ++stage) ask(stage);
  const auto ask_ends = [&](int stage) {
    const index_t tile = m.number[stage];
    if (!c.prepares || tile >= s.tiles) return;
    ask_given(tiles, tile, b, c.given, m.closure + stage * closure, lane, warp_size);
  };
  const auto prepare = [&](int stage, int phase) {
    const index_t tile = m.number[stage];
    if (!c.prepares || tile >= s.tiles) return;
    bulk::wait(m.arrived + stage, static_cast<unsigned>(phase));
    prepare_ends(tiles, tile, stage_at(stage), s, b, c.cyclic, m.closure + stage * closure, lane,
                 warp_size);
    wait_for_copies();
    bulk::arrive(m.ready + stage);
  };
  for (int stage = 0; stage < ahead; ++stage) ask_ends(stage);
  prepare(0, 0);
  int stage = 0, phase = 0;
  for (index_t tile; (tile = m.number[stage]) < s.tiles;) {
    const int next = stage + 1 == s.stages ? 0 : stage + 1;
    const auto go_on = [&](int free) {
      bulk::wait_read();
      __syncwarp();
      ask(free);
      // What is given is waited for together: that of the next tile has been asked for long ago,
      // unless there is no room to look ahead.
      if (ahead == 1) ask_ends(free);
      prepare(next, next == 0 ? phase ^ 1 : phase);
      if (ahead > 1) ask_ends(free);
    };
    // The tile before this one leaves its stage to another while this one is solved.
    if (s.stages > 1) go_on(stage == 0 ? s.stages - 1 : stage - 1);
    bulk::wait(m.solved + stage, static_cast<unsigned>(phase));
    if (c.gives) {
      tiles.give(tile, stage_at(stage));
      bulk::commit();
    }
    int* const found = m.found + stage * s.lines;
    bool bad = false;
    for (int line = lane; c.solves && line < tiles.count(tile); line += warp_size) {
      const int row = found[line];
      bad = bad || row != INT_MAX;
      if (c.status == nullptr) continue;
      const int said = row < longest || c.tells_solution ? row : row - longest;
      const index_t status = row == INT_MAX ? 0 : -index_t{said} - 1;
      solver::enter_line_status(c.status + tiles.status_of(tiles.number(tile, line)),
                                c.shares_status, status);
    }
    if (c.solves && __any_sync(whole_warp, bad)) tiles.fill(tile, found);
    if (s.stages == 1) go_on(0);
    stage = next;
    if (stage == 0) phase ^= 1;
  }
  bulk::wait_read();
}

/// Threads of whole warps have a chunk each; one warp more copies.
template <bool Across, int Width>
__global__ void __maxnreg__(scan_registers)
    scan_kernel(const __grid_constant__ geometry g, const __grid_constant__ scan_arrays<V> arrays,
                const __grid_constant__ scan_shape s, const __grid_constant__ call c,
                const __grid_constant__ stencil<R> b) {
  if (c.sound != nullptr && *c.sound == 0) return wait_for_launch_before();
  constexpr int rows = scan_chunk(sizeof(V)), steps = scan_steps(Across);
  constexpr bool solves = Width == 1;
  using chunk = core::recurrence_chunk<V, rows>;
  extern __shared__ __align__(cache_line) unsigned char memory[];
  const int closure = b.heads + b.tails;
  const scan_memory m(s, closure, memory);
  const line_tile<V> tiles(g, arrays, s);
  const int thread = static_cast<int>(threadIdx.x);
  const bool asks = arrays.input != line_mover::elements;
  const bool gives = arrays.output != line_mover::elements;

  if (thread == s.threads) {
    for (int stage = 0; stage < s.stages; ++stage) {
      bulk::start(m.arrived + stage);
      bulk::start(m.ready + stage, warp_size);
      bulk::start(m.solved + stage, static_cast<unsigned>(s.threads));
    }
  }
  __syncthreads();
  const bool prepared = (Width > 1 || closure > 0) && asks;
  if (thread >= s.threads) {
    copy_tiles(tiles, s, m, b,
               {asks, gives, prepared, c.cyclic, solves, c.status, solver::shares_status(g),
                c.tells_solution, c.given, c.tickets});
    if (c.sound != nullptr) wait_for_launch_before();  // it ends after that in any case
    return;
  }
  for (int i = thread; i < 3 * s.distinct * rows; i += s.threads) {
    m.factors[i] = c.values[i];
  }
  for (int i = thread; i < steps * s.chunks; i += s.threads) {
    m.products[i] = c.minus_products[i];
    m.products[steps * s.chunks + i] = c.minus_products[most_scan_steps * s.chunks + i];
  }
  for (int i = thread; s.scaled && i < s.rows; i += s.threads) m.scales[i] = c.scale * c.scales[i];
  for (int i = thread; i < s.lines * s.stages; i += s.threads) m.found[i] = INT_MAX;
  meet_threads(s.threads);

  // This thread's chunk, the same of every tile.
  const int line = Across ? thread & (s.lines - 1) : thread / s.chunks;
  const int number = Across ? thread >> s.log_lines : thread - line * s.chunks;
  const bool alive = Across ? number < s.chunks : line < s.lines;
  const chunk_position position{Across ? s.lines : 1, alive ? number : 0, alive ? s.chunks : 1,
                                s.threads};
  const int k0 = position.chunk * rows, n = alive ? min(rows, s.rows - k0) : 0;
  const int my_line = alive ? line : 0;
  const int numbered = c.number != nullptr ? c.number[position.chunk] : position.chunk;
  const chunk_factors factors{m.factors + 3 * rows * numbered};
  const V* const down_products = m.products + position.chunk;
  const V* const back_products = down_products + steps * s.chunks;
  const carry<V, false, steps> down(position, m.down, down_products, s.chunks);
  const carry<V, true, steps> back(position, m.back, back_products, s.chunks);
  meet_threads(s.threads);
  V through;
  V *const around_down = m.around + position.chunk, *const around_back = around_down + s.chunks;
  if (c.cyclic) {
    // What comes in where one came in at the beginning of the line: of one line, as another, whose
    // threads lie otherwise in their warps, may round it differently.
    const bool mine = alive && line == 0;
    const V a = down.in(down.begins() ? -*down_products : V(0), through);
    if (mine) *around_down = down.begins() ? V(1) : a;
    const V z = back.in(back.begins() ? -*back_products : V(0), through);
    if (mine) *around_back = back.begins() ? V(1) : z;
    meet_threads(s.threads);
  }
  // A line's end comes in again at its beginning.
  const auto close = [&](bool end, V in, V factor, const V* around) {
    if (!c.cyclic) return in;
    if (alive && end) m.closing[my_line] = through;
    meet_threads(s.threads);
    return core::sub_mul(in, -*around, m.closing[my_line] * factor);
  };

  int stage = 0, phase = 0;
  for (;;) {
    bulk::wait(m.arrived + stage, static_cast<unsigned>(phase));
    const index_t tile = m.number[stage];
    if (tile >= s.tiles) break;
    V* const values = m.tiles + stage * (s.stage_bytes / sizeof(V));
    V* const ends = m.closure + stage * s.lines * closure;
    if (prepared) bulk::wait(m.ready + stage, static_cast<unsigned>(phase));
    if (!asks) {
      if (closure > 0) ask_given(tiles, tile, b, c.given, ends, thread, s.threads);
      tiles.load(tile, values);
      meet_threads(s.threads);
      if (Width > 1) {
        prepare_ends(tiles, tile, values, s, b, c.cyclic, ends, thread, s.threads);
        meet_threads(s.threads);
      }
    }
    V* const mine = values + tiles.place(my_line, 0);
    const int step = Across ? s.pitch : 1;
    chunk x;
    read_rows<Width>(mine, step, k0, n, b, x.value);
    const bool mine_counts = solves && n > 0 && my_line < tiles.count(tile);
    const bool counts = mine_counts && c.status != nullptr;
    int* const found = m.found + stage * s.lines + my_line;
    if (counts && !x.finite()) find_row(x.value, k0, found, 0);
    if (closure > 0) read_ends(k0, n, s, b, ends + my_line * closure, x.value);

    V in = down.in(x.down_end(factors), through);
    in = close(down.ends(position.chunks), in, c.closing_down, around_down);
    x.down(factors, in);
    in = back.in(x.back_end(factors), through);
    in = close(back.ends(position.chunks), in, c.closing_back, around_back);
    x.back(factors, in);

    if (counts && !x.finite()) find_row(x.value, k0, found, longest);
    // What is not finite in any row reaches the first one: enough where nobody asks which it was.
    if (mine_counts && c.status == nullptr && k0 == 0 && !core::is_finite(x.value[0])) *found = 0;
    if constexpr (Width > 1) scale_rows(s.scaled ? m.scales + k0 : nullptr, c.scale, x.value);
#pragma unroll
    for (int i = 0; i < rows; ++i) {
      if (i < n) mine[(k0 + i) * step] = x.value[i];
    }
    if (asks || gives) bulk::publish();
    if (!gives) {
      meet_threads(s.threads);
      tiles.store(tile, values);
    }
    bulk::arrive(m.solved + stage);
    if (++stage == s.stages) stage = 0, phase ^= 1;
  }
}

template <bool Across>
auto kernel_of(int width) {
  if constexpr (real) {
    if (width == most_weights) return &scan_kernel<Across, most_weights>;
    if (width == some_weights) return &scan_kernel<Across, some_weights>;
  }
  return &scan_kernel<Across, 1>;
}
auto kernel_of(const scan_plan& p) {
  return p.shape.across ? kernel_of<true>(p.task.width) : kernel_of<false>(p.task.width);
}

template <class T>
T rounded(const solver::wide& v) {
  if constexpr (std::is_same_v<T, R>) {
    return static_cast<R>(v.re.v);
  } else {
    return {static_cast<R>(v.re.v), static_cast<R>(v.im.v)};
  }
}

stencil<R> rounded(const stencil<double>& from) {
  stencil<R> b{};
  b.first = from.first, b.heads = from.heads, b.tails = from.tails;
  std::copy(std::begin(from.weights), std::end(from.weights), b.weights);
  for (int i = 0; i < 2 * most_closure; ++i) {
    b.rows[i].first = from.rows[i].first, b.rows[i].count = from.rows[i].count;
    std::copy(std::begin(from.rows[i].weights), std::end(from.rows[i].weights), b.rows[i].weights);
  }
  return b;
}

scan_arrays<V> arrays_of(const scan_plan& p, const scan_call& c) {
  scan_arrays<V> a{
      static_cast<const V*>(c.in), static_cast<V*>(c.out), {}, {}, {}, {}, c.accumulate};
  a.input = mover_of(p, layout::rhs, c.in, a.in_map);
  // What is added to is read as well.
  a.output = c.accumulate || a.input == line_mover::elements
                 ? line_mover::elements
                 : mover_of(p, layout::x, c.out, a.out_map);
  return a;
}

cudaError_t apply(const scan_plan& p, const scan_call& c, cudaStream_t stream) {
  const scan_tables& t = p.tables.values != nullptr ? p.tables : c.tables;
  const call k{static_cast<const V*>(t.values),
               static_cast<const V*>(t.minus_products),
               t.number,
               t.sound,
               p.cyclic,
               rounded<V>(p.closing_down),
               rounded<V>(p.closing_back),
               static_cast<const R*>(p.scale),
               static_cast<R>(c.scale),
               c.status,
               static_cast<const V*>(c.given),
               c.tells_solution,
               c.tickets};
  if (c.tickets != nullptr && !c.tickets_cleared) {
    const cudaError_t cleared = cudaMemsetAsync(c.tickets, 0, sizeof(unsigned), stream);
    if (cleared != cudaSuccess) return cleared;
  }
  // Behind a substitution that most often has nothing to do, it begins early.
  cudaLaunchAttribute early{};
  early.id = cudaLaunchAttributeProgrammaticStreamSerialization;
  early.val.programmaticStreamSerializationAllowed = 1;
  cudaLaunchConfig_t config{};
  config.gridDim = static_cast<unsigned>(p.blocks);
  config.blockDim = static_cast<unsigned>(p.shape.threads + warp_size);
  config.dynamicSmemBytes = p.shape.shared_bytes;
  config.stream = stream;
  config.attrs = &early;
  config.numAttrs = t.sound != nullptr ? 1 : 0;
  return cudaLaunchKernelEx(&config, kernel_of(p), p.task.lines, arrays_of(p, c), p.shape, k,
                            rounded(p.task.b));
}

}  // namespace

scan_launches TRIDIA_SCAN() {
  return {[](const scan_plan& p, std::size_t bytes, int* resident) {
            const auto kernel = kernel_of(p);
            const cudaError_t result = allow_shared(kernel, bytes);
            if (result != cudaSuccess) return result;
            return cudaOccupancyMaxActiveBlocksPerMultiprocessor(
                resident, kernel, p.shape.threads + warp_size, p.shape.shared_bytes);
          },
          &apply};
}

}  // namespace tridia::cuda
