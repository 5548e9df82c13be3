// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "solver/cuda/named/makers.hpp"
#include "tridia/types.hpp"

#include <span>
#include <string_view>

namespace tridia::solver {

/// Says which backends have an algorithm.
enum class availability : char { everywhere, cpu_and_cuda, reference_and_cuda };

/// Describes an algorithm: its name, and what it can do beside what all can.
struct algorithm_entry {
  tridia::algorithm algorithm{};
  std::string_view name{};
  availability backends = availability::everywhere;
  bool pivots = false;         // where the problem asks for it
  bool every_problem = false;  // periodic boundaries as well, and complex types on a GPU
  bool factors = false;
  bool constant_only = false;  // takes no coefficients but constants
  // These say which parameters it has.
  bool switch_point = false, packing_depth = false, transformation = false, memory = false;
  cuda::maker make = nullptr;  // where it has kernels of its own
};

/// Returns the entry of an algorithm; null for automatic, and for what is no algorithm.
const algorithm_entry* find_algorithm(algorithm);

/// Returns the names in the order of the enumerators, `automatic` first.
std::span<const std::string_view> algorithm_names() noexcept;

}  // namespace tridia::solver
