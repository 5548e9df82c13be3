// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#include "c_api/communicators.hpp"
#include "c_api/convert.hpp"
#include "c_api/decompositions.hpp"

namespace {

using namespace tridia::c_api;
using tridia::distributed::halo_exchange;

halo_exchange& exchange_of(const tridia_halo_exchange* e) {
  return *static_cast<halo_exchange*>(find_handle(kind::halo_exchange, e, "exchange"));
}

std::vector<int> layers(const int* array, int rank) {
  return array == nullptr ? std::vector<int>{} : std::vector<int>(array, array + rank);
}

tridia::distributed::halo as_cpp(const tridia_halo* h) {
  check_struct(h, "halo");
  check_rank(h->rank);
  tridia::distributed::halo q;
  q.type = enumerator<tridia::value_type>(h->type, "type");
  q.strides = for_each_axis(h->strides, h->rank);
  q.before = layers(h->before, h->rank);
  q.after = layers(h->after, h->rank);
  for (const int periodic : layers(h->periodic, h->rank)) q.periodic.push_back(periodic != 0);
  return q;
}

}  // namespace

extern "C" {

tridia_result tridia_halo_exchange_create(const tridia_decomposition* decomposition,
                                          const tridia_halo* halo,
                                          const tridia_communicator* communicator,
                                          tridia_halo_exchange** e) {
  return create<halo_exchange>(kind::halo_exchange, e, "exchange", [&] {
    const auto& cuts = decomposition_of(decomposition);
    const tridia::distributed::halo layers = as_cpp(halo);
    return halo_exchange(cuts, layers, communicator_of(communicator, "communicator"));
  });
}

tridia_result tridia_halo_exchange_destroy(tridia_halo_exchange* e) {
  return destroy<halo_exchange>(kind::halo_exchange, e, "exchange");
}

tridia_result tridia_halo_exchange_start(tridia_halo_exchange* e, void* field, void* stream) {
  return guarded([&] { exchange_of(e).start(field, stream); });
}

tridia_result tridia_halo_exchange_finish(tridia_halo_exchange* e) {
  return guarded([&] { exchange_of(e).finish(); });
}

}  // extern "C"
