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
  double equations, unknowns, bytes;
};

traffic traffic_of(strategy, int ranks, double lines, const interface_size&);

/// A network and the processors beside it.
struct network {
  double round_seconds, message_seconds, bytes_per_second, joins_per_second;
};
/// No machine's: of the order of a cluster's with a rank for each socket.
inline constexpr network cluster_of_cpus{3e-6, 5e-7, 8e9, 5e8};
/// Of the order of GPUs of one host and NCCL, as seen on H200s.
inline constexpr network host_of_gpus{1.5e-5, 1e-6, 2e11, 2e10};

double seconds(const traffic&, const network&);

struct strategy_choice {
  distributed::strategy strategy;
  std::string reason;
};

/// What `automatic` becomes for lines of so many ranks; or the strategy that was asked for.
/// Throws if it cannot be had.
strategy_choice choose_strategy(const plan_options&, pivoting, int ranks, double lines,
                                const interface_size&, const network&);

}  // namespace tridia::distributed
