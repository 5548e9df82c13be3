// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#include "distributed/interface.hpp"

#include "core/dispatch.hpp"
#include "distributed/strategies/collected.hpp"
#include "distributed/strategies/doubling.hpp"
#include "distributed/strategies/nearest.hpp"

namespace tridia::distributed {
namespace {

template <class V, pivoting P>
std::unique_ptr<interface_systems> make(strategy s, const interface_task& t, transport& by) {
  if (s == strategy::pcr) return std::make_unique<doubling<V, P>>(t, by);
  if constexpr (P == pivoting::none) {
    if (s == strategy::nearest) return std::make_unique<nearest<V>>(t, by);
  }
  return std::make_unique<collected<V, P>>(s, t, by);
}

}  // namespace

std::unique_ptr<interface_systems> make_interface(strategy s, const interface_task& t,
                                                  transport& by) {
  return core::with_type(t.type, [&](auto type) {
    using V = typename decltype(type)::type;
    return t.pivoting == pivoting::none ? make<V, pivoting::none>(s, t, by)
                                        : make<V, pivoting::partial>(s, t, by);
  });
}

}  // namespace tridia::distributed
