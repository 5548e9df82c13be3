// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#include "systems/residual.hpp"

#include "systems/constant_matrix.hpp"

#include <algorithm>
#include <cmath>
#include <complex>
#include <type_traits>
#include <utility>
#include <vector>

#ifdef _OPENMP
#include <omp.h>
#endif

namespace tridia::cli {
namespace {

/// This many systems are handled together. If they lie side by side, they are read row by row, so
/// that whole cache lines are used.
constexpr index_t lanes = 128;

template <class T>
struct promoted {
  using type = double;
};
template <class R>
struct promoted<std::complex<R>> {
  using type = std::complex<double>;
};

double magnitude(double v) { return std::abs(v); }
double magnitude(const std::complex<double>& v) { return std::abs(v.real()) + std::abs(v.imag()); }

double conjugate(double v) { return v; }
std::complex<double> conjugate(const std::complex<double>& v) { return std::conj(v); }

/// Multiplies component by component: the operator of std::complex also looks for infinities, which
/// is slow.
double product(double a, double b) { return a * b; }
std::complex<double> product(const std::complex<double>& a, const std::complex<double>& b) {
  return {a.real() * b.real() - a.imag() * b.imag(), a.real() * b.imag() + a.imag() * b.real()};
}

/// Cuts the batch of a slab into groups of neighbouring systems: those along the axis of the
/// smallest stride.
class groups {
 public:
  groups(const systems& all, const slab& part) : all_(all), part_(part), lane_axis_(all.axis) {
    const std::vector<index_t>& strides = all.arrays[role_rhs].strides;
    for (std::size_t a = 0; a < part.extents.size(); ++a) {
      if (a == all.axis || part.extents[a] == 1) continue;
      if (!has_lanes() || strides[a] < strides[lane_axis_]) lane_axis_ = a;
    }
    for (std::size_t a = 0; a < part.extents.size(); ++a) count_ *= parts(a);
  }

  struct group {
    std::vector<index_t> first;  ///< Within the slab.
    index_t systems;             ///< Along the lane axis.
  };

  [[nodiscard]] index_t count() const { return count_; }
  /// Returns false for a single system.
  [[nodiscard]] bool has_lanes() const { return lane_axis_ != all_.axis; }
  [[nodiscard]] std::size_t lane_axis() const { return lane_axis_; }

  [[nodiscard]] group operator[](index_t k) const {
    group g{std::vector<index_t>(part_.extents.size(), 0), 1};
    for (std::size_t a = part_.extents.size(); a-- > 0;) {
      g.first[a] = k % parts(a) * step(a);
      k /= parts(a);
    }
    if (has_lanes()) {
      g.systems = std::min(lanes, part_.extents[lane_axis_] - g.first[lane_axis_]);
    }
    return g;
  }

 private:
  [[nodiscard]] index_t step(std::size_t a) const { return a == lane_axis_ ? lanes : 1; }
  [[nodiscard]] index_t parts(std::size_t a) const {
    return a == all_.axis ? 1 : (part_.extents[a] + step(a) - 1) / step(a);
  }

  const systems& all_;
  const slab& part_;
  std::size_t lane_axis_;
  index_t count_ = 1;
};

/// Reads one array of a group: entry i of system w.
template <class T>
struct lines {
  const T* data;
  index_t row, lane;                    ///< Strides.
  const index_t* row_starts = nullptr;  ///< Of a packed batch.

  auto operator()(index_t i, index_t w) const {
    const index_t at = row_starts != nullptr ? row_starts[i] : i * row;
    return static_cast<typename promoted<T>::type>(data[at + w * lane]);
  }
};

/// Holds the norms from which the residual of one system is computed.
struct norms {
  double defect = 0, matrix = 0, solution = 0, rhs = 0;

  [[nodiscard]] double residual() const {
    const double scale = matrix * solution + rhs;
    if (!std::isfinite(scale) || !std::isfinite(defect)) return std::nan("");
    return defect == 0 ? 0 : defect / scale;
  }
};

template <class T>
class group_residual {
 public:
  group_residual(const systems& all, const slab& part, const array_pointers& arrays,
                 const groups& batch, const groups::group& g)
      : all_(all), n_(all.rows()), periodic_(all.boundary == boundary::periodic) {
    for (std::size_t role = 0; role < roles; ++role) {
      if (arrays[role] == nullptr) continue;
      const operand& array = all.arrays[role];
      index_t first = array.first;
      for (std::size_t a = 0; a < g.first.size(); ++a) {
        first += (part.first[a] + g.first[a]) * array.strides[a];
      }
      lines_[role] = {reinterpret_cast<const T*>(arrays[role]) + first, array.strides[all.axis],
                      batch.has_lanes() ? array.strides[batch.lane_axis()] : 0};
    }
  }

  /// Looks at one system of a ragged batch.
  group_residual(const systems& all, const array_pointers& arrays, std::size_t system)
      : all_(all),
        n_(all.offsets[system + 1] - all.offsets[system]),
        periodic_(all.boundary == boundary::periodic) {
    for (std::size_t role = 0; role < roles; ++role) {
      const bool off = role == role_dl || role == role_du;
      const auto* const data = reinterpret_cast<const T*>(arrays[role]);
      const auto& strides = all.arrays[role].strides;
      if (all.is_concatenated()) {
        lines_[role] = {data + (off ? all.off_diagonal : all.offsets)[system], 1, 0};
      } else if (all.is_padded()) {
        lines_[role] = {data + static_cast<index_t>(system) * strides[1 - all.axis],
                        strides[all.axis], 0};
      } else {
        lines_[role] = {data + system, 1, 0,
                        (off ? all.off_diagonal_row_starts : all.row_starts).data()};
      }
    }
  }

  void accumulate(index_t systems, norms* out) const {
    if (lines_[role_x].lane < lines_[role_x].row) {
      for (index_t i = 0; i < n_; ++i) {
        for (index_t w = 0; w < systems; ++w) add_row(i, w, out[w]);
      }
    } else {
      for (index_t w = 0; w < systems; ++w) {
        for (index_t i = 0; i < n_; ++i) add_row(i, w, out[w]);
      }
    }
  }

 private:
  using value = typename promoted<T>::type;

  void add_row(index_t i, index_t w, norms& out) const {
    const value diagonal = coefficient(role_d, i, w);
    const value rhs = lines_[role_rhs](i, w);
    value defect = product(diagonal, lines_[role_x](i, w)) - rhs;
    double row = magnitude(diagonal);
    const auto add = [&](const value& entry, index_t j) {
      defect += product(entry, lines_[role_x](j, w));
      row += magnitude(entry);
    };
    if (i > 0 || periodic_) {
      const index_t j = i > 0 ? i - 1 : n_ - 1;
      add(off_diagonal(role_dl, i, role_du, j, w), j);
    }
    if (i + 1 < n_ || periodic_) {
      const index_t j = i + 1 < n_ ? i + 1 : 0;
      add(off_diagonal(role_du, i, role_dl, j, w), j);
    }
    out.defect = larger(out.defect, magnitude(defect));
    out.matrix = larger(out.matrix, row);
    out.solution = larger(out.solution, magnitude(lines_[role_x](i, w)));
    out.rhs = larger(out.rhs, magnitude(rhs));
  }

  /// Returns A(i, j) beside the diagonal; for the transpose it is A(j, i), from the other array.
  value off_diagonal(array_role role, index_t i, array_role transposed_role, index_t j,
                     index_t w) const {
    return all_.operation == operation::none ? coefficient(role, i, w)
                                             : coefficient(transposed_role, j, w);
  }

  value coefficient(array_role role, index_t i, index_t w) const {
    const index_t shift = role == role_dl && all_.short_off_diagonals ? 1 : 0;
    const value v = all_.is_constant() ? constant(role, i) : lines_[role](i - shift, w);
    return all_.operation == operation::conjugate_transpose ? conjugate(v) : v;
  }

  value constant(array_role role, index_t i) const {
    const near_toeplitz::row& row = row_of(all_.matrix, n_, i);
    const std::complex<double> v = role == role_dl ? row.dl : role == role_d ? row.d : row.du;
    if constexpr (std::is_same_v<value, double>) {
      return v.real();
    } else {
      return v;
    }
  }

  const systems& all_;
  index_t n_;
  bool periodic_;
  lines<T> lines_[roles]{};
};

/// Returns the index of a slab's system in its status: C order over the batch axes.
index_t status_index(const systems& all, const slab& part, const std::vector<index_t>& position) {
  index_t index = 0;
  for (std::size_t a = 0; a < position.size(); ++a) {
    if (a != all.axis) index = index * part.extents[a] + position[a];
  }
  return index;
}

template <class T>
double group_largest(const systems& all, const slab& part, const array_pointers& arrays,
                     std::span<const index_t> status, const groups& batch, index_t k) {
  groups::group g = batch[k];
  norms found[lanes];
  group_residual<T>(all, part, arrays, batch, g).accumulate(g.systems, found);
  double largest = 0;
  for (index_t w = 0; w < g.systems; ++w) {
    const auto system = static_cast<std::size_t>(status_index(all, part, g.first));
    if (status[system] == 0) largest = larger(largest, found[w].residual());
    if (batch.has_lanes()) ++g.first[batch.lane_axis()];
  }
  return largest;
}

template <class T>
double ragged_largest(const systems& all, const slab& part, const array_pointers& arrays,
                      std::span<const index_t> status, index_t k) {
  if (status[static_cast<std::size_t>(k)] != 0) return 0;
  norms found;
  group_residual<T>(all, arrays, static_cast<std::size_t>(part.system + k)).accumulate(1, &found);
  return found.residual();
}

template <class T>
double slab_largest(const systems& all, const slab& part, const array_pointers& arrays,
                    std::span<const index_t> status, int threads) {
  const groups batch(all, part);
  const index_t count = all.is_ragged() ? part.systems : batch.count();
  double largest = 0;
#pragma omp parallel num_threads(threads)
  {
    double mine = 0;
#pragma omp for schedule(static)
    for (index_t k = 0; k < count; ++k) {
      mine = larger(mine, all.is_ragged() ? ragged_largest<T>(all, part, arrays, status, k)
                                          : group_largest<T>(all, part, arrays, status, batch, k));
    }
#pragma omp critical
    largest = larger(largest, mine);
  }
  return largest;
}

}  // namespace

double largest_residual(const systems& all, const slab& part, const array_pointers& arrays,
                        std::span<const index_t> status, int threads) {
#ifdef _OPENMP
  if (threads <= 0) threads = omp_get_max_threads();
#endif
  switch (all.type) {
    case value_type::f32:
      return slab_largest<float>(all, part, arrays, status, threads);
    case value_type::f64:
      return slab_largest<double>(all, part, arrays, status, threads);
    case value_type::c64:
      return slab_largest<std::complex<float>>(all, part, arrays, status, threads);
    case value_type::c128:
      return slab_largest<std::complex<double>>(all, part, arrays, status, threads);
  }
  return std::nan("");
}

}  // namespace tridia::cli
