// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <complex>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <type_traits>

namespace tridia {

/// This is the type of every extent, stride, offset and count: 64 bits, signed.
using index_t = std::int64_t;

/// Names the element type of all arrays of a problem: float, double, and the std::complex of each.
enum class value_type { f32, f64, c64, c128 };

/// Says how the first and the last row of a system end.
enum class boundary {
  regular,   ///< `dl[0]` and `du[n-1]` are outside the matrix and never read.
  periodic,  ///< `dl[0]` is A(0, n-1) and `du[n-1]` is A(n-1, 0); where n < 3 makes entries
             ///< coincide, they add up.
};

/// Says whether the elimination interchanges rows.
enum class pivoting {
  partial,  ///< Like LAPACK's xGTSV: stable for every matrix that is not nearly singular.
  none,     ///< Faster; for diagonally dominant and positive definite matrices.
};

/// Says which matrix is solved with: A, its transpose, or its conjugate transpose.
enum class operation {
  none,                 ///< A
  transpose,            ///< A^T
  conjugate_transpose,  ///< A^H
};

/// Says which matrices the coefficients hold.
enum class coefficients {
  per_system,  ///< Each system has its own rows.
  shared,      ///< One matrix for all systems: `dl`, `d`, `du` are one-dimensional.
  constant,    ///< One matrix that the plan knows beforehand: `problem::matrix`, and no arrays.
};

/// Says how the systems of a ragged batch (`problem::offsets`) lie in memory.
enum class ragged_layout {
  concatenated,  ///< One system after another.
  padded,        ///< Each system is the beginning of a line of an array with two axes.
  packed,        ///< Row 0 of all systems, then row 1 of those that have one, …: longest first.
};

/// Says where a plan runs.
enum class backend {
  cpu,        ///< Threads and SIMD; host pointers.
  cuda,       ///< An NVIDIA GPU; device pointers.
  reference,  ///< Plain and sequential on the CPU, to test the others against.
};

/// Names the algorithm of a plan. `partition` is for `backend::cpu` and `backend::cuda`; those from
/// `cr` on are for `backend::cuda` and `backend::reference`, make no row interchanges
/// (`pivoting::none`) and take regular boundaries, on a GPU f32 and f64 alone.
/// docs/algorithms.md says what each accepts, and how much memory it moves.
enum class algorithm {
  automatic,  ///< The plan chooses an algorithm, and says which and why.
  /// This is Gaussian elimination without interchanges: L. H. Thomas, "Elliptic problems in linear
  /// difference equations over a network", Columbia University, 1949. Only for `pivoting::none`. On
  /// a GPU, one thread solves each system, as in cuThomasBatch: P. Valero-Lara et al., Concurrency
  /// and Computation 30(24), 2018; see `transformation`.
  thomas,
  /// This is Gaussian elimination with partial pivoting, as in LAPACK's xGTSV: Anderson et al.,
  /// LAPACK Users' Guide, 3rd ed., SIAM, 1999. On a GPU, one thread solves each system.
  lu,
  /// Chunks of rows are reduced to interface equations, level after level, with or without
  /// pivoting: after H. H. Wang, "A parallel method for tridiagonal equations", ACM TOMS 7(2),
  /// 1981. `automatic` usually chooses it on a GPU, and on a CPU where lines are few or long.
  partition,
  /// This is cyclic reduction in shared memory, one block per system: R. W. Hockney, J. ACM 12(1),
  /// 1965; on a GPU Y. Zhang, J. Cohen, J. D. Owens, PPoPP 2010.
  cr,
  /// This is `cr` without bank conflicts: D. Goeddeke, R. Strzodka, IEEE TPDS 22(1), 2011. With a
  /// `switch_point` above 1, PCR solves the system of so many rows that is left.
  crnbc,
  /// This is parallel cyclic reduction, which reduces every row in every step: R. W. Hockney, C. R.
  /// Jesshope, Parallel Computers, 1981; on a GPU Zhang et al. 2010.
  pcr,
  /// CR reduces to a system of `switch_point` rows, which PCR solves: Zhang et al. 2010.
  cr_pcr,
  /// PCR runs until its independent systems have `switch_point` rows, each of which one thread
  /// solves by Thomas: Y. Zhang, J. Cohen, A. A. Davidson, J. D. Owens, GPU Computing Gems, 2011.
  pcr_thomas,
  /// This is CR with `packing_depth` neighbouring rows in the registers of each thread: A. A.
  /// Davidson, J. D. Owens, "Register packing for cyclic reduction", GPGPU-4, 2011.
  packed_cr,
  /// PCR runs in global memory until the independent systems fit a block, then PCR-Thomas solves
  /// them there: A. A. Davidson, Y. Zhang, J. D. Owens, "An auto-tuned method for solving large
  /// tridiagonal systems on the GPU", IPDPS 2011.
  hierarchical,
  /// NEATO is CR of a matrix of constants. Each stage has few distinct coefficients, which are
  /// computed with the plan, so that only right-hand sides move: A. T. Srinath, thesis, Clemson
  /// University, 2015. It is for `coefficients::constant`; see `neato_memory`.
  neato,
};

/// Says where `algorithm::neato` on a GPU keeps the right-hand sides that it reduces.
enum class neato_memory {
  automatic,  ///< In shared memory if a system fits, or else in global memory.
  shared,     ///< In shared memory, one block per system.
  global,     ///< In `x` itself, one launch per stage.
};

/// Says how `algorithm::thomas` on a GPU reorders the data before and after the solve, in workspace
/// (Valero-Lara et al. 2018).
enum class transformation {
  none,    ///< No reordering: threads read and write the arrays where they are.
  full,    ///< All systems are interleaved; shorter ones of a ragged batch leave gaps (padding).
  blocks,  ///< Systems are interleaved 32 at a time.
  packed,  ///< A ragged batch is sorted by length and interleaved without gaps (cuThomasVBatch).
};

namespace detail {
template <class T>
struct value_type_of;
template <>
struct value_type_of<float> {
  static constexpr auto value = value_type::f32;
};
template <>
struct value_type_of<double> {
  static constexpr auto value = value_type::f64;
};
template <>
struct value_type_of<std::complex<float>> {
  static constexpr auto value = value_type::c64;
};
template <>
struct value_type_of<std::complex<double>> {
  static constexpr auto value = value_type::c128;
};
}  // namespace detail

/// This is the `value_type` of float, double, std::complex<float> and std::complex<double>.
template <class T>
inline constexpr value_type value_type_of = detail::value_type_of<std::remove_cv_t<T>>::value;

/// Returns the bytes of one element: 4, 8, 8, 16.
constexpr std::size_t size_of(value_type type) noexcept {
  return type == value_type::f32 ? 4 : type == value_type::c128 ? 16 : 8;
}

/// Returns the name of an enumerator as written above ("f64", "periodic", "thomas", …),
/// zero-terminated and always valid; "invalid" for a value that is none of the enumerators.
std::string_view name(value_type) noexcept;
std::string_view name(boundary) noexcept;
std::string_view name(pivoting) noexcept;
std::string_view name(operation) noexcept;
std::string_view name(coefficients) noexcept;
std::string_view name(ragged_layout) noexcept;
std::string_view name(backend) noexcept;
std::string_view name(algorithm) noexcept;
std::string_view name(transformation) noexcept;
std::string_view name(neato_memory) noexcept;

/// Returns the names of all enumerators of E, one of the enumerations above, in the order there.
template <class E>
std::span<const std::string_view> names() noexcept;

/// Returns the enumerator of E whose name is exactly `name`, or none: the inverse of `name`.
template <class E>
std::optional<E> parse(std::string_view name) noexcept;

}  // namespace tridia
