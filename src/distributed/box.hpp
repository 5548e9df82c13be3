// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "core/host_device.hpp"
#include "layout/geometry.hpp"
#include "tridia/types.hpp"

#include <cstddef>
#include <vector>

namespace tridia::distributed {

/// A box is a set of points of a strided array; it begins `first` elements after the pointer.
struct box {
  std::vector<index_t> extents, strides;
  index_t first;

  [[nodiscard]] std::size_t points() const;
};

/// Describes a copy of a box's elements into contiguous memory in C order, or back.
struct box_copy {
  int axes;
  index_t extents[layout::max_axes], strides[layout::max_axes];
  index_t points;
  std::byte *array, *packed;  // the box's first element, and its place
  bool packs;
};

box_copy packing(const box&, std::size_t size, const void* array, void* packed);
box_copy unpacking(const box&, std::size_t size, const void* packed, void* array);

/// Copies a run of elements of type T, `run` of them along the last axis.
template <class T>
struct run_copy {
  box_copy c;
  index_t run;

  TRIDIA_FN void operator()(index_t i, index_t) const {
    index_t at = 0, rest = i * run;
    for (int a = c.axes; a-- > 0; rest /= c.extents[a]) at += rest % c.extents[a] * c.strides[a];
    T* const array = reinterpret_cast<T*>(c.array) + at;
    T* const packed = reinterpret_cast<T*>(c.packed) + i * run;
    const index_t step = c.strides[c.axes - 1];
    for (index_t k = 0; k < run; ++k) {
      c.packs ? void(packed[k] = array[k * step]) : void(array[k * step] = packed[k]);
    }
  }
};

struct two_words {
  double first, second;
};

/// Copies a box in an execution space (cpu/host_execution_space.hpp); elements have 4, 8 or 16
/// bytes.
template <class Space>
void copy_box(const Space& space, const box_copy& c, std::size_t size) {
  if (c.points == 0) return;
  const index_t run = Space::run(c.extents[c.axes - 1]), runs = c.points / run;
  size == 4   ? space.for_each(runs, run, run_copy<float>{c, run})
  : size == 8 ? space.for_each(runs, run, run_copy<double>{c, run})
              : space.for_each(runs, run, run_copy<two_words>{c, run});
}

}  // namespace tridia::distributed
