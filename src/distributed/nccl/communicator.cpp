// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#include "core/refuse.hpp"
#include "distributed/agreement.hpp"
#include "distributed/nccl/nccl_transport.hpp"
#include "gpu/devices.hpp"
#include "tridia/nccl.hpp"

#include <array>
#include <bit>
#include <limits>

namespace tridia::distributed {
namespace {

std::shared_ptr<nccl_transport> make_transport(int device, const communicator_options& o) {
  return {new nccl_transport(device, o),
          [](nccl_transport* t) { t->dispose(std::unique_ptr<nccl_transport>(t)); }};
}

/// Returns the id that rank 0 makes. It travels as integers; rank 0's are the largest of all ranks.
ncclUniqueId shared_id(transport& by) {
  std::array<index_t, sizeof(ncclUniqueId) / sizeof(index_t)> words;
  words.fill(std::numeric_limits<index_t>::min());
  ncclUniqueId id{};
  if (by.rank() == 0) {
    if (const ncclResult_t r = ncclGetUniqueId(&id); r != ncclSuccess) {
      throw error(errc::peer_failure,
                  std::string("NCCL: ncclGetUniqueId: ") + ncclGetErrorString(r));
    }
    words = std::bit_cast<decltype(words)>(id);
  }
  by.maxima(words);
  return std::bit_cast<ncclUniqueId>(words);
}

}  // namespace

communicator nccl_communicator(const communicator& start, int device,
                               const communicator_options& o) {
  check_options(o);
  // A rank without a GPU still takes part, so that the others need not wait for it.
  std::shared_ptr<nccl_transport> made;
  agreement(*start.transport()).reach([&] { made = make_transport(gpu::find_device(device), o); });
  const ncclUniqueId id = shared_id(*start.transport());
  made->connect([id, size = start.size(), rank = start.rank()](ncclComm_t* comm) {
    return ncclCommInitRank(comm, size, id, rank);
  });
  return communicator(made);
}

communicator nccl_communicator(ncclComm_t ranks, const communicator_options& o) {
  if (ranks == nullptr) refuse("communicator: is null");
  check_options(o);
  int device = 0, rank = 0;
  if (ncclCommCuDevice(ranks, &device) != ncclSuccess ||
      ncclCommUserRank(ranks, &rank) != ncclSuccess) {
    refuse("communicator: NCCL does not know it");
  }
  const auto made = make_transport(device, o);
  made->connect(
      [ranks, rank](ncclComm_t* comm) { return ncclCommSplit(ranks, 0, rank, comm, nullptr); });
  return communicator(made);
}

}  // namespace tridia::distributed
