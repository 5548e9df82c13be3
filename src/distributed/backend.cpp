// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#include "distributed/backend.hpp"

namespace tridia::distributed {

std::unique_ptr<const backend> make_backend(const transport& by) {
  return by.device() >= 0 ? make_cuda_backend(by.device()) : make_host_backend();
}

}  // namespace tridia::distributed
