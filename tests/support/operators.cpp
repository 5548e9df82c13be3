// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#include "support/operators.hpp"

#include <functional>
#include <numeric>

#include "support/device_memory.hpp"

namespace tridia_test {

using tridia::backend;

const std::vector<backend>& every_backend() {
  static const std::vector<backend> result = [] {
    std::vector<backend> all{backend::reference, backend::cpu};
    if (have_gpu()) all.push_back(backend::cuda);
    return all;
  }();
  return result;
}

std::size_t count_of(const std::vector<tridia::index_t>& extents, tridia::index_t fields) {
  return static_cast<std::size_t>(
      std::accumulate(extents.begin(), extents.end(), fields, std::multiplies<>()));
}

void apply_anywhere(const tridia::compact_operator& op, std::span<const std::byte> in,
                    std::span<std::byte> out, std::optional<double> add) {
  const std::size_t bytes = op.workspace_bytes();
  const auto apply = [&](const std::byte* from, std::byte* to, std::byte* workspace) {
    const tridia::execution e{.workspace = workspace, .workspace_bytes = bytes};
    const void* const read = from;
    void* const written = to;
    add ? op.apply_add(*add, read, written, e) : op.apply(read, written, e);
  };
  if (op.backend() != backend::cuda) {
    std::vector<std::byte> workspace(bytes);
    apply(in.data(), out.data(), workspace.data());
    return;
  }
  const device_bytes to = allocate_on_device(out.size()), workspace = allocate_on_device(bytes);
  copy_to_device(to.get(), out.data(), out.size());
  if (in.data() == out.data()) {
    apply(to.get(), to.get(), workspace.get());
  } else {
    const device_bytes from = allocate_on_device(in.size());
    copy_to_device(from.get(), in.data(), in.size());
    apply(from.get(), to.get(), workspace.get());
    wait_for(nullptr);
  }
  copy_to_host(out.data(), to.get(), out.size());
}

}  // namespace tridia_test
