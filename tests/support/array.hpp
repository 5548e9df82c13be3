// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "support/buffer.hpp"
#include "support/layout.hpp"
#include "support/scalar.hpp"

namespace tridia_test {

/// Holds one array of a problem, where a backend can access it.
class array {
 public:
  /// Makes room for exactly `span`, between `guard` elements, `misalignment` bytes further on;
  /// every byte is `fill` (0xFF: NaN).
  array(tridia::backend where, tridia::value_type type, layout::span span, std::size_t guard,
        std::byte fill, std::size_t misalignment = 0);

  /// Returns the address of element (0, …, 0); null if there are no elements.
  [[nodiscard]] void* pointer() const;

  [[nodiscard]] wide get(index_t at) const { return load(type_, bytes_.host(), at - first_); }
  void set(index_t at, wide value) { store(type_, bytes_.host(), at - first_, value); }
  /// Returns an element as it was when the array was last given to the library.
  [[nodiscard]] wide get_given(index_t at) const { return load(type_, given_.data(), at - first_); }

  /// These give the array to the library, and take it back.
  void give();
  void take() { bytes_.pull(); }

  /// Returns the current bytes of one element.
  [[nodiscard]] const std::byte* element(index_t at) const;

  /// Returns whether nothing has changed since `give`, except elements of the lines in `exempt`.
  [[nodiscard]] bool unchanged(const std::vector<line>& exempt = {}) const;

 private:
  tridia::value_type type_;
  index_t first_;
  buffer bytes_;
  std::vector<std::byte> given_;
};

}  // namespace tridia_test
