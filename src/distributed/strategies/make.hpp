// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "core/dispatch.hpp"
#include "distributed/strategies/gathered.hpp"
#include "distributed/strategies/nearest.hpp"
#include "distributed/strategies/pcr.hpp"

namespace tridia::distributed {

template <class Space, class V, pivoting P>
std::unique_ptr<interface_systems> make_interface_of(strategy s, const interface_task& t,
                                                     transport& by) {
  if (s == strategy::pcr) return std::make_unique<pcr<Space, V, P>>(t, by);
  if constexpr (P == pivoting::none) {
    if (s == strategy::nearest) return std::make_unique<nearest<Space, V>>(t, by);
  }
  return std::make_unique<gathered<Space, V, P>>(s, t, by);
}

/// Does what `backend::make_interface` says, in an execution space.
template <class Space>
std::unique_ptr<interface_systems> make_interface_in(strategy s, const interface_task& t,
                                                     transport& by) {
  return core::with_type(t.type, [&](auto type) {
    using V = typename decltype(type)::type;
    return t.pivoting == pivoting::none ? make_interface_of<Space, V, pivoting::none>(s, t, by)
                                        : make_interface_of<Space, V, pivoting::partial>(s, t, by);
  });
}

}  // namespace tridia::distributed
