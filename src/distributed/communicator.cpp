// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#include "distributed/transport.hpp"

namespace tridia::distributed {

int communicator::rank() const { return by_->rank(); }
int communicator::size() const { return by_->size(); }

}  // namespace tridia::distributed
