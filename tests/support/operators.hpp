// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tridia/compact.hpp"

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

namespace tridia_test {

/// Returns reference, cpu, and cuda if a GPU is visible.
const std::vector<tridia::backend>& every_backend();

/// Returns the number of values of so many arrays of a shape.
std::size_t count_of(const std::vector<tridia::index_t>& extents, tridia::index_t fields = 1);

/// Computes out = op(in), or out += add op(in), with arrays on the host wherever the operator runs:
/// they are copied to a GPU whole, with the memory between their elements, and `out` is copied
/// back. It works in place if both are the same array.
void apply_anywhere(const tridia::compact_operator& op, std::span<const std::byte> in,
                    std::span<std::byte> out, std::optional<double> add = {});

template <class T>
void apply_anywhere(const tridia::compact_operator& op, const std::vector<T>& in,
                    std::vector<T>& out, std::optional<double> add = {}) {
  apply_anywhere(op, std::as_bytes(std::span(in)), std::as_writable_bytes(std::span(out)), add);
}

}  // namespace tridia_test
