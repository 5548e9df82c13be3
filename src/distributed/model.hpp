// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tridia/distributed.hpp"

namespace tridia::distributed {

/// What a strategy costs the busiest rank of a line, once for all lines (docs/scaling.md).
struct traffic {
  double rounds;    // messages that wait for each other
  double messages;  // sent and received
  double bytes;     // the larger of those sent and those received
  double joins;     // of chunks, there and back
};

/// Words that a line's equations and its ends have, of `bytes` each.
struct interface_size {
  double equations, ends, bytes;
};

traffic traffic_of(strategy, int ranks, double lines, const interface_size&);

/// A network and the processors beside it. The defaults are no machine's: they are of the order of
/// a cluster's with a rank for each socket.
struct network {
  double round_seconds = 3e-6, message_seconds = 5e-7, bytes_per_second = 8e9,
         joins_per_second = 5e8;
};

double seconds(const traffic&, const network&);

struct strategy_choice {
  distributed::strategy strategy;
  std::string reason;
};

/// What `automatic` becomes for lines of so many ranks; or the strategy that was asked for.
/// Throws if it cannot be had.
strategy_choice choose_strategy(const plan_options&, pivoting, int ranks, double lines,
                                const interface_size&);

}  // namespace tridia::distributed
