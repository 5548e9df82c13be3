// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <iterator>
#include <vector>

#include "support/device_memory.hpp"
#include "tridia/types.hpp"

namespace tridia_test {

inline constexpr tridia::value_type kTypes[] = {tridia::value_type::f32, tridia::value_type::f64,
                                                tridia::value_type::c64, tridia::value_type::c128};

/// Returns all value types if a GPU is here, and none otherwise.
inline std::vector<tridia::value_type> types_of_gpu() {
  if (!have_gpu()) return {};
  return {std::begin(kTypes), std::end(kTypes)};
}

/// Returns all backends that can run here.
inline std::vector<tridia::backend> backends() {
  std::vector<tridia::backend> all{tridia::backend::reference, tridia::backend::cpu};
  if (have_gpu()) all.push_back(tridia::backend::cuda);
  return all;
}

}  // namespace tridia_test
