// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#include "c_api/communicators.hpp"

namespace tridia::c_api {

const distributed::communicator& communicator_of(const tridia_communicator* c, const char* name) {
  return *static_cast<const distributed::communicator*>(find_handle(kind::communicator, c, name));
}

distributed::communicator_options as_cpp(const tridia_communicator_options* o) {
  if (o == nullptr) return {};
  check_struct(o, "options");
  if (o->reserved != 0) refuse("reserved: " + std::to_string(o->reserved) + " is not 0");
  return {.time_limit = o->time_limit, .peer_memory = o->peer_memory != 0};
}

}  // namespace tridia::c_api

using namespace tridia::c_api;
using tridia::distributed::communicator;

extern "C" {

const char* tridia_strategy_name(int value) {
  return tridia::distributed::name(static_cast<tridia::distributed::strategy>(value)).data();
}

tridia_result tridia_strategy_parse(const char* name, int* value) {
  return guarded([&] {
    need(name, "name");
    need(value, "value");
    const auto found = tridia::distributed::parse_strategy(name);
    if (!found) tridia::refuse("name: \"" + std::string(name) + "\" is not a strategy");
    *value = static_cast<int>(*found);
  });
}

tridia_result tridia_communicator_destroy(tridia_communicator* c) {
  return destroy<communicator>(kind::communicator, c, "communicator");
}

tridia_result tridia_communicator_rank(const tridia_communicator* c, int* rank) {
  return guarded([&] { set(rank, "rank", communicator_of(c, "communicator").rank()); });
}

tridia_result tridia_communicator_size(const tridia_communicator* c, int* size) {
  return guarded([&] { set(size, "size", communicator_of(c, "communicator").size()); });
}

tridia_result tridia_communicator_device(const tridia_communicator* c, int* device) {
  return guarded([&] { set(device, "device", communicator_of(c, "communicator").device()); });
}

tridia_result tridia_communicator_synchronize(const tridia_communicator* c, void* stream) {
  return guarded([&] { communicator_of(c, "communicator").synchronize(stream); });
}

}  // extern "C"
