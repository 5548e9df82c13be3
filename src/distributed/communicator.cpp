// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#include "distributed/transport.hpp"

#include <string>

namespace tridia::distributed {

int communicator::rank() const { return transport_->rank(); }
int communicator::size() const { return transport_->size(); }
int communicator::device() const { return transport_->device(); }
std::string communicator::reason() const { return transport_->reason(); }
void communicator::synchronize(void* stream) const { transport_->synchronize(stream); }

void check_options(const communicator_options& o) {
  if (o.time_limit >= 0) return;
  throw error(errc::invalid_argument,
              "time_limit: " + std::to_string(o.time_limit) + " seconds is not 0 or more");
}

}  // namespace tridia::distributed
