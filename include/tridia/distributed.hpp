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

/// Fields that are spread over ranks. What is here knows no transport: a `communicator` is made
/// from MPI's by `tridia/mpi.hpp`, which is installed where the library was built with MPI.
namespace tridia::distributed {

/// The points of a global array that one rank holds.
struct block {
  std::vector<index_t> begin, extents;
};

/// A global array cut by planes into a block for each rank of a grid of ranks, numbered in C order.
/// The same on all ranks; nothing but arithmetic.
class decomposition {
 public:
  /// `ranks[a]` blocks along axis a, which differ by at most one point, larger ones first. Throws
  /// `error` (invalid_argument): every block must hold a point.
  decomposition(const std::vector<index_t>& extents, const std::vector<int>& ranks);
  /// Blocks along axis a have parts[a][0], parts[a][1], … points, each at least one.
  static decomposition of_parts(const std::vector<std::vector<index_t>>& parts);

  [[nodiscard]] const std::vector<index_t>& extents() const noexcept { return extents_; }
  /// Blocks along each axis.
  [[nodiscard]] const std::vector<int>& ranks() const noexcept { return ranks_; }
  /// Ranks in all.
  [[nodiscard]] int size() const noexcept { return size_; }
  /// First points of the blocks along an axis, and the extent at the end.
  [[nodiscard]] const std::vector<index_t>& cuts(int axis) const { return cuts_.at(axis); }

  [[nodiscard]] std::vector<int> coordinates(int rank) const;
  [[nodiscard]] int rank_of(const std::vector<int>& coordinates) const;
  [[nodiscard]] distributed::block block(int rank) const;
  /// The rank `step` blocks away along an axis; none beyond the ends, unless they are joined.
  [[nodiscard]] std::optional<int> neighbour(int rank, int axis, int step, bool periodic) const;
  /// The ranks that share the lines of `rank` along an axis, in order; itself among them.
  [[nodiscard]] std::vector<int> line(int rank, int axis) const;

 private:
  decomposition() = default;
  std::vector<index_t> extents_;
  std::vector<int> ranks_;
  std::vector<std::vector<index_t>> cuts_;
  int size_ = 1;
};

class transport;  ///< Private to the library.

/// The ranks that work together, and how they reach each other. Copies are the same communicator.
/// Its transport says where arrays lie: in host memory (MPI), or in that of a rank's GPU (NCCL).
class communicator {
 public:
  explicit communicator(std::shared_ptr<distributed::transport> t) : transport_(std::move(t)) {}
  [[nodiscard]] int rank() const;
  [[nodiscard]] int size() const;
  /// The GPU in whose memory arrays lie; -1: host memory.
  [[nodiscard]] int device() const;
  /// Waits for all work in a stream (a cudaStream_t) of that GPU, messages among it. Throws
  /// peer_failure, where one does not arrive within the time limit, and device_failure. Without a
  /// GPU there is nothing to wait for.
  void synchronize(void* stream) const;
  [[nodiscard]] const std::shared_ptr<distributed::transport>& transport() const noexcept {
    return transport_;
  }

 private:
  std::shared_ptr<distributed::transport> transport_;
};

struct communicator_options {
  /// Seconds that any wait for another rank may take before `errc::peer_failure`; 0: for ever.
  double time_limit = 60;
};

/// How the interface systems of lines that cross ranks are solved. Each rank reduces its rows of a
/// line to equations between the line's ends there and the rows of its neighbours beside them
/// (Mattor, Williams, Hewett, "Algorithm for solving tridiagonal matrix problems in parallel",
/// Parallel Computing 21, 1995); together they are a small system for each line.
enum class strategy {
  automatic,   ///< The plan chooses by a model of the times (docs/scaling.md), and says why.
  gather,      ///< The first rank of a line solves all of them.
  allgather,   ///< Every rank gets all equations, and solves all.
  pcr,         ///< Groups of ranks join two by two: the logarithm of the number of steps.
  all_to_all,  ///< Each rank of a line solves its share of the lines.
  nearest,     ///< Neighbours alone exchange what they have: only where influence decays enough.
};

std::string_view name(strategy) noexcept;
std::optional<strategy> parse_strategy(std::string_view name) noexcept;

struct plan_options {
  distributed::strategy strategy = distributed::strategy::automatic;
  /// Bound on what `nearest` may neglect, relative to the largest |x| of a line; 0: nothing. Of
  /// constant coefficients: as `operator_options::tolerance`.
  double tolerance = 0;
  /// What it would neglect, as `plan::neglected_coupling` finds, where it is known.
  std::optional<double> neglected_coupling{};
  /// Bytes that one rank may spend on the interface systems of others; more are solved in slabs of
  /// lines. At least one line from each rank is held at a time.
  std::size_t interface_bytes = std::size_t{64} << 20;
  /// Whether ranks tell each other which lines have failed: one exchange more. Where they do, `x`
  /// of such a line is NaN on all of them, also if no status is asked for; where they do not, `x`
  /// of a line across ranks that has no finite solution is unspecified.
  bool statuses = true;
  int threads = 0;  ///< As `options::threads`.
};

/// Where the time of an execution went on this rank, in seconds.
struct phase_times {
  double reduce = 0;     ///< Rows to interface equations; points to sums that others need.
  double interface = 0;  ///< Messages, waiting for them, and solving what came by them.
  double expand = 0;     ///< Ends to all rows; where lines do not cross ranks, all of it.
  double statuses = 0;   ///< Telling each other of lines that have failed.
};

/// Lines across ranks, made ready to be solved many times, each rank with its block where the
/// communicator's arrays lie.
///
/// All ranks of the communicator make a plan together, in the same order as other plans, of the
/// same problem but for strides. It owns its memory, so one execution runs at a time; execution
/// allocates nothing of the library's. All ranks execute it, and start and finish several plans of
/// one communicator in the same order. If a rank fails or does not come within the communicator's
/// time limit, each of the others throws `errc::peer_failure`, as does every later use of the
/// communicator. On GPUs work is put into a stream and nothing waits for it: such a failure ends
/// the work in the stream, and is thrown by `communicator::synchronize` and by what is asked of the
/// communicator from then on.
class plan {
 public:
  /// `p.extents` are those of this rank's block, or empty. Lines are as long as the decomposition
  /// along `p.axis`; row 0 of a block is coupled to the last row of the block before it by its dl,
  /// and so on; a constant `p.matrix` is that of whole lines. Short off-diagonals are those of
  /// whole lines, cut where the rows are: dl of a line's first block, and du of its last one, has
  /// one entry fewer along the axis than the block has rows, all others as many (dense, if no
  /// strides are given, over what each rank has). Unsupported: ragged batches; where lines cross
  /// ranks, also constant coefficients of which some rank's own rows are a singular matrix, or
  /// nearly. Throws `error` on all ranks, before any work: invalid_argument (also where the
  /// communicator has not the size of the decomposition, or where ranks disagree), unsupported,
  /// out_of_memory, peer_failure.
  plan(const decomposition& g, problem p, communicator ranks, const plan_options& o = {});
  ~plan();
  plan(plan&&) noexcept;
  plan& operator=(plan&&) noexcept;

  /// What `automatic` became, and why; of constant coefficients, for which ranks send each other
  /// sums in one round of messages and no interface system is solved, it stays `automatic`.
  [[nodiscard]] distributed::strategy strategy() const noexcept;
  [[nodiscard]] const std::string& reason() const noexcept;
  /// Systems of this rank's block, as `tridia::plan::systems`.
  [[nodiscard]] index_t systems() const noexcept;
  /// Of the last execution that was finished; on a GPU it is waited for.
  [[nodiscard]] phase_times timings() const;
  /// Memory that the plan holds on this rank.
  [[nodiscard]] std::size_t workspace_bytes() const noexcept;

  /// start and finish. Arrays as for `tridia::plan::execute`; dl, d and du are null where the
  /// coefficients are constant. `e.status`, if not null, has `systems()` entries, on every rank
  /// those of whole lines: 0: solved; -i < 0: row i of the line, counted from 1, is the first that
  /// is not finite; i > 0: no such row, but singular: the elimination of some rank met a zero pivot
  /// in row i, or, i being the line's length, only that of all of them together did. Null where
  /// `plan_options::statuses` is off. `x` of a system whose status is not 0 is NaN on all ranks of
  /// its lines (see `plan_options::statuses`). `e.stream`: a cudaStream_t of the communicator's
  /// GPU; null is the default one. A workspace is not needed, and not used.
  void execute(const void* dl, const void* d, const void* du, const void* rhs, void* x,
               const execution& e = {});

  /// Reduces the rows here, and sends what others need of it. Between start and finish the inputs
  /// must not change; x is not written. With A^T or A^H of coefficients in arrays it waits for the
  /// ranks beside this one to start as well, as the rows at a block's ends have one entry each in
  /// their arrays.
  void start(const void* dl, const void* d, const void* du, const void* rhs, void* x,
             const execution& e = {});
  /// Waits for what comes from others, and writes x, in the stream that was given to `start`.
  void finish();

  /// The most that `nearest` would get wrong with these matrices, relative to the largest |x| of a
  /// line; may be infinite. Without pivoting only. All ranks call it.
  [[nodiscard]] double neglected_coupling(const void* dl, const void* d, const void* du);

  struct state;  ///< Private to the library.

 private:
  std::unique_ptr<state> state_;
};

struct operator_options {
  /// Bound on what may be left out of what the points of other ranks add to one of this rank's
  /// right-hand sides: the sum of the weights that are, relative to the largest. At 0 that is what
  /// is below rounding: a point then counts as far away as it can be noticed.
  double tolerance = 0;
  int threads = 0;  ///< As `options::threads`.
  /// Parts of the lines that are worked on one after another: while one is, messages of the next
  /// two travel. From 1; on GPUs of one host more did not pay (docs/scaling.md).
  int slabs = 1;
};

/// A compact scheme along one axis of a grid that is spread over ranks: `tridia::compact_operator`,
/// and its results to rounding, whatever the number of ranks.
///
/// Each rank has its block of both arrays where the communicator's arrays lie. What the points of
/// other ranks add to a rank's first and last rows are sums with weights that are known beforehand
/// (rows of the scheme's inverse), which travel in one round of messages, mostly to neighbours
/// alone; then every rank works on its own rows. No halo is needed. Plans, executions and failures
/// are as those of `plan`.
class compact_operator {
 public:
  /// `lines.extents` are those of this rank's block of the array that is read, or empty; its
  /// strides are of this rank's blocks. All else is of the whole lines, `metric` too, and the same
  /// on all ranks. Throws as `plan` and `tridia::compact_operator` do; unsupported where a rank's
  /// own rows are a singular matrix, though the whole line's are not, and for an adjoint
  /// (`lines.operation`) of lines that cross ranks. The adjoint of lines that do not reads an array
  /// of the operator's results, and writes one that is spread as `g` is.
  compact_operator(const decomposition& g, const scheme& s, tridia::grid lines, communicator ranks,
                   const operator_options& o = {});
  compact_operator(const decomposition& g, const scheme& s, const closure& c, tridia::grid lines,
                   communicator ranks, const operator_options& o = {});
  ~compact_operator();
  compact_operator(compact_operator&&) noexcept;
  compact_operator& operator=(compact_operator&&) noexcept;

  /// How the array that is written is spread: as the one that is read. Where a staggered operator
  /// gives more results, or fewer, than a line has values, the last rank of a line has them: a
  /// midpoint is where the point before it is.
  [[nodiscard]] const decomposition& out_decomposition() const noexcept;
  /// As `closure_warning`, where a closure is used; or empty.
  [[nodiscard]] const std::string& warning() const noexcept;
  /// The ranks, of those that share this rank's lines, that messages go to and come from.
  [[nodiscard]] const std::vector<int>& peers() const noexcept;
  /// Of the last application that was finished; on a GPU it is waited for.
  [[nodiscard]] phase_times timings() const;
  /// Memory that the operator holds on this rank.
  [[nodiscard]] std::size_t workspace_bytes() const noexcept;

  /// out = op(in); out += s op(in). `out` may be the very same array as `in`. `stream`: as
  /// `execution::stream`.
  void apply(const void* in, void* out, void* stream = nullptr);
  void apply_add(double s, const void* in, void* out, void* stream = nullptr);

  /// Sums up here what others need, and sends it. Between start and finish `in` must not change;
  /// `out` is not written.
  void start(const void* in, void* out, void* stream = nullptr);
  void start_add(double s, const void* in, void* out, void* stream = nullptr);
  /// Waits for what comes from others, and writes `out`, in the stream that was given to `start`.
  void finish();

  struct state;  ///< Private to the library.

 private:
  std::unique_ptr<state> state_;
};

/// The layers of points around a block that neighbours hold.
struct halo {
  value_type type = value_type::f64;
  /// Strides of the array in elements, one an axis; a pointer is that of the block's own first
  /// point. Empty: dense in C order, room for the halo included.
  std::vector<index_t> strides{};
  /// Layers before and after the block, one entry an axis; empty: none.
  std::vector<int> before{}, after{};
  /// Which ends of the whole array are joined, one entry an axis; empty: none. Elsewhere a halo
  /// beyond the ends is left as it is.
  std::vector<bool> periodic{};
};

/// Fills halos, each axis by itself: the layers beside the faces of a block, without those at its
/// edges and corners. Plans and failures are as those of `plan`.
class halo_exchange {
 public:
  /// Throws `error` on all ranks; a halo is at most as wide as any block along its axis.
  halo_exchange(const decomposition& g, const halo& h, communicator ranks);
  ~halo_exchange();
  halo_exchange(halo_exchange&&) noexcept;
  halo_exchange& operator=(halo_exchange&&) noexcept;

  /// Sends what neighbours need of `field`, which may be read but not written until `finish`.
  /// `stream`: as `execution::stream`.
  void start(void* field, void* stream = nullptr);
  /// Waits, and writes the halo.
  void finish();

  struct state;  ///< Private to the library.

 private:
  std::unique_ptr<state> state_;
};

}  // namespace tridia::distributed
