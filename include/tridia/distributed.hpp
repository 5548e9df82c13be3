// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tridia/compact.hpp"
#include "tridia/error.hpp"
#include "tridia/plan.hpp"
#include "tridia/problem.hpp"

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

/// This namespace solves lines of fields that are spread over ranks. It does not depend on a
/// transport: `tridia/mpi.hpp`, which is installed where the library was built with MPI, makes a
/// `communicator` from an MPI communicator.
namespace tridia::distributed {

/// Describes the points of a global array that one rank holds.
struct block {
  std::vector<index_t> begin, extents;
};

/// Describes how planes cut a global array into one block for each rank of a grid of ranks,
/// numbered in C order. It is the same on all ranks, and sends no messages.
class decomposition {
 public:
  /// Cuts axis a into `ranks[a]` blocks, whose lengths differ by at most one point, larger ones
  /// first. Throws `error` (invalid_argument) where a block would hold no point.
  decomposition(const std::vector<index_t>& extents, const std::vector<int>& ranks);
  /// Cuts axis a into blocks of parts[a][0], parts[a][1], … points, each at least one.
  static decomposition of_parts(const std::vector<std::vector<index_t>>& parts);

  [[nodiscard]] const std::vector<index_t>& extents() const noexcept { return extents_; }
  /// Returns the number of blocks along each axis.
  [[nodiscard]] const std::vector<int>& ranks() const noexcept { return ranks_; }
  /// Returns the number of ranks.
  [[nodiscard]] int size() const noexcept { return size_; }
  /// Returns the first points of the blocks along an axis, and the extent as the last entry.
  [[nodiscard]] const std::vector<index_t>& cuts(int axis) const { return cuts_.at(axis); }

  [[nodiscard]] std::vector<int> coordinates(int rank) const;
  [[nodiscard]] int rank_of(const std::vector<int>& coordinates) const;
  [[nodiscard]] distributed::block block(int rank) const;
  /// Returns the rank `step` blocks away along an axis; none beyond the ends, unless the axis is
  /// periodic.
  [[nodiscard]] std::optional<int> neighbour(int rank, int axis, int step, bool periodic) const;
  /// Returns the ranks that share the lines of `rank` along an axis, in order, itself included.
  [[nodiscard]] std::vector<int> line(int rank, int axis) const;

 private:
  decomposition() = default;
  std::vector<index_t> extents_;
  std::vector<int> ranks_;
  std::vector<std::vector<index_t>> cuts_;
  int size_ = 1;
};

class transport;  ///< Private to the library.

/// Describes the ranks that work together, and how they send messages. Copies are the same
/// communicator. Its transport determines where arrays lie: in host memory (MPI), or in the memory
/// of a rank's GPU (NCCL).
class communicator {
 public:
  explicit communicator(std::shared_ptr<distributed::transport> t) : transport_(std::move(t)) {}
  [[nodiscard]] int rank() const;
  [[nodiscard]] int size() const;
  /// Returns the GPU in whose memory arrays lie; -1 means host memory.
  [[nodiscard]] int device() const;
  /// Says, in words, what carries messages.
  [[nodiscard]] std::string reason() const;
  /// Waits for all work in a stream (a cudaStream_t) of that GPU, messages included. Throws
  /// peer_failure, where a message does not arrive within the time limit, and device_failure.
  /// Without a GPU it does nothing.
  void synchronize(void* stream) const;
  [[nodiscard]] const std::shared_ptr<distributed::transport>& transport() const noexcept {
    return transport_;
  }

 private:
  std::shared_ptr<distributed::transport> transport_;
};

struct communicator_options {
  /// Any wait for another rank may take this many seconds before `errc::peer_failure`; 0: no limit.
  double time_limit = 60;
  /// If true, ranks of GPUs store messages into each other's memory where they reach it: GPUs of one
  /// host that the driver lets do so. Elsewhere, and if false, NCCL carries all messages. It must be
  /// the same on all ranks. MPI's communicators do not look at it.
  bool peer_memory = true;
};

/// Says how the interface systems of lines that cross ranks are solved. Each rank reduces its rows
/// of a line to equations between its first and last row and the adjacent rows of its neighbours
/// (Mattor, Williams, Hewett, "Algorithm for solving tridiagonal matrix problems in parallel",
/// Parallel Computing 21, 1995); together these equations are a small system for each line.
///
/// Where the matrix is known when a plan is made (constant coefficients, compact operators) there
/// are two: `automatic`, for which ranks send each other sums in one round of messages and no
/// interface system is solved, and `gather`, which is the method of A. T. Srinath's thesis ("A
/// novel approach to evaluating compact finite differences and similar tridiagonal schemes on
/// GPU-accelerated clusters", Clemson University, 2015, chapter 3), to compare with. Each rank
/// solves its own rows (the primary systems); the first and last x of each line (the faces) are
/// gathered at the first rank of the line, where one reduced matrix for all lines, equation 3.8,
/// gives each rank the x beside its rows; every rank then adds these x times the solutions of its
/// two secondary systems, equation 3.9.
enum class strategy {
  automatic,   ///< The plan chooses by a model of the times (docs/scaling.md), and says why.
  gather,      ///< The first rank of a line solves the interface systems of all its lines.
  allgather,   ///< Every rank gets all equations, and solves all.
  pcr,         ///< Groups of ranks join two by two, in about log2(ranks) steps.
  all_to_all,  ///< Each rank of a line solves its share of the lines.
  nearest,     ///< Only neighbours exchange equations: only where influence decays enough.
};

std::string_view name(strategy) noexcept;
std::optional<strategy> parse_strategy(std::string_view name) noexcept;

struct plan_options {
  /// With constant coefficients only `automatic` and `gather` can be asked for.
  distributed::strategy strategy = distributed::strategy::automatic;
  /// The tolerance bounds what `nearest` may neglect, relative to the largest |x| of a line; 0
  /// means nothing. With constant coefficients it means what `operator_options::tolerance` does.
  double tolerance = 0;
  /// This is what `nearest` would neglect, as `plan::neglected_coupling` finds it, where it is
  /// known.
  std::optional<double> neglected_coupling{};
  /// One rank may use this many bytes for the interface systems of other ranks; where they need
  /// more, they are solved in slabs of lines. At least one line from each rank is held at a time.
  /// With constant coefficients and `gather` it is not looked at: the faces of all lines are
  /// gathered at once.
  std::size_t interface_bytes = std::size_t{64} << 20;
  /// If true, ranks tell each other which lines have failed, which takes one more exchange. Then
  /// `x` of such a line is NaN on all of them, also if no status is asked for. If false, `x` of a
  /// line across ranks that has no finite solution is unspecified.
  bool statuses = true;
  int threads = 0;  ///< See `options::threads`.
  /// If true, `plan::timings` has the times of phases, which take a GPU some 3 microseconds each.
  bool timings = false;
};

/// Holds the times of the phases of an execution on this rank, in seconds.
struct phase_times {
  /// Reducing rows to interface equations, points to sums for others; where the matrix is known and
  /// the strategy is `gather`, right-hand sides and primary systems.
  double reduce = 0;
  double interface = 0;  ///< Messages, waiting for them, and solving interface systems.
  double expand = 0;     ///< Computing all rows from the ends; all time if no lines cross ranks.
  double statuses = 0;   ///< Exchanging which lines have failed.
};

/// Holds the same time by the steps of the thesis that `strategy::gather` names (its figures 4.5
/// and 4.6), in seconds, where lines of constant coefficients or of a compact operator cross ranks.
/// A step that a strategy does not have is 0. There is no permutation of arrays: lines are solved
/// where they lie, along any axis.
struct step_times {
  /// Sums over this rank's points (or right-hand sides) that other ranks need, and their messages.
  double halo = 0;
  /// B times the points of this rank; `automatic` does this and `primary` in one pass, and counts
  /// it there.
  double right_hand_sides = 0;
  double primary = 0;  ///< Solving this rank's own rows.
  double faces = 0;    ///< Copying the faces, and gathering them at the first rank.
  double reduced = 0;  ///< Solving the reduced systems, and scattering their x.
  double sum = 0;  ///< Adding what the x of other ranks contribute; of an operator, writing out.
};

/// Solves lines that cross ranks, many times; each rank has its block where the communicator's
/// arrays lie.
///
/// All ranks of the communicator make a plan together, in the same order as other plans, of the
/// same problem but for strides. It owns its memory, so one execution runs at a time; execution
/// allocates nothing of the library's. All ranks execute it, and start and finish several plans of
/// one communicator in the same order. If a rank fails or does not come within the communicator's
/// time limit, each of the others throws `errc::peer_failure`, as does every later use of the
/// communicator. On GPUs work is put into a stream and nothing waits for it: such a failure ends
/// the work in the stream, and is thrown by `communicator::synchronize` and by every later use of
/// the communicator.
class plan {
 public:
  /// Makes a plan; `p.extents` are those of this rank's block, or empty. Lines are as long as the
  /// decomposition along `p.axis`; row 0 of a block is coupled to the last row of the block before
  /// it by its dl, and so on; a constant `p.matrix` is that of whole lines. Short off-diagonals are
  /// those of whole lines, cut where the rows are: dl of a line's first block, and du of its last
  /// one, has one entry fewer along the axis than the block has rows, all others as many (dense, if
  /// no strides are given, over what each rank has). Unsupported: ragged batches; where lines cross
  /// ranks, also constant coefficients of which some rank's own rows are a singular matrix, or
  /// nearly. Throws `error` on all ranks, before any work: invalid_argument (also where the
  /// communicator does not have the size of the decomposition, or where ranks disagree),
  /// unsupported, out_of_memory, peer_failure.
  plan(const decomposition& g, problem p, communicator ranks, const plan_options& o = {});
  ~plan();
  plan(plan&&) noexcept;
  plan& operator=(plan&&) noexcept;

  /// Returns the strategy that was asked for, or that `automatic` chose; `reason` says why. With
  /// constant coefficients, for which ranks then send each other sums in one round of messages and
  /// no interface system is solved, `automatic` remains `automatic`.
  [[nodiscard]] distributed::strategy strategy() const noexcept;
  [[nodiscard]] const std::string& reason() const noexcept;
  /// Returns the number of systems of this rank's block, as `tridia::plan::systems` does.
  [[nodiscard]] index_t systems() const noexcept;
  /// Returns the times of the last execution that was finished; on a GPU it waits for that one. They
  /// are 0 unless `plan_options::timings` asked for them.
  [[nodiscard]] phase_times timings() const;
  /// Returns the same by the steps of `step_times`.
  [[nodiscard]] step_times step_timings() const;
  /// Returns the bytes of memory that the plan holds on this rank.
  [[nodiscard]] std::size_t workspace_bytes() const noexcept;

  /// Solves every line: `start` and then `finish`. Arrays are as for `tridia::plan::execute`; dl, d
  /// and du are null where the coefficients are constant. `e.status`, if not null, has `systems()`
  /// entries, on every rank those of whole lines: 0: solved; -i < 0: row i of the line, counted
  /// from 1, is the first that is not finite; i > 0: no such row, but singular: the elimination of
  /// some rank met a zero pivot in row i, or, i being the line's length, only that of all of them
  /// together did. It must be null if `plan_options::statuses` is off. `x` of a system whose status
  /// is not 0 is NaN on all ranks of its lines (see `plan_options::statuses`). `e.stream` is a
  /// cudaStream_t of the communicator's GPU; null is the default one. A workspace is not needed,
  /// and not used.
  void execute(const void* dl, const void* d, const void* du, const void* rhs, void* x,
               const execution& e = {});

  /// Reduces this rank's rows, and sends what other ranks need. Between start and finish the inputs
  /// must not change; x is not written. With constant coefficients and `strategy::gather` nothing
  /// can be sent before x is written, so that `finish` does all work, as it does where lines are
  /// solved in one pass (docs/distributed.md). With A^T or A^H of
  /// coefficients in arrays it waits for the ranks beside this one to start as well, as the rows at
  /// a block's ends have one entry each in their arrays.
  void start(const void* dl, const void* d, const void* du, const void* rhs, void* x,
             const execution& e = {});
  /// Waits for the messages of other ranks, and writes x, in the stream that was given to `start`.
  void finish();

  /// Returns the largest error of `nearest` with these matrices, relative to the largest |x| of a
  /// line; it may be infinite. This works without pivoting only. All ranks call it.
  [[nodiscard]] double neglected_coupling(const void* dl, const void* d, const void* du);

  struct state;  ///< Private to the library.

 private:
  std::unique_ptr<state> state_;
};

struct operator_options {
  /// The tolerance bounds which points of other ranks may be left out of one of this rank's
  /// right-hand sides: it is the sum of the weights left out, relative to the largest weight. At 0
  /// only weights below rounding are left out.
  double tolerance = 0;
  int threads = 0;  ///< See `options::threads`.
  /// The lines are divided into this many parts, which are worked on one after another: during one,
  /// the messages of the next two travel. From 1; `tridia bench scaling --slabs N` measures what
  /// they bring. With `strategy::gather` it is the right-hand sides alone that are computed so.
  int slabs = 1;
  /// Where lines cross ranks, `gather` solves them as the thesis does that the enumerator names: to
  /// compare with. Right-hand sides go to a field of the operator's, which is solved in place, and
  /// the sums go to `out`. Any other strategy but `automatic`, and `gather` for an adjoint, are
  /// refused (unsupported).
  distributed::strategy strategy = distributed::strategy::automatic;
  bool timings = false;  ///< See `plan_options::timings`.
};

/// Applies a compact scheme along one axis of a grid that is spread over ranks. Its results are
/// those of `tridia::compact_operator` to rounding, for any number of ranks.
///
/// Each rank has its block of both arrays where the communicator's arrays lie. What the points of
/// other ranks add to a rank's first and last rows are sums with weights that are known beforehand
/// (rows of the scheme's inverse), which are sent in one round of messages, mostly to neighbours
/// alone; then every rank works on its own rows. No halo is needed. An adjoint of lines that cross
/// ranks is two operators of that kind, A^-T and B^T, one after the other. Plans, executions and
/// failures are as those of `plan`.
class compact_operator {
 public:
  /// Makes an operator; `g` spreads its points, and `lines.extents` are those of this rank's block
  /// of them, or empty; strides are of this rank's blocks. All else describes the whole lines,
  /// `metric` too, and is the same on all ranks. An adjoint (`lines.operation`) reads an array that
  /// is spread as the operator's results, and writes one that is spread as `g` is. Throws as `plan`
  /// and `tridia::compact_operator` do; unsupported where a rank's own rows are a singular matrix,
  /// though the whole line's are not.
  compact_operator(const decomposition& g, const scheme& s, tridia::grid lines, communicator ranks,
                   const operator_options& o = {});
  compact_operator(const decomposition& g, const scheme& s, const closure& c, tridia::grid lines,
                   communicator ranks, const operator_options& o = {});
  ~compact_operator();
  compact_operator(compact_operator&&) noexcept;
  compact_operator& operator=(compact_operator&&) noexcept;

  /// Returns the decomposition of the array that is written; of an adjoint that is `g`. The results
  /// of an operator are spread as its points are. Where a staggered operator gives more results, or
  /// fewer, than a line has points, the last rank of a line has more, or fewer: a midpoint is on
  /// the rank of the point before it.
  [[nodiscard]] const decomposition& out_decomposition() const noexcept;
  /// Returns the `closure_warning` of the closure, where one is used; or an empty string.
  [[nodiscard]] const std::string& warning() const noexcept;
  /// Returns the ranks, among those that share this rank's lines, that it exchanges messages with.
  [[nodiscard]] const std::vector<int>& peers() const noexcept;
  /// Returns the times of the last application that was finished; on a GPU it waits for that one.
  /// They are 0 unless `operator_options::timings` asked for them.
  [[nodiscard]] phase_times timings() const;
  /// Returns the same by the steps of `step_times`.
  [[nodiscard]] step_times step_timings() const;
  /// Returns the bytes of memory that the operator holds on this rank.
  [[nodiscard]] std::size_t workspace_bytes() const noexcept;

  /// Computes out = op(in), or out += s op(in). `out` may be the very same array as `in`. `stream`
  /// is that of `execution::stream`.
  void apply(const void* in, void* out, void* stream = nullptr);
  void apply_add(double s, const void* in, void* out, void* stream = nullptr);

  /// Computes the sums that other ranks need, and sends them; of an adjoint those of its first
  /// step. Between start and finish `in` must not change; `out` is not written.
  void start(const void* in, void* out, void* stream = nullptr);
  void start_add(double s, const void* in, void* out, void* stream = nullptr);
  /// Waits for the messages of other ranks, and writes `out`, in the stream that was given to
  /// `start`.
  void finish();

  struct state;  ///< Private to the library.

 private:
  std::unique_ptr<state> state_;
};

/// Describes a halo: the layers of points around a block that neighbours hold.
struct halo {
  value_type type = value_type::f64;
  /// These strides of the array count elements, one per axis; a pointer is that of the block's own
  /// first point. Empty means dense in C order, with room for the halo.
  std::vector<index_t> strides{};
  /// These are the numbers of layers before and after the block, one entry per axis; empty: none.
  std::vector<int> before{}, after{};
  /// An entry that is true makes an axis of the whole array periodic; there is one per axis, and
  /// empty means none. Elsewhere a halo beyond the ends is not changed.
  std::vector<bool> periodic{};
};

/// Fills halos, each axis by itself: the layers beside the faces of a block, without those at its
/// edges and corners. Plans and failures are as those of `plan`.
class halo_exchange {
 public:
  /// Makes an exchange; a halo is at most as wide as any block along its axis. Throws `error` on
  /// all ranks.
  halo_exchange(const decomposition& g, const halo& h, communicator ranks);
  ~halo_exchange();
  halo_exchange(halo_exchange&&) noexcept;
  halo_exchange& operator=(halo_exchange&&) noexcept;

  /// Sends the layers of `field` that neighbours need; it may be read but not written until
  /// `finish`. `stream` is that of `execution::stream`.
  void start(void* field, void* stream = nullptr);
  /// Waits for the messages of neighbours, and writes the halo.
  void finish();

  struct state;  ///< Private to the library.

 private:
  std::unique_ptr<state> state_;
};

}  // namespace tridia::distributed
