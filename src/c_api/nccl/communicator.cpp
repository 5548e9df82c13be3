// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#include "c_api/communicators.hpp"
#include "tridia/nccl.hpp"
#include "tridia_nccl.h"

using namespace tridia::c_api;
using tridia::distributed::communicator;

extern "C" {

tridia_result tridia_nccl_communicator_create(const tridia_communicator* start, int device,
                                              const tridia_communicator_options* options,
                                              tridia_communicator** c) {
  return create<communicator>(kind::communicator, c, "communicator", [&] {
    return tridia::distributed::nccl_communicator(communicator_of(start, "start"), device,
                                                  as_cpp(options));
  });
}

tridia_result tridia_nccl_communicator_from(ncclComm_t ranks,
                                            const tridia_communicator_options* options,
                                            tridia_communicator** c) {
  return create<communicator>(kind::communicator, c, "communicator", [&] {
    if (ranks == nullptr) tridia::refuse("ranks: is null");
    return tridia::distributed::nccl_communicator(ranks, as_cpp(options));
  });
}

}  // extern "C"
