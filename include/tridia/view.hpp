// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tridia/types.hpp"

#include <array>
#include <concepts>
#include <cstddef>
#include <utility>

namespace tridia {

/// This concept holds for an N-dimensional strided array with the interface of std::mdspan:
/// std::mdspan, Kokkos::mdspan, and `tridia::view`. Strides count elements.
template <class A>
concept array_view = requires(const A& a, std::size_t axis) {
  typename A::element_type;
  { a.data_handle() } -> std::convertible_to<typename A::element_type*>;
  { A::rank() } -> std::convertible_to<std::size_t>;
  { a.extent(axis) } -> std::convertible_to<index_t>;
  { a.stride(axis) } -> std::convertible_to<index_t>;
};

/// This is a minimal array view, for compilers without std::mdspan. It does not own its elements,
/// and checks nothing.
template <class T, std::size_t Rank>
class view {
 public:
  using element_type = T;

  /// Makes a view of a dense array in C order (the last axis is contiguous).
  view(T* data, std::array<index_t, Rank> extents) : data_(data), extents_(extents) {
    index_t step = 1;
    for (std::size_t a = Rank; a-- > 0; step *= extents[a]) strides_[a] = step;
  }
  /// Makes a view with any strides, in elements; `data` is the address of element (0, …, 0).
  view(T* data, std::array<index_t, Rank> extents, std::array<index_t, Rank> strides)
      : data_(data), extents_(extents), strides_(strides) {}

  static constexpr std::size_t rank() noexcept { return Rank; }
  T* data_handle() const noexcept { return data_; }
  index_t extent(std::size_t axis) const noexcept { return extents_[axis]; }
  index_t stride(std::size_t axis) const noexcept { return strides_[axis]; }

 private:
  T* data_;
  std::array<index_t, Rank> extents_, strides_;
};

}  // namespace tridia
