// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "c_api/convert.hpp"

#include <memory>
#include <vector>

// These serve the operators of the C interface, of one axis and of several.
namespace tridia::c_api {

/// Calls `apply` with an execution, whose workspace is allocated here if there is no `e`.
template <class Operator, class F>
void with_execution(const Operator& op, const tridia_execution* e, F&& apply) {
  if (e != nullptr || op.backend() == backend::cuda) {
    apply(as_cpp(e));
    return;
  }
  const std::size_t bytes = op.workspace_bytes();
  const std::unique_ptr<std::byte[]> memory(new std::byte[bytes]);
  apply(execution{.workspace = memory.get(), .workspace_bytes = bytes});
}

inline void set_extents(const std::vector<index_t>& from, const int64_t** extents, int* rank) {
  need(extents, "extents");
  need(rank, "rank");
  *extents = from.data();
  *rank = static_cast<int>(from.size());
}

}  // namespace tridia::c_api
